"""What the file as a whole is told of: one cause, one finding, at the first line where there is no better place."""

from __future__ import annotations

import pytest

from rollout_ls.rules.finding import Finding
from rollout_ls.workspace.document import Document
from rollouts import Rollout, turn_id


def found(data: bytes) -> tuple[Finding, ...]:
    return Document("file:///rollout-2026-07-20T10-00-00-x.jsonl", None, [data], on_disk=True).finish()


def codes(data: bytes) -> list[str]:
    return [one.code for one in found(data)]


def session() -> Rollout:
    rollout = Rollout(paginated=True)
    rollout.start(turn_id(1))
    rollout.user_item("weave")
    rollout.end(turn_id(1))
    return rollout


def text(rollout: Rollout) -> bytes:
    return b"".join(line + b"\n" for line in rollout.lines)


@pytest.mark.parametrize(
    ("written", "code"),
    [
        (b'"2"', "shape"),
        (b"2.0", "shape"),
        (b"-2", "shape"),
        (b"[]", "shape"),
        (b"18446744073709551616", "int-too-big"),
        (b"null", "ordinal-missing"),
    ],
)
def test_an_ordinal_that_is_none_is_one_finding_and_counts_for_no_other(written: bytes, code: str) -> None:
    rollout = session()
    rollout.lines[2] = rollout.lines[2].replace(b'"ordinal":2,', b'"ordinal":' + written + b",")
    assert codes(text(rollout)) == [code]


def test_a_document_over_many_lines_is_no_rollout_although_its_parts_look_like_records() -> None:
    part = b'  {"type": "message", "role": "user", "content": []}'
    assert codes(b"[\n" + part + b",\n" + part + b"\n]\n") == ["wrong-format"]
    rollout = session()
    rollout.lines[0] = b"{"  # but a header of which one byte is left hides nothing
    assert codes(text(rollout)) == ["bad-json"]


def test_a_missing_header_is_told_on_the_first_line_even_if_that_is_blank() -> None:
    rollout = session()
    (one,) = found(b"\r\n" + b"\r\n".join(rollout.lines[1:]) + b"\r\n")
    assert (one.code, one.place.line.data) == ("missing-meta", b"\r\n")


@pytest.mark.parametrize("inner_first", [True, False])
def test_a_turn_that_ends_behind_a_later_one_overlaps_it(inner_first: bool) -> None:
    rollout = Rollout()
    rollout.start(turn_id(1))
    rollout.start(turn_id(2))
    for number in (2, 1) if inner_first else (1, 2):
        rollout.end(turn_id(number))
    assert codes(text(rollout)) == ["turn-overlap"]


def test_a_turn_without_end_goes_to_the_last_record_before_the_next() -> None:
    rollout = Rollout()
    rollout.start(turn_id(1))
    said = rollout.said_item("half")
    blank = rollout.raw(b"")
    rollout.start(turn_id(2))
    lines = list(rollout.lines)

    def last(lines: list[bytes]) -> bytes:
        made = Document("file:///rollout-2026-07-20T10-00-00-x.jsonl", None, [b"\n".join(lines)], on_disk=True)
        return made.session().turns[0].last.data.strip()

    assert last(lines) == lines[said - 1]
    glued = lines[said - 1] + lines.pop()
    lines[said - 1 : blank] = [glued]
    assert last(lines) == glued


def test_a_record_that_stands_again_behind_a_blank_line_is_not_lost() -> None:
    rollout = session()
    again = b"\n".join([rollout.lines[2][:90], b"", rollout.lines[2], *rollout.lines[3:]])
    (one,) = found(b"\n".join(rollout.lines[:2]) + b"\n" + again + b"\n")
    assert (one.code, [related.place.line.data.strip() for related in one.related]) == ("bad-json", [rollout.lines[2]])


def test_a_line_of_any_white_space_is_blank() -> None:
    rollout = session()
    for blank in ("\x0b", "\x0c", "\x85", "\xa0", "\u1680", "\u2003 \u2028", "\u3000\t"):
        rollout.raw(blank.encode())
    assert codes(text(rollout)) == []
    assert codes("\u3000\n\xa0".encode()) == ["empty-file"]
    rollout.raw("\u200b".encode())  # no white space
    assert codes(text(rollout)) == ["bad-json"]
