"""The plugin in a real Neovim, headless: squiggles, hover, jumps, outline, and findings that follow an edit."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from where import IN_CI

REPO = Path(__file__).resolve().parent.parent
HERE = REPO / "tests" / "neovim"
SESSIONS = REPO / "fixtures" / "sessions"
SERVER = [sys.executable, "-m", "rollout_ls", "server"]
TIMEOUT_SECONDS = 180


def _neovim() -> str | None:
    ours = Path(sys.executable).parent / "nvim"
    for path in (shutil.which("nvim"), str(ours) if ours.exists() else None):
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60).stdout
        version = re.match(r"NVIM v(\d+)\.(\d+)", said)
        if version and (int(version[1]), int(version[2])) >= (0, 11):
            return path
    return None


NEOVIM = _neovim()
pytestmark = pytest.mark.skipif(NEOVIM is None and not IN_CI, reason="no Neovim 0.11 or newer here")


def _run(file: Path, *commands: str, server: list[str] | None = None, **surroundings: str) -> str:
    """Opens a file in a headless Neovim; what it wrote to stderr, where messages go."""
    named = {"ROLLOUT_TEST_COMMAND": json.dumps(server)} if server else {}
    home = {"XDG_STATE_HOME": str(file.parent), "XDG_DATA_HOME": str(file.parent), "XDG_CACHE_HOME": str(file.parent)}
    done = subprocess.run(
        [str(NEOVIM), "--headless", "--clean", "-u", str(HERE / "init.lua"), str(file), *commands],
        env={**os.environ, **home, "ROLLOUT_TEST_PLUGIN": str(REPO / "client-nvim"), **named, **surroundings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
    return done.stderr


def _demo() -> Path:
    (demo,) = SESSIONS.glob("rollout-2026-06-12T09-30-00-*.jsonl")
    return demo


class Demo:
    """The demo's rows (from 0) that the drive needs, read off the file itself."""

    def __init__(self) -> None:
        self.path = _demo()
        self.rows = self.path.read_text("utf-8").split("\n")
        self.findings = json.loads((REPO / "fixtures" / "findings.json").read_text("utf-8"))[self.path.name]
        rows_of: dict[str, list[int]] = {}
        self.names: dict[int, str] = {}
        self.healthy = -1
        for number, row in enumerate(self.rows):
            try:
                payload = json.loads(row)["payload"]
            except (ValueError, KeyError):
                continue
            if payload.get("type") in ("function_call", "function_call_output"):
                rows_of.setdefault(payload["call_id"], []).append(number)
                self.names[number] = payload.get("name", "")
            elif payload.get("type") == "message" and payload.get("role") == "assistant":
                self.healthy = number
        self.call, self.result = next((rows[0], rows[1]) for rows in rows_of.values() if len(rows) == 2)


@pytest.fixture(scope="module")
def demo() -> Demo:
    return Demo()


@pytest.fixture(scope="module")
def seen(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("neovim").resolve()
    file = folder / demo.path.name
    shutil.copy(demo.path, file)
    result = folder / "seen.json"
    said = _run(
        file,
        "-c",
        f"luafile {HERE / 'drive.lua'}",
        server=SERVER,
        ROLLOUT_TEST_RESULT=str(result),
        ROLLOUT_TEST_PLAN=json.dumps(
            {"call": demo.call, "result": demo.result, "healthy": demo.healthy, "findings": len(demo.findings)}
        ),
    )
    assert result.exists(), said
    found: dict[str, Any] = json.loads(result.read_text("utf-8"))
    assert found["errors"] == [], (found["errors"], found["messages"], said)
    return found


def test_it_attaches_with_incremental_edits(seen: dict[str, Any]) -> None:
    assert (seen["encoding"], seen["sync"], seen["filetype"], seen["wrap"]) == ("utf-8", 2, "jsonl", False)


def test_findings_are_those_of_the_file(seen: dict[str, Any], demo: Demo) -> None:
    assert [[row + 1, code] for row, code, _, _ in seen["findings"]] == sorted(map(list, demo.findings))
    assert {source for *_, source in seen["findings"]} == {"rollout"}
    assert seen["underlined"]


def test_definition_leads_to_the_partner_and_back(seen: dict[str, Any], demo: Demo) -> None:
    assert (seen["from_call"], seen["from_result"]) == (demo.result, demo.call)


def test_hover_shows_the_record_decoded(seen: dict[str, Any], demo: Demo) -> None:
    assert demo.names[demo.call] in seen["hover"]
    assert "\\n" not in seen["hover"].split("\n")[0]


def test_symbols_go_by_turn(seen: dict[str, Any]) -> None:
    (session,) = [symbol for symbol in seen["symbols"] if symbol["name"].startswith("Session ")]
    turns = [symbol["name"] for symbol in session.get("children", seen["symbols"][1:]) if "Turn" in symbol["name"]]
    turns = turns or [symbol["name"] for symbol in seen["symbols"] if symbol["name"].startswith("Turn")]
    assert [name.split(":")[0] for name in turns] == [f"Turn {n}" for n in range(1, len(turns) + 1)]
    assert len(turns) > 1


def test_folds_come(seen: dict[str, Any]) -> None:
    assert seen["folds"]


def test_the_outline_window_leads_to_the_record(seen: dict[str, Any]) -> None:
    assert any(row.strip().startswith("Turn 1") for row in seen["outline"])
    in_rollout, row = seen["outline_jump"]
    assert in_rollout and row > 0
    assert seen["windows"] == 1


def test_the_outline_window_tells_first_how_a_call_came_out(seen: dict[str, Any]) -> None:
    calls = [row.strip() for row in seen["outline"] if "call_j67LWBzJsMexCuQjnp4aHcrp" in row]
    assert calls == ["exec_command → failed (exit 1)  python -m pytest -q tests, 610 ms  call_j67LWBzJsMexCuQjnp4aHcrp"]


def test_the_outline_window_is_never_alone(seen: dict[str, Any]) -> None:
    assert seen["after_close"] == "the rollout"
    assert seen["after_delete"] == "no outline"


def test_findings_follow_an_edit_and_its_undoing(seen: dict[str, Any], demo: Demo) -> None:
    assert [demo.healthy, "bad-json"] in [finding[:2] for finding in seen["broken"]]
    assert seen["mended"] == seen["findings"]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text('{"a":1\n', "utf-8")
    count = "lua io.stderr:write(#vim.lsp.get_clients())"
    said = _run(file, "-c", "sleep 300m", "-c", count, "-c", "qa!", server=SERVER)
    assert said == "0"


def test_a_damaged_byte_does_not_make_the_text_latin(tmp_path: Path) -> None:
    file = tmp_path / "rollout-1.jsonl"
    file.write_bytes('{"a":"größer"}\n'.encode() + b'{"b":"\xff"}\n')
    other = tmp_path / "other.txt"
    other.write_bytes(b"gr\xf6\xdfer\n")
    told = "lua io.stderr:write(vim.fn.getline(1), vim.bo.readonly and ' readonly ' or ' ')"
    said = _run(file, "-c", told, "-c", f"edit {other}", "-c", told, "-c", "qa!", server=SERVER)
    assert '{"a":"größer"} readonly größer' in said


def test_a_missing_server_is_told_once(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"rollout-{number}.jsonl").write_text("{}\n", "utf-8")
    said = _run(
        tmp_path / "rollout-1.jsonl",
        "-c",
        f"edit {tmp_path / 'rollout-2.jsonl'}",
        "-c",
        "qa!",
        server=["no-such-command", "server"],
    )
    assert said.count("cannot be started") == 1
    assert "Error" not in said and "traceback" not in said
