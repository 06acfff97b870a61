"""What the server says of the disk behind an open document, on the wire."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from rollout_ls.lsp import disk
from rollout_ls.projection.surroundings import Surroundings
from rollouts import Rollout, turn_id
from wire_client import PULLING, PUSHED, Wire, uri_of

NAME = "rollout-2026-01-02T03-04-05-0199aaaa-0000-7000-8000-000000000001.jsonl"


def lines() -> list[bytes]:
    rollout = Rollout()
    rollout.start(turn_id(1))
    rollout.user("Do it")
    rollout.said("Done.")
    rollout.end(turn_id(1))
    return [line + b"\n" for line in rollout.lines]


def bad_lines() -> list[bytes]:
    broken = lines()
    broken[4] = broken[4].partition(b"Done.")[0] + b"\xe6\x87\n"
    return broken


def published(wire: Wire, uri: str, *codes: str) -> dict[str, Any]:
    """Waits until exactly these codes were published."""
    message = wire.wait_for(
        lambda one: (
            one.get("method") == "textDocument/publishDiagnostics"
            and one["params"]["uri"] == uri
            and sorted(item["code"] for item in one["params"]["diagnostics"]) == sorted(codes)
        )
    )
    params = message["params"]
    assert isinstance(params, dict)
    return params


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / NAME


def test_bytes_are_told_at_the_columns_of_the_text(path: Path) -> None:
    path.write_bytes(b"".join(bad_lines()))
    text = path.read_bytes().decode("utf-8", "replace")
    column = text.split("\n")[4].index("\ufffd")
    with Wire(capabilities=PUSHED) as wire:
        wire.open(uri_of(path), text)
        published(wire, uri_of(path), "bad-json")  # all that the text tells
        (item,) = published(wire, uri_of(path), "bad-utf8")["diagnostics"]
        assert item["range"] == {
            "start": {"line": 4, "character": column},
            "end": {"line": 4, "character": column + 1},
        }
        assert wire.end() == 0
        assert b"ERROR" not in wire.log


def test_a_client_that_pulls_is_told_to_ask_again(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(lines()))
    params = {"textDocument": {"uri": uri_of(path)}}
    with Wire(capabilities=PULLING) as wire:
        wire.open(uri_of(path), b"".join(lines()).decode())
        first = wire.result("textDocument/diagnostic", params)
        if not first["items"]:
            asked = wire.told("workspace/diagnostic/refresh")
            wire.send({"id": asked["id"], "result": None})
            first = wire.result("textDocument/diagnostic", params)
        assert [item["code"] for item in first["items"]] == ["bom"]
        assert wire.end() == 0


def test_edited_comes_and_goes(path: Path) -> None:
    path.write_bytes(b"".join(lines()))
    uri = uri_of(path)
    with Wire(capabilities=PUSHED) as wire:
        wire.open(uri, path.read_text())
        published(wire, uri)
        spot = {"line": 2, "character": 1}
        wire.change(uri, 2, {"range": {"start": spot, "end": spot}, "text": " "})
        (item,) = published(wire, uri, "edited")["diagnostics"]
        assert (item["severity"], item["range"]["start"]) == (3, {"line": 0, "character": 0})
        wire.change(uri, 3, {"range": {"start": spot, "end": {"line": 2, "character": 2}}, "text": ""})
        published(wire, uri)
        wire.change(uri, 4, {"range": {"start": spot, "end": spot}, "text": " "})
        published(wire, uri, "edited")
        edited = lines()
        edited[2] = edited[2][:1] + b" " + edited[2][1:]
        path.write_bytes(b"".join(edited))
        wire.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        published(wire, uri)
        assert wire.end() == 0


def test_a_reloaded_file_that_has_grown_is_not_edited(path: Path) -> None:
    data = b"".join(lines())
    path.write_bytes(data)
    uri = uri_of(path)
    with Wire(capabilities=PUSHED) as wire:
        wire.open(uri, data.decode())
        published(wire, uri)
        for version in range(2, 6):
            with path.open("ab") as file:
                file.write(lines()[4])
            end = {"line": len(lines()) - 2 + version, "character": 0}
            wire.change(uri, version, {"range": {"start": end, "end": end}, "text": lines()[4].decode()})
            wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
        said = [one for one in wire.listen(1.5) if one.get("method") == "textDocument/publishDiagnostics"]
        assert all(item["code"] != "edited" for one in said for item in one["params"]["diagnostics"])
        assert wire.end() == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_document_of_a_pipe_a_folder_or_nothing_is_a_text_like_any(tmp_path: Path) -> None:
    pipe, folder = tmp_path / NAME, tmp_path / "rollout-folder.jsonl"
    os.mkfifo(pipe)
    folder.mkdir()
    uris = [uri_of(pipe), uri_of(folder), uri_of(tmp_path / "gone.jsonl"), "untitled:Untitled-1", "git:/x.jsonl", "%%"]
    with Wire(capabilities=PUSHED) as wire:
        for uri in uris:
            wire.open(uri, b"".join(lines()).decode())
            published(wire, uri)
            spot = {"line": 0, "character": 0}
            wire.change(uri, 2, {"range": {"start": spot, "end": spot}, "text": "null\n"})
            published(wire, uri, "not-object")
        assert wire.end() == 0
        assert b"ERROR" not in wire.log


def test_what_was_looked_up_is_forgotten_with_the_document(path: Path) -> None:
    path.write_bytes(b"".join(bad_lines()))
    uri, text = uri_of(path), path.read_bytes().decode("utf-8", "replace")
    with Wire(capabilities=PUSHED) as wire:
        for _ in range(3):
            wire.open(uri, text)
            published(wire, uri, "bad-utf8")
            wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            published(wire, uri)
        wire.open(uri, text)
        wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        last = [one for one in wire.listen(1.0) if one.get("method") == "textDocument/publishDiagnostics"][-1]
        assert last["params"]["diagnostics"] == []
        assert wire.end() == 0


def test_of_files_with_very_many_lines_only_the_last_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "KEPT_LINES", 100)
    loop = asyncio.new_event_loop()
    files = disk.Disk(loop)
    paths = [tmp_path / f"rollout-{number}.jsonl" for number in range(3)]
    for path, lines in zip(paths, (60, 30, 200), strict=True):
        path.write_bytes(b"[]\n" * lines)
    seen: list[list[int]] = []
    for path in (*paths[:2], paths[2], paths[0]):
        loop.run_until_complete(files.work(str(path), Surroundings(), lambda found: found.document.buffer.line_count))
        seen.append([known.document.buffer.line_count for known in files._known.values()])
    loop.close()
    assert seen == [[60], [60, 30], [200], [60]]
