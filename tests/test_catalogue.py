"""The catalogue's data is whole, and the typed decode made of it reads every kind as documented."""

from __future__ import annotations

import re

import msgspec
import pytest

import codex_samples
from rollout_ls.formats.codex import catalogue, types
from rollout_ls.formats.codex.catalogue import CHECKED_FORMATS, Field, Keyed, List, Map, Obj, OneOf, Scalar, Tagged

KINDS = codex_samples.kinds()
NAMES = [kind.name for kind in KINDS]


def encoded(record: object) -> bytes:
    return msgspec.json.encode(record)


def test_names_the_kinds_of_every_era() -> None:
    known = catalogue.load().kinds
    for name in (
        "session_meta",
        "turn_context",
        "compacted",
        "response_item/message/user",
        "response_item/compaction",
        "event_msg/token_count",
        "event_msg/item_completed/CommandExecution",
        "event_msg/item_completed/Extension/clock.sleep",
        "event_msg/exec_command_begin",
        "realtime_item/transcript_segment",
        "legacy/bare_session_meta",
        "part/tool_output/input_text",
    ):
        assert name in known
    assert known["event_msg/exec_command_begin"].stored == "never"
    assert known["event_msg/undo_completed"].refused
    assert known["response_item/compaction"].aliases == ("compaction_summary",)


def test_dates_are_dates() -> None:
    for kind in catalogue.load().kinds.values():
        for date in (kind.since, kind.until):
            assert date is None or re.fullmatch(r"20\d\d-\d\d(-\d\d)?", date), kind.name


def test_formats_are_checked_or_words_for_people() -> None:
    for_people = {"rfc3339", "json", "base64", "data-url", "unix-seconds", "unix-ms", "call-id", "prefixed-id"}
    found: set[str] = set()
    seen: set[int] = set()

    def look(node: object) -> None:
        if id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node, Scalar) and node.format:
            found.add(node.format)
        inner = [node.of] if isinstance(node, (List, Map)) else list(getattr(node, "options", ()))
        for name in ("fields", "variants", "refused", "keys"):
            values = getattr(node, name, None)
            inner += values.values() if isinstance(values, dict) else ()
        if isinstance(node, Field):
            inner.append(node.type)
        for one in inner:
            look(one)

    look(catalogue.load().line)
    assert found <= for_people | set(CHECKED_FORMATS)
    assert {"uuid", "abs-path", "call-id"} <= found


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_every_legal_record_decodes_as_its_kind(kind: catalogue.Kind) -> None:
    for record in codex_samples.legal(kind):
        line = types.read(encoded(record))
        assert line is not None
        assert (types.kind_of(line) or "").startswith(kind.name)
        assert not types.is_bare(line)


def test_roles_split_messages() -> None:
    kind = next(kind for kind in KINDS if kind.name == "response_item/message")
    for role, name in (("user", "/user"), ("assistant", "/assistant"), ("developer", "/developer"), ("tool", "")):
        record = codex_samples.put(codex_samples.minimal(kind), ("payload", "role"), role)
        line = types.read(encoded(record))
        assert types.kind_of(line) == types.kind_of(line.payload) == f"response_item/message{name}"


def test_aliases_are_the_same_kind() -> None:
    for alias, word in (("turn_started", "task_started"), ("turn_complete", "task_complete")):
        kind = next(kind for kind in KINDS if kind.name == f"event_msg/{word}")
        line = types.read(encoded(codex_samples.put(codex_samples.minimal(kind), ("payload", "type"), alias)))
        assert types.kind_of(line) == kind.name
        assert line.payload.type == alias


@pytest.mark.parametrize("name", [k.name for k in catalogue.load().kinds.values() if k.stored == "never" or k.refused])
def test_what_no_reader_takes_does_not_decode(name: str) -> None:
    kind = catalogue.load().kinds[name]
    if kind.outer is None:
        return
    body = codex_samples.value_of(kind.body) if kind.body else {}
    assert types.read(encoded(codex_samples.envelope(kind, body))) is None


def test_attributes_bear_the_keys_names() -> None:
    line = types.read(
        b'{"timestamp":"t","ordinal":7,"type":"response_item","payload":{"type":"function_call","name":"shell",'
        b'"arguments":"{}","call_id":"c"},"metadata":{"client_authored":true}}'
    )
    assert (line.timestamp, line.ordinal, line.type) == ("t", 7, "response_item")
    assert (line.payload.type, line.payload.name, line.payload.call_id) == ("function_call", "shell", "c")
    assert line.payload.namespace is None
    assert line.metadata.client_authored is True


def test_long_texts_stay_undecoded() -> None:
    text = b'{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","output":%s}}'
    line = types.read(text % rb'"a\nb \u00e9"')
    assert types.text_of(line.payload.output) == "a\nb é"
    line = types.read(text % b'[{"type":"input_text","text":"x"},{"type":"input_image","file_id":"f"}]')
    assert [types.kind_of(part) for part in line.payload.output] == [
        "part/tool_output/input_text",
        "part/tool_output/input_image",
    ]
    assert types.text_of(line.payload.output[0].text) == "x"
    assert types.read(text % b"5") is None
    assert types.text_of(None) is None


def test_two_spellings_are_one_field() -> None:
    base = (
        '{"timestamp":"t","type":"session_meta","payload":{"id":"%s","timestamp":"t","cwd":"/w","originator":"o",'
        '"cli_version":"0.1"%s}}'
    )
    line = types.read((base % (codex_samples.UUID, ',"agent_type":"r"')).encode())
    assert line.payload.agent_role == "r"
    assert types.read((base % (codex_samples.UUID, ',"agent_type":"r","agent_role":null')).encode()) is None


def test_bare_lines_are_their_payload() -> None:
    header = types.read(b'{"id":"0199b000-0000-7000-8000-000000000001","timestamp":"t","instructions":null}')
    assert types.kind_of(header) == "legacy/bare_session_meta"
    assert header.instructions is None
    assert types.kind_of(types.read(b'{"record_type":"state"}')) == "legacy/bare_state"
    item = types.read(b'{"type":"message","role":"user","content":[]}')
    assert types.kind_of(item) == "response_item/message/user"
    assert types.is_bare(item)


def test_layouts_told_by_no_key() -> None:
    kind = next(kind for kind in KINDS if kind.name == "turn_context")
    record = codex_samples.minimal(kind)

    def profile(value: object) -> object:
        changed = {**record["payload"], "permission_profile": value}
        line = types.read(encoded(codex_samples.put(record, ("payload",), changed)))
        return None if line is None else line.payload.permission_profile

    assert profile({"type": "disabled"}).type == "disabled"  # type: ignore[attr-defined]
    assert profile({"network": {"enabled": True}}).network.enabled is True  # type: ignore[attr-defined]
    assert profile({"type": "managed"}) is None
    assert profile({"network": None, "surprise": 1}) is None


def test_words_that_the_reader_leaves_open() -> None:
    kind = next(kind for kind in KINDS if kind.name == "response_item/web_search_call")
    record = codex_samples.minimal(kind)
    record["payload"]["action"] = {"type": "levitate", "query": 5}
    assert types.read(encoded(record)).payload.action.type == "levitate"
    record["payload"]["action"] = {"type": "search", "query": 5}
    assert types.read(encoded(record)) is None


def test_shapes_of_every_sort_are_there() -> None:
    shapes = catalogue.load().shapes
    assert isinstance(shapes["message_part"], Tagged)
    assert isinstance(shapes["session_source"], Keyed)
    assert isinstance(shapes["duration"], Obj)
    output = catalogue.load().kinds["response_item/function_call_output"].body
    assert isinstance(output, Obj)
    assert isinstance(output.fields["output"].type, OneOf)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b'{"type":5}', b"{}", b'{"type":"x"}', b"\xff", b"[" * 100_000, b'{"type":"message",['],
)
def test_reading_never_fails(text: bytes) -> None:
    assert types.read(text) is None
