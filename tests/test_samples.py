"""One sample of every kind that is stored: taken without complaint, of the right kind, and its hover names its content.

The samples tell made-up stories; what a kind needs besides them comes from the catalogue. A kind that has none fails a
test here, so that a new kind is shown well before it is shipped. For each kind the smallest legal record passes as a
whole document, and each required field that is gone, null or of a wrong type is one finding at its place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import codex_samples as make
from rollout_ls.features.hover import hover
from rollout_ls.formats.codex import catalogue
from rollout_ls.formats.codex.catalogue import Kind, List, Obj, Scalar, Tagged, Words
from rollout_ls.formats.codex.shape import is_sort
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.rules.finding import Finding
from rollout_ls.workspace.document import Document

THREAD = "0199b000-0000-7000-8000-000000000001"
OTHER = "0199b000-0000-7000-8000-000000000002"
HEAD: dict[str, Any] = {
    "timestamp": "2026-02-03T10:00:00.000Z",
    "type": "session_meta",
    "payload": {
        "id": THREAD,
        "timestamp": "2026-02-03T10:00:00.000Z",
        "cwd": "/home/ana/tea",
        "originator": "codex_cli_rs",
        "cli_version": "0.171.0",
        "source": "cli",
        "model_provider": "openai",
    },
}
PNG = "data:image/png;base64,iVBORw0KGgo="
WAV = "data:audio/wav;base64,UklGRg=="
USAGE = {
    "input_tokens": 1200,
    "cached_input_tokens": 1000,
    "output_tokens": 80,
    "reasoning_output_tokens": 40,
    "total_tokens": 1280,
}
BRANCH = {"type": "baseBranch", "branch": "main"}
DURATION = {"secs": 2, "nanos": 500000000}

Sample = tuple[dict[str, Any], tuple[str, ...]]
SAMPLES: dict[str, Sample] = {
    "session_meta": (
        {**HEAD["payload"], "base_instructions": {"text": "Make good tea."}},
        (THREAD, "0.171.0", "/home/ana/tea", "Make good tea."),
    ),
    "turn_context": (
        {"cwd": "/home/ana/tea", "model": "gpt-5.2-codex", "effort": "high", "approval_policy": "never"},
        ("gpt-5.2-codex", "high", "/home/ana/tea", "never"),
    ),
    "token_usage_record": (
        {"response_id": "resp_7", "usage": USAGE, "turn_token_usage": USAGE, "thread_token_usage": USAGE},
        ("200 new", "1,000 cached", "out 80", "resp_7"),
    ),
    "compacted": ({"message": "We made tea and washed up."}, ("We made tea and washed up.",)),
    "world_state": ({"full": True, "state": {"kettle": {"on": True}}}, ("whole state", "kettle")),
    "inter_agent_communication": (
        {"author": "/root", "recipient": "/root/cup", "content": "Bring the cups.", "trigger_turn": True},
        ("/root/cup", "Bring the cups."),
    ),
    "inter_agent_communication_metadata": ({"trigger_turn": True}, ("starts a turn", "yes")),
    "security_risk_score": ({"scores": {"burns": 0.25}, "call_id": "call_9"}, ("burns", "0.25", "call_9")),
    "retained_context/verified_answer": (
        {"questions": [{"question": "Milk?", "answer": "Only oat."}]},
        ("Milk?", "Only oat."),
    ),
    "retained_context/delivered_assistant_message": ({"text": "Tea is served."}, ("Tea is served.",)),
    "retained_context/accepted_file_audio": (
        {"evidence": {"turn_id": "t", "model": "gpt-voice", "provider": "openai", "file_ids": ["file_3"]}},
        ("gpt-voice", "file_3"),
    ),
    "realtime_item/realtime_session_started": ({"realtime_session_id": "rs_1"}, ("rs_1",)),
    "realtime_item/transcript_segment": ({"role": "user", "text": "Is it hot?"}, ("user", "Is it hot?")),
    "realtime_item/bem_item_promoted": ({"item_id": "item_5"}, ("item_5", "whole item")),
    "realtime_item/realtime_session_closed": ({"outcome": "ended"}, ("ended",)),
    "response_item/message": (
        {"role": "user", "content": [{"type": "input_text", "text": "Put it on."}]},
        ("Put it on.",),
    ),
    "response_item/agent_message": (
        {"author": "/root", "content": [{"type": "input_text", "text": "Wash it."}]},
        ("/root", "Wash it."),
    ),
    "response_item/reasoning": (
        {"summary": [{"type": "summary_text", "text": "It must boil."}], "encrypted_content": "Q" * 321},
        ("It must boil.", "321 characters"),
    ),
    "response_item/function_call": (
        {"name": "exec_command", "call_id": "call_1", "arguments": '{"cmd":"boil --now"}'},
        ("exec_command", "call_1", "boil --now"),
    ),
    "response_item/function_call_output": ({"call_id": "call_1", "output": "It boils."}, ("It boils.",)),
    "response_item/custom_tool_call": (
        {"name": "apply_patch", "input": "*** Begin Patch\n*** End Patch"},
        ("apply_patch", "*** Begin Patch"),
    ),
    "response_item/custom_tool_call_output": ({"call_id": "call_2", "output": "Patched."}, ("Patched.",)),
    "response_item/local_shell_call": (
        {"call_id": "call_3", "action": {"type": "exec", "command": ["bash", "-lc", "pour tea"]}},
        ("pour tea", "call_3"),
    ),
    "response_item/tool_search_call": ({"arguments": {"query": "a kettle"}}, ("a kettle",)),
    "response_item/tool_search_output": ({"tools": [{"type": "function", "name": "heat"}]}, ("heat",)),
    "response_item/web_search_call": ({"action": {"type": "search", "query": "how hot"}}, ("how hot",)),
    "response_item/image_generation_call": (
        {"revised_prompt": "A blue cup", "result": "iVBORw0KGgo="},
        ("A blue cup", "image/png", "8 bytes"),
    ),
    "response_item/additional_tools": ({"tools": [{"type": "function", "name": "stir"}]}, ("stir",)),
    "response_item/configuration_update": ({"reasoning": {"effort": "low"}}, ("low",)),
    "response_item/compaction": ({"encrypted_content": "Q" * 99}, ("99 characters",)),
    "response_item/context_compaction": ({"encrypted_content": "Q" * 98}, ("98 characters",)),
    "response_item/compaction_trigger": ({}, ("compact",)),
    "response_item/ghost_snapshot": (
        {"ghost_commit": {"id": "abc123", "preexisting_untracked_files": ["leaf.txt"]}},
        ("abc123", "leaf.txt"),
    ),
    "event_msg/task_started": ({"turn_id": "turn_1", "model_context_window": 258400}, ("turn_1", "258400")),
    "event_msg/task_complete": ({"turn_id": "turn_1", "last_agent_message": "All is well."}, ("All is well.",)),
    "event_msg/turn_aborted": ({"turn_id": "turn_1", "reason": "interrupted"}, ("interrupted",)),
    "event_msg/token_count": (
        {"info": {"total_token_usage": USAGE, "last_token_usage": USAGE}},
        ("200 new", "1,000 cached"),
    ),
    "event_msg/thread_settings_applied": (
        {
            "thread_settings": {
                "model": "gpt-5.2",
                "model_provider_id": "openai",
                "approval_policy": "never",
                "approvals_reviewer": "user",
                "permission_profile": {"type": "disabled"},
                "cwd": "/home/ana/tea",
                "collaboration_mode": {"mode": "default", "settings": {"model": "gpt-5.2"}},
            }
        },
        ("gpt-5.2", "/home/ana/tea", "never"),
    ),
    "event_msg/thread_goal_updated": (
        {
            "goal": {
                "threadId": THREAD,
                "objective": "Serve tea",
                "status": "active",
                "tokensUsed": 1234,
                "timeUsedSeconds": 60,
                "createdAt": 1,
                "updatedAt": 2,
            }
        },
        ("Serve tea", "active", "1,234"),
    ),
    "event_msg/thread_rolled_back": ({"num_turns": 2}, ("2",)),
    "event_msg/thread_name_updated": ({"thread_name": "Tea for two"}, ("Tea for two",)),
    "event_msg/user_message": ({"message": "Make tea", "images": [PNG]}, ("Make tea", "image/png")),
    "event_msg/agent_message": ({"message": "Here it is."}, ("Here it is.",)),
    "event_msg/agent_reasoning": ({"text": "It must boil."}, ("It must boil.",)),
    "event_msg/agent_reasoning_raw_content": ({"text": "Hm, boil?"}, ("Hm, boil?",)),
    "event_msg/entered_review_mode": (
        {"target": BRANCH, "user_facing_hint": "all of it"},
        ("against main", "all of it"),
    ),
    "event_msg/exited_review_mode": (
        {
            "review_output": {
                "findings": [
                    {
                        "title": "Cup leaks",
                        "body": "There is a crack.",
                        "confidence_score": 0.9,
                        "priority": 1,
                        "code_location": {"absolute_file_path": "/cup.c", "line_range": {"start": 3, "end": 4}},
                    }
                ],
                "overall_correctness": "patch is incorrect",
                "overall_explanation": "One leak.",
                "overall_confidence_score": 0.8,
            }
        },
        ("Cup leaks", "/cup.c:3-4", "There is a crack.", "patch is incorrect", "One leak."),
    ),
    "event_msg/patch_apply_end": (
        {"changes": {"/cup.c": {"type": "add", "content": "int cup;"}}, "stdout": "Added."},
        ("/cup.c", "int cup;", "Added."),
    ),
    "event_msg/context_compacted": ({}, ("context_compacted",)),
    "event_msg/mcp_tool_call_end": (
        {
            "invocation": {"server": "kitchen", "tool": "heat", "arguments": {"to": 96}},
            "result": {"Ok": {"content": [{"type": "text", "text": "Hot now."}]}},
            "duration": DURATION,
        },
        ("kitchen.heat", "96", "Hot now."),
    ),
    "event_msg/web_search_end": ({"query": "how hot"}, ("how hot",)),
    "event_msg/image_generation_end": ({"result": "iVBORw0KGgo=", "revised_prompt": "A cup"}, ("A cup", "image/png")),
    "event_msg/sub_agent_activity": (
        {"agent_path": "/root/cup", "kind": "started", "agent_thread_id": OTHER},
        ("/root/cup", "started", OTHER),
    ),
    "event_msg/undo_completed": ({"success": True, "message": "Undone."}, ("Undone.", "yes")),
    "event_msg/session_renamed": ({"name": "Tea time"}, ("Tea time",)),
    "event_msg/error": ({"message": "No water."}, ("No water.",)),
    "event_msg/exec_command_end": (
        {"command": ["bash", "-lc", "boil"], "exit_code": 3, "aggregated_output": "dry", "status": "failed"},
        ("boil", "3", "dry"),
    ),
    "event_msg/view_image_tool_call": ({"path": "file:///home/ana/cup.png"}, ("cup.png",)),
    "event_msg/guardian_assessment": (
        {
            "status": "denied",
            "risk_level": "high",
            "rationale": "It may burn.",
            "action": {"type": "command", "source": "shell", "command": "boil --dry", "cwd": "/w"},
        },
        ("denied", "high", "It may burn.", "boil --dry"),
    ),
    "event_msg/dynamic_tool_call_request": ({"tool": "ring", "arguments": {"times": 3}}, ("ring", "times")),
    "event_msg/dynamic_tool_call_response": (
        {"tool": "ring", "success": True, "content_items": [{"type": "inputText", "text": "Ding."}]},
        ("ring", "Ding.", "yes"),
    ),
    "event_msg/collab_agent_spawn_end": (
        {"prompt": "Wash the cups", "new_agent_nickname": "Scout", "new_agent_role": "washer", "status": "running"},
        ("Wash the cups", "Scout (washer)", "running"),
    ),
    "event_msg/collab_agent_interaction_end": (
        {"prompt": "Dry them too", "status": {"completed": "They are dry."}},
        ("Dry them too", "They are dry.", "completed"),
    ),
    "event_msg/collab_waiting_end": ({"statuses": {OTHER: {"errored": "It broke."}}}, (OTHER, "errored", "It broke.")),
    "event_msg/collab_close_end": ({"receiver_agent_nickname": "Scout", "status": "shutdown"}, ("Scout", "shutdown")),
    "event_msg/collab_resume_end": ({"receiver_agent_role": "washer", "status": "running"}, ("washer", "running")),
    "dynamic_tools_updated": (
        {"tools": [{"type": "function", "name": "ring", "description": "Rings a bell.", "inputSchema": {}}]},
        ("ring", "Rings a bell."),
    ),
    "session_state": ({"agent_task": {"task": "tea"}}, ("tea",)),
}
ITEMS: dict[str, Sample] = {
    "UserMessage": ({"content": [{"type": "text", "text": "Make tea", "text_elements": []}]}, ("Make tea",)),
    "AgentMessage": ({"content": [{"type": "Text", "text": "Here it is."}]}, ("Here it is.",)),
    "Reasoning": ({"summary_text": ["It must boil."], "raw_content": []}, ("It must boil.",)),
    "Plan": ({"text": "Boil, pour, wait."}, ("Boil, pour, wait.",)),
    "CommandExecution": (
        {"command": ["bash", "-lc", "boil"], "aggregated_output": "hot", "exit_code": 0, "status": "completed"},
        ("boil", "hot", "completed"),
    ),
    "FileChange": ({"changes": {"/cup.c": {"type": "add", "content": "int cup;"}}}, ("/cup.c", "int cup;")),
    "McpToolCall": (
        {
            "server": "kitchen",
            "tool": "heat",
            "arguments": {"to": 96},
            "status": "completed",
            "result": {"content": [{"type": "text", "text": "Hot now."}]},
        },
        ("kitchen.heat", "96", "Hot now."),
    ),
    "DynamicToolCall": (
        {"tool": "ring", "content_items": [{"type": "inputText", "text": "Ding."}], "arguments": {"times": 3}},
        ("ring", "Ding.", "times"),
    ),
    "FunctionCallOutput": ({"name": "look", "output": "A cup."}, ("look", "A cup.")),
    "CollabAgentToolCall": (
        {
            "tool": "wait",
            "receiver_thread_ids": [OTHER],
            "prompt": "Hurry",
            "agents_states": {OTHER: {"completed": "Done washing."}},
        },
        ("wait", OTHER, "Hurry", "Done washing."),
    ),
    "SubAgentActivity": (
        {"agent_path": "/root/cup", "kind": "started", "agent_thread_id": OTHER},
        ("/root/cup", OTHER),
    ),
    "WebSearch": ({"query": "how hot", "action": {"type": "search", "query": "how hot"}}, ("how hot",)),
    "ImageView": ({"path": "file:///home/ana/cup.png"}, ("cup.png",)),
    "ImageGeneration": ({"result": "iVBORw0KGgo=", "revised_prompt": "A cup"}, ("A cup", "image/png")),
    "HookPrompt": ({"fragments": [{"text": "Mind the pot.", "hookRunId": "run_1"}]}, ("Mind the pot.", "run_1")),
    "EnteredReviewMode": ({"target": BRANCH, "user_facing_hint": "all of it"}, ("against main", "all of it")),
    "ExitedReviewMode": ({}, ("interrupted",)),
    "ContextCompaction": ({"id": "item_8"}, ("item_8",)),
    "Sleep": ({"duration_ms": 1500}, ("1.5 s",)),
    "Extension/web.search": ({"query": "how hot"}, ("how hot",)),
    "Extension/clock.sleep": ({"durationMs": 30000}, ("30 s",)),
    "Extension/image_gen.generation": ({"result": "iVBORw0KGgo=", "revisedPrompt": "A cup"}, ("A cup",)),
}
SAMPLES.update({f"event_msg/item_completed/{name}": sample for name, sample in ITEMS.items()})

TOOL_OUTPUT = {"type": "function_call_output", "call_id": "call_1"}
PARTS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "message.content/input_text": ("message", {"text": "Put it on."}, ("Put it on.",)),
    "message.content/input_image": ("message", {"image_url": PNG}, ("image/png", "8 bytes")),
    "message.content/input_audio": ("message", {"audio_url": WAV}, ("audio/wav",)),
    "message.content/output_text": ("message", {"text": "It is on."}, ("It is on.",)),
    "reasoning.summary/summary_text": ("summary", {"text": "It must boil."}, ("It must boil.",)),
    "reasoning.content/reasoning_text": ("thought", {"text": "Hm, boil?"}, ("Hm, boil?",)),
    "reasoning.content/text": ("thought", {"text": "Hm, boil?"}, ("Hm, boil?",)),
    "agent_message.content/input_text": ("agent", {"text": "Wash it."}, ("Wash it.",)),
    "agent_message.content/encrypted_content": ("agent", {"encrypted_content": "Q" * 77}, ("77 characters",)),
    "tool_output/input_text": ("output", {"text": "It boils."}, ("It boils.",)),
    "tool_output/input_image": ("output", {"image_url": PNG}, ("image/png",)),
    "tool_output/input_audio": ("output", {"audio_url": WAV}, ("audio/wav",)),
    "tool_output/encrypted_content": ("output", {"encrypted_content": "Q" * 66}, ("66 characters",)),
    "UserMessage.content/text": ("UserMessage", {"text": "Make tea", "text_elements": []}, ("Make tea",)),
    "UserMessage.content/image": ("UserMessage", {"image_url": PNG}, ("image/png",)),
    "UserMessage.content/local_image": ("UserMessage", {"path": "/home/ana/cup.png"}, ("cup.png",)),
    "UserMessage.content/audio": ("UserMessage", {"audio_url": WAV}, ("audio/wav",)),
    "UserMessage.content/local_audio": ("UserMessage", {"path": "/home/ana/sip.wav"}, ("sip.wav",)),
    "UserMessage.content/skill": ("UserMessage", {"name": "pour", "path": "/s/pour/SKILL.md"}, ("pour", "SKILL.md")),
    "UserMessage.content/mention": ("UserMessage", {"name": "cup.c", "path": "/home/ana/cup.c"}, ("/home/ana/cup.c",)),
    "AgentMessage.content/Text": ("AgentMessage", {"text": "Here it is."}, ("Here it is.",)),
    "DynamicToolCall.content_items/inputText": ("client", {"text": "Ding."}, ("Ding.",)),
    "DynamicToolCall.content_items/inputImage": ("client", {"imageUrl": PNG}, ("image/png",)),
    "DynamicToolCall.content_items/inputAudio": ("client", {"audioUrl": WAV}, ("audio/wav",)),
}


def response_item(payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-02-03T10:00:05.000Z", "type": "response_item", "payload": payload}


def parent_of(parent: str, part: dict[str, Any]) -> dict[str, Any]:
    """The record around a part."""
    if parent == "message":
        role = "assistant" if part["type"] == "output_text" else "user"
        return response_item({"type": "message", "role": role, "content": [part]})
    if parent == "summary":
        return response_item({"type": "reasoning", "summary": [part]})
    if parent == "thought":
        return response_item({"type": "reasoning", "summary": [], "content": [part]})
    if parent == "agent":
        return response_item({"type": "agent_message", "author": "/root", "recipient": "/root/a", "content": [part]})
    if parent == "output":
        return response_item({**TOOL_OUTPUT, "output": [part]})
    name, key = ("DynamicToolCall", "content_items") if parent == "client" else (parent, "content")
    return sample_of(f"event_msg/item_completed/{name}", {**ITEMS[name][0], key: [part]})


def sample_of(name: str, own: dict[str, Any]) -> dict[str, Any]:
    """A record of a kind with what the catalogue asks for, and its own words."""
    kind = catalogue.load().kinds[name]
    assert isinstance(kind.body, Obj)
    return make.envelope(kind, {**make.value_of(kind.body), **own})


def document(*records: dict[str, Any]) -> Document:
    """A rollout of a header and records, as bytes from a disk."""
    lines = b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)
    return Document("file:///rollout.jsonl", 1, [lines], on_disk=True)


def partner_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The call that a result needs."""
    payload = record["payload"]
    call_id = payload.get("call_id")
    if payload.get("type") in ("function_call_output", "custom_tool_call_output"):
        sort = str(payload["type"]).removesuffix("_output")
        return [response_item({"type": sort, "name": "x", "arguments": "{}", "input": "", "call_id": call_id})]
    if payload.get("type") == "tool_search_output" and call_id:
        call = {"type": "tool_search_call", "call_id": call_id, "execution": "client", "arguments": {}}
        return [response_item(call)]
    return []


def look(record: dict[str, Any], name: str) -> str:
    """Reads a record in a file, holds it against its kind, and answers its hover."""
    before = [] if name == "session_meta" else [HEAD]
    opened = document(*before, *partner_of(record), record)
    found = opened.finish()
    assert {one.code for one in found if one.severity in ("error", "warning")} == set(), found
    refused = catalogue.load().kinds[name].refused
    assert {one.code for one in found} <= {"pending-call", "replay-hazard", *(["legacy-format"] if refused else [])}
    line = opened.buffer.last_line
    assert line is not None
    kind = line.reading.statements[0].kind
    assert kind == name or kind.startswith(f"{name}/")
    shown = hover(opened.session(), line, 0, Surroundings())
    plain = hover(opened.session(), line, 0, Surroundings(), markdown=False)
    assert shown is not None and plain is not None
    assert "**" not in plain.text.split("\n")[0]
    return shown.text


STORED = [
    name
    for name, kind in catalogue.load().kinds.items()
    if kind.stored != "never" and not name.startswith(("part/", "legacy/")) and name != "event_msg/item_completed"
]
UNSPLIT = [name for name in STORED if not name.startswith("response_item/message/")]


def test_every_kind_and_part_has_a_sample() -> None:
    assert sorted(SAMPLES) == sorted(UNSPLIT)
    parts = [name.removeprefix("part/") for name in catalogue.load().kinds if name.startswith("part/")]
    assert sorted(PARTS) == sorted(parts)


@pytest.mark.parametrize("name", UNSPLIT)
def test_a_sample_is_taken_and_its_hover_names_its_content(name: str) -> None:
    own, wanted = SAMPLES[name]
    text = look(sample_of(name, own), name)
    for words in wanted:
        assert words in text, f"{words!r} in {text}"
    assert text.count("\n\n") >= 2


@pytest.mark.parametrize("name", sorted(PARTS))
def test_a_part_in_its_parent_is_taken_and_shown(name: str) -> None:
    parent, own, wanted = PARTS[name]
    record = parent_of(parent, {"type": name.rpartition("/")[2], **own})
    payload = record["payload"]
    item = payload.get("item")
    text = look(record, f"event_msg/item_completed/{item['type']}" if item else f"response_item/{payload['type']}")
    for words in wanted:
        assert words in text, f"{words!r} in {text}"
    assert "iVBORw0KGgo" not in text and "QQQQ" not in text


@pytest.mark.parametrize("role", ["user", "assistant", "developer"])
def test_messages_are_told_apart_by_their_role(role: str) -> None:
    part = {"type": "output_text" if role == "assistant" else "input_text", "text": "Hello."}
    look(response_item({"type": "message", "role": role, "content": [part]}), f"response_item/message/{role}")


# -- what is missing, null or wrong
KINDS = make.kinds()


BESIDE = {"pending-call", "orphan-output", "replay-hazard", "usage-odd", "missing-meta", "continuation"}
"""What a record alone in a file gives as well, whatever its shape."""


def errors_of(record: dict[str, Any], name: str) -> list[Finding]:
    before = [] if name == "session_meta" else [HEAD]
    opened = document(*before, record)
    return [one for one in opened.finish() if one.code not in BESIDE]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_smallest_legal_record_passes(kind: Kind) -> None:
    assert errors_of(make.minimal(kind), kind.name) == []


Path = tuple[Any, ...]


def required_in(node: Any, value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """(path in the record, type) of each required field of an object and of what it holds."""
    if isinstance(node, List) and value:
        yield from required_in(node.of, value[0], (*path, 0))
    elif isinstance(node, Tagged):
        yield from required_in(node.variants[value[node.tag]], value, path)
    elif isinstance(node, Obj):
        for field in node.fields.values():
            if field.name in value and not field.retired:
                if field.need == "required":
                    yield (*path, field.name), field.type
                yield from required_in(field.type, value[field.name], (*path, field.name))


def required_of(kind: Kind) -> Iterator[tuple[Path, Any]]:
    record = make.maximal(kind)
    above = ("payload", "item") if kind.name.startswith("event_msg/item_completed/") else ("payload",)
    body = record["payload"]["item"] if len(above) > 1 else record["payload"]
    return required_in(kind.body, body, above)


def owner_text(record: dict[str, Any], path: Path) -> str:
    """What is marked where the last key of a path is missing: the key of its object, an element of an array whole."""
    if isinstance(path[-2], str):
        return json.dumps(path[-2])
    value: Any = record
    for step in path[:-1]:
        value = value[step]
    return json.dumps(value, separators=(",", ":"))


CASES = [(kind, path, node) for kind in KINDS for path, node in required_of(kind)]
NAMES = [f"{kind.name}:{'.'.join(map(str, path[1:]))}" for kind, path, _ in CASES]


@pytest.mark.parametrize(("kind", "path", "node"), CASES, ids=NAMES)
def test_a_required_field_that_is_wrong_is_one_finding_at_its_place(kind: Kind, path: Path, node: Any) -> None:
    whole = make.maximal(kind)
    gone = make.without(whole, path)
    assert [(one.code, marked(one)) for one in errors_of(gone, kind.name)] == [("shape", owner_text(gone, path)[:200])]
    null = [(one.code, marked(one)) for one in errors_of(make.put(whole, path, None), kind.name)]
    assert null == ([] if is_sort(node, None) else [("shape", "null")])
    if isinstance(node, Scalar) and node.name == "any":
        return
    wrong: Any = "zz" if isinstance(node, Scalar) and node.name == "number" else 5.5
    found = errors_of(make.put(whole, path, wrong), kind.name)
    assert [(one.code, one.severity, marked(one)) for one in found] == [("shape", "error", json.dumps(wrong))]


def marked(finding: Finding) -> str:
    """The text that a finding marks."""
    return finding.place.line.data[finding.place.start : finding.place.end].decode()


def test_words_of_a_closed_list_are_said_to_be_unknown() -> None:
    kind = next(kind for kind in KINDS if kind.name == "turn_context")
    assert isinstance(kind.body, Obj) and not isinstance(kind.body.fields["model"].type, Words)
    found = errors_of(make.put(make.minimal(kind), ("payload", "approval_policy"), "sometimes"), kind.name)
    assert [(one.code, one.severity, marked(one)) for one in found] == [("unknown-type", "information", '"sometimes"')]
