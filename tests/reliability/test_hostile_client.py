"""A client that means harm: what ``test_wire_faults`` does not send.

All of it goes to servers that stay; after each case a good request has its good answer, and at the end every request
had exactly one, nothing failed inside, and no word of a text stood in a log or an error.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scale import LONG
from test_load import MIB, on_linux, resident
from test_wire_faults import CANARY, HOVER, LINE, URI, Server, body, framed

from rollout_ls.lsp.client import read_client
from wire_client import PULLING, PUSHED, Wire, uri_of

SPAN = {"start": {"line": 0, "character": 0}, "end": {"line": 10, "character": 0}}
AT = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 90}}
WHOLE = ("documentSymbol", "foldingRange", "codeLens", "documentLink", "semanticTokens/full", "diagnostic")
PLACED = ("hover", "definition", "references", "documentHighlight")
CODES = {-32700, -32600, -32601, -32602, -32603, -32800, -32801, -32802, -32803}


def ask_all(wire: Wire, uri: str, position: dict[str, int]) -> list[dict[str, Any]]:
    """Every feature about a document; all are asked before the first answer is waited for."""
    document = {"textDocument": {"uri": uri}}
    sent = [wire.post(f"textDocument/{method}", document) for method in WHOLE]
    for method in ("inlayHint", "semanticTokens/range"):
        sent.append(wire.post(f"textDocument/{method}", {**document, "range": {**SPAN, "end": position}}))
    placed = {**document, "position": position, "context": {"includeDeclaration": True}}
    sent += [wire.post(f"textDocument/{method}", placed) for method in PLACED]
    sent.append(wire.post("textDocument/selectionRange", {**document, "positions": [position] * 3}))
    for what in ("session", "turn", "record"):
        sent.append(wire.post("rollout/readableUri", {**placed, "what": what}))
    sent += [wire.post("rollout/turns", document), wire.post("rollout/step", {**placed, "to": "next turn"})]
    sent.append(wire.post("rollout/readable", {"uri": f"rollout-read:///session/{uri.removeprefix('file:///')}.md"}))
    return [
        wire.wait_for(lambda one, ident=ident: "method" not in one and one.get("id") == ident, 120) for ident in sent
    ]


# -- frames
def frames() -> Iterator[tuple[bytes, list[Any]]]:
    """(bytes, ids that must be answered)."""
    for number, header in enumerate(
        (
            b"Content-Type: application/vscode-jsonrpc; charset=utf-16\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length: +%d\r\n\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length: %d;x\r\n\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length: 1,2\r\nContent-Length: %d\r\n\r\n",
            b"\xd0\xa1ontent-Length: 5\r\n\xff\xfeContent-Length: 7\r\nContent-Length: %d\r\n\r\n",
            b"X-Long: " + b"y" * (10 * MIB) + b"\r\nContent-Length: %d\r\n\r\n",
            b"X: 1\r\n" * 100_000 + b"Content-Length: %d\r\n\r\n",
            b"\r" * 1000 + b"\nContent-Length: %d\r\n\r\n",
            b"Content-Length: 0\r\n\r\n" * 500 + b"Content-Length: %d\r\n\r\n",
        )
    ):
        data = body(f"f{number}")
        yield header.replace(b"%d", b"%d" % len(data)) + data, [f"f{number}"]
    utf16 = json.dumps({"jsonrpc": "2.0", "id": "u16", "method": HOVER}).encode("utf-16")
    yield framed(utf16) + framed(body("behind u16")), ["behind u16"]
    yield framed(b"\xef\xbb\xbf" + body("marked")) + framed(body("behind mark")), ["behind mark"]
    yield framed(body("nul") + b"\0") + framed(body("behind nul")), ["behind nul"]
    yield framed(body("spaced") + b" " * 100_000), ["spaced"]
    yield framed(b"[" + b",".join(body(number) for number in range(90_000, 90_100)) + b"]"), []
    yield b"".join(framed(body(f"many {number}")) for number in range(500)), [f"many {number}" for number in range(500)]


def test_frames_and_ids(told) -> None:  # type: ignore[no-untyped-def]
    """Odd charsets, headers of megabytes, batches; ids in flight twice, alike, cancelled too early and too late."""
    server = Server(PULLING)
    wire = server.wire
    with wire:
        for data, idents in frames():
            wire.raw(data)
            server.goes_on()
            for ident in idents:
                wire.answer(ident)
        wire.open(URI, LINE % ("x" * 2_000_000) * 4)  # read for a while: the next requests wait
        for ident in (1_000_001, "1000001", -1_000_001, "", " ", "1e6", 2**53, str(2**53), 2**63 - 1):
            wire.body(body(ident, HOVER, AT))
        for ident in (1_000_001, "1000001", -1_000_001, "", " ", "1e6", 2**53, str(2**53), 2**63 - 1):
            assert type(wire.answer(ident)["id"]) is type(ident)
        wire.notify("$/cancelRequest", {"id": "early"})
        wire.body(body("early"))
        assert "result" in wire.answer("early"), "a cancel before its request cancels nothing"
        wire.notify("$/cancelRequest", {"id": "early"})
        wire.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": LINE % ("y" * 2_000_000) * 4}]},
        )
        wire.body(body("twice", "textDocument/diagnostic", AT))
        wire.body(body("twice", HOVER, AT))
        answers = [wire.answer("twice"), wire.answer("twice")]
        server.goes_on()
        wire.answers.pop("twice")
        assert any(one.get("error", {}).get("code") == -32600 for one in answers) or "result" in answers[0]
        for ident in ("rollout-1", "rollout-2", 5, "never"):
            wire.send({"id": ident, "result": {"x": CANARY}})
            wire.send({"id": ident, "error": {"code": "odd", "message": CANARY, "data": [[]]}})
            server.goes_on()
        for method in ("textDocument/semanticTokens/full/delta", "textDocument/formatting", "textDocument/rename"):
            assert wire.ask(method, {**AT, "previousResultId": "none", "newName": CANARY})["error"]["code"] == -32601
        server.end()
    told.say(f"{server.cases} cases, {sum(wire.answers.values()):,} answers", "one answer an id")


# -- initialize
def beginnings() -> list[Any]:
    """Parameters of initialize, every one of them usable."""
    words = ("processId", "clientInfo", "locale", "rootPath", "rootUri", "initializationOptions", "trace")
    names = (*words, "workspaceFolders", "capabilities")
    odd: list[Any] = [None, [], {}, 5, -1, 1.5, "x", True, [None], {"a": None}, [[{}]], "x" * 100_000]
    found: list[Any] = [{}, {"capabilities": {}}, dict.fromkeys(names)]
    found += [{"capabilities": {}, name: value} for name in names for value in odd if name != "processId"]
    parts = ("textDocument", "workspace", "window", "general", "experimental", "notebookDocument")
    found += [{"capabilities": {part: value}} for part in parts for value in odd]
    for deep in ("hover", "documentSymbol", "publishDiagnostics", "foldingRange", "semanticTokens", "inlayHint"):
        found += [{"capabilities": {"textDocument": {deep: value}}} for value in odd]
    found.append({"capabilities": {"general": {"positionEncodings": ["utf-7", None, 5, {}, "utf-32"]}}})
    found += [{"capabilities": {}, "processId": value} for value in (None, "5", [], 1.5, 2**70)]
    return found


def test_beginnings(told) -> None:  # type: ignore[no-untyped-def]
    """Initialize with nothing, nulls and other types everywhere."""
    cases = beginnings()
    for params in cases:
        assert read_client(json.dumps(params).encode()).unit in ("utf-16", "utf-32")
    processes = cases[:3] + cases[3 :: 60 if not LONG else 5]
    for params in processes:
        with Wire() as wire:
            assert "capabilities" in wire.ask("initialize", params)["result"], params
            wire.notify("initialized", None)
            wire.open(URI, LINE % CANARY)
            assert wire.result(HOVER, AT) is not None
            assert wire.end() == 0
            assert b"Traceback" not in wire.log and CANARY.encode() not in wire.log
    told.say(f"{len(cases)} sorts of parameters, {len(processes)} of them each to a process of its own", "all taken")


# -- documents
def some(count: int) -> int:
    """A short run takes an eighth."""
    return count if LONG else count // 8


def texts() -> dict[str, str]:
    """Texts that are no rollouts, or hardly."""
    head = '{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"agent_message","message":'
    good = LINE % CANARY
    return {
        "nothing": "",
        "a mark": "\ufeff",
        "a mark and a record": "\ufeff" + good,
        "line ends": "\n" * some(300_000),
        "returns": "\r" * some(300_000),
        "returns and line ends": "\r\n" * some(100_000),
        "mixed ends": "\r\n\r\r\n\n" * some(50_000) + good,
        "NULs": "\0" * some(500_000),
        "NULs in a record": good.replace(CANARY, "\0" * 1000),
        "separators": "\u2028\u2029\x85\x0b\x0c" * some(100_000),
        "one line": head + '"' + "x" * some(8_000_000) + '"}}\n',
        "one line of emoji": head + '"' + "🍵" * some(1_000_000) + '"}}\n',
        "quotes": '"' * some(1_000_001),
        "backslashes": head + '"' + "\\" * some(1_000_001) + '"}}\n',
        "open brackets": "[" * some(1_000_000),
        "nesting": head + "[" * 100_000 + "]" * 100_000 + "}}\n" + good,
        "nesting of objects": '{"a":' * 100_000 + "1" + "}" * 100_000 + "\n" + good,
        "a key of a megabyte": '{"' + "k" * some(1_000_000) + '":1}\n' + good,
        "many keys": "{" + ",".join(f'"k{number}":1' for number in range(some(100_000))) + "}\n",
        "one key many times": "{" + '"type":"x",' * some(100_000) + '"a":1}\n' + good,
        "numbers": head + "1" + "0" * 400 + ',"n":-' + "9" * some(300_000) + ',"m":1e999,"o":-0.0e-999}}\n',
        "half pairs": head + '"\ud83d' + "\\ud83d" * 1000 + '"}}\n' + good,
        "records on a line": good.rstrip("\n") * some(20_000),
        "empty objects": "{}" * some(300_000),
        "no JSON": "\x1b[31m<script>`" * some(100_000),
    }


@pytest.mark.parametrize("capabilities", [PULLING, PUSHED], ids=["pulling", "pushed to"])
def test_hostile_documents(told, capabilities: dict[str, Any]) -> None:  # type: ignore[no-untyped-def]
    """Texts of nothing but ends, brackets, quotes, halves: every feature at once, edits, closed in the midst."""
    server = Server(capabilities)
    wire, failures = server.wire, 0
    with wire:
        for number, (name, text) in enumerate(texts().items()):
            uri = f"file:///hostile/rollout-{number}.jsonl"
            wire.open(uri, text)
            for position in ({"line": 0, "character": 1}, {"line": 1, "character": 5}, {"line": 2**31, "character": 9}):
                for answer in ask_all(wire, uri, position):
                    failures += "error" in answer
                    assert answer.get("error", {}).get("code", -32803) in CODES - {-32603}, (name, answer)
                wire.change(uri, 2, {"range": {"start": position, "end": position}, "text": "\n{"})
            if number % 2:
                wire.post("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
                wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            wire.heard.clear()
            server.goes_on()
        wire.listen(0.3)
        server.end()
    said = f"{server.cases} texts, {sum(wire.answers.values()):,} answers, {failures} refused"
    told.say(said, "one answer an id, none failed")


# -- the world around
def test_floods(told, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Folders, watched files and settings that change without end, with values of every type."""
    server = Server({**PULLING, "workspace": {**PULLING["workspace"], "configuration": False}})
    wire = server.wire
    path = tmp_path / "rollout-2026-01-01T00-00-00-x.jsonl"
    path.write_text(LINE % CANARY)
    odd: list[Any] = [None, [], {}, 5, -1, 10**30, 1.5, "", "x" * 50_000, True, [None] * 1000, {"a": {"b": [{}]}}]
    keys = ("rules", "hover", "hints", "limits", "log", "codeLens", "minimumSeverity", "commands", "x.y")
    with wire:
        wire.open(uri_of(path), path.read_text())
        for key, value in itertools.product(keys, odd):
            wire.notify("workspace/didChangeConfiguration", {"settings": {"rollout": {key: value}}})
            server.cases += 1
        deep: Any = {}
        for _ in range(900):
            deep = {"limits": deep}
        for settings in (*odd, {"rollout": None}, {"rollout": odd}, {"rollout": {"limits": {"rowBytes": -5}}}, deep):
            wire.notify("workspace/didChangeConfiguration", {"settings": settings})
            server.goes_on()
        wire.notify("workspace/didChangeConfiguration", {"settings": {"rollout": {f"k{n}": n for n in range(20_000)}}})
        server.goes_on()
        for number in range(300):
            added = [
                {"uri": uri, "name": "x"} for uri in (tmp_path.as_uri(), "", "x", "file://host/x", f"file:///{number}")
            ]
            wire.notify(
                "workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": added[: number % 4]}}
            )
            wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(path), "type": 9}] * 50})
            wire.notify("window/workDoneProgress/cancel", {"token": f"rollout-progress-{number}"})
            wire.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(path)}})
            server.cases += 4
        server.goes_on()
        assert wire.result(HOVER, {"textDocument": {"uri": uri_of(path)}, "position": {"line": 0, "character": 5}})
        wire.listen(0.5)
        server.end()
    told.say(f"{server.cases:,} notifications", "each followed by a good answer")


FORGED_PATHS = (
    *(
        "/etc/passwd",
        "//etc/passwd",
        "../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "etc/passwd%00.jsonl",
        "dev/zero.jsonl",
    ),
    *(
        "%5c%5chost%5cshare%5crollout-a.jsonl",
        "host/share/rollout-a.jsonl",
        "C:/rollout-a.jsonl",
        "c%3A%5Crollout-a.jsonl",
    ),
    *("x" * 5000 + "/rollout-a.jsonl", "a/" * 3000 + "rollout-a.jsonl", "rollout-a.jsonl", ".", "", "%", "%zz", "%ff"),
    *(
        "proc/self/environ",
        "proc/self/fd/0",
        "tmp/rollout-\ud800.jsonl",
        "tmp/rollout-\n.jsonl",
        "tmp/rollout-?#.jsonl",
    ),
)


def test_forged_addresses_and_data(told, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Addresses of documents to read that nobody gave; data of hints, lenses and links that nobody sent."""
    server = Server({**PULLING, "workspace": {**PULLING["workspace"], "textDocumentContent": {}}})
    wire = server.wire
    secret = tmp_path / "secret"
    secret.write_text(f"{CANARY} secret")
    link = tmp_path / "rollout-link.jsonl"
    link.symlink_to(secret)
    shown = 0
    given = [*FORGED_PATHS, str(secret), str(link), str(tmp_path), f"{tmp_path}/../{tmp_path.name}/secret"]
    with wire:
        wire.open(URI, LINE % CANARY)
        for lead, end in (("session/", ".md"), ("turn/1/", ".md"), ("record/1/", ".json"), ("text/", "")):
            for path in given:
                for scheme in ("rollout-read:///", "rollout-read:/", "ROLLOUT-READ:///", "rollout-read://host/"):
                    uri = f"{scheme}{lead}{path.lstrip('/') if 'host' in scheme else path}{end}"
                    for method in ("workspace/textDocumentContent", "rollout/readable"):
                        answer = wire.ask(method, {"uri": uri})
                        assert "secret" not in json.dumps(answer.get("result", "")), uri
                        assert answer.get("error", {}).get("code", -32803) in (-32602, -32803), (uri, answer)
                        shown += "result" in answer
                    server.cases += 1
            server.goes_on()
        for method in ("rollout/turns", "rollout/documentStatus", "rollout/checkFile", "rollout/forgetFile"):
            for path in given:
                answer = wire.ask(method, {"textDocument": {"uri": f"file:///{path.lstrip('/')}"}})
                assert "secret" not in json.dumps(answer.get("result", ""))
                server.cases += 1
        ends: tuple[Any, ...] = (None, "", "x", URI, "file:///none", 5, [], 2**70, -1, 1.5, True)
        for uri, number in itertools.product(ends, ends):
            data = {
                "uri": uri,
                "version": number,
                "row": number,
                "offset": number,
                "sort": uri,
                "path": uri,
                "thread": uri,
            }
            for method, more in (
                ("inlayHint/resolve", {"position": SPAN["start"], "label": [{"value": "x"}]}),
                ("codeLens/resolve", {"range": SPAN}),
                ("documentLink/resolve", {"range": SPAN}),
            ):
                answer = wire.ask(method, {**more, "data": data})
                assert answer.get("error", {}).get("code", -32602) == -32602, answer
                server.cases += 1
        server.goes_on()
        server.end()
    told.say(f"{server.cases:,} cases, {shown} documents given", "no text of a file that is no rollout")


@on_linux
def test_memory_comes_back(told) -> None:  # type: ignore[no-untyped-def]
    """Documents opened, asked about and closed again and again."""
    with Wire(capabilities=PULLING) as wire:

        def rounds(count: int) -> None:
            for number in range(count):
                uri = f"file:///{number}/rollout-a.jsonl"
                wire.open(uri, LINE % "x" * 20_000)
                wire.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
                wire.change(uri, 2, {"text": LINE % "y" * 100})
                wire.result("textDocument/diagnostic", {"textDocument": {"uri": uri}})
                wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
                wire.heard.clear()
            wire.result("rollout/status", None)
            wire.listen(1.5)

        rounds(6 if LONG else 4)
        before = resident(wire.process.pid)
        rounds(20 if LONG else 8)
        grown = resident(wire.process.pid) - before
        assert wire.end() == 0
    assert grown < 8 * MIB
    told.say(f"{20 if LONG else 8} documents of 2 MB, one after the other: {grown / MIB:+.1f} MiB", "less than 8 MiB")
