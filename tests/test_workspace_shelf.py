"""A document whose text stays on the disk says what one in memory says."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from rollout_ls.cli.loading import load
from rollout_ls.rules.registry import RULES
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.rows import split_lines
from rollout_ls.wire.report import finding_rows
from rollout_ls.workspace import shelf
from rollout_ls.workspace.document import Document
from rollout_ls.workspace.files import Pieces
from rollout_ls.workspace.shelf import shelved_document

IDLE = {"duplicate-key", "too-deep", "int-too-big", "bad-utf8", "bad-json", "secret"}
"""Codes of findings that the idle pass over a line may give."""
SESSIONS = sorted((Path(__file__).parent.parent / "fixtures" / "sessions").glob("rollout-*.jsonl"))


def rows(document: Document) -> list[object]:
    return [*finding_rows("x", document.buffer, document.finish())]


@pytest.mark.parametrize("size", [7, 1000, 1 << 20])
def test_the_findings_are_those_of_the_text_in_memory(size: int) -> None:
    for path in SESSIONS:
        data = path.read_bytes()
        pieces = Pieces(str(path))
        reader = pieces.reader()
        assert reader is not None
        parts = [data[start : start + size] for start in range(0, len(data), size)]
        shelved = shelved_document(path.as_uri(), parts, reader)
        assert b"".join(pieces) == data
        assert rows(shelved) == rows(Document(path.as_uri(), None, [data], on_disk=True)), path.name


@pytest.mark.parametrize("code", [*RULES, "nothing of the idle pass"])
def test_one_code_alone_is_found_as_among_all(code: str, tmp_path: Path) -> None:
    """What is not looked for costs nothing, and hides nothing of what is."""
    path = tmp_path / "rollout-1.jsonl"
    path.write_bytes(
        b"".join(one.read_bytes().removesuffix(b"\n") + b"\n" for one in SESSIONS)
        + b'{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"x","a":1,"a":2}}\n'
        + b'{"a":"\xff","b":"sk-%b","c":%b,"d":%b}\n' % (b"a1B2" * 12, b"9" * 30, b"[" * 140 + b"]" * 140)
    )
    every, wanted = frozenset(RULES), frozenset({code} if code in RULES else {"shape", "turn-open"})
    found = load(str(path), wanted, shelve=True)[0]
    all_of_them = [row for row in rows(load(str(path), every, shelve=True)[0]) if row.code in wanted]  # type: ignore[attr-defined]
    assert rows(found) == all_of_them
    assert rows(load(str(path), wanted)[0]) == all_of_them
    if code not in IDLE:
        assert not any(line.reading.idle for line in found.buffer)


def test_a_line_that_is_too_long_to_be_read_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "MAX_ROW_BYTES", 20_000)
    path = tmp_path / "rollout-1.jsonl"
    data = SESSIONS[-1].read_bytes()
    path.write_bytes(data[: data.index(b"\n") + 1] + b"x" * 20_000 + b"\n" + data[data.index(b"\n") + 1 :])
    for size in (100, 1 << 20):
        pieces = Pieces(str(path))
        reader = pieces.reader()
        assert reader is not None
        parts = b"".join(pieces)
        document = shelved_document(path.as_uri(), [parts[at : at + size] for at in range(0, len(parts), size)], reader)
        limits = msgspec.structs.replace(document.surroundings.limits, row_bytes=20_000)
        document.surroundings = msgspec.structs.replace(document.surroundings, limits=limits)
        found = rows(document)
        assert [line.size for line in document.buffer][:3] == [len(line) for line in split_lines(parts)][:3]
        assert [row.message for row in found if row.code == "limit"] == ["A record of over 20.0 kB not read."]  # type: ignore[attr-defined]
        others = [(row.code, row.line) for row in found if row.code != "limit"]  # type: ignore[attr-defined]
        whole = rows(Document(path.as_uri(), None, [data], on_disk=True))
        assert others == [(row.code, row.line + (row.line > 1)) for row in whole]  # type: ignore[attr-defined]


def test_no_text_stays_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "rollout-1.jsonl"
    record = b'{"timestamp":"2026-01-01T00:00:00.000Z","type":"world_state","payload":{"full":true,"state":{}}}\n'
    path.write_bytes(record * 3)
    pieces = Pieces(str(path))
    reader = pieces.reader()
    assert reader is not None
    document = shelved_document(path.as_uri(), pieces, reader)
    before = [line.data for line in document.buffer]
    with path.open("r+b") as file:
        file.write(b"[")
    assert [line.data[:1] for line in document.buffer] == [b"[", b"{", b"{"]
    assert [line.size for line in document.buffer] == [len(data) for data in before]


@pytest.mark.skipif(not hasattr(os, "pread"), reason="bytes are fetched otherwise there")
def test_a_line_is_not_fetched_for_each_of_its_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rollout-1.jsonl"
    path.write_bytes(b"{}" * 3000 + b"\n")
    fetched = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda *given: fetched.append(given) or pread(*given))
    pieces = Pieces(str(path))
    reader = pieces.reader()
    assert reader is not None
    shelved_document(path.as_uri(), pieces, reader).finish()
    assert len(fetched) <= 2
    reader.forget()
    assert reader(0, 2) == b"{}"


def test_a_file_that_became_shorter_gives_blanks(tmp_path: Path) -> None:
    path = tmp_path / "rollout-1.jsonl"
    path.write_bytes(b"[1]\n[2]\n")
    pieces = Pieces(str(path))
    reader = pieces.reader()
    assert reader is not None
    document = shelved_document(path.as_uri(), pieces, reader)
    path.write_bytes(b"[1]\n")
    assert [line.data for line in document.buffer] == [b"[1]\n", b"    "]
    assert isinstance(document.buffer, Buffer)
    document.finish()


def test_the_bytes_of_a_file_are_told_as_they_are_worked_through() -> None:
    path = max(SESSIONS, key=lambda one: one.stat().st_size)
    told: list[int] = []
    document, problem = load(str(path), shelve=True, advance=told.append)
    assert problem is None
    assert sum(told) == document.buffer.byte_count == path.stat().st_size
