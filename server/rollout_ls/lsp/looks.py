"""When the disk is looked at for the open documents: after each opening, edit, save and change of files, once the
passes over the text are done, in a thread of its own.

So a slow disk holds up nothing. What a look finds of a text that was edited meanwhile is dropped, and the next look
comes when that text is read. A file that changes all the time is read again only after a rest in proportion to how long
reading it took. Never decides what is found.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from rollout_ls.lsp.documents import Opened
from rollout_ls.lsp.logs import log_exception
from rollout_ls.lsp.memory import return_free_pages
from rollout_ls.lsp.uris import path_of

if TYPE_CHECKING:
    from rollout_ls.workspace.store import ChangedLine, FileFacts, Look

REST = 4
"""So many times as long as reading a file took, the next look at it waits."""


class _Watched:
    """What is known of one document's file."""

    __slots__ = ("due", "facts", "path", "rested_at", "running", "waits")

    def __init__(self, path: str) -> None:
        self.path = path
        self.facts: FileFacts | None = None
        self.due = False
        self.running = False
        self.waits = False
        self.rested_at = 0.0


class Looks:
    """The looks at the disk. Belongs to the loop.

    ``max_bytes`` gives the size of the largest file that is looked at, ``on_seen`` is called when a look changed what
    is to be said of a document.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, max_bytes: Callable[[], int], on_seen: Callable[[Opened], None]
    ) -> None:
        self._loop = loop
        self._max_bytes = max_bytes
        self._on_seen = on_seen
        self._watched: dict[int, _Watched] = {}
        self._thread = ThreadPoolExecutor(1, "rollout-ls disk")

    def due(self, opened: Opened) -> None:
        """The text or its file is another: a look is due once the text is read."""
        path = path_of(opened.uri)
        if path is None:
            return
        self._watched.setdefault(opened.serial, _Watched(path)).due = True
        self.start(opened)

    def start(self, opened: Opened) -> None:
        """Looks, if a look is due and the text is read."""
        watched = self._watched.get(opened.serial)
        if watched is None or not watched.due or watched.running or watched.waits:
            return
        if opened.busy or opened.lost or not opened.document.idle_ready:
            return  # who ends that calls again
        rest = watched.rested_at - self._loop.time()
        if rest > 0:
            watched.waits = True
            self._loop.call_later(rest, self._rested, opened, watched)
            return
        watched.due, watched.running = False, True
        changed = opened.document.changed_lines()
        work = partial(_look, watched.path, watched.facts, changed, self._max_bytes())
        future = self._loop.run_in_executor(self._thread, work)
        future.add_done_callback(partial(self._seen, opened, watched, opened.edits))

    def forget(self, opened: Opened) -> None:
        """The document is closed."""
        self._watched.pop(opened.serial, None)

    def _rested(self, opened: Opened, watched: _Watched) -> None:
        watched.waits = False
        self.start(opened)

    def _seen(self, opened: Opened, watched: _Watched, edits: int, future: asyncio.Future[tuple[Look, float]]) -> None:
        watched.running = False
        if (error := future.exception()) is not None:
            log_exception("a look at the disk", error)
            return
        seen, seconds = future.result()
        if seen.facts is not watched.facts:
            watched.rested_at = self._loop.time() + REST * seconds
        watched.facts = seen.facts
        opened.in_turn(partial(self._take, opened, edits, seen))

    def _take(self, opened: Opened, edits: int, seen: Look) -> None:
        if opened.closed or opened.lost:
            return
        if opened.edits != edits or not opened.document.idle_ready:
            self.due(opened)
        elif opened.document.see_disk(seen):
            self._on_seen(opened)
        self.start(opened)


def _look(path: str, known: FileFacts | None, changed: list[ChangedLine], max_bytes: int) -> tuple[Look, float]:
    from rollout_ls.workspace.store import look

    began = time.monotonic()
    seen = look(path, known, changed, max_bytes)
    if seen.facts is not known:
        return_free_pages()
    return seen, time.monotonic() - began
