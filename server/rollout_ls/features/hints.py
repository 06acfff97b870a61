"""Hints: what a record is, in a few words at its start, so that nobody has to read its JSON.

One hint a record, made of parts; each sort of part can be left out. Only for the lines asked for: nothing here looks
through the whole document. What a part means at length, and where it leads, is worked out when somebody asks
(``explain``). All text is masked and printable; never a decision about pairing or counting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from rollout_ls.features.moments import elapsed_text, first_moment, moment_of
from rollout_ls.features.navigation import partner_of
from rollout_ls.features.words import (
    counted,
    gist,
    one_line,
    outcome_words,
    phase_of,
    turn_detail,
    turn_name,
    turn_status,
    words_of,
)
from rollout_ls.formats.records import content_of, time_of
from rollout_ls.formats.statement import (
    Call,
    CallMirror,
    Compaction,
    Message,
    Notice,
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
from rollout_ls.projection.session import Session
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.projection.turns import Turn
from rollout_ls.text.columns import offset_of
from rollout_ls.text.display import bytes_text, duration_text
from rollout_ls.text.rows import Line

MAX_COLUMN = 200
"""A record that begins behind this column of its row (UTF-16 units) gets no hint: it would be drawn far outside."""
_ARGUMENT_CHARACTERS = 48
_TOOLTIP_CHARACTERS = 1_200
_MEASURED_BYTES = 262_144
"""A result in a longer record is told by the size of its record, without decoding it."""

PartSort = Literal["turn", "time", "actor", "call", "result", "tokens", "compaction", "mirror", "rollback", "other"]


_SWITCHES: dict[PartSort, str] = {"time": "turn", "rollback": "compaction"}


class HintOptions(msgspec.Struct, frozen=True):
    """Which sorts of parts are shown.

    ``turn`` is also the time that passed, and what a turn's start, settings and end say; ``compaction`` also both sides
    of a rollback; ``mirror`` what only repeats another record, counts of tokens too.
    """

    turn: bool = True
    actor: bool = True
    call: bool = True
    result: bool = True
    tokens: bool = True
    compaction: bool = True
    mirror: bool = True

    def shows(self, sort: PartSort) -> bool:
        """Whether parts of a sort are wanted."""
        return sort == "other" or bool(getattr(self, _SWITCHES.get(sort, sort)))


class HintPart(msgspec.Struct, frozen=True):
    """A piece of a hint. ``target`` is the record it leads to."""

    text: str
    sort: PartSort
    target: Ref | None = None


class Hint(msgspec.Struct, frozen=True):
    """What is shown in front of a record."""

    ref: Ref
    parts: tuple[HintPart, ...]


def hints(session: Session, lines: Iterable[Line], options: HintOptions) -> tuple[Hint, ...]:
    """The hints of some lines, in their order."""
    began = first_moment(session) if options.turn else None
    found = []
    for line in lines:
        for ref in refs_of(line):
            hint = _hint(session, ref, options, began)
            if hint is not None:
                found.append(hint)
    return tuple(found)


def hint_at(session: Session, line: Line, offset: int, options: HintOptions) -> Hint | None:
    """The hint of the record that begins at a byte offset of a line; None where none does."""
    ref = next((one for one in refs_of(line) if one.statement.start == offset), None)
    if ref is None:
        return None
    return _hint(session, ref, options, first_moment(session) if options.turn else None)


def refs_of(line: Line) -> Sequence[Ref]:
    """The records of a line that can have a hint: those that begin in the first columns of their row."""
    statements: tuple[Statement, ...] = line.reading.statements
    if len(statements) == 1 and not line.cuts and statements[0].start < MAX_COLUMN:
        return (Ref(line, statements[0]),)
    return [Ref(line, one) for one in statements if _is_in_front(line, one.start)]


def _is_in_front(line: Line, offset: int) -> bool:
    row, start = line.row_of(offset)
    _, end = line.row_span(row)
    return offset - start < offset_of(line.data[start : min(end, start + 4 * MAX_COLUMN)], MAX_COLUMN, "utf-16")


def _hint(session: Session, ref: Ref, options: HintOptions, began: int | None) -> Hint | None:
    turn = session.turn_of(ref)
    parts: list[HintPart] = []
    if options.turn and turn is not None:
        parts.append(HintPart(_turn_mark(turn), "turn", turn.start.start))
    if began is not None:
        moment = moment_of(ref)
        if moment is not None:
            parts.append(HintPart(elapsed_text(moment - began), "time"))
    actor = _actor(session, ref) if options.actor else ""
    if actor:
        parts.append(HintPart(actor, "actor"))
    parts += [part for part in _meaning(session, ref, turn, options) if part.text and options.shows(part.sort)]
    if options.compaction and turn is not None and turn.rolled_back_by is not None:
        by = turn.rolled_back_by
        if by.statement is not ref.statement:
            parts.append(HintPart(f"rolled back by line {_number(session, by)}", "rollback", by))
    return Hint(ref, tuple(parts)) if parts else None


def _turn_mark(turn: Turn) -> str:
    return "inherited" if turn.number is None else f"T{turn.number}"


def _number(session: Session, ref: Ref) -> int:
    return session.buffer.row_of(ref.line) + 1


# -- who
def _actor(session: Session, ref: Ref) -> str:
    statement = ref.statement
    if isinstance(statement, Message):
        return _speaker(session, ref, statement)
    if isinstance(statement, Reasoning):
        return "model thinks"
    if isinstance(statement, Call):
        return "model"
    if isinstance(statement, Result | CallMirror):
        return "tool"
    return ""


def _speaker(session: Session, ref: Ref, message: Message) -> str:
    if message.actor == "agent":
        return f"agent {one_line(message.author, 40)}" if message.author else "agent"
    entry = session.entry_near(ref)
    if message.actor == "model":
        phase = message.phase or (phase_of(session, entry) if entry is not None else "")
        return "model (commentary)" if phase == "commentary" else "model"
    if entry is not None and entry.what == "user":
        return "human"
    name = one_line(message.context, 40)
    return f"context ({name})" if name else "context"


# -- what
def _meaning(session: Session, ref: Ref, turn: Turn | None, options: HintOptions) -> list[HintPart]:
    """What a record says beyond who and when."""
    statement = ref.statement
    owner = session.owner_of(ref)
    if owner.statement is not statement and not isinstance(statement, Result):
        return [_repeats(session, statement, owner)]
    if isinstance(statement, Call | CallMirror):
        return [_call_part(session, ref)] if options.call else []
    if isinstance(statement, Result):
        return [_result_part(session, ref, owner)] if options.result else []
    if isinstance(statement, Usage):
        return [_usage_part(session, statement)] if options.tokens or options.mirror else []
    if isinstance(statement, Compaction):
        return [HintPart(_compaction_words(ref, statement), "compaction")]
    if isinstance(statement, Rollback):
        return [HintPart(f"takes back {counted(statement.turns, 'turn')}", "rollback", _first_taken(session, ref))]
    if isinstance(statement, TurnStart):
        return [HintPart("starts", "turn", partner_of(session, ref))]
    if isinstance(statement, TurnEnd):
        if turn is None or turn.rolled_back_by is not None:
            return [HintPart("ends", "turn")]
        return [HintPart(f"ends: {one_line(turn_status(turn), 60)}", "turn")]
    if isinstance(statement, Settings):
        return [HintPart(one_line(f"{statement.model} {statement.effort}", 60), "turn")]
    if isinstance(statement, Notice):
        return [HintPart(one_line(statement.label, 60), "other")]
    if isinstance(statement, Unknown):
        return [HintPart(f"unknown kind {one_line(statement.label, 60)}".rstrip(), "other")]
    return []


def _repeats(session: Session, statement: Statement, owner: Ref) -> HintPart:
    where = _number(session, owner)
    if isinstance(statement, CallMirror):
        tool = one_line(getattr(owner.statement, "tool", ""), 40) or "a call"
        verb = "made by" if statement.nested else "tells of"
        return HintPart(f"{verb} {tool}, line {where}", "mirror", owner)
    return HintPart(f"repeats line {where}", "mirror", owner)


def _call_part(session: Session, ref: Ref) -> HintPart:
    statement = ref.statement
    tool = one_line(getattr(statement, "tool", ""), 40) or "call"
    argument = one_line(gist(words_of(ref)), _ARGUMENT_CHARACTERS)
    end = session.call_end(ref)
    facts = [outcome_words(end)]
    if end.duration_ms >= 0:
        facts.append(duration_text(end.duration_ms))
    result = session.result_of(ref)
    if result is not None:
        facts.append(_result_size(result))
    if isinstance(statement, Call) and statement.bad_arguments:
        facts.insert(0, "bad arguments")
    told = ", ".join(fact for fact in facts if fact)
    # How it came out stands first: VS Code shows 43 characters of a row's hints, unless it is told to show more.
    text = f"{tool} → {told}: {argument}" if told and argument else f"{tool} → {told}" if told else f"{tool} {argument}"
    return HintPart(text.rstrip(), "call", result)


def _result_size(result: Ref) -> str:
    """How much text came back; of images and the like their size."""
    line = result.line
    if len(line.data) > _MEASURED_BYTES:
        return bytes_text(len(line.data))
    notes = line.reading.notes
    if notes is None:
        notes = line.reading.notes = {}
    key = f"size {result.statement.start}"
    if key not in notes:
        content = content_of(line.data, result.statement)
        parts = content.parts if content.returned is None else content.returned
        notes[key] = sum(part.size or len(part.text.encode("utf-8", "surrogatepass")) for part in parts)
    return bytes_text(notes[key])


def _result_part(session: Session, ref: Ref, owner: Ref) -> HintPart:
    if owner.statement is ref.statement:
        history = session.compaction_of(ref)
        if history is not None:
            return HintPart(f"answers a call kept in line {_number(session, history)}", "result", history)
        alone = isinstance(ref.statement, Result) and ref.statement.optional_call
        return HintPart("" if alone else "answers no call", "result")
    tool = one_line(getattr(owner.statement, "tool", ""), 40) or "call"
    end = session.call_end(owner)
    facts = [outcome_words(end)]
    if end.duration_ms >= 0:
        facts.append(duration_text(end.duration_ms))
    told = ", ".join(fact for fact in facts if fact)
    text = f"answers {tool}, line {_number(session, owner)}"
    return HintPart(f"{told}: {text}" if told else text, "result", owner)


def _usage_part(session: Session, usage: Usage) -> HintPart:
    left = session.usage_left_out.get(usage)
    if left is not None:
        if left.same_as is not None:
            return HintPart(f"repeat of line {_number(session, left.same_as)}", "mirror", left.same_as)
        return HintPart(f"not counted: {left.why}", "tokens")
    step = session.usage_steps.get(usage)
    if step is None:
        return HintPart("", "tokens")
    facts = [f"+{step.tokens.total:,} tokens"]
    if step.tokens.input:
        facts.append(f"{_percent(step.tokens.cached_input, step.tokens.input)} cached")
    if usage.window > 0:
        facts.append(f"{_percent((usage.last or step.tokens).total, usage.window)} of the window")
    if step.share != "own":
        facts.append(step.share)
    return HintPart(", ".join(facts), "tokens")


def _percent(part: int, whole: int) -> str:
    return f"{max(0, part) * 100 // whole}%"


def _compaction_words(ref: Ref, compaction: Compaction) -> str:
    if compaction.marker:
        return "compaction"
    return f"compaction: {counted(compaction.items, 'item')}, {bytes_text(len(ref.line.data))}"


def _first_taken(session: Session, ref: Ref) -> Ref | None:
    """The start of the first turn that a rollback took back."""
    for turn in session.turns:
        if turn.rolled_back_by is not None and turn.rolled_back_by.statement is ref.statement:
            return turn.start.start
    return None


# -- at length
def explain(session: Session, hint: Hint, part: HintPart, surroundings: Surroundings) -> str:
    """What a part means at length, as plain text; empty where there is no more to say."""
    ref = hint.ref
    if part.sort == "turn":
        turn = session.turn_of(ref)
        if turn is None:
            return ""
        return f"{turn_name(session, turn)}\n{one_line(turn_detail(session, turn), 300)}"
    if part.sort == "time":
        written = time_of(ref.line.data, ref.statement)
        return time_of_day(written, surroundings.utc_offset_minutes, surroundings.zone)
    if part.sort in ("call", "result"):
        call = session.owner_of(ref)
        return one_line(words_of(call), _TOOLTIP_CHARACTERS)
    if part.sort == "tokens":
        return _usage_at_length(session, ref)
    if part.sort == "actor" and isinstance(ref.statement, Message | Reasoning):
        return one_line(words_of(ref), _TOOLTIP_CHARACTERS)
    if part.target is not None:
        return f"Leads to line {_number(session, part.target)}"
    return ""


def _usage_at_length(session: Session, ref: Ref) -> str:
    step = session.usage_steps.get(ref.statement)
    if step is None:
        return ""
    usage = ref.statement
    lines = [_tokens_line("this answer", step.tokens)]
    if isinstance(usage, Usage) and usage.total is not None and usage.total != step.tokens:
        lines.append(_tokens_line("so far", usage.total))
    if isinstance(usage, Usage) and usage.window:
        lines.append(f"context window: {usage.window:,}")
    return "\n".join(lines)


def _tokens_line(what: str, tokens: Tokens) -> str:
    return (
        f"{what}: in {tokens.input:,} (cached {tokens.cached_input:,}), "
        f"out {tokens.output:,} (reasoning {tokens.reasoning_output:,}), total {tokens.total:,}"
    )
