"""textDocument/documentSymbol"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollout_ls.lsp.params import OfDocument
from rollout_ls.wire.lsp import DocumentSymbol, Drawing, SymbolInformation, document_symbols, symbol_information

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer


def document_symbol(ls: RolloutServer, params: OfDocument) -> list[DocumentSymbol] | list[SymbolInformation]:
    """The outline by turn, as a tree where the client takes one."""
    from rollout_ls.features.outline import outline

    opened = ls.documents.find(params.text_document.uri)
    if opened is None:
        return []
    document, client = opened.document, ls.client
    symbols = outline(document.session(), ls.configuration.settings.limits)
    drawing = Drawing(client.unit, client.symbol_kinds, client.symbol_tags)
    if client.symbol_tree:
        return document_symbols(symbols, document.buffer, drawing)
    return symbol_information(symbols, opened.uri, document.buffer, drawing)
