"""What each Codex record says, as neutral statements.

One small reader a kind, found by the kind's name; a kind without one says nothing that another record could be related
to. Reads typed records and lenient views alike, so every value may be None; never raises, keeps no text and no Raw.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from sys import intern
from typing import Any, TypeAlias

import msgspec
import orjson

from rollout_ls.formats.codex.injected import context_of, shown, spoken
from rollout_ls.formats.codex.types import constant_kind, is_bare, is_envelope, is_kind, kind_of, text_of
from rollout_ls.formats.statement import (
    NO_ORDINAL,
    NO_OUTCOME,
    Call,
    CallMirror,
    Compaction,
    Header,
    Herald,
    Message,
    Naming,
    Notice,
    Outcome,
    Reasoning,
    Remark,
    Result,
    Rollback,
    SessionKind,
    Settings,
    Statement,
    Tokens,
    TurnEnd,
    TurnStart,
    Unknown,
    Usage,
)
from rollout_ls.formats.times import milliseconds

Reader = Callable[[Any, str, int, str], Statement]
"""Takes a payload (or an item), its kind, its ordinal (-1: none), and the turn that a wrapper around it names."""


def statement_of(record: Any, start: int = 0, end: int = -1, recovered: bool = False) -> Statement:
    """The statement of one record (typed, or a lenient view); ``start`` and ``end`` are its bytes in its line."""
    statement = _statement(record)
    if start or end >= 0 or recovered:
        return msgspec.structs.replace(statement, start=start, end=end, recovered=recovered)
    return statement


def _statement(record: Any) -> Statement:
    """By the class of the payload, which tells its kind as a rule; else by its kind."""
    plan = _PLANS.get(record.__class__)
    if plan is None:
        plan = _learn(record.__class__)
    payload, ordinal = record, NO_ORDINAL
    if plan is _ENVELOPE:
        payload, ordinal = record.payload, record.ordinal
        if ordinal.__class__ is not int:
            ordinal = NO_ORDINAL
        plan = _PLANS.get(payload.__class__)
        if plan is None:
            plan = _learn(payload.__class__)
    kind, read, names_turn = plan
    if not kind:
        return _by_kind(record, payload, ordinal)
    turn_id = payload.turn_id if names_turn else ""
    if turn_id:
        turn_id = intern(turn_id) if turn_id.__class__ is str else ""  # most name the same turn: one text for all
    return read(payload, kind, ordinal, turn_id or "")


_Plan: TypeAlias = "tuple[str, Reader, bool]"
"""(kind, its reader, whether the payload has a field for the turn) of a class of typed payloads."""

_PLANS: dict[type, _Plan] = {}


def _learn(made: type) -> _Plan:
    """The plan of a class, which is seen for the first time."""
    if is_envelope(made):
        plan = _ENVELOPE
    else:
        kind = _MESSAGE if is_kind(made, _MESSAGE) else constant_kind(made)
        read = READERS.get(kind, _plainly) if kind else _plainly
        plan = (kind, read, "turn_id" in made.__struct_fields__) if kind else _TOLD_BY_KIND  # type: ignore[attr-defined]
    _PLANS[made] = plan
    return plan


def _plainly(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    """Of a kind that says nothing another record could be related to."""
    return Statement(kind=kind, ordinal=ordinal, turn_id=turn_id)


_ENVELOPE: _Plan = ("", _plainly, False)
_TOLD_BY_KIND: _Plan = ("", _plainly, True)


def _by_kind(record: Any, payload: Any, ordinal: int) -> Statement:
    """The statement of a record whose class does not tell its kind: of a view, or where a value in it tells."""
    kind = kind_of(record)
    if is_bare(record):
        payload, ordinal = record, NO_ORDINAL
    elif payload is record:
        payload, ordinal = record.payload, record.ordinal
        if ordinal.__class__ is not int:
            ordinal = NO_ORDINAL
    if kind is None:
        return Unknown(label=_label(record, payload), kind="", ordinal=ordinal)
    if payload is None and kind == "session_meta":
        return Header(thread_id="", kind=kind, ordinal=ordinal)
    reader = READERS.get(kind)
    turn_id = getattr(payload, "turn_id", None)
    turn_id = intern(turn_id) if turn_id.__class__ is str else ""
    if reader is None or payload is None:
        return Statement(kind=kind, ordinal=ordinal, turn_id=turn_id)
    return reader(payload, kind, ordinal, turn_id)


def _label(record: Any, payload: Any) -> str:
    """The discriminator of a record of no known kind: of its payload, else its own."""
    for value in (_get(_get(payload, "item"), "type"), _get(payload, "type"), _get(record, "type")):
        if isinstance(value, str) and value and value not in ("item_completed",):
            return value
    return "record"


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else ()


def _words(text: str) -> int:
    return hash(text) if text else 0


def _bare_words(text: str) -> int:
    """A hash of the text as the screen shows it, 0 where that is the text itself."""
    if "<" not in text and text and text[0] > " " and "!" <= text[-1] <= "~":
        return 0
    bare = shown(text)
    return 0 if len(bare) == len(text) else _words(bare)


def _parts_text(parts: Any) -> str:
    if parts.__class__ is not list:
        return ""
    if len(parts) == 1:
        text = getattr(parts[0], "text", None)
        return text if text.__class__ is str else text_of(text) or ""
    return "".join(text for part in parts if (text := text_of(getattr(part, "text", None))))


def _passed_turn(payload: Any) -> str:
    """The turn that an item names in what the harness passes through."""
    passed = payload.internal_chat_message_metadata_passthrough
    if passed is None:
        return ""
    turn_id = getattr(passed, "turn_id", None)
    return intern(turn_id) if turn_id.__class__ is str else ""


def _sealed_parts(parts: Any) -> int:
    return sum(1 for part in _list(parts) if getattr(part, "encrypted_content", None))


# -- headers
def _session_meta(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    source = _source(payload.source)
    base = payload.history_base
    own_from = payload.subagent_history_start_ordinal
    created = milliseconds(_text(payload.timestamp))
    return Header(
        created_ms=created if created is not None else -1,
        thread_id=_text(payload.id),
        session_kind=source[0],
        parent_id=_text(payload.parent_thread_id) or _text(getattr(source[1], "parent_thread_id", None)),
        forked_from=_text(payload.forked_from_id),
        continues=_text(getattr(base, "thread_id", None)),
        paginated=payload.history_mode == "paginated",
        own_from_ordinal=own_from if isinstance(own_from, int) else -1,
        version=_text(payload.cli_version),
        directory=_text(payload.cwd),
        model=_text(getattr(payload, "model", None)),
        originator=_text(payload.originator),
        agent_name=_text(payload.agent_nickname) or _text(getattr(source[1], "agent_nickname", None)),
        agent_role=_text(payload.agent_role) or _text(getattr(source[1], "agent_role", None)),
        agent_path=_text(payload.agent_path) or _text(getattr(source[1], "agent_path", None)),
        depth=depth if isinstance(depth := getattr(source[1], "depth", None), int) else -1,
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


def _source(source: Any) -> tuple[SessionKind, Any]:
    """(kind of session, the values of the spawn) of a header's ``source``."""
    if isinstance(source, str) or source is None:
        return "user", None
    internal = getattr(source, "internal", None)
    if internal is not None:
        return ("guardian", None) if internal == "guardian" else ("other", None)
    agent = getattr(source, "subagent", None)
    if agent is None:
        return "user", None
    if isinstance(agent, str):
        return (agent, None) if agent in ("review", "compact") else ("other", None)  # type: ignore[return-value]
    spawn = getattr(agent, "thread_spawn", None)
    if spawn is not None:
        return "subagent", spawn
    other = getattr(agent, "other", None)
    return ("guardian", None) if other == "guardian" else ("other", None)


def _bare_header(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Header(thread_id=_text(payload.id), bare=True, kind=kind, ordinal=ordinal, turn_id=turn_id)


def _turn_context(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Settings(
        model=_text(payload.model),
        effort=_text(payload.effort),
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


# -- turns
def _turn_start(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    begun = payload.started_at
    known = isinstance(begun, int) and 0 < begun < 10**11
    return TurnStart(begun_ms=begun * 1000 if known else -1, kind=kind, ordinal=ordinal, turn_id=turn_id)


def _turn_complete(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return TurnEnd(duration_ms=_milliseconds(payload.duration_ms), kind=kind, ordinal=ordinal, turn_id=turn_id)


def _turn_aborted(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return TurnEnd(
        aborted=True,
        reason=_text(payload.reason) or "interrupted",
        duration_ms=_milliseconds(payload.duration_ms),
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


def _milliseconds(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else -1


def _rolled_back(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    count = payload.num_turns
    return Rollback(turns=count if isinstance(count, int) else 0, kind=kind, ordinal=ordinal, turn_id=turn_id)


# -- messages
def _user_item(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    text = _parts_text(payload.content)
    said = text
    if "<" in text and "<image" in text:
        said = spoken(text_of(getattr(part, "text", None)) or "" for part in payload.content)
    return Message(
        actor="human",
        stream="item",
        words=_words(said),
        context=context_of(text, payload),
        item_id=payload.id or "",
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _assistant_item(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    text = _parts_text(payload.content)
    return Message(
        actor="model",
        stream="item",
        words=_words(text),
        bare_words=_bare_words(text),
        phase=payload.phase or "",
        item_id=payload.id or "",
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _system_item(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    role = _text(payload.role) or "system"
    return Message(
        actor="system", stream="item", context=role, kind=kind, ordinal=ordinal, turn_id=_passed_turn(payload)
    )


def _message_item(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    role = payload.role
    kind = _MESSAGES.get(role, kind)
    if role == "user":
        return _user_item(payload, kind, ordinal, turn_id)
    read = _assistant_item if role == "assistant" else _system_item
    return read(payload, kind, ordinal, turn_id)


_MESSAGE = "response_item/message"
_MESSAGES = {role: f"{_MESSAGE}/{role}" for role in ("user", "assistant", "developer")}
"""Messages are of a kind for each of these roles; of any other one, of the kind of all."""


def _agent_item(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    text = _parts_text(payload.content)
    return Message(
        actor="agent",
        stream="item",
        words=_words(text),
        author=_text(payload.author),
        item_id=payload.id or "",
        encrypted=not text,
        sealed=_sealed_parts(payload.content),
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _agent_line(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Message(
        actor="agent",
        stream="event",
        words=_words(_text(payload.content)),
        author=_text(payload.author),
        item_id=payload.id or "",
        encrypted=not payload.content,
        sealed=1 if payload.encrypted_content else 0,
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


_INJECTED_KINDS = {"user_instructions": "AGENTS.md", "environment_context": "environment"}


def _user_event(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Message(
        actor="human",
        stream="event",
        words=_words(_text(payload.message)),
        context=_INJECTED_KINDS.get(_text(payload.kind), ""),
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


def _assistant_event(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    text = _text(payload.message)
    return Message(
        actor="model",
        stream="event",
        words=_words(text),
        bare_words=_bare_words(text),
        phase=payload.phase or "",
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


def _shown_user(item: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Message(
        actor="human",
        stream="display",
        words=_words(_parts_text(item.content)),
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


def _shown_assistant(item: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    text = _parts_text(item.content)
    return Message(
        actor="model",
        stream="display",
        words=_words(text),
        bare_words=_bare_words(text),
        phase=_text(item.phase),
        item_id=_text(item.id),
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


# -- reasoning
def _reasoning_item(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    texts = _part_texts(payload.summary)
    raw = _part_texts(payload.content) if payload.content else []
    return Reasoning(
        stream="item",
        words=tuple([hash(text) for text in texts + raw]),
        raw=bool(raw) and not texts,
        item_id=payload.id or "",
        sealed=1 if payload.encrypted_content else 0,
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _part_texts(parts: Any) -> list[str]:
    """The texts of some parts, empty ones left out."""
    texts = [getattr(part, "text", part) for part in _list(parts)]
    return [text for text in texts if text.__class__ is str and text]


def _reasoning_event(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    words = _words(_text(payload.text))
    return Reasoning(stream="event", words=(words,) if words else (), kind=kind, ordinal=ordinal, turn_id=turn_id)


def _raw_reasoning_event(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    words = _words(_text(payload.text))
    return Reasoning(
        stream="event", words=(words,) if words else (), raw=True, kind=kind, ordinal=ordinal, turn_id=turn_id
    )


def _shown_reasoning(item: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    texts = [text for text in (*_list(item.summary_text), *_list(item.raw_content)) if isinstance(text, str) and text]
    return Reasoning(
        stream="display",
        words=tuple(_words(text) for text in texts),
        item_id=_text(item.id),
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


# -- calls
_FEEDERS = {"write_stdin": ("session_id", ""), "wait": ("cell_id", "cell ")}
"""Tools that go on with a process left running: the argument that names it, and what sets its kind of names apart."""


def _function_call(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    name, arguments = payload.name or "", payload.arguments
    feeds, bad = "", False
    if arguments is not None:
        try:
            values = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            bad = True
        else:
            feeds = _fed_process(name, values) if name in _FEEDERS else ""
    return Call(
        call_id=payload.call_id or "",
        tool=intern(name),
        feeds=feeds,
        bad_arguments=bad,
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _fed_process(name: str, arguments: Any) -> str:
    """The process that a call of a feeding tool names in its arguments."""
    field, space = _FEEDERS[name]
    named = arguments.get(field) if isinstance(arguments, dict) else None
    return f"{space}{named}" if isinstance(named, str | int) and named != "" else ""


def _custom_call(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    name = payload.name or ""
    return Call(
        call_id=payload.call_id or "",
        tool=intern(name),
        script=name == "exec",
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _local_shell_call(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    call_id = _text(payload.call_id) or _text(payload.id)
    return Call(
        call_id=call_id,
        tool="local_shell",
        by_place=not call_id,
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _tool_search_call(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    call_id = _text(payload.call_id)
    return Call(
        call_id=call_id,
        tool="tool_search",
        alone=not call_id,
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _web_search_call(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Call(
        call_id=_text(payload.id),
        tool="web_search",
        alone=True,
        action=_signature(payload.action),
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _image_call(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    call_id = _text(payload.id)
    return Call(
        call_id=call_id, tool="image_generation", alone=True, kind=kind, ordinal=ordinal, turn_id=_passed_turn(payload)
    )


def _signature(value: Any) -> int:
    """A hash of a small JSON value, by which two records that hold the same one can be told."""
    if value is None:
        return 0
    try:
        return hash(msgspec.json.encode(value, order="sorted"))
    except (TypeError, ValueError):
        return 0


def _output(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    output, call_id = payload.output, payload.call_id
    sealed = 0
    if output.__class__ is list:
        sealed = _sealed_parts(output)
        output = _first_text(output)
    return Result(
        call_id=call_id or "",
        outcome=outcome_of(output),
        optional_call=call_id is None,
        item_id=payload.id or "",
        sealed=sealed,
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


def _first_text(parts: Any) -> Any:
    for part in _list(parts):
        text = getattr(part, "text", None)
        if text is not None:
            return text
    return None


def _tool_search_output(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Result(
        call_id=_text(payload.call_id),
        optional_call=True,
        tool="tool_search",
        item_id=payload.id or "",
        kind=kind,
        ordinal=ordinal,
        turn_id=_passed_turn(payload),
    )


_EXITED = re.compile(rb'\\nProcess exited with code (-?\d{1,9})')
_EXIT_CODE = re.compile(rb'\\nExit code: (-?\d{1,9})')
_RUNNING = re.compile(rb'\\nProcess running with session ID (\d{1,18})')
_WALL_TIME = re.compile(rb'\\nWall time: ([\d.]{1,18}) seconds')
_SCRIPT = re.compile(
    rb'"Script (completed|failed|terminated|running(?: with cell ID ([^\\"]{1,60}))?)\\nWall time:? ([\d.]{1,18})'
)
_USUAL_CHUNK = re.compile(
    rb'"(?:Chunk ID: [^\\"]{1,40}\\n)?Wall time: ([\d.]{1,18}) seconds\\nProcess exited with code (-?\d{1,9})\\n'
)
_USUAL_EXIT = re.compile(rb'"Exit code: (-?\d{1,9})\\nWall time: ([\d.]{1,18}) seconds\\n')
_JSON_EXIT = re.compile(rb'\\"exit_code\\":\s*(-?\d{1,9})')
_JSON_DURATION = re.compile(rb'\\"duration_seconds\\":\s*([\d.]{1,18})')
_HEADS = (b'"Exit code:', b'"Process exited', b'"Wall time:', b'"Chunk ID:', b'"Command:')
_LOOKED_AT_BYTES = 600


def outcome_of(output: Any) -> Outcome:
    """How a shell call came out, as its output tells: success is nowhere a field of its own (2025: JSON text with
    ``metadata``; later a head of plain lines before ``Output:``). Takes the text, or its JSON string as a Raw."""
    if output is None:
        return NO_OUTCOME
    if output.__class__ is msgspec.Raw:
        found = _USUAL_CHUNK.match(output)
        if found is not None:
            code = int(found[2])
            return Outcome(code != 0, code, "", _seconds(found[1]))
        found = _USUAL_EXIT.match(output)
        if found is not None:
            code = int(found[1])
            return Outcome(code != 0, code, "", _seconds(found[2]))
        view = memoryview(output)
        head = bytes(view[:_LOOKED_AT_BYTES])
        tail = bytes(view[-_LOOKED_AT_BYTES:]) if head.startswith(b'"{') else b""
        return _outcome(head, tail)
    if isinstance(output, str):
        cut = output if len(output) <= 2 * _LOOKED_AT_BYTES else output[:_LOOKED_AT_BYTES] + output[-_LOOKED_AT_BYTES:]
        token = msgspec.json.encode(cut.encode("utf-8", "replace").decode("utf-8"))
        return _outcome(token, token)
    if isinstance(output, bytes):
        return _outcome(output[:_LOOKED_AT_BYTES], output[-_LOOKED_AT_BYTES:])
    return NO_OUTCOME  # of a record that did not decode


def _outcome(head: bytes, tail: bytes) -> Outcome:
    """The outcome from the first and the last bytes of an output's JSON string."""
    if head.startswith(b'"{'):
        found = _JSON_EXIT.search(tail) if b'\\"metadata\\"' in tail else None
        return _exited(int(found[1]), _JSON_DURATION.search(tail)) if found is not None else NO_OUTCOME
    stop = head.find(b"\\nOutput:")
    if stop < 0 and not head.startswith(_HEADS):
        return NO_OUTCOME
    head = head[:stop] if stop >= 0 else head
    if head.startswith(b'"Script '):
        return _script_outcome(head)
    head = b"\\n" + head[1:]  # so that each of its lines stands behind a line end
    found = _EXITED.search(head) or _EXIT_CODE.search(head)
    if found is not None:
        return _exited(int(found[1]), _WALL_TIME.search(head))
    running = _RUNNING.search(head)
    return Outcome(running=running[1].decode()) if running is not None else NO_OUTCOME


def _script_outcome(head: bytes) -> Outcome:
    """How a script came out, or the cell in which it goes on."""
    found = _SCRIPT.match(head)
    if found is None:
        return NO_OUTCOME
    if found[1].startswith(b"running"):
        return Outcome(running="cell " + found[2].decode("utf-8", "replace") if found[2] is not None else "")
    return Outcome(failed=found[1] != b"completed", duration_ms=_seconds(found[3]))


def _exited(code: int, seconds: re.Match[bytes] | None) -> Outcome:
    duration = _seconds(seconds[1]) if seconds is not None else -1
    return Outcome(failed=code != 0, exit_code=code, duration_ms=duration)


def _seconds(digits: bytes) -> int:
    """Seconds as text in milliseconds, -1 for what is no number."""
    try:
        return round(float(digits) * 1000)
    except ValueError:
        return -1


def _duration(value: Any) -> int:
    """Milliseconds of ``{secs, nanos}``."""
    seconds, nanos = getattr(value, "secs", None), getattr(value, "nanos", None)
    if not isinstance(seconds, int) or not isinstance(nanos, int):
        return -1
    return seconds * 1000 + nanos // 1_000_000


# -- what the screen showed of calls
def _exec_end(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return _mirror(payload.call_id, "exec_command", _exit_of(payload), kind, ordinal, turn_id)


def _exit_of(value: Any) -> Outcome:
    code = value.exit_code if isinstance(value.exit_code, int) else None
    failed = bool(code) if code is not None else _failed(value.status)
    return Outcome(failed=failed, exit_code=code, duration_ms=_duration(value.duration))


def _failed(status: Any) -> bool | None:
    return {"completed": False, "failed": True, "declined": True}.get(_text(status))


def _patch_end(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    success = payload.success
    failed = not success if isinstance(success, bool) else _failed(payload.status)
    return _mirror(payload.call_id, "apply_patch", Outcome(failed=failed), kind, ordinal, turn_id)


def _mcp_end(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    result, invocation = payload.result, payload.invocation
    failed = None
    if result is not None:
        answer = getattr(result, "Ok", None)
        failed = answer is None or getattr(answer, "isError", None) is True
    outcome = Outcome(failed=failed, duration_ms=_duration(payload.duration))
    return _mirror(payload.call_id, _text(getattr(invocation, "tool", None)) or "mcp", outcome, kind, ordinal, turn_id)


def _search_end(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return _mirror(payload.call_id, "web_search", NO_OUTCOME, kind, ordinal, turn_id, action=_signature(payload.action))


def _end_of(tool: str) -> Reader:
    def read(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
        return _mirror(payload.call_id, tool, NO_OUTCOME, kind, ordinal, turn_id)

    return read


def _dynamic_request(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return _mirror(payload.callId, _text(payload.tool) or "tool", NO_OUTCOME, kind, ordinal, turn_id)


def _dynamic_response(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    success = payload.success
    outcome = Outcome(failed=not success if isinstance(success, bool) else None)
    return _mirror(payload.call_id, _text(payload.tool) or "tool", outcome, kind, ordinal, turn_id)


def _mirror(
    call_id: Any, tool: str, outcome: Outcome, kind: str, ordinal: int, turn_id: str, *, action: int = 0
) -> Statement:
    call_id = _text(call_id)
    return CallMirror(
        call_id=call_id,
        tool=tool,
        outcome=outcome,
        nested=call_id.startswith("exec-"),
        action=action,
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


def _shown_command(item: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return _mirror(item.id, "exec_command", _exit_of(item), kind, ordinal, turn_id)


def _shown_search(item: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return _mirror(item.id, "web_search", NO_OUTCOME, kind, ordinal, turn_id, action=_signature(item.action))


def _shown_call(tool: str) -> Reader:
    def read(item: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
        name = tool or _text(getattr(item, "tool", None)) or _text(getattr(item, "name", None)) or "tool"
        status = _text(getattr(item, "status", None))
        failed = {"completed": False, "failed": True, "declined": True, "inProgress": None}.get(status)
        duration = _duration(getattr(item, "duration", None))
        return _mirror(item.id, name, Outcome(failed=failed, duration_ms=duration), kind, ordinal, turn_id)

    return read


def _shown_output(item: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return CallMirror(
        call_id=_text(item.id), tool="", shows_result=True, kind=kind, ordinal=ordinal, turn_id=turn_id
    )


# -- usage, compaction, notices
def _tokens(value: Any) -> Tokens | None:
    if value is None:
        return None
    return Tokens(
        value.input_tokens or 0,
        value.cached_input_tokens or 0,
        value.output_tokens or 0,
        value.reasoning_output_tokens or 0,
        value.total_tokens or 0,
    )


def _token_count(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    info = payload.info
    if info is None:
        return Usage(kind=kind, ordinal=ordinal, turn_id=turn_id)
    return Usage(
        total=_tokens(info.total_token_usage),
        last=_tokens(info.last_token_usage),
        window=info.model_context_window or 0,
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


def _usage_record(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Usage(
        per_response=True,
        last=_tokens(payload.usage),
        total=_tokens(payload.thread_token_usage),
        response_id=_text(payload.response_id),
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


_CALL_KINDS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call")


def _compacted(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    kept = list(_list(payload.replacement_history))
    ids = {
        _text(getattr(item, "call_id", None)) or _text(getattr(item, "id", None))
        for item in kept
        if getattr(item, "type", None) in _CALL_KINDS
    }
    sealed = sum(1 for item in kept if getattr(item, "encrypted_content", None))
    window = payload.window_id
    return Compaction(
        items=len(kept),
        listed=payload.replacement_history is not None,
        call_ids=frozenset(ids - {""}),
        response_id=_text(payload.compaction_response_id),
        window=str(window) if isinstance(window, int) else _text(window),
        window_before=_text(payload.previous_window_id),
        sealed=sealed,
        kind=kind,
        ordinal=ordinal,
        turn_id=turn_id,
    )


def _compaction_mark(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    sealed = 1 if getattr(payload, "encrypted_content", None) else 0
    return Compaction(marker=True, sealed=sealed, kind=kind, ordinal=ordinal, turn_id=turn_id)


def _agent_activity(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    path = _text(payload.agent_path) or _text(payload.agent_thread_id)
    label = f"sub-agent {path} {_text(payload.kind)}".strip()
    return Notice(
        label=label, call_id=_text(getattr(payload, "event_id", None)), kind=kind, ordinal=ordinal, turn_id=turn_id
    )


def _remark_on(field: str) -> Reader:
    def read(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
        return Remark(call_id=_text(getattr(payload, field)), kind=kind, ordinal=ordinal, turn_id=turn_id)

    return read


def _herald(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Herald(kind=kind, ordinal=ordinal, turn_id=turn_id)


def _shown_plan(item: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    """A plan is shown right before the message that holds it."""
    return Herald(actor="model", kind=kind, ordinal=ordinal, turn_id=turn_id)


def _naming(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
    return Naming(kind=kind, ordinal=ordinal, turn_id=turn_id)


def _item_completed(reader: Reader) -> Reader:
    """A reader of ``payload.item``, with the turn that the wrapper names."""

    def read(payload: Any, kind: str, ordinal: int, turn_id: str) -> Statement:
        item = payload.item
        if item is None:
            return Statement(kind=kind, ordinal=ordinal, turn_id=turn_id)
        return reader(item, kind, ordinal, turn_id)

    return read


_ITEMS: dict[str, Reader] = {
    "UserMessage": _shown_user,
    "AgentMessage": _shown_assistant,
    "Plan": _shown_plan,
    "Reasoning": _shown_reasoning,
    "CommandExecution": _shown_command,
    "FileChange": _shown_call("apply_patch"),
    "McpToolCall": _shown_call(""),
    "DynamicToolCall": _shown_call(""),
    "FunctionCallOutput": _shown_output,
    "CollabAgentToolCall": _shown_call(""),
    "WebSearch": _shown_search,
    "ImageView": _shown_call("view_image"),
    "ImageGeneration": _shown_call("image_generation"),
    "ContextCompaction": _compaction_mark,
    "SubAgentActivity": _agent_activity,
    "Extension/web.search": _shown_search,
    "Extension/clock.sleep": _shown_call("sleep"),
    "Extension/image_gen.generation": _shown_call("image_generation"),
    "Sleep": _shown_call("sleep"),
}

READERS: dict[str, Reader] = {
    "session_meta": _session_meta,
    "legacy/bare_session_meta": _bare_header,
    "turn_context": _turn_context,
    "compacted": _compacted,
    "token_usage_record": _usage_record,
    "inter_agent_communication": _agent_line,
    "inter_agent_communication_metadata": _herald,
    "security_risk_score": _remark_on("call_id"),
    "retained_context/verified_answer": _remark_on("call_id"),
    "realtime_item/bem_item_promoted": _remark_on("item_id"),
    **dict.fromkeys((_MESSAGE, *_MESSAGES.values()), _message_item),
    "response_item/reasoning": _reasoning_item,
    "response_item/agent_message": _agent_item,
    "response_item/function_call": _function_call,
    "response_item/custom_tool_call": _custom_call,
    "response_item/local_shell_call": _local_shell_call,
    "response_item/tool_search_call": _tool_search_call,
    "response_item/web_search_call": _web_search_call,
    "response_item/image_generation_call": _image_call,
    "response_item/function_call_output": _output,
    "response_item/custom_tool_call_output": _output,
    "response_item/tool_search_output": _tool_search_output,
    "response_item/compaction": _compaction_mark,
    "response_item/context_compaction": _compaction_mark,
    "event_msg/task_started": _turn_start,
    "event_msg/task_complete": _turn_complete,
    "event_msg/turn_aborted": _turn_aborted,
    "event_msg/thread_rolled_back": _rolled_back,
    "event_msg/user_message": _user_event,
    "event_msg/agent_message": _assistant_event,
    "event_msg/agent_reasoning": _reasoning_event,
    "event_msg/agent_reasoning_raw_content": _raw_reasoning_event,
    "event_msg/token_count": _token_count,
    "event_msg/context_compacted": _compaction_mark,
    "event_msg/exec_command_end": _exec_end,
    "event_msg/patch_apply_end": _patch_end,
    "event_msg/mcp_tool_call_end": _mcp_end,
    "event_msg/web_search_end": _search_end,
    "event_msg/image_generation_end": _end_of("image_generation"),
    "event_msg/view_image_tool_call": _end_of("view_image"),
    "event_msg/dynamic_tool_call_request": _dynamic_request,
    "event_msg/dynamic_tool_call_response": _dynamic_response,
    "event_msg/collab_agent_spawn_end": _end_of("spawn_agent"),
    "event_msg/collab_agent_interaction_end": _end_of("send_input"),
    "event_msg/collab_waiting_end": _end_of("wait"),
    "event_msg/collab_close_end": _end_of("close_agent"),
    "event_msg/collab_resume_end": _end_of("resume_agent"),
    "event_msg/sub_agent_activity": _agent_activity,
    "event_msg/guardian_assessment": _remark_on("target_item_id"),
    "event_msg/thread_name_updated": _naming,
    **{f"event_msg/item_completed/{name}": _item_completed(reader) for name, reader in _ITEMS.items()},
}
"""Readers by kind. A kind that is not here says nothing that another record could be related to."""
