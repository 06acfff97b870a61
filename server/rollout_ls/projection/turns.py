"""Turns: where they begin and end, how they ended, whose they are.

What befell a turn stands in the folds of its blocks; only all of them together tell its last line and its number. Made
anew for each session; looks at no text but the times at the head of copied history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from rollout_ls.formats.records import time_of
from rollout_ls.formats.statement import Rollback, Statement, TurnEnd
from rollout_ls.formats.times import milliseconds
from rollout_ls.projection.entry import OpenTurn, Ref
from rollout_ls.projection.fold import BlockFold
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.rows import Line

Status = Literal["completed", "aborted", "open", "no end record", "rolled back"]


class Turn(msgspec.Struct, frozen=True):
    """One turn. ``number`` counts the file's own turns from 1; inherited ones have none.

    ``last`` is the line that the turn ends on; ``end`` its end record, where it has one.
    """

    start: OpenTurn
    number: int | None
    first: Line
    last: Line
    status: Status
    reason: str
    end: Ref | None
    next_start: Ref | None
    inherited: bool = False
    """Whether it was copied from the thread that this one comes from."""
    rolled_back_by: Ref | None = None

    @property
    def turn_id(self) -> str:
        return self.start.turn_id


def turns_of(buffer: Buffer, folds: Sequence[BlockFold], copied_header: Ref | None) -> tuple[Turn, ...]:
    """All turns in the order in which they begin."""
    order = buffer.order_of
    opened: list[OpenTurn] = []
    ends: dict[Statement, tuple[str, Ref]] = {}
    alive: list[OpenTurn] = []
    taken: dict[Statement, Ref] = {}
    for fold in folds:
        for event in fold.turn_events:
            if event.what == "rolled-back":
                count = event.ref.statement.turns if isinstance(event.ref.statement, Rollback) else 0
                for turn in alive[max(0, len(alive) - count) :]:
                    taken[turn.start.statement] = event.ref
                del alive[max(0, len(alive) - count) :]
            elif event.turn is None:
                continue
            elif event.what == "opened":
                opened.append(event.turn)
                alive.append(event.turn)
            elif event.what in ("closed", "aborted"):
                key = event.turn.start.statement
                if key not in ends or (ends[key][0] != "aborted" and event.what == "aborted"):
                    ends[key] = (event.what, event.ref)
    last_line = _last_line(buffer)
    copied = _copied_turns(buffer, folds, copied_header, opened)
    turns, number = [], 0
    for index, turn in enumerate(opened):
        following = opened[index + 1].start if index + 1 < len(opened) else None
        how, end = ends.get(turn.start.statement, ("", None))
        reason, status = "", "completed"
        if how == "aborted" and end is not None:
            reason = end.statement.reason if isinstance(end.statement, TurnEnd) else ""
            status = "aborted"
        elif not how:
            status = "open" if following is None else "no end record" if turn.explicit else "completed"
        if turn.explicit and end is not None:
            last = end.line
        elif following is not None:
            last = _line_before(buffer, following) or turn.start.line
        else:
            last = last_line or turn.start.line
        if order(last) < order(turn.start.line):
            last = turn.start.line
        if not turn.explicit and following is None and status == "open" and answer_of_implicit(folds, turn):
            status = "completed"
        back = taken.get(turn.start.statement)
        inherited = turn.inherited or turn.start.statement in copied
        if not inherited:
            number += 1
        turns.append(
            Turn(
                start=turn,
                number=None if inherited else number,
                inherited=inherited,
                first=turn.start.line,
                last=last,
                status="rolled back" if back is not None else status,  # type: ignore[arg-type]
                reason=reason,
                end=end if turn.explicit or how == "aborted" else None,
                next_start=following,
                rolled_back_by=back,
            )
        )
    return tuple(turns)


_COPY_GAP_MS = 200
"""Records that are copied into a new file are written at once; between them is less time than this."""


def _copied_turns(
    buffer: Buffer, folds: Sequence[BlockFold], head: Ref | None, opened: Sequence[OpenTurn]
) -> set[Statement]:
    """Starts of turns that nothing dates and that were written in one go behind the copied header.

    The last of them is the file's own where the model goes on with it later, or has not begun to: then it may be what
    was asked of the new thread at once.
    """
    undated = [turn for turn in opened if not turn.dated]
    if head is None or not undated:
        return set()
    order = buffer.order_of
    limit, last = order(head.line), None
    time = milliseconds(time_of(head.line.data, head.statement))
    line = buffer.after(head.line)
    while line is not None and time is not None:
        for statement in line.reading.statements:
            then = milliseconds(time_of(line.data, statement))
            time = then if then is not None and time <= then + _COPY_GAP_MS and then - time < _COPY_GAP_MS else None
            if time is None:
                break
            limit = order(line)
        line = buffer.after(line)
    inside = [turn for turn in undated if order(head.line) < order(turn.start.line) <= limit]
    if not inside:
        return set()
    last = inside[-1]
    begin = order(last.start.line)
    end = next((order(turn.start.line) for turn in opened if order(turn.start.line) > begin), None)
    answered = False
    for fold in folds:
        for entry in fold.entries:
            at = order(entry.ref.line)
            if entry.what in ("assistant", "reasoning", "call") and begin < at and (end is None or at < end):
                answered = True
                if at > limit:
                    return {turn.start.statement for turn in inside[:-1]}
    return {turn.start.statement for turn in (inside if answered else inside[:-1])}


def _last_line(buffer: Buffer) -> Line | None:
    """The last line that is not blank."""
    line = buffer.last_line
    while line is not None and not line.data.strip():
        line = buffer.before(line)
    return line


def _line_before(buffer: Buffer, ref: Ref) -> Line | None:
    """The line of what stands before a record: its own where another record stands before it there, never a blank."""
    if ref.line.reading.statements[0] is not ref.statement:
        return ref.line
    line = buffer.before(ref.line)
    while line is not None and line.reading.blank:
        line = buffer.before(line)
    return line


def answer_of_implicit(folds: Sequence[BlockFold], turn: OpenTurn) -> Ref | None:
    """The assistant message that follows the last call of a turn that has no marks of its own."""
    for fold in reversed(folds):
        for entry in reversed(fold.entries):
            if entry.turn != turn:
                continue
            if entry.what == "assistant":
                return entry.ref
            if entry.what in ("call", "nested_call"):
                return None
        if any(event.what == "opened" and event.turn == turn for event in fold.turn_events):
            return None
    return None
