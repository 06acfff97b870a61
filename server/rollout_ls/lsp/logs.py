"""The log: stderr and, once there is one, the client. Never a word of what a document or a message holds.

Neither an exception's text (it often quotes the value that it stumbled over) nor a whole message is written: an
exception is its type and the places in the code it passed. pygls logs whole messages, so its loggers are silenced.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import sys
import threading
import traceback
from collections import deque
from types import TracebackType

from rollout_ls.lsp.outbox import TALK_BYTES, Outbox, call_message
from rollout_ls.wire.lsp import encode

logger = logging.getLogger("rollout_ls")

_LEVELS = {
    "error": logging.ERROR,
    "warning": logging.WARNING,
    "information": logging.INFO,
    "debug": logging.DEBUG,
}
_MESSAGE_TYPES = ((logging.ERROR, 1), (logging.WARNING, 2), (logging.INFO, 3))
"""Levels and the numbers that the protocol has for them (window/logMessage, MessageType)."""
_SILENCED = ("pygls", "asyncio", "cattrs")
_MAX_FRAMES = 30
_MAX_WAITING_LINES = 2000


class _StderrLog(logging.Handler):
    """Writes the log to stderr from a thread of its own: nobody may be reading it, and a full pipe holds up nothing.

    Lines that find no room are dropped.
    """

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()
        self._lines: deque[bytes] = deque()
        self._writing = False
        threading.Thread(target=self._write_all, name="rollout-ls log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queues one line."""
        line = (self.format(record) + "\n").encode("utf-8", "backslashreplace")
        with self._changed:
            if len(self._lines) < _MAX_WAITING_LINES:
                self._lines.append(line)
                self._changed.notify_all()

    def drain(self, seconds: float) -> None:
        """Waits until all is written, so many seconds at most."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._lines or self._writing), seconds)

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._lines))
                self._writing = True
                line = self._lines.popleft()
            with contextlib.suppress(OSError):
                while line:
                    line = line[os.write(2, line) :]


_stderr: _StderrLog | None = None


def drain(seconds: float) -> None:
    """Waits until the log is written, so many seconds at most."""
    if _stderr is not None:
        _stderr.drain(seconds)


def set_up(level: int = logging.WARNING) -> None:
    """Sends the log to stderr and keeps everybody else's out of it."""
    global _stderr
    handler = _stderr = _StderrLog()
    handler.setFormatter(logging.Formatter("rollout-ls: %(levelname)s: %(message)s"))
    logger.handlers = [handler]
    logger.setLevel(level)
    logger.propagate = False
    logging.raiseExceptions = False
    for name in _SILENCED:
        silenced = logging.getLogger(name)
        silenced.setLevel(logging.CRITICAL + 1)
        silenced.propagate = False
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda args: log_exception("in a thread", args.exc_value)


def set_level(level: str) -> None:
    """From now on, what is milder than a level (``error``, ``warning``, ``information``, ``debug``) is not logged."""
    logger.setLevel(_LEVELS[level])


class _ClientLog(logging.Handler):
    """Sends the log to the client, but for what it does not keep up with."""

    def __init__(self, outbox: Outbox) -> None:
        super().__init__()
        self._outbox = outbox

    def emit(self, record: logging.LogRecord) -> None:
        """Sends one line as window/logMessage."""
        if self._outbox.queued_bytes > TALK_BYTES:
            return
        kind = next((kind for level, kind in _MESSAGE_TYPES if record.levelno >= level), 4)
        params = encode({"type": kind, "message": record.getMessage()})
        self._outbox.send(call_message("window/logMessage", params))


def tell_client(outbox: Outbox) -> None:
    """From now on the client sees the log too."""
    logger.handlers = [one for one in logger.handlers if not isinstance(one, _ClientLog)]
    logger.addHandler(_ClientLog(outbox))


def log_exception(where: str, error: BaseException | None) -> str:
    """Logs an exception without its text; gives a short id under which it stands in the log."""
    ident = secrets.token_hex(3)
    logger.error("[%s] %s", ident, describe(where, error))
    return ident


def describe(where: str, error: BaseException | None) -> str:
    """An exception as its type and its way through the code, innermost place last."""
    if error is None:
        return f"{where}: unknown error"
    frames = traceback.extract_tb(error.__traceback__)[-_MAX_FRAMES:]
    way = "".join(f"\n    {os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames)
    return f"{where}: {type(error).__name__}{way}"


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        log_exception("uncaught", error)
