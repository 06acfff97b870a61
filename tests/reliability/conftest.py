"""What every test of this folder has: a way to tell its number. All numbers stand at the end of the run."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

_ROWS: dict[str, list[str]] = {}
_FILE = os.environ.get("ROLLOUT_RELIABILITY_NUMBERS")


class Told:
    """The number of one test."""

    def __init__(self, about: str) -> None:
        self._about = about

    def say(self, figure: str, bar: str = "") -> None:
        """Tells what was tried and found, and what was wanted."""
        _ROWS[self._about] = [figure, bar]


@pytest.fixture
def told(request: pytest.FixtureRequest) -> Told:
    """Takes the number. The first line of the test's docstring is its title."""
    text = request.function.__doc__ or request.node.name
    title = text.strip().partition("\n")[0].rstrip(".")
    parameters = getattr(request.node, "callspec", None)
    about = f"{title} ({parameters.id})" if parameters is not None else title
    return Told(about)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the numbers."""
    if not _ROWS:
        return
    terminalreporter.section("reliability")
    for about, (figure, bar) in _ROWS.items():
        terminalreporter.write_line(f"{about}: {figure}" + (f" (wanted: {bar})" if bar else ""))
    if _FILE:
        Path(_FILE).write_text(json.dumps([[about, *row] for about, row in _ROWS.items()]), encoding="utf-8")
