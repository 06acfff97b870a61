"""What a compaction did to the model's history: what it kept, rewrote and dropped, in items and bytes.

Worked out when somebody asks, from the records since the compaction before. Copies inside a compaction are no entries
of the session; nothing else pairs by them but a result that has no call on any line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from rollout_ls.formats.history import HistoryItem
from rollout_ls.formats.records import history_items
from rollout_ls.formats.statement import Compaction
from rollout_ls.projection.entry import Ref

if TYPE_CHECKING:
    from rollout_ls.projection.session import Session

MAX_LINES = 50_000
"""Lines that are looked back at most; an effect over more is told as one of at least so much."""


class Amount(msgspec.Struct, frozen=True):
    """How many items, and how many bytes of JSON they are."""

    items: int = 0
    bytes: int = 0


class Effect(msgspec.Struct, frozen=True):
    """What a compaction made of the history before it.

    ``kept``: stands in the new history as it was. ``rewritten``: new there (a summary), or changed (an output that was
    cut). ``dropped``: stood in the old one only. ``whole`` tells whether all of the history before could be looked at.
    """

    kept: Amount
    rewritten: Amount
    dropped: Amount
    whole: bool = True


def effect_of(session: Session, ref: Ref) -> Effect | None:
    """The effect of a compaction record; None of any other record, and of a mere sign of a compaction."""
    compaction = ref.statement
    if not isinstance(compaction, Compaction) or compaction.marker:
        return None
    new = history_items(ref.line.data, compaction)
    old, whole = _history_before(session, ref)
    if not compaction.listed:
        kept = [item for item in old if item.human]
        dropped = [item for item in old if not item.human]
        return Effect(_amount(kept), _amount(new), _amount(dropped), whole)
    waiting: dict[Any, list[HistoryItem]] = defaultdict(list)
    for item in reversed(old):
        waiting[_key(item)].append(item)
    left = {id(item) for item in old}
    same: list[HistoryItem] = []
    rewritten: list[HistoryItem] = []
    for item in new:
        known = waiting.get(_key(item))
        before = known.pop() if known else None
        if before is not None:
            left.discard(id(before))
        (same if before is not None and before.size == item.size else rewritten).append(item)
    return Effect(_amount(same), _amount(rewritten), _amount([item for item in old if id(item) in left]), whole)


def _key(item: HistoryItem) -> Any:
    """Items that nothing names are the same where they are of one size: sealed thoughts, mostly."""
    return item.key if item.key is not None else item.size


def _amount(items: list[HistoryItem] | tuple[HistoryItem, ...]) -> Amount:
    return Amount(len(items), sum(item.size for item in items))


def _history_before(session: Session, ref: Ref) -> tuple[list[HistoryItem], bool]:
    """(the history that stood when a compaction was written, whether it is all of it), without what was rolled back."""
    found: list[list[HistoryItem]] = []
    for seen, (line_ref, alive) in enumerate(_backwards(session, ref)):
        if seen >= MAX_LINES:
            return [item for items in reversed(found) for item in items], False
        statement = line_ref.statement
        if not alive:
            continue
        items = list(history_items(line_ref.line.data, statement))
        if items:
            found.append(items)
        if isinstance(statement, Compaction) and not statement.marker and statement.listed:
            break
    return [item for items in reversed(found) for item in items], True


def _backwards(session: Session, ref: Ref) -> Iterator[tuple[Ref, bool]]:
    """Records before one, the nearest first, each with whether its turn still stood then."""
    order = session.buffer.order_of
    at = order(ref.line)
    line = ref.line
    while True:
        for statement in reversed(line.reading.statements):
            if line is ref.line and statement.start >= ref.statement.start:
                continue
            turn = session.turn_at(line, statement.turn_id)
            back = turn.rolled_back_by if turn is not None else None
            yield Ref(line, statement), back is None or order(back.line) > at
        before = session.buffer.before(line)
        if before is None:
            return
        line = before
