"""One record's bytes and the editor rows inside them.

The line of a file is the unit that everything above works with; an editor's row is a part of it. Never decodes, never
keeps a row number (a row number is made when something leaves the process), never cuts at anything but the line ends
of the protocol (LSP 3.17, "Text Documents": ``\\n``, ``\\r\\n``, ``\\r``).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from io import BytesIO
from typing import Any

import msgspec

_LONE_CR = re.compile(rb"\r(?!\n)")


class Line(msgspec.Struct, eq=False):
    """The bytes of one record: everything up to and including its ``\\n`` (the last one may lack it).

    A line is the identity of its record: it stays the same object as long as its bytes stay, wherever it moves.
    ``cuts`` are the byte offsets at which further editor rows begin (after each lone carriage return).
    Layers above hang what they made of it on ``reading``, and the buffer its block; this layer never looks there.
    """

    data: bytes
    size: int
    """Bytes of ``data``."""
    cuts: tuple[int, ...] = ()
    block: Any = None
    reading: Any = None

    @property
    def row_count(self) -> int:
        """Number of editor rows that begin in this line (at least one)."""
        return 1 + len(self.cuts)

    @property
    def end(self) -> int:
        """Byte offset behind the last byte that is not part of the line's end (``\\n`` or ``\\r\\n``)."""
        data = self.data
        if not data.endswith(b"\n"):
            return len(data)
        return len(data) - (2 if data.endswith(b"\r\n") else 1)

    def row_of(self, offset: int) -> tuple[int, int]:
        """(row within the line, byte offset of that row's start) for a byte offset."""
        row = bisect_right(self.cuts, offset)
        return row, self.cuts[row - 1] if row else 0

    def row_span(self, row: int) -> tuple[int, int]:
        """(start, end) byte offsets of a row within the line, the end without the row's line end."""
        start = self.cuts[row - 1] if row else 0
        return (start, self.end) if row == len(self.cuts) else (start, self.cuts[row] - 1)


class Place(msgspec.Struct, frozen=True, gc=False):
    """A stretch of one line, as byte offsets. Places hold no row number, so an edit elsewhere does not move them."""

    line: Line
    start: int
    end: int


def lone_returns(data: bytes) -> tuple[int, ...]:
    """Offsets behind each carriage return that is a row end of its own."""
    if b"\r" not in data:
        return ()
    cuts = [match.end() for match in _LONE_CR.finditer(data)]
    return tuple(cuts)


def line_of(data: bytes) -> Line:
    """A new line of some bytes."""
    return Line(data, len(data), lone_returns(data)) if b"\r" in data else Line(data, len(data))


def split_lines(data: bytes) -> list[bytes]:
    """Cuts bytes behind each ``\\n``. No bytes, no line; a last piece without ``\\n`` is a line too."""
    first = data.find(b"\n") + 1
    if not first or first == len(data):
        return [data] if data else []  # one line: taken as it is, since it may be long
    return BytesIO(data).readlines()


def lines_of(pieces: Iterable[bytes]) -> list[Line]:
    """The lines of bytes that come in pieces (of any size, cut anywhere)."""
    lines: list[Line] = []
    rest: list[bytes] = []
    for piece in pieces:
        if not rest and piece and piece.find(b"\n") == len(piece) - 1:
            lines.append(line_of(piece))  # a whole line is taken as it is, not copied
            continue
        if rest and b"\n" not in piece:  # joined once, at the line's end: it may be as long as the file
            rest.append(piece)
            continue
        found = split_lines(piece)
        if not found:
            continue
        if rest:
            lines.append(line_of(b"".join((*rest, found.pop(0)))))
            rest = []
        if found and not found[-1].endswith(b"\n"):
            rest = [found.pop()]
        lines += map(line_of, found) if b"\r" in piece else [Line(data, len(data)) for data in found]
    if rest:
        lines.append(line_of(b"".join(rest)))
    return lines
