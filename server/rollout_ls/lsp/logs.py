"""The log: stderr and, once there is one, the client. Never a word of what a document or a message holds.

Neither an exception's text (it often quotes the value that it stumbled over) nor a whole message is written: an
exception is its type and the places in the code it passed. pygls logs whole messages, so its loggers are silenced.
"""

from __future__ import annotations

import logging
import os
import secrets
import sys
import threading
import traceback
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


def set_up(level: int = logging.WARNING) -> None:
    """Sends the log to stderr and keeps everybody else's out of it."""
    handler = logging.StreamHandler(sys.stderr)
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
