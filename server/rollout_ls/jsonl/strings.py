"""JSON inside strings: offsets through the escapes of a string token, and whether a text is JSON itself.

A record holds texts with an inside of their own: arguments, outputs, patches. A place inside such a text becomes a
place on the line here, and back. Never fails, and never repairs what a model wrote.
"""

from __future__ import annotations

import re

import msgspec
import orjson

from rollout_ls.jsonl.mend import half_surrogates
from rollout_ls.jsonl.scan import scan
from rollout_ls.jsonl.tokens import SPACE, soften

# A surrogate pair, another escape, or half an escape at the end.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[\x00-\x7f]?", re.DOTALL
)
_NO_SPACE = re.compile(rb"[^ \t\r\n]")


def decoded_to_raw(text: bytes, offset: int) -> int:
    """Where in a string token the decoded byte stands.

    `text` is the token with its quotes, UTF-8; `offset` counts UTF-8 bytes of the decoded value. Inside the character
    of an escape it gives the escape's start; from the decoded end on, the closing quote.
    """
    decoded = 0  # the decoded length of what stands before `raw`
    raw = 1
    for match in _ESCAPE.finditer(text, 1):
        start, end = match.span()
        if decoded + start - raw > offset:
            break
        decoded += start - raw
        raw = start
        size = _decoded_size(match.group())
        if decoded + size > offset:
            return raw
        decoded += size
        raw = end
    return min(raw + max(offset - decoded, 0), max(len(text) - 1, 1))


def raw_to_decoded(text: bytes, offset: int) -> int:
    """How many UTF-8 bytes of the decoded value stand before the byte at `offset` of a string token (see above).

    Inside an escape: before that escape. On the opening quote 0, on the closing one and behind it all.
    """
    limit = max(min(offset, len(text) - 1), 1)
    decoded = 0
    raw = 1
    for match in _ESCAPE.finditer(text, 1):
        start, end = match.span()
        if start >= limit:
            break
        decoded += start - raw
        raw = start
        if end > limit:
            return decoded
        decoded += _decoded_size(match.group())
        raw = end
    return decoded + limit - raw


def _decoded_size(escape: bytes) -> int:
    """How many UTF-8 bytes an escape stands for; half a surrogate pair for the three of U+FFFD."""
    if len(escape) < 6:
        return 1
    if len(escape) == 12:
        return 4
    code = int(escape[2:], 16)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3


class InnerFault(msgspec.Struct, frozen=True):
    """Why a text is not one JSON value. `offset` counts characters of the text."""

    offset: int
    what: str


def inner_json_fault(inner: str) -> InnerFault | None:
    """What keeps a text, such as a call's arguments, from being one JSON value; None where nothing does."""
    try:
        orjson.loads(inner)
    except orjson.JSONDecodeError:
        return _inner_fault(inner)
    return None


def _inner_fault(inner: str) -> InnerFault | None:
    text = inner.encode("utf-8", "replace")
    end = len(text.rstrip(SPACE))
    start = len(text) - len(text.lstrip(SPACE))
    if start >= end:
        return InnerFault(0, "empty")
    plain = soften(text)
    found = scan(text, plain, start, end)

    def characters(offset: int) -> int:
        return len(text[:offset].decode("utf-8", "replace"))

    if found.state == "cut":
        at = characters(end)
        return InnerFault(at, f"unexpected end after {at} character{'' if at == 1 else 's'}")
    if found.state == "bad":
        at = characters(found.start)
        return InnerFault(at, f"breaks at offset {at}")
    behind = _NO_SPACE.search(text, found.end, end)
    if behind is not None:
        at, more = characters(behind.start()), characters(end) - characters(behind.start())
        value = "object" if text[start] == 0x7B else "value"
        many = "" if more == 1 else "s"
        return InnerFault(at, f"a complete {value} followed by {more} extra character{many} at inner offset {at}")
    if found.huge:
        at = characters(found.huge[0][0])
        return InnerFault(at, f"breaks at offset {at}")
    for half in half_surrogates(plain, start, end):
        at = characters(half)
        return InnerFault(at, f"half a surrogate pair at offset {at}")
    return None
