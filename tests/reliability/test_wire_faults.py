"""Whatever stands on the wire: the server goes on, each request has one answer, and nothing else stands on its output.

A case is bytes, or messages, that are sent to a running server; after each a good request is asked, whose answer is
known. All cases of one table go to the same process, so that what one leaves behind would hurt the next.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from wire_client import PULLING, PUSHED, Wire

GOOD_URI = "file:///good.jsonl"
URI = "file:///a.jsonl"
LINE = '{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"agent_message","message":"%s"}}\n'
CANARY = "kanarienvogel"
AT = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 5}}
GOOD = {"textDocument": {"uri": GOOD_URI}, "position": {"line": 0, "character": 5}}
HOVER = "textDocument/hover"


def body(ident: object, method: object = HOVER, params: object = GOOD) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}).encode()


def framed(data: bytes, header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    return header % len(data) + data


# -- headers: (name, bytes, ids that must be answered)
def header_cases() -> Iterator[tuple[str, bytes, list[Any]]]:
    for number, header in enumerate(
        (
            b"content-length: %d\r\n\r\n",
            b"CONTENT-LENGTH: %d\r\n\r\n",
            b"Content-Length:%d\r\n\r\n",
            b"Content-Length: \t %d \t\r\n\r\n",
            b"Content-Length: %d\n\n",
            b"Content-Length: 000%d\r\n\r\n",
            b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n",
            b"content-type: x\r\nx-odd: y\r\ncontent-length: %d\r\nx-more: z\r\n\r\n",
            b"X-Content-Length: 3\r\nContent-Length: %d\r\n\r\n",
            b"\r\n\r\n\r\nContent-Length: %d\r\n\r\n",
            b"rubbish\r\nContent-Length: %d\r\n\r\n",
            b"\x00\xff\xfe rubbish without an endContent-Length: %d\r\n\r\n",
            b"Content-Length: 5\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length: -5\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length: many\r\n\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length: 0x10\r\n\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length:\r\n\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length: 1e3\r\n\r\nContent-Length: %d\r\n\r\n",
            b"Content-Length: 99999999999999999999999999\r\n\r\nContent-Length: %d\r\n\r\n",
            b"x" * 100_000 + b"\r\nContent-Length: %d\r\n\r\n",
            b"\r\n" * 10_000 + b"Content-Length: %d\r\n\r\n",
            b'{"jsonrpc":"2.0","id":1,"method":"no/header"}\r\nContent-Length: %d\r\n\r\n',
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\nContent-Length: %d\r\n\r\n",
        )
    ):
        yield f"header {number}", framed(body(f"h{number}"), header), [f"h{number}"]
    yield "an empty body", framed(b""), []
    for less in (1, 2, 10, 40):
        data = body(f"short{less}")
        yield f"a length {less} too small", b"Content-Length: %d\r\n\r\n" % (len(data) - less) + data, [f"short{less}"]
    for more in (1, 2, 10, 60):
        data = body(f"long{more}")
        yield f"a length {more} too large", b"Content-Length: %d\r\n\r\n" % (len(data) + more) + data, [f"long{more}"]
    yield "over 1 GiB", b"Content-Length: 2147483648\r\n\r\n" + framed(body("behind")), ["behind"]
    yield "two at once", framed(body("one")) + framed(body("two")), ["one", "two"]
    yield "only a header, twice", b"Content-Length: 20\r\n\r\n" + framed(body("again")), ["again"]


# -- bodies that are no message, or an odd one
BODIES: list[bytes] = [
    *(b"{", b"}", b"[]", b"null", b"5", b'"text"', b"true", b"{}", b"[" * 100_000, b'{"a":' * 50_000),
    *(b"\xef\xbb\xbf{}", b"\x00" * 40, b"\xff\xfe" * 20, b"not json at all", b"{'a':5}", b'{"jsonrpc":"2.0",}'),
    b'[{"jsonrpc":"2.0","id":1,"method":"textDocument/hover"},{"jsonrpc":"2.0","id":2,"method":"shutdown"}]',
    b'[{"jsonrpc":"2.0","method":"exit"}]',
    b'{"jsonrpc":"2.0"}',
    b'{"jsonrpc":"2.0","method":"no/such"}',
    b'{"jsonrpc":"2.0","method":"$/no/such","params":5}',
    b'{"jsonrpc":"2.0","method":null}',
    b'{"jsonrpc":"2.0","method":""}',
    b'{"jsonrpc":"2.0","method":"' + b"x" * 200_000 + b'"}',
    b'{"jsonrpc":"2.0","id":"never asked","result":null}',
    b'{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}',
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
    b'{"jsonrpc":"2.0","id":"rollout-1","result":{"odd":[]}}',
    b'{"jsonrpc":"2.0","id":"rollout-2","error":"odd"}',
    b'{"jsonrpc":"2.0","id":"rollout-999999","result":[[]]}',
    b'{"jsonrpc":"2.0","method":"$/cancelRequest"}',
    *(
        b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":%b}' % params
        for params in (b"null", b"[]", b"{}", b'{"id":null}', b'{"id":[]}', b'{"id":1.5}', b'{"id":true}', b'{"id":-1}')
    ),
    b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"' + b"9" * 100_000 + b'"}}',
    b'{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{}}}',
    b'{"jsonrpc":"2.0","method":"textDocument/hover","params":{}}',
    b'{"jsonrpc":"2.0","method":"shutdown"}',
    b'{"jsonrpc":"2.0","method":"initialize","params":{}}',
]

# -- ids: (JSON of the id, whether it is one)
IDS: list[tuple[bytes, bool]] = [
    *((one, True) for one in (b"0", b"-5", b'""', b'"a b"', b'"\\u00e9\\n"', b"123456789012345678901234567890")),
    *((one, True) for one in (b'"' + b"x" * 50_000 + b'"', b'"1"', b'"null"', b"2147483648")),
    *((one, False) for one in (b"null", b"true", b"[]", b"{}", b"[1]", b"1.5", b'{"a":1}')),
]
MESSAGES: list[bytes] = [
    b'{"jsonrpc":"1.0","id":%b,"method":"textDocument/hover"}',
    b'{"jsonrpc":2.0,"id":%b,"method":"textDocument/hover"}',
    b'{"id":%b,"method":"textDocument/hover"}',
    b'{"jsonrpc":"2.0","id":%b,"method":5}',
    b'{"jsonrpc":"2.0","id":%b,"method":null}',
    b'{"jsonrpc":"2.0","id":%b,"method":["textDocument/hover"]}',
    b'{"jsonrpc":"2.0","id":%b,"method":"no/such"}',
    b'{"jsonrpc":"2.0","id":%b,"method":"$/no/such"}',
    b'{"jsonrpc":"2.0","id":%b,"method":""}',
    b'{"jsonrpc":"2.0","id":%b,"method":"exit"}',
    b'{"jsonrpc":"2.0","id":%b,"method":"textDocument/didOpen"}',
    b'{"jsonrpc":"2.0","id":%b,"method":"$/cancelRequest","params":{"id":1}}',
    b'{"jsonrpc":"2.0","id":%b,"method":"initialize","params":{"capabilities":{}}}',
    b'{"jsonrpc":"2.0","id":%b,"method":"textDocument/hover"}',
    b'{"jsonrpc":"2.0","id":%b,"method":"textDocument/hover","params":{"textDocument":{"uri":"\xff\xfe"}}}',
    b'{"jsonrpc":"2.0","id":%b,"method":"textDocument/hover","params":{"textDocument":{"uri":"\\ud800"}}}',
    b'{"jsonrpc":"2.0","id":%b,"method":"textDocument/hover","params":NaN}',
    b'{"jsonrpc":"2.0","id":%b,"method":"textDocument/hover","params":1e999}',
    b'{"jsonrpc":"2.0","id":%b,"method":"textDocument/hover","params":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    b'{"jsonrpc":"2.0","id":%b,"method":"textDocument/hover","method":"shutdown2"}',
    b'\n\t {"jsonrpc" : "2.0" , "id" : %b , "method" : "shutdown3" } \n',
]

# -- parameters of every method that is served
REQUESTS = (
    *(f"textDocument/{name}" for name in ("hover", "definition", "references", "documentHighlight", "documentSymbol")),
    *(f"textDocument/{name}" for name in ("foldingRange", "inlayHint", "codeLens", "selectionRange", "documentLink")),
    *("textDocument/semanticTokens/range", "textDocument/semanticTokens/full", "textDocument/diagnostic"),
    *("inlayHint/resolve", "codeLens/resolve", "documentLink/resolve", "workspace/executeCommand", "rollout/status"),
    *(f"rollout/{name}" for name in ("readable", "readableUri", "readableRow", "turns", "step", "documentStatus")),
    *("rollout/checkFile", "rollout/forgetFile", "workspace/textDocumentContent"),
)
NOTIFICATIONS = (
    *(f"textDocument/{name}" for name in ("didOpen", "didChange", "didClose", "didSave", "willSave")),
    *("workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders"),
    *("notebookDocument/didOpen", "notebookDocument/didChange", "window/workDoneProgress/cancel", "$/setTrace"),
    *("initialized", "$/progress", "telemetry/event"),
)
_PLACE = {"line": 0, "character": 0}
PARAMETERS: list[Any] = [
    *(None, [], {}, 5, "text", True, [[]], {"textDocument": None}, {"textDocument": "u"}, {"textDocument": {}}),
    *({"textDocument": {"uri": value}} for value in (None, 5, [], {}, "", "u", "file:///none.jsonl")),
    *(
        {"textDocument": {"uri": URI}, "position": position, "positions": [position], "range": {"start": position}}
        for position in (
            *(None, [], {}, "0:0", {"line": 0}, {"line": -1, "character": 0}, {"line": 0, "character": -1}),
            *({"line": 0.5, "character": 0}, {"line": "0", "character": 0}, {"line": None, "character": None}),
            *({"line": 2**31, "character": 2**31}, {"line": 2**64, "character": 0}, {"line": 0, "character": 2**70}),
            *({"line": 10**9, "character": 10**9}, {"line": 0, "character": 10**6}, {"line": 1e3, "character": 0}),
        )
    ),
    {"textDocument": {"uri": URI}, "range": {"start": {"line": 9, "character": 9}, "end": _PLACE}},
    {"textDocument": {"uri": URI}, "range": {"start": _PLACE, "end": {"line": 2**40, "character": 0}}},
    {"textDocument": {"uri": URI}, "positions": [_PLACE] * 2000, "position": _PLACE, "context": None},
    {"textDocument": {"uri": URI}, "positions": [], "range": None, "previousResultId": 5},
    {"textDocument": {"uri": URI}, "previousResultId": "x" * 100_000, "identifier": []},
    {"data": None},
    {"data": {"uri": URI, "version": "1.0", "row": -5, "offset": -5, "sort": "turn"}, "label": [], "position": _PLACE},
    {"range": {"start": _PLACE, "end": _PLACE}, "data": {"uri": URI, "version": "x", "row": 2**70, "offset": 0}},
    {"command": "no.such"},
    {"command": None},
    {"command": "rollout.status", "arguments": 5},
    {"command": "rollout.status", "arguments": [1, {"a": []}, None]},
    {"checksums": "yes"},
    *({"uri": uri, "row": 2**70, "line": -1, "number": 10**9, "kind": []} for uri in (None, 5, "", "x", URI)),
    *({"uri": f"rollout-read:///{path}"} for path in ("", "session/%00.md", "turn/-1/x.md", "record/9e9/a.json")),
    *({"uri": f"rollout-read:///text/{path}"} for path in ("dev/zero.jsonl", "../../etc/passwd", "%2e%2e/etc/passwd")),
    {"value": "loud"},
    {"value": None},
    {"settings": {"rollout": {"rules": {"x": []}, "limits": "no", "hover": 5, "log": {"level": "loud"}}}},
    {"settings": [1]},
    {"event": None},
    {"event": {"added": [{"uri": 5}], "removed": None}},
    {"event": {"added": [{"uri": "\x00", "name": "x"}], "removed": []}},
    {"changes": None},
    {"changes": [{"uri": 5, "type": "x"}]},
    {"token": None},
    {"token": "never"},
]


# -- documents: messages that are sent as notifications
def _open(uri: Any, text: Any, version: Any = 1) -> tuple[str, Any]:
    document = {"uri": uri, "languageId": "jsonl", "version": version, "text": text}
    return "textDocument/didOpen", {"textDocument": document}


def _change(uri: Any, *changes: Any, version: Any = 2) -> tuple[str, Any]:
    return "textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}


def _span(*numbers: Any) -> dict[str, Any]:
    return {
        "start": {"line": numbers[0], "character": numbers[1]},
        "end": {"line": numbers[2], "character": numbers[3]},
    }


def _close(uri: Any) -> tuple[str, Any]:
    return "textDocument/didClose", {"textDocument": {"uri": uri}}


ODD_URIS = [
    *("", "x", ":", "::::", "file:", "file:///", "file://host/share/a.jsonl", "file:////host/share", "C:\\x\\a.jsonl"),
    *(
        "file:///c%3A/Users/a%20b.jsonl",
        "file:///C:/Users/a%20b.jsonl",
        "file:///%zz%",
        "file:///%00",
        "file:///%ff%fe",
    ),
    *("untitled:Untitled-1", "git:/a.jsonl?%7B%22ref%22%3A%22HEAD%22%7D", "vscode-remote://ssh+x/a", "zipfile:///a::b"),
    *(
        "file:///a%2Fb",
        "FILE:///A.jsonl",
        "file:/a.jsonl",
        "http://[::1",
        "file://[bad/a",
        "\ud800",
        "file:///é🍵.jsonl",
    ),
    *("file:///" + "x" * 20_000, "file:///a b#c?d.jsonl", "file:///dev/zero", "file:///proc/self/mem", "\u202e\u0000"),
]
DOCUMENTS: list[list[tuple[str, Any]]] = [
    *([_open(uri, LINE % "x"), _change(uri, {"text": "{"}), _close(uri)] for uri in ODD_URIS),
    [_change("file:///never.jsonl", {"text": "x"})],
    [_close("file:///never.jsonl")],
    [_open(URI, LINE % "twice"), _open(URI, LINE % "again", 0)],
    [_open(URI, 5)],
    [_open(URI, None)],
    [_open(URI, [LINE])],
    [_open(URI, {"taken": 0})],
    [_open(URI, "x", "one")],
    [_open(URI, "x", None)],
    [_open(URI, "\ud800\udc00\ud800 \x00 \r \u2028")],
    [_open(URI, "[" * 200_000)],
    [_open(URI, '{"a":' * 50_000 + "\n" + LINE % "x")],
    [_open(URI, LINE % ("x" * 3_000_000))],
    [_change(URI)],
    [_change(URI, {"text": LINE % "whole"}, version=1)],
    [_change(URI, {"text": LINE % "back"}, version=-7), _change(URI, {"text": LINE % "big"}, version=2**70)],
    [_change(URI, {"text": LINE % "none"}, version=None)],
    [_change(URI, {"range": _span(0, 0, 0, 1), "text": "{", "rangeLength": "many"})],
    [_change(URI, {"range": _span(5, 5, 0, 0), "text": "reversed"})],
    [_change(URI, {"range": _span(99, 0, 99, 5), "text": "behind"})],
    [_change(URI, {"range": _span(0, 10**9, 10**9, 0), "text": ""})],
    [_change(URI, {"range": _span(2**64, 0, 2**64, 0), "text": "far"})],
    [_change(URI, {"range": _span(-1, 0, 0, 0), "text": "before"})],
    [_change(URI, {"range": _span(0, 0.5, 0, 1), "text": "half"})],
    [_change(URI, {"range": None, "text": LINE % "null"})],
    [_change(URI, {"range": [], "text": "x"})],
    [_change(URI, {"range": _span(0, 0, 0, 0)})],
    [_change(URI, {"range": _span(0, 0, 0, 0), "text": None})],
    [_change(URI, None, 5, "x")],
    [_change(URI, *[{"range": _span(0, 0, 0, 0), "text": "x"}] * 2000)],
    [_change(URI, {"text": ""}), _change(URI, {"range": _span(0, 0, 0, 0), "text": "\n" * 10_000})],
    [("textDocument/didChange", {"textDocument": {"uri": URI, "version": 3}, "contentChanges": None})],
    [("textDocument/didChange", {"textDocument": {"uri": URI, "version": 3}})],
    [_close(URI), _close(URI), _change(URI, {"text": "late"}), _open(URI, LINE % "anew")],
]


class Server:
    """A running server, and what every case must leave behind."""

    def __init__(self, capabilities: dict[str, Any]) -> None:
        self.wire = Wire(capabilities=capabilities, initializationOptions={"log.level": "debug"}, trace="verbose")
        self.wire.open(GOOD_URI, LINE % CANARY)
        self.cases = 0
        self.expected = self.wire.result(HOVER, GOOD)
        assert self.expected is not None

    def goes_on(self) -> None:
        """After a case: a good request has its good answer."""
        self.cases += 1
        assert self.wire.result(HOVER, GOOD) == self.expected

    def end(self) -> None:
        """All requests had one answer, and nothing leaked."""
        assert self.wire.end() == 0
        assert all(count == 1 for ident, count in self.wire.answers.items() if ident is not None)
        assert self.wire.stray == b""
        said = [message for message in self.wire.heard if message.get("method") in ("window/logMessage", "$/logTrace")]
        told = self.wire.log.decode() + json.dumps(said)
        for unwanted in ("Traceback", CANARY, "rubbish"):
            assert unwanted not in told
        errors = [message["error"] for message in self.wire.heard if "error" in message]
        assert CANARY not in json.dumps(errors)
        assert not [error for error in errors if error["code"] == -32603], self.wire.log.decode()


def test_headers_and_bodies(told) -> None:  # type: ignore[no-untyped-def]
    """Malformed headers, bodies, ids and messages."""
    server = Server(PULLING)
    wire = server.wire
    with wire:
        for name, data, idents in header_cases():
            wire.raw(data)
            server.goes_on()
            for ident in idents:
                assert wire.answer(ident).get("result") == server.expected, name
        for one in BODIES:
            wire.body(one)
            server.goes_on()
        for number, message in enumerate(MESSAGES):
            for at, (ident, _) in enumerate(IDS[number % 3 :: 3] if number else IDS):
                sent = ident if not ident.startswith(b'"') else b'"%d %d %b' % (number, at, ident[1:])
                sent = b"%d" % (int(ident) * 1000 + number * 7 + 500_000) if ident.lstrip(b"-").isdigit() else sent
                wire.body(message % sent)
                server.goes_on()
                is_id = not isinstance(json.loads(sent), (bool, float, list, dict, type(None)))
                if is_id and b"id" in message and b"NaN" not in message and b"1e999" not in message:
                    wire.answer(json.loads(sent))
        data = framed(body("slowly"))
        for at in range(len(data)):
            wire.raw(data[at : at + 1])
        assert wire.answer("slowly")["result"] == server.expected
        server.goes_on()
        server.end()
    told.say(f"{server.cases} cases, each followed by a good answer; {sum(wire.answers.values())} answers, one an id")


def test_parameters_of_every_method(told) -> None:  # type: ignore[no-untyped-def]
    """Odd parameters for every method that is served."""
    server = Server(PULLING)
    wire = server.wire
    refused = 0
    with wire:
        wire.open(URI, LINE % "x")
        for method in REQUESTS:
            for params in PARAMETERS:
                answer = wire.ask(method, params)
                if "error" in answer:
                    refused += 1
                    assert answer["error"]["code"] in (-32602, -32600, -32803), (method, params, answer)
                server.cases += 1
            wire.body(b'{"jsonrpc":"2.0","id":"%b","method":"%b"}' % (method.encode(), method.encode()))
            wire.answer(method)
            server.goes_on()
        for method in NOTIFICATIONS:
            for params in PARAMETERS:
                wire.notify(method, params)
                server.cases += 1
            wire.body(b'{"jsonrpc":"2.0","method":"%b"}' % method.encode())
            server.goes_on()
        server.end()
    told.say(f"{server.cases} cases, {refused} refused with the right code, none failed")


@pytest.mark.parametrize("capabilities", [PULLING, PUSHED], ids=["pulling", "pushed to"])
def test_odd_documents(told, capabilities: dict[str, Any]) -> None:  # type: ignore[no-untyped-def]
    """Odd URIs, texts, versions and edits."""
    server = Server(capabilities)
    wire = server.wire
    with wire:
        for messages in DOCUMENTS:
            for method, params in messages:
                wire.notify(method, params)
                for asked in (HOVER, "textDocument/documentSymbol"):
                    wire.ask(asked, {**AT, "textDocument": {"uri": _uri_of(params)}})
            server.goes_on()
        wire.notify(*_open(URI, LINE % "healthy"))
        assert wire.result(HOVER, AT) is not None
        server.end()
    told.say(f"{server.cases} cases, each followed by a good answer")


def _uri_of(params: Any) -> Any:
    uri = params["textDocument"]["uri"]
    return uri if isinstance(uri, str) else URI


def test_out_of_order(told) -> None:  # type: ignore[no-untyped-def]
    """Requests before initialize, initialize twice, requests after shutdown."""
    cases = 0
    with Wire() as wire:
        for method in (*REQUESTS, "shutdown", "no/such", ""):
            assert wire.ask(method, AT)["error"]["code"] == -32002
            cases += 1
        for method in NOTIFICATIONS:
            wire.notify(method, AT)
            cases += 1
        for params in (None, [], 5, "x", True):
            assert wire.ask("initialize", params)["error"]["code"] == -32602
            cases += 1
        assert "capabilities" in wire.ask("initialize", {"capabilities": None, "workspaceFolders": {}})["result"]
        for params in (None, {"capabilities": {}}):
            assert wire.ask("initialize", params)["error"]["code"] in (-32600, -32602)
            cases += 1
        wire.notify("initialized", None)
        wire.notify("initialized", {})
        wire.open(URI, LINE % CANARY)
        assert wire.result(HOVER, AT) is not None
        assert wire.result("shutdown", None) is None
        for method in (*REQUESTS, "shutdown", "initialize", "no/such"):
            assert wire.ask(method, AT)["error"]["code"] == -32600
            cases += 1
        wire.notify("textDocument/didChange", {})
        wire.notify("exit", None)
        assert wire.code() == 0
        assert all(count == 1 for count in wire.answers.values())
        assert wire.stray == b""
        assert b"Traceback" not in wire.log
        assert CANARY.encode() not in wire.log
    told.say(f"{cases} cases, all refused with the right code")
