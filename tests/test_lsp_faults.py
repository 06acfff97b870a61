"""What goes wrong inside costs one request at most, and tells nothing of a document."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pygls.capabilities
import pygls.lsp.server
import pygls.protocol
import pytest

from rollout_ls.lsp import protocol
from rollout_ls.lsp.logs import describe
from wire_client import PULLING, Wire

CANARY = "canary-4711-äöü"
URI = "file:///rollout-x.jsonl"
PLACE = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
LINE = '{"timestamp":"2026-02-03T10:00:01.000Z","type":"event_msg","payload":{"type":"agent_message","message":"%s"}}\n'


def server_with(code: str) -> tuple[str, ...]:
    """A server whose core was tampered with."""
    return (sys.executable, "-c", f"{code}\nfrom rollout_ls.lsp.server import main\nmain()")


FAILING_HOVER = f"""
import rollout_ls.features.hover as module
def hover(session, line, offset, surroundings, *, markdown=True):
    raise KeyError({CANARY!r} + str(line.data))
module.hover = hover
"""
FAILING_PASS = f"""
import rollout_ls.workspace.document as module
def steps(self):
    if self.version == 1:
        raise ValueError({CANARY!r})
    yield from original(self)
original = module.Document.steps
module.Document.steps = steps
"""
ODD_HOVER = """
import rollout_ls.features.hover as module
from rollout_ls.text.rows import Place
module.hover = lambda session, line, *given, **named: module.Hover(Place(line, 0, 5), object())
"""
PRINTING_HOVER = f"""
import os, sys
import rollout_ls.features.hover as module
original = module.hover
def hover(*given, **named):
    print({"stray"!r})
    os.write(1, b"stray")
    sys.__stdout__.write("stray")
    sys.__stdout__.flush()
    return original(*given, **named)
module.hover = hover
"""


@pytest.mark.parametrize("code", [FAILING_HOVER, ODD_HOVER])
def test_a_handler_that_fails_costs_one_request(code: str) -> None:
    with Wire(capabilities=PULLING, command=server_with(code)) as wire:
        wire.open(URI, LINE % CANARY)
        error = wire.ask("textDocument/hover", PLACE)["error"]
        assert error["code"] == -32603
        assert wire.result("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        assert wire.end() == 0
        told = str(error) + wire.log.decode()
        assert "canary" not in told
        assert "Traceback" not in told


def test_a_failure_is_found_in_the_log_by_its_id() -> None:
    with Wire(capabilities=PULLING, command=server_with(FAILING_HOVER)) as wire:
        wire.open(URI, LINE % CANARY)
        found = re.search(r"internal error (\w{6})\b", wire.ask("textDocument/hover", PLACE)["error"]["message"])
        assert found
        assert wire.end() == 0
        assert f"[{found[1]}] textDocument/hover: KeyError" in wire.log.decode()
        assert "in hover" in wire.log.decode()


def test_a_pass_that_fails_costs_the_answers_about_its_text_only() -> None:
    with Wire(capabilities=PULLING, command=server_with(FAILING_PASS)) as wire:
        wire.open(URI, LINE % CANARY)
        assert wire.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})["error"]["code"] == -32603
        wire.change(URI, 2, {"text": LINE % "healthy"})
        assert wire.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})["kind"] == "full"
        assert wire.end() == 0
        assert "canary" not in wire.log.decode()


def test_what_prints_does_not_break_the_wire() -> None:
    with Wire(capabilities=PULLING, command=server_with(PRINTING_HOVER)) as wire:
        wire.open(URI, LINE % "x")
        assert wire.result("textDocument/hover", PLACE) is not None
        assert wire.end() == 0
        assert wire.stray == b""
        assert wire.log.count(b"stray") == 3


def test_an_exception_is_described_without_its_words() -> None:
    try:
        {}[CANARY]
    except KeyError as error:
        text = describe("there", error)
    assert re.fullmatch(r"there: KeyError\n    test_lsp_faults\.py:\d+ in test_an_exception\w+", text)


def test_nothing_of_a_healthy_or_broken_life_is_logged() -> None:
    fixtures = Path(__file__).parent.parent / "fixtures" / "sessions"
    with Wire(capabilities=PULLING) as wire:
        for number, path in enumerate(sorted(fixtures.glob("*.jsonl"))):
            text = path.read_bytes().decode("utf-8", "replace").replace('"message":"', f'"message":"{CANARY}')
            uri = f"file:///{number}/{CANARY}.jsonl"
            wire.open(uri, text)
            for line in range(0, text.count("\n"), 3):
                place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 90}}
                for method in ("hover", "definition", "references", "documentHighlight"):
                    wire.ask(f"textDocument/{method}", {**place, "context": {"includeDeclaration": True}})
            wire.change(uri, 2, {"range": CANARY, "text": CANARY})
            wire.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        wire.notify("textDocument/didChange", {"textDocument": {"uri": CANARY}, "contentChanges": []})
        wire.ask(CANARY, {CANARY: CANARY})
        wire.body(b'{"jsonrpc":"2.0","id":"%b","method":5}' % CANARY.encode())
        assert wire.end() == 0
        assert "canary" not in wire.log.decode()


def test_the_start_pays_for_nothing_it_does_not_need() -> None:
    code = "import sys, rollout_ls.lsp.server; print(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    unwanted = {"click", "typer", "rich", "zstandard", "rollout_ls.cli", "rollout_ls.formats.codex.catalogue"}
    assert not unwanted & loaded
    assert "rollout_ls.workspace.document" not in loaded


def test_pygls_is_as_it_was_when_it_was_overridden() -> None:
    """Tells, when pygls changes, what has to be looked at again."""
    assert not [name for name in protocol.PYGLS_NAMES if name not in names_of_a_protocol()]
    builder = pygls.capabilities.ServerCapabilitiesBuilder
    assert list(builder.__init__.__annotations__) == [
        "client_capabilities",
        "features",
        "feature_options",
        "commands",
        "text_document_sync_kind",
        "notebook_document_sync",
        "position_encoding",
    ]
    manager = pygls.protocol.LanguageServerProtocol.__init__.__globals__["JsonRPCProtocol"].__init__.__globals__[
        "FeatureManager"
    ]
    assert all(hasattr(manager, name) for name in ("features", "builtin_features", "feature_options", "commands"))


def names_of_a_protocol() -> set[str]:
    server = pygls.lsp.server.LanguageServer("x", "1")
    return {*dir(server.protocol), *vars(server.protocol)}
