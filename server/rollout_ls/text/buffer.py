"""The lines of one document, in blocks, and edits as splices of them.

A block holds some 64 lines and knows how many rows and bytes they are; so an edit costs the lines it touches and one
walk over the blocks, however long the document is. Never builds the document's text as one value, never decodes JSON,
and changes no line: an edited line is a new one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

import msgspec

from rollout_ls.text.rows import Line, line_of, lines_of, split_lines

BLOCK_LINES = 64
"""Lines of a new block; a block is cut in two above twice as many. An edit works a block through, and walks the list of
blocks: smaller blocks make the one cheaper and the other dearer."""

_PAIR = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
"""The halves of one character, each as the three bytes that a client's lone half is kept as."""
_PAIR_BYTES = 6


class Block:
    """Some neighbouring lines. ``kept`` belongs to the layer above, which hangs there what it made of the block."""

    __slots__ = ("_indexes", "_row_starts", "byte_count", "kept", "lines", "row_count")

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.kept: Any = None
        self.recount()

    def recount(self) -> None:
        """Works the sums out anew, after ``lines`` changed."""
        extra = size = 0
        for line in self.lines:
            line.block = self
            size += line.size
            if line.cuts:
                extra += len(line.cuts)
        self.row_count = len(self.lines) + extra
        self.byte_count = size
        self._indexes: dict[Line, int] | None = None
        self._row_starts: list[int] | None = None

    def index_of(self, line: Line) -> int:
        """The index of a line in the block."""
        if self._indexes is None:
            self._indexes = dict(zip(self.lines, range(len(self.lines)), strict=True))
        return self._indexes[line]

    def rows_before(self, line: Line) -> int:
        """Rows of the block before a line."""
        index = self.index_of(line)
        if self.row_count == len(self.lines):
            return index
        if self._row_starts is None:
            self._row_starts = [0, *accumulate(1 + len(one.cuts) for one in self.lines)]
        return self._row_starts[index]


class Splice(msgspec.Struct, frozen=True):
    """What an edit did: which lines went, which came, and the first block that is not as it was."""

    first_block: int
    last_block: int
    """The last block that holds a new line or lost one (as they are numbered now)."""
    removed: tuple[Line, ...]
    added: tuple[Line, ...]


class Buffer:
    """A document's lines. Rows and lines count from 0; a position is (row, byte offset in the row)."""

    def __init__(self, pieces: Iterable[bytes] = (), *, lines: list[Line] | None = None) -> None:
        """A buffer of the lines of some bytes, or of ``lines`` as they are."""
        made = lines if lines is not None else lines_of(pieces)
        self.blocks: list[Block] = _blocks_of(made)
        self.byte_count = sum(block.byte_count for block in self.blocks)
        """Bytes of the whole document."""
        self._reset()

    def _reset(self) -> None:
        self._numbers: dict[int, int] | None = None
        self._row_starts: list[int] | None = None
        self._byte_starts: list[int] | None = None

    # -- looking
    def __iter__(self) -> Iterator[Line]:
        for block in self.blocks:
            yield from block.lines

    @property
    def last_line(self) -> Line | None:
        """The last line, with or without an end; None in an empty document."""
        return self.blocks[-1].lines[-1] if self.blocks else None

    @property
    def line_count(self) -> int:
        """Number of lines (records and blank ones), the empty row behind a last ``\\n`` not counted."""
        return sum(len(block.lines) for block in self.blocks)

    @property
    def row_count(self) -> int:
        """Number of rows as an editor counts them: one more than there are line ends."""
        last = self.last_line
        ended = last is None or last.data.endswith(b"\n") or last.data.endswith(b"\r")
        if last is not None and last.data.endswith(b"\r"):
            return self._rows()[-1]
        return self._rows()[-1] + (1 if ended else 0)

    def _rows(self) -> list[int]:
        if self._row_starts is None:
            self._row_starts = [0, *accumulate(block.row_count for block in self.blocks)]
        return self._row_starts

    def _move_rows(self, number: int, by: int) -> None:
        """A block has so many rows more than before, and the same blocks stand around it."""
        starts = self._row_starts
        if starts is not None and by:
            starts[number + 1 :] = [start + by for start in starts[number + 1 :]]

    def _bytes(self) -> list[int]:
        if self._byte_starts is None:
            self._byte_starts = [0, *accumulate(block.byte_count for block in self.blocks)]
        return self._byte_starts

    def number_of(self, block: Block) -> int:
        """The index of a block in the document."""
        if self._numbers is None:
            self._numbers = {id(one): index for index, one in enumerate(self.blocks)}
        return self._numbers[id(block)]

    def order_of(self, line: Line) -> tuple[int, int]:
        """(block, index in it): comparable, and larger for what stands later in the document."""
        if line.block is None:
            return 0, 0
        block: Block = line.block
        return self.number_of(block), block.index_of(line)

    def row_of(self, line: Line) -> int:
        """The row at which a line begins; 0 for a line that is not of this document (the only one of an empty one)."""
        if line.block is None:
            return 0
        block: Block = line.block
        return self._rows()[self.number_of(block)] + block.rows_before(line)

    def position_of(self, line: Line, offset: int) -> tuple[int, bytes, int]:
        """(row, that row's bytes, byte offset in it) of a byte offset of a line."""
        row, start = line.row_of(offset)
        begin, end = line.row_span(row)
        return self.row_of(line) + row, line.data[begin:end], min(offset, end) - start

    def byte_of(self, line: Line) -> int:
        """The byte offset in the document at which a line begins."""
        if line.block is None:
            return 0
        block: Block = line.block
        index = block.index_of(line)
        return self._bytes()[self.number_of(block)] + sum(one.size for one in block.lines[:index])

    def at_row(self, row: int) -> tuple[Line, int] | None:
        """(line, row within it) of a row; None for the empty row behind the last line end and beyond."""
        found = self._find(row)
        return (self.blocks[found[0]].lines[found[1]], found[2]) if found is not None else None

    def _find(self, row: int) -> tuple[int, int, int] | None:
        """(block, index in it, row within that line) of a row; None likewise."""
        starts = self._rows()
        if row < 0 or row >= starts[-1]:
            return None
        number = bisect_right(starts, row) - 1
        block, left = self.blocks[number], row - starts[number]
        if block.row_count == len(block.lines):
            return number, left, 0
        for index, line in enumerate(block.lines):
            if left < line.row_count:
                return number, index, left
            left -= line.row_count
        return None

    def row_text(self, row: int) -> bytes:
        """The bytes of a row without its line end; nothing where there is no such row."""
        found = self.at_row(row)
        if found is None:
            return b""
        line, inner = found
        start, end = line.row_span(inner)
        return line.data[start:end]

    def after(self, line: Line) -> Line | None:
        """The next line."""
        number, index = self.order_of(line)
        lines = self.blocks[number].lines
        if index + 1 < len(lines):
            return lines[index + 1]
        return self.blocks[number + 1].lines[0] if number + 1 < len(self.blocks) else None

    def before(self, line: Line) -> Line | None:
        """The line before."""
        number, index = self.order_of(line)
        if index:
            return self.blocks[number].lines[index - 1]
        return self.blocks[number - 1].lines[-1] if number else None

    # -- editing
    def splice(self, start: tuple[int, int], end: tuple[int, int], text: bytes) -> Splice:
        """Replaces what stands between two positions (row, byte offset in the row); both are clamped to the document.

        Text and line ends may be anything: what is touched is cut into lines anew, so that a ``\\r\\n`` may be torn
        or made, and halves of a surrogate pair that come to stand together become one character, as they are when the
        whole text is read anew. Lines that stay as they were keep their identity.
        """
        if not self.blocks:
            return self.replace_all([text])
        first, last = self._address(*start), self._address(*end)
        if last < first:
            last = first
        (number, index, offset), (last_number, last_index, last_offset) = first, last
        lines, last_lines = self.blocks[number].lines, self.blocks[last_number].lines
        head = memoryview(lines[index].data)[:offset] if index < len(lines) else b""
        tail = memoryview(last_lines[last_index].data)[last_offset:] if last_index < len(last_lines) else b""
        stop = min(last_index + 1, len(last_lines))
        return self._swap(number, index, last_number, stop, split_lines(_put_together(head, text, tail)))

    def replace_all(self, pieces: Iterable[bytes]) -> Splice:
        """Puts a whole new text in place of the old one."""
        removed = tuple(self)
        for line in removed:
            line.block = None
        self.blocks = _blocks_of(lines_of(pieces))
        self.byte_count = sum(block.byte_count for block in self.blocks)
        self._reset()
        return Splice(first_block=0, last_block=max(0, len(self.blocks) - 1), removed=removed, added=tuple(self))

    def _address(self, row: int, offset: int) -> tuple[int, int, int]:
        """(block, index in it, byte offset in that line); behind the last line where there is no such row."""
        found = self._find(max(0, row))
        if found is None:
            number, lines = len(self.blocks) - 1, self.blocks[-1].lines
            if row < 0 or not lines:
                return 0, 0, 0
            if lines[-1].data.endswith(b"\n"):
                return number, len(lines), 0
            return number, len(lines) - 1, lines[-1].size
        number, index, inner = found
        begin, finish = self.blocks[number].lines[index].row_span(inner)
        return number, index, min(begin + max(0, offset), finish)

    def _swap(self, number: int, index: int, last_number: int, stop: int, pieces: list[bytes]) -> Splice:
        """Puts lines of these bytes in place of those from (block, index) up to (block, stop)."""
        before = self.blocks[number].lines[:index]
        after = self.blocks[last_number].lines[stop:]
        if number == last_number:
            old = self.blocks[number].lines[index:stop]
        else:
            middle = [line for block in self.blocks[number + 1 : last_number] for line in block.lines]
            old = [*self.blocks[number].lines[index:], *middle, *self.blocks[last_number].lines[:stop]]
        same_head = _common(old, pieces)
        old_rest, new_rest = old[same_head:], pieces[same_head:]
        same_tail = _common(old_rest[::-1], new_rest[::-1])
        kept_tail = old_rest[len(old_rest) - same_tail :]
        added = [line_of(data) for data in new_rest[: len(new_rest) - same_tail]]
        removed = old_rest[: len(old_rest) - same_tail]
        for line in removed:
            line.block = None  # a line that went holds nothing of the document
        lines = [*before, *old[:same_head], *added, *kept_tail, *after]
        self.byte_count += sum(line.size for line in added) - sum(line.size for line in removed)
        if number == last_number and len(lines) <= 2 * BLOCK_LINES and lines:
            block = self.blocks[number]
            rows = block.row_count
            block.lines = lines
            block.recount()
            block.kept = None
            self._byte_starts = None
            self._move_rows(number, block.row_count - rows)
            fresh = [block]
        else:
            fresh = _blocks_of(lines)
            self.blocks[number : last_number + 1] = fresh
            self._reset()
        last = max(number, number + len(fresh) - 1)
        return Splice(first_block=number, last_block=last, removed=tuple(removed), added=tuple(added))


def _put_together(head: bytes | memoryview, text: bytes, tail: bytes | memoryview) -> bytes:
    """The three behind each other; halves of a pair of surrogates that meet at a seam become their character."""
    whole = b"".join((head, text, tail))
    first, second = len(head), len(head) + len(text)
    seams = ((first, second),) if len(text) < _PAIR_BYTES else ((second, second), (first, first))
    for start, end in seams:
        begin, stop = max(0, start - _PAIR_BYTES), end + _PAIR_BYTES
        piece = whole[begin:stop]
        if _PAIR.search(piece):
            whole = b"".join((whole[:begin], _PAIR.sub(_character, piece), whole[stop:]))
    return whole


def _character(pair: re.Match[bytes]) -> bytes:
    halves = pair.group().decode("utf-8", "surrogatepass")
    return halves.encode("utf-16", "surrogatepass").decode("utf-16").encode()


def _blocks_of(lines: list[Line]) -> list[Block]:
    return [Block(lines[start : start + BLOCK_LINES]) for start in range(0, len(lines), BLOCK_LINES)]


def _common(lines: list[Line], pieces: list[bytes]) -> int:
    count = 0
    for line, piece in zip(lines, pieces, strict=False):
        if line.data != piece:
            break
        count += 1
    return count
