"""Steps through a session from where the cursor is: to the next turn, the one before, the next failed call."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Literal

from rollout_ls.features.navigation import partner_of, record_start, ref_at
from rollout_ls.projection.session import Session
from rollout_ls.text.rows import Line, Place

Step = Literal["next turn", "previous turn", "next failed call", "partner"]


def step_from(session: Session, line: Line, offset: int, step: Step) -> Place | None:
    """Where a step leads from an offset of a line; None where there is nothing further."""
    if step == "partner":
        ref = ref_at(line, offset)
        partner = partner_of(session, ref) if ref is not None else None
        return record_start(partner) if partner is not None else None
    if step == "next failed call":
        return _next_failed(session, line)
    starts = [turn.start.start for turn in session.turns]
    order = session.buffer.order_of
    orders = [order(start.line) for start in starts]
    at = bisect_right(orders, order(line)) if step == "next turn" else bisect_left(orders, order(line)) - 1
    return record_start(starts[at]) if 0 <= at < len(starts) else None


def _next_failed(session: Session, line: Line) -> Place | None:
    """The first failed call that stands behind a line."""
    order = session.buffer.order_of
    here, best = order(line), None
    for turn in (*session.turns, None):
        if turn is not None and order(turn.last) < here:
            continue
        if best is not None and turn is not None and order(turn.first) > order(best.line):
            continue
        for entry in session.entries_of(turn):
            at = order(entry.ref.line)
            if at <= here or entry.what not in ("call", "nested_call"):
                continue
            if best is not None and order(best.line) <= at:
                break
            if session.call_end(entry.ref).outcome == "failed":
                best = entry.ref
                break
    return record_start(best) if best is not None else None
