"""Jumps: from a result to its call and back, from a mirror to its entry, from the end of a turn to its start, from the
id of a thread to its file; and all records that belong together.

Answers places and symbolic targets; whoever moves messages resolves them. Pairs nothing itself.
"""

from __future__ import annotations

import re

from rollout_ls.features.target import Jump, Thread
from rollout_ls.formats.records import Name, spans_of
from rollout_ls.formats.statement import Call, CallMirror, Result, Statement, TurnEnd, TurnStart
from rollout_ls.jsonl.spans import path_at
from rollout_ls.projection.entry import Ref
from rollout_ls.projection.session import Session
from rollout_ls.text.columns import offset_of
from rollout_ls.text.rows import Line, Place

_UUID = re.compile(rb"(?<![0-9a-fA-F-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9a-fA-F-])")
_UUID_BYTES = 36
_MAX_UNITS = 200
MAX_REFERENCES = 10_000


def ref_at(line: Line, offset: int) -> Ref | None:
    """The record of a line that an offset stands in (the nearest one, where damage stands between)."""
    statements: tuple[Statement, ...] = line.reading.statements
    if not statements:
        return None
    for statement in statements:
        if statement.end < 0 or offset < statement.end:
            return Ref(line, statement)
    return Ref(line, statements[-1])


def definition(session: Session, line: Line, offset: int) -> tuple[Jump, ...]:
    """Where a cursor leads, the most specific first."""
    ref = ref_at(line, offset)
    if ref is None:
        return ()
    jumps = []
    origin = _origin(ref, offset)
    thread = _thread_at(session, ref, offset)
    if thread is not None:
        jumps.append(Jump(thread[0], Thread(thread[1])))
    partner = partner_of(session, ref)
    if partner is not None:
        jumps.append(Jump(origin, record_start(partner)))
    return tuple(jumps)


def partner_of(session: Session, ref: Ref) -> Ref | None:
    """The record that a record leads to; None where it leads nowhere."""
    statement = ref.statement
    owner = session.owner_of(ref)
    if owner.statement is not statement:
        return owner
    if isinstance(statement, Call):
        return session.result_of(ref)
    if isinstance(statement, CallMirror):
        return None
    if isinstance(statement, Result):
        return session.compaction_of(ref)
    if isinstance(statement, TurnStart | TurnEnd):
        return _turn_partner(session, ref)
    return session.about(ref)


def _turn_partner(session: Session, ref: Ref) -> Ref | None:
    turn = session.turn_of_mark(ref)
    if turn is None:
        return None
    return turn.end if turn.start.start.statement is ref.statement else turn.start.start


def record_start(ref: Ref) -> Place:
    """The start of a record, at most 200 columns of it."""
    end = ref.line.end if ref.statement.end < 0 else ref.statement.end
    return cut_place(ref.line, max(0, ref.statement.start), end)


def cut_place(line: Line, start: int, end: int) -> Place:
    """A place of at most 200 columns, within its row."""
    row, _ = line.row_of(start)
    _, row_end = line.row_span(row)
    piece = line.data[start : min(end, row_end, start + 4 * _MAX_UNITS)]
    return Place(line, start, start + offset_of(piece, _MAX_UNITS, "utf-16"))


def _origin(ref: Ref, offset: int) -> Place:
    """The value under the cursor, else the call id's value, else the record."""
    text, base = _text_of(ref)
    if 0 < offset - base < len(text):
        path, span, on_key = path_at(text, offset - base)
        if path and not on_key and text[span.start : span.start + 1] not in (b"{", b"["):
            return cut_place(ref.line, base + span.start, base + span.end)
    return _id_place(ref)


_ID_NAMES: tuple[Name, ...] = ("call id", "turn id")


def _text_of(ref: Ref) -> tuple[bytes, int]:
    data, statement = ref.line.data, ref.statement
    return (data, 0) if statement.end < 0 else (data[statement.start : statement.end], statement.start)


def _uuid_at(line: Line, offset: int) -> tuple[int, int] | None:
    """The bytes of the UUID that an offset touches."""
    begin = max(0, offset - _UUID_BYTES)
    for match in _UUID.finditer(line.data[begin : offset + _UUID_BYTES + 1]):
        if begin + match.start() <= offset <= begin + match.end():
            return begin + match.start(), begin + match.end()
    return None


def _thread_at(session: Session, ref: Ref, offset: int) -> tuple[Place, str] | None:
    """The thread id under the cursor: not the file's own, and no turn's."""
    spot = _uuid_at(ref.line, offset)
    if spot is None:
        return None
    thread_id = ref.line.data[spot[0] : spot[1]].decode("ascii").lower()
    header = session.header
    if header is not None and header.thread_id.lower() == thread_id:
        return None
    if thread_id == ref.statement.turn_id.lower() or thread_id == getattr(ref.statement, "call_id", "").lower():
        return None
    return Place(ref.line, *spot), thread_id


# -- what belongs together
def references(session: Session, line: Line, offset: int) -> tuple[Place, ...]:
    """All records of the entry at a place and of its partner; on the id of a turn or a thread all that name it."""
    ref = ref_at(line, offset)
    if ref is None:
        return ()
    spot = _uuid_at(line, offset)
    if spot is not None and _names_turn_or_thread(ref, line.data[spot[0] : spot[1]]):
        return _all_that_name(session, line.data[spot[0] : spot[1]])
    refs = family_of(session, ref)
    return tuple(_id_place(one) for one in refs)


def _names_turn_or_thread(ref: Ref, found: bytes) -> bool:
    call_id = getattr(ref.statement, "call_id", "")
    return found.decode("ascii") != call_id


def _all_that_name(session: Session, wanted: bytes) -> tuple[Place, ...]:
    places = []
    token = b'"' + wanted + b'"'
    for line in session.buffer:
        at = line.data.find(token)
        if at >= 0 and line.reading.statements:
            places.append(Place(line, at + 1, at + 1 + len(wanted)))
            if len(places) >= MAX_REFERENCES:
                break
    return tuple(places)


def family_of(session: Session, ref: Ref) -> list[Ref]:
    """A record with all that belongs to its entry, in file order."""
    owner = session.owner_of(ref)
    found = {owner.statement: owner, ref.statement: ref}
    for one in session.links_of(owner):
        found[one.statement] = one
        for mirror in session.links_of(one, "mirror"):
            found[mirror.statement] = mirror
    for mirror in session.links_of(owner, "mirror"):
        found[mirror.statement] = mirror
    result = session.result_of(owner) if isinstance(owner.statement, Call) else None
    partner = result or partner_of(session, ref)
    if partner is not None:
        found[partner.statement] = partner
    return sorted(found.values(), key=lambda one: (session.buffer.order_of(one.line), one.statement.start))


def _id_place(ref: Ref) -> Place:
    """The value by which a record is paired; the record where it has none."""
    found = spans_of(ref.line.data, ref.statement, _ID_NAMES)
    span = next((found[name] for name in _ID_NAMES if name in found), None)
    return cut_place(ref.line, span.start, span.end) if span is not None else record_start(ref)
