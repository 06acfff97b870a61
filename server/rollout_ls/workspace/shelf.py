"""Documents whose text stays on the disk: for files that are checked once and then forgotten.

Each line is read and judged while the file streams by; what stays of it is what its record says and where its bytes
stand. A rule that looks at a line again fetches its bytes anew. So a check needs memory for the records of a file, not
for its text. Never for an open document: that is the editor's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from rollout_ls.formats.records import read_line
from rollout_ls.rules import engine
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.rows import Line, line_of, split_lines
from rollout_ls.workspace.document import Document

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
    parts = engine.idle_parts(codes)
    lines: list[Line] = []
    offset = 0
    rest: list[bytes] = []
    for piece in pieces:
        found = split_lines(piece)
        if rest and found:
            found[0] = b"".join([*rest, found[0]])
            rest = []
        if found and not found[-1].endswith(b"\n"):
            rest = [found.pop()]
        for data in found:
            lines.append(_shelve(data, offset, read_at, parts))
            offset += len(data)
    if rest:
        lines.append(_shelve(b"".join(rest), offset, read_at, parts))
    return Document(uri, None, (), on_disk=True, buffer=Buffer(lines=lines))


def _shelve(data: bytes, offset: int, read_at: ReadAt, parts: engine.IdleParts) -> Line:
    line = line_of(data)
    line.reading = read_line(data, lone_returns=bool(line.cuts))
    line.reading.idle = engine.idle_faults(line, parts)
    return cast(Line, ShelvedLine(line, offset, read_at))
