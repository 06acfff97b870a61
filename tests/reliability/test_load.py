"""Many messages: cancels by the thousand, a client that does not read, edits without end. Nothing is lost or kept."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from scale import SLACK, pick

from wire_client import COMMAND, PULLING, Wire

MIB = 1 << 20
URI = "file:///a.jsonl"
LINE = '{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"agent_message","message":"%s"}}\n'
AT = {"textDocument": {"uri": URI}, "position": {"line": 3, "character": 5}}
HELD = 64 * MIB
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")


def resident(process_id: int) -> int:
    return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_cancel_storm(told) -> None:  # type: ignore[no-untyped-def]
    """1,000 hovers cancelled, one more asked."""
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, LINE % "x" * 2000)
        wire.result("textDocument/hover", AT)
        before = sum(wire.answers.values())
        idents = [wire.post("textDocument/hover", AT) for _ in range(1000)]
        for ident in idents:
            wire.notify("$/cancelRequest", {"id": ident})
        began = time.monotonic()
        live = wire.post("textDocument/hover", AT)
        assert wire.answer(live)["result"] is not None
        milliseconds = (time.monotonic() - began) * 1000
        for ident in idents:
            wire.answer(ident)
        wire.listen(0.3)
        answers = sum(wire.answers.values()) - before
        cancelled = sum(message.get("error", {}).get("code") == -32800 for message in wire.heard)
        assert answers == 1001
        assert set(wire.answers.values()) == {1}
        assert milliseconds < 100 * SLACK
        assert wire.end() == 0
    told.say(
        f"{answers:,} answers, {cancelled} of them -32800; the live one after {milliseconds:.0f} ms",
        "exactly 1,001 answers; 100 ms",
    )


def test_a_cancel_storm_behind_a_long_pass(told) -> None:  # type: ignore[no-untyped-def]
    """The same while 20 MB are being read, one more document asked."""
    with Wire(capabilities=PULLING) as wire:
        wire.open("file:///small.jsonl", LINE % "x" * 5)
        small = {**AT, "textDocument": {"uri": "file:///small.jsonl"}}
        wire.result("textDocument/hover", small)
        wire.open(URI, LINE % ("x" * 100) * 100_000)
        before = sum(wire.answers.values())
        idents = [wire.post("textDocument/hover", AT) for _ in range(1000)]
        for ident in idents:
            wire.notify("$/cancelRequest", {"id": ident})
        began = time.monotonic()
        assert wire.result("textDocument/hover", small) is not None
        milliseconds = (time.monotonic() - began) * 1000
        for ident in idents:
            assert wire.answer(ident)["error"]["code"] == -32800
        assert sum(wire.answers.values()) - before == 1001
    told.say(f"1,001 answers; the live one after {milliseconds:.0f} ms", "exactly 1,001 answers")


@on_linux
def test_edits_without_growth(told) -> None:  # type: ignore[no-untyped-def]
    """Typing, deleting and appending without growth of memory."""
    edits, warm_up, rounds = pick(3_000, 20_000, shared=False), 400, 6  # Python's memory comes and goes by the MiB
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, "".join(LINE % number for number in range(3000)))

        def type_some(count: int) -> None:
            for number in range(count // 4):
                middle = {"start": {"line": 1500, "character": 90}, "end": {"line": 1500, "character": 90}}
                typed = {"start": {"line": 1500, "character": 90}, "end": {"line": 1500, "character": 91}}
                end = {"start": {"line": 3000, "character": 0}, "end": {"line": 3000, "character": 0}}
                last = {"start": {"line": 3000, "character": 0}, "end": {"line": 3001, "character": 0}}
                for span, text in ((middle, "é"), (typed, ""), (end, LINE % number), (last, "")):
                    wire.change(URI, number, {"range": span, "text": text})
                if number % 10 == 0:
                    wire.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})
                    wire.heard.clear()
            wire.result("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
            wire.listen(0.5)

        def least(count: int) -> int:
            """Memory held after some of so many edits, where least is: answers leave free pages behind, or do not."""
            held = []
            for _ in range(rounds):
                type_some(count)
                held.append(resident(wire.process.pid))
            return min(held[rounds // 2 :])

        before = least(warm_up)
        grown = least(edits // rounds) - before
        assert wire.end() == 0
    assert grown < MIB
    told.say(f"{edits:,} edits after {rounds * warm_up:,} to warm up: {grown / 1024:+.0f} KiB", "less than 1 MiB")


@on_linux
def test_a_full_pipe(told) -> None:  # type: ignore[no-untyped-def]
    """A client that stops reading: the server reads and cancels on, and holds at most 64 MiB of answers."""
    text = LINE % "x" * 900
    start = {"line": 0, "character": 0}
    anchor = {"uri": URI, "version": "0", "row": 0, "offset": 0}
    stale = {"position": start, "label": [{"value": "x" * MIB}], "data": anchor}
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, text)
        size = len(json.dumps(wire.result("inlayHint/resolve", stale)))  # of another text: it comes back as it is
        assert size > MIB
        before = resident(wire.process.pid)
        wire.paused.clear()
        asked = [wire.post("inlayHint/resolve", stale) for _ in range(2 * HELD // size)]
        began = time.monotonic()
        wire.change(URI, 2, {"text": text})  # would block if the server read no more
        late = [wire.post("textDocument/hover", AT) for _ in range(200)]
        for ident in late:
            wire.notify("$/cancelRequest", {"id": ident})
        sent = time.monotonic() - began
        time.sleep(3)
        held = resident(wire.process.pid) - before
        wire.paused.set()
        answers = [wire.answer(ident) for ident in asked]
        cut = sum("error" in answer for answer in answers)
        assert {answer["error"]["code"] for answer in answers if "error" in answer} <= {-32803}
        assert len([wire.answer(ident) for ident in late]) == len(late)
        assert set(wire.answers.values()) == {1}
        assert wire.end() == 0
    assert 0 < cut < len(asked)
    assert held < HELD + 24 * MIB
    told.say(
        f"{len(asked) * size / MIB:.0f} MiB asked for, {held / MIB:.0f} MiB held, {cut} answers cut short, "
        f"each request one answer; writing to it took {sent:.2f} s",
        "64 MiB of answers",
    )


def test_a_log_that_nobody_reads(told) -> None:  # type: ignore[no-untyped-def]
    """Stderr is a full pipe that nobody reads, at the most talkative level."""
    reading, writing = os.pipe()
    code = "import os, sys; os.dup2(int(sys.argv[1]), 2); os.execv(sys.argv[2], sys.argv[2:])"
    try:
        with Wire(
            capabilities=PULLING,
            command=(sys.executable, "-c", code, str(writing), *COMMAND),
            pass_fds=(writing,),
            initializationOptions={"log.level": "debug"},
        ) as wire:
            wire.open(URI, LINE % "x")
            for number in range(5000):
                wire.change("file:///never.jsonl", number, {"text": "x"})
            began = time.monotonic()
            assert wire.result("textDocument/hover", {**AT, "position": {"line": 0, "character": 9}}) is not None
            seconds = time.monotonic() - began
            assert wire.end() == 0
        lines = sum(one.get("method") == "window/logMessage" for one in wire.heard)
        assert lines > 5000
        told.say(f"{lines:,} lines of log, the next request answered after {seconds:.2f} s", "an answer")
    finally:
        os.close(reading)
        os.close(writing)
