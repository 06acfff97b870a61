"""Folds: each turn, and each call with its result. Turns first where there are too many."""

from __future__ import annotations

import msgspec

from rollout_ls.projection.session import Session
from rollout_ls.text.rows import Line

MAX_FOLDS = 5_000


class Fold(msgspec.Struct, frozen=True):
    """From the first to the last of some lines. ``kind`` is the protocol's ("region"), None for plain ones."""

    first: Line
    last: Line
    kind: str | None = None


def folds(session: Session) -> tuple[Fold, ...]:
    """The folds of a document, at most ``MAX_FOLDS``."""
    found = [Fold(turn.first, turn.last, "region") for turn in session.turns if turn.first is not turn.last]
    for entry in session.entries():
        if len(found) >= MAX_FOLDS:
            break
        if entry.what != "call":
            continue
        result = session.result_of(entry.ref)
        if result is not None and result.line is not entry.ref.line:
            ends = sorted((entry.ref.line, result.line), key=session.buffer.order_of)
            found.append(Fold(ends[0], ends[1]))
    return tuple(found[:MAX_FOLDS])
