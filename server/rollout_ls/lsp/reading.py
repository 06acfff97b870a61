"""The thread that reads: frames and decodes messages and hands them to the loop in their order.

What cannot wait for the loop is done here: a cancel, the making of a document from its text, and, at the end of the
input, ending the process. Never runs a handler.
"""

from __future__ import annotations

import gc
import logging
import os
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from rollout_ls.lsp.framing import Frames
from rollout_ls.lsp.handlers.sync import prepare_edit, prepare_open
from rollout_ls.lsp.logs import log_exception
from rollout_ls.lsp.messages import Fault, Id, Message, Notification, Request, read_messages
from rollout_ls.lsp.outbox import error_message
from rollout_ls.lsp.protocol import RolloutProtocol

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer

logger = logging.getLogger(__name__)

_OPEN = "textDocument/didOpen"
_CHANGE = "textDocument/didChange"
_CANCEL = "$/cancelRequest"
_EXIT = "exit"
_INITIALIZED = "initialized"
_CORE = (
    "rollout_ls.workspace.document",
    "rollout_ls.workspace.settings",
    "rollout_ls.workspace.zones",
    "rollout_ls.features.hover",
    "rollout_ls.features.navigation",
    "rollout_ls.features.outline",
    "rollout_ls.wire.outline",
    "rollout_ls.features.folding",
    "rollout_ls.features.hints",
    "rollout_ls.features.lenses",
    "rollout_ls.features.tokens",
    "rollout_ls.features.links",
    "rollout_ls.features.selection",
)


class _Cancel(msgspec.Struct):
    id: Id


_decode_cancel = msgspec.json.Decoder(_Cancel).decode


def read_all(descriptor: int, server: RolloutServer) -> None:
    """Reads until the input ends or the client says ``exit``."""

    def read(size: int) -> bytes:
        try:
            return os.read(descriptor, size)
        except OSError:
            return b""

    frames = Frames(read)
    while not frames.ended:
        try:
            for message in read_messages(frames):
                if _take(message, server):
                    return
        except Exception as error:
            log_exception("reading", error)
    server.leaving.begin(finish=True)


def _take(message: Message, server: RolloutServer) -> bool:
    """Hands one message over; whether it was the last one."""
    try:
        _hand_over(message, server)
    except Exception as error:
        log_exception("reading a message", error)
    if not isinstance(message, Notification):
        return False
    if message.method == _INITIALIZED:
        import_core()
        server.loop.call_soon_threadsafe(server.turns.watch)
    if message.method == _EXIT:
        server.leaving.begin()
    return message.method == _EXIT


def import_core() -> None:
    """Imports and builds what the first document and the first questions need, before they come. Not on the loop."""
    try:
        for name in _CORE:
            import_module(name)
        from rollout_ls.formats.records import prepare

        prepare()
        gc.freeze()  # modules stay; looking through them again and again is felt
    except ImportError as error:
        log_exception("importing", error)


def _hand_over(message: Message, server: RolloutServer) -> None:
    protocol, post = server.protocol, server.loop.call_soon_threadsafe
    if isinstance(message, Request):
        ticket = server.requests.begin(message)
        if ticket is not None:
            post(protocol.request, message, ticket)
    elif isinstance(message, Notification):
        if message.method == _CANCEL:
            _cancel(message, server)
        elif message.method in (_OPEN, _CHANGE):
            _prepare(message, protocol, server)
        else:
            post(protocol.notification, message)
    elif isinstance(message, Fault):
        server.outbox.answer(message.echo, error_message(message.echo, message.code, message.message))
    else:
        post(protocol.response, message)


def _cancel(message: Notification, server: RolloutServer) -> None:
    try:
        ident = _decode_cancel(message.params).id
    except msgspec.MsgspecError:
        return
    ticket = server.requests.cancel(ident)
    if ticket is not None:
        server.loop.call_soon_threadsafe(server.protocol.cancelled, ticket)


def _prepare(message: Notification, protocol: RolloutProtocol, server: RolloutServer) -> None:
    """Makes of a text what the loop can take at once."""
    post = server.loop.call_soon_threadsafe
    prepare = prepare_open if message.method == _OPEN else prepare_edit
    try:
        prepared = prepare(message.params, message.texts)
    except ValueError:
        logger.warning("a %s with bad parameters was ignored", message.method)
    except Exception as error:
        log_exception(message.method, error)
    else:
        size = len(message.params) + sum(len(piece) for text in message.texts for piece in text)
        post(protocol.notification, Notification(message.method, b"", [], size), prepared)
        return
    if message.method == _CHANGE:
        post(server.change_failed, message.params)
