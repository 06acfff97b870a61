"""The support matrix of the ``codex-v3`` view: what each sort of record must hold, and the entries that it becomes.

Three tables (records, response items, events) and one of the parts inside them are the whole contract, row by row;
``docs/views/codex-v3.md`` says the same for people, and a test holds both together. A row reads the fields it names and
no others, and knows no other record. Knows Codex field names, which this package may.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from rollout_ls.projection.views.codex_v3_fields import Fields

Kind = Literal[
    "message",
    "inter-agent-message",
    "reasoning-summary",
    "tool-call",
    "tool-result",
    "injected-context",
    "compaction",
    "turn-started",
    "turn-completed",
    "turn-aborted",
    "rollback",
    "diagnostic",
    "unknown",
]
Treatment = Literal["supported", "deferred", "skipped"]
Part = Literal["call", "result", "start", "end", ""]
"""Which end of a relation an entry is: a call and its result by call id, a turn's start and end by turn id."""


class Evidence(msgspec.Struct, frozen=True):
    """Whose words an entry holds, where they come from, and how sure that is."""

    actor: str
    origin: str
    confidence: str


HUMAN = Evidence("human", "human", "high")
MODEL = Evidence("model", "model", "high")
INJECTED = Evidence("system", "injected", "high")
SYSTEM = Evidence("system", "system", "high")
TOOL = Evidence("tool", "tool", "high")
DELEGATED = Evidence("model", "delegated", "high")
UNKNOWN = Evidence("unknown", "unknown", "unknown")


class Segment(msgspec.Struct, frozen=True):
    """Exact text, or (``text`` is None) an omission: ``omitted`` is its class, ``source`` its source type."""

    text: str | None
    omitted: str
    source: str
    origin: str
    confidence: str


class Draft(msgspec.Struct, frozen=True):
    """An entry as one record makes it, before it is related to others."""

    kind: Kind
    evidence: Evidence
    segments: tuple[Segment, ...] = ()
    part: Part = ""
    call_id: str | None = None
    tool: str | None = None
    namespace: str | None = None
    turn_id: str | None = None


class Header(msgspec.Struct, frozen=True):
    """What a head of a session tells: of this one, or of one whose history was copied."""

    thread_id: str
    parent: str | None
    forked_from: str | None
    instructions: str | None


Reader = Callable[[Fields], tuple[Draft, ...]]


class Row(msgspec.Struct, frozen=True):
    """One row of the matrix. ``fields`` are those of the payload that it reads, ``gives`` the kinds of its entries."""

    treatment: Treatment
    fields: tuple[str, ...] = ()
    gives: tuple[Kind, ...] = ()
    read: Reader | None = None
    family: Literal["response", "event", ""] = ""
    """Which telling a message belongs to; two of different families may be one."""


# -- small steps
def exact(text: str, evidence: Evidence) -> Segment:
    """A segment of exact text."""
    return Segment(text, "", "", evidence.origin, evidence.confidence)


def omitted(what: str, source: str, evidence: Evidence) -> Segment:
    """A segment that says what was left out."""
    return Segment(None, what, source, evidence.origin, evidence.confidence)


def _said(kind: Kind, evidence: Evidence, *texts: str | None) -> Draft:
    """An entry of texts; those that are not there are left out."""
    return Draft(kind, evidence, tuple(exact(text, evidence) for text in texts if text is not None))


_WORD = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+)*")
_TOKEN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_TOKEN_BYTES = 64
UNSAFE_RECORD = "unknown-record"
UNKNOWN_PART = "unknown-content-item"


def safe_token(word: str) -> str:
    """A discriminator as kebab case, or ``unknown-record`` where it could be anything else than a plain name."""
    if len(word) > MAX_TOKEN_BYTES or not _WORD.fullmatch(word):
        return UNSAFE_RECORD
    token = word.replace("_", "-")
    return token if _TOKEN.fullmatch(token) else UNSAFE_RECORD


def unknown_entry(word: str) -> Draft:
    """What a record becomes whose payload nobody looks into."""
    return Draft("unknown", UNKNOWN, (omitted("unknown", safe_token(word), UNKNOWN),))


# -- parts
DETAILS = ("auto", "low", "high", "original")


class PartRow(msgspec.Struct, frozen=True):
    """A known item of an array. ``needs`` is the string it must hold; text (``omits`` is None) or an omission."""

    needs: str
    omits: tuple[str, str] | None = None


_IMAGE = PartRow("image_url", ("image", "input-image"))
_HIDDEN = PartRow("text", ("unknown", "reasoning-content"))
PARTS: dict[str, dict[str, PartRow]] = {
    "message": {"input_text": PartRow("text"), "output_text": PartRow("text"), "input_image": _IMAGE},
    "agent message": {
        "input_text": PartRow("text"),
        "encrypted_content": PartRow("encrypted_content", ("unknown", "encrypted-agent-content")),
    },
    "reasoning summary": {"summary_text": PartRow("text")},
    "reasoning content": {"reasoning_text": _HIDDEN, "text": _HIDDEN},
    "tool result": {
        "input_text": PartRow("text"),
        "input_image": _IMAGE,
        "encrypted_content": PartRow("encrypted_content", ("unknown", "encrypted-tool-content")),
    },
}
"""Known items by what they stand in."""

OTHER_PARTS = {name: "structured" if name == "tool result" else "unknown" for name in PARTS}
"""The class of the omission that any other item becomes."""


def _segments(items: list[Fields], parent: str, evidence: Evidence) -> tuple[Segment, ...]:
    return tuple(_segment(item, parent, evidence) for item in items)


def _segment(item: Fields, parent: str, evidence: Evidence) -> Segment:
    row = PARTS[parent].get(item.word("type"))
    if row is None:
        return omitted(OTHER_PARTS[parent], UNKNOWN_PART, evidence)
    if row.omits is None:
        return exact(item.text(row.needs), evidence)
    item.raw(row.needs)
    if row is _IMAGE and item.optional_raw("detail") not in (None, *DETAILS):
        raise item.refuse("detail")
    return omitted(*row.omits, evidence)


# -- records
def read_header(payload: Fields) -> Header:
    """The head of a session. The id of its group is checked and not kept."""
    thread_id = payload.text("id", filled=True)
    payload.optional_text("session_id", filled=True)
    parent = payload.optional_text("parent_thread_id", filled=True)
    forked_from = payload.optional_text("forked_from_id", filled=True)
    base = payload.optional_inner("base_instructions")
    return Header(thread_id, parent, forked_from, base.optional_text("text") if base is not None else None)


def header_entries(header: Header) -> tuple[Draft, ...]:
    """The entries of the session's own header."""
    return () if header.instructions is None else (_said("injected-context", INJECTED, header.instructions),)


def _settings(payload: Fields) -> tuple[Draft, ...]:
    payload.optional_text("turn_id", filled=True)
    texts = (payload.optional_text("user_instructions"), payload.optional_text("developer_instructions"))
    return tuple(_said("injected-context", INJECTED, text) for text in texts if text is not None)


def _agent_line(payload: Fields) -> tuple[Draft, ...]:
    payload.raw("author")
    payload.raw("recipient")
    segments = [exact(payload.text("content"), DELEGATED)]
    if payload.optional_raw("encrypted_content") is not None:
        segments.append(omitted("unknown", "encrypted-agent-content", DELEGATED))
    return (Draft("inter-agent-message", DELEGATED, tuple(segments)),)


def _compacted(payload: Fields) -> tuple[Draft, ...]:
    return Draft("compaction", SYSTEM), _said("injected-context", INJECTED, payload.text("message"))


# -- response items
ROLES = {"user": HUMAN, "assistant": MODEL, "developer": INJECTED, "system": SYSTEM}
PHASES = ("commentary", "final_answer")


def _message(payload: Fields) -> tuple[Draft, ...]:
    evidence = ROLES.get(payload.raw("role"))
    if evidence is None:
        raise payload.refuse("role")
    if payload.optional_raw("phase") not in (None, *PHASES):
        raise payload.refuse("phase")
    return (Draft("message", evidence, _segments(payload.items("content"), "message", evidence)),)


def _agent_message(payload: Fields) -> tuple[Draft, ...]:
    payload.raw("author")
    payload.raw("recipient")
    segments = _segments(payload.items("content"), "agent message", DELEGATED)
    return (Draft("inter-agent-message", DELEGATED, segments),)


def _reasoning(payload: Fields) -> tuple[Draft, ...]:
    segments = [
        *_segments(payload.items("summary"), "reasoning summary", MODEL),
        *_segments(payload.optional_items("content"), "reasoning content", MODEL),
    ]
    if payload.optional_raw("encrypted_content") is not None:
        segments.append(omitted("unknown", "encrypted-reasoning", MODEL))
    return (Draft("reasoning-summary", MODEL, tuple(segments)),)


def _call(given: str) -> Reader:
    """A reader of calls that hold what they give to the tool under a key."""

    def read(payload: Fields) -> tuple[Draft, ...]:
        call_id = payload.text("call_id", filled=True)
        name = payload.text("name", filled=True)
        namespace = payload.optional_text("namespace", filled=True)
        segments = (exact(payload.text(given), MODEL),)
        return (Draft("tool-call", MODEL, segments, "call", call_id, name, namespace),)

    return read


def _result(payload: Fields) -> tuple[Draft, ...]:
    call_id = payload.text("call_id", filled=True)
    if isinstance(payload.values.get("output"), str):
        segments: tuple[Segment, ...] = (exact(payload.text("output"), TOOL),)
    else:
        segments = _segments(payload.items("output"), "tool result", TOOL)
    return (Draft("tool-result", TOOL, segments, "result", call_id),)


_SEALED = omitted("unknown", "encrypted-compaction", SYSTEM)


def _compaction(payload: Fields) -> tuple[Draft, ...]:
    payload.raw("encrypted_content")
    return (Draft("compaction", SYSTEM, (_SEALED,)),)


def _context_compaction(payload: Fields) -> tuple[Draft, ...]:
    sealed = payload.optional_raw("encrypted_content") is not None
    return (Draft("compaction", SYSTEM, (_SEALED,) if sealed else ()),)


# -- events
ABORT_REASONS = ("interrupted", "replaced", "review_ended", "budget_limited")


def _user_event(payload: Fields) -> tuple[Draft, ...]:
    segments = [exact(payload.text("message"), HUMAN)]
    segments += [omitted("image", "input-image", HUMAN)] * payload.count_strings("images", nullable=True)
    segments += [omitted("image", "local-image", HUMAN)] * payload.count_strings("local_images", nullable=False)
    return (Draft("message", HUMAN, tuple(segments)),)


def _assistant_event(payload: Fields) -> tuple[Draft, ...]:
    return (_said("message", MODEL, payload.text("message")),)


def _reasoning_event(payload: Fields) -> tuple[Draft, ...]:
    return (_said("reasoning-summary", MODEL, payload.text("text")),)


def _turn_started(payload: Fields) -> tuple[Draft, ...]:
    return (Draft("turn-started", SYSTEM, part="start", turn_id=payload.text("turn_id", filled=True)),)


def _turn_completed(payload: Fields) -> tuple[Draft, ...]:
    marker = Draft("turn-completed", SYSTEM, part="end", turn_id=payload.text("turn_id", filled=True))
    error = payload.optional_inner("error")
    return (marker,) if error is None else (marker, _said("diagnostic", SYSTEM, error.text("message")))


def _turn_aborted(payload: Fields) -> tuple[Draft, ...]:
    turn_id = payload.optional_text("turn_id", filled=True)
    if payload.raw("reason") not in ABORT_REASONS:
        raise payload.refuse("reason")
    return (Draft("turn-aborted", SYSTEM, part="end", turn_id=turn_id),)


def _rolled_back(payload: Fields) -> tuple[Draft, ...]:
    payload.unsigned("num_turns")
    return (Draft("rollback", SYSTEM),)


def _context_compacted(payload: Fields) -> tuple[Draft, ...]:
    return (Draft("compaction", SYSTEM),)


def _diagnostic(first: str, more: str = "") -> Reader:
    """A reader of diagnostics: one entry, the text under ``more`` behind that under ``first``."""

    def read(payload: Fields) -> tuple[Draft, ...]:
        return (_said("diagnostic", SYSTEM, payload.text(first), payload.optional_text(more) if more else None),)

    return read


# -- the tables
def _row(fields: str, gives: tuple[Kind, ...], read: Reader, family: Literal["response", "event", ""] = "") -> Row:
    return Row("supported", tuple(fields.split()), gives, read, family)


def _deferred(*names: str) -> dict[str, Row]:
    return dict.fromkeys(names, Row("deferred", gives=("unknown",)))


def _skipped(*names: str) -> dict[str, Row]:
    return dict.fromkeys(names, Row("skipped"))


OTHER = Row("deferred", gives=("unknown",))
"""Every name that no table holds."""

RECORDS: dict[str, Row] = {
    "session_meta": Row(
        "supported",
        ("id", "session_id", "parent_thread_id", "forked_from_id", "base_instructions.text"),
        ("injected-context",),
    ),
    "turn_context": _row(
        "turn_id user_instructions developer_instructions", ("injected-context", "injected-context"), _settings
    ),
    "inter_agent_communication": _row(
        "author recipient content encrypted_content", ("inter-agent-message",), _agent_line
    ),
    "compacted": _row("message", ("compaction", "injected-context"), _compacted),
    **_skipped("inter_agent_communication_metadata", "world_state"),
}
"""Records by ``type``. A header is read by the pass itself, since only it knows whose header it is; the two that hold a
payload with a type of its own stand in ``PAYLOADS``."""

RESPONSES: dict[str, Row] = {
    "message": _row("role content phase", ("message",), _message, "response"),
    "agent_message": _row("author recipient content", ("inter-agent-message",), _agent_message),
    "reasoning": _row("summary content encrypted_content", ("reasoning-summary",), _reasoning),
    "function_call": _row("call_id name arguments namespace", ("tool-call",), _call("arguments")),
    "function_call_output": _row("call_id output", ("tool-result",), _result),
    "custom_tool_call": _row("call_id name input namespace", ("tool-call",), _call("input")),
    "custom_tool_call_output": _row("call_id output", ("tool-result",), _result),
    "compaction": _row("encrypted_content", ("compaction",), _compaction),
    "compaction_summary": _row("encrypted_content", ("compaction",), _compaction),
    "context_compaction": _row("encrypted_content", ("compaction",), _context_compaction),
    **_skipped("compaction_trigger"),
    **_deferred(
        *("additional_tools", "local_shell_call", "tool_search_call", "tool_search_output", "web_search_call"),
        "image_generation_call",
    ),
}
"""Payloads of ``response_item`` by their ``type``."""

EVENTS: dict[str, Row] = {
    "user_message": _row("message images local_images", ("message",), _user_event, "event"),
    "agent_message": _row("message", ("message",), _assistant_event, "event"),
    "agent_reasoning": _row("text", ("reasoning-summary",), _reasoning_event),
    "task_started": _row("turn_id", ("turn-started",), _turn_started),
    "turn_started": _row("turn_id", ("turn-started",), _turn_started),
    "task_complete": _row("turn_id error.message", ("turn-completed", "diagnostic"), _turn_completed),
    "turn_complete": _row("turn_id error.message", ("turn-completed", "diagnostic"), _turn_completed),
    "turn_aborted": _row("turn_id reason", ("turn-aborted",), _turn_aborted),
    "thread_rolled_back": _row("num_turns", ("rollback",), _rolled_back),
    "context_compacted": _row("", ("compaction",), _context_compacted),
    "error": _row("message", ("diagnostic",), _diagnostic("message")),
    "warning": _row("message", ("diagnostic",), _diagnostic("message")),
    "guardian_warning": _row("message", ("diagnostic",), _diagnostic("message")),
    "stream_error": _row("message additional_details", ("diagnostic",), _diagnostic("message", "additional_details")),
    "deprecation_notice": _row("summary details", ("diagnostic",), _diagnostic("summary", "details")),
    **_deferred(
        *("mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin", "web_search_end"),
        *("image_generation_begin", "image_generation_end", "exec_command_begin", "exec_command_end"),
        *("view_image_tool_call", "dynamic_tool_call_request", "dynamic_tool_call_response"),
        *("patch_apply_begin", "patch_apply_end", "entered_review_mode", "exited_review_mode", "item_completed"),
        *("collab_agent_spawn_begin", "collab_agent_spawn_end", "collab_agent_interaction_begin"),
        *("collab_agent_interaction_end", "collab_waiting_begin", "collab_waiting_end", "collab_close_begin"),
        *("collab_close_end", "collab_resume_begin", "collab_resume_end", "sub_agent_activity"),
    ),
    **_skipped(
        *("realtime_conversation_started", "realtime_conversation_realtime", "realtime_conversation_closed"),
        *("realtime_conversation_sdp", "model_reroute", "model_verification", "turn_moderation_metadata"),
        *("safety_buffering", "thread_settings_applied", "token_count", "agent_reasoning_raw_content"),
        *("agent_reasoning_section_break", "session_configured", "thread_goal_updated", "mcp_startup_update"),
        *("mcp_startup_complete", "exec_command_output_delta", "terminal_interaction", "exec_approval_request"),
        *("request_permissions", "request_user_input", "elicitation_request", "apply_patch_approval_request"),
        *("guardian_assessment", "patch_apply_updated", "turn_diff", "realtime_conversation_list_voices_response"),
        *("plan_update", "shutdown_complete", "raw_response_item", "raw_response_completed", "item_started"),
        *("hook_started", "hook_completed", "agent_message_content_delta", "plan_delta", "reasoning_content_delta"),
        "reasoning_raw_content_delta",
    ),
}
"""Payloads of ``event_msg`` by their ``type``."""

PAYLOADS = {"response_item": RESPONSES, "event_msg": EVENTS}
