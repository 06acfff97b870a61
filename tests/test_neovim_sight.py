"""What the plugin draws into a rollout in a real Neovim, the documents to read, packed rollouts; and a real screen."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from test_neovim import HERE, NEOVIM, REPO, SERVER, Demo, _run
from where import IN_CI

pytestmark = pytest.mark.skipif(NEOVIM is None and not IN_CI, reason="no Neovim 0.11 or newer here")
THREAD = "019ebabc-dcc0-7b62-8e8f-21aba48cc26c"
MORE = {"type": "function_call", "name": "shell", "call_id": "call_grown", "arguments": "{}"}


@pytest.fixture(scope="module")
def demo() -> Demo:
    return Demo()


@pytest.fixture(scope="module")
def seen(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("neovim sight").resolve()  # with a blank in it
    file = folder / demo.path.name
    shutil.copy(demo.path, file)
    packed = folder / "packed" / f"{demo.path.name}.zst"
    packed.parent.mkdir()
    packed.write_bytes(zstandard.compress(demo.path.read_bytes()))
    result = folder / "seen.json"
    more = {"timestamp": "2026-06-12T08:00:00.000Z", "type": "response_item", "payload": MORE}
    plan = {
        "call": demo.call,
        "packed": str(packed),
        "more": json.dumps(more),
        "findings": len(demo.findings),
        "lines": demo.path.read_bytes().count(b"\n"),
    }
    said = _run(
        file,
        "-c",
        f"luafile {HERE / 'sight.lua'}",
        server=SERVER,
        ROLLOUT_TEST_RESULT=str(result),
        ROLLOUT_TEST_PLAN=json.dumps(plan),
    )
    assert result.exists(), said
    found: dict[str, Any] = json.loads(result.read_text("utf-8"))
    assert found["errors"] == [], (found["errors"], found["messages"], said)
    return found


def test_hints_stand_at_the_start_of_records(seen: dict[str, Any], demo: Demo) -> None:
    hints = dict(seen["hints"])
    assert len(hints) > 60
    assert hints[demo.call].startswith("T1 ")
    assert "exec_command → failed (exit 1)" in hints[demo.call]


def test_lenses_tell_and_lead(seen: dict[str, Any]) -> None:
    titles = [title for _, title in seen["lenses"]]
    assert any(title.startswith("turn 1: completed") for title in titles)
    assert seen["lens_jump"] == 1


def test_folds_tell_what_they_hide(seen: dict[str, Any]) -> None:
    first, last = seen["fold"]
    assert 0 < first < last
    assert seen["fold_text"].startswith("turn 1: completed, 16.9 s, 5 calls, 1 failed")


def test_colours_and_status(seen: dict[str, Any]) -> None:
    assert seen["token"] == "function"
    assert seen["status"] == "70 records, 4 turns, read"


def test_steps_and_copies(seen: dict[str, Any], demo: Demo) -> None:
    assert seen["steps"]["previous-turn"] == 1
    assert seen["steps"]["partner"] == demo.result
    assert seen["steps"]["next-turn"] == 32
    assert seen["steps"]["next-failed-call"] > demo.result
    assert seen["copied"] == f"codex resume {THREAD}"
    assert seen["references"] == 2
    assert [pick.split(":")[0] for pick in seen["picks"]] == ["Turn 1", "Turn 2", "Turn 3", "Turn 4"]
    assert seen["picked"] == 32


def test_a_turn_is_read_and_leads_back(seen: dict[str, Any], demo: Demo) -> None:
    turn = seen["turn"]
    assert turn["name"].startswith("rollout-read:///turn/1/")
    assert turn["first"].startswith("# Turn 1: ")
    assert f"line {demo.call + 1}" in turn["at"]
    assert (turn["type"], turn["modifiable"], turn["findings"]) == ("markdown", False, 0)
    assert seen["back"] == demo.call


def test_session_and_record_are_read(seen: dict[str, Any]) -> None:
    assert seen["session"]["first"] == f"# Session {THREAD}"
    assert seen["record"]["type"] == "json"
    assert json.loads(seen["record"]["text"])["payload"]["name"] == "exec_command"


def test_a_packed_rollout_opens_as_its_text(seen: dict[str, Any], demo: Demo) -> None:
    packed = seen["packed"]
    assert packed["name"].startswith("rollout-read:///text/")
    assert packed["name"].endswith(".jsonl")
    assert packed["same"]
    assert not packed["modifiable"]
    assert packed["findings"] == packed["plain"]
    assert packed["partner"] == demo.result
    assert packed["turn"][0].startswith("rollout-read:///turn/1/")
    assert packed["turn"][1].startswith("# Turn 1: ")


def test_the_outline_follows_the_cursor_and_the_file(seen: dict[str, Any]) -> None:
    assert seen["followed"].strip().startswith("exec_command → failed (exit 1)")


def test_health_and_a_server_that_was_killed(seen: dict[str, Any]) -> None:
    assert "ERROR" not in seen["health"]
    assert "rollout-ls" in seen["health"]
    assert seen["survived"]


def test_the_help_has_its_tags(tmp_path: Path) -> None:
    shutil.copytree(REPO / "client-nvim" / "doc", tmp_path / "doc")
    subprocess.run(
        [str(NEOVIM), "--headless", "--clean", "-c", f"helptags {tmp_path / 'doc'}", "-c", "qa!"],
        check=True,
        timeout=60,
        capture_output=True,
    )
    tags = {line.split("\t")[0] for line in (tmp_path / "doc" / "tags").read_text().split("\n")}
    assert {"rollout_ls", ":RolloutRead", ":RolloutOutline", "g:rollout_ls_cmd"} <= tags
    help_text = (tmp_path / "doc" / "rollout_ls.txt").read_text()
    plugin = (REPO / "client-nvim" / "plugin" / "rollout_ls.lua").read_text()
    names = [line.split("'")[1] for line in plugin.split("\n") if line.startswith("map('")]
    assert len(names) == 11
    assert all(f"<Plug>(rollout-{name})" in help_text for name in names)


# -- a real screen
class Screen:
    """Neovim in a terminal of its own, through tmux."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._socket = str(folder / "tmux")
        surroundings = {
            "ROLLOUT_TEST_PLUGIN": str(REPO / "client-nvim"),
            "ROLLOUT_TEST_COMMAND": json.dumps(SERVER),
            **{f"XDG_{name}_HOME": str(folder) for name in ("STATE", "DATA", "CACHE")},
        }
        given = [f"{name}={value}" for name, value in surroundings.items()]
        command = shlex.join(["env", *given, str(NEOVIM), "--clean", "-u", str(HERE / "init.lua"), str(file)])
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "40", command)

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *words],
            capture_output=True,
            text=True,
            timeout=30,
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        )
        return done.stdout

    def keys(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def rows(self) -> list[str]:
        return self._tmux("capture-pane", "-p").split("\n")

    def wait(self, what: str, wanted: Callable[[str], bool], seconds: float = 30) -> str:
        end = time.monotonic() + seconds
        while True:
            shown = "\n".join(self.rows())
            if wanted(shown):
                return shown
            assert time.monotonic() < end, f"waited in vain for {what}:\n{shown}"
            time.sleep(0.1)

    def close(self) -> None:
        self._tmux("kill-server")


@pytest.mark.skipif(shutil.which("tmux") is None and not IN_CI, reason="tmux is not installed")
def test_the_screen(demo: Demo, tmp_path: Path) -> None:
    file = tmp_path / demo.path.name
    shutil.copy(demo.path, file)
    screen = Screen(tmp_path, file)
    try:
        screen.wait("a hint", lambda shown: "T1 +5s model exec_command → failed (exit 1)" in shown)
        screen.wait("a lens", lambda shown: "turn 1: completed" in shown)
        screen.keys(":RolloutOutline", "Enter")
        screen.wait("the outline", lambda shown: "Turn 2: Lovely." in shown and "q: close" in shown)
        screen.keys(":11", "Enter", "K")
        screen.wait("the hover", lambda shown: "python -m pytest -q tests" in shown and "Outcome: failed" in shown)
        screen.keys("Escape", ":11", "Enter", ":RolloutRead turn", "Enter")
        call = "exec_command call_j67LWBzJsMexCuQjnp4aHcrp → failed"
        shown = screen.wait("the document", lambda shown: call in shown)
        assert "```sh" in shown
        screen.keys(":RolloutOutline", "Enter", ":b 1", "Enter", "zM")
        screen.wait("closed folds", lambda shown: "5 calls, 1 failed" in shown)
        screen.keys(":RolloutOutline", "Enter")
        screen.wait("the outline again", lambda shown: "exec_command → failed (exit 1)  python" in shown)
        screen.keys(":q", "Enter")
        screen.wait("the end", lambda shown: not shown.strip())
    finally:
        screen.close()
