"""The session as JSON: the report behind ``show --output-format json``. Lines count from 1.

Only writes down what the projection decided; all text is masked and printable.
"""

from __future__ import annotations

from typing import Any

from rollout_ls.features.words import turn_prompt
from rollout_ls.formats.records import content_of
from rollout_ls.formats.statement import Call, CallMirror, Message, Reasoning, Result, Tokens
from rollout_ls.projection.entry import Entry, Ref
from rollout_ls.projection.session import Session
from rollout_ls.projection.steps import ModelStep
from rollout_ls.projection.turns import Turn
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.display import block
from rollout_ls.text.secrets import mask


def show_session(session: Session, buffer: Buffer) -> dict[str, Any]:
    """The whole session; see the design's contract of ``show``."""
    usage = session.usage
    shown = {
        "session": _identity(session),
        "turns": [_turn(session, turn) for turn in session.turns],
        "outside": [_entry(session, entry) for entry in session.entries_of(None)],
        "usage": {
            "source": usage.source,
            "own": _tokens(usage.own),
            "inherited": _tokens(usage.inherited),
            "rolled_back": _tokens(usage.rolled_back),
            "counted_lines": [_line(session, step.ref) for step in usage.steps],
            "left_out": [
                {
                    "line": _line(session, left.ref),
                    "why": f"{left.why} of line {_line(session, left.same_as)}" if left.same_as else left.why,
                }
                for left in usage.left_out
            ],
        },
        "counts": _counts(session, buffer),
        "skipped": _skipped(buffer),
    }
    harmless: dict[str, Any] = _harmless(shown)
    return harmless


def _harmless(value: Any) -> Any:
    """The report with all its text masked and printable, whatever field it stands in."""
    if isinstance(value, str):
        return block(mask(value))
    if isinstance(value, dict):
        return {key: _harmless(one) for key, one in value.items()}
    return [_harmless(one) for one in value] if isinstance(value, list) else value


def _identity(session: Session) -> dict[str, Any]:
    header = session.header
    title = session.naming
    return {
        "id": header.thread_id if header and header.thread_id else None,
        "kind": header.session_kind if header else None,
        "parent": (header.parent_id or None) if header else None,
        "forked_from": (header.forked_from or None) if header else None,
        "continues": (header.continues or None) if header else None,
        "title": _text(title) if title is not None else None,
        "version": (header.version or None) if header else None,
        "directory": (header.directory or None) if header else None,
    }


def _line(session: Session, ref: Ref) -> int:
    return session.buffer.row_of(ref.line) + 1


def _text(ref: Ref) -> str:
    """The whole text of a record."""
    return content_of(ref.line.data, ref.statement).label


def _tokens(tokens: Tokens) -> dict[str, int]:
    return {
        "input": tokens.input,
        "cached_input": tokens.cached_input,
        "output": tokens.output,
        "reasoning_output": tokens.reasoning_output,
        "total": tokens.total,
    }


def _turn(session: Session, turn: Turn) -> dict[str, Any]:
    row_of = session.buffer.row_of
    entries = session.entries_of(turn)
    prompt = turn_prompt(session, turn)
    author = None
    if prompt is not None and prompt.what == "agent_message" and isinstance(prompt.ref.statement, Message):
        author = prompt.ref.statement.author or None
    answer = session.answer_of(turn)
    return {
        "number": turn.number,
        "id": turn.turn_id or None,
        "status": turn.status,
        "reason": turn.reason or None,
        "model": session.model_of(turn) or None,
        "author": author,
        "text": _text(prompt.ref) if prompt is not None else None,
        "answer": _text(answer.ref) if answer is not None else None,
        "inherited": turn.inherited,
        "lines": [row_of(turn.first) + 1, row_of(turn.last) + 1],
        "usage": _tokens(session.usage.of_turn(turn)),
        "steps": [_step(session, step) for step in session.steps_of(turn)],
        "entries": [_entry(session, entry) for entry in entries if not session.is_nested(entry)],
    }


def _step(session: Session, step: ModelStep) -> dict[str, Any]:
    lines = [_line(session, ref) for ref in (*(entry.ref for entry in step.entries), *step.results, *step.usages)]
    return {
        "number": step.number,
        "compaction": step.is_compaction,
        "lines": [min(lines), max(lines)],
        "calls": len(step.calls),
        "usage": _tokens(step.tokens),
    }


def _effect(session: Session, ref: Ref) -> dict[str, Any] | None:
    """What a compaction did, in items and bytes."""
    effect = session.effect_of(ref)
    if effect is None:
        return None
    amounts = (("kept", effect.kept), ("rewritten", effect.rewritten), ("dropped", effect.dropped))
    return {name: {"items": amount.items, "bytes": amount.bytes} for name, amount in amounts}


def _entry(session: Session, entry: Entry) -> dict[str, Any]:
    ref, statement = entry.ref, entry.ref.statement
    row_of = session.buffer.row_of
    call = isinstance(statement, Call | CallMirror)
    result = session.result_of(ref) if call else None
    nested = session.links_of(ref, "nested") if isinstance(statement, Call) else ()
    shown: dict[str, Any] = {
        "what": entry.what,
        "actor": _actor(entry),
        "text": None if _is_sealed(entry) else _text(ref),
        "call_id": getattr(statement, "call_id", "") or None,
        "outcome": session.call_end(ref).outcome if call else None,
        "line": row_of(ref.line) + 1,
        "mirror_lines": [row_of(one.line) + 1 for one in session.links_of(ref, "mirror")],
        "children": [
            _entry(session, child)
            for one in nested
            if (child := session.entry_by_statement.get(one.statement)) is not None
        ],
    }
    if call:
        end = session.call_end(ref)
        shown["tool"] = statement.tool if isinstance(statement, Call | CallMirror) else None
        shown["exit_code"] = end.exit_code
        shown["duration_ms"] = end.duration_ms if end.duration_ms >= 0 else None
        shown["result_line"] = row_of(result.line) + 1 if result is not None else None
    if entry.what == "compaction":
        shown["effect"] = _effect(session, ref)
    return shown


def _is_sealed(entry: Entry) -> bool:
    statement = entry.ref.statement
    return isinstance(statement, Reasoning) and bool(statement.sealed) and not statement.words


def _actor(entry: Entry) -> str:
    statement = entry.ref.statement
    if isinstance(statement, Message):
        return "harness" if entry.what == "context" else statement.actor
    if isinstance(statement, Call | CallMirror | Reasoning):
        return "model"
    return "tool" if isinstance(statement, Result) else "system"


def _counts(session: Session, buffer: Buffer) -> dict[str, Any]:
    own = [entry for turn in session.own_turns for entry in session.entries_of(turn)]
    own += [entry for entry in session.entries_of(None) if not entry.inherited]
    sealed = sum(statement.sealed for line in buffer for statement in line.reading.statements)
    return {
        "messages": {
            "user": sum(entry.what == "user" for entry in own),
            "assistant": sum(entry.what == "assistant" for entry in own),
            "inter_agent": sum(entry.what == "agent_message" for entry in own),
        },
        "compactions": sum(entry.what == "compaction" for entry in session.entries()),
        "encrypted": sealed,
    }


def _skipped(buffer: Buffer) -> list[dict[str, Any]]:
    """Lines that hold no record that could be read, and why."""
    found = []
    for line in buffer:
        reading = line.reading
        if reading.statements or reading.blank:
            continue
        why = ", ".join(fault.what for fault in reading.broken) or "no record"
        found.append({"line": buffer.row_of(line) + 1, "why": why})
    return found
