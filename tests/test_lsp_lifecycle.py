"""The life of the server's process on the wire: what is refused when, one answer each, and how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from typing import Any

import pytest

from rollout_ls import __version__
from rollout_ls.features.legend import MARKS, SORTS
from wire_client import PULLING, PUSHED, Wire

HOVER = {"textDocument": {"uri": "file:///none.jsonl"}, "position": {"line": 0, "character": 0}}
LINE = '{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"agent_message","message":"x"}}\n'
SOON_SECONDS = 2.0
"""Ends come within a second; the rest is for a busy machine."""


def code_of(answer: dict[str, Any]) -> int:
    code = answer["error"]["code"]
    assert isinstance(code, int)
    return code


def test_a_life_in_order() -> None:
    with Wire(capabilities=PULLING) as wire:
        assert wire.initialized["serverInfo"] == {"name": "rollout-ls", "version": __version__}
        assert wire.result("shutdown", None) is None
        assert code_of(wire.ask("textDocument/hover", HOVER)) == -32600
        assert code_of(wire.ask("shutdown", None)) == -32600
        wire.notify("exit", None)
        assert wire.code() == 0
        assert set(wire.answers.values()) == {1}
        assert wire.stray == b""
        assert wire.log == b""


def test_nothing_is_answered_before_initialize() -> None:
    with Wire() as wire:
        for method in ("textDocument/hover", "shutdown", "no/such", "workspace/executeCommand"):
            assert code_of(wire.ask(method, HOVER)) == -32002
        wire.notify("textDocument/didOpen", {"textDocument": {"uri": "u", "languageId": "l", "version": 1, "text": ""}})
        assert code_of(wire.ask("initialize", [])) == -32602
        assert "capabilities" in wire.ask("initialize", {"capabilities": {}})["result"]
        assert code_of(wire.ask("initialize", {"capabilities": {}})) == -32600
        assert wire.end() == 0


@pytest.mark.parametrize("after", ["nothing", "initialize"])
def test_exit_without_shutdown_is_an_error(after: str) -> None:
    with Wire(capabilities=PULLING if after == "initialize" else None) as wire:
        wire.notify("exit", None)
        assert wire.code() == 1


def test_the_end_of_the_input_ends_the_process() -> None:
    for shut_down in (False, True):
        with Wire(capabilities=PULLING) as wire:
            if shut_down:
                wire.ask("shutdown", None)
            assert wire.process.stdin is not None
            began = time.monotonic()
            wire.process.stdin.close()
            assert wire.code() == (0 if shut_down else 1)
            assert time.monotonic() - began < SOON_SECONDS


def test_the_end_of_the_input_ends_work_too() -> None:
    with Wire(capabilities=PULLING) as wire:
        wire.open("file:///big.jsonl", LINE * 200_000)
        wire.post("textDocument/diagnostic", {"textDocument": {"uri": "file:///big.jsonl"}})
        assert wire.process.stdin is not None
        time.sleep(0.5)
        began = time.monotonic()
        wire.process.stdin.close()
        assert wire.code() == 1
        assert time.monotonic() - began < SOON_SECONDS


def test_what_was_asked_before_the_end_of_the_input_is_answered() -> None:
    with Wire(capabilities=PULLING) as wire:
        wire.open("file:///a.jsonl", "{}\n")
        ident = wire.post("textDocument/documentSymbol", {"textDocument": {"uri": "file:///a.jsonl"}})
        assert wire.process.stdin is not None
        wire.process.stdin.close()
        assert "result" in wire.answer(ident)


def test_a_shutdown_answers_what_is_open() -> None:
    with Wire(capabilities=PULLING) as wire:
        wire.open("file:///big.jsonl", LINE * 200_000)
        waiting = [wire.post("textDocument/diagnostic", {"textDocument": {"uri": "file:///big.jsonl"}}) for _ in "12"]
        last = wire.post("shutdown", None)
        assert wire.answer(last)["result"] is None
        assert [code_of(wire.answer(ident)) for ident in waiting] == [-32802, -32802]
        late = wire.post("textDocument/hover", HOVER)
        assert code_of(wire.answer(late)) == -32600
        wire.notify("exit", None)
        assert wire.code() == 0


def test_a_client_that_reads_no_more_ends_the_process() -> None:
    with Wire(capabilities=PULLING) as wire:
        assert wire.process.stdout is not None
        os.close(os.dup(wire.process.stdout.fileno()))
        reader = wire.process.stdout.fileno()
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, reader)  # the reading end is gone, the writing end notices at its next message
        os.close(null)
        with contextlib.suppress(BrokenPipeError):
            for _ in range(1000):  # what a busy machine answers in one piece still reaches the reader
                if wire.process.poll() is None:
                    wire.post("textDocument/hover", HOVER)
                    time.sleep(0.01)
        assert wire.code() == 1


@pytest.mark.skipif(sys.platform == "win32", reason="the parent is not watched there")
def test_a_parent_that_is_gone_ends_the_process() -> None:
    parent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        with Wire(capabilities=PULLING, processId=parent.pid) as wire:
            assert wire.ask("textDocument/hover", HOVER)["result"] is None
            began = time.monotonic()
            parent.kill()
            assert wire.code() == 1
            assert time.monotonic() - began < SOON_SECONDS
    finally:
        parent.kill()
        parent.wait()


def test_each_malformed_message_has_at_most_one_answer_and_costs_no_other() -> None:
    bodies = (
        b"{",
        b"",
        b"[]",
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":"a","method":"textDocument/hover"',
        b'{"jsonrpc":"2.0","id":[],"method":"textDocument/hover"}',
        b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":[]}}',
        b'{"jsonrpc":"2.0","method":"$/cancelRequest"}',
        b'{"jsonrpc":"2.0","method":"$/unknown","params":5}',
        b'{"jsonrpc":"2.0","method":"no/such"}',
        b'{"jsonrpc":"2.0","method":"textDocument/hover","params":{}}',
        b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":5}}}',
        b'{"jsonrpc":"2.0","method":"textDocument/didOpen"}',
        b'{"jsonrpc":"2.0","method":"textDocument/didChange","params":[1]}',
        b'{"jsonrpc":"2.0","method":"textDocument/didClose","params":null}',
        b'{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///never"}}}',
        b'{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":"\\ud800"}}',
        b'{"jsonrpc":"2.0","method":"notebookDocument/didOpen","params":{}}',
        b'{"jsonrpc":"2.0","id":"never asked","result":null}',
        b'{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}',
        b"\xef\xbb\xbf{}",
        b"\x00" * 40,
    )
    with Wire(capabilities=PULLING) as wire:
        for body in bodies:
            wire.body(body)
            assert wire.ask("textDocument/hover", HOVER)["result"] is None
        assert wire.end() == 0
        assert all(count == 1 for ident, count in wire.answers.items() if ident is not None)
        assert wire.stray == b""
        assert b"Traceback" not in wire.log


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", None),
        ("textDocument/hover", []),
        ("textDocument/hover", {}),
        ("textDocument/hover", {"textDocument": {"uri": "u"}}),
        ("textDocument/hover", {"textDocument": {"uri": 5}, "position": {"line": 0, "character": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": "u"}, "position": {"line": -1, "character": 0}}),
        ("textDocument/definition", {"textDocument": {"uri": "u"}, "position": {"line": 0.5, "character": 0}}),
        ("textDocument/references", {"textDocument": {"uri": "u"}, "position": {"line": "0", "character": 0}}),
        ("textDocument/documentHighlight", {"textDocument": "u"}),
        ("textDocument/documentSymbol", "text"),
        ("textDocument/foldingRange", {"textDocument": None}),
        ("textDocument/diagnostic", {"textDocument": {"uri": "u"}, "previousResultId": 5}),
        ("workspace/executeCommand", {}),
        ("workspace/executeCommand", {"command": "no.such"}),
    ],
)
def test_bad_parameters_are_said_to_be_so(running: Wire, method: str, params: Any) -> None:
    assert code_of(running.ask(method, params)) == -32602


@pytest.mark.parametrize("method", ["no/such", "$/no/such", "textDocument/rename", "textDocument/didOpen", "exit", ""])
def test_an_unknown_request_is_said_to_be_so(running: Wire, method: str) -> None:
    assert code_of(running.ask(method, {})) == -32601


@pytest.mark.parametrize("ident", ['"a"', "0", "-5", '""', "12345678901234567890123", '"\\u00e9"'])
def test_any_id_is_answered_as_it_came(running: Wire, ident: str) -> None:
    running.body(b'{"jsonrpc":"2.0","id":%b,"method":"no/such"}' % ident.encode())
    answer = running.wait_for(lambda message: message.get("error", {}).get("code") == -32601)
    assert answer["id"] == json.loads(ident)


@pytest.fixture(scope="module")
def running() -> Any:
    with Wire(capabilities=PULLING) as wire:
        yield wire
        assert wire.end() == 0
        assert all(count == 1 for count in wire.answers.values())


@pytest.mark.parametrize(
    "params",
    [
        {"capabilities": None},
        {"capabilities": "all of them", "processId": "mine", "workspaceFolders": 5, "rootUri": []},
        {
            "capabilities": {"general": {"positionEncodings": ["utf-64", 5]}},
            "trace": "loud",
            "initializationOptions": 5,
        },
        {"capabilities": {"textDocument": {"hover": {"contentFormat": ["html", "markdown"]}, "diagnostic": True}}},
        {"capabilities": {"textDocument": {"documentSymbol": {"symbolKind": {"valueSet": [1, 99, "new"]}}}}},
        {"capabilities": {"experimental": {"\ud800": 1}, "workspace": {"workspaceEdit": {"failureHandling": "retry"}}}},
        {"capabilities": {}, "clientInfo": {"name": 5}, "locale": None, "initializationOptions": {"rollout": [1]}},
    ],
)
def test_unknown_words_in_initialize_do_no_harm(params: dict[str, Any]) -> None:
    with Wire() as wire:
        result = wire.ask("initialize", params)["result"]
        assert result["capabilities"]["positionEncoding"] == "utf-16"
        assert "diagnosticProvider" not in result["capabilities"]
        assert wire.end() == 0


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-16", "utf-8"], "utf-8"),
        (["utf-8"], "utf-8"),
        (["utf-32", "utf-16"], "utf-16"),
        (["utf-32"], "utf-32"),
        ([], "utf-16"),
        (None, "utf-16"),
    ],
)
def test_the_unit_of_columns_is_chosen(offered: list[str] | None, chosen: str) -> None:
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    with Wire(capabilities=general) as wire:
        assert wire.initialized["capabilities"]["positionEncoding"] == chosen


def test_only_what_is_there_is_offered() -> None:
    with Wire(capabilities=PUSHED) as wire:
        assert wire.initialized["capabilities"] == {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
            "hoverProvider": True,
            "executeCommandProvider": {"commands": ["rollout.status"]},
            "definitionProvider": True,
            "referencesProvider": True,
            "documentHighlightProvider": True,
            "documentSymbolProvider": True,
            "foldingRangeProvider": True,
            "selectionRangeProvider": True,
            "inlayHintProvider": {"resolveProvider": True},
            "codeLensProvider": {"resolveProvider": True},
            "documentLinkProvider": {"resolveProvider": True},
            "semanticTokensProvider": {
                "legend": {"tokenTypes": list(SORTS), "tokenModifiers": list(MARKS)},
                "full": True,
                "range": True,
            },
            "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
        }
    with Wire(capabilities=PULLING) as wire:
        assert wire.initialized["capabilities"]["diagnosticProvider"] == {
            "identifier": "rollout",
            "interFileDependencies": False,
            "workspaceDiagnostics": False,
        }


def test_an_id_in_use_is_refused_and_the_first_is_answered() -> None:
    text = LINE * 100_000
    params = {"textDocument": {"uri": "file:///a.jsonl"}}
    with Wire(capabilities=PULLING) as wire:
        wire.open("file:///a.jsonl", text)
        wire.send({"id": "same", "method": "textDocument/diagnostic", "params": params})
        wire.send({"id": "same", "method": "textDocument/diagnostic", "params": params})
        assert code_of(wire.answer("same")) == -32600
        assert "result" in wire.answer("same")
        assert wire.end() == 0


def test_a_cancel_is_answered_at_once_and_once() -> None:
    text = LINE * 100_000
    params = {"textDocument": {"uri": "file:///a.jsonl"}}
    with Wire(capabilities=PULLING) as wire:
        wire.open("file:///a.jsonl", text)
        waiting = [wire.post("textDocument/diagnostic", params) for _ in range(500)]
        for ident in waiting:
            wire.notify("$/cancelRequest", {"id": ident})
        live = wire.post("textDocument/diagnostic", params)
        assert {code_of(wire.answer(ident)) for ident in waiting} == {-32800}
        assert "result" in wire.answer(live)
        wire.notify("$/cancelRequest", {"id": live})
        assert wire.end() == 0
        assert all(count == 1 for count in wire.answers.values())
        assert len(wire.answers) == 1 + 500 + 1 + 1


def test_a_full_pipe_blocks_neither_reading_nor_cancelling() -> None:
    line = '{"type":"event_msg","payload":{"type":"no such kind %d"}}\n'
    text = "".join(line % number for number in range(400))
    with Wire(capabilities=PULLING) as wire:
        wire.open("file:///a.jsonl", text)
        wire.paused.clear()  # from here on nothing is read
        asked = [wire.post("textDocument/diagnostic", {"textDocument": {"uri": "file:///a.jsonl"}}) for _ in range(100)]
        for version in range(2, 200):
            wire.change("file:///a.jsonl", version, {"text": text})  # would block if the server read no more
        last = wire.post("textDocument/hover", HOVER)
        wire.notify("$/cancelRequest", {"id": last})
        wire.paused.set()
        assert all("result" in wire.answer(ident) for ident in asked)
        wire.answer(last)
        assert wire.end() == 0
