"""What the catalogue does not know is found, at its place, and told without a single value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codex_samples
from rollout_ls.cli.app import main
from rollout_ls.formats.codex.drift import MAX_STRANGERS, strangers_in
from rollout_ls.formats.drift import NOT_SHOWN, Drift, Unfamiliar
from rollout_ls.formats.skeleton import MAX_KEYS, SOME_KEY, Skeleton, is_name, is_word

SESSIONS = Path(__file__).resolve().parent.parent / "fixtures" / "sessions"
KINDS = codex_samples.kinds()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def outline(*values: Any) -> Any:
    skeleton = Skeleton()
    for value in values:
        skeleton.add(value)
    return skeleton.plain()


def event(**payload: Any) -> bytes:
    return msgspec.json.encode({"timestamp": "2026-03-02T10:00:00.000Z", "type": "event_msg", "payload": payload})


def found(*records: bytes) -> list[tuple[str, str, str, str]]:
    drift = Drift()
    drift.begin_file("0.131.0")
    for record in records:
        drift.add(strangers_in(record))
    return [(one.what, one.kind, one.place, one.name) for one in drift.found()]


# -- outlines
def test_outlines_are_keys_and_types() -> None:
    assert outline({"a": 1, "b": [True, None], "c": {"d": 0.5}}) == {
        "a": "integer",
        "b": ["boolean | null"],
        "c": {"d": "number"},
    }
    assert outline([]) == []
    assert outline("secret words") == "string"


def test_outlines_are_merged() -> None:
    assert outline({"a": 1}, {"a": "x", "b": None}) == {"a": "integer | string", "b?": "null"}
    assert outline({"a": 1}, "x") == {"one of": ["string", {"a": "integer"}]}
    assert outline([{"a": 1}, {"b": 2}]) == [{"a?": "integer", "b?": "integer"}]


def test_keys_that_are_data_are_not_shown() -> None:
    assert outline({"src/main.py": {"added": 1}, "Makefile": {"added": 2}}) == {SOME_KEY: {"added": "integer"}}
    assert outline({f"key_{number}": 1 for number in range(MAX_KEYS + 1)}) == {SOME_KEY: "integer"}
    for key in ("0199a5e3-0a40-7df9-87bd-9a1e81b48dd9", "ana@example.org", "two words", "", "user_20260302", "é"):
        assert not is_name(key)
    for key in ("turn_id", "durationMs", "$ref", "x-token-kind"):
        assert is_name(key)


def test_words_that_are_data_are_not_shown() -> None:
    for word in ("/home/ana", "Hello there", "call_1234567890", "deadbeef01", "sk-" + "a1" * 12, "ana@example.org"):
        assert not is_word(word)
    for word in ("in_progress", "thread.started", "on-request", "FileChange", "gpt-5.5"):
        assert is_word(word)


def test_deep_and_wide_values_are_cut() -> None:
    deep: Any = 1
    for _ in range(500):
        deep = {"a": [deep]}
    assert len(json.dumps(outline(deep))) < 300
    assert len(json.dumps(outline(*({f"k{chr(97 + a)}{chr(97 + b)}": 1} for a in range(26) for b in range(26))))) < 3000


# -- strangers
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_legal_records_hold_nothing_unknown(kind: Any) -> None:
    for record in codex_samples.legal(kind):
        assert strangers_in(msgspec.json.encode(record)) == ()


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_an_added_field_is_found_in_every_object(kind: Any) -> None:
    record = codex_samples.minimal(kind)
    added = {**record, "new_field": "private words"}
    assert ("field", "", "new_field") in [(one.what, one.place, one.name) for one in strangers_in(_encode(added))]
    if isinstance(record.get("payload"), dict):
        added = {**record, "payload": {**record["payload"], "new_field": 1}}
        (one,) = strangers_in(_encode(added))
        assert (one.what, one.place, one.name, one.keys) == ("field", "payload", "new_field", ("payload", "new_field"))


def _encode(record: Any) -> bytes:
    return msgspec.json.encode(record)


def test_unknown_kinds_of_every_level() -> None:
    item = {"type": "item_completed", "thread_id": "t", "turn_id": "u", "item": {"type": "Dance", "id": "1"}}
    assert found(_encode({"timestamp": "", "type": "weather", "payload": {}})) == [("kind", "", "type", "weather")]
    assert found(event(type="weather_changed", wind="n")) == [("kind", "event_msg", "payload.type", "weather_changed")]
    ((what, _, place, name),) = found(event(**item))
    assert (what, place, name) == ("kind", "payload.item.type", "Dance")


def test_unknown_parts_and_words() -> None:
    message = {"type": "message", "role": "user", "content": [{"type": "smell", "scent": "pine"}], "phase": "lunch"}
    record = {"timestamp": "", "type": "response_item", "payload": message}
    assert found(_encode(record)) == [
        ("part", "response_item/message/user", "payload.content[].type", "smell"),
        ("word", "response_item/message/user", "payload.phase", "lunch"),
    ]


def test_known_but_unstored_kinds_are_no_news() -> None:
    assert found(event(type="exec_command_begin", whatever=1)) == []


def test_counts_files_and_versions() -> None:
    drift = Drift()
    for version, times in (("0.131.0", 2), ("0.139.0", 1), ("a private\nversion", 1)):
        drift.begin_file(version)
        for number in range(times):
            drift.add(strangers_in(event(type="weather_changed", **({"wind": "n"} if number else {}))))
    (one,) = drift.found()
    assert one == Unfamiliar(
        "kind",
        "event_msg",
        "payload.type",
        "weather_changed",
        count=4,
        files=3,
        versions={"0.131.0": 2, "0.139.0": 1, "unknown": 1},
        shape={"wind?": "string"},
    )


ODD = [b"", b"null", b"[1]", b"{", b"{}", b"\xff", b'{"type":1}', b'{"type":null,"payload":[]}']


@pytest.mark.parametrize("text", ODD)
def test_odd_input_never_fails(text: bytes) -> None:
    strangers_in(text)


def test_depth_never_fails() -> None:
    for key in ("content", "payload", "replacement_history", "item", "action"):
        for depth in (100, 400, 3000):
            deep = f'{{"type":"compacted","{key}":[' * depth + "]}" * depth
            strangers_in(b'{"timestamp":"","type":"response_item","payload":' + deep.encode() + b"}")
            strangers_in(b'{"timestamp":"","type":"compacted","payload":' + deep.encode() + b"}")


def test_a_record_of_thousands_of_keys_is_cut_short() -> None:
    many = {f"k{number}": number for number in range(5000)}
    assert len(strangers_in(event(type="agent_message", message="", **many))) == MAX_STRANGERS


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(KINDS), JSON, st.data())
def test_no_value_is_ever_told(kind: Any, value: Any, data: st.DataObject) -> None:
    """A mark that no key and no word of the catalogue has, put anywhere, does not come out."""
    mark = "Zürich, Bahnhofstraße 1"
    record = codex_samples.maximal(kind)
    places = [path for path in codex_samples.places(record) if path]
    path = data.draw(st.sampled_from(places))
    planted = data.draw(st.sampled_from([mark, {mark: value}, [mark, value], {"some": mark, "other": {mark: mark}}]))
    drift = Drift()
    drift.begin_file(mark)
    drift.add(strangers_in(_encode(codex_samples.put(record, path, planted))))
    drift.add(strangers_in(_encode({**record, "extra": planted, mark: value})))
    told = msgspec.json.encode(drift.found()).decode()
    assert mark not in told and "Bahnhof" not in told
    assert NOT_SHOWN in told


# -- the command
@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs a command line in this process: (exit status, stdout, stderr)."""

    def ask(*words: str) -> tuple[int, str, str]:
        status = main(words)
        out, err = capfd.readouterr()
        return status, out, err

    return ask


def test_drift_of_the_fixtures(said: Any) -> None:
    status, out, err = said("drift", "--output-format", "json", str(SESSIONS))
    report = json.loads(out)
    assert (status, err) == (0, "")
    assert report["files"] == len(list(SESSIONS.glob("rollout-*")))
    names = {one["name"] for one in report["unknown"]}
    assert {"weather_changed", "telepathy_call", "sky_state", "workspace_checkpoint", "output_smell"} <= names
    assert str(SESSIONS) not in out and "rollout-20" not in out
    text = said("drift", str(SESSIONS))[1]
    assert "  event_msg: payload.type = weather_changed  once in 1 file  (0.131.0: 1)\n" in text
    assert '        "wind": "string",\n' in text


def test_drift_leaves_other_formats_out(said: Any, tmp_path: Path) -> None:
    (tmp_path / "rollout-x.jsonl").write_bytes(b'{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n')
    status, out, _ = said("drift", str(tmp_path))
    assert status == 0 and out.startswith("Nothing unknown in 1 file; 1 left out, which is no rollout")


def test_drift_goes_on_behind_what_it_cannot_read(said: Any, tmp_path: Path) -> None:
    status, out, err = said("drift", str(tmp_path / "none.jsonl"), str(SESSIONS))
    assert status == 2 and "weather_changed" in out and err.count("\n") == 1
