"""What is drawn into the text holds for any text: it never fails, is printable, in order, and inside its record."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_ls.features.folding import folds
from rollout_ls.features.hints import HintOptions, explain, hint_at, hints
from rollout_ls.features.legend import MARKS, SORTS
from rollout_ls.features.lenses import lenses, title_of
from rollout_ls.features.links import links
from rollout_ls.features.moments import elapsed_text
from rollout_ls.features.selection import selections
from rollout_ls.features.target import File, Web
from rollout_ls.features.tokens import tokens
from rollout_ls.projection.session import Session
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.text.rows import Place
from rollout_ls.wire.sight import inlay_hints, selection_range, semantic_tokens
from rollout_ls.workspace.document import Document

FIXTURES = sorted((Path(__file__).parent.parent / "fixtures" / "sessions").glob("rollout-*.jsonl"))
FOLDER = "/home/noor"
EVERYTHING = HintOptions()


def session_of(data: bytes) -> Session:
    return Document("file:///a.jsonl", 1, [data]).session()


def check_all(session: Session) -> None:
    """Asks every feature about everything, and looks at what no reader would forgive."""
    lines = list(session.buffer)
    shown = list(words_of_all(session))
    assert all(is_printable(one) for one in shown), [one for one in shown if not is_printable(one)]
    found = tokens(session, lines)
    for one, other in pairwise(found):
        if one.place.line is other.place.line:
            assert one.place.end <= other.place.start
    for token in found:
        assert 0 <= token.place.start < token.place.end <= token.place.line.end
    for unit in ("utf-8", "utf-16", "utf-32"):
        data = semantic_tokens(found, session.buffer, unit).data
        assert all(number >= 0 for number in data)
        assert all(length > 0 for length in data[2::5])
        inlay_hints(hints(session, lines, EVERYTHING), "file:///a.jsonl", "1.0", session.buffer, unit, locations=True)
    for line in lines[:40]:
        for offset in range(0, line.end + 1, max(1, line.end // 9)):
            grown = selections(session, line, offset)
            places = [one for one in grown if isinstance(one, Place)]
            assert all(one.start <= offset <= one.end for one in places)
            assert all(other.start <= one.start and one.end <= other.end for one, other in pairwise(places))
            selection_range(grown, session.buffer, "utf-16")
    for link in links(session, [FOLDER]):
        assert 0 <= link.place.start < link.place.end <= link.place.line.end
        if isinstance(link.target, File):
            assert link.target.path.startswith(f"{FOLDER}/")
            assert ".." not in link.target.path.split("/")
        if isinstance(link.target, Web):
            assert link.target.address.lower().startswith(("http://", "https://"))
    assert len(folds(session, texts=True)) == len(folds(session))


def words_of_all(session: Session) -> Iterator[str]:
    for hint in hints(session, session.buffer, EVERYTHING):
        again = hint_at(session, hint.ref.line, hint.ref.statement.start, EVERYTHING)
        assert again is not None
        assert [part.text for part in again.parts] == [part.text for part in hint.parts]
        for part in hint.parts:
            yield part.text
            yield from explain(session, hint, part, Surroundings()).split("\n")
    for lens in lenses(session, jumps=True):
        title = title_of(session, lens.ref.line, lens.ref.statement.start, lens.sort)
        assert title is not None
        yield title.text
    for fold in folds(session, texts=True):
        yield fold.text


def is_printable(text: str) -> bool:
    return not any(unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") and one != "\u200d" for one in text)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name[8:27])
def test_every_session_can_be_drawn(path: Path) -> None:
    check_all(session_of(path.read_bytes()))


_PIECES = st.sampled_from([path.read_bytes() for path in FIXTURES[:12]])
_NOISE = st.sampled_from(
    [b"", b"\r", b"\n", b"\x00", b'"', b"\\", b"}", b"\xf0\x9f\x99\x82", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\x1b[31m"]
)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damage_is_drawn_as_far_as_it_goes(data: st.DataObject) -> None:
    text = data.draw(_PIECES)[:6_000]
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 40)))
        text = text[:start] + data.draw(_NOISE) + text[end:]
    check_all(session_of(text))


def message(text: str) -> bytes:
    part = {"type": "input_text", "text": text}
    payload = {"type": "message", "role": "user", "content": [part]}
    record = {"timestamp": "2026-02-03T10:00:00Z", "type": "response_item", "payload": payload}
    return json.dumps(record).encode() + b"\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://a.example/b?c=d#e.", ["https://a.example/b?c=d#e"]),
        ("(HTTP://a.example/x_(y))", ["HTTP://a.example/x_(y)"]),
        ("https://", []),
        ("https:///x", []),
        ("javascript://a.example command://x vscode://x", []),
        ("https://user:pass@a.example/", []),
        ("https://a.example/?token=ghp_" + "aB3" * 12, []),
        ("file:///home/noor/a%20b.txt", ["/home/noor/a b.txt"]),
        ("file:///home/noor/%2e%2e/b.txt", []),
        ("file://host/home/noor/b.txt", []),
        ("file:///etc/passwd", []),
        ("/home/noor/a.txt:12:3, '/home/noor/b.txt'", ["/home/noor/a.txt", "/home/noor/b.txt"]),
        ("/x/home/noor/a.txt /home/noor/../c.txt /home/noor//d.txt /home/noore/f.txt /home/noor", []),
    ],
)
def test_links_are_what_can_be_opened_and_no_more(text: str, found: list[str]) -> None:
    targets = [link.target for link in links(session_of(message(text)), [FOLDER + "/", "/"])]
    assert [one.path if isinstance(one, File) else getattr(one, "address", "") for one in targets] == found


def test_a_folder_that_a_record_names_as_such_is_no_link() -> None:
    session = session_of(
        b'{"timestamp":"2026-02-03T10:00:00Z","type":"turn_context","payload":{"cwd":"/home/noor/x"}}\n'
    )
    assert links(session, [FOLDER]) == ()


@pytest.mark.parametrize(
    ("elapsed", "text"),
    [
        (0, "+0s"),
        (59_999, "+59s"),
        (65_000, "+1m05s"),
        (7_380_000, "+2h03m"),
        (100_800_000, "+1d04h"),
        (-5_000, "-5s"),
    ],
)
def test_elapsed_time_takes_little_room(elapsed: int, text: str) -> None:
    assert elapsed_text(elapsed) == text


@pytest.mark.parametrize("name", HintOptions.__struct_fields__)
def test_each_sort_of_hint_can_be_left_out(name: str) -> None:
    session = session_of((Path(__file__).parent / "markers" / "sight.txt").read_bytes().partition(b" --\n")[2])
    lines = list(session.buffer)
    all_sorts = {part.sort for hint in hints(session, lines, EVERYTHING) for part in hint.parts}
    fewer = {part.sort for hint in hints(session, lines, HintOptions(**{name: False})) for part in hint.parts}
    gone = {"turn": {"turn", "time"}, "compaction": {"compaction", "rollback"}}.get(name, {name})
    assert all_sorts - fewer == gone


def test_a_hint_is_never_drawn_far_out() -> None:
    first, second = message("a"), message("b")
    near = session_of(b'{"cut' + first)
    assert [hint.ref.statement.start for hint in hints(near, near.buffer, EVERYTHING)] in ([], [5])
    far = session_of(b'{"cut":"' + b"x" * 300 + second)
    assert all(hint.ref.statement.start < 200 for hint in hints(far, far.buffer, EVERYTHING))


def test_the_legend_is_documented() -> None:
    page = (Path(__file__).parent.parent / "docs" / "tokens.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == (*SORTS, *MARKS)
