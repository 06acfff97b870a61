"""However its client ends, the process ends: soon, without a traceback, and without work while nobody asks anything."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from scale import SLACK, SOON_SECONDS

from wire_client import COMMAND, PULLING, Wire

URI = "file:///big.jsonl"
LINE = '{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"agent_message","message":"%s"}}\n'
BAR = "1 s"
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs signals and /proc")

CLIENT = """
import json, os, subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    server.stdin.flush()
send({"id": 1, "method": "initialize", "params": {"processId": os.getpid(), "capabilities": {}}})
server.stdout.read(20)
send({"method": "initialized", "params": {}})
text = TEXT * 40_000
document = {"uri": "file:///big.jsonl", "languageId": "jsonl", "version": 1, "text": text}
if os.environ.get("BUSY"):
    send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
sys.stderr.write("ready\\n")
sys.stderr.flush()
time.sleep(60)
""".replace("TEXT", repr(LINE % "x"))


def seconds_to_end(wire: Wire, how: Any, code: int | None = 1) -> float:
    """Seconds from ``how`` to the end of the process."""
    began = time.monotonic()
    how()
    ended = wire.code(SOON_SECONDS * 10)
    assert code is None or ended == code
    seconds = time.monotonic() - began
    time.sleep(0.1)
    assert b"Traceback" not in wire.log
    assert wire.stray == b""
    assert seconds < SOON_SECONDS * SLACK
    return seconds


def close_input(wire: Wire) -> Any:
    assert wire.process.stdin is not None
    return wire.process.stdin.close


@pytest.mark.parametrize("state", ["fresh", "idle", "busy"])
def test_closed_input(told, state: str) -> None:  # type: ignore[no-untyped-def]
    """Closed input."""
    with Wire(capabilities=None if state == "fresh" else PULLING) as wire:
        if state == "fresh":
            wire.ask("no/such", None)
        if state == "busy":
            wire.open(URI, LINE % "x" * 200_000)
            wire.post("textDocument/diagnostic", {"textDocument": {"uri": URI}})
            time.sleep(0.3)
        told.say(f"ended after {seconds_to_end(wire, close_input(wire)):.2f} s, code 1", BAR)


def test_closed_input_within_a_message(told) -> None:  # type: ignore[no-untyped-def]
    """Closed input in the middle of a didOpen of 50 MB."""
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "method": "textDocument/didOpen",
            "params": {"textDocument": {"uri": URI, "languageId": "jsonl", "version": 1, "text": LINE % "x" * 450_000}},
        }
    ).encode()
    assert len(body) > 50_000_000
    with Wire(capabilities=PULLING) as wire:
        wire.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body[: len(body) // 2])
        told.say(f"ended after {seconds_to_end(wire, close_input(wire)):.2f} s, code 1", BAR)


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_a_terminated_server(told, busy: bool) -> None:  # type: ignore[no-untyped-def]
    """SIGTERM."""
    with Wire(capabilities=PULLING) as wire:
        if busy:
            wire.open(URI, LINE % "x" * 200_000)
            time.sleep(0.3)
        seconds = seconds_to_end(wire, lambda: wire.process.send_signal(signal.SIGTERM), None)
        told.say(f"ended after {seconds:.2f} s", BAR)


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_a_killed_client(told, busy: bool) -> None:  # type: ignore[no-untyped-def]
    """kill -9 of the client that started the server."""
    environment = {**os.environ, "BUSY": "1" if busy else ""}
    command = [sys.executable, "-c", CLIENT, *COMMAND]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as client:
        assert client.stderr is not None
        assert client.stderr.readline() == b"ready\n"
        began = time.monotonic()
        client.kill()
        said = client.stderr.read()  # ends when the server, which holds the other end too, is gone
        seconds = time.monotonic() - began
    assert said == b""
    assert seconds < SOON_SECONDS * SLACK
    told.say(f"ended after {seconds:.2f} s, nothing on stderr", BAR)


def test_a_parent_that_is_gone(told) -> None:  # type: ignore[no-untyped-def]
    """The parent named in initialize is gone while the pipes stay open."""
    parent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with parent, Wire(capabilities=PULLING, processId=parent.pid) as wire:
        wire.ask("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}})
        told.say(f"ended after {seconds_to_end(wire, parent.kill):.2f} s, code 1", BAR)


def test_a_closed_output(told) -> None:  # type: ignore[no-untyped-def]
    """The reading end of the output is closed."""
    with Wire(capabilities=PULLING) as wire:
        assert wire.process.stdout is not None
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, wire.process.stdout.fileno())
        os.close(null)

        def ask() -> None:
            with contextlib.suppress(BrokenPipeError):
                for _ in range(1000):  # the first answers still reach who is in the middle of reading
                    if wire.process.poll() is not None:
                        break
                    wire.post("no/such", None)
                    time.sleep(0.01)

        told.say(f"ended after {seconds_to_end(wire, ask):.2f} s, code 1", BAR)


def test_no_work_without_a_question(told) -> None:  # type: ignore[no-untyped-def]
    """Processor time of an idle server."""
    with Wire(capabilities=PULLING, processId=os.getpid()) as wire:
        wire.open(URI, LINE % "x" * 5000)
        wire.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        time.sleep(1.5)
        before = cpu_seconds(wire.process.pid)
        time.sleep(2)
        used = cpu_seconds(wire.process.pid) - before
        assert wire.end() == 0
    assert used <= 0.03
    told.say(f"{used * 1000:.0f} ms within 2 s", "next to nothing")


def cpu_seconds(process_id: int) -> float:
    fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
