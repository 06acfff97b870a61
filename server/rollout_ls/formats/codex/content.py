"""What each Codex record holds for a person to read.

One small function a kind; a kind without one is shown as its JSON. Reads typed records and lenient views alike; never
raises; never hands out encrypted values or image data, only their size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import orjson

from rollout_ls.formats.codex import content_beside, types
from rollout_ls.formats.codex.injected import spoken
from rollout_ls.formats.codex.lenient import lenient
from rollout_ls.formats.codex.plain import facts as _facts
from rollout_ls.formats.codex.plain import get as _get
from rollout_ls.formats.codex.plain import items as _list
from rollout_ls.formats.codex.plain import media as _media
from rollout_ls.formats.codex.plain import plain as _plain
from rollout_ls.formats.codex.plain import pretty as _pretty
from rollout_ls.formats.codex.plain import pretty_json
from rollout_ls.formats.codex.plain import text as _text
from rollout_ls.formats.codex.plain import without_opaque as _without_opaque
from rollout_ls.formats.content import Content, Part
from rollout_ls.formats.statement import Statement, Unknown
from rollout_ls.jsonl.examine import examine
from rollout_ls.jsonl.spans import find

_LANGUAGE_BY_TOOL = {"apply_patch": "diff", "exec": "javascript"}
_MAX_SHOWN_TWICE = 65_536
"""Bytes of a refused record that is shown as it stands beside what could be read of it."""
_COMMAND_KEYS = ("cmd", "command")
_LABEL_KEYS = (*_COMMAND_KEYS, "query", "path", "file_path", "message", "url", "q", "plan", "explanation", "chars")


def record_at(data: bytes, statement: Statement) -> Any | None:
    """The record of a statement, decoded anew: typed where it decodes, else a lenient view; None where it is lost."""
    text = data if statement.end < 0 else data[statement.start : statement.end]
    record = types.read(text)
    if record is not None:
        return record
    if _is_whole(text):
        return lenient(text)
    for value in examine(data.rstrip(b"\r\n")).values:
        if value.start == statement.start or statement.end < 0:
            return types.read(value.text) or lenient(value.text)
    return None


def _is_whole(text: bytes) -> bool:
    """Whether a text is one JSON object, as it stands."""
    try:
        return text.lstrip()[:1] == b"{" and type(orjson.loads(text)) is dict
    except orjson.JSONDecodeError:
        return False


def content_of(data: bytes, statement: Statement) -> Content:
    """The readable content of a record of a line."""
    if type(statement) is Unknown:
        content = _raw(data, statement)
        if content.parts:
            return content
    record = record_at(data, statement)
    if record is None:
        return Content()
    payload = record if types.is_bare(record) else record.payload
    reader = _READERS.get(types.kind_of(record) or "")
    if reader is None or payload is None:
        return _raw(data, statement)
    content = reader(payload)
    if type(record) is types.View and (len(data) <= _MAX_SHOWN_TWICE or not content.parts):
        # What a strict reader refuses is shown as it stands too: a lenient view leaves out what it cannot use.
        return msgspec.structs.replace(content, parts=(*content.parts, *_raw(data, statement).parts))
    return content if content.parts or content.facts or content.label else _raw(data, statement)


def time_text(data: bytes, statement: Statement) -> str:
    """The timestamp of a record as it stands there, empty where it has none."""
    record = record_at(data, statement)
    value = getattr(record, "timestamp", None)
    return value if isinstance(value, str) else ""


def _raw(data: bytes, statement: Statement) -> Content:
    """A record's payload as indented JSON, opaque values replaced by their size."""
    text = data if statement.end < 0 else data[statement.start : statement.end]
    payload = find(text, ("payload",))
    body = text.strip() if payload is None else text[payload.start : payload.end]
    shown = pretty_json(body)
    return Content(parts=(Part("content", shown, "json"),)) if shown not in ("", "{}") else Content()


# -- parts of messages and outputs
def _decoded_size(url: str) -> int:
    """Bytes of the decoded base64 of a data URL (three for four characters)."""
    head, comma, body = url.partition(",") if url.startswith("data:") else ("", "", url)
    return len(body.rstrip("=")) * 3 // 4 if comma or not head else len(url)


def _media_part(url: str, title: str) -> Part:
    if url.startswith(("http://", "https://")):
        return Part(title, omitted=f"{title} by address", size=len(url))
    return Part(title, omitted=_media(url), size=_decoded_size(url))


def _part(part: Any, title: str = "text") -> Part | None:
    if isinstance(part, str):
        return Part(title, part)
    text = types.text_of(_get(part, "text"))
    if text is not None:
        return Part(title, text)
    sealed = _get(part, "encrypted_content")
    if isinstance(sealed, str):
        return _sealed(sealed)
    for key, name in (("image_url", "image"), ("imageUrl", "image"), ("audio_url", "audio"), ("audioUrl", "audio")):
        url = _get(part, key)
        if isinstance(url, str):
            return _media_part(url, name)
    data, mime = _get(part, "data"), _text(_get(part, "mimeType"))
    if isinstance(data, str) and mime:
        return Part(title, omitted=mime, size=_decoded_size(data))
    sort = _text(_get(part, "type")) or "part"
    named = _text(_get(part, "name"))
    for key in ("path", "uri", "file_id"):
        value = _text(_get(part, key))
        if value:
            return Part(f"{sort.replace('_', ' ')} {named}".rstrip(), value)
    return Part(sort, named) if named else None


def _sealed(value: str, what: str = "encrypted content") -> Part:
    return Part(what, omitted=what, size=len(value))


def _parts(parts: Any, title: str = "text") -> tuple[Part, ...]:
    return tuple(found for part in _list(parts) if (found := _part(part, title)) is not None)


def _label(parts: Iterable[Part]) -> str:
    """The text of all parts, images and the like left out."""
    return spoken(part.text for part in parts)


# -- messages
def _message(payload: Any) -> Content:
    parts = _parts(payload.content)
    return Content(_label(parts), parts, _facts(("role", payload.role), ("phase", payload.phase)))


def _agent_item(payload: Any) -> Content:
    parts = _parts(payload.content)
    return Content(_label(parts), parts, _facts(("from", payload.author), ("to", payload.recipient)))


def _agent_line(payload: Any) -> Content:
    sealed = payload.encrypted_content
    parts = (Part("text", payload.content),) if _text(payload.content) else ()
    if isinstance(sealed, str):
        parts = (*parts, _sealed(sealed))
    return Content(_label(parts), parts, _facts(("from", payload.author), ("to", payload.recipient)))


def _message_event(payload: Any) -> Content:
    text = _text(payload.message)
    parts = [Part("text", text)] if text else []
    parts += [_media_part(url, "image") for url in _list(getattr(payload, "images", None)) if isinstance(url, str)]
    return Content(text, tuple(parts), _facts(("phase", getattr(payload, "phase", None))))


def _reasoning(payload: Any) -> Content:
    summary = _parts(payload.summary, "summary")
    raw = _parts(payload.content, "raw reasoning (not encrypted)")
    sealed = payload.encrypted_content
    parts = (*summary, *raw)
    if isinstance(sealed, str) and sealed:
        parts = (*parts, _sealed(sealed, "encrypted reasoning"))
    return Content(_label(summary), parts)


def _text_event(payload: Any) -> Content:
    return Content(_text(payload.text), (Part("text", _text(payload.text)),))


# -- calls
def _call(payload: Any) -> Content:
    name, arguments = _text(payload.name), _text(payload.arguments)
    facts = _facts(("tool", name), ("namespace", payload.namespace), ("call id", payload.call_id))
    try:
        values = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return Content(arguments, (Part("arguments (not JSON)", arguments),), facts, tool_input=arguments)
    shown, given = _arguments(name, values), _without_opaque(values)
    return Content(first_argument(values), shown, facts, tool_input=given, command=_command_in(values))


def _arguments(tool: str, values: Any) -> tuple[Part, ...]:
    """Arguments as JSON; a shell command and a patch also as what they are."""
    if not isinstance(values, dict):
        return (Part("arguments", _pretty(values), "json"),)
    parts: list[Part] = []
    rest = dict(values)
    for key in _COMMAND_KEYS:
        command = _command(values.get(key))
        if command:
            parts.append(Part("command", command, "sh"))
            rest.pop(key)
            break
    patch = values.get("input") or values.get("patch")
    if isinstance(patch, str) and "*** Begin Patch" in patch[:200]:
        parts.append(Part("patch", patch, "diff"))
        rest = {key: value for key, value in rest.items() if value is not patch}
    if rest or not parts:
        parts.append(Part("arguments", _pretty(rest), "json"))
    return tuple(parts)


def _told(action: Any) -> Any:
    """An action as plain values, without the fields that the record leaves out."""
    values = _plain(action)
    return {key: value for key, value in values.items() if value is not None} if isinstance(values, dict) else values


def _command_in(values: Any) -> str:
    """The shell command among the arguments of a call, empty where there is none."""
    if not isinstance(values, dict):
        return ""
    return next((command for key in _COMMAND_KEYS if (command := _command(values.get(key)))), "")


def _command(value: Any) -> str:
    """A shell command as one would type it; ``["bash", "-lc", X]`` is X."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
        return ""
    if len(value) == 3 and value[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and value[1] in ("-lc", "-c"):
        return str(value[2])
    return " ".join(_quoted(word) for word in value)


def _quoted(word: str) -> str:
    plain = word and all(char.isalnum() or char in "-_./=:@%+,~" for char in word)
    return word if plain else "'" + word.replace("'", "'\\''") + "'"


def first_argument(values: Any) -> str:
    """What a call is about, of its arguments: a command, a query, a path, else the first text."""
    if not isinstance(values, dict):
        return "" if values is None else str(values)[:200]
    for key in _LABEL_KEYS:
        value = values.get(key)
        command = _command(value) if key in _COMMAND_KEYS else value
        if isinstance(command, str) and command:
            return command
    return next((value for value in values.values() if isinstance(value, str) and value), "")


def _custom_call(payload: Any) -> Content:
    name, text = _text(payload.name), _text(payload.input)
    facts = _facts(("tool", name), ("call id", payload.call_id), ("status", payload.status))
    patch = "*** Begin Patch" in text[:200]
    language = "diff" if patch else _LANGUAGE_BY_TOOL.get(name, "")
    return Content(text, (Part("patch" if patch else "input", text, language),), facts, tool_input=text)


def _local_shell(payload: Any) -> Content:
    action = payload.action
    command = _command(_get(action, "command"))
    facts = _facts(("call id", payload.call_id or payload.id), ("status", payload.status))
    parts = (Part("command", command, "sh"),) if command else ()
    return Content(command, parts, facts, tool_input=_told(action), command=command)


def _search_call(payload: Any) -> Content:
    values = _plain(payload.arguments)
    facts = _facts(("call id", payload.call_id), ("status", payload.status), ("run by", payload.execution))
    parts = (Part("arguments", _pretty(values), "json"),)
    return Content(first_argument(values), parts, facts, tool_input=_without_opaque(values))


def _web_search(payload: Any) -> Content:
    action = payload.action
    query = _query(action)
    facts = _facts(("status", getattr(payload, "status", None)), ("action", _get(action, "type")))
    return Content(query, (Part("query", query),) if query else (), facts, tool_input=_told(action))


def _query(action: Any) -> str:
    queries = [one for one in _list(_get(action, "queries")) if isinstance(one, str)]
    return _text(_get(action, "query")) or ", ".join(queries) or _text(_get(action, "url")) or _text(
        _get(action, "pattern")
    )


def _search_end(payload: Any) -> Content:
    query = _text(payload.query) or _query(payload.action)
    parts = (Part("query", query),) if query else ()
    facts = _facts(("call id", _get(payload, "call_id")))
    return Content(query, parts, facts, tool_input=_told(payload.action), returned=parts)


def _image_call(payload: Any) -> Content:
    prompt = _text(getattr(payload, "revised_prompt", None)) or _text(getattr(payload, "revisedPrompt", None))
    parts = [Part("prompt", prompt)] if prompt else []
    if _text(payload.result):
        parts.append(Part("image", omitted=_media(payload.result), size=_decoded_size(payload.result)))
    returned = tuple(part for part in parts if part.omitted) or None
    return Content(prompt, tuple(parts), _facts(("status", payload.status)), returned=returned)


def _output(payload: Any) -> Content:
    output = payload.output
    facts = _facts(("call id", payload.call_id), ("tool", _get(payload, "name")))
    whole = types.text_of(output)
    if whole is not None:
        text = _unwrapped(whole)
        parts: tuple[Part, ...] = (Part("output", text),)
        return Content(text, parts, facts, returned=parts)
    parts = _parts(output, "output")
    return Content(_label(parts), parts, facts, returned=parts)


def _unwrapped(output: str) -> str:
    """The output inside the JSON text that shell tools of 2025 wrote, else the text itself."""
    if not output.startswith("{"):
        return output
    try:
        values = orjson.loads(output)
    except orjson.JSONDecodeError:
        return output
    if isinstance(values, dict) and isinstance(values.get("output"), str) and isinstance(values.get("metadata"), dict):
        return str(values["output"])
    return output


def _tools(payload: Any) -> Content:
    tools = [_plain(tool) for tool in _list(payload.tools)]
    names = [_text(_get(tool, "name")) for tool in tools]
    facts = _facts(("call id", _get(payload, "call_id")), ("tools", len(tools)))
    parts = (Part("tools", "\n".join(names)),) if names else ()
    return Content(", ".join(name for name in names if name), parts, facts, returned=parts)


# -- what the screen showed of calls
def _command_end(payload: Any) -> Content:
    command = _command(list(_list(payload.command)))
    output = _text(payload.aggregated_output) or _text(_get(payload, "stdout")) or _text(_get(payload, "stderr"))
    parts = [Part("command", command, "sh")] if command else []
    parts += [Part("output", output)] if output else []
    facts = _facts(("exit code", payload.exit_code), ("status", payload.status), ("call id", _get(payload, "call_id")))
    returned = (Part("output", output),)
    given = _plain(payload.command)
    return Content(command, tuple(parts), facts, tool_input=given, command=command, returned=returned)


def _patch_end(payload: Any) -> Content:
    changes = _plain(payload.changes)
    parts = []
    for path, change in changes.items() if isinstance(changes, dict) else ():
        diff = _text(_get(change, "unified_diff")) or _text(_get(change, "content"))
        parts.append(Part(f"{_text(_get(change, 'type')) or 'change'} {path}", diff, "diff"))
    text = _text(payload.stdout) or _text(_get(payload, "stderr"))
    if text:
        parts.append(Part("output", text))
    facts = _facts(("call id", _get(payload, "call_id")), ("status", payload.status))
    paths = ", ".join(changes) if isinstance(changes, dict) else ""
    return Content(paths, tuple(parts), facts, tool_input=changes, returned=(Part("output", text),))


def _mcp_end(payload: Any) -> Content:
    invocation = payload.invocation
    name = ".".join(one for one in (_text(_get(invocation, "server")), _text(_get(invocation, "tool"))) if one)
    values = _plain(_get(invocation, "arguments"))
    parts = (Part("arguments", _pretty(values), "json"), *_mcp_result(_plain(payload.result)))
    facts = _facts(("tool", name), ("call id", payload.call_id))
    return Content(name, parts, facts, tool_input=_without_opaque(values), returned=parts[1:])


def _mcp_result(result: Any) -> tuple[Part, ...]:
    """What an MCP server gave back: its texts and pictures, and what else it says as JSON."""
    if not isinstance(result, dict):
        return (Part("result", _pretty(result), "json"),) if result is not None else ()
    for word, title in (("Ok", "result"), ("Err", "error")):
        inner = result.get(word)
        if inner is not None and set(result) <= {"Ok", "Err"}:
            return (Part(title, inner),) if isinstance(inner, str) else _mcp_result(inner)
    blocks = list(_list(result.get("content")))
    told = [_part(block, "result") for block in blocks]
    if not blocks or None in told:
        return (Part("result", _pretty(result), "json"),)
    rest = {key: value for key, value in result.items() if key != "content" and value not in (None, False, {})}
    more = (Part("more of the result", _pretty(rest), "json"),) if rest else ()
    return (*(part for part in told if part is not None), *more)


def _mcp_item(item: Any) -> Content:
    name = ".".join(one for one in (_text(_get(item, "server")), _text(item.tool)) if one)
    parts = [Part("arguments", _pretty(_plain(item.arguments)), "json")]
    parts += _mcp_result(_plain(_get(item, "result")))
    parts += _parts(_get(item, "content_items"), "output")
    error = _plain(_get(item, "error"))
    if error is not None:
        message = _text(_get(error, "message")) or _text(error)
        parts.append(Part("error", message) if message else Part("error", _pretty(error), "json"))
    facts = _facts(("tool", name), ("status", item.status))
    given = _without_opaque(_plain(item.arguments))
    return Content(name, tuple(parts), facts, tool_input=given, returned=tuple(parts[1:]))


def _output_item(item: Any) -> Content:
    output = types.text_of(item.output) or _plain(item.output)
    told = (Part("output", output),) if isinstance(output, str) else _parts(item.output, "output")
    parts = told or (Part("output", _pretty(output), "json"),)
    return Content(_label(parts), parts, _facts(("tool", item.name)), returned=parts)


# -- turns, usage, headers, the rest
def _token_count(payload: Any) -> Content:
    limits = payload.rate_limits
    facts = [("plan", _get(limits, "plan_type"))]
    for name in ("primary", "secondary"):
        window = _get(limits, name)
        used = _get(window, "used_percent")
        if isinstance(used, int | float):
            minutes = _get(window, "window_minutes")
            span = f" of its {minutes} min" if isinstance(minutes, int) else ""
            facts.append((f"{name} limit", f"{used:g} % used{span}"))
    return Content("", (), _facts(*facts) or (("rate limits", "not told"),))


def _usage_record(payload: Any) -> Content:
    return Content("", (), _facts(("response", payload.response_id), ("turn id", payload.turn_id)))


def _rolled_back(payload: Any) -> Content:
    return Content("", (), _facts(("turns", payload.num_turns)))


def _turn_end(payload: Any) -> Content:
    text = _text(_get(payload, "last_agent_message"))
    parts = (Part("last message", text),) if text else ()
    return Content(text, parts, _facts(("turn id", payload.turn_id), ("reason", _get(payload, "reason"))))


def _turn_start(payload: Any) -> Content:
    return Content("", (), _facts(("turn id", payload.turn_id), ("context window", payload.model_context_window)))


def _settings(payload: Any) -> Content:
    sandbox = payload.sandbox_policy
    policy = payload.approval_policy
    facts = _facts(
        ("model", payload.model),
        ("effort", payload.effort),
        ("directory", payload.cwd),
        ("approval", policy if isinstance(policy, str) else ""),
        ("sandbox", _get(sandbox, "type") or _get(sandbox, "mode")),
        ("turn id", payload.turn_id),
    )
    return Content(_text(payload.model), (), facts)


def _header(payload: Any) -> Content:
    base = payload.base_instructions
    instructions = _text(_get(base, "text")) or _text(_get(payload, "instructions"))
    parts = (Part("base instructions", instructions),) if instructions else ()
    git = _get(payload, "git")
    facts = _facts(
        ("version", payload.cli_version),
        ("written by", payload.originator),
        ("directory", payload.cwd),
        ("provider", payload.model_provider),
        ("branch", _get(git, "branch")),
        ("history", payload.history_mode),
    )
    return Content("", parts, facts, began=_text(payload.timestamp))


def _bare_header(payload: Any) -> Content:
    text = _text(payload.instructions)
    parts = (Part("instructions", text),) if text else ()
    return Content("", parts, _facts(("id", payload.id)), began=_text(payload.timestamp))


def _compacted(payload: Any) -> Content:
    text = _text(payload.message)
    kept = list(_list(payload.replacement_history))
    parts = (Part("summary", text),) if text else ()
    return Content(text, parts, _facts(("items kept", len(kept)), ("window", _get(payload, "window_number"))))


def _seal_only(payload: Any) -> Content:
    sealed = _text(_get(payload, "encrypted_content"))
    return Content("", (_sealed(sealed),) if sealed else ())


def _error(payload: Any) -> Content:
    return Content(_text(payload.message), (Part("message", _text(payload.message)),))


def _name(payload: Any) -> Content:
    name = _text(payload.thread_name)
    return Content(name, (Part("title", name),) if name else ())


def _of_item(reader: Callable[[Any], Content]) -> Callable[[Any], Content]:
    def read(payload: Any) -> Content:
        return reader(payload.item) if payload.item is not None else Content()

    return read


def _item_message(item: Any) -> Content:
    parts = _parts(item.content)
    return Content(_label(parts), parts, _facts(("phase", _get(item, "phase"))))


def _item_reasoning(item: Any) -> Content:
    summary = _parts(item.summary_text, "summary")
    raw = _parts(item.raw_content, "raw reasoning (not encrypted)")
    return Content(_label(summary), (*summary, *raw))


_ITEMS: dict[str, Callable[[Any], Content]] = {
    "UserMessage": _item_message,
    "AgentMessage": _item_message,
    "Reasoning": _item_reasoning,
    "Plan": _text_event,
    "CommandExecution": _command_end,
    "FileChange": _patch_end,
    "McpToolCall": _mcp_item,
    "DynamicToolCall": _mcp_item,
    "FunctionCallOutput": _output_item,
    "WebSearch": _search_end,
    "ImageGeneration": _image_call,
    "Extension/web.search": _search_end,
    "Extension/image_gen.generation": _image_call,
}

_READERS: dict[str, Callable[[Any], Content]] = {
    "session_meta": _header,
    "legacy/bare_session_meta": _bare_header,
    "turn_context": _settings,
    "compacted": _compacted,
    "inter_agent_communication": _agent_line,
    "response_item/message": _message,
    "response_item/message/user": _message,
    "response_item/message/assistant": _message,
    "response_item/message/developer": _message,
    "response_item/agent_message": _agent_item,
    "response_item/reasoning": _reasoning,
    "response_item/function_call": _call,
    "response_item/custom_tool_call": _custom_call,
    "response_item/local_shell_call": _local_shell,
    "response_item/tool_search_call": _search_call,
    "response_item/web_search_call": _web_search,
    "response_item/image_generation_call": _image_call,
    "response_item/function_call_output": _output,
    "response_item/custom_tool_call_output": _output,
    "response_item/tool_search_output": _tools,
    "response_item/compaction": _seal_only,
    "response_item/context_compaction": _seal_only,
    "event_msg/user_message": _message_event,
    "event_msg/agent_message": _message_event,
    "event_msg/agent_reasoning": _text_event,
    "event_msg/agent_reasoning_raw_content": _text_event,
    "event_msg/task_started": _turn_start,
    "event_msg/task_complete": _turn_end,
    "event_msg/turn_aborted": _turn_end,
    "event_msg/exec_command_end": _command_end,
    "event_msg/patch_apply_end": _patch_end,
    "event_msg/mcp_tool_call_end": _mcp_end,
    "event_msg/web_search_end": _search_end,
    "event_msg/image_generation_end": _image_call,
    "event_msg/error": _error,
    "event_msg/token_count": _token_count,
    "token_usage_record": _usage_record,
    "event_msg/thread_rolled_back": _rolled_back,
    "event_msg/thread_name_updated": _name,
    **{f"event_msg/item_completed/{name}": _of_item(reader) for name, reader in _ITEMS.items()},
    **content_beside.READERS,
    **{f"event_msg/item_completed/{name}": _of_item(reader) for name, reader in content_beside.ITEMS.items()},
}
