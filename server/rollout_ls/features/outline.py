"""The outline: the session, its turns with their entries, and what stands outside turns.

Given by branches, each with what it is drawn from, so that whoever keeps what was made of a branch makes it anew only
where that has changed. Decides nothing that the projection has not decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from rollout_ls.features.symbol import Symbol, SymbolKind
from rollout_ls.features.words import (
    call_name,
    counted,
    entry_name,
    first_words,
    last_record,
    one_line,
    session_detail,
    session_name,
    turn_detail,
    turn_name,
)
from rollout_ls.formats.statement import Call, CallMirror, Statement
from rollout_ls.projection.entry import Entry, Ref
from rollout_ls.projection.session import Session
from rollout_ls.projection.surroundings import Limits
from rollout_ls.projection.turns import Turn
from rollout_ls.text.columns import offset_of
from rollout_ls.text.display import duration_text
from rollout_ls.text.rows import Line, Place

_LIMITS = Limits()
_COLUMNS = 200
"""Columns of a record that are selected, in UTF-16 units."""

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


class Branch(msgspec.Struct, frozen=True, gc=False):
    """Neighbouring top nodes of the outline, not worked out yet.

    While ``basis`` is equal for one ``root``, ``symbols`` are the same, wherever their lines have moved. Without a root
    they are worked out each time.
    """

    symbols: Callable[[], tuple[Symbol, ...]]
    root: Statement | str | None = None
    basis: tuple[object, ...] = ()


def outline(session: Session, limits: Limits = _LIMITS) -> tuple[Symbol, ...]:
    """The symbols of a document, in file order below each node. Entries are left out where there are too many."""
    return tuple(symbol for branch in branches(session, limits) for symbol in branch.symbols())


def branches(session: Session, limits: Limits = _LIMITS) -> Iterator[Branch]:
    """The same, one branch after the other."""
    if session.header is None and not session.turns and not any(True for _ in session.entries()):
        yield Branch(partial(_raw_records, session, limits.symbols))
        return
    room = _Room(limits.entry_symbols)
    yield Branch(partial(_session_symbol, session))
    span = session.inherited_span
    if span is not None:
        yield _inherited(session, span, [_turn_branch(session, turn, room) for turn in session.turns if turn.inherited])
    for turn in session.own_turns:
        yield _turn_branch(session, turn, room)
    yield _outside(session, room)


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
    data = line.data
    if not start and not line.cuts and line.size > _COLUMNS + len(b"\r\n") and data[:_COLUMNS].isascii():
        return Place(line, 0, _COLUMNS)
    row, _ = line.row_of(start)
    _, end = line.row_span(row)
    piece = data[start : min(end, start + 4 * _COLUMNS)]
    return Place(line, start, start + offset_of(piece, _COLUMNS, "utf-16"))


def _session_symbol(session: Session) -> tuple[Symbol, ...]:
    ref = session.header_ref
    if ref is None:
        return ()
    name, detail = session_name(session), session_detail(session)
    return (Symbol(name, detail, "Module", ref.line, ref.line, _select(ref.line, ref.statement.start)),)


def _inherited(session: Session, span: tuple[Line, Line], turns: list[Branch]) -> Branch:
    """Copied turns, below a node of their own."""
    head, header = session.copied_header, session.header
    source = getattr(head.statement, "thread_id", "") if head is not None else ""
    source = source or (header.forked_from or header.parent_id if header is not None else "")
    return Branch(
        partial(_inherited_symbol, source, span, turns),
        "inherited",
        (source, span, [(turn.root, turn.basis) for turn in turns]),
    )


def _inherited_symbol(source: str, span: tuple[Line, Line], turns: list[Branch]) -> tuple[Symbol, ...]:
    symbol = Symbol(
        name=f"Inherited from {one_line(source, 80)}",
        detail=counted(len(turns), "turn"),
        kind="Namespace",
        first=span[0],
        last=span[1],
        selection=_select(span[0]),
        children=tuple(symbol for turn in turns for symbol in turn.symbols()),
        deprecated=True,
    )
    return (symbol,)


def _turn_branch(session: Session, turn: Turn, room: _Room) -> Branch:
    entries = session.entries_of(turn)
    shown = [entry for entry in entries if not session.is_nested(entry)]
    count = room.take(len(shown))
    tokens = session.usage.of_turn(turn).total
    last = turn.end or last_record(session, turn)
    basis = (turn, count, tuple(shown), tokens, last, session.basis_of(entries))
    return Branch(partial(_turn_symbol, session, turn, shown, count), turn.start.start.statement, basis)


def _turn_symbol(session: Session, turn: Turn, entries: list[Entry], count: int) -> tuple[Symbol, ...]:
    dim = turn.inherited or turn.rolled_back_by is not None
    start = turn.start.start
    symbol = Symbol(
        name=turn_name(session, turn),
        detail=turn_detail(session, turn),
        kind="Namespace",
        first=turn.first,
        last=turn.last,
        selection=_select(start.line, start.statement.start),
        children=_children(session, entries, count, dim=dim),
        deprecated=dim,
    )
    return (symbol,)


def _children(session: Session, shown: list[Entry], count: int, *, dim: bool) -> tuple[Symbol, ...]:
    """The symbols of the first ``count`` entries, and one that tells how many more there are."""
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
    line, statement = ref.line, ref.statement
    last = line
    children: tuple[Symbol, ...] = ()
    if isinstance(statement, Call):
        last = _last_line(session, ref)
        children = _nested(session, ref, dim) if statement.script else ()
    name = entry_name(session, entry, steer=steer)
    detail = _call_detail(session, ref) if entry.what in ("call", "nested_call") else ""
    selection = _select(line, statement.start)
    return Symbol(name, detail, _KINDS.get(entry.what, "Object"), line, last, selection, children, dim)


def _nested(session: Session, script: Ref, dim: bool) -> tuple[Symbol, ...]:
    """The calls that a script made."""
    return tuple(
        Symbol(
            call_name(session, one), "", "Function", one.line, one.line, _select(one.line, one.statement.start), (), dim
        )
        for one in session.links_of(script, "nested")
        if isinstance(one.statement, CallMirror)
    )


def _last_line(session: Session, call: Ref) -> Line:
    """The line of the last record of a call: it goes to its result."""
    result = session.result_of(call)
    if result is None or result.line is call.line:
        return call.line
    return max(call.line, result.line, key=session.buffer.order_of)


def _call_detail(session: Session, call: Ref) -> str:
    duration = session.call_end(call).duration_ms
    words = "" if getattr(call.statement, "tool", "") == "web_search" else first_words(call)
    if duration <= 0:
        return words
    return f"{words}, {duration_text(duration)}" if words else duration_text(duration)


def _outside(session: Session, room: _Room) -> Branch:
    """Entries outside turns, but for rollbacks."""
    entries = session.entries_of(None)
    shown = [entry for entry in entries if entry.what != "rollback" and not session.is_nested(entry)]
    count = room.take(len(shown))
    work = partial(_children, session, shown, count, dim=False)
    return Branch(work, "outside", (count, tuple(shown), session.basis_of(entries)))


def _raw_records(session: Session, most: int) -> tuple[Symbol, ...]:
    """One symbol a line of a file in which nothing was recognised; none where a line is not even JSON."""
    lines = [line for line in session.buffer if line.reading.statements]
    symbols = [Symbol("raw record", "", "Object", line, line, _select(line)) for line in lines[:most]]
    if len(lines) > most:
        first = lines[most]
        more = f"... {len(lines) - most:,} more"
        symbols.append(Symbol(more, "", "Object", first, lines[-1], _select(first)))
    return tuple(symbols)
