"""Troubles that others had with servers and big or growing files: each one made here, and not to be had.

They need no file of their own: a message, an end, a size.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rollout_ls.workspace.document import Change, Document
from wire_client import PULLING, PUSHED, Wire

URI = "file:///rollout-x.jsonl"
MIB = 1 << 20
THREAD = "0199b001-0000-7000-8000-0000000000aa"
HEADER = {"timestamp": "2026-02-03T10:00:00.000Z", "cwd": "/x", "originator": "x", "cli_version": "0.145.0"}


def record(kind: str, payload: dict[str, Any]) -> str:
    return json.dumps({"timestamp": "2026-02-03T10:00:00.000Z", "type": kind, "payload": payload}) + "\n"


def said(text: str) -> str:
    return record("event_msg", {"type": "agent_message", "message": text, "phase": "commentary"})


def call_of(size: int) -> str:
    call = {"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": "z" * size}
    return record("response_item", call) + record("response_item", output)


def resident(process_id: int) -> int:
    return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * 4096


def test_one_line_of_four_megabytes() -> None:
    """No line is copied for each change; memory stays far below ten times the file."""
    text = said("before") + call_of(4_000_000)
    with Wire(capabilities=PULLING) as wire:
        wire.open("file:///small.jsonl", said("x"))
        wire.result("textDocument/diagnostic", {"textDocument": {"uri": "file:///small.jsonl"}})
        before = resident(wire.process.pid) if sys.platform.startswith("linux") else 0
        began = time.monotonic()
        wire.open(URI, text)
        assert wire.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})["kind"] == "full"
        assert time.monotonic() - began < 2  # a second, and room for a busy machine
        at = {"line": 2, "character": 3_000_000}
        for version in range(2, 22):
            wire.change(URI, version, {"range": {"start": at, "end": at}, "text": "y"})
        assert wire.result("textDocument/hover", {"textDocument": {"uri": URI}, "position": at}) is not None
        if sys.platform.startswith("linux"):
            assert resident(wire.process.pid) - before < 10 * len(text)
        assert wire.end() == 0


def test_a_growing_file_costs_what_is_new() -> None:
    """Of a document that grows by a record at a time, only the new lines are read."""
    document = Document(URI, 1, [said("x").encode() * 5000])
    document.finish()
    readings = [line.reading for line in document.buffer]
    for number in range(50):
        row = document.buffer.row_count
        document.edit([Change((row, 0), (row, 0), said(str(number)).encode())], number, "utf-16")
        document.finish()
    kept = [line.reading for line in document.buffer][: len(readings)]
    assert all(one is other for one, other in zip(readings, kept, strict=True))


def test_the_unfinished_last_line_of_a_growing_file_does_not_flicker() -> None:
    """A record that comes in two halves is never said to be an error while it is the last one."""
    new = said("step")
    text = record("session_meta", {**HEADER, "id": THREAD})
    with Wire(capabilities=PUSHED) as wire:
        wire.open(URI, text)
        wire.told("textDocument/publishDiagnostics")
        for number in range(12):
            end = {"line": 1 + number, "character": 0}
            wire.change(URI, 2 * number, {"range": {"start": end, "end": end}, "text": new[:60]})
            time.sleep(0.05)
            half = {"line": 1 + number, "character": 60}
            wire.change(URI, 2 * number + 1, {"range": {"start": half, "end": half}, "text": new[60:]})
            time.sleep(0.05)
        time.sleep(0.5)
        wire.end()
        shown = [one for one in wire.heard if one.get("method") == "textDocument/publishDiagnostics"]
        severities = {found["severity"] for one in shown for found in one["params"]["diagnostics"]}
        assert 1 not in severities
        assert shown[-1]["params"]["diagnostics"] == []


@pytest.mark.parametrize("busy", [False, True])
def test_the_editor_dies(busy: bool) -> None:
    """The process ends within a second, with 1, without a word."""
    with Wire(capabilities=PULLING) as wire:
        if busy:
            wire.open(URI, said("x") * 150_000)
        assert wire.process.stdin is not None
        began = time.monotonic()
        wire.process.stdin.close()
        assert wire.code() == 1
        assert time.monotonic() - began < 2
        assert wire.log == b""


def test_a_newer_editor_shakes_hands() -> None:
    """Made-up words, and null where lists are usual, do no harm."""
    capabilities = {
        "general": {"positionEncodings": ["utf-8", "utf-7x"], "markdown": None},
        "textDocument": {
            "documentSymbol": {"symbolKind": {"valueSet": [1, 2, 999]}, "tagSupport": {"valueSet": None}},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix.future"]}}},
            "hover": {"contentFormat": None},
            "foldingRange": {"rangeLimit": "many", "foldingRangeKind": {"valueSet": ["future"]}},
            "diagnostic": None,
            "semanticTokens": {"requests": None, "tokenTypes": None},
        },
        "workspace": {"workspaceFolders": None, "configuration": "yes", "future": {"x": [None]}},
        "window": None,
        "future": {"a": 1},
    }
    with Wire() as wire:
        params = {"processId": None, "rootUri": None, "workspaceFolders": None, "capabilities": capabilities}
        result = wire.ask("initialize", {**params, "future": [1], "trace": "future"})["result"]
        assert result["capabilities"]["positionEncoding"] == "utf-8"
        wire.notify("initialized", {})
        wire.open(URI, said("x"))
        place = {"line": 0, "character": 9}
        assert wire.result("textDocument/hover", {"textDocument": {"uri": URI}, "position": place})
        assert wire.end() == 0
        assert wire.log == b""


def test_findings_are_never_older_than_what_was_shown() -> None:
    """Twenty quick edits: few publications, versions only grow, the last one's counts, then nothing, once."""
    good, bad = said("x") + said("second"), said("x") + "{\n"
    with Wire(capabilities=PUSHED) as wire:
        wire.open(URI, good)
        wire.told("textDocument/publishDiagnostics")
        for version in range(2, 22):
            wire.change(URI, version, {"text": bad if version % 2 else good})
        time.sleep(1.0)
        wire.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        time.sleep(0.7)
        wire.end()
        shown = [one["params"] for one in wire.heard if one.get("method") == "textDocument/publishDiagnostics"]
        versions = [one["version"] for one in shown if one.get("version") is not None]
        assert versions == sorted(versions)
        assert versions[-1] == 21
        assert len(versions) - 1 <= 3
        assert shown[-2]["diagnostics"] != []
        assert shown[-1]["diagnostics"] == []
        assert shown[-1].get("version") is None


@pytest.mark.parametrize(
    "name",
    ["c%3A/Users/dev/rollout-x%20%281%29.jsonl", "C:/Users/dev/rollout-x (1).jsonl", "home/a%23b%25c/rollout-x.jsonl"],
)
def test_a_document_is_answered_under_the_name_it_was_given(name: str) -> None:
    """However a client spells a URI, findings come back under that spelling, and under no other."""
    uri = f"file:///{name}"
    with Wire(capabilities=PUSHED) as wire:
        wire.open(uri, said("x") + "{\n")
        assert wire.told("textDocument/publishDiagnostics")["params"]["uri"] == uri
        other = uri.replace("c%3A", "C:").replace("%20%281%29", " (1)")
        place = {"position": {"line": 0, "character": 9}}
        assert wire.result("textDocument/hover", {"textDocument": {"uri": other}, **place}) is not None
        found = wire.result("textDocument/references", {"textDocument": {"uri": other}, **place})
        assert {one["uri"] for one in found} == {uri}
        wire.notify("textDocument/didClose", {"textDocument": {"uri": other}})
        wire.end()
        told = {one["params"]["uri"] for one in wire.heard if one.get("method") == "textDocument/publishDiagnostics"}
        assert told == {uri}


def test_a_sibling_is_opened_once(tmp_path: Path) -> None:
    """The way from a child to its parent leads to the URI under which the editor has the parent already."""
    names = [f"rollout-2026-02-03T10-00-0{n}-0199b001-0000-7000-8000-0000000000{n}a.jsonl" for n in (0, 1)]
    folder = tmp_path / "sessions" / "a b (1)"
    folder.mkdir(parents=True)
    ids = [name[-42:-6] for name in names]
    header = {**HEADER, "id": ids[0]}
    texts = [record("session_meta", header), record("session_meta", {**header, "id": ids[1], "forked_from_id": ids[0]})]
    uris = [(folder / name).as_uri() for name in names]
    for name, text in zip(names, texts, strict=True):
        (folder / name).write_text(text)
    odd = uris[0].replace("%20", " ")
    with Wire(capabilities=PULLING, workspaceFolders=[{"uri": folder.as_uri(), "name": "x"}]) as wire:
        wire.open(odd, texts[0])
        wire.open(uris[1], texts[1])
        place = {"line": 0, "character": texts[1].index(ids[0]) + 3}
        found = wire.result("textDocument/definition", {"textDocument": {"uri": uris[1]}, "position": place})
        assert [one["targetUri"] for one in found] == [odd]


def test_nothing_but_messages_is_on_the_output() -> None:
    """Texts at which libraries stumble: surrogates, huge integers, bytes that are no UTF-8."""
    odd = said("x").replace("commentary", "\ud800") + '{"type":"x","payload":{"n":' + "9" * 5000 + "}}\n"
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, odd + "[" * 3000 + "\n" + odd)
        for line in range(4):
            place = {"textDocument": {"uri": URI}, "position": {"line": line, "character": 30}}
            wire.ask("textDocument/hover", place)
        wire.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        assert wire.end() == 0
        assert wire.stray == b""
        told = [line for line in wire.log.split(b"\n") if line and b"a turn of the loop took" not in line]
        assert told == []  # but for how busy the machine is
