"""Tells the user that a document is being read, when it takes longer than a moment, and lets them stop it.

Only for clients that show progress. Knows nothing of how far a pass is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rollout_ls.lsp.calls import Calls
from rollout_ls.lsp.documents import Opened

AFTER_SECONDS = 1.0
"""A pass that is done sooner is not worth a word."""


class Progress:
    """The progress shown. Belongs to the loop. ``on_stop`` is called when the user stops a document's pass."""

    def __init__(self, calls: Calls, on_stop: Callable[[Opened], None]) -> None:
        self._calls = calls
        self._on_stop = on_stop
        self._count = 0
        self._tokens: dict[str, Opened] = {}
        self._shown: set[str] = set()

    def slice_done(self, opened: Opened, seconds: float) -> None:
        """A pass has been going on for so many seconds."""
        if seconds < AFTER_SECONDS or opened.document.eager_ready or opened in self._tokens.values():
            return
        self._count += 1
        token = f"rollout-progress-{self._count}"
        self._tokens[token] = opened
        self._calls.ask("window/workDoneProgress/create", {"token": token}, partial(self._created, token))

    def done(self, opened: Opened) -> None:
        """The pass is over."""
        for token in [token for token, one in self._tokens.items() if one is opened]:
            del self._tokens[token]
            if token in self._shown:
                self._shown.remove(token)
                self._report(token, {"kind": "end"})

    def cancel(self, token: int | str) -> None:
        """The user wants no more of it."""
        opened = self._tokens.get(str(token))
        if opened is not None:
            self.done(opened)
            self._on_stop(opened)

    def _created(self, token: str, done: bool) -> None:
        if done and token in self._tokens:
            self._shown.add(token)
            self._report(token, {"kind": "begin", "title": "Reading the rollout", "cancellable": True})

    def _report(self, token: str, value: dict[str, object]) -> None:
        self._calls.tell("$/progress", {"token": token, "value": value})
