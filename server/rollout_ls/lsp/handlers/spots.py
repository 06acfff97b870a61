"""From a client's position to a place in an open document."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rollout_ls.lsp.documents import Opened
from rollout_ls.lsp.params import AtPosition
from rollout_ls.text.rows import Line
from rollout_ls.wire.positions import locate

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer


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
