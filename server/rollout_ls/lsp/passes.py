"""Drives the documents' passes on the loop, a slice at a time, so that messages come through in between.

First whoever is waited for, then the eager passes, the latest document first, then the idle ones, which begin when
nobody has edited for a moment. Work on a text that was edited meanwhile is dropped. Never looks at what a pass finds.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator

from rollout_ls.lsp.documents import Opened
from rollout_ls.lsp.logs import log_exception

_DONE = object()
AT_ONCE_SECONDS = 0.01
"""How long an answer that needs a document may bring it up to date itself before it waits for its turn."""
IDLE_PAUSE_SECONDS = 0.1
"""How long after an edit the idle pass begins: over a line of a megabyte it cannot be left for the next edit."""
AT_ONCE_BYTES = 1 << 16
"""A document of so few bytes is brought up to date however busy the machine is, so that answers keep their order."""


class _Work:
    """The pass over one state of a text."""

    __slots__ = ("began", "edits", "idle_from", "opened", "steps", "told")

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.edits = opened.edits
        self.steps: Iterator[None] = opened.document.steps()
        self.began = time.monotonic()
        self.idle_from = self.began + IDLE_PAUSE_SECONDS if opened.edits else self.began
        self.told = False


class Passes:
    """The passes under way. Belongs to the loop.

    ``on_eager`` and ``on_idle`` are called when a pass over the present text is done, ``on_slice`` after each slice
    with the seconds since the pass began.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        on_eager: Callable[[Opened], None],
        on_idle: Callable[[Opened], None],
        on_slice: Callable[[Opened, float], None],
    ) -> None:
        self._loop = loop
        self._on_eager = on_eager
        self._on_idle = on_idle
        self._on_slice = on_slice
        self._works: dict[int, _Work] = {}
        self._turning = False
        self._timer: asyncio.TimerHandle | None = None

    def schedule(self, opened: Opened) -> None:
        """Has a document's passes brought up to date, before those scheduled earlier."""
        self._work(opened)
        self.resume()

    def resume(self) -> None:
        """Goes on with what was left alone because it was busy."""
        if self._works and not self._turning:
            self._turning = True
            self._loop.call_soon(self._turn)

    def drop(self, opened: Opened) -> None:
        """Leaves a document alone: it was closed, or its user said so."""
        self._works.pop(opened.serial, None)

    def advance(self, opened: Opened) -> bool:
        """Works on a document now, shortly; whether there is no use in waiting for it any more."""
        small = opened.document.buffer.byte_count <= AT_ONCE_BYTES
        until = time.monotonic() + AT_ONCE_SECONDS
        while not opened.settled and (small or time.monotonic() < until):
            self._step(self._work(opened))
        return opened.settled

    def _work(self, opened: Opened) -> _Work:
        work = self._works.pop(opened.serial, None)
        if work is None or work.edits != opened.edits:
            work = _Work(opened)
        self._works[opened.serial] = work
        return work

    def _turn(self) -> None:
        work = self._next()
        if work is None:
            self._turning = False
            self._wait_for_pause()
            return
        self._loop.call_soon(self._turn)
        self._step(work)

    def _next(self) -> _Work | None:
        latest_first = [work for work in reversed(self._works.values()) if not work.opened.busy]
        eager = [work for work in latest_first if not work.opened.document.eager_ready]
        waited_for = [work for work in eager if work.opened.waiters]
        now = time.monotonic()
        idle = [work for work in latest_first if work.idle_from <= now or not work.told]
        return next(iter([*waited_for, *eager, *idle]), None)

    def _wait_for_pause(self) -> None:
        """Comes back when an idle pass may begin. Busy documents call by themselves."""
        due = [work.idle_from for work in self._works.values() if not work.opened.busy]
        if due and self._timer is None:
            self._timer = self._loop.call_later(max(0.0, min(due) - time.monotonic()), self._paused)

    def _paused(self) -> None:
        self._timer = None
        self.resume()

    def _step(self, work: _Work) -> None:
        opened = work.opened
        if work.edits != opened.edits:
            work = self._work(opened)
        try:
            more = next(work.steps, _DONE) is not _DONE
        except Exception as error:
            opened.failure = log_exception("a pass over a document", error)
            self.drop(opened)
            opened.release()
            return
        if opened.document.eager_ready and not work.told:
            work.told = True
            opened.release()
            self._on_eager(opened)
        if more:
            self._on_slice(opened, time.monotonic() - work.began)
            return
        self.drop(opened)
        if opened.document.idle_ready:
            self._on_idle(opened)
