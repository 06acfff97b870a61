"""What a record that decodes may hold nevertheless: doubled keys, depth, long integers, broken UTF-8."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_ls.jsonl.audit import MAX_FAULTS
from rollout_ls.jsonl.examine import Fault, idle_faults

HEAD = b'{"timestamp":"2026-02-03T10:00:05.000Z","type":"event_msg","payload":'


def record(payload: bytes) -> bytes:
    return HEAD + payload + b"}"


def deep(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" ",
        b"null",
        record(b'{"type":"a","text":"{\\"a\\":1,\\"a\\":2}"}'),
        record(b'{"a" : 1.50 , "b":"\\u00e9", "c":{"a":1}}'),
        record(b'{"type":"a","text":"12345678901234567890123"}'),
        record(b'{"a":18446744073709551615,"b":-9223372036854775808,"c":1e300}'),
        record(deep(126)),
    ],
)
def test_a_healthy_record_gives_nothing(line: bytes) -> None:
    assert idle_faults(line) == ()


# -- doubled keys


def test_a_doubled_key_is_blamed_at_its_second_place() -> None:
    line = record(b'{"type":"a","output":"x","type":"b"}')
    at = line.rindex(b'"type"')
    assert idle_faults(line) == (Fault("duplicate-key", at, at + 6, "payload.type"),)


def test_two_spellings_of_one_key_are_one_key() -> None:
    line = b'{"a":1,"\\u0061":2}'
    assert idle_faults(line) == (Fault("duplicate-key", 7, 15, "a"),)


def test_a_doubled_key_is_found_however_the_line_is_written() -> None:
    for line in (
        b'{"a" :1,"a":2}',
        b'{"a": 1, "a": 2}',
        b'{"\\u0022:":"\\u0022:","a":1,"a":2}',
        b'{"a":{"b":1},"a":{}}',
    ):
        assert [fault.what for fault in idle_faults(line)] == ["duplicate-key"]


def test_keys_of_different_objects_are_not_doubled() -> None:
    assert idle_faults(b'[{"a": 1}, {"a": 1, "b": {"a": 1}}]') == ()


def test_many_doubled_keys_are_counted_in_the_last() -> None:
    faults = idle_faults(b"{" + b'"a":1,' * 1000 + b'"b":1}')
    assert len(faults) == MAX_FAULTS
    assert sum(fault.count for fault in faults) == 999


# -- depth


@pytest.mark.parametrize("levels", [126, 127, 200, 900, 3000])
def test_the_128th_container_is_one_too_many(levels: int) -> None:
    # The record and its payload's object are two levels themselves.
    line = record(b'{"type":"a","x":' + deep(levels) + b',"y":1}')
    faults = idle_faults(line)
    at = line.index(b'"x"')
    assert faults == (Fault("too-deep", at, at + 3, "payload.x", f"{levels + 2} levels"),)
    assert idle_faults(record(b'{"type":"a","x":' + deep(125) + b"}")) == ()


def test_depth_outside_a_payload_is_blamed_on_the_key_of_the_record() -> None:
    line = b'{"type":"a","more":' + deep(127) + b"}"
    at = line.index(b'"more"')
    assert idle_faults(line) == (Fault("too-deep", at, at + 6, "more", "128 levels"),)
    line = record(deep(127))
    at = line.index(b'"payload"')
    assert idle_faults(line) == (Fault("too-deep", at, at + 9, "payload", "128 levels"),)


def test_depth_without_any_key() -> None:
    assert idle_faults(deep(128)) == (Fault("too-deep", 0, 1, "", "128 levels"),)


def test_each_member_that_nests_too_deep_is_blamed_once() -> None:
    line = record(b'{"x":[' + deep(126) + b"," + deep(130) + b'],"y":' + deep(126) + b"}")
    assert [(fault.path, fault.detail) for fault in idle_faults(line)] == [
        ("payload.x", "133 levels"),
        ("payload.y", "128 levels"),
    ]


# -- integers


@pytest.mark.parametrize(
    ("number", "size"),
    [
        (2**64 - 1, ""),
        (2**64, "65-128"),
        (-(2**63), ""),
        (-(2**63) - 1, "65-128"),
        (2**128 - 1, "65-128"),
        (2**128, "over-128"),
        (-(2**127), "65-128"),
        (-(2**127) - 1, "over-128"),
        (10**100, "over-128"),
    ],
)
def test_integers_by_the_bits_they_need(number: int, size: str) -> None:
    token = str(number).encode()
    line = record(b'{"n":[0,' + token + b"]}")
    at = line.index(token)
    expected = (Fault("int-too-big", at, at + len(token), "payload.n[1]", size),) if size else ()
    assert idle_faults(line) == expected


def test_a_long_integer_is_blamed_at_its_key() -> None:
    for digits in (250, 4000):
        line = record(b'{"n":[0,' + b"9" * digits + b"]}")
        at = line.index(b'"n"')
        assert idle_faults(line) == (Fault("int-too-big", at, at + 3, "payload.n[1]", "over-128"),)


def test_floats_are_no_integers() -> None:
    assert idle_faults(record(b'{"n":123456789012345678901234567890.0,"m":1E+30}')) == ()


def test_a_float_out_of_range_is_taken_where_nobody_types_it() -> None:
    assert idle_faults(record(b'{"n":1e999}')) == ()


def test_a_key_without_end_has_a_path() -> None:
    assert [fault.path for fault in idle_faults(b'{"","')] == [""]


# -- UTF-8


def test_bad_utf8_in_a_value_that_the_typed_decode_skips() -> None:
    line = record(b'{"text":"a\xe6\x87b","text":"\xff"}')
    at = line.index(b"\xe6")
    second = line.rindex(b'"text"')
    assert idle_faults(line) == (
        Fault("bad-utf8", at, at + 2, "payload.text", "incomplete character e6 87", 2),
        Fault("duplicate-key", second, second + 6, "payload.text"),
    )


# -- against a naive reader


def naive(line: bytes) -> dict[str, int]:
    """How often each sort of fault stands in a valid line, by the standard library's reader."""
    found = {"duplicate-key": 0, "int-too-big": 0}

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found["duplicate-key"] += len(members) - len({key for key, _ in members})
        return dict(members)

    def integer(digits: str) -> int:
        value = int(digits)
        found["int-too-big"] += not -(2**63) <= value < 2**64
        return value

    json.loads(line, object_pairs_hook=pairs, parse_int=integer)
    return found


SPACE = st.sampled_from(["", "", "", " ", "\t", "\r", "  "])
KEY = st.sampled_from(
    ['"a"', '"b"', '"\\u0061"', '"é"', '"\\u00e9"', '"\\""', '"\\u0022"', '":"', '"\\\\"', '"payload"']
)
SCALAR = st.sampled_from(
    ["1", "-0", "1.0", "1e5", "18446744073709551616", "-" + "9" * 30, "true", "null", '"a:\\":1,"', '"[{"']
)


@st.composite
def json_texts(draw: st.DrawFn, levels: int = 4) -> str:
    def spaced(token: str) -> str:
        return draw(SPACE) + token + draw(SPACE)

    sort = draw(st.sampled_from("sssoooa" if levels else "s"))
    if sort == "s":
        return spaced(draw(SCALAR))
    size = draw(st.integers(0, 4))
    if sort == "a":
        return spaced("[" + (",".join(draw(json_texts(levels - 1)) for _ in range(size)) or draw(SPACE)) + "]")
    members = (spaced(draw(KEY)) + ":" + draw(json_texts(levels - 1)) for _ in range(size))
    return spaced("{" + (",".join(members) or draw(SPACE)) + "}")


@settings(max_examples=600, deadline=None)
@given(json_texts())
def test_the_same_faults_as_a_naive_reader(text: str) -> None:
    line = text.encode()
    orjson.loads(line)
    faults = idle_faults(line)
    count = {
        what: sum(fault.count for fault in faults if fault.what == what) for what in ("duplicate-key", "int-too-big")
    }
    assert count == naive(line)
    assert {fault.what for fault in faults} <= set(count)


PIECES = [b"{", b"[", b'"', b"]", b"}", b",", b":", b"\\", b"1" * 30, b"\xff"]


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=40) | st.lists(st.sampled_from(PIECES)).map(b"".join))
def test_any_bytes(line: bytes) -> None:
    for fault in idle_faults(line):
        assert 0 <= fault.start <= fault.end <= len(line)
