"""textDocument/diagnostic

A client that cannot be told to ask again would not see what the idle pass finds. So its questions about a document of
usual size wait a moment for that; every other answer goes out as soon as the eager pass is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from rollout_ls.lsp.errors import CONTENT_MODIFIED, RequestError
from rollout_ls.lsp.params import PullDiagnostics
from rollout_ls.wire.lsp import FullReport, UnchangedReport

if TYPE_CHECKING:
    from rollout_ls.lsp.documents import Opened
    from rollout_ls.lsp.server import RolloutServer

USUAL_BYTES = 4 << 20
PATIENCE_SECONDS = 0.5
_LOOK_SECONDS = 0.01

Report = FullReport | UnchangedReport


def diagnostic(ls: RolloutServer, params: PullDiagnostics) -> Report | Awaitable[Report]:
    """The findings, complete as far as the eager pass goes, never a part of it."""
    opened = ls.documents.find(params.text_document.uri)
    if opened is None:
        return FullReport("none", ())
    if _should_wait(ls, opened):
        return _with_idle_ones(ls, opened, params.previous_result_id)
    return ls.findings.report(opened, params.previous_result_id)


def _should_wait(ls: RolloutServer, opened: Opened) -> bool:
    document = opened.document
    return not ls.client.refreshes and not document.idle_ready and document.buffer.byte_count <= USUAL_BYTES


async def _with_idle_ones(ls: RolloutServer, opened: Opened, previous: str | None) -> Report:
    """Edited meanwhile, what was read is no answer any more: the client asks again for the new text."""
    edits, until = opened.edits, ls.loop.time() + PATIENCE_SECONDS
    while not opened.document.idle_ready and opened.edits == edits and not opened.closed and ls.loop.time() < until:
        await asyncio.sleep(_LOOK_SECONDS)
    if opened.edits != edits or opened.closed:
        raise RequestError(CONTENT_MODIFIED, "the document was changed")
    return ls.findings.report(opened, previous)
