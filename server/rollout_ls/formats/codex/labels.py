"""The words that a one-line name of a Codex record begins with, without reading the rest of the record.

For outlines, which name thousands of records at a time. Looks into the few fields that hold such words and skips the
others; whatever is not as expected is left to ``content``, so both always agree. Never decodes more text than it must.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import orjson

from rollout_ls.formats.codex.content import content_of, first_argument
from rollout_ls.formats.codex.injected import spoken
from rollout_ls.formats.statement import Call, Message, Reasoning, Statement

_T = TypeVar("_T")


class _Part(msgspec.Struct, gc=False):
    text: str | None = None


class _Spoken(msgspec.Struct, gc=False):
    content: list[_Part]


class _Shown(msgspec.Struct, gc=False):
    message: str


class _Thought(msgspec.Struct, gc=False):
    summary: list[_Part]


class _ShownThought(msgspec.Struct, gc=False):
    text: str


class _Called(msgspec.Struct, gc=False):
    arguments: str


class _CalledFreely(msgspec.Struct, gc=False):
    input: str


class _ItemThought(msgspec.Struct, gc=False):
    summary_text: list[str]


class _Item(msgspec.Struct, Generic[_T], gc=False):
    item: _T


class _Line(msgspec.Struct, Generic[_T], gc=False):
    payload: _T


class _Decoders(NamedTuple):
    """For a record in its envelope, and for a bare one."""

    line: msgspec.json.Decoder[Any]
    bare: msgspec.json.Decoder[Any]


def _decoders(payload: Any) -> _Decoders:
    return _Decoders(msgspec.json.Decoder(_Line[payload]), msgspec.json.Decoder(payload))


_Words = tuple[_Decoders, Callable[[Any], str]]
"""Where the words of a sort of record stand, and how they are put together."""

_MESSAGES: dict[str, _Words] = {
    "item": (_decoders(_Spoken), lambda found: _joined(found.content)),
    "event": (_decoders(_Shown), lambda found: found.message),
    "display": (_decoders(_Item[_Spoken]), lambda found: _joined(found.item.content)),
}
_THOUGHTS: dict[str, _Words] = {
    "item": (_decoders(_Thought), lambda found: _joined(found.summary)),
    "event": (_decoders(_ShownThought), lambda found: found.text),
    "display": (_decoders(_Item[_ItemThought]), lambda found: "".join(found.item.summary_text)),
}
_CALL: _Words = (_decoders(_Called), lambda found: first_argument(orjson.loads(found.arguments)))
_FREE_CALL: _Words = (_decoders(_CalledFreely), lambda found: found.input)


def label_of(data: bytes, statement: Statement) -> str:
    """The text that a label of a record shows the beginning of: ``content_of(...).label``."""
    words = _words_of(statement)
    if words is None:
        return content_of(data, statement).label
    text = data if statement.end < 0 else data[statement.start : statement.end]
    decoders, put_together = words
    try:
        try:
            record = decoders.line.decode(text).payload
        except msgspec.ValidationError:
            if b'"payload"' in text:
                raise
            record = decoders.bare.decode(text)
        return put_together(record)
    except (msgspec.DecodeError, orjson.JSONDecodeError, RecursionError):
        return content_of(data, statement).label


def _words_of(statement: Statement) -> _Words | None:
    if statement.recovered:
        return None
    if isinstance(statement, Message):
        return _MESSAGES[statement.stream]
    if isinstance(statement, Call):
        if statement.kind.endswith("/function_call"):
            return _CALL
        return _FREE_CALL if statement.kind.endswith("/custom_tool_call") else None
    return _THOUGHTS[statement.stream] if isinstance(statement, Reasoning) else None


def _joined(parts: list[_Part]) -> str:
    if len(parts) == 1 and (parts[0].text or "")[:1] != "<":
        return parts[0].text or ""  # no mark of a picture
    return spoken(part.text for part in parts if part.text)
