"""The words that a one-line name of a Codex record begins with, without reading the rest of the record.

For outlines, which name thousands of records at a time. Looks into the few fields that hold such words and skips the
others; whatever is not as expected is left to ``content``, so both always agree. Never decodes more text than it must.
"""

from __future__ import annotations

from typing import Any

import msgspec
import orjson
from msgspec import Raw

from rollout_ls.formats.codex.content import content_of, first_argument
from rollout_ls.formats.codex.injected import spoken
from rollout_ls.formats.statement import Call, Message, Reasoning, Statement

_NONE = Raw(b"")


class _Part(msgspec.Struct, gc=False):
    text: str | None = None


class _Peek(msgspec.Struct, gc=False):
    """The fields of a payload, an item or a bare record in which words stand, undecoded."""

    content: Raw = _NONE
    message: Raw = _NONE
    text: Raw = _NONE
    summary: Raw = _NONE
    summary_text: Raw = _NONE
    arguments: Raw = _NONE
    input: Raw = _NONE
    item: Raw = _NONE


class _Line(msgspec.Struct, gc=False):
    payload: _Peek


_line = msgspec.json.Decoder(_Line)
_bare = msgspec.json.Decoder(_Peek)
_parts = msgspec.json.Decoder(list[_Part])
_texts = msgspec.json.Decoder(list[str])
_string = msgspec.json.Decoder(str)


def label_of(data: bytes, statement: Statement) -> str:
    """The text that a label of a record shows the beginning of: ``content_of(...).label``."""
    try:
        words = _quick(data, statement)
    except (msgspec.DecodeError, orjson.JSONDecodeError, RecursionError):
        words = None
    return content_of(data, statement).label if words is None else words


def _quick(data: bytes, statement: Statement) -> str | None:
    sort = type(statement)
    if sort not in (Message, Reasoning, Call) or statement.recovered:
        return None
    text = data if statement.end < 0 else data[statement.start : statement.end]
    peek = _bare.decode(text) if b'"payload"' not in text[:400] else _line.decode(text).payload
    stream = getattr(statement, "stream", "item")
    if stream == "display":
        peek = _bare.decode(peek.item)
    if sort is Message:
        if stream == "event":
            return _string.decode(peek.message) if peek.message else None
        return _joined(peek.content)
    if sort is Reasoning:
        return _thought(peek, stream)
    if statement.kind.endswith("/function_call"):
        return first_argument(orjson.loads(_string.decode(peek.arguments)))
    if statement.kind.endswith("/custom_tool_call"):
        return _string.decode(peek.input)
    return None


def _thought(peek: _Peek, stream: Any) -> str | None:
    if stream == "event":
        return _string.decode(peek.text)
    if stream == "display":
        return "".join(_texts.decode(peek.summary_text)) if peek.summary_text else None
    return _joined(peek.summary)


def _joined(parts: Raw) -> str | None:
    return spoken(part.text for part in _parts.decode(parts) if part.text) if parts else None
