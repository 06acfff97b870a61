"""From a client's positions and ranges to places and lines of an open document."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rollout_ls.lsp.documents import Opened
from rollout_ls.lsp.params import AtPosition, Range
from rollout_ls.text.rows import Line
from rollout_ls.wire.positions import locate

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer
    from rollout_ls.text.buffer import Buffer

MAX_ROWS = 10_000
"""Rows of one answer that is given by row. Editors ask for a screenful, or for all there is."""


class Spot(NamedTuple):
    """What is asked about; ``offset`` is in bytes of the line."""

    opened: Opened
    line: Line
    offset: int


def spot_of(ls: RolloutServer, params: AtPosition) -> Spot | None:
    """The place of a position; None where no document of that URI is open, or no row is there."""
    opened = ls.documents.find(params.text_document.uri)
    if opened is None:
        return None
    place = locate(opened.document.buffer, params.position.line, params.position.character, ls.client.unit)
    return None if place is None else Spot(opened, *place)


def lines_between(buffer: Buffer, asked: Range | None, limit: int) -> list[Line]:
    """The lines of the rows of a range (None: of all rows), at most those of ``limit`` rows, in their order."""
    first, last = 0, buffer.row_count
    if asked is not None:
        first, last = sorted((asked.start.line, asked.end.line))
    found = buffer.at_row(first)
    line: Line | None = found[0] if found is not None else None
    lines: list[Line] = []
    row = first - found[1] if found is not None else first
    while line is not None and row <= last and row < first + limit:
        lines.append(line)
        row += line.row_count
        line = buffer.after(line)
    return lines
