"""textDocument/selectionRange"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollout_ls.lsp.params import AtPositions
from rollout_ls.lsp.params import Position as Asked
from rollout_ls.wire.positions import Position, Range, locate
from rollout_ls.wire.sight import SelectionRange, selection_range

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer


def selection_ranges(ls: RolloutServer, params: AtPositions) -> list[SelectionRange] | None:
    """One chain a position, from the value under it to its turn."""
    from rollout_ls.features.selection import selections

    opened = ls.documents.find(params.text_document.uri)
    if opened is None:
        return None
    document, unit = opened.document, ls.client.unit
    found = []
    for asked in params.positions:
        place = locate(document.buffer, asked.line, asked.character, unit)
        grown = selections(document.session(), *place) if place is not None else ()
        found.append(selection_range(grown, document.buffer, unit) or _only(asked))
    return found


def _only(asked: Asked) -> SelectionRange:
    at = Position(asked.line, asked.character)
    return SelectionRange(Range(at, at))
