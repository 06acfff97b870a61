"""How JSON text is cut into tokens: what every reader in this package that goes token by token shares.

A token costs a step of Python, so only text that the fast decoders refuse, or that has been found to hold something
odd, comes here. Nothing here recurses: nesting a million levels deep is a long list, not a deep stack.
"""

from __future__ import annotations

import re

import orjson

QUOTE, COMMA, COLON = b'",:'
OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY = b"{}[]"
OPENING, CLOSING = b"{[", b"}]"
SPACE = b" \t\r\n"

# On softened text: a string (its closing quote may be missing at the end), one structural byte, or a word.
TOKEN = re.compile(rb'"[^"]*"?|[{}\[\]:,]|[^ \t\r\n"{}\[\]:,]+')
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(rb"-?[0-9]+")
LITERALS = frozenset((b"true", b"false", b"null"))

MAX_PATH_PARTS = 16
MAX_KEY_CHARACTERS = 60
SHORTEST_INFINITE_NUMBER = 5  # bytes: 1e309


def soften(text: bytes) -> bytes:
    """The same text with each escaped backslash and escaped quote as ``__``: now a string ends at the next quote.

    The length stays. Outside strings, where no backslash may stand, this can only change what is broken anyway.
    """
    if b"\\" not in text:
        return text
    return text.replace(b"\\\\", b"__").replace(b'\\"', b"__")


def is_infinite(number: bytes) -> bool:
    """Whether a JSON number is too large for a 64-bit float, at which decoders give up."""
    if len(number) < SHORTEST_INFINITE_NUMBER:
        return False
    if len(number) < 309 and b"e" not in number and b"E" not in number:
        return False
    return float(number) in (float("inf"), float("-inf"))


def key_name(token: bytes) -> str:
    """A key as it reads, from its token with the quotes; of a long one the beginning."""
    try:
        name = str(orjson.loads(token))
    except orjson.JSONDecodeError:
        name = token.strip(b'"').decode("utf-8", "replace")
    return name if len(name) <= MAX_KEY_CHARACTERS else name[:MAX_KEY_CHARACTERS] + "..."


def dotted_path(text: bytes, plain: bytes, objects: list[bool], marks: list[int], depth: int | None = None) -> str:
    """The path of the innermost field of a stack of open containers, as `payload.content[0].text`.

    For each container `objects` says whether it is an object; `marks` holds the byte offset of its present key (-1:
    none), or the index of its present element. Only the first `depth` containers count, and of a long path the
    beginning.
    """
    parts: list[str] = []
    for is_object, mark in zip(objects[:depth], marks[:depth], strict=True):
        if mark < 0:
            break
        if len(parts) == MAX_PATH_PARTS:
            parts.append("...")
            break
        if is_object:
            end = plain.find(b'"', mark + 1)
            name = key_name(text[mark : end + 1] if end >= 0 else text[mark:] + b'"')
            parts.append(f".{name}" if parts else name)
        else:
            parts.append(f"[{mark}]")
    return "".join(parts)
