"""One cause, one finding: doubled keys, secrets that come again, places too far to the right, what fills long lines."""

from __future__ import annotations

import json
from typing import Any

from rollout_ls.rules.finding import Finding
from rollout_ls.workspace.document import Document

HEAD = (
    '{"timestamp":"2026-02-03T10:00:00.000Z","type":"session_meta","payload":{"id":"0199b000-0000-7000-8000-000000000001",'
    '"timestamp":"2026-02-03T10:00:00.000Z","cwd":"/w","originator":"o","cli_version":"0.142.0","source":"cli"}}'
)
SECRET = "sk-abcdef1234567890abcdef"


def record(outer: str, payload: str) -> str:
    return f'{{"timestamp":"2026-02-03T10:00:05.000Z","type":"{outer}","payload":{payload}}}'


def check(*lines: str, head: bool = True) -> list[Finding]:
    rows = [*([HEAD] if head else []), *lines]
    document = Document("file:///rollout.jsonl", 1, [("\n".join(rows) + "\n").encode()], on_disk=True)
    return list(document.finish())


def told(found: list[Finding]) -> list[tuple[str, str, str]]:
    return [(one.code, one.severity, one.place.line.data[one.place.start : one.place.end].decode()) for one in found]


def message(text: str, more: str = "") -> str:
    return record("event_msg", f'{{"type":"user_message","message":{json.dumps(text)}{more}}}')


def test_a_doubled_key_that_changes_nothing_is_a_warning() -> None:
    line = record("response_item", '{"type":"message","role":"user","role":"user","content":[]}')
    assert told(check(line)) == [("duplicate-key", "warning", '"role"')]


def test_a_doubled_key_is_to_blame_for_the_value_that_cannot_be_read() -> None:
    for payload, key in (
        ('{"type":"task_started","turn_id":"t"},"payload":5', '"payload"'),
        ('{"type":"task_started","turn_id":"t","turn_id":null}', '"turn_id"'),
        ('{"type":"task_started","type":"error","turn_id":"t"}', '"type"'),
    ):
        assert told(check(record("event_msg", payload))) == [("duplicate-key", "error", key)]


def test_a_fault_beside_a_doubled_key_keeps_its_own_finding() -> None:
    line = record("event_msg", '{"type":"task_started","turn_id":5,"zz":1,"zz":2}')
    assert told(check(line)) == [("shape", "error", "5"), ("duplicate-key", "warning", '"zz"')]


def test_two_spellings_of_one_field_stand_together() -> None:
    both = HEAD.replace('"source":"cli"', '"source":"cli","agent_role":"scout","agent_type":"scout"')
    assert told(check(both, head=False)) == [("duplicate-key", "error", '"agent_type"')]


def test_a_secret_that_comes_again_is_told_once() -> None:
    found = check(message(f"it is {SECRET}"), message(f"{SECRET}, I said"), message("sk-zyxwvu9876543210zyxwvu"))
    assert told(found) == [("secret", "hint", SECRET), ("secret", "hint", "sk-zyxwvu9876543210zyxwvu")]
    assert "2 times" in found[0].message and SECRET not in found[0].message


def test_a_place_beyond_what_editors_draw_stands_at_the_discriminator() -> None:
    far = "y " * 7000
    for line, code in (
        (message(f"{far} {SECRET}"), "secret"),
        (message(far, ',"a":1,"a":2'), "duplicate-key"),
        (message(far).replace('y "', '\\ud800"'), "lone-surrogate"),
        (message(far, ',"images":[5]'), "shape"),
    ):
        (found,) = check(line)
        assert told([found])[0][::2] == (code, '"user_message"')
        assert "(at column 14," in found.message


def test_far_call_ids_too() -> None:
    payload = {"type": "function_call", "name": "x", "arguments": json.dumps({"a": "y" * 12000}), "call_id": "far"}
    (found,) = check(record("response_item", json.dumps(payload)))
    assert told([found]) == [("pending-call", "hint", '"function_call"')]


def test_replay_hazards_of_one_reason_are_one() -> None:
    part = '{"type":"reasoning_text","text":"a"}'
    head = '{"type":"reasoning","summary":[],"content":['
    (found,) = check(*(record("response_item", head + ",".join([part] * number) + "]}") for number in (1, 2, 3)))
    assert found.code == "replay-hazard" and "3 records" in found.message


def test_a_long_line_says_what_fills_it() -> None:
    cases: list[tuple[Any, str]] = [
        ({"type": "user_message", "message": "y " * 350_000}, "99 % of it is `payload.message`, a text"),
        (
            {"type": "user_message", "message": "x", "images": ["data:image/png;base64," + "QUJD" * 160_000]},
            "99 % of it is `payload.images[0]`, image/png as base64",
        ),
        ({"type": "user_message", "message": "x", "local_images": ["/w/a.png"] * 60_000}, "local_images` with many"),
    ]
    for payload, words in cases:
        found = [one for one in check(record("event_msg", json.dumps(payload))) if one.code == "huge-line"]
        assert len(found) == 1 and words in found[0].message, found


def test_a_header_whose_payload_is_lost_is_no_missing_header() -> None:
    found = check(record("session_meta", "null"), message("x"), head=False)
    assert told(found) == [("shape", "error", "null")]


def test_what_breaks_bytes_or_depth_silences_what_follows_from_it() -> None:
    deep = record("response_item", '{"type":"message","role":5,"content":[],"more":' + "[" * 130 + "]" * 130 + "}")
    assert [one.code for one in check(deep)] == ["shape", "too-deep"]
    half = record("response_item", '{"type":"message","role":"\\ud800","content":[]}')
    assert [one.code for one in check(half)] == ["lone-surrogate"]
    big = record("event_msg", '{"type":"task_started","turn_id":"t","started_at":' + "9" * 60 + "}")
    assert [one.code for one in check(big)] == ["int-too-big"]


def test_records_whose_ids_cannot_be_read_are_neither_orphans_nor_pending() -> None:
    output = record("response_item", '{"type":"function_call_output","call_id":5,"output":"x"}')
    call = record("response_item", '{"type":"function_call","name":"x","arguments":"{}","call_id":null}')
    end = record("event_msg", '{"type":"task_complete","turn_id":"t"}')
    assert [one.code for one in check(output, call, end)] == ["shape", "shape"]
