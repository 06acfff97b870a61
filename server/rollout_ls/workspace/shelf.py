"""Documents whose text stays on the disk: for files that are checked once and then forgotten.

Each line is read and judged while the file streams by; what stays of it is what its record says and where its bytes
stand. A rule that looks at a line again fetches its bytes anew. So a check needs memory for the records of a file, not
for its text. Never for an open document: that is the editor's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from rollout_ls.formats.records import read_line
from rollout_ls.projection.surroundings import Limits
from rollout_ls.rules import engine
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.rows import Line, line_of, split_lines
from rollout_ls.workspace.document import Document, unread_line

MAX_ROW_BYTES = Limits().row_bytes
"""A longer line is not read; a document in which other limits hold reads its lines again."""
ReadAt = Callable[[int, int], bytes]
"""Gives the bytes at (offset, number) of a file; fewer where the file has become shorter."""


class ShelvedLine:
    """A line that knows where its bytes are. Stands wherever a ``Line`` does that is not edited."""

    __slots__ = ("_read_at", "block", "cuts", "offset", "reading", "size")

    def __init__(self, line: Line, offset: int, read_at: ReadAt) -> None:
        self.size = line.size
        self.cuts = line.cuts
        self.reading = line.reading
        self.block = None
        self.offset = offset
        self._read_at = read_at

    @property
    def data(self) -> bytes:
        """The line's bytes, fetched; filled up with blanks where the file has become shorter meanwhile."""
        return self._read_at(self.offset, self.size).ljust(self.size)

    row_count = Line.row_count
    end = Line.end
    row_of = Line.row_of
    row_span = Line.row_span


def shelved_document(
    uri: str, pieces: Iterable[bytes], read_at: ReadAt, codes: frozenset[str] | None = None
) -> Document:
    """A document of a file's bytes that streams by in ``pieces`` and can be fetched again with ``read_at``.

    Each line is judged by the rules of the idle pass too, as far as they may find one of ``codes`` (None: all that are
    not off by default).
    """
    shelf = _Shelf(read_at, engine.idle_parts(codes))
    for piece in pieces:
        for part in split_lines(piece):
            shelf.put(part)
    if shelf.size:
        shelf.end_line()
    return Document(uri, None, (), on_disk=True, buffer=Buffer(lines=shelf.lines))


class _Shelf:
    """Lines as they come, in parts. Of one that is too long to be read nothing is kept but its size."""

    def __init__(self, read_at: ReadAt, parts: engine.IdleParts) -> None:
        self.lines: list[Line] = []
        self.size = 0
        """Bytes of the line that has begun."""
        self._offset = 0
        self._waiting: list[bytes] = []
        self._read_at = read_at
        self._parts = parts

    def put(self, part: bytes) -> None:
        """Takes bytes of one line."""
        self.size += len(part)
        if self.size <= MAX_ROW_BYTES:
            self._waiting.append(part)
        else:
            self._waiting.clear()
        if part.endswith(b"\n"):
            self.end_line()

    def end_line(self) -> None:
        """The line is whole: it is judged and put away."""
        if self.size > MAX_ROW_BYTES:
            line = Line(b"", self.size, reading=unread_line())
        else:
            line = line_of(self._waiting[0] if len(self._waiting) == 1 else b"".join(self._waiting))
            line.reading = read_line(line.data, lone_returns=bool(line.cuts))
            line.reading.idle = engine.idle_faults(line, self._parts)
        self.lines.append(cast(Line, ShelvedLine(line, self._offset, self._read_at)))
        self._offset += self.size
        self._waiting, self.size = [], 0
