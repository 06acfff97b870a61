"""What the disk adds to an editor's text: faults that only bytes show, and whether the text was edited."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_ls.rules.finding import Finding
from rollout_ls.text.columns import column_of
from rollout_ls.workspace import store
from rollout_ls.workspace.document import Change, Document
from rollout_ls.workspace.store import ChangedLine, FileFacts, look, shown
from rollouts import Rollout, turn_id

NAME = "rollout-2026-01-02T03-04-05-0199aaaa-0000-7000-8000-000000000001.jsonl"
BOUND = 1 << 30
BAD = "the report says é".encode()[:-1]
"""A message cut in the middle of a character."""


def healthy() -> list[bytes]:
    rollout = Rollout()
    rollout.start(turn_id(1))
    rollout.user("Read the report")
    rollout.said("Done.", "final_answer")
    rollout.end(turn_id(1))
    return [line + b"\n" for line in rollout.lines]


def editor_text(data: bytes) -> bytes:
    """What an editor makes of a file's bytes."""
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").encode()


class Editor:
    """A document of a file in an editor, whose disk is looked at as the server does."""

    def __init__(self, path: Path, text: bytes | None = None, bound: int = BOUND) -> None:
        self.path, self.bound = path, bound
        self.facts: FileFacts | None = None
        self.document = Document(path.as_uri(), 1, [editor_text(path.read_bytes()) if text is None else text])

    def edit(self, start: tuple[int, int], end: tuple[int, int], text: bytes) -> None:
        self.document.edit([Change(start, end, text)], None, "utf-8")

    def findings(self) -> tuple[Finding, ...]:
        self.document.finish()
        seen = look(str(self.path), self.facts, self.document.changed_lines(), self.bound)
        self.facts = seen.facts
        self.document.see_disk(seen)
        return self.document.finish()

    def told(self) -> list[tuple[int, str, int]]:
        """(line from 1, code, UTF-16 column from 0) of each finding."""
        rows = self.document.buffer
        return [
            (
                rows.row_of(one.place.line) + 1 if one.place.line.block else 1,
                one.code,
                column_of(one.place.line.data, one.place.start, "utf-16"),
            )
            for one in self.findings()
        ]

    def codes(self) -> list[str]:
        return [code for _, code, _ in self.told()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / NAME


def write(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"".join(lines))
    return path


# -- bytes
def test_a_healthy_file_says_nothing(path: Path) -> None:
    assert Editor(write(path, *healthy())).told() == []


def test_a_line_cut_inside_a_character_has_one_cause(path: Path) -> None:
    lines = healthy()
    cut = (
        b'{"timestamp":"2026-07-20T10:00:05.000Z","type":"event_msg","payload":{"type":"agent_message","message":"'
        + BAD
    )
    lines[4:4] = [cut + b"\n"]
    editor = Editor(write(path, *lines))
    alone = Document("untitled:x", 1, [editor_text(path.read_bytes())]).finish()
    assert [one.code for one in alone] == ["bad-json"]
    (finding,) = editor.findings()
    at = len(b"".join(lines[:4])) + len(cut) - 1
    assert finding.code == "bad-utf8"
    assert f"at byte {len(cut) - 1} of the line (file offset {at})" in finding.message
    assert "also cut off" in finding.message
    place = finding.place
    assert place.line.data[place.start : place.end] == "\ufffd".encode()


def test_bad_bytes_inside_a_whole_record_are_said_at_their_place_in_the_text(path: Path) -> None:
    lines = healthy()
    lines[4] = lines[4].replace(b"Done.", "é💥".encode() + b"\xff\xfeDone.")
    editor = Editor(write(path, *lines))
    (told,) = editor.told()
    column = len(editor_text(lines[4]).decode().split("\ufffd")[0].encode("utf-16-le")) // 2
    assert told == (5, "bad-utf8", column)


def test_the_mark_stands_at_the_first_character(path: Path) -> None:
    editor = Editor(write(path, b"\xef\xbb\xbf", *healthy()))
    assert editor.told() == [(1, "bom", 0)]
    (finding,) = editor.findings()
    assert (finding.place.start, finding.place.end) == (0, 1)


def test_packed_bytes_are_said_whatever_the_text_looks_like(path: Path) -> None:
    data = b"\x28\xb5\x2f\xfd\x24\x20\x01\xff\n\xfe" * 3
    assert Editor(write(path, data)).codes() == ["compressed"]


def test_windows_line_ends_differ_in_nothing(path: Path) -> None:
    lines = [line.replace(b"\n", b"\r\n") for line in healthy()]
    lines[4] = lines[4].replace(b"Done.", b"\xff")
    write(path, *lines)
    normalised = editor_text(path.read_bytes()).replace(b"\r\n", b"\n")
    editor = Editor(path, normalised)
    assert editor.codes() == ["bad-utf8"]


def test_what_the_bytes_say_goes_when_the_text_is_edited_and_comes_back(path: Path) -> None:
    lines = healthy()
    lines[4] = lines[4].replace(b"Done.", b"\xff")
    editor = Editor(write(path, *lines))
    assert editor.codes() == ["bad-utf8"]
    editor.edit((2, 0), (2, 0), b" ")
    assert editor.codes() == ["edited"]
    editor.edit((2, 0), (2, 1), b"")
    assert editor.codes() == ["bad-utf8"]
    write(path, editor_text(b"".join(lines)))
    assert editor.codes() == []


def test_a_text_of_another_file_gets_nothing(path: Path) -> None:
    lines = healthy()
    lines[4] = lines[4].replace(b"Done.", b"\xff")
    write(path, *lines)
    assert Editor(path, b"".join(healthy())).codes() == []


def test_only_so_many_lines_are_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_FAULTY_LINES", 3)
    bad = healthy()[4].replace(b"Done.", b"\xff")
    assert Editor(write(path, healthy()[0], *[bad] * 10)).codes() == ["bad-utf8"] * 3


@settings(deadline=None)
@given(st.lists(st.binary(max_size=12), max_size=4))
def test_faults_stand_inside_what_the_editor_shows(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("store") / NAME
    lines = [b'{"type":"x","a":"' + part.replace(b"\n", b"") + b'"}\n' for part in parts]
    seen = look(str(write(path, *lines)), None, (), BOUND)
    assert seen.facts is not None
    assert list(seen.facts.starts) == [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]
    for one in seen.facts.faulty:
        text = shown(lines[one.number], first=one.number == 0)
        assert store.digest(text) == one.text
        assert all(0 <= fault.start <= fault.end <= len(text) for fault in one.faults)
        assert one.faults


# -- edited
@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ((1, 3), (1, 3), b"x"),
        ((1, 3), (1, 4), b""),
        ((2, 0), (3, 0), b""),
        ((2, 5), (3, 5), b""),
        ((0, 0), (0, 0), b"\n"),
        ((4, 0), (4, 0), b"{}\n"),
        ((99, 0), (99, 0), b"{}"),
        ((99, 0), (99, 0), b"{}\n"),
        ((0, 0), (99, 0), b"{}\n"),
    ],
)
def test_a_change_is_said_until_it_is_taken_back_or_saved(
    path: Path, start: tuple[int, int], end: tuple[int, int], text: bytes
) -> None:
    data = b"".join(healthy())
    for save in (False, True):
        editor = Editor(write(path, data))
        editor.edit(start, end, text)
        assert editor.told()[0] == (1, "edited", 0) or editor.codes() == ["nothing-recognised"]
        if save:
            write(path, *(line.data for line in editor.document.buffer))
        else:
            editor.document.edit([Change(None, None, data)], None, "utf-8")
        assert "edited" not in editor.codes()


def test_a_line_said_twice_and_one_taken_away_are_edits(path: Path) -> None:
    lines = healthy()
    lines[3:3] = [lines[3]]
    editor = Editor(write(path, *lines))
    editor.edit((3, 0), (3, 0), lines[3])
    assert "edited" in editor.codes()
    editor = Editor(path)
    editor.edit((3, 0), (4, 0), b"")
    assert "edited" in editor.codes()
    editor.edit((4, 0), (4, 0), b"{}\n")
    editor.edit((3, 0), (5, 0), lines[3] + lines[4])  # what is there now is the disk's, but the rest has moved
    assert "edited" in editor.codes() or b"".join(line.data for line in editor.document.buffer) == path.read_bytes()


def test_no_word_before_the_first_change(path: Path) -> None:
    write(path, *healthy())
    assert "edited" not in Editor(path, b"".join(healthy()[:-2]) + b"{}\n").codes()


def test_a_file_that_has_grown_is_not_edited(path: Path) -> None:
    data = b"".join(healthy())
    half = len(data) // 2
    editor = Editor(write(path, data), data[:half])
    rest = data[half:-7]
    row = editor.document.buffer.row_count - 1
    column = len(editor.document.buffer.row_text(row))
    editor.edit((row, column), (row, column), rest)
    assert "edited" not in editor.codes()
    with path.open("ab") as file:
        file.write(healthy()[-1] * 3)
    row = editor.document.buffer.row_count - 1
    column = len(editor.document.buffer.row_text(row))
    editor.edit((row, column), (row, column), data[-7:] + healthy()[-1])
    assert "edited" not in editor.codes()


_ROWS, _TEXTS = st.integers(0, 9), st.sampled_from([b"", b"a", b"a\n", b"\n", b"b\na\n"])


@settings(deadline=None)
@given(st.lists(st.tuples(_ROWS, _ROWS, _TEXTS)))
def test_edited_is_what_differs(tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, bytes]]) -> None:
    """Whatever is edited in whatever order: said exactly when the text is no beginning of the file."""
    data = b"a\na\nb\na\n\nb\na\n"
    path = tmp_path_factory.mktemp("store") / NAME
    editor = Editor(write(path, data))
    for start, end, text in edits:
        first, last = sorted((start, end))
        editor.edit((first, 0), (last, 0), text)
        now = b"".join(line.data for line in editor.document.buffer)
        seen = look(str(path), editor.facts, editor.document.changed_lines(), BOUND)
        editor.facts = seen.facts
        if not seen.edited:
            assert data.startswith((now, now.removesuffix(b"\n")))
        elif data.startswith(now):
            assert not now.endswith(b"\n")  # never: a beginning is no edit
        editor.document.see_disk(seen)


# -- the disk
def test_what_is_no_regular_file_is_not_known(tmp_path: Path) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    assert look(str(folder), None, (), BOUND) == store.NOTHING
    assert look(str(tmp_path / "none"), None, (), BOUND) == store.NOTHING
    assert look("\0", None, (), BOUND) == store.NOTHING
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        began = time.monotonic()
        assert look(str(tmp_path / "pipe"), None, (), BOUND) == store.NOTHING
        assert time.monotonic() - began < 5
        assert look(os.devnull, None, (), BOUND) == store.NOTHING


def test_a_link_to_a_rollout_is_that_rollout_and_to_another_file_nothing(tmp_path: Path, path: Path) -> None:
    write(path, b"\xff\n")
    (tmp_path / "private").write_bytes(b"\xff\n")
    for name, target in (("one", path), ("two", "one"), ("folder", tmp_path), ("loop", "loop")):
        (tmp_path / name).symlink_to(target)
    for name in ("one", "two", f"folder/{NAME}"):
        seen = look(str(tmp_path / name), None, (), BOUND)
        assert seen.facts is not None and len(seen.facts.faulty) == 1, name
    (tmp_path / "rollout-x.jsonl").symlink_to("private")
    (tmp_path / "rollout-y.jsonl").symlink_to("rollout-x.jsonl")
    for name in ("rollout-x.jsonl", "rollout-y.jsonl", "folder", "loop"):
        assert look(str(tmp_path / name), None, (), BOUND) == store.NOTHING, name


def test_a_large_file_is_not_looked_at(path: Path) -> None:
    write(path, *healthy())
    assert look(str(path), None, (), path.stat().st_size - 1) == store.NOTHING
    assert look(str(path), None, (), path.stat().st_size).facts is not None


def test_a_file_is_read_again_only_when_it_is_another(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = look(str(write(path, *healthy())), None, (), BOUND)
    assert look(str(path), first.facts, (), BOUND).facts is first.facts
    write(path, *healthy(), b"\xff\n")
    second = look(str(path), first.facts, (), BOUND)
    assert second.facts is not first.facts and second.facts is not None and len(second.facts.faulty) == 1
    other = path.with_suffix(".new")
    write(other, *healthy(), b"\xfe\n")
    os.replace(other, path)
    assert look(str(path), second.facts, (), BOUND).facts is not second.facts


def test_truncated_and_vanished_files_take_back_what_was_said(path: Path) -> None:
    lines = healthy()
    lines[4] = lines[4].replace(b"Done.", b"\xff")
    editor = Editor(write(path, *lines))
    assert editor.codes() == ["bad-utf8"]
    write(path, *lines[:2])
    assert editor.codes() == []
    write(path, *lines)
    assert editor.codes() == ["bad-utf8"]
    editor.edit((0, 0), (0, 0), b" ")
    assert editor.codes() == ["edited"]
    path.unlink()
    assert editor.codes() == []


def test_a_file_that_shrinks_under_the_reader_raises_nothing(path: Path) -> None:
    known = look(str(write(path, *healthy())), None, (), BOUND).facts
    assert known is not None
    descriptor = os.open(write(path, b"{}\n"), os.O_RDONLY)
    try:
        assert store._is_edited(descriptor, known, [ChangedLine(3, healthy()[3], False)])
    finally:
        os.close(descriptor)


def test_a_file_that_grows_while_it_is_read(path: Path) -> None:
    line = healthy()[4]
    write(path, *healthy())
    stop = threading.Event()

    def grow() -> None:
        with path.open("ab", buffering=0) as file:
            while not stop.is_set():
                file.write(line)

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        known = None
        for _ in range(20):
            seen = look(str(path), known, (), BOUND)
            assert seen.facts is not None and not seen.facts.faulty and not seen.edited
            assert seen.facts.stamp is None or seen.facts.starts[-1] == seen.facts.stamp[2]
            known = seen.facts
    finally:
        stop.set()
        thread.join()


def test_lines_longer_than_a_piece(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PIECE_BYTES", 7)
    lines = [b"a" * 30 + b"\n", b"\n", "é".encode() * 9 + b"\n", b"\xff" * 10, b""]
    seen = look(str(write(path, *lines)), None, (), BOUND)
    assert seen.facts is not None
    assert list(seen.facts.starts) == [0, 31, 32, 51, 61]
    assert [one.number for one in seen.facts.faulty] == [3]


# -- folders
def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    from rollout_ls.workspace.files import find_rollouts

    real, other = tmp_path / "real", tmp_path / "other"
    real.mkdir()
    other.mkdir()
    write(other / NAME, b"{}\n")
    (real / "link").symlink_to(other, target_is_directory=True)
    (real / "loop").symlink_to(real, target_is_directory=True)
    write(real / NAME.replace("05-", "06-"), b"{}\n")
    assert [Path(one).name for one in find_rollouts([str(real)]).paths] == [NAME.replace("05-", "06-")]
