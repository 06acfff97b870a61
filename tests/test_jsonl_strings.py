"""JSON inside strings: offsets through escapes, and arguments that are no JSON."""

from __future__ import annotations

import json
from itertools import pairwise

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_ls.jsonl.strings import InnerFault, decoded_to_raw, inner_json_fault, raw_to_decoded

# Each piece of a token with what it stands for.
PIECES = [
    ("a", "a"), ("é", "é"), ("日", "日"), ("😀", "😀"), ("\\n", "\n"), ("\\\\", "\\"), ('\\"', '"'), ("\\/", "/"),
    ("\\u0041", "A"), ("\\u00e9", "é"), ("\\u65E5", "日"), ("\\ud83d\\ude00", "😀"), ("u0041", "u0041"),
    ("\\ud83d", "\ufffd"), ("\\ude00", "\ufffd"),
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_offsets_lead_there_and_back(pieces: list[tuple[str, str]]) -> None:
    halves = [raw for raw, _ in pieces]
    if ("\\ud83d", "\\ude00") in pairwise(halves):
        return  # two halves that make a whole
    token = ('"' + "".join(raw for raw, _ in pieces) + '"').encode()
    raw, decoded = 1, 0
    for written, meant in pieces:
        raw_size, size = len(written.encode()), len(meant.encode())
        is_escape = written.startswith("\\")
        for step in range(size):
            assert decoded_to_raw(token, decoded + step) == (raw if is_escape else raw + step)
        for step in range(raw_size):
            assert raw_to_decoded(token, raw + step) == (decoded if is_escape else decoded + step)
        raw += raw_size
        decoded += size
    assert decoded_to_raw(token, decoded) == decoded_to_raw(token, decoded + 9) == len(token) - 1
    assert raw_to_decoded(token, 0) == 0
    assert raw_to_decoded(token, len(token) - 1) == raw_to_decoded(token, len(token) + 9) == decoded


@settings(deadline=None)
@given(st.binary(max_size=20), st.integers(-3, 25))
def test_offsets_never_fail(text: bytes, offset: int) -> None:
    decoded_to_raw(text, offset)
    raw_to_decoded(text, offset)


@pytest.mark.parametrize(
    ("inner", "offset", "what"),
    [
        ("{", 1, "unexpected end after 1 character"),
        ('{"cmd":', 7, "unexpected end after 7 characters"),
        ('{"cmd":"é', 9, "unexpected end after 9 characters"),
        ('{"cmd":"echo \\"hi\\""}{}', 21, "a complete object followed by 2 extra characters at inner offset 21"),
        ('{"é":1} x', 8, "a complete object followed by 1 extra character at inner offset 8"),
        ("[1] [2]", 4, "a complete value followed by 3 extra characters at inner offset 4"),
        ('{"cmd":"echo "hi"}', 13, "breaks at offset 13"),
        ('{"é":NaN}', 5, "breaks at offset 5"),
        ('{"a":"x\ny"}', 7, "breaks at offset 7"),
        ('{"a":1e999}', 5, "breaks at offset 5"),
        ("ls -la", 0, "breaks at offset 0"),
        ("", 0, "empty"),
        (" \n", 0, "empty"),
        ('{"a":"\\ud83d"}', 6, "half a surrogate pair at offset 6"),
    ],
)
def test_what_keeps_arguments_from_being_json(inner: str, offset: int, what: str) -> None:
    assert inner_json_fault(inner) == InnerFault(offset, what)


@pytest.mark.parametrize("inner", ["{}", ' {"a": [1]} ', "5", "null", '"x"', "[" * 1500 + "]" * 1500, '{"a":"\ud83d"}'])
def test_one_json_value_is_no_fault(inner: str) -> None:
    assert inner_json_fault(inner) is None


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from(["{", "}", '"', ":", ",", "\\", "[", "]", "1", "a", '"é"', "\n", "\0", "😀", "\ud83d"])
    ).map("".join)
)
def test_any_arguments(inner: str) -> None:
    fault = inner_json_fault(inner)
    try:
        orjson.loads(inner)
    except orjson.JSONDecodeError:
        assert fault is not None or "\ud83d" in inner
    else:
        assert fault is None
    if fault is not None:
        assert 0 <= fault.offset <= len(inner)
        assert not fault.what.isspace()


def test_the_prefix_of_good_arguments_is_an_unexpected_end() -> None:
    inner = json.dumps({"command": ["bash", "-lc", 'echo "é"'], "n": 1.5}, ensure_ascii=False)
    for end in range(1, len(inner)):
        fault = inner_json_fault(inner[:end])
        assert fault is not None
        assert fault.what.startswith("unexpected end")
