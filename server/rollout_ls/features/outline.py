"""The outline: the session, its turns with their entries, and what stands outside turns."""

from __future__ import annotations

from rollout_ls.features.symbol import Symbol, SymbolKind
from rollout_ls.features.words import (
    call_name,
    counted,
    entry_name,
    first_words,
    one_line,
    session_detail,
    session_name,
    turn_detail,
    turn_name,
)
from rollout_ls.formats.statement import Call, CallMirror
from rollout_ls.projection.entry import Entry, Ref
from rollout_ls.projection.session import Session
from rollout_ls.projection.surroundings import Limits
from rollout_ls.projection.turns import Turn
from rollout_ls.text.columns import offset_of
from rollout_ls.text.display import duration_text
from rollout_ls.text.rows import Line, Place

_LIMITS = Limits()

_KINDS: dict[str, SymbolKind] = {
    "user": "String",
    "assistant": "String",
    "agent_message": "String",
    "reasoning": "Null",
    "context": "Constant",
    "call": "Function",
    "nested_call": "Function",
    "output": "Function",
    "compaction": "Event",
    "notice": "Event",
    "unknown": "Object",
}


def outline(session: Session, limits: Limits = _LIMITS) -> tuple[Symbol, ...]:
    """The symbols of a document, in file order below each node. Entries are left out where there are too many."""
    if session.header is None and not session.turns and not any(True for _ in session.entries()):
        return _raw_records(session, limits.symbols)
    room = _Room(limits.entry_symbols)
    symbols = [*_session_symbol(session)]
    inherited = _inherited(session, room)
    if inherited is not None:
        symbols.append(inherited)
    symbols += [_turn_symbol(session, turn, room) for turn in session.own_turns]
    symbols += _outside(session, room)
    return tuple(symbols)


class _Room:
    """How many entries may still be shown."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, wanted: int) -> int:
        given = min(wanted, self.left)
        self.left -= given
        return given


def _select(line: Line, start: int = 0) -> Place:
    """The start of a record, at most 200 columns."""
    row, _ = line.row_of(start)
    _, end = line.row_span(row)
    piece = line.data[start : min(end, start + 800)]
    return Place(line, start, start + offset_of(piece, 200, "utf-16"))


def _session_symbol(session: Session) -> tuple[Symbol, ...]:
    ref = session.header_ref
    if ref is None:
        return ()
    name, detail = session_name(session), session_detail(session)
    return (Symbol(name, detail, "Module", ref.line, ref.line, _select(ref.line, ref.statement.start)),)


def _inherited(session: Session, room: _Room) -> Symbol | None:
    span = session.inherited_span
    if span is None:
        return None
    first, last = span
    head = session.copied_header
    header = session.header
    source = getattr(head.statement, "thread_id", "") if head is not None else ""
    source = source or (header.forked_from or header.parent_id if header is not None else "")
    turns = [turn for turn in session.turns if turn.inherited]
    children = tuple(_turn_symbol(session, turn, room) for turn in turns)
    return Symbol(
        name=f"Inherited from {one_line(source, 80)}",
        detail=counted(len(turns), "turn"),
        kind="Namespace",
        first=first,
        last=last,
        selection=_select(first),
        children=children,
        deprecated=True,
    )


def _turn_symbol(session: Session, turn: Turn, room: _Room) -> Symbol:
    dim = turn.inherited or turn.rolled_back_by is not None
    start = turn.start.start
    return Symbol(
        name=turn_name(session, turn),
        detail=turn_detail(session, turn),
        kind="Namespace",
        first=turn.first,
        last=turn.last,
        selection=_select(start.line, start.statement.start),
        children=_children(session, session.entries_of(turn), room, dim=dim),
        deprecated=dim,
    )


def _children(session: Session, entries: list[Entry], room: _Room, *, dim: bool) -> tuple[Symbol, ...]:
    shown = [entry for entry in entries if not session.is_nested(entry)]
    count = room.take(len(shown))
    prompts = 0
    symbols = []
    for entry in shown[:count]:
        steer = entry.what == "user" and prompts > 0
        prompts += entry.what == "user"
        symbols.append(_entry_symbol(session, entry, steer=steer, dim=dim))
    left = len(shown) - count
    if left:
        first = shown[count].ref.line
        symbols.append(Symbol(f"... {left:,} more", "", "Object", first, shown[-1].ref.line, _select(first)))
    return tuple(symbols)


def _entry_symbol(session: Session, entry: Entry, *, steer: bool, dim: bool) -> Symbol:
    ref = entry.ref
    last = _last_line(session, ref)
    nested = session.links_of(ref, "nested") if isinstance(ref.statement, Call) else ()
    children = tuple(
        Symbol(
            call_name(session, one), "", "Function", one.line, one.line, _select(one.line, one.statement.start), (), dim
        )
        for one in nested
        if isinstance(one.statement, CallMirror)
    )
    return Symbol(
        name=entry_name(session, entry, steer=steer),
        detail=_detail(session, entry),
        kind=_KINDS.get(entry.what, "Object"),
        first=ref.line,
        last=last,
        selection=_select(ref.line, ref.statement.start),
        children=children,
        deprecated=dim,
    )


def _last_line(session: Session, ref: Ref) -> Line:
    """The line of the last record of an entry: a call goes to its result."""
    order = session.buffer.order_of
    result = session.result_of(ref) if isinstance(ref.statement, Call) else None
    lines = [ref.line, *([result.line] if result is not None else [])]
    return max(lines, key=order)


def _detail(session: Session, entry: Entry) -> str:
    if entry.what not in ("call", "nested_call"):
        return ""
    end = session.call_end(entry.ref)
    words = "" if getattr(entry.ref.statement, "tool", "") == "web_search" else first_words(entry.ref)
    parts = [one for one in (words, duration_text(end.duration_ms) if end.duration_ms > 0 else "") if one]
    return ", ".join(parts)


def _outside(session: Session, room: _Room) -> list[Symbol]:
    entries = [entry for entry in session.entries_of(None) if not _is_hidden(entry)]
    return list(_children(session, entries, room, dim=False))


def _is_hidden(entry: Entry) -> bool:
    return entry.what == "rollback"


def _raw_records(session: Session, most: int) -> tuple[Symbol, ...]:
    """One symbol a line of a file in which nothing was recognised; none where a line is not even JSON."""
    lines = [line for line in session.buffer if line.reading.statements]
    symbols = [Symbol("raw record", "", "Object", line, line, _select(line)) for line in lines[:most]]
    if len(lines) > most:
        first = lines[most]
        more = f"... {len(lines) - most:,} more"
        symbols.append(Symbol(more, "", "Object", first, lines[-1], _select(first)))
    return tuple(symbols)
