"""The hover: what a record is, what the key under the cursor means, and the record's content decoded.

Answers Markdown that is harmless whatever the record holds: all of it goes over a ``Page``, which escapes, masks and
fences, and quotes no more than the limit with the true size said. Encrypted values and images are told by their size
alone. The words for kinds and keys come from the catalogue, which is read at the first hover.
"""

from __future__ import annotations

import msgspec

from rollout_ls.features.meanings import key_meaning, kind_meaning
from rollout_ls.features.moments import first_moment, moment_of
from rollout_ls.features.navigation import cut_place, record_start, ref_at
from rollout_ls.features.page import Page, code, strong
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
from rollout_ls.jsonl.faults import Fault
from rollout_ls.projection.entry import Ref
from rollout_ls.projection.session import Session
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.projection.turns import Turn
from rollout_ls.text.display import bytes_text, duration_text
from rollout_ls.text.rows import Line, Place

_LOOKED_AT = 16_384
"""Bytes of a damaged line that are looked at."""
_LINES_BACK = 100
"""Damaged or blank lines that are gone over to find the record before."""


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
        return _damaged(session, line, markdown, surroundings) if not line.reading.blank else None
    told = _told_record(session, ref)
    page = Page(markdown, surroundings.limits.hover_bytes)
    page.say(_title(session, ref, surroundings))
    version = session.header.version if session.header is not None else ""
    for text in _facts(session, ref):
        page.say(text)
    place, about_key = key_meaning(ref, offset, version)
    if about_key:
        page.say(about_key)
    content = content_of(told.line.data, told.statement)
    for name, value in content.facts:
        page.fact(name, value)
    for part in content.parts:
        page.quote(part)
    if ref.statement is not told.statement:
        page.say(f"Told by line {session.buffer.row_of(told.line) + 1} as well, which is this entry's own record.")
    # What is explained comes last: an editor shows some ten rows of a hover before one has to scroll.
    for text in (kind_meaning(ref.statement.kind, version), _elapsed(session, ref)):
        if text:
            page.say(text)
    return Hover(place or record_start(ref), page.text())


def _told_record(session: Session, ref: Ref) -> Ref:
    """The record whose content is shown: a mirror shows its entry's."""
    owner = session.owner_of(ref)
    if owner.statement is ref.statement or isinstance(ref.statement, Result | CallMirror):
        return ref
    return owner


def _elapsed(session: Session, ref: Ref) -> str:
    """How long after the session's start and after the record before it was written."""
    moment = moment_of(ref)
    if moment is None:
        return ""
    facts = []
    start, before = first_moment(session), _record_before(session, ref)
    if start is not None and before is not None:
        facts.append(f"{_distance(moment - start)} the session's start")
    last = moment_of(before) if before is not None else None
    if last is not None:
        facts.append(f"{_distance(moment - last)} the record before")
    return " · ".join(facts)


def _distance(elapsed_ms: int) -> str:
    return f"{duration_text(abs(elapsed_ms))} {'after' if elapsed_ms >= 0 else 'before'}"


def _record_before(session: Session, ref: Ref) -> Ref | None:
    """The record in front of a record; None for the first one."""
    line: Line | None = ref.line
    for _ in range(_LINES_BACK):
        if line is None:
            return None
        for statement in reversed(line.reading.statements):
            if line is not ref.line or statement.start < ref.statement.start:
                return Ref(line, statement)
        line = session.buffer.before(line)
    return None


def _damaged(session: Session, line: Line, markdown: bool, surroundings: Surroundings) -> Hover:
    """What is left of a line without a record: where it breaks, and how it begins."""
    turn = session.turn_at(line)
    page = Page(markdown, surroundings.limits.hover_bytes)
    page.say(" · ".join([strong("Damaged line"), *([_turn_title(turn)] if turn is not None else [])]))
    for fault in line.reading.broken:
        page.say(f"No record could be read: {_fault_words(fault)}")
    page.quote(Part("as it stands", line.data[: min(line.end, _LOOKED_AT)].decode("utf-8", "replace")))
    return Hover(cut_place(line, 0, line.end), page.text())


_FAULTS = {
    "cut-off": "it is cut off",
    "broken": "the JSON breaks",
    "torn": "a torn fragment",
    "concatenated": "several records stand on the line",
    "not-object": "it is JSON, but no object",
    "nul": "NUL bytes",
    "bad-utf8": "invalid UTF-8",
    "bom": "a byte order mark",
    "too-deep": "nested too deeply",
}


def _fault_words(fault: Fault) -> str:
    words = _FAULTS.get(fault.what, fault.what.replace("-", " "))
    if fault.what == "nul":
        return words  # its detail is a word for programs
    if fault.what == "cut-off":
        where = fault.detail or (f"inside {fault.path}" if fault.path else "")
        return f"{words} {one_line(where, 120)}".rstrip()
    where = one_line(fault.detail or fault.path, 120)
    return f"{words}: {where}" if where else words


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
    written = time_of(ref.line.data, ref.statement)
    time = time_of_day(written, surroundings.utc_offset_minutes, surroundings.zone)
    if time:
        facts.append(time)
    kind = code(ref.statement.kind) if ref.statement.kind else "kind not known"
    return " · ".join([f"{strong(_name(session, ref))} {kind}", *facts])


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
        return one_line(statement.context, 60) or ("human" if entry is not None and entry.what == "user" else "harness")
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
    if isinstance(statement, Compaction):
        return _compaction_facts(session, ref)
    about = session.about(ref)
    return [f"About line {_number(session, about)}: {_name(session, about)}"] if about is not None else []


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


def _compaction_facts(session: Session, ref: Ref) -> list[str]:
    """What it did to the history that the model sees; the records before stay in the file."""
    owner = session.owner_of(ref)
    effect = session.effect_of(owner)
    if effect is None:
        return []
    left = counted(effect.kept.items + effect.rewritten.items, "item")
    parts = [
        f"{did} {counted(amount.items, 'item')} ({bytes_text(amount.bytes)})"
        for did, amount in (("kept", effect.kept), ("rewrote", effect.rewritten), ("dropped", effect.dropped))
    ]
    least = "" if effect.whole else " at least"
    facts = [f"Leaves {left} to the model:{least} {', '.join(parts)}. The records before stay in this file."]
    facts.append(f"The record is {bytes_text(owner.line.size)}")
    compaction = owner.statement
    if isinstance(compaction, Compaction):
        usage = session.usage_of_response(compaction.response_id)
        if usage is not None:
            facts.append(f"Its summary was made by the answer whose tokens are on line {_number(session, usage)}")
        before = session.compaction_before(owner)
        if before is not None:
            facts.append(f"Closes the context window that line {_number(session, before)} opened")
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
            f"thread {code(header.thread_id)}"
        )
    else:
        facts.append(f"Thread {code(header.thread_id or '(no id)')}")
    origin = lineage(header)
    if origin:
        facts.append(one_line(origin, 300))
    if own is not None and own.statement is header:
        facts.append(f"{counted(len(session.own_turns), 'turn')} in this file")
    copied = session.copied_header
    if own is not None and ((copied is not None and copied.statement is header) or own.statement is header):
        facts += _inherited_facts(session, is_copy=own.statement is not header)
    return facts


def _inherited_facts(session: Session, *, is_copy: bool) -> list[str]:
    """What was copied from another thread, and which lines that is."""
    span = session.inherited_span
    if span is None:
        return ["Nothing but this header was inherited: no copied turn follows"] if is_copy else []
    row_of = session.buffer.row_of
    turns = counted(len(session.turns) - len(session.own_turns), "inherited turn")
    facts = [f"{turns}, copied to lines {row_of(span[0]) + 1} to {row_of(span[1]) + 1}"]
    tokens = session.usage.inherited
    if tokens.total:
        facts.append(f"Inherited, not counted as this thread's own: {tokens_text(tokens)}")
    return facts


def _turn_facts(session: Session, ref: Ref) -> list[str]:
    turn = session.turn_of_mark(ref)
    if turn is None:
        return ["No turn is open that it could end"] if isinstance(ref.statement, TurnEnd) else []
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
    facts += _edge_facts(session, ref, turn)
    return [one_line(fact, 300) for fact in facts]


def _edge_facts(session: Session, ref: Ref, turn: Turn) -> list[str]:
    """Where the other end of a turn is, its answer, and what is odd about its ends."""
    facts = []
    if isinstance(ref.statement, TurnStart):
        if turn.end is not None:
            facts.append(f"Ends on line {_number(session, turn.end)}")
        elif turn.next_start is not None:
            facts.append(f"Closed without a word by the start on line {_number(session, turn.next_start)}")
    else:
        facts.append(f"Began on line {_number(session, turn.start.start)}")
        if ref.statement.turn_id and ref.statement.turn_id != turn.turn_id:
            facts.append("Names a turn that never started here; it ends the open one")
        if turn.end is not None and turn.end.statement is not ref.statement:
            facts.append(f"Said again: the turn had ended on line {_number(session, turn.end)}")
    answer = session.answer_of(turn)
    if answer is not None:
        facts.append(f"Answer on line {_number(session, answer.ref)}")
    steps = sum(not step.is_compaction for step in session.steps_of(turn))
    if steps:
        facts.append(counted(steps, "step"))
    return facts


def _rollback_facts(session: Session, ref: Ref, rollback: Rollback) -> list[str]:
    taken = [turn for turn in session.turns if turn.rolled_back_by is not None]
    taken = [turn for turn in taken if turn.rolled_back_by is not None and turn.rolled_back_by.statement is rollback]
    if not taken:
        return [f"Takes back {counted(rollback.turns, 'turn')}, none of which stands in this file."]
    row_of = session.buffer.row_of
    first, last = row_of(taken[0].first) + 1, row_of(taken[-1].last) + 1
    names = one_line(", ".join(_turn_title(turn) for turn in taken), 300)
    facts = [f"Takes back {counted(len(taken), 'turn')}: {names} (lines {first} to {last})."]
    if len(taken) < rollback.turns:
        facts.append(f"It asks for {counted(rollback.turns, 'turn')}; no more stood in this file.")
    return facts
