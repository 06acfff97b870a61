"""Long texts are taken out of a message without a loss, whatever stands in them and wherever it is cut."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollout_ls.lsp.framing import Frames
from rollout_ls.lsp.handlers.sync import make_document, prepare_edit, prepare_open
from rollout_ls.lsp.messages import Notification, read_messages
from rollout_ls.lsp.texts import decode_string, take_texts

ALPHABET = [*'an\\"\n\r\t/', "\\n", '\\"', '"text":"', "é", "\u2028", "😀", "\ud83d", "\ude00", "\x00", "\\u0041"]
texts = st.lists(st.sampled_from(ALPHABET), max_size=40).map("".join)


def utf8(text: str) -> bytes:
    """A pair of halves is one character, as JSON reads it."""
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return joined.encode("utf-8", "surrogatepass")


def message(*given_texts: str, ascii_only: bool, key_first: bool = False) -> bytes:
    document: dict[str, object] = {"uri": 'file:///a"text":"b', "languageId": "text", "version": 3}
    parts = {f"part {at}": {"text": text} for at, text in enumerate(given_texts)}
    params = {**parts, "textDocument": document} if key_first else {"textDocument": document, **parts}
    whole = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params}
    return json.dumps(whole, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")


@given(st.lists(texts, min_size=1, max_size=3), st.integers(1, 400), st.booleans())
def test_texts_come_out_whole(found: list[str], size: int, key_first: bool) -> None:
    data = message(*found, ascii_only=True, key_first=key_first)
    skeleton, taken = take_texts(data[at : at + size] for at in range(0, len(data), size))
    assert [b"".join(pieces) for pieces in taken] == [utf8(text) for text in found]
    params = json.loads(skeleton)["params"]
    assert params["textDocument"]["uri"] == 'file:///a"text":"b'
    assert [params[f"part {at}"]["text"] for at in range(len(found))] == [{"taken": at} for at in range(len(found))]


@given(texts.map(lambda text: re.sub("[\ud800-\udfff]", "", text)), st.integers(1, 400))
def test_raw_characters_come_out_too(text: str, size: int) -> None:
    data = message(text, ascii_only=False)
    _, taken = take_texts(data[at : at + size] for at in range(0, len(data), size))
    assert b"".join(taken[0]) == text.encode()


@pytest.mark.parametrize(
    ("inner", "plain"),
    [
        (rb"\ud83d", b"\xed\xa0\xbd"),
        (rb"\ud83d\ude00", "😀".encode()),
        (rb"\ude00\ud83d", b"\xed\xb8\x80\xed\xa0\xbd"),
        (rb"a\ud83d\n\u00e9\\ud83d", b"a\xed\xa0\xbd\n\xc3\xa9\\ud83d"),
        (b"\xed\xa0\xbd raw", b"\xed\xa0\xbd raw"),
        (b"\xff no utf-8 \\t", b"\xff no utf-8 \t"),
        (b"a raw\nline end", b"a raw\nline end"),
        (rb"\q \u12", rb"\q \u12"),
    ],
)
def test_what_utf8_cannot_say_is_kept(inner: bytes, plain: bytes) -> None:
    assert decode_string(inner) == plain


def notification(data: bytes) -> Notification:
    rest = [b"Content-Length: %d\r\n\r\n" % len(data) + data]
    (found,) = read_messages(Frames(lambda _limit: rest.pop() if rest else b""))
    assert isinstance(found, Notification)
    return found


@pytest.mark.parametrize("lines", [1, 40_000, 200_000])
@pytest.mark.parametrize("damage", ["", "\ud83d"])
def test_a_document_is_opened_from_a_short_and_a_long_message(lines: int, damage: str) -> None:
    text = f'{{"say":"héllo \\n {damage} 😀"}}\n' * lines
    opened = {"uri": "file:///x.jsonl", "languageId": "jsonl", "version": 7, "text": text}
    for document in (opened, dict(reversed(opened.items()))):
        whole = {"params": {"textDocument": document}, "method": "textDocument/didOpen", "jsonrpc": "2.0"}
        found = notification(json.dumps(whole).encode())
        prepared = prepare_open(found.params, found.texts)
        made = prepared.document or make_document(prepared)
        assert (prepared.uri, made.version) == ("file:///x.jsonl", 7)
        assert b"".join(line.data for line in made.buffer) == utf8(text)


@pytest.mark.parametrize("size", [1, 2_000_000])
def test_changes_are_read_from_a_short_and_a_long_message(size: int) -> None:
    there = {"line": 1, "character": 4}
    here = {"line": 0, "character": 2}
    changes = [{"range": {"start": there, "end": here}, "text": "a\ud83d"}, {"text": "é\n" * size}]
    params = {"textDocument": {"uri": "u", "version": 2}, "contentChanges": changes}
    found = notification(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}).encode())
    edit = prepare_edit(found.params, found.texts)
    first, second = edit.changes
    assert (first.start, first.end, first.text) == ((0, 2), (1, 4), b"a\xed\xa0\xbd")
    assert (second.start, second.end, second.text) == (None, None, "é\n".encode() * size)


@pytest.mark.parametrize("text", ["null", "5", '{"taken":0}', "[]"])
def test_a_text_that_is_none_is_refused(text: str) -> None:
    params = b'{"textDocument":{"uri":"u","version":1,"languageId":"l","text":%b}}' % text.encode()
    with pytest.raises(ValueError):
        prepare_open(params, [])
