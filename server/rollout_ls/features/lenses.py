"""Lenses: a line above the session's header and above each turn that says what it cost, and jumps from turn to turn.

Where lenses stand is cheap and given for the whole document; what they say is worked out for one at a time, when an
editor is about to draw it (``title_of``). Counts nothing that the projection does not hand out.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

import msgspec

from rollout_ls.features.moments import first_moment, last_moment
from rollout_ls.features.words import counted, turn_duration, turn_status
from rollout_ls.formats.statement import (
    Call,
    CallMirror,
    Compaction,
    Header,
    Message,
    Reasoning,
    Result,
    Settings,
    Statement,
    TurnEnd,
    TurnStart,
    Usage,
)
from rollout_ls.projection.entry import Entry, Ref
from rollout_ls.projection.session import Session
from rollout_ls.projection.turns import Turn
from rollout_ls.text.display import bytes_text, duration_text
from rollout_ls.text.rows import Line

MAX_LENSES = 6_000
"""Lenses of one document; the first turns have theirs."""
_SHARES_SHOWN = 5

LensSort = Literal["session", "bytes", "turn", "next turn", "next failed call"]
SORTS: frozenset[str] = frozenset(("session", "bytes", "turn", "next turn", "next failed call"))


class Lens(msgspec.Struct, frozen=True):
    """A lens above the record at ``ref``, of which only the sort is known."""

    ref: Ref
    sort: LensSort


class LensTitle(msgspec.Struct, frozen=True):
    """What a lens says; ``target`` is the record that it leads to, None where it only tells."""

    text: str
    target: Ref | None = None


def lenses(session: Session, *, jumps: bool) -> tuple[Lens, ...]:
    """All lenses, without what they say. ``jumps``: those too that only lead somewhere."""
    found: list[Lens] = []
    header = session.header_ref
    if header is not None:
        found += [Lens(header, "session"), Lens(header, "bytes")]
        if jumps and session.turns:
            found.append(Lens(header, "next turn"))
    for turn in session.turns:
        if len(found) >= MAX_LENSES:
            break
        start = turn.start.start
        found.append(Lens(start, "turn"))
        if jumps:
            found += [Lens(start, "next turn"), Lens(start, "next failed call")]
    return tuple(found[:MAX_LENSES])


def title_of(session: Session, line: Line, offset: int, sort: LensSort) -> LensTitle | None:
    """What the lens of a sort above a record says; None where there is no such lens (any more)."""
    statement = next((one for one in line.reading.statements if one.start == offset), None)
    if statement is None:
        return None
    header = session.header_ref
    if header is not None and header.statement is statement:
        if sort == "session":
            return LensTitle(_session_title(session))
        if sort == "bytes":
            return LensTitle(_bytes_title(session))
        if sort == "next turn" and session.turns:
            return LensTitle("first turn", session.turns[0].start.start)
    turn = session.turn_by_start.get(statement)
    if turn is None:
        return None
    if sort == "turn":
        return LensTitle(_turn_title(session, turn))
    if sort == "next turn":
        following = _after(session, turn)
        return LensTitle("next turn", following.start.start) if following is not None else LensTitle("last turn")
    if sort == "next failed call":
        failed = _failed_from(session, turn)
        return LensTitle("next failed call", failed) if failed is not None else LensTitle("no failed call from here on")
    return None


# -- what they say
def _session_title(session: Session) -> str:
    calls = failed = 0
    for turn in session.own_turns:
        of_turn, failed_of_turn = _calls(session, session.entries_of(turn))
        calls, failed = calls + of_turn, failed + failed_of_turn
    of_none, failed_of_none = _calls(session, session.entries_of(None))
    parts = [counted(len(session.own_turns), "turn"), *_call_words(calls + of_none, failed + failed_of_none)]
    total = session.usage.own.total
    if total:
        parts.append(f"{total:,} tokens")
    began, ended = first_moment(session), last_moment(session)
    if began is not None and ended is not None and ended > began:
        parts.append(duration_text(ended - began))
    return ", ".join(parts)


def _turn_title(session: Session, turn: Turn) -> str:
    head = "inherited turn" if turn.number is None else f"turn {turn.number}"
    parts = [f"{head}: {turn_status(turn)}"]
    duration = turn_duration(session, turn)
    if duration:
        parts.append(duration_text(duration))
    parts += _call_words(*_calls(session, session.entries_of(turn)))
    total = session.usage.of_turn(turn).total
    if total:
        parts.append(f"{total:,} tokens")
    return ", ".join(parts)


def _call_words(calls: int, failed: int) -> list[str]:
    return [*([counted(calls, "call")] if calls else []), *([f"{failed:,} failed"] if failed else [])]


def _calls(session: Session, entries: list[Entry]) -> tuple[int, int]:
    """(calls, failed ones) among some entries."""
    calls = [entry for entry in entries if entry.what in ("call", "nested_call")]
    return len(calls), sum(session.call_end(entry.ref).outcome == "failed" for entry in calls)


_FAMILIES: tuple[tuple[type[Statement] | tuple[type[Statement], ...], str], ...] = (
    (Message, "messages"),
    (Reasoning, "reasoning"),
    (Call, "calls"),
    (Result, "results"),
    (CallMirror, "events of calls"),
    (Usage, "token counts"),
    (Compaction, "compactions"),
    ((Header, Settings, TurnStart, TurnEnd), "session and turns"),
)


def family_of(statement: Statement) -> str:
    """The family of kinds that a record belongs to, in the plural."""
    return next((name for sorts, name in _FAMILIES if isinstance(statement, sorts)), "other")


def _bytes_title(session: Session) -> str:
    """How many bytes the document has, and the largest families of kinds."""
    by_sort: Counter[type] = Counter()
    samples: dict[type, Statement] = {}
    damaged = 0
    for line in session.buffer:
        statements = line.reading.statements
        if not statements:
            damaged += len(line.data)
            continue
        by_sort[type(statements[0])] += len(line.data)
        samples[type(statements[0])] = statements[0]
    sizes: Counter[str] = Counter()
    for sort, size in by_sort.items():
        sizes[family_of(samples[sort])] += size
    sizes["damaged or blank"] += damaged
    largest = [(name, size) for name, size in sizes.most_common() if size]
    shown = [f"{name} {bytes_text(size)}" for name, size in largest[:_SHARES_SHOWN]]
    rest = sum(size for _, size in largest[_SHARES_SHOWN:])
    if rest:
        shown.append(f"the rest {bytes_text(rest)}")
    return f"{bytes_text(session.buffer.byte_count)}: {', '.join(shown)}"


# -- where they lead
def _after(session: Session, turn: Turn) -> Turn | None:
    """The turn that begins next."""
    following = turn.next_start
    return session.turn_by_start.get(following.statement) if following is not None else None


def _failed_from(session: Session, turn: Turn) -> Ref | None:
    """The first failed call of a turn or of those behind it."""
    one: Turn | None = turn
    while one is not None:
        for entry in session.entries_of(one):
            if entry.what in ("call", "nested_call") and session.call_end(entry.ref).outcome == "failed":
                return entry.ref
        one = _after(session, one)
    return None
