"""The hover: what a record is, and its content decoded.

Answers Markdown that is harmless whatever the record holds: quoted text is fenced by more backticks than it has,
masked and printable, and at most ``MAX_QUOTED`` bytes of it are shown, with the true size said. Encrypted values and
images are told by their size alone.
"""

from __future__ import annotations

import msgspec

from rollout_ls.features.navigation import cut_place, record_start, ref_at
from rollout_ls.features.words import (
    counted,
    lineage,
    one_line,
    outcome_words,
    phase_of,
    session_name,
    turn_duration,
    turn_name,
    turn_status,
)
from rollout_ls.formats.records import Part, content_of, time_of
from rollout_ls.formats.statement import (
    Call,
    CallMirror,
    Compaction,
    Header,
    Message,
    Reasoning,
    Result,
    Rollback,
    Settings,
    Statement,
    Tokens,
    TurnEnd,
    TurnStart,
    Unknown,
    Usage,
)
from rollout_ls.formats.times import time_of_day
from rollout_ls.projection.entry import Ref
from rollout_ls.projection.session import Session, Turn
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.text.display import block, bytes_text, cut, duration_text, fence, inline_code
from rollout_ls.text.rows import Line, Place
from rollout_ls.text.secrets import mask

MAX_QUOTED = 4_000
"""Bytes of content that one hover quotes at most."""
MAX_PART_CHARACTERS = 2_400
MAX_PART_ROWS = 40
_LOOKED_AT = 16_384
"""Characters of a part that are masked and made printable before it is cut."""


class Hover(msgspec.Struct, frozen=True):
    """What to show, and the place it is about."""

    place: Place
    text: str


def hover(
    session: Session, line: Line, offset: int, surroundings: Surroundings, *, markdown: bool = True
) -> Hover | None:
    """What a person reads on pointing at an offset of a line; None on blank lines."""
    ref = ref_at(line, offset)
    if ref is None:
        return _damaged(session, line, markdown) if not line.reading.blank else None
    told = _told_record(session, ref)
    parts = [_title(session, ref, surroundings), *_facts(session, ref)]
    content = content_of(told.line.data, told.statement)
    page = _Page(markdown)
    for text in parts:
        page.say(text)
    for name, value in content.facts:
        page.fact(name, value)
    for part in content.parts:
        page.quote(part)
    if ref.statement is not told.statement:
        page.say(f"Told by line {session.buffer.row_of(told.line) + 1} as well, which is this entry's own record.")
    return Hover(_place(ref), page.text())


def _told_record(session: Session, ref: Ref) -> Ref:
    """The record whose content is shown: a mirror shows its entry's."""
    owner = session.owner_of(ref)
    if owner.statement is ref.statement or isinstance(ref.statement, Result | CallMirror):
        return ref
    return owner


def _place(ref: Ref) -> Place:
    return record_start(ref)


def _damaged(session: Session, line: Line, markdown: bool) -> Hover:
    """What is left of a line without a record: where it breaks, and how it begins."""
    turn = session.turn_at(line)
    page = _Page(markdown)
    page.say(" · ".join(["**Damaged line**", *([_turn_title(turn)] if turn is not None else [])]))
    for fault in line.reading.broken:
        where = one_line(fault.detail or fault.path, 120)
        page.say(f"No record could be read: {fault.what.replace('-', ' ')}{f' {where}' if where else ''}")
    page.quote(Part("as it stands", line.data[: min(line.end, _LOOKED_AT)].decode("utf-8", "replace")))
    return Hover(cut_place(line, 0, line.end), page.text())


# -- the first line
_NAMES: tuple[tuple[type[Statement], str], ...] = (
    (Header, "Session header"),
    (TurnStart, "Turn start"),
    (TurnEnd, "Turn end"),
    (Settings, "Turn settings"),
    (Reasoning, "Reasoning"),
    (Result, "Result"),
    (Usage, "Token usage"),
    (Compaction, "Compaction"),
    (Rollback, "Rollback"),
    (Unknown, "Unknown record"),
)


def _title(session: Session, ref: Ref, surroundings: Surroundings) -> str:
    """What the record is: sort and kind, turn, actor, model, time."""
    turn = session.turn_of(ref)
    facts = [_turn_title(turn)] if turn is not None else []
    actor = _actor(session, ref)
    if actor:
        facts.append(actor)
    model = session.model_of(turn) if turn is not None else ""
    if model:
        facts.append(one_line(model, 60))
    time = time_of_day(time_of(ref.line.data, ref.statement), surroundings.utc_offset_minutes)
    if time:
        facts.append(time)
    kind = inline_code(ref.statement.kind) if ref.statement.kind else "kind not known"
    return " · ".join([f"**{_name(session, ref)}** {kind}", *facts])


def _turn_title(turn: Turn) -> str:
    return "inherited turn" if turn.number is None else f"turn {turn.number}"


def _name(session: Session, ref: Ref) -> str:
    statement = ref.statement
    if isinstance(statement, Call | CallMirror):
        return f"Call of {one_line(statement.tool, 60)}" if statement.tool else "Call"
    if isinstance(statement, Message):
        entry = session.entry_of(ref)
        return {
            "user": "User message",
            "assistant": "Assistant message",
            "agent_message": "Message of an agent",
            "context": "Injected context",
        }.get(entry.what if entry is not None else "", "Message")
    return next((name for sort, name in _NAMES if isinstance(statement, sort)), "Record")


def _actor(session: Session, ref: Ref) -> str:
    statement = ref.statement
    if isinstance(statement, Message):
        if statement.actor == "agent":
            return f"from {one_line(statement.author, 60)}" if statement.author else "another agent"
        entry = session.entry_of(ref)
        phase = phase_of(session, entry) if entry is not None else ""
        if statement.actor == "model":
            return f"model ({phase.replace('_', ' ')})" if phase else "model"
        return statement.context or ("human" if entry is not None and entry.what == "user" else "harness")
    if isinstance(statement, Call | Reasoning):
        return "model"
    return "tool" if isinstance(statement, Result | CallMirror) else ""


# -- what it means in the session
def _facts(session: Session, ref: Ref) -> list[str]:
    statement = ref.statement
    if isinstance(statement, Call):
        return _call_facts(session, ref)
    if isinstance(statement, Result | CallMirror):
        return _result_facts(session, ref)
    if isinstance(statement, Usage):
        return _usage_facts(session, ref, statement)
    if isinstance(statement, Header):
        return _header_facts(session, ref, statement)
    if isinstance(statement, TurnStart | TurnEnd):
        return _turn_facts(session, ref)
    if isinstance(statement, Rollback):
        return _rollback_facts(session, ref, statement)
    if isinstance(statement, Compaction) and not statement.marker:
        return [f"Keeps {counted(statement.items, 'item')}; the record is {bytes_text(ref.line.size)}."]
    if isinstance(statement, Message) and statement.phase:
        return []
    return []


def _number(session: Session, ref: Ref) -> int:
    return session.buffer.row_of(ref.line) + 1


def _call_facts(session: Session, ref: Ref) -> list[str]:
    end = session.call_end(ref)
    told = f" (line {_number(session, end.told_by)})" if end.told_by is not None else ""
    duration = f", {duration_text(end.duration_ms)}" if end.duration_ms >= 0 else ""
    outcome = outcome_words(end)
    facts = []
    if outcome:
        facts.append(f"Outcome: {outcome}{duration}{told}")
    result = session.result_of(ref)
    if result is not None and end.told_by is not result:
        facts.append(f"Result on line {_number(session, result)}")
    return facts


def _result_facts(session: Session, ref: Ref) -> list[str]:
    owner = session.owner_of(ref)
    if owner.statement is ref.statement:
        history = session.compaction_of(ref)
        if history is not None:
            return [f"Its call lives on in the compaction on line {_number(session, history)}."]
        return []
    tool = getattr(owner.statement, "tool", "")
    facts = [f"Answers {one_line(tool, 60)} on line {_number(session, owner)}"]
    end = session.call_end(owner)
    outcome = outcome_words(end)
    if outcome:
        facts.append(f"Outcome: {outcome}" + (f", {duration_text(end.duration_ms)}" if end.duration_ms >= 0 else ""))
    return facts


def tokens_text(tokens: Tokens) -> str:
    """``in 10,000 = 500 new + 9,500 cached, out 900 (reasoning 700), total 10,900``."""
    cached = min(tokens.cached_input, tokens.input)
    new = f" = {tokens.input - cached:,} new + {tokens.cached_input:,} cached" if tokens.cached_input else ""
    reasoning = f" (reasoning {tokens.reasoning_output:,})" if tokens.reasoning_output else ""
    return f"in {tokens.input:,}{new}, out {tokens.output:,}{reasoning}, total {tokens.total:,}"


def _usage_facts(session: Session, ref: Ref, usage: Usage) -> list[str]:
    for left in session.usage.left_out:
        if left.ref.statement is usage:
            if left.same_as is not None:
                return [f"repeat of line {_number(session, left.same_as)}, not counted"]
            return [f"not counted: {left.why}"]
    step = next((one for one in session.usage.steps if one.ref.statement is usage), None)
    if step is None:
        return []
    facts = [tokens_text(step.tokens)]
    if step.share != "own":
        facts.append(f"{step.share}: counted apart from the session's own")
    if usage.total is not None and usage.total != step.tokens:
        facts.append(f"so far: {tokens_text(usage.total)}")
    if usage.window:
        facts.append(f"context window {usage.window:,}")
    return facts


def _header_facts(session: Session, ref: Ref, header: Header) -> list[str]:
    own = session.header_ref
    facts = []
    if own is not None and own.statement is not header:
        facts.append(
            f"A further header ({session_name(session)} is the file's own, line {_number(session, own)}): "
            f"thread {inline_code(header.thread_id)}"
        )
    else:
        facts.append(f"Thread {inline_code(header.thread_id or '(no id)')}")
    origin = lineage(header)
    if origin:
        facts.append(one_line(origin, 300))
    if own is not None and own.statement is header:
        facts.append(f"{counted(len(session.own_turns), 'turn')} in this file")
    return facts


def _turn_facts(session: Session, ref: Ref) -> list[str]:
    turn = session.turn_of(ref)
    if turn is None:
        return []
    facts = [turn_name(session, turn), f"Status: {turn_status(turn)}"]
    duration = turn_duration(session, turn)
    if duration is not None:
        facts.append(f"Duration: {duration_text(duration)}")
    calls = sum(entry.what in ("call", "nested_call") for entry in session.entries_of(turn))
    if calls:
        facts.append(counted(calls, "call"))
    tokens = session.usage.of_turn(turn)
    if tokens.total:
        facts.append(tokens_text(tokens))
    if turn.rolled_back_by is not None:
        facts.append(f"Rolled back by line {_number(session, turn.rolled_back_by)}")
    return [one_line(fact, 300) for fact in facts]


def _rollback_facts(session: Session, ref: Ref, rollback: Rollback) -> list[str]:
    taken = [turn for turn in session.turns if turn.rolled_back_by is not None]
    taken = [turn for turn in taken if turn.rolled_back_by is not None and turn.rolled_back_by.statement is rollback]
    if not taken:
        return [f"Takes back {counted(rollback.turns, 'turn')}, none of which stands in this file."]
    row_of = session.buffer.row_of
    first, last = row_of(taken[0].first) + 1, row_of(taken[-1].last) + 1
    names = ", ".join(_turn_title(turn) for turn in taken)
    return [f"Takes back {counted(len(taken), 'turn')}: {names} (lines {first} to {last})."]


# -- the page
class _Page:
    """The text of a hover in work: counts what it quotes."""

    def __init__(self, markdown: bool) -> None:
        self.markdown = markdown
        self.lines: list[str] = []
        self.left = MAX_QUOTED

    def say(self, text: str) -> None:
        self.lines.append(text if self.markdown else text.replace("**", "").replace("`", ""))

    def fact(self, name: str, value: str) -> None:
        shown = one_line(value, 200)
        self.lines.append(f"{name}: {inline_code(shown) if self.markdown else shown}")

    def quote(self, part: Part) -> None:
        if part.omitted:
            self.say(f"[{one_line(part.omitted, 80)}, {_size_of(part)}]")
            return
        if not part.text:
            self.say(f"{part.title}: (empty)")
            return
        if self.left <= 0:
            self.say(f"{one_line(part.title, 80)}: {len(part.text)} characters, not shown")
            return
        shown, whole = _shown(part.text, self.left)
        self.left -= len(shown.encode("utf-8", "replace"))
        self.say(f"{one_line(part.title, 200)}:")
        self.lines.append(fence(shown, part.language) if self.markdown else shown)
        if not whole:
            self.say(f"{min(len(shown), len(part.text))} of {len(part.text)} characters shown")

    def text(self) -> str:
        return "\n\n".join(self.lines)


def _size_of(part: Part) -> str:
    if "encrypted" in part.omitted or "address" in part.omitted:
        return f"{part.size} characters"
    return f"about {max(1, round(part.size / 1000)):,} kB decoded"


def _shown(text: str, room: int) -> tuple[str, bool]:
    """(the beginning of a text, masked and printable; whether it is all)."""
    head = block(mask(text[:_LOOKED_AT]))
    rows = head.split("\n", MAX_PART_ROWS)
    whole = len(text) <= _LOOKED_AT and len(rows) <= MAX_PART_ROWS
    head = "\n".join(rows[:MAX_PART_ROWS])
    head, was_cut = cut(head, MAX_PART_CHARACTERS)
    raw = head.encode("utf-8", "replace")
    if len(raw) > room:
        head, was_cut = raw[:room].decode("utf-8", "ignore"), True
    return head, whole and not was_cut



