"""Settings on the wire: given, asked for, pushed; what follows when they change."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rollouts import Rollout, turn_id
from wire_client import PULLING, PUSHED, Wire

URI = "file:///nowhere/rollout-2026-01-02T03-04-05-0199aaaa-0000-7000-8000-000000000001.jsonl"
DOCUMENT = {"textDocument": {"uri": URI}}


def asking() -> dict[str, Any]:
    """A client that can be asked for settings and told to ask again."""
    capabilities = copy.deepcopy(PULLING)
    capabilities["workspace"] |= {
        "configuration": True,
        "inlayHint": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
        "semanticTokens": {"refreshSupport": True},
    }
    capabilities["textDocument"] |= {"inlayHint": {}, "codeLens": {}}
    return capabilities


def text() -> str:
    rollout = Rollout()
    rollout.start(turn_id(1))
    rollout.user("Do it")
    rollout.raw(b"null")
    rollout.said("Done.")
    rollout.end(turn_id(1))
    return b"".join(line + b"\n" for line in rollout.lines).decode()


def findings(wire: Wire) -> list[tuple[str, int]]:
    items = wire.result("textDocument/diagnostic", DOCUMENT)["items"]
    return [(item["code"], item["severity"]) for item in items]


def configure(wire: Wire, section: Any) -> None:
    """Answers the server's question for its settings."""
    asked = wire.told("workspace/configuration")
    assert asked["params"] == {"items": [{"section": "rollout"}]}
    wire.send({"id": asked["id"], "result": [section]})


def test_given_with_initialize() -> None:
    options = {"rules": {"not-object": "hint"}}
    with Wire(capabilities=PULLING, initializationOptions=options) as wire:
        wire.open(URI, text())
        assert findings(wire) == [("not-object", 4)]
        assert wire.end() == 0


def test_asked_for_and_asked_again_when_they_change() -> None:
    with Wire(capabilities=asking(), initializationOptions={"rules": {"not-object": "hint"}}) as wire:
        configure(wire, None)
        wire.open(URI, text())
        assert findings(wire) == [("not-object", 4)]
        wire.notify("workspace/didChangeConfiguration", {"settings": None})
        configure(wire, {"rules": {"not-object": "off"}, "codeLens": False, "hints": {"turn": False}})
        refreshed = {wire.told(f"workspace/{name}/refresh")["method"] for name in ("codeLens", "inlayHint")}
        assert len(refreshed) == 2
        asked = wire.told("workspace/diagnostic/refresh")
        wire.send({"id": asked["id"], "result": None})
        assert findings(wire) == []
        assert wire.result("textDocument/codeLens", DOCUMENT) == []
        wire.notify("workspace/didChangeConfiguration", {})
        configure(wire, {"minimumSeverity": "error"})
        wire.told("workspace/codeLens/refresh")
        assert findings(wire) == []  # the one of initialize still holds, and a hint is too mild
        assert wire.result("textDocument/codeLens", DOCUMENT) != []
        assert wire.end() == 0
        assert b"ERROR" not in wire.log


def test_an_answer_to_an_older_question_is_dropped() -> None:
    with Wire(capabilities=asking()) as wire:
        first = wire.told("workspace/configuration")
        wire.notify("workspace/didChangeConfiguration", {"settings": {}})
        second = wire.told("workspace/configuration")
        wire.send({"id": second["id"], "result": [{"rules": {"not-object": "hint"}}]})
        wire.send({"id": first["id"], "result": [{"rules": {"not-object": "off"}}]})
        wire.open(URI, text())
        assert findings(wire) == [("not-object", 4)]


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": -32601, "message": "no"}},
        {"result": None},
        {"result": []},
        {"result": 5},
        {"result": [None]},
        {"result": [5]},
        {"result": [{"rules": "off"}]},
    ],
)
def test_any_answer_will_do(answer: dict[str, Any]) -> None:
    with Wire(capabilities=asking()) as wire:
        asked = wire.told("workspace/configuration")
        wire.send({"id": asked["id"], **answer})
        wire.open(URI, text())
        assert findings(wire) == [("not-object", 1)]
        assert wire.end() == 0


@pytest.mark.parametrize("pushed", [{"rollout": {"rules": {"not-object": "off"}}}, {"rollout": {"rules.x": 1}}, {}, 5])
def test_pushed_by_clients_that_cannot_be_asked(pushed: Any) -> None:
    with Wire(capabilities=PUSHED) as wire:
        wire.open(URI, text())
        first = wire.told("textDocument/publishDiagnostics")["params"]["diagnostics"]
        assert [item["code"] for item in first] == ["not-object"]
        wire.notify("workspace/didChangeConfiguration", {"settings": pushed})
        if isinstance(pushed, dict) and "rules" in pushed.get("rollout", {}):
            wire.wait_for(
                lambda message: (
                    message.get("method") == "textDocument/publishDiagnostics"
                    and message["params"]["diagnostics"] == []
                )
            )
        assert wire.end() == 0


def test_what_is_wrong_is_said_once_a_change() -> None:
    wrong = {"rules": {"no-such-code": "off"}, "limits": {"findings": "many"}, "colour": 5}
    with Wire(capabilities=asking(), initializationOptions=wrong) as wire:
        configure(wire, wrong)
        wire.open(URI, text())
        assert findings(wire) == [("not-object", 1)]
        (shown,) = [one for one in wire.heard if one.get("method") == "window/showMessage"]
        assert shown["params"]["type"] == 2
        for name in ("no-such-code", "limits.findings", "colour"):
            assert name in shown["params"]["message"]
        assert "many" not in shown["params"]["message"]
        wire.notify("workspace/didChangeConfiguration", {"settings": None})
        configure(wire, {"limits": {"symbols": -1}})
        wire.wait_for(lambda message: message.get("method") == "window/showMessage" and "symbols" in str(message))
        assert wire.end() == 0
        assert b"Traceback" not in wire.log


def test_limits_act_on_open_documents() -> None:
    with Wire(capabilities=PUSHED) as wire:
        wire.open(URI, text())
        wire.told("textDocument/publishDiagnostics")
        for limit in ({"rowBytes": 1024}, {"fileBytes": 1 << 16}, {"symbols": 1}):
            wire.notify("workspace/didChangeConfiguration", {"settings": {"rollout": {"limits": limit}}})
        wire.wait_for(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics"
                and {item["code"] for item in message["params"]["diagnostics"]} == {"limit", "not-object"}
            )
        )
        assert wire.end() == 0


def test_neither_method_is_a_request() -> None:
    with Wire(capabilities=PULLING) as wire:
        for method in ("workspace/didChangeConfiguration", "textDocument/didSave"):
            assert wire.ask(method, {**DOCUMENT, "settings": None})["error"]["code"] == -32601
