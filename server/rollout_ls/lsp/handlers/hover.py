"""textDocument/hover"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollout_ls.lsp.handlers.spots import spot_of
from rollout_ls.lsp.params import AtPosition
from rollout_ls.wire.lsp import HoverAnswer, MarkupContent
from rollout_ls.wire.positions import place_range

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer


def hover(ls: RolloutServer, params: AtPosition) -> HoverAnswer | None:
    """What the record under the cursor says, as Markdown where the client takes it."""
    from rollout_ls.features.hover import hover as show

    spot = spot_of(ls, params)
    if spot is None:
        return None
    document, markdown = spot.opened.document, ls.client.markdown
    shown = show(document.session(), spot.line, spot.offset, ls.surroundings(), markdown=markdown)
    if shown is None:
        return None
    contents = MarkupContent("markdown" if markdown else "plaintext", shown.text)
    return HoverAnswer(contents, place_range(document.buffer, shown.place, ls.client.unit))
