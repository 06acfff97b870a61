"""Places of values against a naive reader that goes character by character."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_ls.jsonl.scan import DEEPEST_KEPT
from rollout_ls.jsonl.spans import Path, Span, find, members, path_at, way_to
from test_jsonl_audit import json_texts

LINE = b'{"timestamp":"t","payload":{"type":"m","content":[{"text":"a\\"b"},{"text":"\xc3\xa9"}]},"n":1}'


def naive_spans(text: str) -> tuple[dict[Path, Span], list[tuple[Path, Span]]]:
    """The values of a JSON text with offsets in bytes: by path, where the last of a doubled key counts; and all."""
    decoder = json.JSONDecoder()
    found: dict[Path, Span] = {}
    every: list[tuple[Path, Span]] = []

    def skip(at: int) -> int:
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        return at

    def read(at: int, path: Path, key: tuple[int, int] = (-1, -1)) -> int:
        start = at
        for inner in [inner for inner in found if inner[: len(path)] == path]:
            del found[inner]
        if text[at] == "{":
            at = skip(at + 1)
            while text[at] != "}":
                name, end = decoder.raw_decode(text, at)
                value = skip(skip(end) + 1)
                at = skip(read(value, (*path, name), (at, end)))
                at = skip(at + 1) if text[at] == "," else at
            at += 1
        elif text[at] == "[":
            at = skip(at + 1)
            index = 0
            while text[at] != "]":
                at = skip(read(at, (*path, index)))
                index += 1
                at = skip(at + 1) if text[at] == "," else at
            at += 1
        else:
            _, at = decoder.raw_decode(text, at)
        found[path] = Span(*(-1 if place < 0 else len(text[:place].encode()) for place in (start, at, *key)))
        every.append((path, found[path]))
        return at

    read(skip(0), ())
    return found, every


def test_find_gives_the_value_and_its_key() -> None:
    span = find(LINE, ("payload", "content", 1, "text"), 100)
    assert span is not None
    assert LINE[span.start - 100 : span.end - 100] == '"é"'.encode()
    assert LINE[span.key_start - 100 : span.key_end - 100] == b'"text"'
    assert find(LINE, ()) == Span(0, len(LINE))


@pytest.mark.parametrize(
    "path",
    [("x",), ("payload", 0), ("payload", "content", 2), ("payload", "content", -1), ("n", "a"), ("timestamp", 0)],
)
def test_find_gives_none_where_nothing_stands(path: Path) -> None:
    assert find(LINE, path) is None


def test_of_a_doubled_key_the_last_one_is_found() -> None:
    for line in (b'{"a":1,"b":22,"a":333}', b'{"a":[1,"b"],"b":2,"a":[0,"c"]}', b'{ "a" : 1, "\\u0061" : 2 }'):
        span = find(line, ("a",))
        assert span is not None
        assert span.key_start == max(line.rfind(b'"a"'), line.rfind(b'"\\u0061"'))
        assert orjson.loads(line[span.start : span.end]) == orjson.loads(line)["a"]


def test_members_come_in_their_order_with_doubled_keys() -> None:
    assert members(b'{"a":1, "b":[2],"a":"x"}', 10) == [
        ("a", Span(15, 16, 11, 14)),
        ("b", Span(22, 25, 18, 21)),
        ("a", Span(30, 33, 26, 29)),
    ]
    assert members(b"{ }") == members(b"[1]") == members(b"") == members(b"7") == []


@pytest.mark.parametrize("comma", [b",", b", ", b" ,\t", b",\n  "])
@pytest.mark.parametrize("colon", [b":", b": "])
def test_each_of_many_doubled_keys_has_its_place(comma: bytes, colon: bytes) -> None:
    """Keys that look like values, escaped keys, halves of pairs, bad UTF-8, brackets and commas inside strings."""
    values = [b'"a"', b"[1,{}]", b'{"a":"}"}', b'"\\ud83d"', b'"\xff,:{"', b'"\\\\\\""', b"-1.5e3", b"{}", b"[ ]"]
    keys = [b'"a"', b'"b"', b'"\\u0061"', b'"\xc3\xa9"', b'"c d"', b'"a"']
    pairs = [(key, value) for value in values for key in keys]
    line = b"{" + comma.join(key + colon + value for key, value in pairs) + b"}"
    found = members(line)
    assert [(line[one.key_start : one.key_end], line[one.start : one.end]) for _, one in found] == pairs
    assert [key for key, _ in found[:6]] == ["a", "b", "a", "é", "c d", "a"]
    for key in ("a", "b", "é", "c d"):
        assert find(line, (key,)) == [one for name, one in found if name == key][-1]
    assert find(line, ("}",)) is None
    for key, one in found:
        assert path_at(line, one.key_start) == ((key,), one, True)
        assert path_at(line, one.key_end)[1] == one
        assert path_at(line, one.end)[0] == ()


def test_an_object_of_very_many_keys_has_the_places_of_a_small_one() -> None:
    pairs = [(f"k{number}", json.dumps([number, "é" * (number % 7)])) for number in range(1_500)]
    line = ("{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}").encode()
    found = members(line)
    assert [(key, line[one.start : one.end].decode()) for key, one in found] == [
        (key, json.dumps(json.loads(value))) for key, value in pairs
    ]
    for key, one in found[::131]:
        assert find(line, (key,)) == one
        assert path_at(line, one.start + 1)[0] == (key, 0)
        assert path_at(line, one.key_start) == ((key,), one, True)


def test_path_at_tells_key_from_value() -> None:
    at = LINE.index(b'"text":"\xc3')
    assert path_at(LINE, at) == (("payload", "content", 1, "text"), Span(at + 7, at + 11, at, at + 6), True)
    assert path_at(LINE, at + 6)[0::2] == (("payload", "content", 1, "text"), False)
    assert path_at(LINE, at + 8)[0::2] == (("payload", "content", 1, "text"), False)
    assert path_at(LINE, at - 1)[0::2] == (("payload", "content", 1), False)
    assert path_at(LINE, at - 2)[0::2] == (("payload", "content"), False)
    assert path_at(LINE, 0) == ((), Span(0, len(LINE)), False)
    assert path_at(LINE, 10_000) == path_at(LINE, -1) == ((), Span(0, len(LINE)), False)


@pytest.mark.parametrize("levels", [63, 64, 65, 200, 255])
def test_depth_costs_no_recursion(levels: int) -> None:
    line = b'{"a":[7,' * levels + b'{"key": "x", "y":[1,22]}' + b"]}" * levels
    path: Path = ("a", 1) * levels
    at = line.index(b'"key"')
    assert path_at(line, at + 2) == ((*path, "key"), Span(at + 7, at + 10, at, at + 5), True)
    assert path_at(line, at + 8)[0::2] == ((*path, "key"), False)
    assert path_at(line, line.index(b"22") + 1)[0] == (*path, "y", 1)
    start, end = at - 1, line.index(b"}") + 1
    assert path_at(line, start) == (path, Span(start, end), False)
    assert path_at(line, at + 10) == (path, Span(start, end), False)
    if levels <= 200:
        assert find(line, (*path, "y", 1)) == Span(line.index(b"22"), line.index(b"22") + 2)


@pytest.mark.parametrize("levels", [512, 1500, 20_000])
def test_levels_that_no_decoder_takes_are_one_value(levels: int) -> None:
    line = b'{"a":[7,' * levels + b'{"key": "x", "y":[1,22]}' + b"]}" * levels
    path, way, on_key = way_to(line, line.index(b'"key"') + 2)
    assert (path, on_key) == (("a", 1) * (DEEPEST_KEPT // 2), False)
    assert line[way[-1].start :].startswith(b'{"a":[7,') and line[: way[-1].end].endswith(b"]}")
    assert line[way[2].start : way[2].end] == line[8:-2]
    assert find(line, ("a", 0)) == Span(6, 7)


@pytest.mark.parametrize("torn", [b"", b"]}]}", b'"', b",}"])
def test_each_level_has_its_place_also_where_text_is_broken(torn: bytes) -> None:
    line = b'{"a":[7,' * 40 + b'{"key": "x"}' + b"]}" * 40
    torn_line = line[:-4] + torn
    _, way, _ = way_to(line, line.index(b'"x"') + 1)
    path, torn_way, _ = way_to(torn_line, line.index(b'"x"') + 1)
    assert path == ("a", 1) * 40 + ("key",)
    assert torn_way[5:] == way[5:]
    assert torn_way[0] == Span(0, len(torn_line))


def test_half_surrogates_and_broken_utf8_do_not_hide_places() -> None:
    line = b'{"a":"\\ud83d","b\xff":[1,"\xff"],"c":3}'
    assert find(line, ("c",)) == Span(len(line) - 2, len(line) - 1, len(line) - 6, len(line) - 3)
    assert [key for key, _ in members(line)] == ["a", "b�", "c"]
    assert path_at(line, line.index(b"1,"))[0] == ("b�", 0)


@settings(max_examples=500, deadline=None)
@given(json_texts())
def test_every_place_is_that_of_a_naive_reader(text: str) -> None:
    line = text.encode()
    expected, _ = naive_spans(text)
    for path, span in expected.items():
        assert find(line, path) == span
    whole = expected[()]
    assert find(line, (), 7) == Span(whole.start + 7, whole.end + 7)


@settings(max_examples=300, deadline=None)
@given(json_texts(), st.booleans())
def test_path_at_leads_back_to_the_place(text: str, compact: bool) -> None:
    line = orjson.dumps(orjson.loads(text)) if compact else text.encode()
    _, every = naive_spans(line.decode())
    whole = every[-1][1]
    for offset in range(len(line)):
        holding = [
            (path, span)
            for path, span in every
            if (span.start if span.key_start < 0 else span.key_start) <= offset < span.end
        ]
        path, span = max(holding, key=lambda place: len(place[0]), default=((), whole))
        assert path_at(line, offset) == (path, span, span.key_start <= offset < span.key_end)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([b"{", b"[", b'"', b"]", b"}", b",", b":", b"\\", b"1", b" ", b'"a"', b"\xff"])).map(
        b"".join
    )
)
def test_any_bytes(line: bytes) -> None:
    find(line, ("a", 0, "b"))
    find(line, (0, "a"))
    members(line)
    for offset in range(-1, len(line) + 1):
        path_at(line, offset)
