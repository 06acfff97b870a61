"""Work is in proportion to what it is done on: of a healthy file, and of files made to be slow."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import pytest
from everything import AT_A_PLACE, OF_ALL, ask_at, ask_of_all
from fitting import LINEAR, growth
from scale import LONG

from bench.generate import generate
from rollout_ls.features.hover import hover
from rollout_ls.features.outline import outline
from rollout_ls.lsp.framing import LONG_BYTES, Frames
from rollout_ls.lsp.messages import read_messages
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.text.rows import lines_of
from rollout_ls.workspace.document import Change, Document
from rollout_ls.workspace.shelf import shelved_document

BYTES = (1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 23) if LONG else (1 << 18, 1 << 19, 1 << 20)
SIZES = (1 << 13, 1 << 14, 1 << 15, 1 << 16) if LONG else (1 << 12, 1 << 13, 1 << 14)
MESSAGES = (
    [size << 4 for size in SIZES if size << 4 < LONG_BYTES],
    [3 << shift for shift in ((19, 20, 21) if LONG else (19, 20))],
)
"""Long messages are read in pieces, which costs more for each text in them: so those grow for themselves."""
FLAT = 0.6
"""What does not depend on the size of a file may still walk over the list of its blocks."""


@lru_cache(maxsize=8)
def healthy(size: int) -> bytes:
    return b"".join(generate(size, 1))


def opened(size: int) -> Document:
    return Document("file:///rollout-x.jsonl", 1, [healthy(size)])


def read(size: int) -> Document:
    document = opened(size)
    document.finish()
    return document


def open_all(size: int) -> Callable[[], object]:
    document = opened(size)
    return document.session


def check_all(size: int) -> Callable[[], object]:
    return opened(size).finish


def outline_of(size: int) -> Callable[[], object]:
    session = read(size).session()
    return lambda: outline(session)


def edit_middle(size: int) -> Callable[[], object]:
    document = read(size)
    row = document.buffer.row_count // 2

    def edit() -> None:
        for number in range(20):
            document.edit([Change((row, 90), (row, 90), b"x")], number, "utf-16")
            document.finish()

    return edit


def append(size: int) -> Callable[[], object]:
    document = read(size)
    line = healthy(size).rpartition(b"\n{")[2]
    line = b"{" + line if not line.startswith(b"{") else line

    def edit() -> None:
        for number in range(20):
            row = document.buffer.row_count
            document.edit([Change((row, 0), (row, 0), line)], number, "utf-16")
            document.finish()

    return edit


def hover_middle(size: int) -> Callable[[], object]:
    session = read(size).session()
    lines = list(session.buffer)
    half = len(lines) // 2
    return lambda: [hover(session, line, 60, Surroundings()) for line in lines[half : half + 50]]


def one_line_in_pieces(size: int) -> Callable[[], object]:
    """A line as long as the file, as the disk and packed files give it."""
    pieces = [b"\0" * 256] * (size // 256)

    def cut() -> None:
        lines_of(pieces)
        shelved_document("file:///x", pieces, lambda offset, number: b"\0" * number)

    return cut


@pytest.mark.parametrize(
    ("work", "bar"),
    [
        *((open_all, LINEAR), (check_all, LINEAR), (outline_of, LINEAR)),
        *((edit_middle, FLAT), (append, FLAT), (hover_middle, FLAT)),
        (one_line_in_pieces, LINEAR),
    ],
    ids=[
        *("open", "check", "outline", "20 edits in the middle", "20 lines appended", "50 hovers"),
        "one line in pieces of 256 bytes",
    ],
)
def test_growth_with_the_file(told, work: Any, bar: float) -> None:  # type: ignore[no-untyped-def]
    """How work grows with the size of a file."""
    found = growth(BYTES, work, rounds=2)
    if found.exponent > bar:  # measured once more, longer, before it is believed
        found = min(found, growth(BYTES, work, rounds=6))
    told.say(f"size to the power of {found}, up to {BYTES[-1] >> 20} MiB", f"at most {bar}")
    assert found.exponent <= bar, found


# -- files made to be slow: each gives about so many bytes
def record(payload: Any, kind: str = "response_item") -> bytes:
    return json.dumps({"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload}).encode() + b"\n"


def message(text: str) -> bytes:
    return record({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})


def output(text: str, call: str = "c") -> bytes:
    return record({"type": "function_call_output", "call_id": call, "output": text})


def call(ident: str, arguments: str = "{}") -> bytes:
    return record({"type": "function_call", "name": "shell", "call_id": ident, "arguments": arguments})


def event(kind: str, **more: Any) -> bytes:
    return record({"type": kind, **more}, "event_msg")


def many(one: bytes, size: int) -> bytes:
    return one * (size // len(one) + 1)


SLOW: dict[str, Callable[[int], bytes]] = {
    "nested arrays": lambda size: b"[" * size + b"\n",
    "nested objects": lambda size: b'{"a":' * (size // 5) + b"\n",
    "balanced nesting": lambda size: b"[" * (size // 2) + b"]" * (size // 2) + b"\n",
    "nesting inside a string": lambda size: call("c", "[" * size),
    "balanced nesting in an output": lambda size: output("x").replace(b'"x"', b"[" * (size // 2) + b"]" * (size // 2)),
    "balanced nesting in an unknown field": lambda size: event("agent_message", message="x", u=0).replace(
        b'"u": 0', b'"u": ' + b'{"a":' * size + b"1" + b"}" * size
    ),
    "records torn in deep objects": lambda size: many(
        b'{"type":"world_state","payload":{"state":' + b'{"a":' * 30 + event("agent_message", message="x").strip(), size
    ),
    "records between lone carriage returns": lambda size: (
        many(event("agent_message", message="x").strip() + b"\r", size) + b"\n"
    ),
    "numbers with large exponents": lambda size: event("agent_message", message=5).replace(
        b"5}", b"5," + b'"u":[' + b",".join([b"1.5e300"] * (size // 8)) + b"]}"
    ),
    "numbers beyond any float": lambda size: event("agent_message", message=5).replace(
        b"5}", b"5," + b'"u":[' + b",".join([b"1e999"] * (size // 6)) + b"]}"
    ),
    "one long string": lambda size: message("x" * size),
    "quotes": lambda size: message('"' * (size // 2)),
    "backslashes": lambda size: message("\\" * (size // 2)),
    "escapes": lambda size: message("\x00" * (size // 6)),
    "half surrogates": lambda size: message("\ud83d" * (size // 6)),
    "backticks": lambda size: message("`" * size),
    "line ends": lambda size: message("\n" * (size // 2)),
    "blanks": lambda size: message(" " * size),
    "blanks outside strings": lambda size: b"{" + b" " * size + b"}\n",
    "lone carriage returns": lambda size: b"\r" * size + b"\n",
    "empty lines": lambda size: b"\n" * size,
    "quotes alone": lambda size: b'"' * size + b"\n",
    "backslashes alone": lambda size: b"\\" * size + b"\n",
    "bad bytes": lambda size: b"\xff" * size + b"\n",
    "a string without an end": lambda size: b'{"type":"x","payload":"' + b"x" * size + b"\n",
    "torn records on one line": lambda size: many(b'{"type":"response_item","payload":{"type":"', size) + b"\n",
    "whole records on one line": lambda size: many(event("agent_message", message="x").strip(), size) + b"\n",
    "commas": lambda size: b"[" + b"," * size + b"]\n",
    "digits": lambda size: b'{"a":' + b"9" * size + b"}\n",
    "many keys": lambda size: b"{" + b",".join(b'"k%d":1' % n for n in range(size // 9)) + b"}\n",
    "one key many times": lambda size: b"{" + b",".join([b'"k":1'] * (size // 6)) + b"}\n",
    "many unknown keys in a record": lambda size: event("agent_message", **{f"k{n}": n for n in range(size // 12)}),
    "many content parts": lambda size: record(
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}] * (size // 36)}
    ),
    "wrong content parts": lambda size: record({"type": "message", "role": "user", "content": [5] * (size // 3)}),
    "calls without results": lambda size: b"".join(call(f"c{n}") for n in range(size // 150)),
    "calls of one id": lambda size: many(call("c"), size),
    "results without calls": lambda size: many(output("x", "none"), size),
    "turns without an end": lambda size: b"".join(event("task_started", turn_id=f"t{n}") for n in range(size // 110)),
    "turns of one id": lambda size: many(
        event("task_started", turn_id="t") + event("task_complete", turn_id="t"), size
    ),
    "rollbacks": lambda size: many(event("thread_rolled_back", num_turns=3), size),
    "rolled back turns": lambda size: (
        many(event("task_started", turn_id="t") + event("task_complete", turn_id="t"), size)
        + many(event("thread_rolled_back", num_turns=2), size // 4)
    ),
    "headers": lambda size: many(record({"id": "x", "timestamp": "y"}, "session_meta"), size),
    "token counts": lambda size: many(
        event("token_count", info={"total_token_usage": {"input_tokens": 1}, "last_token_usage": {}}), size
    ),
    "equal messages": lambda size: many(message("x") + event("user_message", message="x"), size),
    "compactions": lambda size: many(record({"message": "x", "replacement_history": []}, "compacted"), size),
    "a long kept history": lambda size: record(
        {"message": "", "replacement_history": [{"type": "message", "role": "user", "content": []}] * (size // 55)},
        "compacted",
    ),
    "unknown kinds": lambda size: b"".join(event(f"new_{n}") for n in range(size // 90)),
    "beginnings of secrets": lambda size: message("sk-" * (size // 3)),
    "nearly secrets": lambda size: message("eyJ" * (size // 3)),
    "secrets": lambda size: message(("AKIA" + "A1B2" * 4 + " ") * (size // 21)),
    "links": lambda size: message("https://x.example/a " * (size // 20)),
    "slashes": lambda size: message("/" * size),
    "paths": lambda size: message("/home/ada/loom/x " * (size // 17)),
    "a patch of many files": lambda size: call("c", json.dumps({"input": "*** Update File: a\n" * (size // 22)})),
    "control characters": lambda size: message("\x1b[31m\u202e\u200b" * (size // 20)),
    "combining marks": lambda size: message("e" + "\u0301" * (size // 6)),
    "emoji": lambda size: message("🍵" * (size // 12)),
    "a long head of an output": lambda size: output("Wall time: " * (size // 11)),
    "scripts": lambda size: output("Script running with cell ID x\nWall time 1\n" * (size // 42)),
    "inline images": lambda size: message("data:image/png;base64," + "A" * size),
    "sealed reasoning": lambda size: record(
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAA" * (size // 6)}
    ),
}


def everything(data: bytes) -> object:
    document = Document("file:///rollout-x.jsonl", 1, [data])
    sent = ask_of_all(document)
    lines = list(document.buffer)
    for line in (lines[0], lines[len(lines) // 2], lines[-1]):
        for offset in (0, line.size // 2, max(0, line.size - 3)):
            ask_at(document, line, offset)
    return sent


def test_growth_of_slow_files(told) -> None:  # type: ignore[no-untyped-def]
    """How every feature together grows with files made to be slow."""
    worst: list[tuple[float, float, str]] = []
    for name, make in SLOW.items():
        found = growth(SIZES, lambda size, make=make: partial(everything, make(size)), rounds=1)  # type: ignore[misc]
        if found.exponent > LINEAR:
            found = min(found, growth(SIZES, lambda size, make=make: partial(everything, make(size)), rounds=4))  # type: ignore[misc]
        worst.append((found.exponent, found.seconds[-1] * (1 << 20) / len(make(SIZES[-1])), name))
    worst.sort(reverse=True)
    exponent, _, name = worst[0]
    _, slowest, slow_name = max(worst, key=lambda one: one[1])
    told.say(
        f"{len(SLOW)} sorts of files; at most size to the power of {exponent:.2f} ({name}); "
        f"all {OF_ALL + 9 * AT_A_PLACE} questions together take at most {slowest:.1f} s a megabyte ({slow_name})",
        f"at most {LINEAR}",
    )
    assert exponent <= LINEAR, [(f"{one:.2f}", f"{seconds:.2f}", name) for one, seconds, name in worst[:12]]


def test_growth_of_the_wire(told) -> None:  # type: ignore[no-untyped-def]
    """How reading messages grows with their size, short ones and long ones."""
    worst = 0.0
    for make in (
        lambda size: b'{"jsonrpc":"2.0","method":"x","params":{"text":"' + b"\\n" * (size // 2) + b'"}}',
        lambda size: b'{"jsonrpc":"2.0","method":"x","params":{"text":"' + b"\\\\" * (size // 2) + b'"}}',
        lambda size: b'{"jsonrpc":"2.0","method":"x","params":{"text":"' + b'\\"' * (size // 2) + b'"}}',
        lambda size: b'{"jsonrpc":"2.0","method":"x","params":{"text":"' + b"\\ud83d" * (size // 6) + b'"}}',
        lambda size: b'{"text":"' * (size // 9),
        lambda size: b"[" * size,
        lambda size: b'{"id":1,"jsonrpc":"2.0","method":"x","params":' + b"[" * (size // 2) + b"]" * (size // 2) + b"}",
        lambda size: b'{"jsonrpc":"2.0","method":"x","params":[' + b'{"text":"foo"},' * (size // 15) + b"5]}",
        lambda size: b"content-length" * (size // 14),
        lambda size: b"\xff" * size,
    ):
        for header in (b"Content-Length: %d\r\n\r\n", b"Content-Length: %d7\r\n\r\n", b"x\r\n"):

            def prepare(size: int, make: Any = make, header: bytes = header) -> Callable[[], object]:
                body = make(size)
                data = [(header % len(body) if b"%" in header else header) + body]
                return lambda: list(read_messages(Frames(lambda _: data.pop() if data else b"")))

            for sizes in MESSAGES:
                found = growth(sizes, prepare, rounds=1)
                if found.exponent > LINEAR:
                    found = min(found, growth(sizes, prepare, rounds=4))
                worst = max(worst, found.exponent)
                assert found.exponent <= LINEAR, (found, make(60), header)
    told.say(f"30 sorts of messages; at most size to the power of {worst:.2f}", f"at most {LINEAR}")
