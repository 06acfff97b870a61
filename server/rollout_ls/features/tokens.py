"""Semantic tokens: what a record is, by colour; echoes and what was taken back fade, failures stand out.

The value that names a record's kind is coloured by the kind's family, ids of calls and turns alike everywhere. A record
that only repeats another, that was rolled back or copied is dimmed as a whole: all of it but these values is a comment.
Only for the lines asked for, and nothing behind ``MAX_COLUMN``; where the values of a record stand is kept with its
line.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from rollout_ls.features.legend import Mark, TokenSort
from rollout_ls.formats.records import Name, spans_of
from rollout_ls.formats.statement import (
    Call,
    CallMirror,
    Compaction,
    Header,
    Message,
    Naming,
    Notice,
    Reasoning,
    Result,
    Rollback,
    Settings,
    Statement,
    TurnEnd,
    TurnStart,
    Unknown,
    Usage,
)
from rollout_ls.projection.entry import Ref
from rollout_ls.projection.session import Session
from rollout_ls.text.columns import offset_of
from rollout_ls.text.rows import Line, Place

MAX_COLUMN = 20_000
"""Columns of a row (UTF-16 units) behind which nothing is coloured: editors draw no more than 10,000."""


class Token(msgspec.Struct, frozen=True, gc=False):
    """A coloured place. It may reach over several rows where lone carriage returns stand in the line."""

    place: Place
    sort: TokenSort
    marks: tuple[Mark, ...] = ()


def tokens(session: Session, lines: Iterable[Line]) -> list[Token]:
    """The tokens of some lines, in order and without overlaps."""
    found: list[Token] = []
    for line in lines:
        reach = _reach(line)
        for statement in line.reading.statements:
            if statement.start < reach:
                found += _of_record(session, Ref(line, statement), reach)
    return found


def _reach(line: Line) -> int:
    """The byte offset behind which nothing of a line is coloured (of its last row, where it has several)."""
    if line.end <= MAX_COLUMN:
        return line.end
    begin = line.cuts[-1] if line.cuts else 0
    piece = line.data[begin : min(line.end, begin + 4 * MAX_COLUMN)]
    return begin + offset_of(piece, MAX_COLUMN, "utf-16")


def _of_record(session: Session, ref: Ref, reach: int) -> list[Token]:
    line, statement = ref.line, ref.statement
    marks = _marks(session, ref)
    dimmed = any(mark != "failed" for mark in marks)
    found: list[Token] = []
    at = statement.start
    end = min(reach, line.end if statement.end < 0 else statement.end)
    for start, stop, is_id in _values(ref):
        if start < at or stop > end:
            continue
        if dimmed and start > at:
            found.append(Token(Place(line, at, start), "comment", marks))
        found.append(Token(Place(line, start, stop), "variable" if is_id else _sort(session, ref), marks))
        at = stop
    if dimmed and end > at:
        found.append(Token(Place(line, at, end), "comment", marks))
    return found


# -- what a record is
_SORTS: tuple[tuple[type[Statement] | tuple[type[Statement], ...], TokenSort], ...] = (
    ((Header, Naming), "namespace"),
    ((TurnStart, TurnEnd, Settings, Rollback), "keyword"),
    (Reasoning, "macro"),
    (Call, "function"),
    ((Result, CallMirror), "method"),
    (Usage, "number"),
    ((Compaction, Notice), "event"),
    (Unknown, "regexp"),
)


def _sort(session: Session, ref: Ref) -> TokenSort:
    statement = ref.statement
    if not isinstance(statement, Message):
        return next((sort for sorts, sort in _SORTS if isinstance(statement, sorts)), "comment")
    if statement.actor in ("model", "agent"):
        return "type" if statement.actor == "model" else "interface"
    entry = session.entry_near(ref)
    return "string" if entry is not None and entry.what == "user" else "comment"


def _marks(session: Session, ref: Ref) -> tuple[Mark, ...]:
    statement = ref.statement
    marks: list[Mark] = []
    owner = session.owner_of(ref)
    nested = isinstance(statement, CallMirror) and statement.nested
    if isinstance(statement, Call | Result | CallMirror):
        call = ref if nested else owner
        if isinstance(call.statement, Call | CallMirror) and session.call_end(call).outcome == "failed":
            marks.append("failed")
    if isinstance(statement, Usage):
        left = session.usage_left_out.get(statement)
        if left is not None and left.same_as is not None:
            marks.append("mirror")
    elif owner.statement is not statement and not nested and not isinstance(statement, Result):
        marks.append("mirror")
    turn = session.turn_of(ref)
    if turn is not None and turn.rolled_back_by is not None and turn.rolled_back_by.statement is not statement:
        marks.append("rolledBack")
    if turn is not None and turn.inherited:
        marks.append("inherited")
    return tuple(marks)


# -- where its values stand
_CALL_NAMES: tuple[Name, ...] = ("discriminator", "call id", "turn id")
_NAMES: tuple[Name, ...] = ("discriminator", "turn id")


def _values(ref: Ref) -> tuple[tuple[int, int, bool], ...]:
    """(start, end, whether it is an id) of the coloured values of a record, without their quotes, in order."""
    notes = ref.line.reading.notes
    if notes is None:
        notes = ref.line.reading.notes = {}
    key = f"values {ref.statement.start}"
    if key not in notes:
        notes[key] = _found_values(ref)
    found: tuple[tuple[int, int, bool], ...] = notes[key]
    return found


def _found_values(ref: Ref) -> tuple[tuple[int, int, bool], ...]:
    data = ref.line.data
    names = _CALL_NAMES if isinstance(ref.statement, Call | Result | CallMirror) else _NAMES
    found = []
    for name, span in spans_of(data, ref.statement, names).items():
        start, end = span.start, span.end
        if data[start : start + 1] != b'"' or end - start <= 2:
            continue
        found.append((start + 1, end - 1, name != "discriminator"))
    return tuple(sorted(set(found)))
