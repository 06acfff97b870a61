"""Examining a line that is no record as it stands: what is recovered, and what is blamed, byte for byte."""

from __future__ import annotations

import json
import time

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_ls.jsonl import examine as module
from rollout_ls.jsonl.examine import Examined, Fault, Value, eager_faults, examine

STAMP = b'{"timestamp":"2026-02-03T10:00:05.000Z",'
RECORD = STAMP + b'"type":"event_msg","payload":{"type":"agent_message","message":"ok"}}'
CALL = STAMP + b'"type":"response_item","payload":{"type":"function_call","call_id":"call_a"}}'
TORN = STAMP + b'"type":"response_item","payload":{"type":"message","content":[{"type":"output_text","text":"I will now'
BARE = b'{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}'


def with_message(token: bytes) -> bytes:
    return RECORD.replace(b'"ok"', token)


def faults(line: bytes) -> list[tuple[object, ...]]:
    return [(f.what, f.start, f.end, f.path, f.detail, f.count) for f in examine(line).faults]


def whats(line: bytes) -> list[str]:
    return [fault.what for fault in examine(line).faults]


def texts(line: bytes) -> list[bytes]:
    return [value.text for value in examine(line).values]


def places(line: bytes) -> list[tuple[int, int, bool]]:
    return [(value.start, value.end, value.recovered) for value in examine(line).values]


# -- whole lines


@pytest.mark.parametrize("blank", [b"", b" ", b"\t \r", b"\r"])
def test_a_blank_line_holds_nothing(blank: bytes) -> None:
    assert examine(blank) == Examined((), ())


def test_a_whole_object_is_its_own_value() -> None:
    assert examine(b"  " + RECORD + b" \r") == Examined((Value(2, 2 + len(RECORD), RECORD, False),), ())


def test_records_inside_strings_are_text() -> None:
    line = with_message(json.dumps((RECORD + b"\n" + CALL).decode()).encode())
    assert examine(line) == Examined((Value(0, len(line), line, False),), ())


@pytest.mark.parametrize(
    ("line", "start", "end", "detail"),
    [
        (b"null", 0, 4, "null"),
        (b"  true ", 2, 6, "boolean"),
        (b"false", 0, 5, "boolean"),
        (b'"text"', 0, 6, "string"),
        (b"[4]", 0, 3, "array"),
        (b"42", 0, 2, "number"),
        (b"-1.5e3\r", 0, 6, "number"),
    ],
)
def test_json_that_is_no_object(line: bytes, start: int, end: int, detail: str) -> None:
    assert examine(line) == Examined((), (Fault("not-object", start, end, "", detail),))


# -- cut off


@pytest.mark.parametrize(
    ("line", "path", "detail"),
    [
        (b'{"timestamp":', "timestamp", "after `timestamp`"),
        (STAMP + b'"type":"response_item","payload":{"type":"agent_mes', "payload.type", "inside payload.type"),
        (TORN, "payload.content[0].text", "inside payload.content[0].text"),
        (RECORD[:-1], "payload", "after `payload`"),
        (RECORD[:-2], "payload.message", "after `payload.message`"),
        (b'{"a":1,"b', "", "inside a key"),
        (b'{"a":{"b', "a", "inside a key of a"),
        (b'{"a"', "a", "after `a`"),
        (b"{", "", "inside the record"),
        (b'{"a":1,', "", "inside the record"),
        (b'{"a":[1,', "a[1]", "inside a[1]"),
        (b'{"a":12', "a", "inside a"),
        (b'{"a":-', "a", "inside a"),
        (b'{"a":1.5e', "a", "inside a"),
        (b'{"a":fal', "a", "inside a"),
        (b'{"a":"x\\', "a", "inside a"),
        (b'{"a":"x\\u00', "a", "inside a"),
        (b'{"a":"x\\"', "a", "inside a"),
        (b'{"a":"x\\ud83d', "a", "inside a"),
    ],
)
def test_cut_off_names_the_field_in_which_it_stops(line: bytes, path: str, detail: str) -> None:
    assert examine(line) == Examined((), (Fault("cut-off", 0, len(line), path, detail),))


def test_every_beginning_of_a_record_is_cut_off_and_nothing_else() -> None:
    for end in range(1, len(RECORD)):
        (fault,) = examine(RECORD[:end]).faults
        assert (fault.what, fault.start, fault.end) == ("cut-off", 0, end)


def test_a_payload_is_not_taken_for_a_record_when_only_the_last_brace_is_missing() -> None:
    assert places(RECORD[:-1]) == []
    assert places(b'{"timestamp":"a","items":[{"type":"x"},{"id":1}]') == []


# -- broken inside


@pytest.mark.parametrize(
    ("token", "blamed", "detail"),
    [
        (b"NaN", b"NaN", "NaN"),
        (b"-Infinity", b"-Infinity", "-Infinity"),
        (b"None", b"None", "None"),
        (b"secret_word", b"secret_word", "unexpected word"),
        (b"01", b"01", "no number of JSON"),
        (b"1.", b"1.", "no number of JSON"),
        (b'"a\tb"', b"\t", "raw control character 09"),
        (b'"a\\xb"', b"\\x", "no escape of JSON"),
        (b'"a\\u12"', b"\\u", "no escape of JSON"),
        (b"'a'", b"'", "unexpected character"),
        ("日".encode(), "日".encode(), "unexpected character"),
        (b"[1,]", b"]", "trailing comma"),
        (b'{"a":1,}', b"}", "trailing comma"),
        (b'{"a":}', b"}", "missing value"),
        (b'{"a" 1}', b"1", "missing colon"),
        (b'{"a":1 "b":2}', b'"', "missing comma"),
        (b"{a:1}", b"a", "unexpected word"),
        (b"[1}", b"}", "wrong closing bracket"),
    ],
)
def test_broken_blames_the_smallest_place(token: bytes, blamed: bytes, detail: str) -> None:
    line = with_message(token)
    examined = examine(line)
    (fault,) = examined.faults
    assert examined.values == ()
    assert (fault.what, line[fault.start : fault.end], fault.detail) == ("broken", blamed, detail)
    assert fault.path.startswith("payload.message")


def test_an_unescaped_quote_is_the_one_that_ends_the_string_too_early() -> None:
    line = with_message(b'"he said "hi" there"')
    assert faults(line) == [("broken", line.index(b'"hi'), line.index(b"hi"), "payload.message", "unescaped quote", 1)]


def test_no_content_of_the_record_stands_in_a_detail() -> None:
    for token in (b"hunter2", b'"a" hunter2', b"[hunter2]", b'"hunter2'):
        assert not any("hunter2" in fault.detail for fault in examine(with_message(token)).faults)


def test_a_number_beyond_a_float_is_blamed_and_the_record_kept() -> None:
    line = with_message(b"-1e999")
    at = line.index(b"-1e999")
    assert faults(line) == [("broken", at, at + 6, "payload.message", "number out of range", 1)]
    assert texts(line) == [with_message(b"-9e307")]


def test_an_integer_of_400_digits_is_left_to_the_idle_pass() -> None:
    line = with_message(b"7" * 400)
    assert examine(line) == Examined((Value(0, len(line), with_message(b"9e307".ljust(400)), False),), ())


@pytest.mark.parametrize("more", [b"}", b" x", b"42", b'"'])
def test_what_stands_behind_a_record_does_not_hide_it(more: bytes) -> None:
    line = RECORD + more
    assert places(line) == [(0, len(RECORD), True)]
    assert len(examine(line).faults) == 1
    assert examine(line).faults[0].start >= len(RECORD)


@pytest.mark.parametrize(
    "line", [b"hello world", b"<!DOCTYPE html>", b"version https://git-lfs", b"]", b"\\", b"2026-02-03 x"]
)
def test_text_that_is_no_json_is_broken_at_its_first_word(line: bytes) -> None:
    (fault,) = examine(line).faults
    assert (fault.what, fault.start) == ("broken", 0)


# -- torn and concatenated


@pytest.mark.parametrize(
    "fragment",
    [
        TORN,
        STAMP,
        b'{"timestamp":',
        STAMP + b'"ty',
        STAMP + b'"payload":[',
        STAMP + b'"payload":{"n":12',
        b"]}}",
        b'message":"ok"}}',
        b"x",
        b"7",
        STAMP + b'"payload":NaN,',
    ],
)
@pytest.mark.parametrize("record", [RECORD, CALL])
def test_a_record_behind_a_torn_fragment_is_recovered(fragment: bytes, record: bytes) -> None:
    line = fragment + record
    examined = examine(line)
    assert examined.values == (Value(len(fragment), len(line), record, True),)
    (fault,) = examined.faults
    assert (fault.what, fault.start, fault.end) == ("torn", 0, len(fragment))
    assert fault.detail == f"{len(fragment)} bytes"


@pytest.mark.parametrize("record", [BARE, b'{"id":"a","timestamp":"b"}', b'{"record_type":"state"}'])
def test_records_without_envelope_are_recovered_too(record: bytes) -> None:
    fragment = b'{"type":"message","role":"user","content":[{"type":"input_text","text":"half '
    assert texts(fragment + record) == [record]


def test_torn_names_the_field_in_which_the_fragment_stops() -> None:
    assert examine(TORN + CALL).faults[0].path == "payload.content[0].text"


def test_a_glued_record_at_a_value_place_is_recovered() -> None:
    assert faults(b'{"a":' + RECORD) == [("torn", 0, 5, "a", "5 bytes", 1)]
    assert texts(b'{"a":' + RECORD) == [RECORD]


def test_every_torn_fragment_between_records_is_told_apart() -> None:
    line = RECORD + TORN + CALL + TORN + RECORD
    assert texts(line) == [RECORD, CALL, RECORD]
    assert whats(line) == ["torn", "torn"]


def test_many_torn_fragments_hide_no_record() -> None:
    line = (TORN + CALL) * 500
    assert texts(line) == [CALL] * 500
    assert whats(line) == ["torn"] * 500


def test_concatenated_records_are_all_recovered_and_each_boundary_told() -> None:
    line = RECORD + CALL + b" " + RECORD
    first, second = len(RECORD), len(RECORD) + len(CALL)
    assert texts(line) == [RECORD, CALL, RECORD]
    assert all(value.recovered for value in examine(line).values)
    assert [(f.what, f.start, f.end) for f in examine(line).faults] == [
        ("concatenated", first - 1, first + 1),
        ("concatenated", second - 1, second + 2),
    ]


def test_a_record_and_the_beginning_of_another() -> None:
    line = RECORD + TORN
    assert places(line) == [(0, len(RECORD), True)]
    assert [(f.what, f.start, f.end) for f in examine(line).faults] == [("cut-off", len(RECORD), len(line))]


def test_too_many_records_on_a_line_are_left_out_and_said() -> None:
    examined = examine(b"{}" * (module.MAX_VALUES + 5))
    assert len(examined.values) == module.MAX_VALUES
    assert str(module.MAX_VALUES) in examined.faults[-1].detail


# -- NUL bytes


def test_a_nul_inside_a_string_is_mended_in_place() -> None:
    line = with_message(b'"a\0b\0"')
    at = line.index(b"\0")
    assert faults(line) == [("nul", at, at + 1, "payload.message", "inside", 2)]
    assert examine(line).values == (Value(0, len(line), with_message(b'"a?b?"'), True),)


def test_an_escaped_nul_is_legal() -> None:
    assert whats(with_message(b'"\\u0000"')) == []


@pytest.mark.parametrize(
    ("line", "start", "end", "at"),
    [
        (b"\0\0\0" + RECORD, 0, 3, 3),
        (RECORD + b"\0\0", len(RECORD), len(RECORD) + 2, 0),
        (b" \0" + RECORD, 1, 2, 2),
        (RECORD + b"\0\0\r", len(RECORD), len(RECORD) + 2, 0),
    ],
)
def test_a_record_among_nuls_is_recovered(line: bytes, start: int, end: int, at: int) -> None:
    assert faults(line) == [("nul", start, end, "", "around", end - start)]
    assert examine(line).values == (Value(at, at + len(RECORD), RECORD, True),)


def test_nuls_alone() -> None:
    assert examine(b"\0\0\0\0") == Examined((), (Fault("nul", 0, 4, "", "only", 4),))


def test_nuls_explain_the_cut_before_them() -> None:
    fault = ("nul", len(TORN), len(TORN) + 9, "payload.content[0].text", "cut", 9)
    assert faults(TORN + b"\0" * 9) == [fault]
    assert faults(TORN + b"\0" * 9 + CALL) == [fault]
    assert texts(TORN + b"\0" * 9 + CALL) == [CALL]


def test_nuls_between_records_explain_themselves() -> None:
    assert texts(RECORD + b"\0\0" + CALL) == [RECORD, CALL]
    assert "nul" in whats(RECORD + b"\0\0" + CALL)


# -- bytes that are no UTF-8


def test_a_cut_inside_a_character_is_one_fault() -> None:
    line = TORN + b"\xe6\x87"
    detail = "incomplete character e6 87; the record is also cut off"
    assert faults(line) == [("bad-utf8", len(TORN), len(TORN) + 2, "payload.content[0].text", detail, 1)]


def test_a_cut_inside_a_character_in_front_of_a_record_is_one_fault() -> None:
    line = TORN + b"\xe6\x87" + CALL
    assert whats(line) == ["bad-utf8"]
    assert texts(line) == [CALL]


@pytest.mark.parametrize(
    ("bad", "detail"),
    [
        (b"\xe6\x87", "incomplete character e6 87"),
        (b"\xf0\x9f\x98", "incomplete character f0 9f 98"),
        (b"\x80", "stray byte 80"),
        (b"\xff", "impossible byte ff"),
        (b"\xed\xa0\xbd", "surrogate ed a0 bd"),
    ],
)
def test_bad_utf8_inside_a_string_is_mended_byte_for_byte(bad: bytes, detail: str) -> None:
    line = with_message(b'"a' + bad + b'b"')
    at = line.index(bad)
    assert faults(line) == [("bad-utf8", at, at + len(bad), "payload.message", detail, 1)]
    assert texts(line) == [with_message(b'"a' + b"?" * len(bad) + b'b"')]


def test_bad_utf8_and_a_cut_elsewhere_are_two_faults() -> None:
    assert whats(b'{"a":"\xff","b":') == ["cut-off", "bad-utf8"]


def test_bad_utf8_explains_a_break_behind_it() -> None:
    assert whats(b'{"a":\xff"x" y}') == ["bad-utf8"]


# -- half surrogates, byte order marks, carriage returns


def test_half_surrogates_are_counted_at_the_first_and_mended() -> None:
    line = with_message(b'"bytes: \\udcb2, half: \\ud83d, whole: \\ud83d\\ude00, text: \\\\ud83d"')
    at = line.index(b"\\udcb2")
    assert faults(line) == [("lone-surrogate", at, at + 6, "payload.message", "\\udcb2", 2)]
    mended = with_message(b'"bytes: \\ufffd, half: \\ufffd, whole: \\ud83d\\ude00, text: \\\\ud83d"')
    assert examine(line).values == (Value(0, len(line), mended, True),)


def test_a_half_surrogate_in_a_key() -> None:
    assert texts(b'{"\\ud83d":1}') == [b'{"\\ufffd":1}']


def test_text_about_surrogates_is_no_fault() -> None:
    assert whats(with_message(b'"\\\\ud83d \\\\\\\\udc00"')) == []


def test_a_byte_order_mark() -> None:
    line = b"\xef\xbb\xbf" + RECORD
    assert examine(line) == Examined((Value(3, len(line), RECORD, True),), (Fault("bom", 0, 3),))


def test_a_cr_between_tokens_decodes() -> None:
    line = RECORD.replace(b",", b",\r")
    at = line.index(b"\r")
    assert faults(line) == [("stray-cr", at - 1, at, "", "", 3)]
    assert examine(line).values == (Value(0, len(line), line, False),)


def test_a_cr_inside_a_string_is_mended() -> None:
    line = with_message('"日\rb"'.encode())
    at = line.index(b"\r")
    assert faults(line) == [("stray-cr", at - 3, at, "", "", 1)]
    assert examine(line).values == (Value(0, len(line), with_message('"日?b"'.encode()), True),)


@pytest.mark.parametrize("line", [RECORD, RECORD + b"\r", RECORD + b" \r\r", b"\r" + RECORD])
def test_no_stray_cr_around_a_record(line: bytes) -> None:
    assert eager_faults(line) == ()
    assert whats(line) == []


def test_eager_faults_of_a_line_that_decodes_are_those_of_examine() -> None:
    line = RECORD.replace(b":", b":\r")
    assert eager_faults(line) == examine(line).faults != ()


ESCAPES = ["\\ud83d", "\\ude00", "\\uDBFF", "\\uDfff", "x", "\\n", "\\\\", "\\u0041", "é"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(ESCAPES), max_size=6))
def test_the_typed_decode_refuses_half_surrogates_in_values_it_skips(parts: list[str]) -> None:
    """That is why eager_faults need not look for them."""
    line = ('{"skipped":"' + "".join(parts) + '"}').encode()
    decoder = msgspec.json.Decoder(msgspec.defstruct("Empty", []))
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        with pytest.raises(msgspec.DecodeError):
            decoder.decode(line)
        assert whats(line) == ["lone-surrogate"]
    else:
        decoder.decode(line)


# -- depth


@pytest.mark.parametrize("levels", [500, 1023, 1025, 5000])
def test_a_record_of_many_levels_is_given_as_something_that_decodes(levels: int) -> None:
    line = with_message(b'[{"a":' * (levels // 2) + b"1" + b"}]" * (levels // 2))
    examined = examine(line)
    (value,) = examined.values
    assert [fault.what for fault in examined.faults] == ["cropped"] * (levels > 1024)
    assert (value.start, value.end, value.recovered, len(value.text)) == (0, len(line), False, len(line))
    orjson.loads(value.text)


@pytest.mark.parametrize("deepest", [16, 512, 900])
def test_so_many_levels_are_kept(deepest: int) -> None:
    line = with_message(b"[" * 2000 + b"]" * 2000)
    text = examine(line, deepest).values[0].text
    assert text.count(b"[") == deepest - line.split(b"[")[0].count(b"{")


# -- any bytes


def check(line: bytes) -> Examined:
    examined = examine(line)
    last = 0
    for value in examined.values:
        assert last <= value.start < value.end <= len(line)
        last = value.end
        assert len(value.text) == value.end - value.start
        assert isinstance(orjson.loads(value.text), dict)
        if not value.recovered:
            assert len(examined.values) == 1
            assert value.text == line.strip(b" \t\r\n") or len(line) > 500
    for fault in examined.faults:
        assert 0 <= fault.start < fault.end <= len(line)
        assert fault.count >= 1
    assert len({fault.what for fault in examined.faults} - {"torn", "concatenated", "broken"}) <= len(examined.faults)
    if not examined.values and line.strip(b" \t\r\n"):
        assert examined.faults, "no silence"
    return examined


PIECES = [
    b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\\\\", b'\\"', b"\\ud83d", b"\\u12", b"\0", b"\r", b"\t", b" ",
    b"\xff", b"\xe6\x87", b"\xed\xa0\x80", "é日😀".encode(), b"true", b"nul", b"1", b"-", b"1e999", b"0.5", b'"a":',
    b'"type":', b'{"type":', b'{"timestamp":', b'{"id":1}', RECORD, CALL, BARE, TORN, b"\xef\xbb\xbf",
]  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_any_pieces(pieces: list[bytes]) -> None:
    line = b"".join(pieces)
    examined = check(line)
    try:
        decoded = orjson.loads(line)
    except orjson.JSONDecodeError:
        return
    assert [fault.what for fault in examined.faults if fault.what != "stray-cr"] == (
        [] if isinstance(decoded, dict) else ["not-object"]
    )


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes(line: bytes) -> None:
    check(line)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([RECORD, CALL, BARE, RECORD + CALL, TORN + CALL]), st.data())
def test_any_mutation_of_a_record(line: bytes, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(line)))
        end = min(len(line), start + data.draw(st.integers(0, 4)))
        line = line[:start] + data.draw(st.sampled_from([b"", *PIECES])) + line[end:]
    check(line)


@settings(deadline=None)
@given(st.sampled_from([RECORD, CALL]), st.integers(1, 130))
def test_a_record_behind_any_beginning_of_another_is_never_lost(record: bytes, cut: int) -> None:
    fragment = TORN[: min(cut, len(TORN))]
    assert texts(fragment + record) == [record]


# -- time


MEGABYTE = 1_000_000
HOSTILE = {
    "open": b"[",
    "open-objects": b'{"a":',
    "records-begin": b'{"timestamp":',
    "records-begin-in-strings": b'{"timestamp":"x',
    "candidates": b'{"timestamp":[[[[[[[[[[[[[[[[',
    "kinds": b'{"type":"x",',
    "records": RECORD,
    "torn": TORN + CALL,
    "quotes": b'"',
    "backslashes": b"\\",
    "nul": b"\0",
    "nul-and-quotes": b'\0"',
    "nul-records": RECORD + b"\0",
    "cr": b"\r1",
    "bad": b"\xffa",
    "halves": b'\\ud83d"',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_the_bytes_only(name: str) -> None:
    piece = HOSTILE[name]

    def seconds(size: int) -> float:
        line = piece * (size // len(piece))
        start = time.process_time()
        check_shape = examine(line)
        assert check_shape.values or check_shape.faults
        return time.process_time() - start

    small = min(seconds(MEGABYTE // 20) for _ in range(3))
    large = min(seconds(MEGABYTE // 2) for _ in range(3))
    assert large < 60 * small + 0.1  # ten times the bytes; what grows with their square needs a hundred times as long
