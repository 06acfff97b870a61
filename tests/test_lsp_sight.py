"""What is drawn into the text, over the wire: hints, lenses, tokens, selections, links, texts of folds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rollout_ls.features.legend import MARKS, SORTS
from wire_client import PULLING, Wire, uri_of

URI = "file:///home/ana/rollout-2026-02-03T10-00-00-0199aaaa-0000-7000-8000-000000000001.jsonl"
TEXT = {"textDocument": {"uri": URI}}
TURN = "0199aaab-0000-7000-8000-000000000001"
OURS: dict[str, Any] = {"initializationOptions": {"rollout": {"commands": True}}}
RICH: dict[str, Any] = {
    "textDocument": {
        **PULLING["textDocument"],
        "inlayHint": {"resolveSupport": {"properties": ["tooltip", "label.tooltip", "label.location"]}},
        "foldingRange": {"foldingRange": {"collapsedText": True}},
        "semanticTokens": {"requests": {"range": True, "full": True}, "formats": ["relative"]},
    }
}


def record(second: int, kind: str, **payload: object) -> str:
    time = f"2026-02-03T10:{second // 60:02}:{second % 60:02}.000Z"
    return json.dumps({"timestamp": time, "type": kind, "payload": payload}, ensure_ascii=False) + "\n"


def header(**more: object) -> str:
    facts = {"id": "0199aaaa-0000-7000-8000-000000000001", "timestamp": "2026-02-03T10:00:00.000Z"}
    about = {"cwd": "/home/ana", "originator": "codex_cli_rs", "cli_version": "0.142.0", "source": "cli"}
    return record(0, "session_meta", **facts, **about, **more)


def said(second: int, text: str, *, role: str = "user") -> str:
    part = {"type": "input_text" if role == "user" else "output_text", "text": text}
    return record(second, "response_item", type="message", role=role, content=[part])


def call(second: int, call_id: str, command: str) -> str:
    given = json.dumps({"cmd": command})
    return record(second, "response_item", type="function_call", name="exec_command", arguments=given, call_id=call_id)


def result(second: int, call_id: str, code: int) -> str:
    output = f"Wall time: 2.5 seconds\nProcess exited with code {code}\nOutput:\nno"
    return record(second, "response_item", type="function_call_output", call_id=call_id, output=output)


SESSION = "".join(
    [
        header(),
        record(1, "event_msg", type="task_started", turn_id=TURN),
        said(2, "Größe 🙂 prüfen"),
        record(3, "event_msg", type="user_message", message="Größe 🙂 prüfen", images=[]),
        call(64, "call_1", "ls"),
        result(65, "call_1", 2),
        record(66, "event_msg", type="task_complete", turn_id=TURN, last_agent_message=None),
    ]
)


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with Wire(capabilities=RICH, **OURS) as running:
        yield running
        assert running.end() == 0


@pytest.fixture
def opened(wire: Wire) -> Iterator[Wire]:
    wire.open(URI, SESSION)
    yield wire
    wire.notify("textDocument/didClose", TEXT)


def rows(first: int, last: int) -> dict[str, Any]:
    return {**TEXT, "range": {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}}


def label(hint: dict[str, Any]) -> str:
    return "".join(part["value"] for part in hint["label"])


def hints(wire: Wire, first: int = 0, last: int = 99) -> list[dict[str, Any]]:
    found = wire.result("textDocument/inlayHint", rows(first, last))
    assert isinstance(found, list)
    return found


# -- inlay hints
def test_hints_stand_at_the_start_of_the_rows_asked_for(opened: Wire) -> None:
    found = hints(opened, 2, 4)
    assert [one["position"] for one in found] == [{"line": row, "character": 0} for row in (2, 3, 4)]
    assert [label(one) for one in found] == [
        "T1 +2s human",
        "T1 +3s human repeats line 3",
        "T1 +1m04s model exec_command → failed (exit 2), 2.5 s, 60 bytes: ls",
    ]
    assert all(one["paddingRight"] is True for one in found)
    assert not any("tooltip" in part or "location" in part for one in found for part in one["label"])


def test_a_hint_is_resolved_to_what_it_means_and_where_it_leads(opened: Wire) -> None:
    (hint,) = hints(opened, 4, 4)
    known = opened.result("inlayHint/resolve", hint)
    assert label(known) == label(hint)
    turn, time, actor, about = known["label"]
    assert turn["tooltip"] == "Turn 1: Größe 🙂 prüfen\ncompleted, 1 min 5 s, 1 call, 1 failed"
    assert turn["location"]["range"]["start"] == {"line": 1, "character": 0}
    assert time["tooltip"].startswith("2026-02-03 1")
    assert "tooltip" not in actor
    assert about["tooltip"] == "ls"
    assert about["location"] == {
        "uri": URI,
        "range": {"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 0}},
    }


def test_a_hint_of_another_text_is_left_as_it_is(opened: Wire) -> None:
    (hint,) = hints(opened, 4, 4)
    opened.change(URI, 2, {"range": rows(0, 0)["range"], "text": "\n"})
    assert opened.result("inlayHint/resolve", hint) == hint
    opened.notify("textDocument/didClose", TEXT)
    assert opened.result("inlayHint/resolve", hint) == hint
    opened.open(URI, SESSION)
    assert opened.result("inlayHint/resolve", hint) == hint, "the same text, opened anew, is another document"


def test_who_asks_for_nothing_later_gets_locations_at_once() -> None:
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, SESSION)
        (hint,) = hints(wire, 5, 5)
        assert hint["label"][-1]["location"]["range"]["start"]["line"] == 4


def test_hints_are_printable_and_hold_no_secret(opened: Wire) -> None:
    secret = "sk-proj-" + "AbCd0123" * 6
    hostile = f"\x1b[31mred\u202e\u200b\n{secret} <script>[a](command:x)"
    text = header() + said(1, hostile) + call(2, f"call\u202e{secret}", hostile) + result(3, "other", 0)
    opened.change(URI, 2, {"text": text})
    found = [*hints(opened)]
    said_all = [label(one) for one in found] + [
        part.get("tooltip", "") for one in found for part in opened.result("inlayHint/resolve", one)["label"]
    ]
    lenses = opened.result("textDocument/codeLens", TEXT)
    said_all += [opened.result("codeLens/resolve", one)["command"]["title"] for one in lenses]
    for words in said_all:
        assert secret not in words
        assert not set(words) & set("\x1b\u202e\u200b\r"), words


# -- lenses
def test_lenses_stand_above_the_session_and_its_turns(opened: Wire) -> None:
    found = opened.result("textDocument/codeLens", TEXT)
    assert [one["range"]["start"]["line"] for one in found] == [0, 0, 0, 1, 1, 1]
    assert not any("command" in one for one in found)
    known = [opened.result("codeLens/resolve", one)["command"] for one in found]
    assert [one["title"] for one in known] == [
        "1 turn, 1 call, 1 failed, 1 min 6 s",
        known[1]["title"],
        "first turn",
        "turn 1: completed, 1 min 5 s, 1 call, 1 failed",
        "last turn",
        "next failed call",
    ]
    assert known[1]["title"].startswith("1.3 kB: session and turns ")
    assert [one["command"] for one in known] == ["", "", "rollout.goTo", "", "", "rollout.goTo"]
    assert known[2]["arguments"] == [URI, 1]
    assert known[5]["arguments"] == [URI, 4]


def test_who_cannot_go_there_gets_lenses_that_only_tell() -> None:
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, SESSION)
        found = [wire.result("codeLens/resolve", one)["command"] for one in wire.result("textDocument/codeLens", TEXT)]
        assert len(found) == 3
        assert {one["command"] for one in found} == {""}


def test_a_lens_of_another_text_says_nothing(opened: Wire) -> None:
    lens = opened.result("textDocument/codeLens", TEXT)[3]
    opened.change(URI, 2, {"text": header()})
    assert opened.result("codeLens/resolve", lens)["command"]["title"] == ""


# -- semantic tokens
def decoded(data: list[int]) -> list[tuple[int, int, int, str, tuple[str, ...]]]:
    """(row, column, length, sort, marks) of each token."""
    row = column = 0
    found: list[tuple[int, int, int, str, tuple[str, ...]]] = []
    for at in range(0, len(data), 5):
        down, right, length, sort, bits = data[at : at + 5]
        row, column = row + down, right if down else column + right
        marks = tuple(mark for number, mark in enumerate(MARKS) if bits & 1 << number)
        found.append((row, column, length, SORTS[sort], marks))
    return found


def test_tokens_of_some_rows_are_those_of_the_whole(opened: Wire) -> None:
    whole = decoded(opened.result("textDocument/semanticTokens/full", TEXT)["data"])
    for first in range(7):
        part = decoded(opened.result("textDocument/semanticTokens/range", rows(first, first + 2))["data"])
        assert part == [one for one in whole if first <= one[0] <= first + 2]
    assert whole == sorted(whole)
    for one, other in pairwise(whole):
        assert one[0] < other[0] or one[1] + one[2] <= other[1], "tokens overlap"


@pytest.mark.parametrize("unit", ["utf-8", "utf-16", "utf-32"])
def test_tokens_count_in_the_clients_unit(unit: str) -> None:
    with Wire(capabilities={**RICH, "general": {"positionEncodings": [unit]}}) as wire:
        wire.open(URI, SESSION)
        row = SESSION.split("\n")[3]
        size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[unit]
        coded = row.encode(unit if unit == "utf-8" else f"{unit}-le")
        found = decoded(wire.result("textDocument/semanticTokens/range", rows(3, 3))["data"])
        texts = [
            coded[start * size : (start + length) * size].decode(f"{unit}-le" if size > 1 else unit)
            for _, start, length, _, _ in found
        ]
        assert "".join(texts) == row
        assert [sort for *_, sort, _ in found] == ["comment", "string", "comment"]
        assert {marks for *_, marks in found} == {("mirror",)}


def test_failures_are_marked_and_nothing_far_out_is_coloured(opened: Wire) -> None:
    found = decoded(opened.result("textDocument/semanticTokens/full", TEXT)["data"])
    assert {row for row, *_, marks in found if "failed" in marks} == {4, 5}
    long = "ä" * 30_000
    text = header() + said(1, long) + record(2, "event_msg", type="user_message", message=long, images=[])
    opened.change(URI, 2, {"text": text})
    far = decoded(opened.result("textDocument/semanticTokens/full", TEXT)["data"])
    assert max(start + length for _, start, length, *_ in far) == 20_000


def test_of_a_long_document_only_what_is_seen_is_coloured() -> None:
    text = SESSION + "\n" * 10_100
    for capabilities, whole in ((RICH, None), (PULLING, 13)):
        with Wire(capabilities=capabilities) as wire:
            wire.open(URI, text)
            answer = wire.result("textDocument/semanticTokens/full", TEXT)
            assert (answer and len(decoded(answer["data"]))) == whole
            assert len(decoded(wire.result("textDocument/semanticTokens/range", rows(0, 60))["data"])) == 13


def test_a_row_cut_by_a_carriage_return_has_its_own_tokens(opened: Wire) -> None:
    mirror = record(3, "event_msg", type="user_message", message="tea", images=[]).replace(", ", ",\r", 1)
    opened.change(URI, 2, {"text": header() + said(2, "tea") + mirror})
    found = decoded(opened.result("textDocument/semanticTokens/full", TEXT)["data"])
    assert [(row, start) for row, start, _, sort, _ in found if sort == "comment"][:2] == [(2, 0), (3, 0)]


# -- selections
def chain(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    link: dict[str, Any] | None = answer
    while link:
        found.append(link["range"])
        link = link.get("parent")
    return found


def key(range_: dict[str, Any], end: str) -> tuple[int, int]:
    return range_[end]["line"], range_[end]["character"]


def test_a_selection_grows_from_the_inner_value_to_the_session(opened: Wire) -> None:
    row = SESSION.split("\n")[4]
    at = row.index("ls")
    positions = [{"line": 4, "character": at}, {"line": 99, "character": 0}, {"line": 2, "character": 0}]
    found = opened.result("textDocument/selectionRange", {**TEXT, "positions": positions})
    assert len(found) == 3
    inner = chain(found[0])
    texts = [row[one["start"]["character"] : one["end"]["character"]] for one in inner if key(one, "end")[0] == 4]
    assert texts[:4] == ["ls", '\\"ls\\"', '\\"cmd\\": \\"ls\\"', '{\\"cmd\\": \\"ls\\"}']
    assert row in texts
    ends = [(key(one, "start")[0], key(one, "end")[0]) for one in inner if key(one, "end")[0] > 4]
    assert ends == [(4, 5), (1, 6), (0, 6)]
    for ranges in map(chain, found):
        for small, large in pairwise(ranges):
            assert key(large, "start") <= key(small, "start")
            assert key(small, "end") <= key(large, "end")
            assert small != large
    assert chain(found[1]) == [{"start": positions[1], "end": positions[1]}]


def test_deep_and_broken_records_have_selections(opened: Wire) -> None:
    deep = '{"a":' * 3_000 + '"x"' + "}" * 3_000
    opened.change(URI, 2, {"text": header() + deep + "\n" + '{"timestamp":"2026\n'})
    positions = [{"line": 1, "character": deep.index("x")}, {"line": 2, "character": 5}]
    found = opened.result("textDocument/selectionRange", {**TEXT, "positions": positions})
    assert all(len(chain(one)) >= 1 for one in found)


# -- folds
def test_folds_say_what_is_in_them_where_that_is_shown(opened: Wire) -> None:
    assert opened.result("textDocument/foldingRange", TEXT) == [
        {"startLine": 1, "endLine": 6, "kind": "region", "collapsedText": "1 call, 1 failed"},
        {"startLine": 4, "endLine": 5, "collapsedText": "exec_command → failed (exit 2)"},
    ]
    with Wire(capabilities=PULLING) as wire:
        wire.open(URI, SESSION)
        assert not any("collapsedText" in one for one in wire.result("textDocument/foldingRange", TEXT))


# -- links
def test_links_are_resolved_to_what_is_there(tmp_path: Path) -> None:
    folder, outside = tmp_path / "work", tmp_path / "else"
    for one in (folder, outside):
        one.mkdir()
        (one / "a.txt").write_text("")
    (folder / "out.txt").symlink_to(outside / "a.txt")
    parent = "0199aaaa-0000-7000-8000-00000000000f"
    (folder / f"rollout-2026-02-03T09-00-00-{parent}.jsonl").write_text("")
    uri = uri_of(folder / "rollout-2026-02-03T10-00-00-0199aaaa-0000-7000-8000-000000000001.jsonl")
    words = f"{folder}/a.txt {folder}/out.txt {folder}/none.txt {outside}/a.txt {folder}/../else/a.txt"
    more = " //host/share/x https://example.org/x. https://me:pass@example.org/y file://host/etc/passwd"
    text = header(forked_from_id=parent) + said(1, words + more)
    folders: dict[str, Any] = {"workspaceFolders": [{"uri": uri_of(folder), "name": "work"}]}
    with Wire(capabilities=PULLING, **folders) as wire:
        wire.open(uri, text)
        found = wire.result("textDocument/documentLink", {"textDocument": {"uri": uri}})
        places = [one["range"] for one in found]
        lines = text.split("\n")
        names = [lines[one["start"]["line"]][one["start"]["character"] : one["end"]["character"]] for one in places]
        assert names == [
            parent,
            f"{folder}/a.txt",
            f"{folder}/out.txt",
            f"{folder}/none.txt",
            "https://example.org/x",
        ]
        known = [wire.result("documentLink/resolve", one).get("target") for one in found]
        assert known == [
            uri_of(folder / f"rollout-2026-02-03T09-00-00-{parent}.jsonl"),
            uri_of(folder / "a.txt"),
            None,
            None,
            "https://example.org/x",
        ]
        forged = {**found[1], "data": {"uri": uri, "path": str(outside / "a.txt")}}
        assert "target" not in wire.result("documentLink/resolve", forged)
        assert wire.end() == 0


def test_nothing_is_drawn_into_what_is_not_open(wire: Wire) -> None:
    none = {"textDocument": {"uri": "file:///none.jsonl"}}
    asked = {**rows(0, 9), **none}
    assert wire.result("textDocument/inlayHint", asked) == []
    assert wire.result("textDocument/codeLens", none) == []
    assert wire.result("textDocument/documentLink", none) == []
    assert wire.result("textDocument/semanticTokens/full", none) is None
    assert wire.result("textDocument/semanticTokens/range", asked) is None
    assert wire.result("textDocument/selectionRange", {**none, "positions": []}) is None


def test_what_is_switched_off_is_not_drawn() -> None:
    chosen = {"rollout": {"hints": {"actor": False, "call": False}, "codeLens": False, "semanticTokens": False}}
    options: dict[str, Any] = {"initializationOptions": chosen}
    with Wire(capabilities=RICH, **options) as wire:
        wire.open(URI, SESSION)
        assert [label(one) for one in hints(wire, 4, 4)] == ["T1 +1m04s"]
        assert wire.result("textDocument/codeLens", TEXT) == []
        assert wire.result("textDocument/semanticTokens/full", TEXT) is None
        assert wire.result("textDocument/semanticTokens/range", rows(0, 9)) is None
