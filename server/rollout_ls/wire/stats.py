"""A session in numbers: turns, calls, failures, tokens, time. Reads the session and nothing else; never prints."""

from __future__ import annotations

from typing import Any

import msgspec

from rollout_ls.formats.records import time_of
from rollout_ls.formats.statement import Tokens
from rollout_ls.formats.times import milliseconds
from rollout_ls.projection.entry import Ref
from rollout_ls.projection.session import Session
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.display import label
from rollout_ls.text.rows import Line
from rollout_ls.text.secrets import mask

MAX_NAME_CHARACTERS = 120


class SessionStats(msgspec.Struct, frozen=True):
    """The numbers of one session, or of several together.

    ``turns`` are the file's own, aborted and rolled back ones too (these two are counted apart as well); what was
    copied from a parent is counted in ``inherited_turns`` only. ``calls`` and what follows are those of the own turns
    and of what stands outside turns. ``unanswered`` calls have no result. ``tokens`` are the own ones. ``milliseconds``
    is the time from the first record to the last, None where the records do not tell.
    """

    sessions: int = 1
    turns: int = 0
    aborted_turns: int = 0
    rolled_back_turns: int = 0
    inherited_turns: int = 0
    user_messages: int = 0
    assistant_messages: int = 0
    calls: int = 0
    failed_calls: int = 0
    unanswered_calls: int = 0
    compactions: int = 0
    tokens: Tokens = Tokens()
    tokens_rolled_back: Tokens = Tokens()
    lines: int = 0
    bytes: int = 0
    milliseconds: int | None = None
    id: str | None = None
    model: str | None = None
    version: str | None = None


def session_stats(session: Session, buffer: Buffer) -> SessionStats:
    """Counts one session."""
    own = [entry for turn in session.own_turns for entry in session.entries_of(turn)]
    own += [entry for entry in session.entries_of(None) if not entry.inherited]
    ends = [session.call_end(entry.ref).outcome for entry in own if entry.what in ("call", "nested_call")]
    turns = session.own_turns
    header = session.header
    model = next((model for turn in reversed(turns) if (model := session.model_of(turn))), "")
    return SessionStats(
        turns=len(turns),
        aborted_turns=sum(turn.status == "aborted" for turn in turns),
        rolled_back_turns=sum(turn.rolled_back_by is not None for turn in turns),
        inherited_turns=len(session.turns) - len(turns),
        user_messages=sum(entry.what == "user" for entry in own),
        assistant_messages=sum(entry.what == "assistant" for entry in own),
        calls=len(ends),
        failed_calls=ends.count("failed"),
        unanswered_calls=sum(end in ("no result", "pending", "interrupted") for end in ends),
        compactions=sum(entry.what == "compaction" for entry in own),
        tokens=session.usage.own,
        tokens_rolled_back=session.usage.rolled_back,
        lines=buffer.line_count,
        bytes=buffer.byte_count,
        milliseconds=_span(buffer),
        id=_name(header.thread_id) if header is not None else None,
        model=_name(model or (header.model if header is not None else "")),
        version=_name(header.version) if header is not None else None,
    )


def total(stats: list[SessionStats]) -> SessionStats:
    """Several sessions together; what cannot be added up is None."""
    sums: dict[str, Any] = {}
    for name in SessionStats.__struct_fields__:
        values = [getattr(one, name) for one in stats]
        if name in ("id", "model", "version"):
            continue
        if name == "milliseconds":
            known = [value for value in values if value is not None]
            sums[name] = sum(known) if known else None
        else:
            sums[name] = sum(values, Tokens() if name.startswith("tokens") else 0)
    return SessionStats(**sums)


def _name(text: str) -> str | None:
    return label(mask(text), MAX_NAME_CHARACTERS) or None


def _span(buffer: Buffer) -> int | None:
    """Milliseconds from the first record with a time to the last one."""
    first = next((time for line in buffer if (time := _time(line)) is not None), None)
    line = buffer.last_line
    while line is not None and first is not None:
        last = _time(line)
        if last is not None:
            return last - first if last >= first else None
        line = buffer.before(line)
    return None


def _time(line: Line) -> int | None:
    for statement in line.reading.statements:
        ref = Ref(line, statement)
        time = milliseconds(time_of(ref.line.data, ref.statement))
        if time is not None:
            return time
    return None
