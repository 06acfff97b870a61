"""Which records belong together: one test for each relation that Codex gives its records, in every era.

Sections follow the sorts of relations: calls, messages, turns, threads, compactions, rollbacks, usage.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from rollout_ls.features.target import Thread
from rollout_ls.text import buffer as buffer_module
from rollout_ls.workspace.document import Change, Document
from rollouts import BORN, PARENT, THREAD, Rollout, Told, Usage, records, turn_id

T1, T2, T3 = turn_id(1), turn_id(2), turn_id(3)
OLD = turn_id(1, before=1)


def opened(paginated: bool = False, **meta: Any) -> Rollout:
    """A file with a header (line 1) and an open turn (line 2)."""
    roll = Rollout(paginated=paginated, **meta)
    roll.start(T1)
    return roll


def search(query: str, **more: Any) -> dict[str, Any]:
    return {**records.web_search_call(query), **more}


# -- calls and results
def test_parallel_calls_find_their_results_by_id() -> None:
    roll = opened()
    one, two = roll.call("call_1"), roll.call("call_2")
    out_one, out_two = roll.exits("call_1"), roll.exits("call_2", 2)
    told = roll.told()
    assert (told.result(one), told.result(two)) == (out_one, out_two)
    assert (told.partner(out_one), told.partner(out_two)) == (one, two)
    assert (told.outcome(one), told.outcome(two)) == (("ok", 0), ("failed", 2))


def test_a_custom_call_and_its_result() -> None:
    roll = opened()
    call = roll.item(records.custom_tool_call("call_1", "apply_patch", "*** Begin Patch"))
    output = roll.item(records.custom_tool_call_output("call_1", ["Success"]))
    told = roll.told()
    assert (told.result(call), told.partner(output)) == (output, call)


@pytest.mark.parametrize("ids", [{"call_id": "call_1"}, {"call_id": None, "id": "call_1"}])
def test_a_local_shell_call_is_known_by_call_id_else_by_its_own_id(ids: dict[str, Any]) -> None:
    roll = opened()
    action = {"type": "exec", "command": ["ls"], "timeout_ms": None}
    call = roll.item({"type": "local_shell_call", **ids, "status": "completed", "action": action})
    output = roll.output("call_1")
    told = roll.told()
    assert (told.result(call), told.partner(output)) == (output, call)
    assert told.codes() == []


def test_a_local_shell_call_without_any_id_is_found_by_its_place() -> None:
    roll = opened()
    action = {"type": "exec", "command": ["ls"], "timeout_ms": None}
    call = roll.item({"type": "local_shell_call", "call_id": None, "status": "completed", "action": action})
    output = roll.output("call_lost")
    roll.end(T1)
    told = roll.told()
    assert told.result(call) == output
    assert "orphan-output" not in {code for _, code in told.codes()}


def test_a_search_for_tools_pairs_by_id_or_where_the_server_ran_it_by_place() -> None:
    roll = opened()
    call = roll.item({"type": "tool_search_call", "call_id": "call_1", "execution": "client", "arguments": {}})
    roll.item({"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}})
    own = roll.item({"type": "tool_search_output", "call_id": None, "status": "x", "execution": "server", "tools": []})
    output = roll.item(
        {"type": "tool_search_output", "call_id": "call_1", "status": "x", "execution": "client", "tools": []}
    )
    told = roll.told()
    assert (told.result(call), told.result(call + 1)) == (output, own)
    assert told.whats() == [(call, "call"), (call + 1, "call")]


def test_searches_and_pictures_hold_their_result_and_wait_for_none() -> None:
    roll = opened()
    one = roll.item(search("loom patterns"))
    two = roll.item({"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "aGk="})
    roll.end(T1)
    told = roll.told()
    assert told.codes() == []
    assert [what for _, what in told.entries(1)] == ["call", "call"]
    assert told.outcome(one)[0] == told.outcome(two)[0] == "unknown"


def test_a_question_to_the_human_has_its_output_and_a_kept_answer() -> None:
    roll = opened()
    call, output = roll.call("call_1", "request_user_input"), roll.output("call_1", "{}")
    answer = {"type": "verified_answer", "turn_id": T1, "call_id": "call_1", "questions": []}
    kept = roll.add("retained_context", answer)
    told = roll.told()
    assert told.result(call) == output
    assert told.partner(kept) == call
    assert kept in told.family(call)
    assert told.whats() == [(call, "call")]


def test_a_result_may_stand_without_call_id() -> None:
    roll = opened()
    roll.item({"type": "function_call_output", "call_id": None, "name": "notify", "output": "done"})
    roll.end(T1)
    told = roll.told()
    assert told.whats() == [(3, "output")]
    assert told.codes() == []


def test_a_result_before_its_call_waits_for_it() -> None:
    roll = opened()
    output, call = roll.output("call_1"), roll.call("call_1")
    roll.end(T1)
    told = roll.told()
    assert (told.result(call), told.partner(output)) == (output, call)
    assert told.codes() == []
    assert told.whats() == [(call, "call")]


def test_a_result_in_a_later_turn_finds_the_call_of_the_turn_that_is_over() -> None:
    roll = opened()
    call = roll.call("call_1")
    roll.end(T1)
    roll.start(T2)
    output = roll.output("call_1")
    roll.end(T2)
    told = roll.told()
    assert (told.result(call), told.partner(output)) == (output, call)
    assert told.codes() == []


def test_an_open_call_takes_the_result_before_one_of_a_turn_that_is_over() -> None:
    roll = opened()
    old = roll.call("call_1")
    roll.abort(T1)
    roll.start(T2)
    new, output = roll.call("call_1"), roll.output("call_1")
    roll.end(T2)
    told = roll.told()
    assert (told.result(old), told.result(new)) == (None, output)
    assert told.codes() == [(old, "orphan-call")]


def test_an_id_used_again_once_it_is_resolved() -> None:
    roll = opened()
    one, out_one = roll.call("call_1"), roll.exits("call_1", 1)
    two, out_two = roll.call("call_1"), roll.exits("call_1", 0)
    told = roll.told()
    assert [told.result(one), told.result(two)] == [out_one, out_two]
    assert [told.outcome(one), told.outcome(two)] == [("failed", 1), ("ok", 0)]
    assert told.codes() == []


def test_a_second_call_with_an_open_id_shares_the_result() -> None:
    roll = opened()
    one, two, output = roll.call("call_1", cmd="make"), roll.call("call_1"), roll.exits("call_1")
    roll.end(T1)
    told = roll.told()
    assert [told.result(one), told.result(two)] == [output, output]
    assert [told.partner(one), told.partner(two), told.partner(output)] == [output, output, one]
    assert told.codes() == [(two, "duplicate-call-id")]


def test_a_second_result_leads_to_the_call_too_and_is_no_orphan() -> None:
    roll = opened()
    call, first, second = roll.call("call_1"), roll.exits("call_1", 3), roll.exits("call_1", 0)
    roll.end(T1)
    told = roll.told()
    assert told.result(call) == first
    assert told.partner(second) == call
    assert told.whats() == [(call, "call")]
    assert told.codes() == []


def test_empty_ids_pair_with_nothing() -> None:
    roll = opened()
    roll.call("")
    roll.output("")
    roll.call("")
    roll.output("")
    roll.end(T1)
    told = roll.told()
    assert [told.result(3), told.partner(4)] == [None, None]
    assert not {"orphan-call", "orphan-output", "duplicate-call-id"} & {code for _, code in told.codes()}


def test_a_call_cut_off_with_its_turn() -> None:
    roll = opened()
    call = roll.call("call_1")
    roll.abort(T1)
    told = roll.told()
    assert told.outcome(call)[0] == "interrupted"
    assert "exec_command call_1 (interrupted)" in told.names()[1:][1]


def test_calls_are_pending_while_their_turn_is_open() -> None:
    roll = opened()
    call = roll.call("call_1")
    assert roll.told().outcome(call)[0] == "pending"
    roll.start(T2)
    assert roll.told().outcome(call)[0] == "no result"


def test_more_open_calls_than_are_kept_are_judged_by_their_turn() -> None:
    roll = opened()
    calls = [roll.call(f"call_{number}") for number in range(300)]
    pending = roll.told()
    assert {pending.outcome(call)[0] for call in calls} == {"pending"}
    assert {code for _, code in pending.codes()} == {"pending-call"}
    for number in range(300):
        roll.exits(f"call_{number}")
    roll.end(T1)
    told = roll.told()
    assert {told.outcome(call) for call in calls} == {("ok", 0)}
    assert told.codes() == []


def test_a_call_that_lives_on_only_in_kept_history() -> None:
    roll = opened()
    kept = roll.compacted([records.function_call("call_1", "exec_command", "{}")])
    output = roll.output("call_1")
    lost = roll.output("call_2")
    told = roll.told()
    assert told.partner(output) == kept
    assert (lost, "orphan-output") in told.codes()
    assert (output, "orphan-output") not in told.codes()


def test_ids_inside_kept_history_are_no_calls_of_their_own() -> None:
    roll = opened()
    call, output = roll.call("call_1"), roll.output("call_1")
    item = records.function_call("call_1", "exec_command", "{}")
    roll.compacted([item, records.function_call("call_9", "exec_command", "{}")])
    roll.end(T1)
    told = roll.told()
    assert told.result(call) == output
    assert told.codes() == []
    assert [what for _, what in told.whats()] == ["call", "compaction"]


# -- processes and scripts
def test_an_exit_code_arrives_with_a_later_write() -> None:
    roll = opened()
    call = roll.call("call_1", cmd="make")
    roll.runs_on("call_1", 7)
    write = roll.call("call_2", "write_stdin", session_id=7, chars="")
    roll.runs_on("call_2", 7)
    again = roll.call("call_3", "write_stdin", session_id=7, chars="")
    ending = roll.exits("call_3", 2)
    told = roll.told()
    assert told.outcome(call) == ("failed", 2)
    assert told.session.call_end(told.ref(call)).told_by == told.ref(ending)
    assert {write, again} <= set(told.family(call))
    assert f"line {ending}" in told.hover(call)


def test_an_exit_code_arrives_in_a_later_turn() -> None:
    roll = opened()
    call = roll.call("call_1", cmd="serve")
    roll.runs_on("call_1", 7)
    roll.end(T1)
    roll.start(T2)
    roll.call("call_2", "write_stdin", session_id=7, chars="\x03")
    roll.exits("call_2", 130)
    assert roll.told().outcome(call) == ("failed", 130)


def test_a_process_number_of_a_new_process_is_not_the_old_ones() -> None:
    roll = opened()
    old = roll.call("call_1")
    roll.runs_on("call_1", 7)
    new = roll.call("call_2")
    roll.runs_on("call_2", 7)
    roll.call("call_3", "write_stdin", session_id=7)
    roll.exits("call_3", 0)
    told = roll.told()
    assert (told.outcome(old)[0], told.outcome(new)) == ("unknown", ("ok", 0))


def test_waiting_goes_on_with_a_script() -> None:
    roll = opened()
    call = roll.script("call_1")
    running = "Script running with cell ID 3\nWall time 10.0 seconds\nOutput:\n"
    roll.item(records.custom_tool_call_output("call_1", [running]))
    wait = roll.call("call_2", "wait", cell_id="3")
    ending = roll.output("call_2", "Script failed\nWall time 2.5 seconds\nOutput:\n")
    told = roll.told()
    assert told.outcome(call) == ("failed", None)
    assert told.session.call_end(told.ref(call)).told_by == told.ref(ending)
    assert wait in told.family(call)


@pytest.mark.parametrize(("words", "outcome"), [("completed", "ok"), ("failed", "failed"), ("terminated", "failed")])
def test_a_script_says_how_it_came_out(words: str, outcome: str) -> None:
    roll = opened()
    call = roll.script("call_1")
    head = f"Script {words}\nWall time 0.2 seconds\nOutput:\n"
    roll.item(records.custom_tool_call_output("call_1", [head, "text that says Exit code: 1\n"]))
    told = roll.told()
    assert told.outcome(call) == (outcome, None)
    assert told.session.call_end(told.ref(call)).duration_ms == 200


def test_nested_calls_stand_below_their_script() -> None:
    roll = opened()
    script = roll.script("call_1")
    inner = roll.exec_end("exec-1", T1, 1)
    output = roll.item(records.custom_tool_call_output("call_1", ["Script failed\nWall time 1.0 seconds\nOutput:\n"]))
    late = roll.exec_end("exec-2", T1, 0)
    roll.end(T1)
    told = roll.told()
    assert [told.partner(inner), told.partner(late), told.result(script)] == [script, script, output]
    names = [name for name in told.names() if name.startswith("    ")]
    assert len(names) == 2
    assert names[0].endswith("-> exit 1")
    assert names[1].endswith("-> exit 0")
    assert told.codes() == []


def test_a_nested_call_told_twice_stands_once() -> None:
    roll = opened()
    script = roll.script("call_1")
    first = roll.exec_end("exec-1", T1)
    second = roll.exec_end("exec-1", T1)
    told = roll.told()
    assert len([name for name in told.names() if name.startswith("    ")]) == 1
    assert told.mirrors(first) == [second]
    assert told.partner(first) == script


# -- mirrors of calls
MIRRORS: list[tuple[str, dict[str, Any]]] = [
    ("patch_apply_end", records.patch_apply_end("call_1", T1, {}, "")),
    ("mcp_tool_call_end", records.mcp_tool_call_end("call_1", T1, "files", "read", {}, "x")),
    ("view_image_tool_call", {"type": "view_image_tool_call", "call_id": "call_1", "path": "file:///x.png"}),
    (
        "dynamic_tool_call_request",
        {"type": "dynamic_tool_call_request", "callId": "call_1", "turnId": T1, "tool": "t", "arguments": {}},
    ),
    (
        "dynamic_tool_call_response",
        {
            "type": "dynamic_tool_call_response",
            "call_id": "call_1",
            "turn_id": T1,
            "tool": "t",
            "arguments": {},
            "content_items": [],
            "success": True,
            "error": None,
            "duration": {"secs": 0, "nanos": 0},
        },
    ),
    (
        "collab_agent_spawn_end",
        {
            "type": "collab_agent_spawn_end",
            "call_id": "call_1",
            "sender_thread_id": THREAD,
            "new_thread_id": PARENT,
            "prompt": "look",
            "model": "m",
            "reasoning_effort": "low",
            "status": "running",
        },
    ),
]


@pytest.mark.parametrize("place", ["before the call", "before the result", "after it", "after the turn"])
@pytest.mark.parametrize("payload", [one for _, one in MIRRORS], ids=[name for name, _ in MIRRORS])
def test_a_mirror_belongs_to_its_call_wherever_it_stands(payload: dict[str, Any], place: str) -> None:
    roll = opened()
    order = {"before the call": "mco.", "before the result": "cmo.", "after it": "com.", "after the turn": "co.m"}
    lines: dict[str, int] = {}
    for letter in order[place]:
        if letter == "m":
            lines["m"] = roll.add("event_msg", payload)
        elif letter == "c":
            lines["c"] = roll.call("call_1", "tool")
        elif letter == "o":
            lines["o"] = roll.output("call_1")
        else:
            roll.end(T1)
    told = roll.told()
    assert told.mirrors(lines["c"]) == [lines["m"]]
    assert told.partner(lines["m"]) == lines["c"]
    assert told.whats() == [(lines["c"], "call")]
    assert told.codes() == []


def test_an_exec_session_closed_late_tells_the_exit_code() -> None:
    roll = opened()
    call = roll.call("call_1")
    roll.runs_on("call_1", 7)
    roll.end(T1)
    roll.start(T2)
    for _ in range(30):
        roll.said("working")
    mirror = roll.exec_end("call_1", T1, 4)
    roll.end(T2)
    told = roll.told()
    assert told.outcome(call) == ("failed", 4)
    assert told.mirrors(call) == [mirror]
    assert (mirror, "call") not in told.whats()


def test_a_mirror_without_call_stands_for_it() -> None:
    roll = opened()
    mirror = roll.exec_end("call_1", T1)
    again = roll.exec_end("call_1", T1)
    roll.end(T1)
    told = roll.told()
    assert told.whats() == [(mirror, "call")]
    assert told.mirrors(mirror) == [again]
    assert told.codes() == []


def test_a_search_finds_its_mirror_by_item_id() -> None:
    roll = opened()
    mirror = roll.add("event_msg", records.web_search_end("ws_1", "loom"))
    call = roll.item(search("loom", id="ws_1"))
    other = roll.item(search("loom", id="ws_2"))
    told = roll.told()
    assert (told.mirrors(call), told.mirrors(other)) == ([mirror], [])


@pytest.mark.parametrize("first", [True, False])
def test_a_search_without_id_finds_its_mirror_by_what_it_asks(first: bool) -> None:
    roll = opened()
    other = roll.item(search("weft"))
    mirror = roll.add("event_msg", records.web_search_end("ws_1", "loom")) if first else 0
    call = roll.item(search("loom"))
    mirror = mirror or roll.add("event_msg", records.web_search_end("ws_1", "loom"))
    told = roll.told()
    assert (told.mirrors(call), told.mirrors(other)) == ([mirror], [])
    assert told.whats() == [(other, "call"), (call, "call")]


def test_a_search_made_by_a_function_call_is_mirrored_by_call_id() -> None:
    roll = opened()
    call = roll.call("call_1", "run")
    mirror = roll.add("event_msg", records.web_search_end("call_1", "loom"))
    assert roll.told().mirrors(call) == [mirror]


def test_a_picture_is_mirrored_by_item_id() -> None:
    roll = opened()
    end = {"type": "image_generation_end", "call_id": "ig_1", "status": "completed", "result": "aGk="}
    mirror = roll.add("event_msg", end)
    call = roll.item({"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "aGk="})
    told = roll.told()
    assert told.mirrors(call) == [mirror]
    assert told.whats() == [(call, "call")]


def test_an_agents_activity_leads_to_the_call_that_caused_it() -> None:
    roll = opened()
    call = roll.call("call_1", "spawn_agent")
    note = roll.add("event_msg", records.sub_agent_activity("call_1", BORN, PARENT, "/root/scout"))
    roll.output("call_1", "{}")
    told = roll.told()
    assert told.partner(note) == call
    assert told.whats() == [(call, "call"), (note, "notice")]
    assert Thread(PARENT) in told.targets(note, PARENT)


def test_verdicts_and_scores_are_about_a_call_and_no_entries() -> None:
    roll = opened()
    call = roll.call("call_1")
    base = {"id": "g1", "target_item_id": "call_1", "turn_id": T1, "action": {"type": "command", "command": "ls"}}
    one = roll.event("guardian_assessment", **base, status="in_progress")
    two = roll.event("guardian_assessment", **base, status="approved")
    score = roll.add("security_risk_score", {"scores": {"x": 0.5}, "call_id": "call_1"})
    loose = roll.add("security_risk_score", {"scores": {"x": 0.5}})
    roll.exits("call_1")
    told = roll.told()
    assert [told.partner(line) for line in (one, two, score, loose)] == [call, call, call, None]
    assert {one, two, score} <= set(told.family(call))
    assert told.whats() == [(call, "call")]


# -- completed items
@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("CommandExecution", {"command": "ls", "cwd": "/w", "status": "completed", "exit_code": 0}),
        ("McpToolCall", {"server": "s", "tool": "t", "status": "completed", "arguments": {}}),
        ("DynamicToolCall", {"tool": "t", "arguments": {}, "status": "completed"}),
        ("ImageView", {"path": "/x.png"}),
        ("CollabAgentToolCall", {"tool": "spawnAgent", "status": "completed", "receiver_thread_ids": [PARENT]}),
        ("Sleep", {"duration_ms": 5}),
    ],
)
def test_a_completed_item_mirrors_the_call_of_its_id(kind: str, more: dict[str, Any]) -> None:
    roll = opened(paginated=True)
    call = roll.call("call_1", "tool")
    item = roll.shown(T1, kind, "call_1", **more)
    output = roll.output("call_1")
    told = roll.told()
    assert told.mirrors(call) == [item]
    assert told.whats() == [(call, "call")]
    assert told.result(call) == output


def test_a_changed_file_mirrors_the_patch_call() -> None:
    roll = opened(paginated=True)
    call = roll.item(records.custom_tool_call("call_1", "apply_patch", "*** Begin Patch"))
    item = roll.shown(T1, "FileChange", "call_1", changes={}, status="completed")
    told = roll.told()
    assert told.mirrors(call) == [item]


@pytest.mark.parametrize("by", ["call_1", "fco_1"])
def test_a_shown_output_belongs_to_the_call_or_to_the_output(by: str) -> None:
    roll = opened(paginated=True)
    call = roll.call("call_1")
    output = roll.item({**records.function_call_output("call_1", "x"), "id": "fco_1"})
    item = roll.shown(T1, "FunctionCallOutput", by, output="x", name="tool")
    told = roll.told()
    assert told.whats() == [(call, "call")]
    assert told.partner(item) == call
    assert told.result(call) == output


def test_a_second_completed_item_of_one_id_is_no_second_call() -> None:
    roll = opened(paginated=True)
    more = {"command": "ls", "cwd": "/w", "exit_code": 0}
    first = roll.shown(T1, "CommandExecution", "call_1", **more, status="completed")
    roll.shown(T1, "CommandExecution", "call_1", **more, status="completed")
    assert roll.told().whats() == [(first, "call")]


# -- messages
def test_a_users_item_and_event_are_one_entry() -> None:
    roll = opened()
    item = roll.user("weave")
    told = roll.told()
    assert told.entries(1) == [(item, "user")]
    assert told.mirrors(item) == [item + 1]


def test_injected_context_has_no_event_and_is_no_message_of_the_human() -> None:
    roll = opened()
    roll.user_item("<environment_context>\n  <cwd>/w</cwd>\n</environment_context>")
    roll.user_item("something that the harness put in without a mark")
    said = roll.user("weave")
    told = roll.told()
    assert told.entries(1) == [(3, "context"), (4, "context"), (said, "user")]


def test_where_the_event_of_a_prompt_is_lost_the_item_is_the_prompt() -> None:
    roll = opened()
    roll.user("weave")
    roll.end(T1)
    roll.start(T2)
    item = roll.user_item("unpick it")
    roll.raw(b'{"timestamp":"2026-07-20T10:00:09.000Z","type":"event_msg","payload":{"type":"user_mes')
    roll.said("Unpicked.")
    roll.end(T2)
    told = roll.told()
    assert told.entries(2)[0] == (item, "user")
    assert "Turn 2: unpick it" in told.names()


def test_the_same_words_again_are_a_message_again() -> None:
    roll = opened()
    lines = [roll.user("continue"), roll.user("continue")]
    roll.end(T1)
    roll.start(T2)
    lines.append(roll.user("continue"))
    told = roll.told()
    assert [line for line, what in told.whats() if what == "user"] == lines


def test_a_lost_event_does_not_make_a_later_one_its_own() -> None:
    roll = opened()
    first = roll.user_item("continue")
    roll.said("Going on.")
    second = roll.user("continue")
    told = roll.told()
    assert told.mirrors(first) == []
    assert told.mirrors(second) == [second + 1]


def test_an_assistants_event_item_and_completed_item_are_one() -> None:
    roll = opened()
    event = roll.said_event("Woven.", "final_answer")
    item = roll.said_item("Woven.", "final_answer", id="msg_1")
    shown = roll.shown(T1, "AgentMessage", "msg_1", content=[{"type": "Text", "text": "Woven."}], phase="final_answer")
    told = roll.told()
    assert told.entries(1) == [(item, "assistant")]
    assert sorted(told.mirrors(item)) == [event, shown]
    assert [told.partner(event), told.partner(shown)] == [item, item]


@pytest.mark.parametrize("order", ["eid", "edi", "ied", "ide", "dei", "die"])
def test_three_tellings_in_any_order_are_one_message(order: str) -> None:
    roll = opened()
    shown = {"content": [{"type": "Text", "text": "Woven."}]}
    tell = {
        "e": lambda: roll.said_event("Woven."),
        "i": lambda: roll.said_item("Woven."),
        "d": lambda: roll.shown(T1, "AgentMessage", "fresh", **shown),
    }
    lines = {letter: tell[letter]() for letter in order}
    told = roll.told()
    assert told.entries(1) == [(lines["i"], "assistant")]
    assert sorted(told.mirrors(lines["i"])) == sorted([lines["e"], lines["d"]])


@pytest.mark.parametrize("streams", ["i", "e", "d", "ie", "id", "ed", "ied"])
def test_a_prompt_told_by_any_streams_is_told_once(streams: str) -> None:
    roll = opened()
    for stream in streams:
        if stream == "i":
            roll.user_item("weave")
        elif stream == "e":
            roll.user_event("weave")
        else:
            roll.shown(T1, "UserMessage", "u1", content=[{"type": "text", "text": "weave"}])
    told = roll.told()
    assert told.entries(1) == [(3, "user")]


def test_pictures_alone_are_one_message_of_neighbours() -> None:
    roll = opened()
    picture = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
    item = roll.item({"type": "message", "role": "user", "content": [picture]})
    roll.add("event_msg", records.user_message("", ["data:image/png;base64,aGk="]))
    told = roll.told()
    assert told.entries(1) == [(item, "user")]


def test_the_marks_around_a_picture_are_no_words() -> None:
    roll = opened()
    picture = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
    tags = [{"type": "input_text", "text": text} for text in ("<image name=[Image #1]>", "</image>", "what is it?")]
    content = [tags[0], picture, tags[1], tags[2]]
    item = roll.item({"type": "message", "role": "user", "content": content})
    roll.user_event("what is it?")
    assert roll.told().entries(1) == [(item, "user")]


def test_reasoning_takes_one_event_a_summary_part() -> None:
    roll = opened()
    one = roll.event("agent_reasoning", text="first")
    two = roll.event("agent_reasoning", text="second")
    item = roll.thought(["first", "second"])
    other = roll.thought([])
    told = roll.told()
    assert told.entries(1) == [(item, "reasoning"), (other, "reasoning")]
    assert told.mirrors(item) == [one, two]
    assert told.mirrors(other) == []


def test_sealed_reasoning_and_its_completed_item_are_neighbours() -> None:
    roll = opened(paginated=True)
    item = roll.thought([])
    shown = roll.shown(T1, "Reasoning", "fresh", summary_text=[], raw_content=[])
    again = roll.thought([])
    told = roll.told()
    assert told.entries(1) == [(item, "reasoning"), (again, "reasoning")]
    assert told.mirrors(item) == [shown]


def test_the_phase_tells_commentary_from_the_answer() -> None:
    roll = opened()
    roll.said("Looking.", "commentary")
    answer = roll.said("Done.", "final_answer")
    roll.said("By the way.", "commentary")
    roll.end(T1, "Done.")
    told = roll.told()
    found = told.session.answer_of(told.turn(1))
    assert found is not None
    assert told.number(found.ref) == answer
    assert [name for name in told.names() if "commentary" in name] == [
        "  assistant (commentary): Looking.",
        "  assistant (commentary): By the way.",
    ]
    assert f"line {answer}" in told.hover(len(roll.lines))


# -- messages between agents
def agent_item(text: str, author: str = "/root") -> dict[str, Any]:
    content = [{"type": "input_text", "text": text}]
    return {"type": "agent_message", "author": author, "recipient": "/root/scout", "content": content}


def test_the_old_line_between_agents_is_a_message() -> None:
    roll = opened()
    more = {"author": "/root", "recipient": "/root/scout", "other_recipients": [], "trigger_turn": True}
    line = roll.add("inter_agent_communication", {**more, "content": "look"})
    told = roll.told()
    assert told.entries(1) == [(line, "agent_message")]
    assert "Turn 1: from /root: look" in told.names()


def test_metadata_belongs_to_the_message_right_behind_it() -> None:
    roll = opened()
    one = roll.add("inter_agent_communication_metadata", {"trigger_turn": True})
    message = roll.item(agent_item("look"))
    two = roll.add("inter_agent_communication_metadata", {"trigger_turn": False})
    roll.said("Looking.")
    roll.item(agent_item("look again"))
    told = roll.told()
    assert [told.partner(one), told.partner(two)] == [message, None]


# -- turns
def test_a_turn_goes_from_its_start_to_its_end() -> None:
    roll = Rollout()
    before = roll.user_item("named too early", internal_chat_message_metadata_passthrough={"turn_id": T1})
    start = roll.start(T1)
    roll.user("weave")
    end = roll.end(T1)
    between = roll.event("thread_rolled_back", num_turns=0)
    told = roll.told()
    assert told.turns() == [(1, start, end, "completed")]
    assert (told.partner(start), told.partner(end)) == (end, start)
    assert before in [line for line, _ in told.entries()]
    assert told.session.turn_of(told.ref(between)) is None


def test_records_name_their_turn_where_two_writers_overlap() -> None:
    roll = opened()
    roll.user("weave")
    second = roll.start(T2)
    one = roll.call("call_1")
    late = roll.said_item("mine", internal_chat_message_metadata_passthrough={"turn_id": T1})
    patch = roll.add("event_msg", records.patch_apply_end("call_9", T1, {}, ""))
    roll.exits("call_1")
    end_one, end_two = roll.end(T1), roll.end(T2)
    told = roll.told()
    assert told.turns() == [(1, 2, end_one, "completed"), (2, second, end_two, "completed")]
    assert (late, "assistant") in told.entries(1)
    assert (patch, "call") in told.entries(1)
    assert told.entries(2) == [(one, "call")]
    assert (second, "turn-overlap") in told.codes()


def test_a_new_start_closes_the_turn_before_without_a_word() -> None:
    roll = opened()
    roll.user("weave")
    roll.start(T2)
    end = roll.end(T2)
    outside = roll.user_item("between turns")
    count = roll.count(Usage(10, 0, 1), Usage(10, 0, 1))
    roll.start(T3)
    roll.end(T3)
    told = roll.told()
    assert told.turns()[:2] == [(1, 2, 4, "no end record"), (2, 5, end, "completed")]
    assert (outside, "context") in told.entries()
    assert told.session.usage.of_turn(told.turn(1)).total == 0
    assert told.session.usage.own.total == 11
    assert told.session.turn_of(told.ref(count)) is None


def test_an_abort_without_id_closes_the_open_turn_and_is_normal_without_one() -> None:
    roll = opened()
    abort = roll.abort(None)
    roll.abort(None)
    roll.start(T2)
    roll.end(T2)
    told = roll.told()
    assert told.turns() == [(1, 2, abort, "aborted"), (2, 5, 6, "completed")]
    assert told.codes() == []


def test_an_abort_without_id_does_not_reach_a_turn_closed_long_ago() -> None:
    roll = opened()
    roll.start(T2)
    roll.end(T2)
    roll.abort(None)
    told = roll.told()
    assert [status for *_, status in told.turns()] == ["no end record", "completed"]


def test_an_end_said_twice_does_not_end_the_turn_that_came_after() -> None:
    roll = opened()
    roll.abort(T1)
    roll.start(T2)
    roll.end(T1)
    roll.user("weave")
    end = roll.end(T2)
    told = roll.told()
    assert told.turns()[1] == (2, 4, end, "completed")
    assert "turn-id-mismatch" not in {code for _, code in told.codes()}


def test_an_end_of_a_turn_that_never_started_ends_the_open_one() -> None:
    roll = opened()
    end = roll.end(T3)
    told = roll.told()
    assert told.turns() == [(1, 2, end, "completed")]
    assert told.codes() == [(end, "turn-id-mismatch")]
    assert told.partner(end) == 2


def test_damaged_lines_belong_to_the_turn_they_stand_in() -> None:
    roll = opened()
    broken = roll.raw(b'{"timestamp":"2026-07-20T10:00:02.000Z","type":"resp')
    roll.end(T1)
    told = roll.told()
    turn = told.session.turn_at(told.line(broken))
    assert turn is not None
    assert turn.number == 1


def test_a_compaction_in_the_middle_splits_no_turn() -> None:
    roll = opened()
    prompt = roll.user("weave")
    kept = roll.compacted([records.message("user", ["weave"])])
    roll.context(T1)
    roll.event("context_compacted")
    roll.said("Woven.")
    end = roll.end(T1)
    told = roll.told()
    assert told.turns() == [(1, 2, end, "completed")]
    assert [line for line, what in told.entries(1) if what in ("user", "compaction")] == [prompt, kept]


def test_contexts_are_no_borders() -> None:
    roll = opened()
    for _ in range(5):
        roll.context(T1)
        roll.call("call_1")
        roll.exits("call_1")
    roll.end(T1)
    assert len(roll.told().turns()) == 1


def test_steering_belongs_to_the_turn_it_came_into() -> None:
    roll = opened()
    roll.user("weave")
    roll.call("call_1")
    steer = roll.user("in blue")
    roll.exits("call_1")
    roll.end(T1)
    told = roll.told()
    assert len(told.turns()) == 1
    assert "user (steer): in blue" in [name.strip() for name in told.names()]
    assert (steer, "user") in told.entries(1)


def test_a_review_is_part_of_its_turn() -> None:
    roll = opened()
    roll.event("entered_review_mode", target={"type": "uncommittedChanges"}, user_facing_hint="changes")
    roll.said("Reviewing.")
    roll.event("exited_review_mode", review_output=None)
    end = roll.abort(T1, "review_ended")
    told = roll.told()
    assert told.turns() == [(1, 2, end, "aborted")]
    assert "aborted (review_ended)" in told.hover(end)
    assert told.codes() == []


def test_without_start_records_a_turn_begins_at_each_message_of_the_human() -> None:
    roll = Rollout(version="0.77.0")
    roll.user_item("<environment_context>x</environment_context>")
    one = roll.user("weave")
    roll.context()
    roll.said("Woven.")
    two = roll.user("now dye it")
    roll.call("call_1", "shell")
    told = roll.told()
    assert told.turns() == [(1, one, two - 1, "completed"), (2, two, two + 2, "open")]
    assert told.entries()[0] == (2, "context")
    assert told.outcome(two + 2)[0] == "pending"


def test_without_start_records_an_abort_cuts_the_turn_it_stands_in() -> None:
    roll = Rollout(version="0.77.0")
    one = roll.user("weave")
    call = roll.call("call_1", "shell")
    roll.abort(None)
    roll.abort(None)
    two = roll.user("stop")
    roll.said("Stopped.")
    told = roll.told()
    assert [(turn[0], turn[1], turn[3]) for turn in told.turns()] == [(1, one, "aborted"), (2, two, "completed")]
    assert told.outcome(call)[0] == "interrupted"
    assert {code for _, code in told.codes()} <= {"orphan-call"}


def test_an_event_alone_begins_a_turn_too() -> None:
    roll = Rollout(version="0.77.0")
    one = roll.user_event("weave")
    roll.said("Woven.")
    two = roll.user_event("weave")
    told = roll.told()
    assert [turn[1] for turn in told.turns()] == [one, two]


def test_events_of_injected_context_begin_no_turn() -> None:
    roll = Rollout(version="0.40.0")
    roll.add("event_msg", {**records.user_message("# AGENTS.md"), "kind": "user_instructions"})
    roll.add("event_msg", {**records.user_message("<environment_context>"), "kind": "environment_context"})
    one = roll.add("event_msg", {**records.user_message("weave"), "kind": "plain"})
    assert [turn[1] for turn in roll.told().turns()] == [one]


def test_bare_items_begin_a_turn_at_each_text_of_the_human() -> None:
    roll = Rollout(None)
    roll.raw(b'{"id":"9b828d53-402d-46e3-a32e-f05a2fe03063","timestamp":"2025-08-03T12:12:09.000Z","instructions":null}')
    roll.raw(records.encode(records.message("user", ["<environment_context>x</environment_context>"])))
    one = roll.raw(records.encode(records.message("user", ["weave"])))
    roll.raw(b'{"record_type":"state"}')
    roll.raw(records.encode(records.message("assistant", ["Woven."])))
    two = roll.raw(records.encode(records.message("user", ["weave"])))
    told = roll.told()
    assert told.turns() == [(1, one, two - 1, "completed"), (2, two, two, "open")]


# -- threads and lineage
def child(**meta: Any) -> Rollout:
    return Rollout(forked_from_id=PARENT, **meta)


def copied(roll: Rollout, text: str, turn: str | None = None, *, started: bool = False) -> int:
    """A turn of the parent, copied within some milliseconds; with a start record where a turn is named."""
    first = len(roll.lines) + 1
    if turn is not None:
        more = {"started_at": BORN // 1000 - 80_000} if started else {}
        roll.start(turn, later=1, **more)
    roll.user(text, later=1)
    roll.said(f"{text}: done", later=1)
    roll.count(Usage(100, 0, 10), Usage(100, 0, 10), later=1)
    if turn is not None:
        roll.end(turn, later=1)
    return first


def test_the_first_header_is_the_identity_and_copies_repeat_it() -> None:
    roll = opened()
    roll.end(T1)
    roll.header(THREAD, memory_mode="disabled")
    told = roll.told()
    header = told.session.header
    assert header is not None
    assert header.thread_id == THREAD
    assert told.codes() == []
    assert len(told.turns()) == 1


def test_a_foreign_header_changes_nothing_but_is_odd() -> None:
    roll = opened()
    roll.end(T1)
    foreign = roll.header(PARENT)
    roll.start(T2)
    roll.end(T2)
    told = roll.told()
    assert told.codes() == [(foreign, "foreign-meta")]
    assert [turn[0] for turn in told.turns()] == [1, 2]


def test_copied_turns_are_told_by_the_age_of_their_ids() -> None:
    roll = child()
    head = roll.header(PARENT, later=1)
    copied(roll, "old", OLD)
    own = roll.start(T1)
    roll.user("new")
    roll.end(T1)
    told = roll.told()
    assert [(turn[0], turn[1]) for turn in told.turns()] == [(None, head + 1), (1, own)]
    assert f"Inherited from {PARENT}" in told.names()
    assert told.session.usage.inherited.total == 110
    assert "Inherited" in told.hover(head) or "inherited" in told.hover(head)


def test_copied_turns_with_ids_of_no_time_are_told_by_when_they_began() -> None:
    roll = child()
    roll.header(PARENT, later=1)
    old = copied(roll, "old", records.uuid4("old"), started=True)
    own = roll.start(records.uuid4("new"), started_at=BORN // 1000 + 60)
    roll.user("new")
    told = roll.told()
    assert [(turn[0], turn[1]) for turn in told.turns()] == [(None, old), (1, own)]


def test_copied_turns_that_nothing_dates_were_written_in_one_go() -> None:
    roll = child()
    roll.header(PARENT, later=1)
    old = copied(roll, "old", "turn-a")
    older = copied(roll, "older", "turn-b")
    own = roll.start("turn-c", later=5)
    roll.user("new", later=5)
    roll.said("Later.", later=3000)
    roll.end("turn-c")
    told = roll.told()
    assert [(turn[0], turn[1]) for turn in told.turns()] == [(None, old), (None, older), (1, own)]
    assert told.session.usage.inherited.total > 0


def test_copied_turns_without_start_records() -> None:
    roll = child(version="0.92.0")
    roll.header(PARENT, later=1)
    old = copied(roll, "old")
    older = copied(roll, "older")
    own = roll.user("new", later=40_000)
    roll.said("Done.", later=3000)
    told = roll.told()
    assert [(turn[0], turn[1]) for turn in told.turns()] == [(None, old), (None, older), (1, own)]
    assert [entry[1] for entry in told.entries(1)] == ["user", "assistant"]


def test_where_nothing_tells_own_work_does_not_vanish() -> None:
    roll = child(version="0.92.0")
    roll.header(PARENT, later=1)
    own = roll.user("asked at once", later=1)
    told = roll.told()
    assert told.turns() == [(1, own, own + 1, "open")]
    alone = child(version="0.92.0")
    first = alone.user("no header was copied")
    assert [turn[:2] for turn in alone.told().turns()] == [(1, first)]


def test_a_childs_own_first_turn_is_not_skipped() -> None:
    spawn = {"parent_thread_id": PARENT, "depth": 1}
    roll = Rollout(parent_thread_id=PARENT, source={"subagent": {"thread_spawn": spawn}})
    roll.header(PARENT, later=1)
    own = roll.start(T1)
    told = roll.told()
    assert [turn[:2] for turn in told.turns()] == [(1, own)]
    header = told.session.header
    assert header is not None
    assert (header.session_kind, header.parent_id, header.depth) == ("subagent", PARENT, 1)


@pytest.mark.parametrize("with_header", [True, False])
def test_a_paginated_childs_own_records_begin_at_an_ordinal(with_header: bool) -> None:
    start = 9 if with_header else 8
    roll = Rollout(paginated=True, parent_thread_id=PARENT, subagent_history_start_ordinal=start)
    if with_header:
        roll.header(PARENT)
    roll.start("a")
    roll.user_item("old")
    roll.shown("a", "UserMessage", "u1", content=[{"type": "text", "text": "old"}])
    roll.said_item("old answer")
    roll.usage_record("a", "resp_1", Usage(50, 0, 5))
    roll.end("a")
    roll.context("b")
    own = roll.start("b")
    roll.user_item("new")
    roll.usage_record("b", "resp_2", Usage(70, 0, 7))
    roll.end("b")
    told = roll.told()
    assert [(turn[0], turn[1]) for turn in told.turns()] == [(None, own - 7), (1, own)]
    assert (told.session.usage.inherited.total, told.session.usage.own.total) == (55, 77)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("cli", "user"),
        ({"subagent": "review"}, "review"),
        ({"subagent": "compact"}, "compact"),
        ({"subagent": {"other": "guardian"}}, "guardian"),
        ({"internal": "guardian"}, "guardian"),
        ({"subagent": {"other": "mapper"}}, "other"),
        ({"internal": "memory_consolidation"}, "other"),
        ({"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 2}}}, "subagent"),
    ],
)
def test_the_source_tells_the_kind_of_session(source: Any, kind: str) -> None:
    header = Rollout(source=source).told().session.header
    assert header is not None
    assert header.session_kind == kind


def test_a_continuation_names_the_file_it_goes_on_from() -> None:
    base = {"thread_id": PARENT, "end_ordinal_exclusive": 7, "end_byte_offset": 900}
    roll = Rollout(paginated=True, history_base=base)
    told = roll.told()
    header = told.session.header
    assert header is not None
    assert header.continues == PARENT
    assert Thread(PARENT) in told.targets(1, PARENT)


OTHER = records.uuid7(BORN + 5000, "other")


@pytest.mark.parametrize(
    "add",
    [
        lambda roll: roll.header(PARENT, forked_from_id=OTHER, session_id=PARENT),
        lambda roll: roll.header(THREAD, parent_thread_id=OTHER),
        lambda roll: roll.event("collab_close_end", call_id="c", sender_thread_id=THREAD, receiver_thread_id=OTHER),
        lambda roll: roll.event("collab_waiting_end", call_id="c", statuses={OTHER: "running"}),
        lambda roll: roll.add("event_msg", records.sub_agent_activity("e", BORN, OTHER, "/root/a")),
        lambda roll: roll.call("call_1", "send_input", id=OTHER),
        lambda roll: roll.output("call_1", '{"agent_id":"' + OTHER + '"}'),
    ],
)
def test_a_thread_id_anywhere_leads_to_its_file(add: Any) -> None:
    roll = opened()
    line = add(roll)
    assert roll.told().targets(line, OTHER)[0] == Thread(OTHER)


def test_all_records_that_name_a_turn_are_found_from_its_id() -> None:
    roll = opened()
    context = roll.context(T1)
    roll.said("x")
    end = roll.end(T1)
    assert roll.told().family(context, T1) == [2, context, end]


# -- compaction
def test_a_compaction_and_its_signs_are_one() -> None:
    roll = opened()
    item = roll.item({"type": "compaction", "encrypted_content": "gAAAAABx"})
    kept = roll.compacted([records.message("user", ["weave"])])
    roll.add("world_state", {"full": True, "state": {}})
    roll.context(T1)
    event = roll.event("context_compacted")
    roll.end(T1)
    told = roll.told()
    assert told.entries(1) == [(kept, "compaction")]
    assert sorted(told.mirrors(kept)) == [item, event]
    assert told.partner(event) == kept


def test_compactions_in_a_row_are_as_many() -> None:
    roll = opened()
    lines = [roll.compacted([records.message("user", ["weave"])]) for _ in range(3)]
    assert [line for line, _ in roll.told().entries(1)] == lines


def test_a_paginated_compaction_and_its_completed_item() -> None:
    roll = opened(paginated=True)
    kept = roll.compacted([records.message("user", ["weave"])])
    shown = roll.shown(T1, "ContextCompaction", "cc_1")
    told = roll.told()
    assert told.entries(1) == [(kept, "compaction")]
    assert told.mirrors(kept) == [shown]


def test_what_a_compaction_kept_rewrote_and_dropped() -> None:
    roll = opened()
    roll.user("weave a long cloth")
    roll.thought(["think"])
    roll.call("call_1", cmd="make")
    roll.exits("call_1", 0, "x" * 5000)
    roll.said("Woven.")
    history = [
        records.message("user", ["weave a long cloth"]),
        records.function_call("call_1", "exec_command", records.arguments(cmd="make")),
        records.function_call_output("call_1", "cut"),
        {"type": "compaction", "encrypted_content": "gAAAAABx"},
    ]
    kept = roll.compacted(history)
    roll.end(T1)
    told = roll.told()
    effect = told.session.effect_of(told.ref(kept))
    assert effect is not None
    assert (effect.kept.items, effect.rewritten.items, effect.dropped.items) == (2, 2, 2)
    assert effect.kept.bytes == sum(len(records.encode(item)) for item in history[:2])
    assert effect.rewritten.bytes == sum(len(records.encode(item)) for item in history[2:])
    assert effect.dropped.bytes == len(records.encode(told.record(5)["payload"])) + len(
        records.encode(told.record(9)["payload"])
    )
    text = told.hover(kept)
    assert "kept 2 items" in text
    assert "dropped 2 items" in text
    assert "rewrote 2 items" in text


def test_a_second_compaction_is_measured_from_the_first() -> None:
    roll = opened()
    roll.user("weave")
    roll.said("Woven.")
    roll.compacted([records.message("user", ["weave"])])
    roll.said("More.")
    second = roll.compacted([records.message("user", ["weave"]), records.message("user", ["a summary"])])
    told = roll.told()
    effect = told.session.effect_of(told.ref(second))
    assert effect is not None
    assert (effect.kept.items, effect.rewritten.items, effect.dropped.items) == (1, 1, 1)


def test_an_old_compaction_keeps_the_humans_words_and_a_summary() -> None:
    roll = opened()
    roll.user("weave")
    roll.said("Woven.")
    roll.user("dye")
    kept = roll.compacted(None, "They wove.")
    told = roll.told()
    effect = told.session.effect_of(told.ref(kept))
    assert effect is not None
    assert (effect.kept.items, effect.rewritten.items, effect.dropped.items) == (2, 1, 1)
    assert effect.rewritten.bytes == len("They wove.")


def test_what_was_rolled_back_is_no_part_of_the_history_any_more() -> None:
    roll = opened()
    roll.user("weave")
    roll.end(T1)
    roll.start(T2)
    roll.user("wrong")
    roll.said("Wrong too.")
    roll.end(T2)
    roll.event("thread_rolled_back", num_turns=1)
    roll.start(T3)
    kept = roll.compacted([records.message("user", ["weave"])])
    told = roll.told()
    effect = told.session.effect_of(told.ref(kept))
    assert effect is not None
    assert (effect.kept.items, effect.dropped.items) == (1, 0)


def test_windows_follow_one_another() -> None:
    roll = opened()
    first = roll.compacted([], window_id="w2", previous_window_id="w1", first_window_id="w1", window_number=2)
    second = roll.compacted([], window_id="w3", previous_window_id="w2", first_window_id="w1", window_number=3)
    told = roll.told()
    assert f"line {first}" in told.hover(second)


def test_the_answer_that_made_a_summary_is_found_by_its_response() -> None:
    roll = opened(paginated=True)
    usage = roll.usage_record(T1, "resp_9", Usage(500, 0, 50))
    kept = roll.compacted([], compaction_response_id="resp_9")
    assert f"line {usage}" in roll.told().hover(kept)


# -- rollback
def finished(roll: Rollout, turn: str, text: str) -> int:
    line = roll.start(turn)
    roll.user(text)
    roll.count(Usage(10, 0, 1), Usage(10, 0, 1))
    roll.end(turn)
    return line


def test_a_rollback_takes_the_last_turns_that_still_stand() -> None:
    roll = Rollout()
    for number in range(1, 5):
        finished(roll, turn_id(number), f"turn {number}")
    one = roll.event("thread_rolled_back", num_turns=1)
    two = roll.event("thread_rolled_back", num_turns=2)
    finished(roll, turn_id(5), "turn 5")
    told = roll.told()
    assert [status for *_, status in told.turns()] == ["completed", *["rolled back"] * 3, "completed"]
    assert "turn 4" in told.hover(one)
    assert "turn 2, turn 3" in told.hover(two)
    assert f"line {two}" in told.hover(told.number(told.turn(2).start.start))


def test_a_rollback_counts_turns_without_words_and_never_more_than_there_are() -> None:
    roll = opened()
    roll.end(T1)
    roll.event("thread_rolled_back", num_turns=9)
    told = roll.told()
    assert [turn[3] for turn in told.turns()] == ["rolled back"]


def test_a_rollback_reaches_into_copied_turns() -> None:
    roll = child()
    roll.header(PARENT, later=1)
    copied(roll, "old", OLD)
    back = roll.event("thread_rolled_back", num_turns=1)
    finished(roll, T1, "new")
    told = roll.told()
    assert [(turn[0], turn[3]) for turn in told.turns()] == [(None, "rolled back"), (1, "completed")]
    assert "inherited turn" in told.hover(back)


def test_pairs_inside_turns_taken_back_stay() -> None:
    roll = opened()
    call, output = roll.call("call_1"), roll.exits("call_1")
    roll.end(T1)
    roll.event("thread_rolled_back", num_turns=1)
    told = roll.told()
    assert told.result(call) == output
    assert told.codes() == []


def test_a_rollback_without_start_records() -> None:
    roll = Rollout(version="0.80.0")
    roll.user("weave")
    roll.said("Woven.")
    roll.user("wrong")
    roll.said("Hm.")
    roll.event("thread_rolled_back", num_turns=1)
    roll.user("right")
    told = roll.told()
    assert [turn[3] for turn in told.turns()] == ["completed", "rolled back", "open"]


# -- realtime
def test_a_promoted_item_is_about_the_completed_item() -> None:
    roll = opened(paginated=True)
    message = roll.said_item("Woven.", id="msg_1")
    roll.shown(T1, "AgentMessage", "msg_1", content=[{"type": "Text", "text": "Woven."}])
    session = {"id": "r1", "realtime_session_id": "rs_1"}
    first = roll.add("realtime_item", {"type": "realtime_session_started", **session})
    more = {"turn_id": T1, "item_id": "msg_1", "presentation": {"type": "whole_item"}}
    promoted = roll.add("realtime_item", {"type": "bem_item_promoted", **session, **more})
    roll.add("realtime_item", {"type": "realtime_session_closed", **session, "outcome": "ended"})
    told = roll.told()
    assert told.partner(promoted) == message
    assert told.partner(first) is None
    assert told.entries(1) == [(message, "assistant")]

# -- the fold in blocks
def any_rollout(dice: random.Random) -> Rollout:
    """Records of every sort in any order, with few ids and few words, so that they meet."""
    roll = Rollout(**dice.choice([{}, {"forked_from_id": PARENT}, {"paginated": True, "parent_thread_id": PARENT}]))
    texts, calls, turns = ["weave", "dye", "Done."], [f"call_{n}" for n in range(4)], [T1, T2, T3, OLD, "turn-x"]
    explicit = dice.random() < 0.7
    search_end = records.web_search_end("ws_1", "loom")
    tell: list[Any] = [
        lambda: roll.user(dice.choice(texts)),
        lambda: roll.user_item(dice.choice(texts)),
        lambda: roll.user_event(dice.choice(texts)),
        lambda: roll.user_item("<environment_context>x</environment_context>"),
        lambda: roll.said(dice.choice(texts)),
        lambda: roll.said_item(dice.choice(texts), id=dice.choice(["m1", "m2"])),
        lambda: roll.said_event(dice.choice(texts)),
        lambda: roll.shown(dice.choice(turns), "AgentMessage", dice.choice(["m1", "x"]), content=[]),
        lambda: roll.event("agent_reasoning", text=dice.choice(texts)),
        lambda: roll.thought(dice.choice([[], texts[:1], texts])),
        lambda: roll.shown(dice.choice(turns), "Reasoning", "r1", summary_text=[], raw_content=[]),
        lambda: roll.call(dice.choice(calls)),
        lambda: roll.call(dice.choice(calls), "write_stdin", session_id=dice.choice([7, 8])),
        lambda: roll.script(dice.choice(calls)),
        lambda: roll.exits(dice.choice(calls), dice.choice([0, 1])),
        lambda: roll.runs_on(dice.choice(calls), dice.choice([7, 8])),
        lambda: roll.exec_end(dice.choice([*calls, "exec-1", "exec-2"]), dice.choice(turns), dice.choice([0, 1])),
        lambda: roll.item(search("loom", **dice.choice([{}, {"id": "ws_1"}]))),
        lambda: roll.add("event_msg", search_end),
        lambda: roll.add("security_risk_score", {"scores": {}, "call_id": dice.choice(calls)}),
        lambda: roll.add("event_msg", records.sub_agent_activity(dice.choice(calls), BORN, PARENT, "/root/a")),
        lambda: roll.add("inter_agent_communication_metadata", {"trigger_turn": True}),
        lambda: roll.item(agent_item("look")),
        lambda: roll.count(Usage(dice.choice([10, 20, 30]), 0, 1), Usage(10, 0, 1)),
        lambda: roll.usage_record(dice.choice(turns), dice.choice(["a", "b"]), Usage(5, 0, 1)),
        lambda: roll.compacted([records.function_call(dice.choice(calls), "t", "{}")]),
        lambda: roll.event("context_compacted"),
        lambda: roll.event("thread_rolled_back", num_turns=dice.choice([0, 1, 2])),
        lambda: roll.context(dice.choice([None, *turns])),
        lambda: roll.header(dice.choice([THREAD, PARENT])),
        lambda: roll.raw(b'{"timestamp":"2026-07-20T10:00:00.000Z","type":"ev'),
        lambda: roll.abort(dice.choice([None, *turns])),
        lambda: roll.item({"type": "local_shell_call", "call_id": None, "status": "completed", "action": {}}),
        lambda: roll.item({"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}}),
    ]
    if explicit:
        tell += [lambda: roll.start(dice.choice(turns)), lambda: roll.end(dice.choice(turns))] * 3
    for _ in range(dice.randrange(5, 80)):
        dice.choice(tell)()
    return roll


def pictures(text: bytes, told: Told | None = None) -> Any:
    told = told or Told(text)
    session = told.session
    usage = session.usage
    lines = range(1, text.count(b"\n") + 1)
    return {
        "turns": told.turns(),
        "names": told.names(),
        "codes": told.codes(),
        "whats": told.whats(),
        "usage": (usage.own, usage.inherited, usage.rolled_back, [told.number(one.ref) for one in usage.steps]),
        "partners": [told.partner(line) for line in lines if told.line(line).reading.statements],
        "hovers": [told.hover(line) for line in lines],
        "steps": [[step.tokens.total for step in session.steps_of(turn)] for turn in session.turns],
    }


@pytest.mark.parametrize("seed", range(40))
def test_the_story_does_not_depend_on_blocks(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = any_rollout(random.Random(seed)).text()
    whole = pictures(text)
    for size in (1, 3, 17):
        monkeypatch.setattr(buffer_module, "BLOCK_LINES", size)
        assert pictures(text) == whole, f"blocks of {size}"


@pytest.mark.parametrize("seed", range(40))
def test_edits_leave_the_story_of_a_file_opened_anew(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines taken out, put in, said twice: what is folded again must be what would have been folded at first."""
    dice = random.Random(f"edits {seed}")
    monkeypatch.setattr(buffer_module, "BLOCK_LINES", dice.choice([2, 5]))
    lines = any_rollout(dice).lines
    spare = any_rollout(dice).lines
    document = Document("file:///rollout-1.jsonl", 1, [b"".join(line + b"\n" for line in lines)])
    document.session()
    for version in range(2, 2 + dice.randrange(2, 12)):
        at = dice.randrange(len(lines) + 1)
        gone = dice.choice([0, 0, 1, 1, 3]) if at < len(lines) else 0
        new = [dice.choice([*lines, *spare]) for _ in range(dice.choice([0, 1, 1, 2]))]
        stop = min(len(lines), at + gone)
        change = Change((at, 0), (stop, 0), b"".join(line + b"\n" for line in new))
        document.edit([change], version, "utf-8")
        lines[at:stop] = new
        if dice.random() < 0.7:
            document.session()
    text = b"".join(line + b"\n" for line in lines)
    assert b"".join(line.data for line in document.buffer) == text
    assert pictures(text, Told(text, document)) == pictures(text)


@pytest.mark.parametrize("seed", range(100, 140))
def test_whatever_comes_nothing_is_told_twice_or_lost(seed: int) -> None:
    told = any_rollout(random.Random(seed)).told()
    session = told.session
    entries = list(session.entries())
    own = [entry.ref.statement for entry in entries]
    assert len(own) == len(set(own))
    further = [
        ref.statement
        for entry in entries
        for ref in {one for role in ("mirror", "result") for one in session.links_of(entry.ref, role)}  # type: ignore[arg-type]
    ]
    assert len(further) == len(set(further))
    assert not set(own) & set(further)
    numbered = [turn.number for turn in session.turns if not turn.inherited]
    assert numbered == list(range(1, len(numbered) + 1))
    loose = session.loose_ends
    assert not [call for call in loose.pending_calls if session.links_of(call, "result")]
    assert not [one for one in loose.orphan_calls if session.links_of(one.ref, "result")]


def test_without_start_records_a_call_is_over_once_the_model_has_answered() -> None:
    roll = Rollout(version="0.77.0")
    roll.user("weave")
    lost = roll.call("call_1", "shell")
    roll.call("call_2", "shell")
    roll.exits("call_2")
    assert roll.told().outcome(lost)[0] == "pending"
    answer = roll.said("Woven.")
    told = roll.told()
    assert told.outcome(lost)[0] == "no result"
    assert told.codes() == [(lost, "orphan-call")]
    assert told.session.loose_ends.orphan_calls[0].end in (told.ref(answer), told.ref(answer - 1))


def test_a_call_outside_turns_is_over_when_a_turn_begins() -> None:
    roll = Rollout()
    call = roll.call("call_1")
    roll.start(T1)
    roll.end(T1)
    assert roll.told().outcome(call)[0] == "no result"


def test_usage_belongs_to_the_turn_it_names() -> None:
    roll = opened(paginated=True)
    roll.end(T1)
    roll.usage_record(T1, "resp_1", Usage(10, 0, 1))
    told = roll.told()
    assert told.session.usage.of_turn(told.turn(1)).total == 11


def test_what_a_review_hands_back_is_not_the_humans() -> None:
    roll = opened()
    roll.event("entered_review_mode", target={"type": "uncommittedChanges"}, user_facing_hint="changes")
    roll.event("exited_review_mode", review_output=None)
    item = roll.user_item("<user_action>\n  <context>User initiated a review task.</context>\n</user_action>")
    roll.said("Nothing to mend.")
    roll.end(T1)
    told = roll.told()
    assert (item, "context") in told.entries(1)
    assert "Turn 1" in told.names()


def test_a_call_that_was_open_when_its_turn_was_copied_was_cut_short() -> None:
    roll = child()
    roll.header(PARENT, later=1)
    roll.start(OLD, later=1)
    call = roll.call("call_1", "spawn_agent")
    roll.start(T1)
    roll.end(T1)
    told = roll.told()
    assert told.outcome(call)[0] == "interrupted"
    assert {code for _, code in told.codes()} == {"inherited-meta", "orphan-call", "turn-open"}
    assert {one.severity for one in told.document.finish()} == {"information"}


@pytest.mark.parametrize(
    "hidden",
    ["\n<oai-mem-citation>\n<entries>x</entries></oai-mem-citation>", "\n", "\n<proposed_plan>\n1.\n</proposed_plan>"],
)
def test_what_is_marked_for_others_makes_no_second_message(hidden: str) -> None:
    roll = opened()
    event = roll.said_event("Woven.")
    item = roll.said_item("Woven." + hidden)
    told = roll.told()
    assert told.entries(1) == [(item, "assistant")]
    assert told.mirrors(item) == [event]


def test_a_plan_is_shown_right_before_the_message_that_holds_it() -> None:
    roll = opened()
    plan = roll.shown(T1, "Plan", "p1", text="1. weave")
    item = roll.said_item("<proposed_plan>\n1. weave\n</proposed_plan>")
    told = roll.told()
    assert told.partner(plan) == item
    assert told.entries(1) == [(item, "assistant")]


def test_a_long_turn_holds_its_records_between_many_of_another_writer() -> None:
    roll = opened()
    for number in range(20):
        roll.start(f"b{number}")
        roll.said("b")
        roll.end(f"b{number}")
    named = roll.said_item("a", internal_chat_message_metadata_passthrough={"turn_id": T1})
    count = roll.count(Usage(10, 0, 1), Usage(10, 0, 1))
    end = roll.end(T1)
    told = roll.told()
    for line in (named, count):
        turn = told.session.turn_of(told.ref(line))
        assert turn is not None
        assert turn.number == 1
    assert told.turns()[0][2] == end
    assert told.session.usage.of_turn(told.turn(1)).total == 11


def test_the_end_of_a_turn_given_up_long_ago_ends_no_other() -> None:
    roll = Rollout()
    for number in range(12):
        roll.start(f"t{number}")
    roll.end("t0")
    end = roll.end("t11")
    told = roll.told()
    assert told.turns()[-1][2:] == (end, "completed")
    assert "turn-id-mismatch" not in {code for _, code in told.codes()}
