"""A word that stands in every text: it comes back in answers, and in nothing else that leaves the process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scale import FIXTURES

from wire_client import COMMAND, PULLING, PUSHED, Wire

CANARY = "Kanarienvogel4711"
TELLING = ("window/logMessage", "$/logTrace", "window/showMessage", "telemetry/event")
DOCUMENTS = ("documentSymbol", "foldingRange", "codeLens", "documentLink", "semanticTokens/full", "diagnostic")
PLACES = ("hover", "definition", "references", "documentHighlight")
BREAKING = f"""
import importlib
def fails(*given, **named):
    raise ValueError("{CANARY}" + repr(given) + repr(named))
for name, function in (
    ("hover", "hover"), ("outline", "outline"), ("navigation", "references"), ("folding", "folds"),
    ("lenses", "lenses"), ("links", "links"), ("tokens", "tokens"), ("hints", "hints"), ("selection", "selections"),
):
    setattr(importlib.import_module("rollout_ls.features." + name), function, fails)
from rollout_ls.lsp.server import main
main()
"""
BROKEN = (sys.executable, "-c", BREAKING)


def sung(data: bytes) -> str:
    """A fixture with the word in all its texts."""
    text = data.decode("utf-8", "replace")
    return re.sub(r'":( ?)"', rf'":\1"{CANARY} ', text)


@pytest.mark.parametrize(
    ("capabilities", "command"),
    [
        pytest.param(PULLING, COMMAND, id="findings are pulled"),
        pytest.param(PULLING, BROKEN, id="findings are pulled, and each feature raises the text"),
        pytest.param(PUSHED, COMMAND, id="findings are pushed"),
        pytest.param(PUSHED, BROKEN, id="findings are pushed, and each feature raises the text"),
    ],
)
def test_nothing_is_told_of_a_text(told, command: Any, capabilities: Any) -> None:  # type: ignore[no-untyped-def]
    """A word in every text of every fixture, looked for in logs, errors, traces and stderr, all of it told."""
    options = {"rollout": {"log": {"level": "debug"}, "rules": {CANARY: "off"}, CANARY: CANARY}}
    with Wire(capabilities=capabilities, command=command, initializationOptions=options, trace="verbose") as wire:
        for number, path in enumerate(FIXTURES):
            data = path.read_bytes()
            for text in (sung(data), data.decode("utf-8", "replace").replace("{", "{" + CANARY)):
                uri = f"file:///{CANARY}/{number}.jsonl"
                wire.open(uri, text)
                document = {"textDocument": {"uri": uri}}
                for method in DOCUMENTS:
                    wire.ask(f"textDocument/{method}", document)
                span = {"start": {"line": 0, "character": 0}, "end": {"line": 60, "character": 0}}
                for method in ("inlayHint", "semanticTokens/range"):
                    wire.ask(f"textDocument/{method}", {**document, "range": span})
                for line in range(0, text.count("\n"), 4):
                    place = {**document, "position": {"line": line, "character": 120}}
                    for method in PLACES:
                        wire.ask(f"textDocument/{method}", {**place, "context": {"includeDeclaration": True}})
                wire.change(uri, 2, {"range": CANARY, "text": CANARY})
                wire.change(uri, 3, {"text": text})
                wire.notify("textDocument/didSave", {**document, "text": CANARY})
                wire.notify("textDocument/didClose", document)
        wire.ask(f"{CANARY}/x", {CANARY: CANARY})
        wire.notify(f"$/{CANARY}", {CANARY: CANARY})
        wire.ask("textDocument/hover", {CANARY: CANARY, "textDocument": {"uri": CANARY}, "position": CANARY})
        wire.ask("workspace/executeCommand", {"command": CANARY, "arguments": [CANARY]})
        wire.ask("rollout/status", {"checksums": CANARY})
        wire.body(b'{"jsonrpc":"2.0","id":1,"method":"%b' % CANARY.encode())
        wire.body(CANARY.encode() * 40)
        wire.raw(CANARY.encode() + b"\r\n")
        wire.notify("$/setTrace", {"value": CANARY})
        wire.notify("workspace/didChangeConfiguration", {"settings": {"rollout": {CANARY: CANARY}}})
        assert wire.end() == 0
        told_lines = [json.dumps(message) for message in wire.heard if message.get("method") in TELLING]
        errors = [message["error"] for message in wire.heard if "error" in message]
        shown = [line for line in told_lines if CANARY in line and "window/showMessage" not in line]
        hits = [*shown, *(one for one in errors if CANARY in json.dumps(one))]
        hits += [line for line in wire.log.decode().split("\n") if CANARY in line]
        assert hits == [], hits[:3]
        assert any("logTrace" in line for line in told_lines)
        if command is BROKEN:
            assert b"ValueError" in wire.log
        else:
            assert sum(json.dumps(message).count(CANARY) for message in wire.heard) > 100
    said = f"{len(told_lines):,} lines of log and trace, {len(errors)} errors, {len(wire.log):,} bytes of stderr"
    told.say(f"0 hits in {said}", "0 hits")


def test_the_command_line_tells_nothing_on_stderr(told, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """The same word looked for on stderr of the commands: hits on stderr."""
    for number, path in enumerate(FIXTURES):
        name = path.name if path.suffix == ".jsonl" else f"rollout-2026-01-01T00-00-0{number % 10}-x.jsonl.zst"
        (tmp_path / name).write_bytes(sung(path.read_bytes()).encode("utf-8", "replace"))
    total = 0
    one = str(next(iter(sorted(tmp_path.iterdir()))))
    for words in (["check", str(tmp_path)], ["outline", one], ["show", one], ["stats", str(tmp_path)]):
        done = subprocess.run([*COMMAND[:-1], *words], capture_output=True, timeout=60, check=False)
        total += len(done.stderr)
        assert CANARY.encode() not in done.stderr, (words, done.stderr[:300])
        assert b"Traceback" not in done.stderr
    told.say(f"0 hits in {total} bytes of stderr", "0 hits")
