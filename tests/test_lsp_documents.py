"""Texts kept in step with their client, and when its findings go out."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from wire_client import PULLING, PUSHED, Wire

URI = "file:///home/robin/rollout-x.jsonl"
UNITS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}

HEADER = (
    '{"timestamp":"2026-02-03T10:00:00.000Z","type":"session_meta","payload":{"id":"0199b000-0000-7000-8000-000000000001",'
    '"timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/robin","originator":"codex_cli_rs","cli_version":"0.139.0",'
    '"source":"cli","model_provider":"openai"}}\n'
)
MESSAGE = (
    '{"timestamp":"2026-02-03T10:00:01.000Z","type":"event_msg","payload":{"type":"agent_message","message":"%s"}}\n'
)
BROKEN = '{"timestamp":"2026-02-03T10:00:02.000Z","type":"event_msg","payload":{"type":"agent_me\n'
HEALTHY = HEADER + MESSAGE % "one" + MESSAGE % "two 😀"


def pull(wire: Wire, uri: str = URI, previous: str | None = None) -> dict[str, Any]:
    params = {"textDocument": {"uri": uri}, **({"previousResultId": previous} if previous else {})}
    report = wire.result("textDocument/diagnostic", params)
    assert isinstance(report, dict)
    return report


def seen(items: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(item["range"]["start"]["line"], item["code"]) for item in items]


@pytest.fixture
def wire() -> Iterator[Wire]:
    with Wire(capabilities=PULLING) as running:
        yield running
        assert running.end() == 0
        assert all(count == 1 for count in running.answers.values())
        assert b"Traceback" not in running.log


def units(text: str, unit: str) -> int:
    return len(text.encode({"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[unit])) // UNITS[unit]


def spot(text: str, at: int, unit: str) -> dict[str, int]:
    rows = re.split(r"\r\n|\n|\r", text[:at])
    return {"line": len(rows) - 1, "character": units(rows[-1], unit)}


@pytest.mark.parametrize("unit", list(UNITS))
def test_random_edits_leave_what_the_text_opened_anew_gives(unit: str) -> None:
    rng = random.Random(unit)
    pieces = ["\n", "\r\n", "x", "é", "😀", '"', "}", MESSAGE % "new", BROKEN, "\u2028", ""]
    text = HEALTHY * 2
    with Wire(capabilities={**PULLING, "general": {"positionEncodings": [unit]}}) as wire:
        assert wire.initialized["capabilities"]["positionEncoding"] == unit
        wire.open(URI, text)
        for version in range(2, 60):
            changes = []
            for _ in range(rng.randrange(1, 4)):
                start, end = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
                end = min(end, start + rng.choice([0, 1, 5, 300]))
                new = rng.choice(pieces)
                if "\r" in (text[start - 1 : start], text[end - 1 : end]):
                    continue  # a position between CR and LF is not one that a client has
                first, last = spot(text, start, unit), spot(text, end, unit)
                if rng.random() < 0.2:
                    first, last = last, first
                changes.append({"range": {"start": first, "end": last}, "text": new})
                text = text[:start] + new + text[end:]
            wire.change(URI, version, *changes)
        wire.open("file:///anew.jsonl", text)
        assert pull(wire)["items"]
        for method in ("documentSymbol", "foldingRange"):
            both = [
                wire.result(f"textDocument/{method}", {"textDocument": {"uri": u}}) for u in (URI, "file:///anew.jsonl")
            ]
            assert both[0] == both[1]
        found = [
            [(i["range"], i["code"], i["message"]) for i in pull(wire, u)["items"]] for u in (URI, "file:///anew.jsonl")
        ]
        assert found[0] == found[1]
        assert wire.end() == 0


def test_a_pull_has_the_findings_and_says_when_they_are_the_same(wire: Wire) -> None:
    wire.open(URI, HEALTHY + BROKEN + MESSAGE % "three")
    first = pull(wire)
    assert first["kind"] == "full"
    assert seen(first["items"]) == [(3, "bad-json")]
    assert all(item["source"] == "rollout" for item in first["items"])
    time.sleep(0.3)
    second = pull(wire, previous=first["resultId"])
    third = pull(wire, previous=second["resultId"])
    assert third == {"kind": "unchanged", "resultId": second["resultId"]}
    start = {"line": 3, "character": 0}
    wire.change(URI, 2, {"range": {"start": start, "end": {"line": 4, "character": 0}}, "text": ""})
    fourth = pull(wire, previous=third["resultId"])
    assert (fourth["kind"], fourth["items"]) == ("full", [])
    assert not [message for message in wire.heard if message.get("method") == "textDocument/publishDiagnostics"]


def test_who_asked_too_early_is_told_once_to_ask_again(wire: Wire) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    text = HEALTHY + MESSAGE % "filler" * 60_000 + MESSAGE % f"the key is {secret}"
    wire.open(URI, text)
    early = pull(wire)["items"]
    told = wire.told("workspace/diagnostic/refresh")
    wire.send({"id": told["id"], "result": None})
    late = pull(wire)["items"]
    assert len(late) > len(early)
    assert seen(late)[-1][1] == "secret"
    assert secret not in str(late)
    time.sleep(0.3)
    assert len([message for message in wire.heard if message.get("method") == "workspace/diagnostic/refresh"]) == 1


def test_a_pull_for_what_is_not_open_is_empty(wire: Wire) -> None:
    assert pull(wire)["items"] == []
    place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
    assert wire.result("textDocument/hover", place) is None
    assert wire.result("textDocument/definition", place) is None
    for method in ("references", "documentHighlight"):
        assert wire.result(f"textDocument/{method}", {**place, "context": {"includeDeclaration": True}}) == []
    for method in ("documentSymbol", "foldingRange"):
        assert wire.result(f"textDocument/{method}", {"textDocument": {"uri": URI}}) == []


def test_a_document_is_one_however_its_uri_is_spelt(wire: Wire) -> None:
    opened, other = "file:///c%3A/My%20Files/rollout-%C3%A9.jsonl", "FILE:///C:/My Files/rollout-é.jsonl"
    wire.open(opened, HEALTHY + BROKEN)
    assert seen(pull(wire, other)["items"])[0] == (3, "bad-json")
    params = {"textDocument": {"uri": other}, "position": {"line": 1, "character": 0}, "context": {}}
    places = wire.result("textDocument/references", params)
    assert {place["uri"] for place in places} == {opened}
    wire.change(other, 2, {"text": HEALTHY})
    assert pull(wire, opened)["items"] == []
    wire.notify("textDocument/didClose", {"textDocument": {"uri": other}})
    assert wire.result("textDocument/documentSymbol", {"textDocument": {"uri": opened}}) == []


def test_one_file_that_is_open_under_two_spellings_is_two_documents(wire: Wire) -> None:
    first, second = "file:///c%3A/a/rollout-x.jsonl", "file:///C:/a/rollout-x.jsonl"
    wire.open(first, HEALTHY)
    wire.open(second, HEALTHY + BROKEN)
    assert [len(pull(wire, uri)["items"]) for uri in (first, second)] == [0, 1]
    wire.notify("textDocument/didClose", {"textDocument": {"uri": second}})
    assert wire.result("textDocument/documentSymbol", {"textDocument": {"uri": second}}) != []  # the first one, then
    wire.open(second, HEALTHY + BROKEN)
    wire.notify("textDocument/didClose", {"textDocument": {"uri": first}})
    assert len(pull(wire, second)["items"]) == 1


@pytest.mark.parametrize("odd", ["1e400", "9" * 5000, "[" * 5000 + "]" * 5000, '"\\ud83d"'])
def test_an_edit_that_no_decoder_takes_is_not_passed_over(wire: Wire, odd: str) -> None:
    wire.open(URI, HEALTHY)
    spot = f'{{"line":0,"character":{odd}}}'
    change = f'{{"range":{{"start":{spot},"end":{spot}}},"text":"x"}}'
    params = f'{{"textDocument":{{"version":2,"uri":"{URI}"}},"contentChanges":[{change}]}}'
    wire.body(f'{{"jsonrpc":"2.0","method":"textDocument/didChange","params":{params}}}'.encode())
    place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
    assert wire.ask("textDocument/hover", place)["error"]["code"] == -32801


@pytest.mark.parametrize(
    "bad",
    [
        [{"range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "x"}],
        [{"range": {"start": {"line": 0}, "end": {"line": 0, "character": 0}}, "text": "x"}],
        [{"range": None, "text": None}],
        [{"text": 5}],
        [{"range": "all"}],
        None,
    ],
)
def test_an_edit_that_cannot_be_read_is_not_guessed_at(wire: Wire, bad: Any) -> None:
    wire.open(URI, HEALTHY)
    wire.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": bad})
    place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
    assert wire.ask("textDocument/hover", place)["error"]["code"] == -32801
    start = {"line": 0, "character": 0}
    wire.change(URI, 3, {"range": {"start": start, "end": start}, "text": BROKEN})
    assert wire.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})["error"]["code"] == -32801
    wire.change(URI, 4, {"text": HEALTHY + BROKEN})
    assert seen(pull(wire)["items"]) == [(3, "bad-json")]
    assert wire.result("textDocument/hover", place) is not None


def test_changes_beyond_the_text_are_brought_back(wire: Wire) -> None:
    wire.open(URI, HEALTHY)
    far = {"line": 10**9, "character": 10**9}
    wire.change(URI, 2, {"range": {"start": far, "end": far}, "text": BROKEN})
    assert seen(pull(wire)["items"]) == [(3, "bad-json")]
    wire.change(URI, 3, {"range": {"start": {"line": 3, "character": 0}, "end": far}, "text": ""})
    assert pull(wire)["items"] == []


def test_a_document_opened_twice_is_the_later_one(wire: Wire) -> None:
    wire.open(URI, HEALTHY)
    wire.open(URI, HEALTHY + BROKEN, 7)
    assert seen(pull(wire)["items"]) == [(3, "bad-json")]


def test_questions_are_answered_of_the_text_they_were_asked_of(wire: Wire) -> None:
    """Sent without waiting, in one go: each symbol list is that of its own moment."""
    wire.open(URI, HEADER)
    asked = []
    for version in range(2, 30):
        end = {"line": version - 1, "character": 0}
        wire.change(URI, version, {"range": {"start": end, "end": end}, "text": MESSAGE % version})
        place = {"textDocument": {"uri": URI}, "position": {"line": version - 1, "character": 3}}
        asked.append(wire.post("textDocument/hover", place))
    assert all(
        f"{version}" in wire.answer(ident)["result"]["contents"]["value"] for version, ident in enumerate(asked, 2)
    )


def test_a_half_surrogate_is_one_column_wide_and_found(wire: Wire) -> None:
    wire.open(URI, HEALTHY + (MESSAGE % "a\ud83db"))
    item = next(item for item in pull(wire)["items"] if item["range"]["start"]["line"] == 3)
    column = (MESSAGE % "\0").index("\0") + 1
    assert item["range"]["start"]["character"] <= column <= item["range"]["end"]["character"]
    end = {"line": 3, "character": column + 1}
    wire.change(URI, 2, {"range": {"start": {"line": 3, "character": column}, "end": end}, "text": ""})
    assert pull(wire)["items"] == []


def test_pages_of_codes_and_other_places_only_for_who_takes_them() -> None:
    text = HEALTHY + BROKEN
    with Wire(capabilities={"textDocument": {"diagnostic": {}}}) as wire:
        wire.open(URI, text)
        for item in pull(wire)["items"]:
            assert not {"relatedInformation", "codeDescription", "tags", "data"} & set(item)
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, text)
        for item in pull(wire)["items"]:
            href = item.get("codeDescription", {}).get("href")
            assert href is None or re.fullmatch(rf"file:///.*/docs/rules/{item['code']}\.md", href)


# -- pushed
def published(messages: list[dict[str, Any]], uri: str = URI) -> list[dict[str, Any]]:
    found = [m["params"] for m in messages if m.get("method") == "textDocument/publishDiagnostics"]
    return [params for params in found if params["uri"] == uri]


def test_findings_are_pushed_to_who_cannot_ask_and_taken_back() -> None:
    with Wire(capabilities=PUSHED) as wire:
        wire.open(URI, HEALTHY + BROKEN, 5)
        told = wire.told("textDocument/publishDiagnostics")["params"]
        assert (told["uri"], told["version"], seen(told["diagnostics"])) == (URI, 5, [(3, "bad-json")])
        wire.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        last = published(wire.listen(0.8))
        assert [params["diagnostics"] for params in last] == [[]]
        assert wire.end() == 0


def test_pushes_keep_a_pause_and_the_last_text_wins() -> None:
    with Wire(capabilities=PUSHED) as wire:
        wire.open(URI, HEALTHY)
        wire.listen(0.5)
        began = time.monotonic()
        version = 1
        while time.monotonic() - began < 1.5:
            version += 1
            wire.change(URI, version, {"text": HEALTHY + (BROKEN if version % 2 else "") + MESSAGE % "more"})
            time.sleep(0.01)
        wire.change(URI, version + 1, {"text": HEALTHY + BROKEN})
        lasted = time.monotonic() - began
        told = published(wire.listen(0.8))
        assert 3 <= len(told) <= lasted / 0.2 + 3
        versions = [params["version"] for params in told]
        assert versions == sorted(versions)
        assert versions[-1] == version + 1
        assert seen(told[-1]["diagnostics"]) == [(3, "bad-json")]
        for params in told[:-1]:
            assert bool(params["diagnostics"]) == bool(params["version"] % 2 and params["version"] > 1)


def test_nothing_is_pushed_after_a_close_in_the_middle_of_the_pass() -> None:
    with Wire(capabilities=PUSHED) as wire:
        wire.open(URI, HEALTHY + BROKEN + MESSAGE % "more" * 60_000)
        wire.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        assert [params["diagnostics"] for params in published(wire.listen(1.5))] == [[]]
        wire.change(URI, 2, {"text": BROKEN})
        assert published(wire.listen(0.3)) == []
        assert wire.end() == 0


# -- large ones
def test_what_comes_for_a_large_document_keeps_its_order(wire: Wire) -> None:
    line = MESSAGE % ("more " * 20)
    wire.open(URI, HEALTHY + line * 30_000)
    count = 3 + 30_000
    asked = []
    for version in range(2, 6):
        end = {"line": count, "character": 0}
        wire.change(URI, version, {"range": {"start": end, "end": end}, "text": BROKEN})
        count += 1
        asked.append(
            (
                wire.post("textDocument/documentSymbol", {"textDocument": {"uri": URI}}),
                wire.post("textDocument/diagnostic", {"textDocument": {"uri": URI}}),
            )
        )
    for number, (_, pulled) in enumerate(asked, 1):
        assert len(wire.answer(pulled)["result"]["items"]) >= number
    assert all("result" in wire.answer(symbols) for symbols, _ in asked)
    wire.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert pull(wire)["items"] == []


def test_a_large_document_closed_while_it_is_made_is_gone(wire: Wire) -> None:
    wire.open(URI, HEALTHY + MESSAGE % ("more " * 20) * 60_000)
    early = wire.post("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    wire.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    wire.open(URI, HEALTHY)
    assert pull(wire)["items"] == []
    assert wire.answer(early)


def test_a_client_that_cannot_be_told_to_ask_again_gets_the_idle_findings_at_once() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    text = HEALTHY + MESSAGE % "filler" * 6_000 + MESSAGE % f"the key is {secret}"
    with Wire(capabilities={**PULLING, "workspace": {}}) as wire:
        wire.open(URI, text)
        first = pull(wire)
        assert seen(first["items"]) == [(6_003, "secret")]
        start = {"line": 1, "character": 0}
        wire.change(URI, 2, {"range": {"start": start, "end": start}, "text": MESSAGE % secret[::-1]})
        assert seen(pull(wire, previous=first["resultId"])["items"]) == [(6_004, "secret")]
        wire.change(URI, 3, {"range": {"start": start, "end": start}, "text": MESSAGE % secret.replace("a", "b")})
        assert seen(pull(wire)["items"]) == [(1, "secret"), (6_005, "secret")]
        assert wire.end() == 0
