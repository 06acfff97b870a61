"""Positions of the protocol and places inside are one another's inverse, in each unit, whatever stands in a row."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollout_ls.text.buffer import Buffer
from rollout_ls.text.columns import Unit
from rollout_ls.text.rows import Place
from rollout_ls.wire.positions import Position, Range, last_row, lines_range, locate, place_range, position

UNITS: tuple[Unit, ...] = ("utf-8", "utf-16", "utf-32")
PIECES = [*'a"\n\r', "\r\n", "é", "漢", "😀", "\u2028", "\x85", "\f"]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def width(text: str, unit: Unit) -> int:
    encoded = text.encode({"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[unit])
    return len(encoded) // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[unit]


def rows_of(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


@given(texts, st.sampled_from(UNITS))
def test_each_place_of_a_text_has_the_position_that_an_editor_gives_it(text: str, unit: Unit) -> None:
    buffer = Buffer([text.encode()])
    for row, content in enumerate(rows_of(text)):
        for cut in range(len(content) + 1):
            column = width(content[:cut], unit)
            found = locate(buffer, row, column, unit)
            if found is None:
                assert content == ""
                assert row == len(rows_of(text)) - 1
                continue
            assert position(buffer, *found, unit) == Position(row, column)
            assert found[0].data[: found[1]].decode().endswith(content[:cut])


@pytest.mark.parametrize("unit", UNITS)
def test_a_range_may_span_rows_of_a_line(unit: Unit) -> None:
    buffer = Buffer(["é1\ré2\ré3\n".encode(), b"next\n"])
    line = next(iter(buffer))
    wide = 2 if unit == "utf-8" else 1
    assert place_range(buffer, Place(line, 2, 11), unit) == Range(Position(0, wide), Position(2, wide + 1))
    assert place_range(buffer, Place(line, 2, 3), unit) == Range(Position(0, wide), Position(0, wide + 1))
    assert lines_range(buffer, line, line, unit) == Range(Position(0, 0), Position(2, wide + 1))
    assert last_row(buffer, line) == 2


@pytest.mark.parametrize(
    ("row", "column", "offset"),
    [(0, 0, 0), (0, 2, 4), (0, 99, 6), (0, 1, 0), (1, 0, None), (7, 0, None)],
)
def test_what_is_beyond_is_brought_back(row: int, column: int, offset: int | None) -> None:
    buffer = Buffer(["😀ab\r\n".encode()])
    found = locate(buffer, row, column, "utf-16")
    assert (found[1] if found else None) == offset


def test_a_reversed_place_is_empty() -> None:
    buffer = Buffer([b"abcdef\n"])
    line = next(iter(buffer))
    assert place_range(buffer, Place(line, 4, 2), "utf-16") == Range(Position(0, 4), Position(0, 4))
    assert place_range(buffer, Place(line, 4, 99), "utf-16") == Range(Position(0, 4), Position(0, 6))
