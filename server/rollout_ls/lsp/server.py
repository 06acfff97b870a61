"""The language server: what belongs to one client, put together, and its start and end.

Speaks over the process's standard input and output, of which it keeps private copies: whatever prints, prints to
stderr. Imports nothing of the core that ``initialize`` does not need; the rest comes with the first document.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from pygls.lsp.server import LanguageServer

from rollout_ls import __version__
from rollout_ls.lsp import errors, logs
from rollout_ls.lsp.calls import Calls
from rollout_ls.lsp.capabilities import SERVER_NAME
from rollout_ls.lsp.client import Client
from rollout_ls.lsp.configuration import Configuration
from rollout_ls.lsp.disk import Disk
from rollout_ls.lsp.documents import Documents, Opened
from rollout_ls.lsp.findings import Findings
from rollout_ls.lsp.handlers import sync
from rollout_ls.lsp.leaving import Leaving, leave, watch_parent
from rollout_ls.lsp.looks import Looks
from rollout_ls.lsp.measures import Latencies, Turns
from rollout_ls.lsp.memory import return_big_blocks, return_free_pages
from rollout_ls.lsp.methods import COMMANDS, METHODS
from rollout_ls.lsp.outbox import Outbox
from rollout_ls.lsp.pages import Pages
from rollout_ls.lsp.passes import Passes
from rollout_ls.lsp.progress import Progress
from rollout_ls.lsp.protocol import LazyConverter, RolloutProtocol
from rollout_ls.lsp.reading import read_all
from rollout_ls.lsp.requests import Requests, Ticket
from rollout_ls.lsp.trace import Trace
from rollout_ls.workspace.threads import Threads

if TYPE_CHECKING:
    from rollout_ls.projection.surroundings import Surroundings
    from rollout_ls.workspace.document import Document
    from rollout_ls.workspace.settings import Settings

_GC_THRESHOLDS = (10_000, 20, 50)
"""Records are many and live long: Python's own thresholds look through all of them again and again, 25 ms a time."""
_OTHER_METHODS = (
    *("initialize", "initialized", "shutdown", "exit", "$/setTrace", "workspace/executeCommand"),
    *("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"),
    *("workspace/didChangeWorkspaceFolders", "window/workDoneProgress/cancel"),
)
"""What is answered or taken beside the table of methods; it may be named in a trace."""
_FLUSH_SECONDS = 0.3
_SWITCH_SECONDS = 0.001
"""How long a thread may compute before another one that wants to has its turn; Python's own 5 ms are felt."""
_PIPE_BYTES = 1 << 20
_TIDY_SECONDS = 1.0
"""When the memory of a large document that was closed is given back: its lines and blocks hold each other."""
_FINISH_SECONDS = 0.4
"""How long open requests may still be worked on after the end of the input."""


class RolloutServer(LanguageServer):
    """The server of one client. Its parts belong to the loop, but ``requests``, ``outbox`` and ``leaving``."""

    protocol: RolloutProtocol

    def __init__(self, output: int) -> None:
        self.began = time.monotonic()
        self.turns = Turns(_log_slow_turn)
        self.loop: asyncio.AbstractEventLoop = asyncio.SelectorEventLoop(self.turns)
        self.leaving = Leaving(self._on_leave)
        self.outbox = Outbox(output, self.leaving.begin)
        self.latencies = Latencies((*METHODS, *_OTHER_METHODS))
        self.trace = Trace(self.outbox, self.latencies)
        self.requests = Requests(self.outbox, self._answered)
        self.calls = Calls(self.outbox)
        self.client = Client()
        self.folders: tuple[str, ...] = ()
        self.documents = Documents()
        self.threads = Threads()
        self.findings = Findings(self.loop, self.calls, self.client)
        self.reading_progress = Progress(self.calls, self._stop_pass)
        self.passes = Passes(self.loop, self._eager_done, self._idle_done, self._slice_done)
        self.pages = Pages(self.loop, self.calls)
        self.disk = Disk(self.loop)
        self.looks = Looks(self.loop, lambda: self.configuration.settings.limits.file_bytes, self._disk_seen)
        self.configuration = Configuration(self.calls, self.client, self._settings_changed)
        self.worker = ThreadPoolExecutor(1, "rollout-ls worker")
        self._ended = self.loop.create_future()
        super().__init__(SERVER_NAME, __version__, protocol_cls=RolloutProtocol, converter_factory=LazyConverter)
        for method in METHODS.values():
            self.feature(method.name)(method.handler)
        for name, run in COMMANDS.items():
            self.command(name)(run)

    # -- its life
    def run(self, descriptor: int) -> int:
        """Serves a client that writes to a descriptor, until it leaves; the code to end the process with."""
        asyncio.set_event_loop(self.loop)
        self.loop.set_exception_handler(_log_of_loop)
        threading.Thread(target=read_all, args=(descriptor, self), name="rollout-ls reader", daemon=True).start()
        self.loop.run_until_complete(self._ended)
        self.outbox.flush(_FLUSH_SECONDS)
        return self.leaving.code

    def meet(self, client: Client) -> None:
        """From now on it is this client."""
        self.client = client
        self.trace.set(client.trace)
        logs.tell_client(self.outbox)
        self.folders = client.folders
        self.findings = Findings(self.loop, self.calls, client)
        self.configuration = Configuration(self.calls, client, self._settings_changed)
        if client.process_id is not None:
            watch_parent(client.process_id, self.leaving.begin)

    def _answered(self, ticket: Ticket, code: int | None, size: int) -> None:
        """Counts and traces an answer, in the thread that gave it."""
        seconds = time.monotonic() - ticket.began
        cancelled = code == errors.REQUEST_CANCELLED
        self.latencies.add(ticket.method, seconds, failed=code is not None and not cancelled, cancelled=cancelled)
        how = "answered" if code is None else "cancelled" if cancelled else f"failed ({code})"
        self.trace.answered(ticket.method, ticket.echo, seconds, (ticket.size, size), how)

    def shut_down(self, left: Iterable[Ticket]) -> None:
        """Leaves all work; what is open is answered, since its client may wait for it before it ends."""
        for opened in self.documents:
            self.passes.drop(opened)
        for ticket in left:
            self.requests.fail(ticket, errors.SERVER_CANCELLED, "the server was shut down")

    def leave(self) -> None:
        """Ends the loop; what is open is answered, so that each request has its answer."""
        if not self._ended.done():
            self.requests.fail_all(errors.SERVER_CANCELLED, "the server ends")
            self._ended.set_result(None)

    def _on_leave(self, finish: bool) -> None:
        until = self.loop.time() + (_FINISH_SECONDS if finish else 0)
        self.loop.call_soon_threadsafe(self._leave_when_done, until)

    def _leave_when_done(self, until: float) -> None:
        if len(self.requests) and self.loop.time() < until:
            self.loop.call_later(0.01, self._leave_when_done, until)
        else:
            self.leave()

    # -- its settings
    def _settings_changed(self, settings: Settings) -> None:
        """Says all anew that depends on settings."""
        logs.set_level(settings.log.level)
        logs.logger.info("settings changed")
        for opened in self.documents:
            opened.in_turn(partial(self._surround, opened))
        if any(True for _ in self.documents):
            for method in sorted(self.client.refreshable):
                self.calls.ask(method, None)

    def _surround(self, opened: Opened) -> None:
        if opened.closed:
            return
        opened.document.surround(self.surroundings())
        self.passes.drop(opened)  # a pass under way is of the world before
        self.passes.schedule(opened)
        if opened.document.eager_ready:
            self.findings.changed(opened)

    # -- its documents
    def begin(self, opened: Opened) -> None:
        """A document is there: it is put into its world, and its passes begin."""
        buffer = opened.document.buffer
        logs.logger.info("document %d opened: %d bytes, %d rows", opened.serial, buffer.byte_count, buffer.row_count)
        opened.document.surround(self.surroundings())
        self.passes.schedule(opened)
        self.looks.due(opened)

    def forget(self, opened: Opened) -> None:
        """A document is closed."""
        logs.logger.info("document %d closed after %d edits", opened.serial, opened.edits)
        self.passes.drop(opened)
        self.reading_progress.done(opened)
        self.documents.remove(opened.uri)
        self.pages.forget(opened)
        self.looks.forget(opened)
        self.findings.closed(opened)
        if opened.large:
            self.loop.call_later(_TIDY_SECONDS, gc.collect)

    def make(self, opened: Opened, prepared: sync.Prepared) -> None:
        """Makes a long document in the worker thread; until it is there, what comes for it is held back."""
        opened.busy = True
        future = self.loop.run_in_executor(self.worker, sync.make_document, prepared)
        future.add_done_callback(partial(self._made, opened))

    def _made(self, opened: Opened, future: asyncio.Future[Document]) -> None:
        if (error := future.exception()) is not None:
            opened.failure = logs.log_exception("making a document", error)
        else:
            opened.document = future.result()
            self.begin(opened)
        opened.free()

    def freed(self, opened: Opened) -> None:
        """A document is no longer busy: what it missed meanwhile goes on."""
        self.passes.resume()
        if not opened.closed and opened.document.eager_ready:
            self.findings.changed(opened)
        self.looks.start(opened)

    def lose(self, opened: Opened) -> None:
        """A document's text is no longer its client's."""
        opened.touched()
        opened.lost = True
        self.passes.drop(opened)
        self.reading_progress.done(opened)
        self.findings.withdraw(opened)
        opened.release()
        logs.logger.warning("a document is out of step with its client until its whole text comes")

    def change_failed(self, params: bytes) -> None:
        """See ``handlers.sync``."""
        sync.change_failed(self, params)

    def surroundings(self) -> Surroundings:
        """What a feature may know of the world around a document."""
        from rollout_ls.workspace.settings import surroundings_of

        return surroundings_of(self.configuration.settings)

    def _eager_done(self, opened: Opened) -> None:
        if opened.large and not opened.edits:
            return_free_pages()  # what reading a long text needed beside what stays
        self.reading_progress.done(opened)
        self.findings.changed(opened)
        if self.client.contents:
            self.pages.changed(opened)

    def _idle_done(self, opened: Opened) -> None:
        logs.logger.debug("document %s was looked through", opened.state)
        gc.collect(1)  # what edits left behind; nobody waits now
        return_free_pages()
        self.findings.changed(opened)
        self.looks.start(opened)

    def _disk_seen(self, opened: Opened) -> None:
        """The disk tells more of a document: its idle pass goes over what that changed."""
        self.passes.schedule(opened)

    def _slice_done(self, opened: Opened, seconds: float) -> None:
        if self.client.progress:
            self.reading_progress.slice_done(opened, seconds)

    def _stop_pass(self, opened: Opened) -> None:
        opened.stopped = True
        self.passes.drop(opened)
        opened.release()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """pygls shows such errors to the user, text and all; here they go to the log, without it."""
        logs.log_exception("pygls", error)


def main() -> int:
    """Starts the server over standard input and output and ends the process with the right code."""
    logs.set_up()
    return_big_blocks()
    reading, writing = take_wire()
    server = RolloutServer(writing)
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        code = server.run(reading)
    except KeyboardInterrupt:
        code = 130
    leave(code)
    return code


def take_wire() -> tuple[int, int]:
    """(input, output): private copies of the standard ones, which lead to nothing and to stderr from now on."""
    reading, writing = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(reading, os.O_BINARY)
        msvcrt.setmode(writing, os.O_BINARY)
    _widen(reading)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return reading, writing


def _widen(pipe: int) -> None:
    """Lets more wait in a pipe, so that a long text comes in fewer turns of both processes. Linux only."""
    if sys.platform != "linux":
        return
    import fcntl

    with contextlib.suppress(OSError, AttributeError):  # no pipe, or more than the system allows
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _log_slow_turn(seconds: float, worked: float, turns: int) -> None:
    """A turn in which the processor did something else than our work is no fault of ours, and said more quietly."""
    level = logging.WARNING if worked > seconds / 2 else logging.INFO
    text = "a turn of the loop took %.0f ms, %.0f ms of them at work (%d slow turns since the last such line)"
    logs.logger.log(level, text, seconds * 1000, worked * 1000, turns)


def _log_of_loop(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    logs.log_exception("the loop", context.get("exception"))
