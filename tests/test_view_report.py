"""``show --view`` as text and JSON: places, masking, exit status, and the whole answer for some sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rollout_ls.cli.app import main

HERE = Path(__file__).resolve().parent
SESSIONS = HERE.parent / "fixtures" / "sessions"
VIEWS = ("codex-v3", "blocks")
HELD = ("2026-04-16", "2026-06-29", "2026-07-20T13", "2026-09-17T15")
"""Sessions whose whole answers are kept: a rollback, nested calls, a fork, a paginated thread."""


def path_of(date: str) -> Path:
    (found,) = SESSIONS.glob(f"rollout-{date}*.jsonl")
    return found


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Any:
    def ask(*words: str) -> tuple[int, str, str]:
        status = main(words)
        out, err = capfd.readouterr()
        return status, out, err

    return ask


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("date", HELD)
def test_the_whole_answer(said: Any, request: pytest.FixtureRequest, view: str, date: str) -> None:
    status, out, err = said("show", "--view", view, str(path_of(date)))
    assert (status, err) == (0, "")
    kept = HERE / "views" / f"{view}-{date}.txt"
    if request.config.getoption("--rewrite-markers"):
        kept.write_bytes(out.encode())
    assert out == kept.read_bytes().decode()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda path: path.name[8:18])
def test_records_are_found_by_their_bytes(said: Any, view: str, path: Path) -> None:
    status, out, err = said("show", "--view", view, "--output-format", "json", str(path))
    shown, data = json.loads(out), path.read_bytes()
    assert err == "" and status == (1 if "malformed" in shown else 0)
    for entry in shown.get("entries", ()):
        assert entry["line"] == entry["records"][0]["line"]
        for record in entry["records"]:
            start, end = record["bytes"]
            assert data[:start].count(b"\n") <= record["line"] - 1  # a lone carriage return ends a line as well
            assert data[start : start + 1] == b"{" and data[end : end + 1] in (b"\n", b"\r", b"{", b"")


def test_a_malformed_rollout(said: Any) -> None:
    path = path_of("2026-05-28")
    status, out, _ = said("show", "--view", "codex-v3", "--output-format", "json", str(path))
    assert (status, json.loads(out)) == (1, {"view": "codex-v3", "malformed": {"line": 11, "field": "record"}})
    assert said("show", "--view", "codex-v3", str(path)) == (1, "malformed line 11: record\n", "")
    assert said("show", "--view", "blocks", str(path))[0] == 0


def test_nothing_at_all(said: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    assert said("show", "--view", "codex-v3", str(tmp_path / "a.jsonl")) == (1, "malformed session_meta.id\n", "")
    status, out, _ = said("show", "--view", "blocks", "--output-format", "json", str(tmp_path / "a.jsonl"))
    assert status == 0 and json.loads(out)["entries"] == []


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("form", ["text", "json"])
def test_text_is_masked_and_printable(said: Any, tmp_path: Path, view: str, form: str) -> None:
    secret = "sk-" + "qZ7xW2" * 5
    text = f"key {secret} \u202e\x1b[31mred"
    given = json.dumps({secret: [text]})
    payloads = [
        ("session_meta", {"id": f"id-{secret}", "cwd": text, "cli_version": "1", "originator": "o", "source": "cli"}),
        ("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}),
        ("response_item", {"type": "function_call", "name": "f", "arguments": given, "call_id": "c"}),
        ("response_item", {"type": "function_call_output", "call_id": "c", "output": text}),
    ]
    time = "2026-02-03T10:00:00.000Z"
    lines = [json.dumps({"timestamp": time, "type": kind, "payload": payload}) for kind, payload in payloads]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    status, out, _ = said("show", "--view", view, "--output-format", form, str(tmp_path / "a.jsonl"))
    assert status == 0 and "red" in out
    assert secret not in out and "\u202e" not in out and "\x1b" not in out


def test_an_unknown_view(said: Any) -> None:
    status, out, err = said("show", "--view", "codex-v2", str(path_of("2026-06-29")))
    assert (status, out) == (2, "") and err.count("\n") == 1
