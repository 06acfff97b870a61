"""What the Codex records beside the conversation hold for a person: reviews, sub-agents, goals, settings, voice, state.

One small function a kind, as in content.py, which looks them up here. Reads typed records and lenient views alike;
never raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from rollout_ls.formats.codex.plain import facts, get, items, known, plain, pretty, pretty_json, text
from rollout_ls.formats.content import Content, Part

_MAX_LISTED = 200


def _part(title: str, words: Any, language: str = "") -> tuple[Part, ...]:
    """One quoted text; nothing where there is none."""
    shown = text(words)
    return (Part(title, shown, language),) if shown else ()


def _json(title: str, value: Any) -> tuple[Part, ...]:
    return (Part(title, pretty(value), "json"),) if value not in (None, {}, []) else ()


def _seconds(milliseconds: Any) -> str:
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool):
        return ""
    return f"{milliseconds / 1000:g} s"


def _listed(title: str, rows: list[str]) -> tuple[Part, ...]:
    rows = [row for row in rows if row]
    more = [f"… {len(rows) - _MAX_LISTED} more"] if len(rows) > _MAX_LISTED else []
    return (Part(title, "\n".join([*rows[:_MAX_LISTED], *more])),) if rows else ()


# -- settings, goals, tools
def _additional_tools(payload: Any) -> Content:
    names = list(_tool_rows(plain(payload.tools)))
    return Content(", ".join(names), _listed("tools", names), facts(("for", payload.role), ("tools", len(names))))


def _client_tools(payload: Any) -> Content:
    names = list(_tool_rows(plain(payload.tools)))
    label = ", ".join(name.partition(":")[0] for name in names)
    return Content(label, _listed("tools", names) or (Part("tools", ""),), facts(("thread", payload.thread_id)))


def _tool_rows(tools: Any, above: str = "") -> Iterator[str]:
    """``name: the first line of its description`` of each tool, those of namespaces too."""
    for tool in items(tools):
        name = text(get(tool, "name")) or text(get(get(tool, "function"), "name")) or text(get(tool, "type"))
        about = text(get(tool, "description")).strip().partition("\n")[0]
        yield f"{above}{name}: {about}" if about else f"{above}{name}"
        if not above:
            yield from _tool_rows(get(tool, "tools"), f"{name}.")


def _effort(payload: Any) -> Content:
    effort = text(get(payload.reasoning, "effort"))
    return Content(effort, (), facts(("effort", effort)))


def _thread_settings(payload: Any) -> Content:
    told = known(payload.thread_settings)
    if not isinstance(told, dict):
        return Content()
    simple = ("model", "model_provider_id", "service_tier", "cwd", "approvals_reviewer", "reasoning_effort")
    named = [(name.removesuffix("_id").replace("_", " "), told.pop(name, None)) for name in simple]
    policy = told.get("approval_policy")
    if isinstance(policy, str):
        named.append(("approval", told.pop("approval_policy")))
    mode = get(told.get("collaboration_mode"), "mode")
    named.append(("mode", mode if isinstance(mode, str) else None))
    model = payload.thread_settings.model if payload.thread_settings is not None else ""
    return Content(text(model), _json("all other settings", told), facts(*named))


def _goal(payload: Any) -> Content:
    goal = payload.goal
    used, budget = get(goal, "tokensUsed"), get(goal, "tokenBudget")
    tokens = f"{used:,}" + (f" of {budget:,}" if isinstance(budget, int) else "") if isinstance(used, int) else ""
    spent = get(goal, "timeUsedSeconds")
    named = facts(
        ("status", get(goal, "status")),
        ("tokens used", tokens),
        ("time used", f"{spent} s" if isinstance(spent, int) else ""),
        ("turn id", payload.turnId),
    )
    objective = text(get(goal, "objective"))
    return Content(objective, _part("objective", objective), named)


def _world_state(payload: Any) -> Content:
    state = payload.state
    try:
        shown = pretty_json(msgspec.json.encode(state))  # its facts are undecoded as yet
    except (TypeError, ValueError, RecursionError):
        shown = pretty(plain(state))
    what = {True: "the whole state", False: "what changed"}.get(payload.full)
    return Content("", (Part("state", shown, "json"),), facts(("holds", what)))


def _agent_task(payload: Any) -> Content:
    return Content("", _json("task", plain(payload.agent_task)))


def _ghost(payload: Any) -> Content:
    commit = plain(payload.ghost_commit)
    files = [*items(get(commit, "preexisting_untracked_files")), *items(get(commit, "preexisting_untracked_dirs"))]
    named = facts(("commit", get(commit, "id")), ("on top of", get(commit, "parent")), ("untracked before", len(files)))
    return Content(text(get(commit, "id")), _listed("untracked before", [text(one) for one in files]), named)


# -- reviews and approvals
def _review_target(target: Any) -> tuple[str, tuple[Part, ...]]:
    sort = text(get(target, "type"))
    if sort == "uncommittedChanges":
        return "uncommitted changes", ()
    if sort == "baseBranch":
        return f"changes against {text(get(target, 'branch'))}", ()
    if sort == "commit":
        return f"commit {text(get(target, 'sha'))} {text(get(target, 'title'))}".rstrip(), ()
    return ("own instructions", _part("instructions", get(target, "instructions"))) if sort == "custom" else (sort, ())


def _review_start(payload: Any) -> Content:
    subject, parts = _review_target(payload.target)
    hint = text(payload.user_facing_hint)
    parts = (*parts, *_part("hint", hint), *_part("prompt", get(payload, "prompt")))
    return Content(hint or subject, parts, facts(("reviews", subject), ("turn id", get(payload, "turn_id"))))


def _review_end(payload: Any) -> Content:
    output = payload.review_output
    if output is None:
        return Content("", (), facts(("result", "none: the review was interrupted")))
    found = list(items(get(output, "findings")))
    named = facts(
        ("verdict", get(output, "overall_correctness")),
        ("confidence", get(output, "overall_confidence_score")),
        ("findings", str(len(found))),
        ("turn id", get(payload, "turn_id")),
    )
    explanation = text(get(output, "overall_explanation"))
    parts = [*_part("explanation", explanation)]
    for one in found[:_MAX_LISTED]:
        parts.append(Part(f"{text(get(one, 'title'))}{_location(get(one, 'code_location'))}", text(get(one, "body"))))
    return Content(explanation, tuple(parts), named)


def _location(place: Any) -> str:
    path = text(get(place, "absolute_file_path"))
    rows = get(place, "line_range")
    first, last = get(rows, "start"), get(rows, "end")
    return f" ({path}{f':{first}-{last}' if isinstance(first, int) else ''})" if path else ""


def _approval_review(payload: Any) -> Content:
    action = payload.action
    wanted, parts = _action(action)
    named = facts(
        ("status", payload.status),
        ("risk", get(payload, "risk_level")),
        ("score", get(payload, "risk_score")),
        ("the user wanted it", get(payload, "user_authorization")),
        ("decided by", get(payload, "decision_source")),
        ("for", get(payload, "target_item_id")),
    )
    return Content(wanted, (*parts, *_part("why", get(payload, "rationale"))), named)


def _action(action: Any) -> tuple[str, tuple[Part, ...]]:
    """(an action under review in a few words, its parts)."""
    sort = text(get(action, "type"))
    if sort == "command":
        command = text(get(action, "command"))
        return command, _part("command", command, "sh")
    if sort == "execve":
        command = " ".join([text(get(action, "program")), *map(text, list(items(get(action, "argv")))[1:])])
        return command, _part("command", command, "sh")
    if sort == "apply_patch":
        files = [text(one) for one in items(get(action, "files"))]
        return f"patch of {', '.join(files)}", _listed("files of the patch", files)
    if sort == "network_access":
        host = f"{text(get(action, 'protocol'))} {text(get(action, 'host'))}:{get(action, 'port')}"
        return host, _part("network access", host)
    return sort.replace("_", " "), _json(sort.replace("_", " ") or "action", known(action))


def _risk(payload: Any) -> Content:
    scores = plain(payload.scores)
    named = [(name, f"{value:g}") for name, value in scores.items()] if isinstance(scores, dict) else []
    listed = facts(*named[:20], ("call id", payload.call_id), ("sampled", payload.sampled_at))
    label = ", ".join(f"{name} {value}" for name, value in named)
    return Content(label, _json("action", plain(payload.action)), listed)


# -- agents
def _agent_activity(payload: Any) -> Content:
    path = text(payload.agent_path)
    named = facts(
        ("what", payload.kind),
        ("agent", path),
        ("thread", payload.agent_thread_id),
        ("model", payload.model),
        ("effort", payload.reasoning_effort),
    )
    return Content(f"{path} {text(payload.kind)}".strip(), (), named)


def _agent_status(status: Any) -> tuple[str, str]:
    """(the word of an agent's status, what the agent said with it)."""
    if isinstance(status, str):
        return status.replace("_", " "), ""
    for word in ("completed", "errored"):
        said = get(status, word)
        if said is not None or (isinstance(status, dict) and word in status):
            return word, text(said)
    return "", ""


def _agent_name(agent: Any, prefix: str = "") -> str:
    name, role = text(get(agent, f"{prefix}agent_nickname")), text(get(agent, f"{prefix}agent_role"))
    return f"{name} ({role})" if name and role else name or role


def _agent_call(payload: Any) -> Content:
    """The records of the tools for sub-agents that stood in builds of early 2026: one receiver each."""
    word, said = _agent_status(get(payload, "status"))
    new = get(payload, "new_thread_id")
    name = _agent_name(payload, "new_") or _agent_name(payload, "receiver_")
    named = facts(
        ("agent", name),
        ("thread", new if isinstance(new, str) else get(payload, "receiver_thread_id")),
        ("status", word),
        ("model", get(payload, "model")),
        ("call id", payload.call_id),
    )
    prompt = text(get(payload, "prompt"))
    return Content(prompt or name, (*_part("prompt", prompt), *_part(f"what it said ({word})", said)), named)


def _agents_waited(payload: Any) -> Content:
    rows, parts = _statuses(plain(payload.statuses))
    return Content(", ".join(rows), (*_listed("agents", rows), *parts), facts(("call id", payload.call_id)))


def _statuses(statuses: Any) -> tuple[list[str], tuple[Part, ...]]:
    rows: list[str] = []
    parts: list[Part] = []
    for thread, status in list(statuses.items())[:_MAX_LISTED] if isinstance(statuses, dict) else ():
        word, said = _agent_status(status)
        rows.append(f"{thread}: {word}")
        parts += _part(f"what {thread} said ({word})", said)
    return rows, tuple(parts)


def _agents_item(item: Any) -> Content:
    agents = [_agent_name(one) or text(get(one, "thread_id")) for one in items(item.receiver_agents)]
    agents = agents or [text(one) for one in items(item.receiver_thread_ids)]
    rows, parts = _statuses(plain(item.agents_states))
    named = facts(
        ("tool", item.tool),
        ("status", item.status),
        ("agents", ", ".join(agents)),
        ("model", item.model),
        ("call id", item.id),
    )
    prompt = text(item.prompt)
    return Content(prompt or text(item.tool), (*_part("prompt", prompt), *_listed("states", rows), *parts), named)


def _delivery(payload: Any) -> Content:
    word = {True: "yes", False: "no, it waits for the next one"}.get(payload.trigger_turn)
    return Content("", (), facts(("starts a turn", word)))


# -- tools of the client, pictures, waits
def _client_call(payload: Any) -> Content:
    name = ".".join(one for one in (text(payload.namespace), text(payload.tool)) if one)
    named = facts(
        ("tool", name),
        ("call id", get(payload, "callId") or get(payload, "call_id")),
        ("succeeded", get(payload, "success")),
    )
    parts = [*_json("arguments", plain(payload.arguments))]
    for part in items(plain(get(payload, "content_items"))):
        said = text(get(part, "text"))
        parts += _part("output", said) if said else _json(text(get(part, "type")) or "output", part)
    return Content(name, (*parts, *_part("error", get(payload, "error"))), named)


def _picture(payload: Any) -> Content:
    path = text(payload.path)
    return Content(path, (), facts(("picture", path), ("call id", get(payload, "call_id") or get(payload, "id"))))


def _waited(item: Any) -> Content:
    time = _seconds(get(item, "durationMs") if get(item, "durationMs") is not None else get(item, "duration_ms"))
    return Content(time, (), facts(("waited", time), ("id", item.id)))


def _hook_text(item: Any) -> Content:
    parts: list[Part] = []
    for fragment in items(item.fragments):
        parts += _part(f"text of the hook {text(get(fragment, 'hookRunId'))}", get(fragment, "text"))
    return Content("".join(part.text for part in parts), tuple(parts), facts(("id", item.id)))


def _marked(item: Any) -> Content:
    return Content("", (), facts(("id", item.id)))


# -- what the user said by voice, or answered
def _answers(payload: Any) -> Content:
    parts: list[Part] = []
    for one in items(payload.questions):
        parts.append(Part(f"answer to: {text(get(one, 'question'))}", text(get(one, "answer"))))
    named = facts(("call id", payload.call_id), ("turn id", payload.turn_id), ("order", payload.acceptance_order))
    return Content("; ".join(part.text for part in parts), tuple(parts), named)


def _delivered(payload: Any) -> Content:
    named = facts(("complete", payload.complete), ("turn id", payload.turn_id), ("order", payload.acceptance_order))
    return Content(text(payload.text), _part("text", payload.text), named)


def _audio_evidence(payload: Any) -> Content:
    evidence = payload.evidence
    files = [text(one) for one in items(get(evidence, "file_ids"))]
    named = facts(
        ("model", get(evidence, "model")),
        ("provider", get(evidence, "provider")),
        ("turn id", get(evidence, "turn_id")),
    )
    return Content(", ".join(files), _listed("files", files), named)


def _voice(payload: Any) -> Content:
    said = text(get(payload, "text"))
    shown = get(payload, "presentation")
    named = facts(
        ("voice session", payload.realtime_session_id),
        ("speaker", get(payload, "role")),
        ("outcome", get(payload, "outcome")),
        ("item", get(payload, "item_id")),
        ("shown as", text(get(shown, "type")).replace("_", " ")),
        ("number", get(shown, "index")),
        ("turn id", get(payload, "turn_id")),
        ("id", payload.id),
    )
    return Content(said, _part("words", said), named)


# -- of older builds
def _undone(payload: Any) -> Content:
    return Content(text(payload.message), _part("message", payload.message), facts(("succeeded", payload.success)))


def _renamed(payload: Any) -> Content:
    return Content(text(payload.name), _part("title", payload.name))


def _mark(payload: Any) -> Content:
    return Content("", (), facts(("mark", payload.record_type), ("answer before", payload.previous_response_id)))


ITEMS: dict[str, Callable[[Any], Content]] = {
    "CollabAgentToolCall": _agents_item,
    "SubAgentActivity": _agent_activity,
    "ImageView": _picture,
    "HookPrompt": _hook_text,
    "EnteredReviewMode": _review_start,
    "ExitedReviewMode": _review_end,
    "ContextCompaction": _marked,
    "Sleep": _waited,
    "Extension/clock.sleep": _waited,
}
"""By the kind of the completed item; the reader takes the item."""

READERS: dict[str, Callable[[Any], Content]] = {
    "response_item/additional_tools": _additional_tools,
    "response_item/configuration_update": _effort,
    "response_item/ghost_snapshot": _ghost,
    "event_msg/thread_settings_applied": _thread_settings,
    "event_msg/thread_goal_updated": _goal,
    "event_msg/entered_review_mode": _review_start,
    "event_msg/exited_review_mode": _review_end,
    "event_msg/sub_agent_activity": _agent_activity,
    "event_msg/undo_completed": _undone,
    "event_msg/session_renamed": _renamed,
    "event_msg/view_image_tool_call": _picture,
    "event_msg/guardian_assessment": _approval_review,
    "event_msg/dynamic_tool_call_request": _client_call,
    "event_msg/dynamic_tool_call_response": _client_call,
    "event_msg/collab_agent_spawn_end": _agent_call,
    "event_msg/collab_agent_interaction_end": _agent_call,
    "event_msg/collab_waiting_end": _agents_waited,
    "event_msg/collab_close_end": _agent_call,
    "event_msg/collab_resume_end": _agent_call,
    "world_state": _world_state,
    "inter_agent_communication_metadata": _delivery,
    "security_risk_score": _risk,
    "retained_context/verified_answer": _answers,
    "retained_context/delivered_assistant_message": _delivered,
    "retained_context/accepted_file_audio": _audio_evidence,
    "realtime_item/realtime_session_started": _voice,
    "realtime_item/transcript_segment": _voice,
    "realtime_item/bem_item_promoted": _voice,
    "realtime_item/realtime_session_closed": _voice,
    "dynamic_tools_updated": _client_tools,
    "session_state": _agent_task,
    "legacy/bare_state": _mark,
}
"""By the kind; the reader takes the payload."""
