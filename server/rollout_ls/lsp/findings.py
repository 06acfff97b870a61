"""When findings go out: asked for where the client can ask, else pushed; never both to one client.

Pushed at once after a pause, then at most every ``PAUSE_SECONDS`` while changes keep coming, the last state always;
never those of an older text, and none after the document is closed. A client that asked before the idle findings were
there is told once to ask again. Never decides what is found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from rollout_ls.lsp.calls import Calls
from rollout_ls.lsp.client import Client
from rollout_ls.lsp.documents import Opened
from rollout_ls.wire.lsp import Diagnostic, FullReport, PublishDiagnosticsParams, Telling, UnchangedReport, diagnostics

if TYPE_CHECKING:
    from rollout_ls.rules.finding import Finding
    from rollout_ls.workspace.document import Document

PAUSE_SECONDS = 0.2


class _Told:
    """What one document's client was told last."""

    __slots__ = ("at", "edits", "findings", "result_id", "sent", "timer")

    def __init__(self) -> None:
        self.sent = 0
        self.at = float("-inf")
        self.edits = -1
        self.findings: tuple[Finding, ...] | None = None
        self.result_id = ""
        self.timer: asyncio.TimerHandle | None = None


class Findings:
    """The findings of all open documents on their way out. Belongs to the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, calls: Calls, client: Client) -> None:
        self._loop = loop
        self._calls = calls
        self._client = client
        self._telling = Telling(client.unit, client.related, code_page if client.code_pages else None)
        self._told: dict[int, _Told] = {}
        self._refreshing = False
        self._of_disk: set[str] = set()

    # -- pushed
    def changed(self, opened: Opened) -> None:
        """A pass over the present text is done."""
        if self._client.pulls:
            self._refresh_if_stale(opened)
            return
        told = self._of(opened)
        if told.timer is not None:
            return
        due = told.at + PAUSE_SECONDS
        if self._loop.time() >= due:
            self._push(opened, told)
        else:
            told.timer = self._loop.call_at(due, self._push, opened, told)

    def closed(self, opened: Opened) -> None:
        """Takes back what was shown of a document."""
        told = self._told.pop(opened.serial, None)
        if told is not None and told.timer is not None:
            told.timer.cancel()
        if not self._client.pulls:
            self._publish(opened.uri, (), None)

    def withdraw(self, opened: Opened) -> None:
        """The text is not the client's any more: what was said of it may be wrong."""
        if not self._client.pulls:
            self._of(opened).edits = -1
            self._publish(opened.uri, (), None)

    def _push(self, opened: Opened, told: _Told) -> None:
        told.timer = None
        document = opened.document
        if opened.closed or opened.lost or opened.busy or not document.eager_ready:
            return  # who brings the document up to date, or frees it, calls again
        found = document.findings()
        if told.findings is found and told.edits == opened.edits:
            return
        told.findings, told.edits, told.at = found, opened.edits, self._loop.time()
        self._publish(opened.uri, self._written(opened, found), document.version)

    def _publish(self, uri: str, items: Sequence[Diagnostic], version: int | None) -> None:
        params = PublishDiagnosticsParams(uri, items, version)
        self._calls.tell("textDocument/publishDiagnostics", params, replaces=f"findings of {uri}")

    # -- of files that are not open
    def tell_of_disk(self, uri: str, document: Document) -> None:
        """Pushes the findings of a file on the disk, to every client: none can ask for them."""
        self._of_disk.add(uri)
        self._publish(uri, diagnostics(document.findings(), uri, document.buffer, self._telling), None)

    def forget_disk(self, uri: str) -> None:
        """Takes back what was pushed of a file on the disk: it was closed, or opened after all."""
        if uri in self._of_disk:
            self._of_disk.discard(uri)
            self._publish(uri, (), None)

    # -- asked for
    def report(self, opened: Opened, previous: str | None) -> FullReport | UnchangedReport:
        """The findings of the present text, or that they are what went out under the id that the client gives."""
        self._refreshing = False
        told = self._of(opened)
        found = opened.document.findings()
        if told.findings is not found or told.edits != opened.edits:
            told.sent += 1
            told.findings, told.edits = found, opened.edits
            version = opened.document.version
            told.result_id = f"{opened.serial}.{'-' if version is None else version}.{told.sent}"
        if previous == told.result_id:
            return UnchangedReport(told.result_id)
        return FullReport(told.result_id, self._written(opened, found))

    def _refresh_if_stale(self, opened: Opened) -> None:
        told = self._told.get(opened.serial)
        if told is None or told.edits != opened.edits or told.findings is opened.document.findings():
            return
        if self._client.refreshes and not self._refreshing:
            self._refreshing = True
            self._calls.ask("workspace/diagnostic/refresh", None, self._refreshed)

    def _refreshed(self, _done: bool) -> None:
        self._refreshing = False

    # -- both
    def _of(self, opened: Opened) -> _Told:
        return self._told.setdefault(opened.serial, _Told())

    def _written(self, opened: Opened, found: Sequence[Finding]) -> list[Diagnostic]:
        return diagnostics(found, opened.uri, opened.document.buffer, self._telling)


@lru_cache(maxsize=256)
def code_page(code: str) -> str | None:
    """The address of a code's page in the installed package, where it is there as a file."""
    from rollout_ls.lsp.uris import uri_of
    from rollout_ls.rules.pages import page_path

    page = page_path(code)
    return uri_of(str(page)) if page is not None and page.is_file() else None
