"""Takes finished messages and writes them to the client, in order, from a thread of its own.

So a client that does not read blocks nothing but its own answers. Never holds more than ``MAX_QUEUED_BYTES``: beyond it
an answer becomes a short error, and a notification that may be replaced waits as the newest only (at any time a newer
one takes an older one's place).
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable

from rollout_ls.lsp.errors import REQUEST_FAILED
from rollout_ls.wire.lsp import encode

MAX_QUEUED_BYTES = 64 << 20
TALK_BYTES = 1 << 20
"""While so much waits, what only tells (log, trace) is dropped."""
_SMALL_BYTES = 4096
_BATCH_BYTES = 1 << 16

logger = logging.getLogger(__name__)


def result_message(echo: bytes, result: bytes) -> bytes:
    """The answer to the request whose id is ``echo`` (JSON)."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (echo, result)


def error_message(echo: bytes, code: int, message: str, data: object = None) -> bytes:
    """The same for a request that failed."""
    error = {"code": code, "message": message}
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (echo, encode(error if data is None else {**error, "data": data}))


def call_message(method: str, params: bytes | None, echo: bytes | None = None) -> bytes:
    """A notification, or a request where ``echo`` is its id (JSON)."""
    ident = b"" if echo is None else b',"id":%b' % echo
    body = b"" if params is None else b',"params":%b' % params
    return b'{"jsonrpc":"2.0"%b,"method":%b%b}' % (ident, encode(method), body)


class Outbox:
    """Messages that wait to be written to a file descriptor.

    ``on_broken`` is called once, from the writing thread, when the other end is gone.
    """

    def __init__(self, descriptor: int, on_broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._changed = threading.Condition()
        self._queue: deque[list[bytes]] = deque()
        self._replaceable: dict[str, list[bytes]] = {}
        self._queued_bytes = 0
        self._writing = False
        self._broken = False
        self.cut = 0
        """Answers that became an error because too much waited."""
        threading.Thread(target=self._write_all, name="rollout-ls writer", daemon=True).start()

    @property
    def queued_bytes(self) -> int:
        """Bytes that wait."""
        return self._queued_bytes

    def answer(self, echo: bytes, body: bytes) -> None:
        """Queues the answer to a request, or a short error where too much waits already."""
        with self._changed:
            if self._queued_bytes + len(body) > MAX_QUEUED_BYTES and len(body) > _SMALL_BYTES:
                self.cut += 1
                body = error_message(echo, REQUEST_FAILED, "too many answers wait to be read")
            self._put([body])

    def send(self, body: bytes, replaces: str | None = None) -> None:
        """Queues a message; one that waits under the same name ``replaces`` is dropped for it."""
        with self._changed:
            if replaces is None:
                self._put([body])
                return
            waiting = self._replaceable.get(replaces)
            if waiting:
                self._queued_bytes += len(body) - len(waiting[0])
                waiting[0] = body
                return
            item = [body]
            self._replaceable[replaces] = item
            self._put(item)

    def flush(self, seconds: float) -> None:
        """Waits until all is written, so many seconds at most."""
        with self._changed:
            self._changed.wait_for(lambda: self._broken or not (self._queue or self._writing), seconds)

    def _put(self, item: list[bytes]) -> None:
        if self._broken:
            return
        self._queue.append(item)
        self._queued_bytes += len(item[0])
        self._changed.notify_all()

    def _take(self) -> bytes:
        """Some queued messages, framed; waits for them."""
        with self._changed:
            self._writing = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: bool(self._queue))
            self._writing = True
            parts: list[bytes] = []
            size = 0
            while self._queue and (not parts or size + len(self._queue[0][0]) <= _BATCH_BYTES):
                item = self._queue.popleft()
                body = item[0]
                size += len(body)
                parts += (b"Content-Length: %d\r\n\r\n" % len(body), body)
                self._queued_bytes -= len(body)
                item.clear()
            self._replaceable = {name: item for name, item in self._replaceable.items() if item}
            return b"".join(parts)

    def _write_all(self) -> None:
        try:
            while True:
                data = memoryview(self._take())
                while data:
                    data = data[os.write(self._descriptor, data) :]
        except OSError:
            with self._changed:
                self._broken = True
                self._queue.clear()
                self._queued_bytes = 0
                self._changed.notify_all()
            self._on_broken()
