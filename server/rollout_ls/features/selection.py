"""Selections that grow: from JSON inside a string over the values around the cursor to record, call, step and turn.

Answers places of one line up to the record, and stretches of lines above. Reads the one record only; what belongs
together was settled by the projection.
"""

from __future__ import annotations

import msgspec
import orjson

from rollout_ls.features.navigation import ref_at
from rollout_ls.formats.statement import Call
from rollout_ls.jsonl.spans import Span, way_to
from rollout_ls.jsonl.strings import decoded_to_raw, raw_to_decoded
from rollout_ls.projection.entry import Ref
from rollout_ls.projection.session import Session
from rollout_ls.projection.turns import Turn
from rollout_ls.text.rows import Line, Place

MAX_INNER = 3
"""Strings inside strings that are looked into; real files have two."""
MAX_INNER_BYTES = 128 << 10
"""A longer string is not looked into."""
MAX_LEVELS = 32
"""Levels of objects and arrays that a selection grows through, counted from the record; deeper ones are passed over."""
_SPACE = b" \t\r\n"


class Stretch(msgspec.Struct, frozen=True):
    """Whole lines, from the start of ``first`` to the end of ``last``."""

    first: Line
    last: Line


def selections(session: Session, line: Line, offset: int) -> tuple[Place | Stretch, ...]:
    """What a selection at an offset of a line may grow to, the smallest first; each holds the one before it."""
    ref = ref_at(line, offset)
    if ref is None:
        return (Place(line, 0, line.end),) if line.end else ()
    begin, end = _bounds(ref)
    text = line.data[begin:end]
    inside = [Place(line, begin + start, begin + stop) for start, stop in _values_around(text, offset - begin)]
    grown: list[Place | Stretch] = [*inside, Place(line, begin, end)]
    return tuple(_nested(grown, offset)) + _stretches(session, ref)


def _bounds(ref: Ref) -> tuple[int, int]:
    statement = ref.statement
    return max(0, statement.start), ref.line.end if statement.end < 0 else statement.end


def _nested(places: list[Place | Stretch], offset: int) -> list[Place]:
    """Those places that hold the offset and the one before them, without repetitions."""
    kept: list[Place] = []
    for place in places:
        if not isinstance(place, Place) or not place.start <= offset <= place.end:
            continue
        if kept and not (place.start <= kept[-1].start and kept[-1].end <= place.end):
            continue
        if kept and (place.start, place.end) == (kept[-1].start, kept[-1].end):
            continue
        kept.append(place)
    return kept


# -- values of the record
def _values_around(text: bytes, offset: int, depth: int = 0) -> list[tuple[int, int]]:
    """The values, members and objects around an offset of a JSON text, the smallest first, in bytes of the text."""
    if not 0 <= offset < len(text):
        return []
    _, (*around, innermost), on_key = way_to(text, offset)
    found = _inside_string(text, innermost, offset, on_key, depth)
    for span in (innermost, *reversed(around[: MAX_LEVELS + 1])):
        if span.key_start >= 0 and not (span is innermost and on_key):
            found += [(span.start, span.end), (span.key_start, span.end)]
        elif span.key_start >= 0:
            found += [(span.key_start, span.key_end), (span.key_start, span.end)]
        else:
            found.append((span.start, span.end))
    return found


def _inside_string(text: bytes, span: Span, offset: int, on_key: bool, depth: int) -> list[tuple[int, int]]:
    """What stands inside the string under the cursor: the values of its own JSON, if it is some; then its text."""
    start, end = (span.key_start, span.key_end) if on_key else (span.start, span.end)
    if text[start : start + 1] != b'"' or end - start < 2 or not start < offset < end:
        return []
    whole = [(start + 1, end - 1)]
    if on_key or depth >= MAX_INNER or end - start > MAX_INNER_BYTES:
        return whole
    token = text[start:end]
    inner = _inner_json(token)
    if inner is None:
        return whole
    at = raw_to_decoded(token, offset - start)
    around = _values_around(inner, at, depth + 1)
    return [(start + decoded_to_raw(token, a), start + decoded_to_raw(token, b)) for a, b in around] + whole


def _inner_json(token: bytes) -> bytes | None:
    """The text of a string token where it is an object or array in JSON."""
    if token[1:].lstrip(_SPACE)[:1] not in (b"{", b"["):
        return None
    try:
        decoded = orjson.loads(token)
        orjson.loads(decoded)
        return str(decoded).encode()
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return None


# -- what the record is part of
def _stretches(session: Session, ref: Ref) -> tuple[Stretch, ...]:
    """The record's line, its call with result, step, turn: each where it holds the one before and is more."""
    order = session.buffer.order_of
    grown = [Stretch(ref.line, ref.line)]
    wider = [_call_stretch(session, ref)]
    turn = session.turn_of(ref)
    if turn is not None:
        wider += [_step_stretch(session, ref, turn), Stretch(turn.first, turn.last)]
    last_line = session.buffer.last_line
    if last_line is not None:
        wider.append(Stretch(next(iter(session.buffer)), last_line))
    for one in wider:
        if one is None:
            continue
        old, new = (order(grown[-1].first), order(grown[-1].last)), (order(one.first), order(one.last))
        if new[0] <= old[0] and old[1] <= new[1] and new != old:
            grown.append(one)
    return tuple(grown)


def _call_stretch(session: Session, ref: Ref) -> Stretch | None:
    """From a call to its result, asked on any record of them."""
    owner = session.owner_of(ref)
    if not isinstance(owner.statement, Call):
        return None
    result = session.result_of(owner)
    return _around(session, [ref.line, owner.line, *([result.line] if result is not None else [])])


def _step_stretch(session: Session, ref: Ref, turn: Turn) -> Stretch | None:
    """The step of a turn that a record is part of, with its calls, results and tokens."""
    owner = session.owner_of(ref)
    members = (ref.statement, owner.statement)
    for step in session.steps_of(turn):
        refs = [*(entry.ref for entry in step.entries), *step.results, *step.usages]
        if any(one.statement in members for one in refs):
            return _around(session, [ref.line, *(one.line for one in refs)])
    return None


def _around(session: Session, lines: list[Line]) -> Stretch:
    return Stretch(min(lines, key=session.buffer.order_of), max(lines, key=session.buffer.order_of))
