"""What the server knows of its own pace: how long answers took, by method, and turns of the loop that took too long.

Numbers and names of methods only; nothing of a message or a document. A method that is not ours counts under
``OTHER``, since its name is whatever the client wrote.
"""

from __future__ import annotations

import selectors
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Collection
from typing import Any

BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Upper ends of the buckets; one more holds what took longer."""
OTHER = "other"
SLOW_TURN_SECONDS = 0.05
"""How long the loop may be blocked before it is worth a line in the log."""
TOLD_EVERY_SECONDS = 1.0


class _Pace:
    """The answers of one method."""

    __slots__ = ("buckets", "cancelled", "count", "failed", "most_ms")

    def __init__(self) -> None:
        self.count = self.failed = self.cancelled = 0
        self.most_ms = 0.0
        self.buckets = [0] * (len(BOUNDS_MS) + 1)


class Latencies:
    """How long answers took, from reading the request to handing over the answer. Safe to use from any thread."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = frozenset(known)
        self._lock = threading.Lock()
        self._paces: dict[str, _Pace] = {}

    def add(self, method: str, seconds: float, *, failed: bool = False, cancelled: bool = False) -> None:
        """Counts one answer."""
        taken_ms = seconds * 1000
        with self._lock:
            pace = self._paces.setdefault(self.name(method), _Pace())
            pace.count += 1
            pace.failed += failed
            pace.cancelled += cancelled
            pace.most_ms = max(pace.most_ms, taken_ms)
            pace.buckets[bisect_left(BOUNDS_MS, taken_ms)] += 1

    def name(self, method: str) -> str:
        """A method as it may be shown."""
        return method if method in self._known else OTHER

    def table(self) -> dict[str, Any]:
        """By method: ``count``, ``failed``, ``cancelled``, ``maxMs``, and ``buckets``, one a bound and one beyond."""
        with self._lock:
            return {
                method: {
                    "count": pace.count,
                    "failed": pace.failed,
                    "cancelled": pace.cancelled,
                    "maxMs": round(pace.most_ms, 1),
                    "buckets": list(pace.buckets),
                }
                for method, pace in sorted(self._paces.items())
            }


class Turns(selectors.DefaultSelector):
    """Times the turns of an asyncio loop: it is asked for events once a turn, so what lies between is the turn.

    ``on_slow`` is called with (seconds, seconds of the processor, slow turns since it was called last), at most every
    ``TOLD_EVERY_SECONDS``. Counts from ``watch`` on only: the start has no loop to block.
    """

    def __init__(self, on_slow: Callable[[float, float, int], None]) -> None:
        super().__init__()
        self.count = 0
        """Slow turns so far."""
        self.most_seconds = 0.0
        self._on_slow = on_slow
        self._watching = False
        self._began: float | None = None
        self._worked = 0.0
        self._untold = 0
        self._told_at = float("-inf")

    def watch(self) -> None:
        """From now on turns are timed."""
        self._watching = True

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Ends a turn, waits, and begins the next one."""
        if self._began is not None:
            self._end_turn(time.monotonic() - self._began)
        ready = super().select(timeout)
        if self._watching:
            self._began, self._worked = time.monotonic(), time.thread_time()
        return ready

    def _end_turn(self, seconds: float) -> None:
        if seconds <= SLOW_TURN_SECONDS:
            return
        self.count += 1
        self._untold += 1
        self.most_seconds = max(self.most_seconds, seconds)
        if time.monotonic() - self._told_at >= TOLD_EVERY_SECONDS:
            self._told_at, untold, self._untold = time.monotonic(), self._untold, 0
            self._on_slow(seconds, time.thread_time() - self._worked, untold)
