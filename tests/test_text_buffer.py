"""The buffer against a naive document: one string, cut anew at every edit."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halves import joined
from rollout_ls.text import buffer as buffer_module
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.columns import Unit, column_of, offset_of
from rollout_ls.text.rows import line_of, lines_of, split_lines

PIECES = ["a", "{}", "\n", "\r\n", "\r", "\u2028", "\x85", "\x0c", "é", "漢", "😀", "\ud83d", "\udc00", "e\u0301"]
LONG_PIECES = ["a", "é", "漢", "😀", "\ud83d", "x" * 5000, "é" * 3000, "😀" * 1500]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def encode(text: str) -> bytes:
    return joined(text.encode("utf-8", "surrogatepass"))


def rows_of(text: bytes) -> list[bytes]:
    return re.split(rb"\r\n|\n|\r", text)


def whole(buffer: Buffer) -> bytes:
    return b"".join(line.data for line in buffer)


def width(text: bytes, unit: Unit) -> int:
    if unit == "utf-8":
        return len(text)
    decoded = text.decode("utf-8", "surrogatepass")
    return len(decoded) if unit == "utf-32" else sum(2 if ord(char) > 0xFFFF else 1 for char in decoded)


def check_whole(buffer: Buffer, text: bytes) -> None:
    assert whole(buffer) == text
    rows = rows_of(text)
    assert buffer.row_count == len(rows)
    assert [buffer.row_text(row) for row in range(len(rows))] == rows
    assert buffer.byte_count == len(text)
    at = 0
    for line in buffer:
        assert buffer.byte_of(line) == at
        assert buffer.row_of(line) == len(rows_of(text[:at])) - 1
        at += len(line.data)


@given(st.lists(texts.map(encode), max_size=5))
def test_lines_of_pieces_are_those_of_the_whole(pieces: list[bytes]) -> None:
    assert [line.data for line in lines_of(pieces)] == split_lines(b"".join(pieces))


@settings(max_examples=300, deadline=None)
@given(texts, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), texts), max_size=8))
def test_edits_equal_a_naive_document(text: str, edits: list[tuple[int, int, str]]) -> None:
    original = buffer_module.BLOCK_LINES
    buffer_module.BLOCK_LINES = 2
    try:
        data = encode(text)
        buffer = Buffer([data])
        check_whole(buffer, data)
        for one, other, new in edits:
            spots = [0]
            for match in re.finditer(rb"\r\n|\n|\r|[^\r\n]", data):
                spots.append(match.end())
            start, end = sorted((spots[one % len(spots)], spots[other % len(spots)]))
            kept = {line: line.data for line in buffer}
            buffer.splice(position(data, start), position(data, end), encode(new))
            data = joined(data[:start] + encode(new) + data[end:])
            check_whole(buffer, data)
            assert all(line.data == kept[line] for line in buffer if line in kept)
    finally:
        buffer_module.BLOCK_LINES = original


def position(data: bytes, at: int) -> tuple[int, int]:
    rows = rows_of(data[:at])
    return len(rows) - 1, len(rows[-1])


def test_an_edit_far_away_keeps_every_other_line() -> None:
    buffer = Buffer([b"".join(b'{"n":%d}\n' % n for n in range(3000))])
    lines = list(buffer)
    splice = buffer.splice((1500, 5), (1500, 6), b"7")
    assert splice.removed == (lines[1500],)
    assert [line.data for line in splice.added] == [b'{"n":7500}\n']
    assert [line for line in buffer if line not in splice.added] == lines[:1500] + lines[1501:]


def test_appending_touches_no_finished_line() -> None:
    buffer = Buffer([b"one\ntwo\n"])
    before = list(buffer)
    splice = buffer.splice((2, 0), (2, 0), b"three\nfo")
    assert splice.removed == ()
    assert list(buffer)[:2] == before
    splice = buffer.splice((3, 2), (3, 2), b"ur\n")
    assert [line.data for line in splice.removed] == [b"fo"]
    assert whole(buffer) == b"one\ntwo\nthree\nfour\n"


@pytest.mark.parametrize("unit", get_args(Unit))
@given(text=st.lists(st.sampled_from(LONG_PIECES), max_size=8).map("".join))
@settings(max_examples=60, deadline=None)
def test_columns_there_and_back(unit: Unit, text: str) -> None:
    row = encode(text)
    for count in [*range(min(40, len(text))), *range(max(0, len(text) - 40), len(text))]:
        at = len(encode(text[:count]))
        column = width(row[:at], unit)
        assert column_of(row, at, unit) == column
        assert offset_of(row, column, unit) == at
    assert column_of(row, len(row), unit) == width(row, unit)
    assert offset_of(row, width(row, unit) + 3, unit) == len(row)


def test_a_column_inside_a_character_is_its_start() -> None:
    row = "a😀b".encode()
    assert offset_of(row, 2, "utf-16") == 1
    assert offset_of(row, 3, "utf-16") == 5
    assert offset_of(row, 3, "utf-8") == 1


def test_rows_inside_a_line() -> None:
    line = line_of(b"ab\rcd\r\n")
    assert (line.row_count, line.end) == (2, 5)
    assert [line.row_span(row) for row in range(2)] == [(0, 2), (3, 5)]
    assert line.row_of(4) == (1, 3)


@pytest.mark.parametrize("before", ["x", "", "\ud83d", "é\n"])
def test_halves_of_a_pair_that_meet_are_one_character(before: str) -> None:
    buffer = Buffer([encode(before + "\ud83d")])
    row, column = position(whole(buffer), len(whole(buffer)))
    buffer.splice((row, column), (row, column), encode("\udc35\udc35"))
    assert whole(buffer) == encode(before + "\U0001f435\udc35")
    apart = Buffer([encode(before + "\ud83d--\udc35")])
    row, column = position(whole(apart), len(encode(before + "\ud83d")))
    apart.splice((row, column), (row, column + 2), b"")
    assert whole(apart) == encode(before + "\U0001f435")
