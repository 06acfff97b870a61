"""What came in, decoded as far as whoever passes it on needs: method, id, and the parameters still as JSON.

Never fails: what is no message is a ``Fault`` with the answer that JSON-RPC wants for it. Never decodes a document's
text as part of its message (see ``texts``), and never shows what a message held in a fault's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from rollout_ls.lsp.errors import INVALID_REQUEST, PARSE_ERROR
from rollout_ls.lsp.framing import PIECE_BYTES, Body, Frame, Frames, TooLarge
from rollout_ls.lsp.texts import mend, take_texts

Id: TypeAlias = "int | str"
Texts: TypeAlias = "list[list[bytes]]"

_NULL = b"null"


class _Envelope(msgspec.Struct):
    jsonrpc: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    method: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


class Request(msgspec.Struct, frozen=True):
    """Wants exactly one answer. ``echo`` is the id as the client wrote it."""

    id: Id
    echo: bytes
    method: str
    params: bytes
    texts: Texts


class Notification(msgspec.Struct, frozen=True):
    """Wants no answer."""

    method: str
    params: bytes
    texts: Texts
    size: int = 0
    """Bytes of the parameters where they were taken out already."""


class Response(msgspec.Struct, frozen=True):
    """The client's answer to a request of ours."""

    id: Id
    result: bytes
    error: bytes


class Fault(msgspec.Struct, frozen=True):
    """No message, but an answer is due: ``echo`` is its id as JSON, ``null`` where there is none to be seen."""

    echo: bytes
    code: int
    message: str


Message: TypeAlias = "Request | Notification | Response | Fault"

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]+|[\]}]+', re.DOTALL)
_TOO_DEEP = 64
"""Levels of a message that are not read where no decoder takes all of them; LSP has no need of ten."""
_decode_envelope = msgspec.json.Decoder(_Envelope).decode
_decode_any = msgspec.json.Decoder().decode
_decode_text = msgspec.json.Decoder(str).decode


def read_messages(frames: Frames) -> Iterator[Message]:
    """The messages of an input, up to its end."""
    while (frame := frames.next()) is not None:
        yield _read(frame, frames)


def _read(frame: Frame, frames: Frames) -> Message:
    no_texts: Texts = []
    if isinstance(frame, TooLarge):
        return Fault(_NULL, INVALID_REQUEST, "the message is larger than 1 GiB and was not read")
    if isinstance(frame, Body):
        message = decode(frame.data)
        if message is not None:
            return message
        body, texts = frame.data, no_texts
    else:
        body, texts = take_texts(frame.pieces)
        message = _decode_rest(body, texts)
        if message is not None:
            return message
    body = frames.resync(body)
    message = decode(body) if not texts else _decode_rest(body, texts)
    return message or Fault(_NULL, PARSE_ERROR, "the message is not JSON")


def decode(body: bytes) -> Message | None:
    """A message of a whole body; None where it is no JSON."""
    try:
        return _message(_decode_envelope(body), [])
    except msgspec.ValidationError:
        return _no_object(body)
    except (msgspec.DecodeError, RecursionError):
        return _decode_rest(*take_texts(body[at : at + PIECE_BYTES] for at in range(0, len(body), PIECE_BYTES)))


def _decode_rest(body: bytes, texts: Texts) -> Message | None:
    """The same for a body whose texts were taken out, which may still hold what UTF-8 cannot."""
    for attempt in (bytes, mend, _flattened):
        try:
            return _message(_decode_envelope(attempt(body)), texts)
        except msgspec.ValidationError:
            return _no_object(body)
        except RecursionError:
            continue
        except msgspec.DecodeError:
            if attempt is not bytes:
                return None
    return None


def _flattened(body: bytes) -> bytes:
    """A message that nests too deeply to be decoded, with ``[]`` for its deepest levels: its id wants an answer."""
    kept: list[bytes] = []
    depth = start = 0
    for token in _TOKEN.finditer(body):
        at, count = token.start(), token.end() - token.start()
        if body[at] in b"[{":
            if depth < _TOO_DEEP <= depth + count:
                kept.append(body[start : at + _TOO_DEEP - 1 - depth])
            depth += count
        elif body[at] in b"]}":
            if depth - count < _TOO_DEEP <= depth:
                kept.append(b"[]")
                start = at + depth - _TOO_DEEP + 1
            depth -= count
    return b"".join(kept) + body[start:] if depth == 0 else b""


def _no_object(body: bytes) -> Message | None:
    try:
        _decode_any(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return Fault(_NULL, INVALID_REQUEST, "a message is one JSON object")


def _message(envelope: _Envelope, texts: Texts) -> Message:
    echo = _NULL if isinstance(envelope.id, msgspec.UnsetType) else bytes(envelope.id)
    ident = _id(echo)
    answer_to = echo if ident is not None else _NULL
    if isinstance(envelope.jsonrpc, msgspec.UnsetType) or _text(envelope.jsonrpc) != "2.0":
        return Fault(answer_to, INVALID_REQUEST, 'a message says "jsonrpc": "2.0"')
    if isinstance(envelope.method, msgspec.UnsetType):
        if ident is None:
            return Fault(_NULL, INVALID_REQUEST, "a message has a method or an id")
        return Response(ident, bytes(envelope.result), bytes(envelope.error))
    method = _text(envelope.method)
    if method is None:
        return Fault(answer_to, INVALID_REQUEST, "a method is a string")
    params = bytes(envelope.params)
    if isinstance(envelope.id, msgspec.UnsetType):
        return Notification(method, params, texts)
    if ident is None:
        return Fault(_NULL, INVALID_REQUEST, "an id is a string or an integer")
    return Request(ident, echo, method, params, texts)


def _id(raw: bytes) -> Id | None:
    try:
        value: Any = _decode_any(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def _text(raw: msgspec.Raw) -> str | None:
    try:
        return _decode_text(raw)
    except msgspec.DecodeError:
        return None
