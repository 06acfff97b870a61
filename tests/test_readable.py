"""Documents to read: harmless whatever the records hold, whole where nothing was cut, each row knows its record."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_ls.features.readable import Readable, session_page, turn_keys, turn_of_key, turn_page
from rollout_ls.features.record_page import record_page
from rollout_ls.features.steps import Step, step_from
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.workspace.document import Document

SESSIONS = sorted((Path(__file__).parent.parent / "fixtures" / "sessions").glob("*.jsonl"))
DEMO = next(path for path in SESSIONS if "2026-06-12T09-30-00" in path.name)
UTC = Surroundings(utc_offset_minutes=0)


def document_of(data: bytes) -> Document:
    document = Document("file:///rollout-a.jsonl", 1, [data])
    document.finish()
    return document


def record(kind: str, payload: object) -> bytes:
    return json.dumps({"timestamp": "2026-06-12T09:30:00.000Z", "type": kind, "payload": payload}).encode() + b"\n"


def said(text: str) -> bytes:
    content = [{"type": "output_text", "text": text}]
    return record("response_item", {"type": "message", "role": "assistant", "content": content})


def call(arguments: str, output: str) -> bytes:
    payload = {"type": "function_call", "name": "shell", "call_id": "call_1", "arguments": arguments}
    back = {"type": "function_call_output", "call_id": "call_1", "output": output}
    return record("response_item", payload) + record("response_item", back)


def outside_fences(page: Readable) -> str:
    """The Markdown that is no code block, as CommonMark finds those."""
    rows, fence = [], ""
    for row in page.text.split("\n"):
        ticks = re.match(r"`{3,}", row)
        if fence:
            if ticks and row.rstrip() == ticks[0] and len(ticks[0]) >= len(fence):
                fence = ""
        elif ticks:
            fence = ticks[0]
        else:
            rows.append(row)
    assert not fence
    return "\n".join(rows)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name[8:27])
def test_every_entry_is_in_it_once_and_its_row_leads_to_its_record(path: Path) -> None:
    session = document_of(path.read_bytes()).session()
    page = session_page(session, UTC)
    rows = page.text.split("\n")
    heads = {row for row, text in enumerate(rows) if re.match(r"#+ ", text)}
    told = [page.place_at(row) for row in range(len(rows))]
    lines = [place.line for row, place in enumerate(told) if place is not None and row in heads]
    for entry in session.entries():
        assert entry.ref.line in lines, entry.what
    for row, place in enumerate(told):
        number = re.search(r"\(.*?lines? (\d+)", rows[row]) if row in heads else None
        if number is not None and place is not None:
            assert session.buffer.row_of(place.line) + 1 == int(number[1])
    damaged = [line for line in session.buffer if not line.reading.statements and not line.reading.blank]
    assert all(line in lines for line in damaged)


def test_a_turn_is_read_by_its_key() -> None:
    session = document_of(DEMO.read_bytes()).session()
    assert turn_keys(session) == ["1", "2", "3", "4"]
    turn = turn_of_key(session, "2")
    assert turn is session.turns[1]
    assert turn is not None
    page = turn_page(session, turn, UTC)
    assert page.text.startswith("# Turn 2: ")
    assert "Turn 3" not in page.text
    assert [turn_of_key(session, key) for key in ("0", "5", "", "x", "²", "inherited-1")] == [None] * 6


def test_inherited_turns_have_keys_too() -> None:
    fork = next(path for path in SESSIONS if "2026-07-20T13-40-12" in path.name)
    session = document_of(fork.read_bytes()).session()
    for key, turn in zip(turn_keys(session), session.turns, strict=True):
        assert turn_of_key(session, key) is turn
    assert "inherited-1" in turn_keys(session)


def test_a_patch_is_a_diff_and_a_command_a_shells() -> None:
    text = session_page(document_of(DEMO.read_bytes()).session(), UTC).text
    assert "```diff\n*** Begin Patch\n" in text
    assert "```sh\npython -m pytest -q tests\n```" in text


def test_long_texts_are_cut_and_their_size_is_said() -> None:
    page = session_page(document_of(said("word " * 5_000)).session(), UTC)
    assert len(page.text) < 5_000
    assert "4,000 of 25,000 characters shown" in page.text


def test_what_is_left_out_of_a_very_long_session_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollout_ls.features.readable.MAX_CHARACTERS", 3_000)
    page = session_page(document_of(DEMO.read_bytes()).session(), UTC)
    assert len(page.text) < 8_000
    assert "left out here" in page.text


HOSTILE = [
    "```\n</details><script>alert(1)</script>\n[x](command:evil)",
    "`" * 40 + "\n# no heading",
    "![](https://example.invalid/x.png)",
    "\x1b]8;;file:///etc/passwd\x07click\x1b]8;;\x07 \u202eevil\u2066",
    "line\u2028line\u0085line\rline\r\nline\x0bline",
    "~~~\n# x\n~~~",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_content_stays_in_its_fence(text: str) -> None:
    data = said(text) + call(json.dumps({"command": text, text: text}), text)
    page = session_page(document_of(data).session(), UTC)
    outside = outside_fences(page)
    assert "<" not in re.sub(r"\\<", "", outside)
    assert "](" not in outside
    assert not re.search(r"^# no heading", outside, re.MULTILINE)
    for odd in "\x1b\x07\u202e\u2066\u2028\u0085\r\x0b":
        assert odd not in page.text


@given(st.text(max_size=300), st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_rows_are_counted_as_an_editor_counts_them(words: str, output: str) -> None:
    data = said(words) + call(json.dumps({"cmd": words}), output) + said("last")
    document = document_of(data)
    page = session_page(document.session(), UTC)
    rows = page.text.split("\n")
    assert [row for row, text in enumerate(rows) if text.startswith("### Assistant") and "line 4" in text]
    for row, place in page.marks:
        number = document.buffer.row_of(place.line) + 1
        assert f"line {number}" in rows[row] or row == 0 or rows[row] == "" or row == len(rows), (row, rows[row])
    outside_fences(page)


def test_secrets_are_masked_everywhere() -> None:
    key = "sk-abcdefghijklmnopqrstuvwx1234567890"
    document = document_of(said(f"use {key}") + call(json.dumps({"cmd": f"export K={key}"}), key))
    pages = [session_page(document.session(), UTC), *(record_page(line) for line in document.buffer)]
    assert all(key not in page.text for page in pages)
    assert all("sk-•••" in page.text for page in pages)


# -- one record
def test_a_record_is_laid_out_with_the_json_of_its_strings() -> None:
    document = document_of(call('{"cmd": ["ls", "-l"], "n": 1.50}', '{"output":"a\\nb","metadata":{"exit_code":0}}'))
    first, second = document.buffer
    assert json.loads(record_page(first).text)["payload"]["arguments (decoded)"] == {"cmd": ["ls", "-l"], "n": 1.5}
    assert "1.50" in record_page(first).text
    assert json.loads(record_page(second).text)["payload"]["output (decoded)"]["output"] == "a\nb"


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":1,"a":2}\n',
        b'{"n":123456789012345678901234567890,"e":1E400}\n',
        b'{"a":{}, "b":[], "c":null, "d":true}\n',
        b"[" * 5_000 + b"]" * 5_000 + b"\n",
        b'{"a":"' + b"[" * 3_000 + b'"}\n',
        b'{"cut":"he\n',
        b"\xff\xfe\n",
        b'{"s":"\\ud800","t":"\x00"}\n',
        b'{"type":"x"}{"type":"y"}\n',
        b"\n",
    ],
)
def test_any_line_can_be_laid_out(line: bytes) -> None:
    document = document_of(line)
    for one in document.buffer:
        page = record_page(one)
        assert page.text.endswith("\n")
        assert page.place_at(0) is not None
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", page.text)


def test_doubled_keys_stay() -> None:
    (line,) = document_of(b'{"type":"t","a":1,"a":2}\n').buffer
    assert record_page(line).text.count('"a":') == 2


# -- steps
def rows_of_steps(document: Document, step: Step) -> list[int]:
    """The rows that one comes to by taking a step again and again, from the first line (or the last)."""
    buffer, session = document.buffer, document.session()
    line = buffer.last_line if step == "previous turn" else next(iter(buffer))
    rows = []
    while line is not None and len(rows) < 50:
        place = step_from(session, line, 0, step)
        line = place.line if place is not None else None
        if line is not None:
            rows.append(buffer.row_of(line))
    return rows


def test_steps_go_through_all_turns_and_all_failed_calls() -> None:
    document = document_of(DEMO.read_bytes())
    session = document.session()
    starts = [session.buffer.row_of(turn.start.start.line) for turn in session.turns]
    assert rows_of_steps(document, "next turn") == starts
    assert rows_of_steps(document, "previous turn") == starts[::-1]
    failed = [
        session.buffer.row_of(entry.ref.line)
        for entry in session.entries()
        if entry.what == "call" and session.call_end(entry.ref).outcome == "failed"
    ]
    assert rows_of_steps(document, "next failed call") == sorted(failed)
    assert len(failed) > 1
