"""What a compaction did to the model's history: what it kept, rewrote and dropped, in items and bytes.

Worked out when somebody asks, from the records since the compaction before. Copies inside a compaction are no entries
of the session; nothing else pairs by them but a result that has no call on any line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from rollout_ls.formats.history import HistoryItem
from rollout_ls.formats.records import history_items
from rollout_ls.formats.statement import Compaction
from rollout_ls.projection.entry import Ref
from rollout_ls.text.rows import Line

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
    found: list[tuple[HistoryItem, ...]] = []
    dead = _taken_back(session, ref)
    seen = 0
    for line, order in _lines_backwards(session, ref):
        seen += 1
        if seen > MAX_LINES:
            break
        if dead and _is_inside(dead, order):
            continue
        for statement in reversed(line.reading.statements):
            if line is ref.line and statement.start >= ref.statement.start:
                continue
            items = history_items(line.data, statement)
            if items:
                found.append(items)
            if isinstance(statement, Compaction) and not statement.marker and statement.listed:
                return [item for items in reversed(found) for item in items], True
    return [item for items in reversed(found) for item in items], seen <= MAX_LINES


def _lines_backwards(session: Session, ref: Ref) -> Iterator[tuple[Line, tuple[int, int]]]:
    """The line of a record and those before it, each with its order."""
    number, index = session.buffer.order_of(ref.line)
    while number >= 0:
        lines = session.buffer.blocks[number].lines
        for place in range(index if index >= 0 else len(lines) - 1, -1, -1):
            yield lines[place], (number, place)
        number, index = number - 1, -1


Span = tuple[tuple[int, int], tuple[int, int]]


def _taken_back(session: Session, ref: Ref) -> list[Span]:
    """The turns that were rolled back before a record, as (first, last) in file order."""
    order = session.buffer.order_of
    at = order(ref.line)
    turns = (turn for turn in session.turns if turn.rolled_back_by is not None and order(turn.rolled_back_by.line) < at)
    return [(order(turn.first), order(turn.last)) for turn in turns]


def _is_inside(spans: list[Span], order: tuple[int, int]) -> bool:
    index = bisect_right(spans, order, key=lambda span: span[0]) - 1
    return index >= 0 and order <= spans[index][1]
