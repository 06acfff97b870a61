"""Columns of a row in the unit that the client asked for, and back.

A row is UTF-8 bytes; a client counts UTF-8 bytes, UTF-16 units or code points (LSP 3.17, "position encodings"). Never
costs more than C calls over the bytes in front of the column, and nothing for ASCII in front of it.
"""

from __future__ import annotations

import re
from typing import Literal

Unit = Literal["utf-8", "utf-16", "utf-32"]

_CONTINUATION = bytes(range(0x80, 0xC0))
_NOT_LEADING_FOUR = bytes(byte for byte in range(256) if byte < 0xF0 or byte > 0xF7)
_PIECE = 4096
_CHARACTER = re.compile(rb"[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf]")


def column_of(row: bytes, offset: int, unit: Unit) -> int:
    """The column of a byte offset of a row (clamped to the row)."""
    offset = max(0, min(offset, len(row)))
    if unit == "utf-8":
        return offset
    if offset > _PIECE and row.isascii():
        return offset  # without a copy of what may be long
    head = row[:offset]
    if head.isascii():
        return offset
    return _width(head, unit)


def offset_of(row: bytes, column: int, unit: Unit) -> int:
    """The byte offset of a column. Beyond the row's end: its end. Inside a character: its start."""
    if column <= 0:
        return 0
    if unit == "utf-8":
        return _character_start(row, min(column, len(row)))
    if (column > _PIECE and row.isascii()) or row[:column].isascii():
        return min(column, len(row))
    return _seek(row, column, unit)


def _width(data: bytes, unit: Unit) -> int:
    """Units of some UTF-8 bytes; a stray continuation byte counts as part of what stands before it."""
    points = len(data) - (len(data) - len(data.translate(None, _CONTINUATION)))
    if unit == "utf-32":
        return points
    return points + len(data.translate(None, _NOT_LEADING_FOUR))


def _character_start(row: bytes, offset: int) -> int:
    while 0 < offset < len(row) and 0x80 <= row[offset] < 0xC0:
        offset -= 1
    return offset


def _seek(row: bytes, column: int, unit: Unit) -> int:
    start, left = 0, column
    while start < len(row):
        end = _character_start(row, min(start + _PIECE, len(row)))
        if end <= start:
            end = min(start + _PIECE, len(row))
        width = _width(row[start:end], unit)
        if width > left:
            return start + _seek_characters(row[start:end], left, unit)
        start, left = end, left - width
    return len(row)


def _seek_characters(piece: bytes, left: int, unit: Unit) -> int:
    for match in _CHARACTER.finditer(piece):
        size = 2 if unit == "utf-16" and 0xF0 <= piece[match.start()] < 0xF8 else 1
        if left < size:
            return match.start()
        left -= size
    return len(piece)
