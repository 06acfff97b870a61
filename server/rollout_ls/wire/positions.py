"""Columns and rows of the protocol, made when a place leaves the process, and read when a position comes in.

Inside, a place is a line and byte offsets; a client counts rows from 0 and columns in the unit it asked for. Never
keeps a row number, never knows whose buffer it reads: anything with the three methods of ``Rows`` will do.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from rollout_ls.text.columns import Unit, column_of, offset_of
from rollout_ls.text.rows import Line, Place


class Position(msgspec.Struct, frozen=True, gc=False):
    """Row from 0, column in the client's unit."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True, gc=False):
    """From ``start`` up to, not including, ``end``."""

    start: Position
    end: Position


class Rows(Protocol):
    """What is asked of the text: which line a row is of, and the other way round. ``text.buffer.Buffer`` fulfils it."""

    def at_row(self, row: int, /) -> tuple[Line, int] | None:
        """(line, row within it) of a row; None where there is no such row."""

    def row_of(self, line: Line, /) -> int:
        """The row at which a line begins."""

    def position_of(self, line: Line, offset: int, /) -> tuple[int, bytes, int]:
        """(row, that row's bytes, byte offset in it) of a byte offset of a line."""


START = Position(0, 0)
NOWHERE = Range(START, START)
"""The very beginning of a file of which nothing more is known."""


def locate(rows: Rows, row: int, column: int, unit: Unit) -> tuple[Line, int] | None:
    """(line, byte offset) of a client's position; a column beyond the row's end is its end, as the protocol says.

    None for the empty row behind the last line end and for rows that the document does not have.
    """
    found = rows.at_row(row)
    if found is None:
        return None
    line, inner = found
    start, end = line.row_span(inner)
    return line, start + offset_of(line.data[start:end], column, unit)


def position(rows: Rows, line: Line, offset: int, unit: Unit) -> Position:
    """A client's position of a byte offset of a line; an offset inside a line end is the end of its row."""
    if not line.cuts:  # the usual line is one row, of which nothing needs to be copied
        return Position(rows.row_of(line), column_of(line.data, min(offset, line.end), unit))
    row, data, inner = rows.position_of(line, offset)
    return Position(row, column_of(data, inner, unit))


def place_range(rows: Rows, place: Place, unit: Unit) -> Range:
    """The range of a place. Cutting long places is the business of who made them."""
    line, last = place.line, max(place.start, place.end)
    if line.cuts:
        return Range(position(rows, line, place.start, unit), position(rows, line, last, unit))
    row, begin, end = rows.row_of(line), min(place.start, line.end), min(last, line.end)
    column = column_of(line.data, begin, unit)
    return Range(Position(row, column), Position(row, column + column_of(line.data[begin:end], end - begin, unit)))


def lines_range(rows: Rows, first: Line, last: Line, unit: Unit) -> Range:
    """From the start of one line to the end of the text of another."""
    return Range(Position(rows.row_of(first), 0), position(rows, last, last.end, unit))


def last_row(rows: Rows, line: Line) -> int:
    """The last row of a line (a line has several where lone carriage returns stand in it)."""
    return rows.row_of(line) + line.row_count - 1


def within(inner: Range, outer: Range) -> Range:
    """Editors refuse a symbol whose selection leaves its range."""
    start, end = (inner.start.line, inner.start.character), (inner.end.line, inner.end.character)
    first, last = (outer.start.line, outer.start.character), (outer.end.line, outer.end.character)
    if first <= start and end <= last:
        return inner
    start, end = min(max(start, first), last), min(max(end, first), last)
    return Range(Position(*start), Position(*end))
