"""Where in a record's bytes the values stand that others point at.

Rules and features ask for a place by a neutral name; only this module knows under which keys a Codex record keeps it.
Works on any record, damaged ones too; never raises, and answers None where the value is not there.
"""

from __future__ import annotations

from typing import Literal

from msgspec.structs import astuple

from rollout_ls.formats.statement import Statement
from rollout_ls.jsonl.spans import Members, Path, Span, find, look_into, whole

Name = Literal[
    "discriminator",
    "call id",
    "turn id",
    "header id",
    "head of a bare file",
    "continued thread",
    "outer type key",
    "ordinal",
]

_PATHS: dict[Name, tuple[Path, ...]] = {
    "discriminator": (("payload", "type"), ("type",)),
    "call id": (
        ("payload", "call_id"),
        ("payload", "item", "id"),
        ("payload", "id"),
        ("payload", "callId"),
        ("call_id",),
        ("id",),
    ),
    "turn id": (("payload", "turn_id"), ("payload", "turnId")),
    "header id": (("payload", "id"),),
    "head of a bare file": (("id",),),
    "continued thread": (("payload", "history_base"),),
    "outer type key": (("type",),),
    "ordinal": (("ordinal",),),
}


def record_bytes(data: bytes, statement: Statement | None) -> tuple[bytes, int]:
    """(bytes of the record, its offset in the line). Without a statement: the line itself."""
    if statement is None or statement.end < 0:
        return data, 0
    return data[statement.start : statement.end], statement.start


def span_of(data: bytes, statement: Statement | None, name: Name) -> Span | None:
    """The span, in byte offsets of the line, of a named value of a record; None where it is not there."""
    text, base = record_bytes(data, statement)
    for path in _PATHS[name]:
        span = find(text, path, base)
        if span is not None and data[span.start : span.start + 4] != b"null":
            return span
    return None


def spans_of(data: bytes, statement: Statement | None, names: tuple[Name, ...]) -> dict[Name, Span]:
    """As ``span_of`` for several names at once: each object on the way is looked into once."""
    text, base = record_bytes(data, statement)
    known: dict[Path, Members] = {(): look_into(text, whole(text))}
    found: dict[Name, Span] = {}
    for name in names:
        for path in _PATHS[name]:
            span = _member_at(text, path, known)
            if span is not None and text[span.start : span.start + 4] != b"null":
                found[name] = Span(*(at + base if at >= 0 else at for at in astuple(span)))
                break
    return found


def _member_at(text: bytes, path: Path, known: dict[Path, Members]) -> Span | None:
    """The value at a path of keys; ``known`` are the members of the objects that were looked into."""
    holder, key = path[:-1], str(path[-1])
    inside = known.get(holder)
    if inside is None:
        around = _member_at(text, holder, known)
        if around is None:
            return None
        inside = known[holder] = look_into(text, around)
    return inside.get(key)


def value_span(data: bytes, statement: Statement | None, path: Path) -> Span | None:
    """The span of the value at a path of the record."""
    text, base = record_bytes(data, statement)
    return find(text, path, base)


THREAD_KEYS = frozenset(
    {
        "thread_id",
        "threadId",
        "session_id",
        "parent_thread_id",
        "forked_from_id",
        "agent_thread_id",
        "new_thread_id",
        "sender_thread_id",
        "receiver_thread_id",
        "receiver_thread_ids",
        "agent_id",
    }
)
"""Keys under which a Codex record names a thread."""
