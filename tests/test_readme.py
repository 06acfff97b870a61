"""The README shows what the commands really print. `python tests/test_readme.py` writes it anew."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
README = REPO / "README.md"
_SHOWN = re.compile(r"^\$ rollout-ls (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)


def _printed(words: str) -> str:
    command = [sys.executable, "-m", "rollout_ls", *words.split()]
    done = subprocess.run(command, cwd=REPO, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert done.stderr == b""
    return done.stdout.decode("utf-8").rstrip("\n") + "\n"


def _fresh(text: str) -> str:
    def show(found: re.Match[str]) -> str:
        gap = "\n" if text.startswith("$ ", found.end()) else ""
        return f"$ rollout-ls {found[1]}\n{_printed(found[1])}{gap}"

    return _SHOWN.sub(show, text)


def test_the_readme_is_true() -> None:
    text = README.read_text("utf-8")
    assert len(_SHOWN.findall(text)) >= 2
    assert text == _fresh(text)


def test_every_file_it_names_is_there() -> None:
    for name in re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text("utf-8")):
        assert (REPO / name).exists(), name


if __name__ == "__main__":
    README.write_text(_fresh(README.read_text("utf-8")), "utf-8")
