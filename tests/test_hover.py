"""What a hover says: the kind, the key under the cursor, times; and that nothing of a record can become markup."""

from __future__ import annotations

import json
import re
from datetime import timedelta, timezone
from typing import Any

import pytest

from rollout_ls.features.hover import hover
from rollout_ls.formats.codex import describe, explain
from rollout_ls.projection.surroundings import Limits, Surroundings
from rollout_ls.text.display import markdown_text
from rollout_ls.workspace.document import Document

HEAD: dict[str, Any] = {
    "id": "0199b000-0000-7000-8000-000000000001",
    "timestamp": "2026-02-03T10:00:00.000Z",
    "cwd": "/w",
    "originator": "codex_cli_rs",
    "cli_version": "0.99.0",
    "source": "cli",
}
HOSTILE = "[click](command:evil) ![x](http://e.invalid/a.png) <img src=x> **b** `c` ``` www.e.invalid a@e.invalid &lt;"


def line_of(outer: str, payload: Any, second: int = 5) -> str:
    moment = f"2026-02-03T10:00:{second:02}.000Z"
    return json.dumps({"timestamp": moment, "type": outer, "payload": payload}, separators=(",", ":"))


def opened(*lines: str, head: dict[str, Any] = HEAD) -> Document:
    rows = [line_of("session_meta", head, 0), *lines]
    return Document("file:///rollout.jsonl", 1, [("\n".join(rows) + "\n").encode()])


def text_at(document: Document, word: str = "", world: Surroundings | None = None, *, markdown: bool = True) -> str:
    """The hover on a word of the last line (at its start without one)."""
    line = document.buffer.last_line
    assert line is not None
    offset = line.data.index(word.encode()) if word else 0
    shown = hover(document.session(), line, offset, world or Surroundings(), markdown=markdown)
    assert shown is not None
    assert 0 <= shown.place.start < shown.place.end <= line.end
    return shown.text


CALL = {"type": "function_call", "name": "shell", "call_id": "call_1", "arguments": '{"cmd":"ls"}'}


def test_first_line_kind_and_times() -> None:
    paragraphs = text_at(opened(line_of("response_item", CALL, 7))).split("\n\n")
    assert paragraphs[0].startswith("**Call of shell** `response_item/function_call` · ")
    assert paragraphs[0].endswith("2026-02-03 10:00:07 UTC")
    assert paragraphs[-2:] == [  # below the content: an editor shows the first ten rows
        "The model calls a tool with arguments in JSON.",
        "7.0 s after the session's start · 7.0 s after the record before",
    ]


def test_time_of_day_in_the_readers_zone() -> None:
    world = Surroundings(zone=timezone(timedelta(hours=9)))
    assert "2026-02-03 19:00:07" in text_at(opened(line_of("response_item", CALL, 7)), "", world).split("\n")[0]


@pytest.mark.parametrize("word", ['"call_id"', '"call_1"'])
def test_a_key_or_its_value_is_explained(word: str) -> None:
    text = text_at(opened(line_of("response_item", CALL)), word)
    assert "`payload.call_id` · string (an id that pairs records) · required: Joins the call and its output." in text


def test_the_words_that_a_value_may_be() -> None:
    record = {"type": "turn_aborted", "turn_id": "t", "reason": "interrupted"}
    text = text_at(opened(line_of("event_msg", record)), '"reason"')
    assert "One of `interrupted`" in text


def test_a_kind_and_a_key_that_are_newer_than_the_file() -> None:
    record = {"type": "task_started", "turn_id": "t", "root_turn_id": "r"}
    text = text_at(opened(line_of("event_msg", record)), '"root_turn_id"')
    assert "The kind exists since 2026-02-11 (Codex 0.100), which is newer than this file's Codex 0.99.0" in text
    assert "The key exists since 2026-09" in text
    newest = text_at(opened(line_of("event_msg", record), head={**HEAD, "cli_version": "0.171.0"}), '"root_turn_id"')
    assert "is newer than" not in newest


def test_a_key_that_nobody_knows() -> None:
    assert "`payload.zz`: this version does not know the key here." in text_at(
        opened(line_of("response_item", {**CALL, "zz": 1})), '"zz"'
    )


def test_what_stands_in_free_values_is_explained_by_the_last_known_key() -> None:
    record = {"full": True, "state": {"deep": {"deeper": 1}}}
    text = text_at(opened(line_of("world_state", record)), "deeper")
    assert "`payload.state` · object · required: The facts, by name." in text


@pytest.mark.parametrize(
    ("outer", "payload"),
    [
        ("response_item", {**CALL, "name": HOSTILE, "call_id": HOSTILE, "arguments": HOSTILE}),
        ("event_msg", {"type": "user_message", "message": HOSTILE}),
        ("event_msg", {"type": HOSTILE, "a": HOSTILE}),
        ("inter_agent_communication", {"author": HOSTILE, "recipient": "/root", "content": HOSTILE}),
        ("event_msg", {"type": "error", "message": f"````\n{HOSTILE}\n`````"}),
        ("response_item", {"type": "message", "role": HOSTILE, "content": [{"type": "input_text", "text": HOSTILE}]}),
        ("turn_context", {"cwd": "/w", "model": HOSTILE, "approval_policy": HOSTILE, HOSTILE: 1}),
    ],
)
def test_nothing_of_a_record_becomes_markup(outer: str, payload: Any) -> None:
    document = opened(line_of("event_msg", {"type": "task_started", "turn_id": "t"}, 1), line_of(outer, payload))
    line = document.buffer.last_line
    assert line is not None
    for offset in range(0, line.end, 7):
        shown = hover(document.session(), line, offset, Surroundings())
        assert shown is not None
        outside = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", shown.text)
        outside = re.sub(r"(?s)(?<!`)(`+)(?!`)(?:(?!\n\n).)*?(?<!`)\1(?!`)", "", outside.replace("\\`", ""))
        for sign in (r"(?<!\\)[\[\]<>&@]", r"(?<!\\)://", r"(?<!\\):(?=//)", r"www\.", r"(?<!\*)\*(?!\*)(?<!\\\*)"):
            assert not re.search(sign, outside), (sign, outside)


def test_markdown_text_leaves_plain_names_alone() -> None:
    for plain in ("update_plan", "gpt-5.2-codex", "a/b/c.py", "5.0 s after", "Turn 1: Make tea", "it's (fine), 100 %"):
        assert markdown_text(plain) == plain


def test_plain_text_has_no_markup_and_the_same_words() -> None:
    document = opened(line_of("response_item", CALL))
    plain, rich = text_at(document, "call_1", markdown=False), text_at(document, "call_1")
    assert "**" not in plain and "`" not in plain
    assert [re.sub(r"[`*\\]", "", row) for row in rich.split("\n") if "```" not in row] == plain.split("\n")


def test_no_more_than_the_limit_is_quoted() -> None:
    parts = [{"type": "input_text", "text": f"{number} " + "word and word " * 400} for number in range(60)]
    document = opened(line_of("response_item", {"type": "message", "role": "user", "content": parts}))
    text = text_at(document)
    assert len(text.encode()) < 4_000 + 2_500
    assert "characters shown" in text and "characters, not shown" in text and "more parts, not shown" in text
    small = text_at(document, "", Surroundings(limits=Limits(hover_bytes=100)))
    assert len(small.encode()) < 2_500


def test_encrypted_values_and_pictures_are_told_by_size() -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64," + "QUJD" * 4000}
    assert "image/png, about 12 kB decoded" in text_at(
        opened(line_of("response_item", {"type": "message", "role": "user", "content": [picture]}))
    )
    sealed = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA" + "Q" * 500}
    text = text_at(opened(line_of("response_item", sealed)))
    assert "encrypted reasoning, 505 characters" in text and "QQQQ" not in text


def test_base_instructions_are_told_by_length_and_head() -> None:
    document = Document(
        "file:///rollout.jsonl",
        1,
        [line_of("session_meta", {**HEAD, "base_instructions": {"text": "Be kind. " * 2000}}).encode()],
    )
    text = text_at(document)
    assert "base instructions:" in text and "of 18,000 characters shown" in text and "Be kind." in text


def test_the_texts_of_the_catalogue_are_not_read_before_a_hover() -> None:
    describe.texts.cache_clear()
    explain.explain_kind.cache_clear()
    document = opened(line_of("response_item", CALL))
    document.finish()
    assert describe.texts.cache_info().currsize == 0
    text_at(document)
    assert describe.texts.cache_info().currsize == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"type":"event_msg","payload":{"a":"b', "it is cut off inside payload.a"),
        ("version https://example.org/spec", "the JSON breaks: unexpected word"),
        ("[1, 2]", "it is JSON, but no object: array"),
        ("\0" * 9, "NUL bytes"),
    ],
)
def test_what_is_wrong_with_a_damaged_line(line: str, told: str) -> None:
    assert f"No record could be read: {told}\n" in text_at(opened(line))
