"""What the server tells of itself: status, trace, log, slow turns. Numbers and names of methods, nothing of a text."""

from __future__ import annotations

import asyncio
import re
import time
import zlib
from typing import Any

import pytest

from rollout_ls.lsp.measures import BOUNDS_MS, OTHER, Latencies, Turns
from wire_client import PULLING, Wire

URI = "file:///rollout-x.jsonl"
AT = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 9}}
LINE = '{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"agent_message","message":"x"}}\n'


def test_the_status_tells_documents_and_latencies() -> None:
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, LINE * 3, 7)
        for _ in range(5):
            wire.result("textDocument/hover", AT)
        wire.ask("textDocument/hover", None)
        wire.ask("no/such", None)
        wire.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        status = wire.result("rollout/status", {"checksums": True})
        (document,) = status["documents"]
        assert document["uri"] == URI
        assert document["version"] == 7
        assert document["bytes"] == len(LINE) * 3
        assert document["crc32"] == zlib.crc32(LINE.encode() * 3)
        assert document["limits"] == []
        assert status["latency"]["boundsMs"] == list(BOUNDS_MS)
        hovers = status["latency"]["methods"]["textDocument/hover"]
        assert (hovers["count"], hovers["failed"], hovers["cancelled"]) == (6, 1, 0)
        assert sum(hovers["buckets"]) == 6
        assert status["latency"]["methods"][OTHER]["failed"] == 1
        assert status["requests"]["open"] == 1
        assert status["logLevel"] == "warning"
        assert wire.end() == 0


def test_the_status_is_a_command_too() -> None:
    with Wire(capabilities=PULLING) as wire:
        plain = wire.result("rollout/status", None)
        for arguments in ({}, {"arguments": []}, {"arguments": [1, {"x": 2}]}):
            told = wire.result("workspace/executeCommand", {"command": "rollout.status", **arguments})
            assert told.keys() == plain.keys()
        assert "crc32" not in str(told)


def test_a_limit_that_was_reached_is_told() -> None:
    with Wire(capabilities=PULLING, initializationOptions={"limits": {"rowBytes": 1024}}) as wire:
        wire.open(URI, LINE + "x" * 3000 + "\n")
        wire.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        assert wire.result("rollout/status", None)["documents"][0]["limits"] == ["rowBytes"]


def test_a_document_out_of_step_is_told() -> None:
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, LINE)
        wire.change(URI, 2, {"range": 5, "text": "x"})
        assert wire.result("rollout/status", None)["documents"][0]["state"] == "out of step"


def test_the_trace_tells_method_id_time_and_sizes() -> None:
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, LINE)
        wire.result("textDocument/hover", AT)
        assert not traces(wire)
        wire.notify("$/setTrace", {"value": "messages"})
        ident = wire.post("textDocument/hover", AT)
        wire.answer(ident)
        wire.send({"id": 'a"b\n', "method": "secret/method", "params": {}})
        wire.answer('a"b\n')
        wire.change(URI, 2, {"text": LINE * 2})
        wire.notify("$/setTrace", {"value": "verbose"})
        wire.result("rollout/status", None)
        wire.notify("$/setTrace", {"value": "off"})
        wire.result("rollout/status", None)
        wire.end()
        told = traces(wire)
        sizes = r"\d+\.\d ms: \d+ bytes in, \d+ bytes out"
        for words in (rf"textDocument/hover \({ident}\) answered", r"other \(an id\) failed \(-32601\)"):
            assert any(re.fullmatch(f"{words} after {sizes}", one["message"]) for one in told)
        assert any(one["message"].startswith("textDocument/didChange taken in ") for one in told)
        assert {"verbose" in one for one in told} == {True, False}
        assert "secret" not in str(told)


def traces(wire: Wire) -> list[Any]:
    return [one["params"] for one in wire.heard if one.get("method") == "$/logTrace"]


@pytest.mark.parametrize(("level", "lines"), [("error", 0), ("warning", 1), ("debug", 3)])
def test_the_log_goes_to_stderr_and_to_the_client(level: str, lines: int) -> None:
    with Wire(capabilities=PULLING, initializationOptions={"rollout": {"log": {"level": level}}}) as wire:
        wire.open(URI, LINE)
        wire.change("file:///never.jsonl", 1, {"text": "x"})
        wire.result("textDocument/hover", AT)
        wire.end()
        told = [one["params"] for one in wire.heard if one.get("method") == "window/logMessage"]
        assert len(told) >= lines
        assert bool(told) == bool(lines)
        for one in told:
            assert one["message"].encode() in wire.log
        if lines:
            assert [one["type"] for one in told if "not open" in one["message"]] == [2]


def test_a_slow_turn_of_the_loop_is_told_once_a_second() -> None:
    told: list[tuple[float, float, int]] = []
    turns = Turns(lambda *slow: told.append(slow))
    loop = asyncio.SelectorEventLoop(turns)
    try:
        loop.call_soon(time.sleep, 0.06)  # before it is watched
        loop.run_until_complete(asyncio.sleep(0))
        turns.watch()
        loop.run_until_complete(asyncio.sleep(0.001))
        assert told == []
        for _ in range(3):
            loop.call_soon(time.sleep, 0.06)
            loop.run_until_complete(asyncio.sleep(0.001))
    finally:
        loop.close()
    assert len(told) == 1
    assert told[0][0] >= 0.05
    assert told[0][1] < 0.05  # it slept
    assert turns.count == 3


def test_an_answer_counts_in_one_bucket() -> None:
    latencies = Latencies(["known"])
    for seconds in (0, 0.0009, 0.001, 0.0011, 0.05, 1.0, 5.0):
        latencies.add("known", seconds)
    latencies.add("whatever a client wrote", 0, failed=True)
    table = latencies.table()
    assert table["known"]["buckets"] == [3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1]
    assert table["known"]["maxMs"] == 5000
    assert table[OTHER]["failed"] == 1
    assert set(table) == {"known", OTHER}
