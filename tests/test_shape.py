"""What the walk says of records that do not decode: which fault, where, and that it agrees with the typed decode."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codex_samples as samples
from rollout_ls.formats.codex import catalogue, shape, types
from rollout_ls.formats.codex.catalogue import Scalar
from rollout_ls.formats.codex.lenient import lenient

KINDS = samples.kinds()
MUTANTS = int(os.environ.get("ROLLOUT_LS_MUTANTS", "4000"))
"""How many mutants the agreement is tried on: some thousands by habit, 100,000 before a release."""

BY_NAME = {kind.name: kind for kind in KINDS}


def encoded(record: Any) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()


def marked(text: bytes, fault: shape.ShapeFault) -> str:
    return text[fault.start : fault.end].decode()


def faults(text: bytes, **options: Any) -> list[tuple[str, str]]:
    return [(fault.what, marked(text, fault)) for fault in shape.walk(text, **options).faults]


def put(name: str, path: str, value: Any) -> bytes:
    """The minimal record of a kind with a value at a dotted path of its payload."""
    record = samples.minimal(BY_NAME[name])
    owner = record["payload"]
    *ways, last = path.split(".")
    for way in ways:
        owner = owner.setdefault(way, {})
    owner[last] = value
    return encoded(record)


# ---- places ---------------------------------------------------------------------------------------------------------
def test_a_header_of_a_converter() -> None:
    text = (
        b'{"timestamp":1770112800.25,"type":"session_meta","payload":{"timestamp":1770112800,"cwd":"/w",'
        b'"originator":"converter","cli_version":"0.0.0","source":"cli"}}'
    )
    assert faults(text) == [("wrong-type", "1770112800.25"), ("missing", '"payload"'), ("wrong-type", "1770112800")]
    assert shape.walk(text).kind == "session_meta"
    assert [fault.start for fault in shape.walk(text, base=100).faults] == [113, 149, 172]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b'{"timestamp":"t","type":"event_msg","payload":"a bare string"}', ("wrong-type", '"a bare string"')),
        (b'{"timestamp":"t","type":"response_item","payload":null}', ("wrong-type", "null")),
        (b'{"timestamp":"t","type":"turn_context","payload":["x"]}', ("wrong-type", '["x"]')),
        (b'{"timestamp":"t","type":"response_item","payload":{"kind":"x"}}', ("missing", '"payload"')),
        (b'{"timestamp":"t","type":"event_msg","payload":{"type":7}}', ("wrong-type", "7")),
    ],
)
def test_payloads_of_the_wrong_type(text: bytes, fault: tuple[str, str]) -> None:
    assert faults(text) == [fault]


@pytest.mark.parametrize("text", [b'{"timestamp":"t","type":"event_msg"}', b'{"timestamp":"t"}', b"{}"])
def test_what_the_record_lacks_is_marked_on_the_record(text: bytes) -> None:
    assert faults(text) == [("missing", text.decode())]


def test_one_wrong_element_is_marked_and_several_are_one_fault() -> None:
    name = "response_item/reasoning"
    good = {"type": "summary_text", "text": "x"}
    assert faults(put(name, "summary", [good, 7])) == [("wrong-type", "7")]
    assert faults(put(name, "summary", [good, {"type": "summary_text"}])) == [("missing", '{"type":"summary_text"}')]
    several = put(name, "summary", [good, "x", 7, None, {"type": "summary_text", "text": ["y"]}])
    assert faults(several) == [("several", '"summary"')]
    assert shape.walk(several).faults[0].message.startswith("4 of 5 entries of `payload.summary`")


# ---- newer, older, another writer's ---------------------------------------------------------------------------------
def test_kinds_parts_and_words_that_are_not_known() -> None:
    assert faults(b'{"timestamp":"t","type":"session_end","payload":{}}') == [("unknown-kind", '"session_end"')]
    assert faults(put("event_msg/agent_message", "type", "future")) == [("unknown-kind", '"future"')]
    assert faults(put("response_item/function_call", "type", "future")) == [("unknown-kind", '"future"')]
    assert faults(put("turn_context", "approval_policy", "writes")) == [("unknown-word", '"writes"')]
    assert faults(put("event_msg/agent_message", "phase", "prologue")) == [("unknown-word", '"prologue"')]
    part = put("response_item/message", "content", [{"type": "hologram"}])
    assert faults(part) == [("unknown-part", '"hologram"')]
    kept = put("event_msg/item_completed/Plan", "item", {"type": "Dream", "id": "x"})
    assert faults(kept) == [("unknown-kind", '"Dream"')]
    assert shape.walk(kept).kind is None


def test_only_the_first_header_s_history_mode_refuses_the_file() -> None:
    text = put("session_meta", "history_mode", "scroll")
    assert faults(text) == [("unknown-word", '"scroll"')]
    assert faults(text, first_header=True) == [("wrong-mode", '"scroll"')]


def test_events_that_no_build_stores() -> None:
    text = b'{"timestamp":"t","type":"event_msg","payload":{"type":"exec_command_begin"}}'
    assert faults(text) == [("unknown-kind", '"exec_command_begin"')]
    assert "another writer" in shape.walk(text).faults[0].message
    assert shape.walk(text).kind == "event_msg/exec_command_begin"


def test_what_was_legal_in_its_day() -> None:
    assert faults(put("turn_context", "sandbox_policy", {"mode": "read-only"})) == [("legacy", '"mode"')]
    early = {"mode": "plan", "model": "m", "reasoning_effort": None, "developer_instructions": None}
    assert faults(put("turn_context", "collaboration_mode", early)) == [("legacy", '"model"')]
    assert faults(put("turn_context", "approval_policy", {"reject": {}})) == [("legacy", '"reject"')]
    assert faults(put("event_msg/exec_command_end", "cwd", "/w")) == [("legacy", '"/w"')]
    assert faults(put("response_item/function_call_output", "output", {"content": "x"})) == [
        ("legacy", '{"content":"x"}')
    ]
    reset = {"primary": {"used_percent": 1, "resets_at": "2025-10-18T00:00:00Z"}}
    assert faults(put("event_msg/token_count", "rate_limits", reset)) == [("legacy", '"2025-10-18T00:00:00Z"')]
    undo = b'{"timestamp":"t","type":"event_msg","payload":{"type":"undo_completed","success":true}}'
    assert faults(undo) == [("legacy", '"undo_completed"')]
    hint = b'{"timestamp":"t","type":"event_msg","payload":{"type":"entered_review_mode","prompt":"p"}}'
    assert faults(hint) == [("legacy", '"prompt"')]


def test_paths_of_either_system_are_paths() -> None:
    for path in ("/w", "C:\\w", "c:/w", "\\\\host\\share"):
        assert not faults(put("turn_context", "cwd", path))
    assert faults(put("turn_context", "cwd", "w/x")) == [("bad-value", '"w/x"')]


# ---- values ---------------------------------------------------------------------------------------------------------
def test_integers() -> None:
    name = "event_msg/thread_rolled_back"
    assert faults(put(name, "num_turns", -1)) == [("int-range", "-1")]
    assert faults(put(name, "num_turns", 2**32)) == [("int-range", str(2**32))]
    assert faults(put(name, "num_turns", 1.0)) == [("wrong-type", "1.0")]
    assert faults(put(name, "num_turns", 2**70)) == [("int-too-big", str(2**70))]
    assert faults(put(name, "num_turns", 10**300)) == [("int-too-big", '"num_turns"')]


def test_two_spellings_stand_together() -> None:
    record = samples.minimal(BY_NAME["session_meta"])
    record["payload"] |= {"agent_role": "a", "agent_type": "b"}
    assert faults(encoded(record)) == [("two-spellings", '"agent_type"')]


def test_images_need_an_address() -> None:
    text = put("response_item/message", "content", [{"type": "input_image"}])
    assert faults(text) == [("missing", '{"type":"input_image"}')]
    text = put("response_item/message", "content", [{"type": "input_image", "image_url": None}])
    assert faults(text) == [("wrong-type", "null")]


def test_arrays_that_belong_together() -> None:
    text = put("compacted", "replacement_history_metadata", [{}])
    assert faults(text) == [("wrong-length", '"replacement_history_metadata"')]


def test_empty_call_ids_are_of_no_use() -> None:
    for name in ("response_item/function_call", "response_item/custom_tool_call_output"):
        text = put(name, "call_id", "")
        line = types.read(text)
        (fault,) = shape.extra(line, text, base=3)
        assert (fault.what, text[fault.start - 3 : fault.end - 3]) == ("empty-id", b'"call_id":""')
        assert shape.extra(types.read(put(name, "call_id", "c")), put(name, "call_id", "c")) == ()
    bare = b'{"type":"function_call","name":"shell","arguments":"{}","call_id":""}'
    assert shape.extra(types.read(bare), bare)[0].what == "empty-id"
    broken = put("response_item/function_call", "call_id", "").replace(b'"name":"x"', b'"name":5')
    assert {what for what, _ in faults(broken)} == {"empty-id", "wrong-type"}


def test_messages_repeat_no_content() -> None:
    secret = "my secret words, with spaces"
    for text in (
        put("event_msg/agent_message", "phase", secret),
        put("turn_context", "cwd", secret),
        put("event_msg/token_count", "info", secret),
        put("event_msg/agent_message", "type", secret),
        put("event_msg/patch_apply_end", "changes", {secret: 5}),
        put("session_meta", "source", {"internal": secret}),
    ):
        found = shape.walk(text).faults
        assert found
        assert all("secret" not in fault.message for fault in found)


def test_equal_unknown_parts_of_a_record_are_said_once() -> None:
    text = put("response_item/message", "content", [{"type": "hologram"}, {"type": "smell"}, {"type": "hologram"}])
    first, second = shape.walk(text).faults
    assert (marked(text, first), marked(text, second)) == ('"hologram"', '"smell"')
    other = put("response_item/message", "content", [{"type": "input_text", "text": "x"}, {"type": "hologram"}])
    assert shape.walk(other).faults[0].group == first.group


def test_a_record_of_faults_stays_small() -> None:
    many = {f"k{index}": 5 for index in range(10_000)}
    text = put("event_msg/patch_apply_end", "changes", many)
    assert faults(text) == [("several", '"changes"')]
    scores = {f"k{index}": {"type": "add"} for index in range(3)}
    assert faults(put("event_msg/patch_apply_end", "changes", scores)) == [("several", '"changes"')]
    assert faults(put("event_msg/patch_apply_end", "changes", {"k": 5})) == [("wrong-type", "5")]
    parts = [{"type": f"t{index}"} for index in range(100)]
    found = shape.walk(put("response_item/message", "content", parts)).faults
    assert len(found) == shape.MAX_FAULTS
    assert "68 more faults" in found[-1].message


# ---- each field of each kind ----------------------------------------------------------------------------------------
def _required(kind: catalogue.Kind) -> list[samples.Path]:
    """The keys of the minimal record, but the envelope's payload and what is inside opaque values."""
    record = samples.minimal(kind)
    return [path for path in samples.places(record) if path[-1] not in ("payload", "Ok") and "Ok" not in path]


def _is_any(kind: catalogue.Kind, path: samples.Path) -> bool:
    fields = getattr(kind.body, "fields", {})
    field = fields.get(path[1] if len(path) > 1 else "") or fields.get(path[2] if len(path) > 2 else "")
    return field is not None and field.type == Scalar("any")


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_each_required_field_has_exactly_one_fault(kind: catalogue.Kind) -> None:
    record = samples.minimal(kind)
    for path in _required(kind):
        if _is_any(kind, path):
            continue
        text = encoded(samples.without(record, path))
        (fault,) = shape.walk(text).faults
        assert fault.what == "missing", path
        owner = path[:-1]
        assert marked(text, fault) == (f'"{owner[-1]}"' if owner else text.decode())
        old = record
        for key in path:
            old = old[key]
        for wrong in (None, "wrong" if isinstance(old, (int, float)) else 12.5):
            text = encoded(samples.put(record, path, wrong))
            (fault,) = shape.walk(text).faults
            assert fault.what == "wrong-type", path
            assert marked(text, fault) == json.dumps(wrong)


# ---- agreement ------------------------------------------------------------------------------------------------------
def _mutants(count: int, seed: int) -> Any:
    chance = random.Random(seed)
    legal = [(kind, list(samples.legal(kind))) for kind in KINDS]
    odd = (*samples.MANGLED, 2**70, -(2**70), {"type": "zz"}, {"type": 0}, "message", "function", [[]], {"": None})
    for _ in range(count):
        _, records = chance.choice(legal)
        record = chance.choice(records)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            path = chance.choice(list(samples.places(record)) or [()])
            if not path:
                continue
            how = chance.random()
            if how < 0.25:
                record = samples.without(record, path)
            elif how < 0.35:
                record = samples.put(record, (*path[:-1], "zzz") if isinstance(path[-1], str) else path, 1)
            else:
                record = samples.put(record, path, chance.choice(odd))
        yield record


def _agrees(text: bytes) -> bool:
    found = [fault for fault in shape.walk(text).faults if fault.what != "empty-id"]
    return (types.read(text) is not None) == (not found)


@pytest.mark.parametrize("seed", range(4))
def test_the_walk_agrees_with_the_typed_decode(seed: int) -> None:
    for record in _mutants(MUTANTS // 4, seed):
        text = encoded(record)
        assert _agrees(text), text


def _values(typed: Any) -> Any:
    """A typed or lenient object as plain values."""
    if isinstance(typed, types.View):
        return {key: _values(value) for key, value in typed.view_values().items() if value is not None}
    if isinstance(typed, msgspec.Raw):
        return msgspec.json.decode(typed)
    if isinstance(typed, msgspec.Struct):
        tag = typed.__struct_config__.tag_field
        names = [*typed.__struct_fields__, *([tag] if tag else [])]
        values = {name: getattr(typed, name) for name in names}
        return {name: _values(value) for name, value in values.items() if value not in (None, msgspec.UNSET)}
    if isinstance(typed, list):
        return [_values(element) for element in typed]
    return {key: _values(value) for key, value in typed.items()} if isinstance(typed, dict) else typed


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_lenient_record_reads_like_a_typed_one(kind: catalogue.Kind) -> None:
    for record in samples.legal(kind):
        text = encoded(record)
        typed, loose = types.read(text), lenient(text)
        assert types.kind_of(loose) == types.kind_of(typed)
        assert types.is_bare(loose) == types.is_bare(typed)
        assert _values(loose) == _values(typed)


def test_lenient_keeps_what_is_usable() -> None:
    text = put("response_item/message", "content", [{"type": "input_text", "text": "a"}, 7, {"type": "input_text"}])
    line = lenient(text)
    assert types.kind_of(line) == "response_item/message"
    assert [part.text for part in line.payload.content] == ["a", None]
    line = lenient(put("response_item/function_call", "call_id", 5))
    assert line.payload.call_id is None
    assert line.payload.nonsense is None
    assert line.payload.name == "x"
    line = lenient(b'{"timestamp":"t","type":"later","payload":{"type":"x","deep":{"text":"y"}}}')
    assert types.kind_of(line) is None
    assert not types.is_bare(line)
    assert line.payload.deep.text == "y"
    assert lenient(b'{"timestamp":5,"type":"event_msg","payload":5}').payload is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "payload", "item", "kind", "timestamp", "id", "record_type", "content"]), inner
        )
    ),
    max_leaves=12,
)
TYPES = st.sampled_from(["session_meta", "response_item", "event_msg", "item_completed", "message", "x", "Extension"])


@settings(max_examples=300, deadline=None)
@given(JSON, TYPES, TYPES, JSON)
def test_nothing_raises_on_any_object(value: Any, outer: str, inner: str, deep: Any) -> None:
    for record in (
        value,
        {"type": outer, "payload": value},
        {"timestamp": "t", "type": outer, "payload": {"type": inner, "item": deep, "content": value, "output": deep}},
        {"type": "event_msg", "payload": {"type": "item_completed", "item": {"type": inner, "kind": deep}}},
    ):
        text = encoded(record)
        walked = shape.walk(text)
        assert all(0 <= fault.start <= fault.end <= len(text) for fault in walked.faults)
        assert types.kind_of(lenient(text)) == walked.kind
        if not walked.bare and isinstance(record, dict):
            assert _agrees(text)


@pytest.mark.parametrize("depth", [100, 127, 300, 480, 900, 5000])
@pytest.mark.parametrize("pair", [(b'{"a":', b"}"), (b"[", b"]")])
def test_nothing_raises_on_deep_records(depth: int, pair: tuple[bytes, bytes]) -> None:
    deep = pair[0] * depth + b"1" + pair[1] * depth
    for record in (
        b'{"timestamp":"t","type":"later","payload":{"x":%s}}' % deep,
        b'{"timestamp":"t","type":"world_state","payload":{"full":5,"state":%s}}' % deep,
        b'{"timestamp":"t","type":"response_item","payload":{"type":"tool_search_call","arguments":%s}}' % deep,
    ):
        assert all(fault.end <= len(record) for fault in shape.walk(record).faults)
        assert isinstance(lenient(record), types.View)
        types.read(record)


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff", b"[" * 200_000, b'{"a":' * 5000 + b"1" + b"}" * 5000])
def test_nothing_raises_on_what_is_no_record(text: bytes) -> None:
    assert shape.walk(text).kind is None
    assert types.kind_of(lenient(text)) is None
