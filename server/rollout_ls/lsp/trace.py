"""The trace that a client can switch on (``$/setTrace``): what came, by method and id, how long it took, its size.

Never the content of a message: a method that is not ours has no name here, and an id is shown only where it is a number
or a plain word. Lines are dropped while the client does not read what it has.
"""

from __future__ import annotations

import re
from typing import Any

from rollout_ls.lsp.measures import Latencies
from rollout_ls.lsp.outbox import TALK_BYTES, Outbox, call_message
from rollout_ls.wire.lsp import encode

_LEVELS = ("off", "messages", "verbose")
_PLAIN_ID = re.compile(rb'-?[0-9]{1,20}|"[A-Za-z0-9_.:-]{1,40}"')


class Trace:
    """The trace of one client. Safe to use from any thread."""

    def __init__(self, outbox: Outbox, latencies: Latencies) -> None:
        self._outbox = outbox
        self._latencies = latencies
        self.level = "off"

    def set(self, level: Any) -> None:
        """``off``, ``messages`` or ``verbose``; anything else changes nothing."""
        if level in _LEVELS:
            self.level = level

    def answered(self, method: str, echo: bytes, seconds: float, sizes: tuple[int, int], how: str) -> None:
        """A request has its answer. ``echo`` is the id as JSON, ``sizes`` are bytes of parameters and answer."""
        if self.level == "off":
            return
        ident = echo.decode("ascii") if _PLAIN_ID.fullmatch(echo) else "an id"
        name = self._latencies.name(method)
        self._say(f"{name} ({ident}) {how} after {seconds * 1000:.1f} ms: {sizes[0]} bytes in, {sizes[1]} bytes out")

    def taken(self, method: str, seconds: float, size: int) -> None:
        """A notification was taken."""
        if self.level != "off":
            self._say(f"{self._latencies.name(method)} taken in {seconds * 1000:.1f} ms: {size} bytes in")

    def _say(self, message: str) -> None:
        waiting = self._outbox.queued_bytes
        if waiting > TALK_BYTES:
            return
        params = {"message": message}
        if self.level == "verbose":
            params["verbose"] = f"{waiting} bytes wait to be read"
        self._outbox.send(call_message("$/logTrace", encode(params)))
