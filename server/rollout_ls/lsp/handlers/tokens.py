"""textDocument/semanticTokens/range, textDocument/semanticTokens/full"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollout_ls.lsp.handlers.spots import MAX_ROWS, lines_between
from rollout_ls.lsp.params import InRange, OfDocument
from rollout_ls.wire.sight import SemanticTokens, semantic_tokens

if TYPE_CHECKING:
    from rollout_ls.lsp.documents import Opened
    from rollout_ls.lsp.params import Range
    from rollout_ls.lsp.server import RolloutServer


FULL_ROWS = 5_000
"""Rows of a document that are coloured at once: clients that know no ranges ask for all again after each edit."""


def semantic_tokens_range(ls: RolloutServer, params: InRange) -> SemanticTokens | None:
    """The tokens of some rows."""
    opened = ls.documents.find(params.text_document.uri)
    if opened is None or not ls.configuration.settings.semantic_tokens:
        return None
    return _tokens(ls, opened, params.range)


def semantic_tokens_full(ls: RolloutServer, params: OfDocument) -> SemanticTokens | None:
    """The tokens of the whole document.

    Of a long one those of its first rows; none at all for a client that asks by range too, which would take them for
    the whole.
    """
    opened = ls.documents.find(params.text_document.uri)
    if opened is None or not ls.configuration.settings.semantic_tokens:
        return None
    if ls.client.token_ranges and opened.document.buffer.row_count > FULL_ROWS:
        return None
    return _tokens(ls, opened, None)


def _tokens(ls: RolloutServer, opened: Opened, asked: Range | None) -> SemanticTokens:
    from rollout_ls.features.tokens import tokens

    rows = opened.document.buffer
    lines = lines_between(rows, asked, MAX_ROWS if asked is not None else FULL_ROWS)
    return semantic_tokens(tokens(opened.document.session(), lines), rows, ls.client.unit)
