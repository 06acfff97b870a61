"""textDocument/diagnostic"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollout_ls.lsp.params import PullDiagnostics
from rollout_ls.wire.lsp import FullReport, UnchangedReport

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer


def diagnostic(ls: RolloutServer, params: PullDiagnostics) -> FullReport | UnchangedReport:
    """The findings, complete as far as the eager pass goes, never a part of it."""
    opened = ls.documents.find(params.text_document.uri)
    if opened is None:
        return FullReport("none", ())
    return ls.findings.report(opened, params.previous_result_id)
