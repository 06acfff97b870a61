"""A language server that only keeps the text, as pygls does by itself: what our own is compared with."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "0")


@server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)
def diagnostic(_params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
    return types.RelatedFullDocumentDiagnosticReport(items=[])


if __name__ == "__main__":
    server.start_io()
