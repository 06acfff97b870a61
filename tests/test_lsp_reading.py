"""Readable documents, the text of packed rollouts, steps, and files that no editor opens, through the real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import zstandard

from rollout_ls.lsp.virtual import Virtual, address, read_address
from wire_client import PULLING, PUSHED, Wire, uri_of

SESSIONS = Path(__file__).parent.parent / "fixtures" / "sessions"
DEMO = next(SESSIONS.glob("rollout-2026-06-12T09-30-00-*.jsonl"))
NEW: dict[str, Any] = {
    **PULLING,
    "workspace": {**PULLING["workspace"], "textDocumentContent": {"dynamicRegistration": True}},
}
CONTENT = "workspace/textDocumentContent"


def at(uri: str, line: int = 0, **more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": 3}, **more}


def copy_to(folder: Path, name: str = DEMO.name, *, packed: bool = False) -> Path:
    data = DEMO.read_bytes()
    path = folder / (f"{name}.zst" if packed else name)
    path.write_bytes(zstandard.compress(data) if packed else data)
    return path


# -- addresses
@pytest.mark.parametrize("path", ["/home/a b/rollout-ü.jsonl", "/x/rollout-#?%.jsonl.zst", "/rollout-1.jsonl"])
def test_addresses_come_back_in_every_spelling(path: str) -> None:
    for what, key in (("session", ""), ("turn", "3"), ("turn", "inherited-1"), ("record", "17")):
        uri = address(what, path, key)  # type: ignore[arg-type]
        assert uri.startswith(f"rollout-read:///{what}/")
        found = Virtual(what, path, key)  # type: ignore[arg-type]
        assert read_address(uri) == found
        assert read_address(uri.replace(":///", ":/", 1)) == found
    if path.endswith(".zst"):
        assert not address("text", path).endswith(".zst")
        assert read_address(address("text", path)) == Virtual("text", path)
        assert read_address(address("session", path)).source == address("text", path)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "uri",
    [
        "file:///rollout-1.jsonl",
        "rollout-read:",
        "rollout-read:///",
        "rollout-read:///other/x.md",
        "rollout-read:///turn/x.md",
        "rollout-read:///session/x.json",
        "rollout-read:///session/x\0.md",
    ],
)
def test_other_uris_are_no_addresses(uri: str) -> None:
    assert read_address(uri) is None


# -- documents to read
def test_the_server_offers_its_documents_to_clients_that_can_ask() -> None:
    with Wire(capabilities=NEW) as wire:
        offered = wire.initialized["capabilities"]["workspace"]["textDocumentContent"]
        assert offered == {"schemes": ["rollout-read"]}
    with Wire(capabilities=PULLING) as wire:
        assert "textDocumentContent" not in wire.initialized["capabilities"]["workspace"]


def test_an_open_session_is_read_and_its_rows_lead_back(tmp_path: Path) -> None:
    path = copy_to(tmp_path)
    uri = uri_of(path)
    with Wire(capabilities=NEW) as wire:
        wire.open(uri, DEMO.read_bytes().decode())
        page = wire.result("rollout/readableUri", at(uri, 20, what="session"))["uri"]
        text = wire.result(CONTENT, {"uri": page.replace(":///", ":/")})["text"]
        wire.open(page, text)  # as a client does that lets the server know all its documents
        rows = text.split("\n")
        row = next(at for at, one in enumerate(rows) if one.startswith("### exec_command") and "line 11" in one)
        (link,) = wire.result("textDocument/definition", at(page, row + 2))
        assert (link["targetUri"], link["targetSelectionRange"]["start"]["line"]) == (uri, 10)
        assert wire.result("rollout/readableRow", {"uri": page, "line": 10}) == row
        # a message's event stands above its record, and is told there
        said = next(at for at, one in enumerate(rows) if one.startswith("### Assistant") and "line 10)" in one)
        assert wire.result("rollout/readableRow", {"uri": page, "line": 8}) == said
        assert wire.result("textDocument/diagnostic", {"textDocument": {"uri": page}})["items"] == []
        # an edit above it, and the same row of the same document still leads to the record
        start = {"line": 0, "character": 0}
        wire.change(uri, 2, {"range": {"start": start, "end": start}, "text": "\n\n"})
        (link,) = wire.result("textDocument/definition", at(page, row + 2))
        assert link["targetSelectionRange"]["start"]["line"] == 12
        refresh = wire.told("workspace/textDocumentContent/refresh")
        assert read_address(refresh["params"]["uri"]) == read_address(page)
        assert "line 13" in wire.result(CONTENT, {"uri": page})["text"]
        wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})  # the way back is the disk's now
        (link,) = wire.result("textDocument/definition", at(page, row + 2))
        assert (link["targetUri"], link["targetSelectionRange"]["start"]["line"]) == (uri, 10)
        assert wire.log == b""


def test_turns_and_records_have_addresses_too(tmp_path: Path) -> None:
    uri = uri_of(copy_to(tmp_path))
    with Wire(capabilities=PUSHED) as wire:
        wire.open(uri, DEMO.read_bytes().decode())
        turn = wire.result("rollout/readableUri", at(uri, 40, what="turn"))["uri"]
        assert wire.result("rollout/readable", {"uri": turn})["text"].startswith("# Turn 2: ")
        record = wire.result("rollout/readableUri", at(uri, 10, what="record"))["uri"]
        told = wire.result("rollout/readable", {"uri": record})
        assert (told["language"], '"arguments (decoded)": {' in told["text"]) == ("json", True)
        (place,) = wire.result("textDocument/definition", at(record, 3))
        assert (place["uri"], place["range"]["start"]["line"]) == (uri, 10)
        for wrong in (turn.replace("/turn/2/", "/turn/99/"), record.replace("/record/11/", "/record/0/")):
            assert "error" in wire.ask("rollout/readable", {"uri": wrong})


def test_a_file_that_is_not_open_is_read_from_the_disk_even_after_a_restart(tmp_path: Path) -> None:
    path = copy_to(tmp_path)
    page = address("session", str(path))
    with Wire(capabilities=NEW) as wire:
        (link,) = wire.result("textDocument/definition", at(page, 0))  # nothing was given yet
        assert (link["targetUri"], link["targetSelectionRange"]["start"]["line"]) == (uri_of(path), 0)
        assert wire.result(CONTENT, {"uri": page})["text"].startswith("# Session ")
        path.write_bytes(DEMO.read_bytes() + b'{"type":"half')
        assert "Damaged line 71" in wire.result(CONTENT, {"uri": page})["text"]


def test_only_rollouts_are_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "rollout-link.jsonl").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "rollout-folder.jsonl").mkdir()
    with Wire(capabilities=NEW) as wire:
        for name in ("secret.txt", "rollout-link.jsonl", "rollout-folder.jsonl", "rollout-none.jsonl"):
            answer = wire.ask(CONTENT, {"uri": address("session", str(tmp_path / name))})
            assert "secret" not in answer["error"]["message"]
        assert "error" in wire.ask(CONTENT, {"uri": "rollout-read:///session//host/share/rollout-1.jsonl.md"})
        assert "error" in wire.ask(CONTENT, {"uri": "http://example.invalid/"})


# -- packed rollouts
def test_a_packed_rollout_is_its_text_with_all_features(tmp_path: Path) -> None:
    path = copy_to(tmp_path, packed=True)
    uri = address("text", str(path)).replace(":///", ":/")
    with Wire(capabilities=NEW) as wire:
        text = wire.result(CONTENT, {"uri": uri})["text"]
        assert text == DEMO.read_bytes().decode()
        wire.open(uri, text)
        report = wire.result("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert {"bad-json", "orphan-call", "unknown-type"} <= {item["code"] for item in report["items"]}
        assert "edited" not in {item["code"] for item in report["items"]}
        (link,) = wire.result("textDocument/definition", at(uri, 10))
        assert (link["targetUri"], link["targetSelectionRange"]["start"]["line"]) == (uri, 11)
        page = wire.result("rollout/readableUri", at(uri, 10, what="turn"))["uri"]
        assert wire.result(CONTENT, {"uri": page})["text"].startswith("# Turn 1: ")
        (back,) = wire.result("textDocument/definition", at(page, 0))
        assert back["targetUri"] == uri


def test_a_packed_file_that_ends_early_is_told(tmp_path: Path) -> None:
    path = copy_to(tmp_path, packed=True)
    path.write_bytes(path.read_bytes()[:-200])
    with Wire(capabilities=NEW) as wire:
        wire.result(CONTENT, {"uri": address("text", str(path))})
        assert "packed data" in wire.told("window/showMessage")["params"]["message"]


# -- what clients ask beside
def test_turns_to_pick_and_ids_to_copy(tmp_path: Path) -> None:
    path = copy_to(tmp_path)
    with Wire(capabilities=PUSHED) as wire:
        from_disk = wire.result("rollout/turns", {"textDocument": {"uri": uri_of(path)}})
        wire.open(uri_of(path), DEMO.read_bytes().decode())
        story = wire.result("rollout/turns", {"textDocument": {"uri": uri_of(path)}})
        assert story == from_disk
        thread = "019ebabc-dcc0-7b62-8e8f-21aba48cc26c"
        assert (story["threadId"], story["resume"]) == (thread, f"codex resume {thread}")
        assert [turn["number"] for turn in story["turns"]] == [1, 2, 3, 4]
        assert story["turns"][0]["line"] == 1
        page = wire.result("rollout/readable", {"uri": story["turns"][2]["read"]})["text"]
        assert page.startswith("# Turn 3: ")


def test_an_id_that_is_no_word_is_never_made_a_command(tmp_path: Path) -> None:
    path = tmp_path / "rollout-1.jsonl"
    path.write_text('{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"$(evil)"}}\n')
    with Wire(capabilities=PUSHED) as wire:
        story = wire.result("rollout/turns", {"textDocument": {"uri": uri_of(path)}})
        assert (story["threadId"], story["resume"]) == (None, None)


def test_steps(tmp_path: Path) -> None:
    uri = uri_of(copy_to(tmp_path))
    with Wire(capabilities=PUSHED) as wire:
        wire.open(uri, DEMO.read_bytes().decode())
        to = {step: wire.result("rollout/step", at(uri, 10, to=step)) for step in ("next turn", "previous turn")}
        assert to["previous turn"]["range"]["start"]["line"] == 1
        assert to["next turn"]["range"]["start"]["line"] > 10
        partner = wire.result("rollout/step", at(uri, 10, to="partner"))
        assert partner["range"]["start"]["line"] == 11
        assert wire.result("rollout/step", at(uri, 69, to="next turn")) is None
        assert "error" in wire.ask("rollout/step", at(uri, 0, to="nowhere"))


def test_the_status_of_a_document(tmp_path: Path) -> None:
    path = copy_to(tmp_path)
    with Wire(capabilities=NEW) as wire:
        wire.open(uri_of(path), DEMO.read_bytes().decode())
        wire.result("textDocument/diagnostic", {"textDocument": {"uri": uri_of(path)}})
        status = wire.result("rollout/documentStatus", {"textDocument": {"uri": uri_of(path)}})
        assert (status["records"], status["turns"], status["limits"]) == (70, 4, [])
        assert wire.result("rollout/documentStatus", {"textDocument": {"uri": "untitled:x"}}) is None


def test_findings_of_a_file_that_no_client_can_open(tmp_path: Path) -> None:
    path = copy_to(tmp_path)
    uri = uri_of(path)
    with Wire(capabilities=NEW) as wire:  # a client that pulls is told of this file all the same
        wire.notify("rollout/checkFile", {"textDocument": {"uri": uri}})
        told = wire.told("textDocument/publishDiagnostics")["params"]
        assert told["uri"] == uri
        assert {"bad-json", "orphan-call", "unknown-type"} <= {item["code"] for item in told["diagnostics"]}
        wire.notify("rollout/forgetFile", {"textDocument": {"uri": uri}})
        assert wire.told("textDocument/publishDiagnostics")["params"]["diagnostics"] == []
        wire.notify("rollout/checkFile", {"textDocument": {"uri": uri}})
        assert wire.told("textDocument/publishDiagnostics")["params"]["diagnostics"]
        wire.open(uri, DEMO.read_bytes().decode())  # opened after all: its findings are asked for
        assert wire.told("textDocument/publishDiagnostics")["params"]["diagnostics"] == []
        wire.notify("rollout/checkFile", {"textDocument": {"uri": uri_of(tmp_path / "rollout-none.jsonl")}})
        wire.result("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert not any(one.get("method") == "textDocument/publishDiagnostics" for one in wire.listen(0.3))


def test_an_error_about_parameters_repeats_nothing_of_them(tmp_path: Path) -> None:
    with Wire(capabilities=NEW) as wire:
        error = wire.ask("rollout/readableUri", at(uri_of(copy_to(tmp_path)), 20, what="a'CANARY - at `$.x"))["error"]
        assert (error["code"], error["message"]) == (-32602, "bad parameters: Invalid enum value - at `$.what`")
