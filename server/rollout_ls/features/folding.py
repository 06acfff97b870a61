"""Folds: each turn, and each call with its result. Turns first where there are too many."""

from __future__ import annotations

import msgspec

from rollout_ls.features.words import counted, one_line, outcome_words
from rollout_ls.projection.entry import Entry
from rollout_ls.projection.session import Session
from rollout_ls.projection.turns import Turn
from rollout_ls.text.rows import Line

MAX_FOLDS = 5_000


class Fold(msgspec.Struct, frozen=True):
    """From the first to the last of some lines. ``kind`` is the protocol's ("region"), None for plain ones.

    ``text`` is what stands there while it is closed; empty where nobody asked for it.
    """

    first: Line
    last: Line
    kind: str | None = None
    text: str = ""


def folds(session: Session, *, texts: bool = False) -> tuple[Fold, ...]:
    """The folds of a document, at most ``MAX_FOLDS``, turns first. ``texts``: with what stands there when closed."""
    found = [
        Fold(turn.first, turn.last, "region", _turn_text(session, turn) if texts else "")
        for turn in session.turns[:MAX_FOLDS]
        if turn.first is not turn.last
    ]
    for entry in session.entries():
        if len(found) >= MAX_FOLDS:
            break
        if entry.what != "call":
            continue
        result = session.result_of(entry.ref)
        if result is not None and result.line is not entry.ref.line:
            ends = sorted((entry.ref.line, result.line), key=session.buffer.order_of)
            found.append(Fold(ends[0], ends[1], None, _call_text(session, entry) if texts else ""))
    return tuple(found[:MAX_FOLDS])


def _turn_text(session: Session, turn: Turn) -> str:
    """``14 calls, 3 failed``; of a turn without calls its messages."""
    entries = session.entries_of(turn)
    calls = [entry for entry in entries if entry.what in ("call", "nested_call")]
    if not calls:
        messages = sum(entry.what in ("user", "assistant", "agent_message") for entry in entries)
        return counted(messages, "message") if messages else "..."
    failed = sum(session.call_end(entry.ref).outcome == "failed" for entry in calls)
    return f"{counted(len(calls), 'call')}, {failed:,} failed" if failed else counted(len(calls), "call")


def _call_text(session: Session, entry: Entry) -> str:
    tool = one_line(getattr(entry.ref.statement, "tool", ""), 60) or "call"
    outcome = outcome_words(session.call_end(entry.ref))
    return f"{tool} → {outcome}" if outcome else tool
