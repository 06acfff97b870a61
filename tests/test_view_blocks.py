"""The block view: a case for each row of its page, the tools, usage and models, and what is dropped."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest

from rollout_ls.projection.entry import What
from rollout_ls.projection.views import blocks
from rollout_ls.projection.views.blocks import (
    ApplyPatch,
    Bash,
    BlockView,
    Edit,
    Image,
    Other,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    WebSearch,
    Write,
    block_view,
)
from rollout_ls.workspace.document import Document

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "views" / "blocks.md"
THREAD = "0199b000-0000-7000-8000-000000000001"
TURN = "0199b000-0000-7000-8000-00000000000a"
Json = dict[str, Any]


# -- small rollouts
def record(kind: str, **payload: Any) -> Json:
    return {"timestamp": "2026-02-03T10:00:00.500Z", "type": kind, "payload": payload}


def item(word: str, **more: Any) -> Json:
    return record("response_item", type=word, **more)


def event(word: str, **more: Any) -> Json:
    return record("event_msg", type=word, **more)


def said(text: str, role: str = "user") -> Json:
    word = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": word, "text": text}])


def head(**more: Any) -> Json:
    meta = {
        "id": THREAD,
        "timestamp": "2026-02-03T10:00:00.000Z",
        "cwd": "/w",
        "originator": "codex_cli_rs",
        "cli_version": "0.120.0",
        "source": "cli",
        "model_provider": "openai",
    }
    return record("session_meta", **{**meta, **more})


def settings(model: str = "gpt-5", turn_id: str = TURN) -> Json:
    return record(
        "turn_context",
        turn_id=turn_id,
        cwd="/w",
        approval_policy="never",
        sandbox_policy={"type": "read-only"},
        model=model,
        summary="auto",
    )


def start(turn_id: str = TURN) -> Json:
    return event("task_started", turn_id=turn_id, model_context_window=1000)


def done(turn_id: str = TURN) -> Json:
    return event("task_complete", turn_id=turn_id, last_agent_message=None)


def tokens(last: int, total: int) -> Json:
    def usage(count: int) -> Json:
        parts = {"input_tokens": count - 1, "cached_input_tokens": 0, "output_tokens": 1, "reasoning_output_tokens": 0}
        return {**parts, "total_tokens": count}

    info = {"total_token_usage": usage(total), "last_token_usage": usage(last), "model_context_window": 1000}
    return event("token_count", info=info, rate_limits=None)


def call(name: str, arguments: Any, call_id: str = "c1") -> Json:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return item("function_call", name=name, arguments=given, call_id=call_id)


def output(text: Any, call_id: str = "c1") -> Json:
    return item("function_call_output", call_id=call_id, output=text)


def patch(text: str, call_id: str = "c1") -> Json:
    return item("custom_tool_call", name="apply_patch", input=text, call_id=call_id, status="completed")


def ran(text: str, code: int = 0, call_id: str = "c1") -> Json:
    return event(
        "exec_command_end",
        call_id=call_id,
        turn_id=TURN,
        command=["bash", "-lc", "make"],
        cwd="/w",
        parsed_cmd=[],
        source="agent",
        stdout=text,
        stderr="",
        aggregated_output=text,
        exit_code=code,
        duration={"secs": 1, "nanos": 0},
        formatted_output=text,
        status="failed" if code else "completed",
    )


def view(*records: Json) -> BlockView:
    data = b"\n".join(json.dumps(one).encode() for one in records) + b"\n"
    document = Document("file:///a.jsonl", 1, [data], on_disk=True)
    assert not [line for line in document.buffer if line.reading and line.reading.broken]
    return block_view(document.session())


def in_turn(*records: Json) -> BlockView:
    return view(head(), start(), settings(), said("Go."), event("user_message", message="Go."), *records, done())


def made(*records: Json) -> list[Any]:
    """The blocks of some records in a turn, behind the human's words."""
    return [one for message in in_turn(*records).messages[1:] for one in message.blocks]


# -- a case for each row of the page
def check_header() -> None:
    found = view(head(git={"branch": "main"}), head(id=THREAD, cwd="/other")).meta
    assert (found.id, found.timestamp, found.cwd) == (THREAD, "2026-02-03T10:00:00.000Z", "/w")
    assert (found.git_branch, found.cli_version, found.model) == ("main", "0.120.0", "")
    assert in_turn().meta.model == "gpt-5"


def check_settings() -> None:
    other = "0199b000-0000-7000-8000-00000000000b"
    found = view(
        head(),
        *(start(), settings("one"), said("a", "assistant"), done()),
        *(start(other), settings("two", other), said("b", "assistant"), call("f", {}), done(other)),
    ).messages
    assert [(message.role, message.model) for message in found] == [
        ("assistant", "one"),
        ("assistant", "two"),
        ("assistant", "two"),
    ]


def check_message() -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    words = {"type": "input_text", "text": "See"}
    found = view(head(), item("message", role="user", content=[words, picture])).messages
    assert [(one.role, one.blocks) for one in found] == [("user", (Text("See"), Image("image/png", 3)))]
    assert made(said("", "assistant"), said("Yes.", "assistant")) == [Text("Yes.")]


def check_reasoning() -> None:
    summary = [{"type": "summary_text", "text": "One"}, {"type": "summary_text", "text": "Two"}]
    hidden = [{"type": "reasoning_text", "text": "hidden"}]
    found = item("reasoning", summary=summary, content=hidden, encrypted_content="gAAAAA")
    assert made(event("agent_reasoning", text="One"), event("agent_reasoning", text="Two"), found) == [
        Thinking("One\n\nTwo")
    ]
    assert made(item("reasoning", summary=[], content=hidden, encrypted_content="gAAAAA")) == []


def check_call() -> None:
    assert made(call("exec_command", {"cmd": "ls", "workdir": "/w"})) == [ToolUse("c1", Bash("ls", "/w"))]
    assert made(call("update_plan", {"plan": []})) == [ToolUse("c1", Other("update_plan", {"plan": []}))]


def check_output() -> None:
    use = ToolUse("c1", Other("f", {}))
    assert made(call("f", {}), output("ok")) == [use, ToolResult("c1", (Text("ok"),), False)]
    assert made(output("lost", "c9")) == [ToolResult("c9", (Text("lost"),), False)]


def check_custom_call() -> None:
    assert made(item("custom_tool_call", name="exec", input="1 + 1", call_id="c1")) == [
        ToolUse("c1", Other("exec", "1 + 1"))
    ]


def check_custom_output() -> None:
    failed = json.dumps({"output": "no", "metadata": {"exit_code": 1, "duration_seconds": 0.1}})
    mirror = event(
        "patch_apply_end", call_id="c1", turn_id=TURN, stdout="Said.", stderr="", success=False, changes={}
    )
    found = made(patch("x"), mirror, item("custom_tool_call_output", call_id="c1", output=failed))
    assert found == [ToolUse("c1", ApplyPatch("x", ())), ToolResult("c1", (Text("no"),), True)]


def search(**more: Any) -> Json:
    return item("web_search_call", status="completed", action={"type": "search", "query": "tea"}, **more)


def searched(query: str = "tea") -> Json:
    return event("web_search_end", call_id="ws_9", query=query, action={"type": "search", "query": query})


def check_search() -> None:
    tool = WebSearch("tea", {"type": "search", "query": "tea"})
    assert made(search(id="ws_1")) == [ToolUse("ws_1", tool)]
    assert made(search(), search()) == [ToolUse("web_search:1", tool), ToolUse("web_search:2", tool)]


def check_command_end() -> None:
    shell = call("shell", {"command": ["bash", "-lc", "make"]})
    use, result = ToolUse("c1", Bash("make")), ToolResult("c1", (Text("all red"),), True)
    assert made(shell, ran("all red", 2), output("Exit code: 2\nOutput:\nall red")) == [use, result]
    found = in_turn(shell, output("mirror"), ran("fine")).messages
    assert found[-1].blocks == (ToolResult("c1", (Text("fine"),), False),)
    assert [b"exec_command_end" in ref.line.data for ref in found[-1].refs] == [True, False]


def check_search_end() -> None:
    for records in ((search(), searched()), (searched(), search()), (searched(), search(id="ws_9"))):
        found = made(*records)
        assert sorted(type(one).__name__ for one in found) == ["ToolResult", "ToolUse"]
        assert {one.id if isinstance(one, ToolUse) else one.tool_use_id for one in found} == {"ws_9"}
    assert made(search(), searched("coffee"))[0].id == "web_search:1"


def check_usage() -> None:
    other = "0199b000-0000-7000-8000-00000000000b"
    found = view(
        head(),
        *(start(), said("Go."), event("user_message", message="Go.")),
        *(said("first", "assistant"), tokens(100, 100), call("f", {}), output("ok"), said("last", "assistant")),
        *(tokens(50, 150), tokens(50, 150), call("g", {}, "c2"), output("ok", "c2"), done()),
        *(start(other), said("More."), event("user_message", message="More."), tokens(7, 157), done(other)),
    ).messages
    used = [(message.blocks[0].text, message.usage.total) for message in found if message.usage is not None]
    assert used == [("last", 50)]


def check_nothing(*records: Json) -> None:
    assert made(*records, said("Yes.", "assistant")) == [Text("Yes.")]


def check_turns() -> None:
    found = in_turn(said("Yes.", "assistant")).messages
    assert {(one.turn.number, one.turn.turn_id, one.turn.status) for one in found if one.turn is not None} == {
        (1, TURN, "completed")
    }
    assert len(found) == 2


def check_mirrors() -> None:
    assert made(event("agent_message", message="Yes."), said("Yes.", "assistant")) == [Text("Yes.")]
    assert made(event("agent_message", message="Only here.")) == [Text("Only here.")]


ROWS: dict[str, Any] = {
    "session_meta": check_header,
    "turn_context": check_settings,
    "response_item/message": check_message,
    "response_item/reasoning": check_reasoning,
    "response_item/function_call": check_call,
    "response_item/function_call_output": check_output,
    "response_item/custom_tool_call": check_custom_call,
    "response_item/custom_tool_call_output": check_custom_output,
    "response_item/web_search_call": check_search,
    "event_msg/exec_command_end": check_command_end,
    "event_msg/web_search_end": check_search_end,
    "event_msg/token_count": check_usage,
    "event_msg/task_started": check_turns,
    "event_msg/task_complete": check_turns,
    "compacted": lambda: check_nothing(record("compacted", message="In short.")),
    "world_state": lambda: check_nothing(record("world_state", state={})),
    "event_msg/agent_message": check_mirrors,
    "event_msg/user_message": lambda: check_nothing(),
    "response_item/agent_message": lambda: check_nothing(
        item("agent_message", author="/root", recipient="/root/a", content=[{"type": "input_text", "text": "Go."}])
    ),
}


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_of_the_page(kind: str) -> None:
    ROWS[kind]()


# -- tools
@pytest.mark.parametrize(
    ("argv", "command"),
    [
        ("ls -l", "ls -l"),
        (["bash", "-lc", "a && b"], "a && b"),
        (["sh", "-c", "a"], "a"),
        (["zsh", "-lc", "a b"], "a b"),
        (["bash", "-x", "a"], "bash -x a"),
        (["git", "commit", "-m", "two words"], "git commit -m 'two words'"),
    ],
)
def test_commands(argv: Any, command: str) -> None:
    for tool, key in (("exec_command", "cmd"), ("shell", "command"), ("shell_command", "command")):
        assert made(call(tool, {key: argv})) == [ToolUse("c1", Bash(command))]


def test_a_local_shell_call_is_a_command() -> None:
    action = {"type": "exec", "command": ["bash", "-lc", "ls"], "timeout_ms": None}
    one = item("local_shell_call", id="l1", call_id=None, status="completed", action=action)
    assert made(one, output("a", "l1")) == [ToolUse("l1", Bash("ls")), ToolResult("l1", (Text("a"),), False)]


def test_a_shell_call_without_command_stays_what_it_is() -> None:
    assert made(call("shell", "not json")) == [ToolUse("c1", Bash("not json"))]
    assert made(call("shell", {"argv": 1})) == [ToolUse("c1", Other("shell", {"argv": 1}))]


BEGIN, END = "*** Begin Patch\n", "*** End Patch\n"
UPDATE = "*** Update File: a.py\n@@ def f\n keep\n-old\n+new\n"


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        (UPDATE, Edit("a.py", "keep\nold", "keep\nnew")),
        ("*** Update File: a.py\n-old\n+new\n*** End of File\n", Edit("a.py", "old", "new")),
        ("*** Update File: a.py\r\n@@\r\n+new\r\n", Edit("a.py", "", "new")),
        ("*** Add File: b c.py\n+one\n+\n+two\n", Write("b c.py", "one\n\ntwo")),
        ("*** Add File: empty\n", Write("empty", "")),
        (UPDATE + "@@\n-x\n+y\n", ("a.py",)),
        (UPDATE + "*** Add File: b\n+b\n", ("a.py", "b")),
        ("*** Delete File: a.py\n", ("a.py",)),
        ("*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n", ("a.py",)),
        ("*** Update File: a.py\n", ("a.py",)),
        ("nothing of the kind\n", ()),
    ],
)
def test_patches(text: str, tool: Any) -> None:
    whole = BEGIN + text + END
    expected = ApplyPatch(whole, tool) if isinstance(tool, tuple) else tool
    assert made(patch(whole)) == [ToolUse("c1", expected)]
    assert made(call("apply_patch", {"input": whole})) == [ToolUse("c1", expected)]


@pytest.mark.parametrize(
    ("changes", "tool"),
    [
        ({"/w/a": {"type": "add", "content": "one\n\ntwo\n"}}, Write("/w/a", "one\n\ntwo")),
        (
            {"/w/a": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "move_path": None}},
            Edit("/w/a", "x", "y"),
        ),
        (
            {"/w/a": {"type": "delete", "content": "x"}},
            ApplyPatch("*** Begin Patch\n*** Delete File: /w/a\n*** End Patch\n", ("/w/a",)),
        ),
    ],
)
def test_a_patch_that_only_the_screen_told(changes: Json, tool: Any) -> None:
    one = event(
        "patch_apply_end", call_id="exec-1", turn_id=TURN, stdout="ok", stderr="", success=True, changes=changes
    )
    assert made(one) == [ToolUse("exec-1", tool), ToolResult("exec-1", (Text("ok"),), False)]


def test_nothing_encrypted_is_handed_out() -> None:
    given = {"message": "Look.", "encrypted_content": "gAAAAA" * 9}
    assert "gAAAAA" not in repr(made(call("send", given), item("reasoning", summary=[], encrypted_content="gAAAAA")))


# -- what is dropped, and what is not
@pytest.mark.parametrize("text", [f"{mark}x" for mark in blocks.SCAFFOLDING])
def test_scaffolding_is_dropped(text: str) -> None:
    assert view(head(), said(text)).messages == ()
    assert view(head(), start(), said(text), done()).messages == ()


def test_other_roles_are_no_messages() -> None:
    assert made(said("Rules.", "developer"), said("Rules.", "system")) == []


def test_a_nested_command_is_a_call_and_its_result() -> None:
    script = item("custom_tool_call", name="exec", input="run()", call_id="c1")
    answer = item("custom_tool_call_output", call_id="c1", output="ok")
    found = in_turn(script, ran("deep", 1, "exec-7"), answer).messages
    inner = [message for message in found if message.nested]
    assert [message.blocks for message in inner] == [
        (ToolUse("exec-7", Bash("make")),),
        (ToolResult("exec-7", (Text("deep"),), True),),
    ]


def test_a_shared_id_has_one_result() -> None:
    found = made(call("f", {}), call("g", {}), output("ok"))
    assert [type(one) for one in found] == [ToolUse, ToolUse, ToolResult]


def test_pictures_that_come_back() -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    assert made(call("view_image", {"path": "a"}), output([picture]))[1].content == (Image("image/png", 3),)


# -- whole sessions
SESSIONS = sorted((ROOT / "fixtures" / "sessions").glob("*.jsonl"))


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name[8:18])
def test_whole_sessions(path: Path) -> None:
    session = Document("file:///a.jsonl", 1, [path.read_bytes()], on_disk=True).session()
    found = block_view(session)
    orders = [session.buffer.order_of(message.refs[0].line) for message in found.messages]
    assert orders == sorted(orders)
    own = Counter(message.refs[0].statement for message in found.messages if not message.nested)
    assert max(own.values(), default=1) == 1, "a record makes one message"
    usages = Counter(message.turn.start.start.statement for message in found.messages if message.usage and message.turn)
    assert max(usages.values(), default=1) == 1
    calls = [entry for entry in session.entries() if entry.what in ("call", "nested_call")]
    uses = [one for message in found.messages for one in message.blocks if isinstance(one, ToolUse)]
    assert len(uses) == len(calls)


# -- the page
def page_rows(section: str) -> list[list[str]]:
    text = PAGE.read_text("utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in text.split("\n") if row.startswith("| ")]
    return rows[2:]


def names(cell: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`([^`]+)`", cell))


def test_the_page_has_the_treatments() -> None:
    assert {names(cells[0])[0]: names(cells[1]) for cells in page_rows("Entries")} == blocks.TREATMENTS
    assert set(blocks.TREATMENTS) == set(get_args(What))


def test_the_page_has_a_tested_row_for_each_record() -> None:
    assert [names(cells[0])[0] for cells in page_rows("Records")] == list(ROWS)


def test_the_page_has_the_tools() -> None:
    told: dict[tuple[str, ...], set[str]] = {}
    for cells in page_rows("Tools"):
        told.setdefault(names(cells[0]), set()).update(names(cells[1]))
        kind = getattr(blocks, names(cells[1])[0])
        assert names(cells[2]) == kind.__struct_fields__
    assert told == {
        blocks.SHELL_TOOLS: {"Bash"},
        (blocks.PATCH_TOOL,): {"Edit", "Write", "ApplyPatch"},
        (blocks.SEARCH_TOOL,): {"WebSearch"},
        (): {"Other"},
    }


def test_the_page_names_all_scaffolding() -> None:
    assert all(f"`{mark}`" in PAGE.read_text("utf-8") for mark in blocks.SCAFFOLDING)
