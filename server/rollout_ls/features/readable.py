"""A session, or one turn of it, as a document to read: who said what, which calls were made and how they came out.

Markdown that is harmless whatever the records hold: headings and remarks are escaped, all else stands in fences longer
than any run of backticks inside; masked and printable; no links, no HTML. Long texts are cut, and their size is said.
Each row of the document knows which record it tells of, so that one can go back to it. Works in time linear in the
records; never pairs or counts anything itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from rollout_ls.features.hover import tokens_text
from rollout_ls.features.navigation import record_start
from rollout_ls.features.words import (
    call_name,
    counted,
    entry_name,
    lineage,
    one_line,
    phase_of,
    session_detail,
    session_name,
    turn_detail,
    turn_name,
)
from rollout_ls.formats.records import Part, content_of, time_of
from rollout_ls.formats.statement import Call, CallMirror, Message, Reasoning, Statement
from rollout_ls.formats.times import time_of_day
from rollout_ls.projection.entry import Entry, Ref
from rollout_ls.projection.session import Session
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.projection.turns import Turn
from rollout_ls.text.display import block, bytes_text, cut, fence, markdown_text
from rollout_ls.text.rows import Line, Place
from rollout_ls.text.secrets import mask_head

MAX_CHARACTERS = 4_000_000
"""Of one document; what does not fit is counted at its end."""
_MAX_PARTS = 60
_CLOCK = re.compile(r"^\d{4}-\d{2}-\d{2} ")
"""The day in front of a time, which the head of a turn tells for all that follows."""
_DAMAGED_CHARACTERS = 2_000
INHERITED = "inherited-"
"""How the key of an inherited turn begins; those of the file's own turns are their numbers."""


class Cuts(msgspec.Struct, frozen=True):
    """How much is shown of one text; ``context`` are the characters of what the harness injected."""

    characters: int
    rows: int
    context: int


OF_SESSION = Cuts(4_000, 60, 300)
OF_TURN = Cuts(60_000, 1_500, 4_000)


class Readable(msgspec.Struct, frozen=True):
    """A document. ``marks`` are (row from 0, place that it tells of, from this row on), by row."""

    text: str
    marks: tuple[tuple[int, Place], ...]

    def place_at(self, row: int) -> Place | None:
        """The record that a row tells of; None above the first one."""
        index = bisect_right(self.marks, row, key=lambda mark: mark[0]) - 1
        return self.marks[index][1] if index >= 0 else None


def turn_keys(session: Session) -> list[str]:
    """What names each turn of ``session.turns``: its number; ``inherited-2`` for the second copied one."""
    keys, copied = [], 0
    for turn in session.turns:
        copied += turn.number is None
        keys.append(f"{INHERITED}{copied}" if turn.number is None else str(turn.number))
    return keys


def turn_of_key(session: Session, key: str) -> Turn | None:
    """The turn that a key names; None where there is none."""
    number = key.removeprefix(INHERITED)
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        return None
    turns = session.own_turns if number == key else tuple(one for one in session.turns if one.inherited)
    return turns[int(number) - 1] if 0 < int(number) <= len(turns) else None


def teller_of(session: Session, line: Line) -> Line:
    """The line under which a document tells what a line says: that of the entry or call which it repeats or is about;
    the line itself where it stands for itself."""
    for statement in line.reading.statements:
        ref = Ref(line, statement)
        owner = session.owner_of(ref)
        about = session.about(owner)
        return (session.owner_of(about) if about is not None else owner).line
    return line


def session_page(session: Session, world: Surroundings) -> Readable:
    """The whole session. Of one that is very long the first turns; the rest is counted."""
    draft = _Draft(session, world, OF_SESSION, level=3)
    _session_head(draft)
    damaged = _damaged_by_turn(session)
    for at, turn in enumerate(session.turns):
        if draft.is_full:
            left = counted(len(session.turns) - at, "more turn")
            draft.say(f"{left}, left out here: the document would be too long. Each can be read by itself.")
            break
        _turn_head(draft, turn, 2)
        _happenings(draft, turn, damaged.get(turn.start.start.statement, []))
    outside = [entry for entry in session.entries_of(None) if entry.what != "rollback"]
    lines = damaged.get(None, [])
    if (outside or lines) and not draft.is_full:
        if session.turns:
            draft.head(2, "Outside of turns", None)
        _all_of(draft, outside, lines)
    return draft.done()


def turn_page(session: Session, turn: Turn, world: Surroundings) -> Readable:
    """One turn, with more of its texts."""
    draft = _Draft(session, world, OF_TURN, level=2)
    _turn_head(draft, turn, 1)
    _happenings(draft, turn, _damaged_by_turn(session).get(turn.start.start.statement, []))
    return draft.done()


class _Draft:
    """A document in work: its text, and which record each row tells of."""

    def __init__(self, session: Session, world: Surroundings, cuts: Cuts, level: int) -> None:
        self.session = session
        self.world = world
        self.cuts = cuts
        self.level = level
        """Of the headings of entries."""
        self._pieces: list[str] = []
        self._rows = 0
        self._size = 0
        self._marks: list[tuple[int, Place]] = []

    @property
    def is_full(self) -> bool:
        return self._size > MAX_CHARACTERS

    def at(self, place: Place) -> None:
        """What comes now tells of this place."""
        self._marks.append((self._rows, place))

    def head(self, level: int, text: str, place: Place | None) -> None:
        """A heading of printable text."""
        if place is not None:
            self.at(place)
        self.add(f"{'#' * level} {markdown_text(text)}")

    def say(self, text: str) -> None:
        """A remark of printable text."""
        self.add(markdown_text(text))

    def quote(self, text: str, language: str = "", limit: int | None = None) -> None:
        """A text of a record in a fence, cut where it is long."""
        if not text:
            return
        shown, whole = _shown(text, self.cuts, limit)
        self.add(fence(shown, language))
        if not whole:
            self.say(f"{min(len(shown), len(text)):,} of {len(text):,} characters shown")

    def add(self, markdown: str) -> None:
        """A block of Markdown and an empty row behind it."""
        self._pieces.append(markdown)
        self._rows += markdown.count("\n") + 2
        self._size += len(markdown)

    def done(self) -> Readable:
        return Readable("\n\n".join(self._pieces) + "\n" if self._pieces else "", tuple(self._marks))

    def where(self, *refs: Ref) -> str:
        """``line 7``, or ``lines 7 and 9``; with the time of the first one."""
        rows = list(dict.fromkeys(self.session.buffer.row_of(ref.line) + 1 for ref in refs))
        told = f"line {rows[0]}" if len(rows) == 1 else f"lines {' and '.join(map(str, rows))}"
        written = time_of(refs[0].line.data, refs[0].statement)
        time = time_of_day(written, self.world.utc_offset_minutes, self.world.zone)
        return f"{_CLOCK.sub('', time)}, {told}" if time else told


def _shown(text: str, cuts: Cuts, limit: int | None) -> tuple[str, bool]:
    """(the beginning of a text, masked and printable; whether it is all)."""
    most = cuts.characters if limit is None else limit
    head = block(mask_head(text, most))
    rows = head.split("\n", cuts.rows)
    whole = len(text) <= most and len(rows) <= cuts.rows
    head, was_cut = cut("\n".join(rows[: cuts.rows]), most)
    return head, whole and not was_cut


# -- heads
def _session_head(draft: _Draft) -> None:
    session = draft.session
    ref = session.header_ref
    draft.head(1, session_name(session), record_start(ref) if ref is not None else None)
    if session.naming is not None:
        draft.say(f"Title: {one_line(content_of(session.naming.line.data, session.naming.statement).label, 300)}")
    draft.say(session_detail(session))
    usage = session.usage
    counts = [counted(len(session.own_turns), "turn"), bytes_text(session.buffer.byte_count)]
    draft.say(", ".join(counts) + (f"; tokens: {tokens_text(usage.own)}" if usage.own.total else ""))
    if session.inherited_span is not None and session.header is not None:
        draft.say(f"Turns that were copied stand first: {one_line(lineage(session.header), 300) or 'inherited'}")


def _turn_head(draft: _Draft, turn: Turn, level: int) -> None:
    session = draft.session
    draft.head(level, turn_name(session, turn), record_start(turn.start.start))
    row_of = session.buffer.row_of
    first, last = row_of(turn.first) + 1, row_of(turn.last) + 1
    facts = [turn_detail(session, turn), f"line {first}" if first == last else f"lines {first} to {last}"]
    model, start = session.model_of(turn), turn.start.start
    began = time_of_day(time_of(start.line.data, start.statement), draft.world.utc_offset_minutes, draft.world.zone)
    draft.say(" · ".join([*facts, *(one for one in (one_line(model, 60), began) if one)]))
    if turn.rolled_back_by is not None:
        draft.say(f"Taken back by line {row_of(turn.rolled_back_by.line) + 1}.")


# -- what happened
def _happenings(draft: _Draft, turn: Turn, damaged: list[Line]) -> None:
    _all_of(draft, draft.session.entries_of(turn), damaged)


def _all_of(draft: _Draft, entries: Iterable[Entry], damaged: list[Line]) -> None:
    """Entries and damaged lines in file order."""
    session = draft.session
    order = session.buffer.order_of
    shown: list[tuple[tuple[int, int], int, Entry | Line]] = [
        (order(entry.ref.line), entry.ref.statement.start, entry) for entry in entries if not session.is_nested(entry)
    ]
    shown += [(order(line), 0, line) for line in damaged]
    shown.sort(key=lambda one: one[:2])
    prompts = 0
    for at, (_, _, one) in enumerate(shown):
        if draft.is_full:
            draft.say(f"{len(shown) - at:,} more, left out here: the document would be too long.")
            return
        if isinstance(one, Entry):
            prompts += one.what == "user"
            _entry(draft, one, steer=one.what == "user" and prompts > 1)
        else:
            _damaged(draft, one)


def _entry(draft: _Draft, entry: Entry, *, steer: bool) -> None:
    ref = entry.ref
    if isinstance(ref.statement, Call | CallMirror):
        _call(draft, ref, draft.level)
        return
    name = _speaker(draft.session, entry, steer) or entry_name(draft.session, entry)
    draft.head(draft.level, f"{name} ({draft.where(ref)})", record_start(ref))
    if entry.what == "rollback":
        return
    limit = draft.cuts.context if entry.what in ("context", "compaction") else None
    language = "markdown" if isinstance(ref.statement, Message | Reasoning) else ""
    _quote_parts(draft, content_of(ref.line.data, ref.statement).parts, language, limit)


def _speaker(session: Session, entry: Entry, steer: bool) -> str:
    """Who speaks; empty for what is no speech."""
    statement = entry.ref.statement
    if entry.what == "user":
        return "User (steer)" if steer else "User"
    if entry.what == "assistant":
        return "Assistant (commentary)" if phase_of(session, entry) == "commentary" else "Assistant"
    if entry.what == "agent_message" and isinstance(statement, Message):
        return f"Message from {one_line(statement.author, 60) or 'another agent'}"
    if entry.what == "context" and isinstance(statement, Message):
        return f"Context ({one_line(statement.context, 60) or 'user role'})"
    return "Reasoning" if entry.what == "reasoning" else ""


def _call(draft: _Draft, ref: Ref, level: int) -> None:
    """A call, what it gave back, and the calls that it made itself."""
    session = draft.session
    result = session.result_of(ref)
    name = call_name(session, ref).replace(" -> ", " → ")
    draft.head(level, f"{name} ({draft.where(ref)})", record_start(ref))
    _quote_parts(draft, content_of(ref.line.data, ref.statement).parts, "", None)
    if isinstance(ref.statement, Call):
        for one in session.links_of(ref, "nested"):
            if isinstance(one.statement, CallMirror):
                _call(draft, one, min(6, level + 1))
    if result is not None:
        draft.at(record_start(result))
        draft.say(f"Result ({draft.where(result)})")
        _quote_parts(draft, content_of(result.line.data, result.statement).parts, "", None)


def _quote_parts(draft: _Draft, parts: tuple[Part, ...], language: str, limit: int | None) -> None:
    for part in parts[:_MAX_PARTS]:
        title = one_line(part.title, 200)
        if part.omitted:
            draft.say(f"{one_line(part.omitted, 80)}, {_size_of(part)}")
            continue
        if not part.text:
            if part.title not in ("text", "summary"):
                draft.say(f"{title}: (empty)")
            continue
        if part.title not in ("text", "summary", "command", "output"):
            draft.say(f"{title}:")
        draft.quote(part.text, part.language or language, limit)
    if len(parts) > _MAX_PARTS:
        draft.say(f"{len(parts) - _MAX_PARTS:,} more parts, not shown")


def _size_of(part: Part) -> str:
    if "encrypted" in part.omitted or "address" in part.omitted:
        return f"{part.size:,} characters"
    return f"{bytes_text(part.size)} decoded"


# -- damaged lines
def _damaged_by_turn(session: Session) -> dict[Statement | None, list[Line]]:
    """Lines without a record, by the start of the turn that they stand in."""
    found: dict[Statement | None, list[Line]] = {}
    for line in session.buffer:
        reading = line.reading
        if reading.statements or reading.blank:
            continue
        turn = session.turn_at(line)
        found.setdefault(turn.start.start.statement if turn is not None else None, []).append(line)
    return found


def _damaged(draft: _Draft, line: Line) -> None:
    why = ", ".join(fault.what.replace("-", " ") for fault in line.reading.broken) or "no record"
    number = draft.session.buffer.row_of(line) + 1
    draft.head(draft.level, f"Damaged line {number}: {why}", Place(line, 0, min(line.end, 200)))
    text = line.data[: min(line.end, 4 * _DAMAGED_CHARACTERS)].decode("utf-8", "replace")
    draft.quote(text, "", _DAMAGED_CHARACTERS)
    if line.end > 4 * _DAMAGED_CHARACTERS:
        draft.say(f"The line has {bytes_text(line.end)}.")
