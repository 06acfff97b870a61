"""Recognises what a file is when nothing in it is a record of a known format.

Looks at the first lines only, once, and only when reading recognised nothing. Never guesses: what has no unmistakable
mark stays unnamed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import orjson

from rollout_ls.jsonl.spans import Path, find

ZSTD_MAGIC = (b"\x28\xb5\x2f\xfd", b"\x28\xef\xbf\xbd\x2f\xef\xbf\xbd")
"""How zstd bytes begin, as they are and as an editor's text shows them."""

_EXEC_EVENTS = ("thread.", "turn.", "item.", "error")
_OTHER_AGENT_KEYS = ("parentUuid", "sessionId", "uuid", "isSidechain", "leafUuid")


class Foreign(msgspec.Struct, frozen=True):
    """Another format: what it is, and the bytes of its line that tell (0 and 0: the line itself)."""

    name: str
    line: int
    start: int = 0
    end: int = 0


def foreign_format(lines: Sequence[bytes]) -> Foreign | None:
    """The other format that some first lines (blank ones left out) are of; None where they do not tell."""
    if not lines:
        return None
    head = lines[0].lstrip(b"\xef\xbb\xbf \t").lower()
    if head.startswith(b"version https://git-lfs"):
        return Foreign("a pointer of git-lfs: the file itself was not fetched", 0)
    if head.startswith((b"<!doctype html", b"<html")):
        return Foreign("an HTML page", 0)
    for number, line in enumerate(lines):
        value = _object(line)
        if value is None:
            continue
        found = _foreign_record(line, number, value)
        if found is not None:
            return found
    if _spans_lines(lines):
        return Foreign("one JSON document over many lines; a rollout has one record a line", 0)
    return None


def is_one_document(lines: Sequence[bytes]) -> bool:
    """Whether some first lines (blank ones left out) belong to one JSON document, although parts of it look like
    records: a bracket alone opens them, and no line but the last of a list is an object of its own."""
    if len(lines) < 2 or lines[0].strip() not in (b"{", b"[", b"[{"):
        return False
    return _object(lines[1]) is None and sum(_object(line) is not None for line in lines[2:]) <= 1


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _foreign_record(line: bytes, number: int, value: dict[str, Any]) -> Foreign | None:
    kind = value.get("type")
    if isinstance(kind, str) and "." in kind and kind.startswith(_EXEC_EVENTS):
        return _at(line, number, ("type",), "the event stream of `codex exec --json`, not a stored rollout")
    if any(key in value for key in _OTHER_AGENT_KEYS) and "payload" not in value:
        path: Path = ("type",) if isinstance(kind, str) else (next(key for key in _OTHER_AGENT_KEYS if key in value),)
        return _at(line, number, path, "the transcript of another agent")
    if isinstance(value.get("session"), dict) and isinstance(value.get("items"), list):
        return _at(line, number, ("session",), "a session of the TypeScript CLI, one JSON document")
    return None


def _at(line: bytes, number: int, path: Path, name: str) -> Foreign:
    span = find(line, path)
    return Foreign(name, number, span.start, span.end) if span is not None else Foreign(name, number)


def _spans_lines(lines: Sequence[bytes]) -> bool:
    """Whether the first line opens a JSON value that it does not close, and the next is no record of its own."""
    if len(lines) < 2 or _object(lines[0]) is not None:
        return False
    first = lines[0].strip()
    return first in (b"{", b"[", b"[{") or (first.startswith((b"{", b"[")) and first.endswith((b"{", b"[", b",")))
