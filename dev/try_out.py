"""./try: opens a rollout in a real editor with the server running; without a terminal, prints what it would show.

Uses an editor without any of the user's configuration and changes nothing of it; opens the file read-only.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

from dev import environment
from dev.environment import REPO, Trouble, say

DEMO = "rollout-2026-06-12T09-30-00-*.jsonl"
USAGE = "usage: ./try [FILE]    opens FILE (or a demo) in Neovim with rollout-ls running"


def main(words: list[str]) -> int:
    """Runs ./try. The exit status."""
    if len(words) > 1 or words[:1] in (["-h"], ["--help"]):
        sys.stderr.write(USAGE + "\n")
        return 0 if len(words) == 1 else 2
    try:
        environment.use_new_python()
        file = _file(words)
        environment.prepare()
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            return _print(file)
        if not re.fullmatch(r"rollout-.*\.jsonl(\.zst)?", file.name):
            say("the editor's plugin starts for rollout-*.jsonl and rollout-*.jsonl.zst only; here is the text instead")
            return _print(file)
        editor = environment.neovim()
        if editor is None:
            say("no Neovim to be had for this machine (0.11 or newer on the PATH would do); here is the text instead")
            return _print(file)
        return _edit(editor, file)
    except Trouble as trouble:
        sys.stderr.write(f"./try: {trouble}\n")
        return 2
    except BrokenPipeError:  # whoever read the text has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _file(words: list[str]) -> Path:
    if not words:
        demos = sorted((REPO / "fixtures" / "sessions").glob(DEMO))
        if not demos:
            raise Trouble("the demo is not there; name a rollout")
        return demos[0]
    if words[0].startswith("-") and not os.path.lexists(words[0]):
        raise Trouble(f"no such option {words[0]}\n{USAGE}")
    file = Path(words[0]).resolve()
    try:
        mode = file.stat().st_mode
    except PermissionError:
        raise Trouble(f"{words[0]}: no permission to read it") from None
    except OSError:
        raise Trouble(f"{words[0]}: no such file") from None
    if not stat.S_ISREG(mode):
        raise Trouble(f"{words[0]}: {'is a folder; name a file' if stat.S_ISDIR(mode) else 'is no regular file'}")
    if not os.access(file, os.R_OK):
        raise Trouble(f"{words[0]}: no permission to read it")
    return file


def _print(file: Path) -> int:
    """The outline and the findings. 0 unless the file cannot be read."""
    command = str(environment.command_of_venv())
    sys.stdout.write(f"$ rollout-ls outline {file.name}\n")
    sys.stdout.flush()
    outline = subprocess.run([command, "outline", str(file)], stdin=subprocess.DEVNULL)
    sys.stdout.write(f"\n$ rollout-ls check {file.name}\n")
    sys.stdout.flush()
    check = subprocess.run([command, "check", file.name], cwd=file.parent, stdin=subprocess.DEVNULL)
    return 2 if outline.returncode or check.returncode > 1 else 0


def _edit(editor: str, file: Path) -> int:
    own = {f"XDG_{name}_HOME": str(environment.VENV / "neovim") for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    surroundings = {
        **os.environ,
        **own,  # logs and the like stay in the checkout
        "ROLLOUT_LS_REPO": str(REPO),
        "ROLLOUT_LS_COMMAND": str(environment.command_of_venv()),
    }
    command = [editor, "--clean", "-R", "-u", str(REPO / "dev" / "try.lua"), "--", str(file)]
    return subprocess.run(command, env=surroundings).returncode
