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
    found = folds(opened.document.session(), texts=ls.client.fold_texts)
    return folding_ranges(found, opened.document.buffer, ls.client.fold_limit)
