"""textDocument/foldingRange"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollout_ls.lsp.params import OfDocument
from rollout_ls.wire.lsp import FoldingRange, folding_ranges

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer


def folding_range(ls: RolloutServer, params: OfDocument) -> list[FoldingRange]:
    """Turns, and calls with their results."""
    from rollout_ls.features.folding import folds

    opened = ls.documents.find(params.text_document.uri)
    if opened is None:
        return []
    return folding_ranges(folds(opened.document.session()), opened.document.buffer, ls.client.fold_limit)
