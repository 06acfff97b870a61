"""The ``codex-v3`` view: a case for each row of its matrix, its relations, its refusals, and its page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_ls.projection.views import codex_v3_matrix as matrix
from rollout_ls.projection.views.codex_v3 import Entry, Malformed, SpawnTable, View, read_view
from rollout_ls.text.buffer import Buffer

PAGE = Path(__file__).resolve().parent.parent / "docs" / "views" / "codex-v3.md"
THREAD = "thread-own"
Json = dict[str, Any]


# -- small rollouts
def record(kind: str, payload: Any, at: Any = None) -> Json:
    return {"type": kind, "payload": payload, **({} if at is None else {"timestamp": at})}


def head(at: Any = None, **more: Any) -> Json:
    return record("session_meta", {"id": THREAD, **more}, at)


def item(word: str, at: Any = None, **more: Any) -> Json:
    return record("response_item", {"type": word, **more}, at)


def event(word: str, at: Any = None, **more: Any) -> Json:
    return record("event_msg", {"type": word, **more}, at)


def said(text: str, at: Any = None, role: str = "user") -> Json:
    word = "output_text" if role == "assistant" else "input_text"
    return item("message", at, role=role, content=[{"type": word, "text": text}])


def read(*records: Json | bytes, **options: Any) -> View | Malformed:
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in records]
    return read_view(Buffer([b"\n".join(lines) + b"\n"]), **options)


def view(*records: Json | bytes, **options: Any) -> View:
    found = read(*records, **options)
    assert isinstance(found, View), found
    return found


def refused(*records: Json | bytes, **options: Any) -> tuple[int | None, str]:
    """(record, field) of what is malformed, records counted from 0."""
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in records]
    buffer = Buffer([b"\n".join(lines)])
    found = read_view(buffer, **options)
    assert isinstance(found, Malformed), found
    return (None if found.line is None else buffer.row_of(found.line)), found.field


def brief(entry: Entry) -> tuple[Any, ...]:
    """(kind, actor, segments as text or ``[class: source]``)."""
    shown = [f"[{one.omitted}: {one.source}]" if one.text is None else one.text for one in entry.segments]
    return entry.kind, entry.actor, *shown


def briefs(*records: Json | bytes) -> list[tuple[Any, ...]]:
    return [brief(entry) for entry in view(head(), *records).entries]


# -- a case for each supported row
SEALED = "gAAAAA"
URL = "https://example.invalid/picture"
IMAGE = {"type": "input_image", "image_url": URL, "detail": "low"}
Case = tuple[Json, list[tuple[Any, ...]]]

RECORD_CASES: dict[str, Case] = {
    "session_meta": (
        {"id": THREAD, "session_id": "group", "base_instructions": {"text": "Be kind."}},
        [("injected-context", "system", "Be kind.")],
    ),
    "turn_context": (
        {"turn_id": "t1", "developer_instructions": "second", "user_instructions": "first"},
        [("injected-context", "system", "first"), ("injected-context", "system", "second")],
    ),
    "inter_agent_communication": (
        {"author": "/root", "recipient": "/root/a", "content": "Look.", "encrypted_content": SEALED},
        [("inter-agent-message", "model", "Look.", "[unknown: encrypted-agent-content]")],
    ),
    "compacted": ({"message": "In short."}, [("compaction", "system"), ("injected-context", "system", "In short.")]),
}
RESPONSE_CASES: dict[str, Case] = {
    "message": (
        {"role": "user", "phase": None, "content": [{"type": "input_text", "text": "Hi "}, IMAGE]},
        [("message", "human", "Hi ", "[image: input-image]")],
    ),
    "agent_message": (
        {
            "author": "/root",
            "recipient": "/root/a",
            "content": [
                {"type": "input_text", "text": "Go."},
                {"type": "encrypted_content", "encrypted_content": SEALED},
            ],
        },
        [("inter-agent-message", "model", "Go.", "[unknown: encrypted-agent-content]")],
    ),
    "reasoning": (
        {
            "summary": [{"type": "summary_text", "text": "Plan"}],
            "content": [{"type": "reasoning_text", "text": "hidden"}],
            "encrypted_content": SEALED,
        },
        [("reasoning-summary", "model", "Plan", "[unknown: reasoning-content]", "[unknown: encrypted-reasoning]")],
    ),
    "function_call": (
        {"call_id": "c1", "name": "shell", "arguments": "", "namespace": "files"},
        [("tool-call", "model", "")],
    ),
    "function_call_output": ({"call_id": "c1", "output": ""}, [("tool-result", "tool", "")]),
    "custom_tool_call": ({"call_id": "c1", "name": "exec", "input": "1"}, [("tool-call", "model", "1")]),
    "custom_tool_call_output": ({"call_id": "c1", "output": []}, [("tool-result", "tool")]),
    "compaction": ({"encrypted_content": SEALED}, [("compaction", "system", "[unknown: encrypted-compaction]")]),
    "compaction_summary": (
        {"encrypted_content": SEALED},
        [("compaction", "system", "[unknown: encrypted-compaction]")],
    ),
    "context_compaction": ({}, [("compaction", "system")]),
}
EVENT_CASES: dict[str, Case] = {
    "user_message": (
        {"message": "Hi", "images": [URL], "local_images": ["/home/a/b.png"]},
        [("message", "human", "Hi", "[image: input-image]", "[image: local-image]")],
    ),
    "agent_message": ({"message": "Hello"}, [("message", "model", "Hello")]),
    "agent_reasoning": ({"text": "Plan"}, [("reasoning-summary", "model", "Plan")]),
    "task_started": ({"turn_id": "t1"}, [("turn-started", "system")]),
    "turn_started": ({"turn_id": "t1"}, [("turn-started", "system")]),
    "task_complete": (
        {"turn_id": "t1", "error": {"message": "No."}},
        [("turn-completed", "system"), ("diagnostic", "system", "No.")],
    ),
    "turn_complete": ({"turn_id": "t1", "error": None}, [("turn-completed", "system")]),
    "turn_aborted": ({"turn_id": None, "reason": "interrupted"}, [("turn-aborted", "system")]),
    "thread_rolled_back": ({"num_turns": 4_294_967_295}, [("rollback", "system")]),
    "context_compacted": ({}, [("compaction", "system")]),
    "error": ({"message": "No."}, [("diagnostic", "system", "No.")]),
    "warning": ({"message": "Mind."}, [("diagnostic", "system", "Mind.")]),
    "guardian_warning": ({"message": "Mind."}, [("diagnostic", "system", "Mind.")]),
    "stream_error": (
        {"message": "Cut.", "additional_details": "Again."},
        [("diagnostic", "system", "Cut.", "Again.")],
    ),
    "deprecation_notice": ({"summary": "Old.", "details": None}, [("diagnostic", "system", "Old.")]),
}
TABLES = {
    "Records": (matrix.RECORDS, RECORD_CASES),
    "Response items": (matrix.RESPONSES, RESPONSE_CASES),
    "Events": (matrix.EVENTS, EVENT_CASES),
}


def made(section: str, name: str, payload: Json) -> Json:
    if section == "Records":
        return record(name, payload)
    return item(name, **payload) if section == "Response items" else event(name, **payload)


CASES = [(section, name) for section, (_, cases) in TABLES.items() for name in cases]


@pytest.mark.parametrize(("section", "name"), CASES)
def test_a_supported_row_gives_its_entries(section: str, name: str) -> None:
    table, cases = TABLES[section]
    payload, expected = cases[name]
    found = briefs(made(section, name, payload))
    assert found == expected
    assert {one[0] for one in found} <= set(table[name].gives)


@pytest.mark.parametrize(("section", "name"), CASES)
def test_a_row_reads_its_fields_and_no_others(section: str, name: str) -> None:
    table, cases = TABLES[section]
    payload, expected = cases[name]
    assert briefs(made(section, name, {**payload, "unlisted": object.__name__, "more": {"type": []}})) == expected
    for field in table[name].fields:
        key, _, inner = field.partition(".")
        wrong = {inner: 5} if inner else True
        assert refused(head(), made(section, name, {**payload, key: wrong})) == (1, f"payload.{field}")


def test_every_supported_row_has_a_case() -> None:
    for table, cases in TABLES.values():
        assert {name for name, row in table.items() if row.treatment == "supported"} == set(cases)


def rows_of(treatment: str) -> list[tuple[str, str]]:
    return [
        (section, name)
        for section, (table, _) in TABLES.items()
        for name, row in table.items()
        if row.treatment == treatment
    ]


@pytest.mark.parametrize(("section", "name"), rows_of("deferred"))
def test_a_deferred_row_is_one_opaque_omission(section: str, name: str) -> None:
    (entry,) = view(head(), made(section, name, {"call_id": 5, "message": ["no"], "content": 1})).entries
    assert brief(entry) == ("unknown", "unknown", f"[unknown: {name.replace('_', '-')}]")
    assert (entry.segments[0].origin, entry.segments[0].confidence) == ("unknown", "unknown")
    assert (entry.call_id, entry.turn_id, entry.related) == (None, None, None)


@pytest.mark.parametrize(("section", "name"), rows_of("skipped"))
def test_a_skipped_row_is_nothing(section: str, name: str) -> None:
    assert briefs(made(section, name, {"call_id": 5, "message": ["no"]})) == []


# -- evidence
@pytest.mark.parametrize(
    ("one", "evidence"),
    [
        (said("a"), ("human", "human", "high")),
        (said("a", role="assistant"), ("model", "model", "high")),
        (said("a", role="developer"), ("system", "injected", "high")),
        (said("a", role="system"), ("system", "system", "high")),
        (event("user_message", message="a"), ("human", "human", "high")),
        (event("agent_reasoning", text="a"), ("model", "model", "high")),
        (event("error", message="a"), ("system", "system", "high")),
        (item("function_call_output", call_id="c", output="a"), ("tool", "tool", "high")),
        (item("function_call", call_id="c", name="n", arguments="a"), ("model", "model", "high")),
        (head(base_instructions={"text": "a"}), ("system", "injected", "high")),
        (
            record("inter_agent_communication", {"author": "", "recipient": "", "content": "a"}),
            ("model", "delegated", "high"),
        ),
        (record("new_thing", {}), ("unknown", "unknown", "unknown")),
    ],
)
def test_evidence(one: Json, evidence: tuple[str, str, str]) -> None:
    (entry,) = view(head(), one).entries
    assert (entry.actor, entry.segments[0].origin, entry.segments[0].confidence) == evidence


# -- parts
def part_holder(parent: str, part: Json) -> Json:
    if parent == "message":
        return item("message", role="assistant", content=[part])
    if parent == "agent message":
        return item("agent_message", author="", recipient="", content=[part])
    if parent == "tool result":
        return item("custom_tool_call_output", call_id="c", output=[part])
    key = parent.removeprefix("reasoning ")
    return item("reasoning", **{"summary": [], key: [part]})


@pytest.mark.parametrize(("parent", "word"), [(parent, word) for parent, rows in matrix.PARTS.items() for word in rows])
def test_a_part(parent: str, word: str) -> None:
    row = matrix.PARTS[parent][word]
    part = {"type": word, row.needs: "kept or not"}
    (entry,) = view(head(), part_holder(parent, part)).entries
    shown = f"[{row.omits[0]}: {row.omits[1]}]" if row.omits else "kept or not"
    assert brief(entry)[2:] == (shown,)
    line, field = refused(head(), part_holder(parent, {"type": word}))
    assert (line, field.rpartition("[0].")[2]) == (1, row.needs)


@pytest.mark.parametrize("parent", matrix.PARTS)
def test_any_other_part(parent: str) -> None:
    (entry,) = view(head(), part_holder(parent, {"type": "../up", "text": 5})).entries
    assert brief(entry)[2:] == (f"[{matrix.OTHER_PARTS[parent]}: unknown-content-item]",)
    for wrong in ({"type": ""}, {"text": "a"}, "text", None):
        assert refused(head(), part_holder(parent, wrong))[0] == 1  # type: ignore[arg-type]


def test_the_detail_of_an_image() -> None:
    for detail in (None, *matrix.DETAILS):
        assert len(briefs(part_holder("message", {**IMAGE, "detail": detail}))) == 1
    assert refused(head(), part_holder("message", {**IMAGE, "detail": "full"})) == (1, "payload.content[0].detail")


def test_nothing_private_is_kept() -> None:
    holders = [made(section, name, TABLES[section][1][name][0]) for section, name in CASES]
    seen = [one for one in holders if one["payload"].get("call_id") is None]
    kept = repr([brief(entry) for entry in view(head(), *seen).entries])
    assert not any(secret in kept for secret in (SEALED, URL, "/home/a", "hidden"))


# -- the record
@pytest.mark.parametrize(
    ("one", "field"),
    [
        (b"[]", "record"),
        (b"5", "record"),
        (b'{"type":"event_msg",', "record"),
        (b'{"type":"x","payload":{"a":NaN}}', "record"),
        (b'{"type":"x","payload":{"a":"\xff"}}', "record"),
        (b'{"type":"x","payload":' + b"[" * 5000 + b"]" * 5000 + b"}", "record"),
        ({"payload": {}}, "type"),
        ({"type": "", "payload": {}}, "type"),
        ({"type": 5, "payload": {}}, "type"),
        ({"type": "world_state"}, "payload"),
        ({"type": "world_state", "payload": []}, "payload"),
        (record("response_item", {}), "payload.type"),
        (record("event_msg", {"type": ""}), "payload.type"),
        (item("message", role="tool", content=[]), "payload.role"),
        (item("message", role="user", phase="analysis", content=[]), "payload.phase"),
        (item("message", role="user", content={}), "payload.content"),
        (item("function_call", call_id="", name="n", arguments=""), "payload.call_id"),
        (item("function_call", call_id="c", name="", arguments=""), "payload.name"),
        (item("function_call", call_id="c", name="n", arguments="", namespace=""), "payload.namespace"),
        (item("function_call_output", output="a"), "payload.call_id"),
        (event("user_message", message="a", local_images=None), "payload.local_images"),
        (event("user_message", message="a", images=["a", 5]), "payload.images[1]"),
        (event("turn_aborted", reason="success"), "payload.reason"),
        (event("thread_rolled_back", num_turns=4_294_967_296), "payload.num_turns"),
        (event("thread_rolled_back", num_turns=-1), "payload.num_turns"),
        (event("thread_rolled_back", num_turns=1.5), "payload.num_turns"),
        (event("task_complete", turn_id="t", error={}), "payload.error.message"),
        (event("task_complete", turn_id=""), "payload.turn_id"),
        (b'{"type":"event_msg","payload":{"type":"error","message":"\\ud83d"}}', "payload.message"),
    ],
)
def test_malformed(one: Json | bytes, field: str) -> None:
    assert refused(head(), one) == (1, field)


def test_half_a_surrogate_pair_harms_only_what_is_kept() -> None:
    ignored = b'{"type":"world_state","payload":{"a":"\\ud83d"}}'
    discarded = b'{"type":"response_item","payload":{"type":"compaction","encrypted_content":"\\ud83d"}}'
    assert briefs(ignored, discarded) == [("compaction", "system", "[unknown: encrypted-compaction]")]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (None, None),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.100Z"),
        ("2026-01-02T03:04:05.9999Z", "2026-01-02T03:04:05.999Z"),
        ("2026-01-01T23:30:00.5-01:30", "2026-01-02T01:00:00.500Z"),
        ("2024-02-29T12:00:00+05:45", "2024-02-29T06:15:00.000Z"),
        ("0099-01-01T00:00:00Z", "0099-01-01T00:00:00.000Z"),
    ],
)
def test_times(written: str | None, shown: str | None) -> None:
    (entry,) = view(head(), {**said("a"), "timestamp": written}).entries
    assert entry.timestamp == shown


@pytest.mark.parametrize(
    "written",
    [
        *("2026-02-30T00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T24:00:00Z", "soon", ""),
        *("2026-01-01T00:00:00+24:00", "2026-01-01T00:00:60Z", "0001-01-01T00:00:00+01:00", 5, True),
        "2026-01-01T00:00:00Z\n",
    ],
)
def test_bad_times(written: Any) -> None:
    assert refused(head(), {**record("world_state", {}), "timestamp": written}) == (1, "timestamp")


@pytest.mark.parametrize(
    ("word", "token"),
    [
        ("new_thing", "new-thing"),
        ("new-thing2", "new-thing2"),
        ("a" * 64, "a" * 64),
        *((bad, "unknown-record") for bad in ("../a", "New", "a__b", "_a", "a-", "é", "a b", "a\x01", "a" * 65, "a\n")),
    ],
)
def test_safe_tokens(word: str, token: str) -> None:
    for one in (record(word, {}), item(word), event(word)):
        assert briefs(one) == [("unknown", "unknown", f"[unknown: {token}]")]


# -- relations
def call(call_id: str, name: str = "n") -> Json:
    return item("function_call", call_id=call_id, name=name, arguments="{}")


def result(call_id: str) -> Json:
    return item("function_call_output", call_id=call_id, output="ok")


def test_results_point_to_their_calls_wherever_these_stand() -> None:
    entries = view(head(), result("a"), call("b"), call("a", "tool"), result("b"), result("ghost")).entries
    assert [entry.related for entry in entries] == [2, None, None, 1, None]
    assert entries[2].tool == "tool" and entries[0].tool is None


def test_a_call_id_names_one_call_and_one_result() -> None:
    custom = item("custom_tool_call", call_id="a", name="n", input="")
    assert refused(head(), call("a"), result("a"), custom) == (3, "payload.call_id")
    other = item("custom_tool_call_output", call_id="a", output=[])
    assert refused(head(), result("a"), other) == (2, "payload.call_id")
    deferred = item("local_shell_call", call_id="a")
    assert [entry.related for entry in view(head(), deferred, call("a"), result("a")).entries] == [None, None, 1]


def test_ends_of_turns_point_to_starts_of_exactly_that_id() -> None:
    entries = view(
        head(),
        event("turn_complete", turn_id="later"),
        event("task_started", turn_id="1"),
        event("turn_aborted", turn_id="1", reason="replaced"),
        event("turn_started", turn_id="1"),
        event("task_complete", turn_id="1", error={"message": "No."}),
        event("turn_aborted", turn_id=None, reason="interrupted"),
        event("task_complete", turn_id="2"),
        event("turn_started", turn_id="later"),
    ).entries
    related = [(entry.kind, entry.related) for entry in entries if entry.kind != "turn-started"]
    assert related == [
        ("turn-completed", 8),
        ("turn-aborted", 1),
        ("turn-completed", 3),
        ("diagnostic", None),
        ("turn-aborted", None),
        ("turn-completed", None),
    ]


def heard(text: str, at: Any = None) -> Json:
    return event("user_message", at, message=text)


def ordinals(*records: Json | bytes) -> list[int]:
    return [entry.ordinal for entry in view(head(), *records).entries]


def test_neighbours_that_say_the_same_are_one() -> None:
    assert ordinals(heard("a"), said("a")) == [2]
    assert ordinals(said("a"), heard("a")) == [1]
    both = view(head(), said("a"), heard("a")).entries[0]
    assert both.mirror is not None and b"user_message" in both.mirror.data and b"response_item" in both.line.data


def test_each_telling_is_used_once() -> None:
    assert ordinals(heard("a"), said("a"), heard("a")) == [2, 3]
    assert ordinals(heard("a"), said("a"), said("a"), heard("a")) == [2, 3]
    assert ordinals(said("a"), said("a")) == [1, 2]


@pytest.mark.parametrize(
    "between", [b"", b"  ", event("token_count"), record("world_state", {}), record("new", {}), head(), call("c")]
)
def test_whatever_stands_between_keeps_them_apart(between: Json | bytes) -> None:
    entries = view(head(), heard("a"), between, said("a")).entries
    assert sum(entry.kind == "message" for entry in entries) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (heard("a"), said("a ")),
        (heard("a"), said("a", role="assistant")),
        (heard("a", "2026-01-01T00:00:00Z"), said("a")),
        (heard("a", "2026-01-01T00:00:00Z"), said("a", "2026-01-01T00:00:00.001Z")),
        (event("user_message", message="a", images=[URL]), said("a")),
        (
            event("user_message", message="a", local_images=["b"]),
            item("message", role="user", content=[{"type": "input_text", "text": "a"}, IMAGE]),
        ),
        (event("agent_reasoning", text="a"), item("reasoning", summary=[{"type": "summary_text", "text": "a"}])),
        (event("context_compacted"), item("context_compaction")),
    ],
)
def test_neighbours_that_differ_stay_apart(one: Json, other: Json) -> None:
    assert ordinals(one, other) == [1, 2]
    assert ordinals(other, one) == [1, 2]


def test_equal_times_are_equal_however_they_are_written() -> None:
    assert ordinals(heard("a", "2026-01-01T01:00:00+01:00"), said("a", "2026-01-01T00:00:00.000Z")) == [2]


def test_blank_lines_are_no_records() -> None:
    assert ordinals(b"", b" \t\r", said("a"), b"", said("b")) == [1, 2]


# -- lineage
def lineage(*records: Json, **options: Any) -> tuple[Any, ...]:
    found = view(*records, **options)
    if found.lineage is None:
        return (None, found.coverage)
    return found.lineage.relation, found.lineage.thread_id, found.lineage.evidence, found.coverage


def test_lineage_of_headers() -> None:
    assert lineage(head()) == (None, "unknown")
    assert lineage(head(parent_thread_id="p", forked_from_id="f")) == ("parent", "p", "header", "unknown")
    assert lineage(head(forked_from_id="f")) == ("fork", "f", "header", "unknown")
    assert lineage(head(parent_thread_id="p"), head(), head(parent_thread_id="p"))[:2] == ("parent", "p")
    assert lineage(head(session_id="other")) == (None, "unknown")


def test_lineage_with_a_database() -> None:
    edge = SpawnTable("p")
    assert lineage(head(), spawns=edge) == ("parent", "p", "state database", "complete")
    assert lineage(head(parent_thread_id="p"), head(forked_from_id="p"), spawns=edge)[0] == "parent"
    assert lineage(head(parent_thread_id="p"), spawns=SpawnTable()) == ("parent", "p", "header", "complete")
    assert lineage(head(), spawns=SpawnTable()) == (None, "complete")
    assert refused(head(parent_thread_id="q"), spawns=edge) == (0, "payload.parent_thread_id")


@pytest.mark.parametrize(
    ("records", "place"),
    [
        ([head(parent_thread_id="p"), head(parent_thread_id="q")], (1, "payload.parent_thread_id")),
        ([head(parent_thread_id="p"), head(forked_from_id="f")], (1, "payload.forked_from_id")),
        ([head(parent_thread_id=THREAD)], (0, "payload.parent_thread_id")),
        ([head(parent_thread_id="")], (0, "payload.parent_thread_id")),
        ([head(session_id="")], (0, "payload.session_id")),
        ([head(base_instructions="a")], (0, "payload.base_instructions")),
        ([record("session_meta", {"id": ""})], (0, "payload.id")),
        ([], (None, "session_meta.id")),
        ([said("a")], (None, "session_meta.id")),
    ],
)
def test_headers_that_cannot_be(records: list[Json], place: tuple[int | None, str]) -> None:
    assert refused(*records) == place


def test_a_copied_header_gives_nothing_but_is_checked() -> None:
    copied = record("session_meta", {"id": "old", "parent_thread_id": "x", "base_instructions": {"text": "old"}})
    found = view(head(base_instructions={"text": "own"}), copied, head(base_instructions={"text": "again"}))
    assert [brief(entry)[2] for entry in found.entries] == ["own", "again"]
    assert (found.thread_id, found.lineage) == (THREAD, None)
    assert refused(head(), record("session_meta", {"id": "old", "forked_from_id": 5})) == (1, "payload.forked_from_id")
    assert view(copied, head(), thread_id=THREAD).entries == ()
    assert refused(copied, thread_id=THREAD) == (None, "session_meta.id")


# -- never an exception
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ROWS = [row for table, _ in TABLES.values() for row in table.values()]
KEYS = sorted({field.partition(".")[0] for row in ROWS for field in row.fields})


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_line_gives_an_answer(data: st.DataObject) -> None:
    section = data.draw(st.sampled_from(list(TABLES)))
    name = data.draw(st.sampled_from(list(TABLES[section][0])))
    payload = data.draw(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4))
    one = json.dumps(made(section, name, payload)).encode()
    cut = data.draw(st.integers(0, len(one)))
    for line in (one, one[:cut], data.draw(st.binary(max_size=20))):
        assert isinstance(read(head(), line), View | Malformed)


# -- the page
def page_rows(section: str) -> Iterator[list[str]]:
    """The cells of the tables below a heading, their heads left out."""
    text = PAGE.read_text("utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    for row in text.split("\n"):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if row.startswith("| ") and not row.startswith("| ---") and cells[0] not in ("type", "inside", "what"):
            yield cells


def names(cell: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`([^`]+)`", cell))


@pytest.mark.parametrize("section", TABLES)
def test_the_page_has_the_rows_of_the_matrix(section: str) -> None:
    told = {}
    for cells in page_rows(section):
        for name in names(cells[0]) or ("any other",):
            told[name] = (cells[1], names(cells[2]), names(cells[3]))
    if section == "Records":
        assert set(matrix.PAYLOADS) == {name for name in matrix.PAYLOADS if told.pop(name)}
    rows = {**TABLES[section][0], "any other": matrix.OTHER}
    known = {name: (row.treatment, row.fields, row.gives) for name, row in rows.items()}
    assert told == known


def test_the_page_has_the_parts_of_the_matrix() -> None:
    told = {(cells[0], names(cells[1])): (names(cells[2]), names(cells[3])) for cells in page_rows("Parts")}
    known = {}
    for parent, rows in matrix.PARTS.items():
        for word, row in rows.items():
            known[parent, (word,)] = ((row.needs,), row.omits or ())
        known[parent, ()] = ((), (matrix.OTHER_PARTS[parent], matrix.UNKNOWN_PART))
    assert told == known


def test_the_page_has_the_words_of_the_matrix() -> None:
    text = PAGE.read_text("utf-8")
    for words in (matrix.ABORT_REASONS, matrix.DETAILS):
        assert ", ".join(f"`{word}`" for word in words) in " ".join(text.split())
    assert all(f"`{word}`" in text for word in (*matrix.PHASES, *matrix.ROLES, matrix.UNSAFE_RECORD))
