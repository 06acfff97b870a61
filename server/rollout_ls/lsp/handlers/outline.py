"""textDocument/documentSymbol"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rollout_ls.lsp.params import OfDocument

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer
    from rollout_ls.wire.outline import SymbolInformation


def document_symbol(ls: RolloutServer, params: OfDocument) -> msgspec.Raw | list[SymbolInformation]:
    """The outline by turn, as a tree where the client takes one."""
    from rollout_ls.features.outline import branches, outline
    from rollout_ls.wire.outline import Drawing, OutlineWriter, symbol_information

    opened = ls.documents.find(params.text_document.uri)
    if opened is None:
        return []
    document, client = opened.document, ls.client
    session, limits = document.session(), ls.configuration.settings.limits
    drawing = Drawing(client.unit, client.symbol_kinds, client.symbol_tags)
    if not client.symbol_tree:
        return symbol_information(outline(session, limits), opened.uri, document.buffer, drawing)
    if opened.outline is None:
        opened.outline = OutlineWriter(drawing)
    return opened.outline.write(branches(session, limits), document.buffer)
