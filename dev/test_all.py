"""./test: sets everything up and passes all tests; the last line counts them.

Words after it go to pytest. Runs the style check, the type check, then pytest, which also drives a headless Neovim and
checks the VS Code client where npm is there. Goes on after a failure, so that one run tells all.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from dev import environment
from dev.environment import REPO, Trouble, say


class Count:
    """Tests so far."""

    def __init__(self) -> None:
        self.passed = self.failed = self.skipped = 0
        self.failed_steps: list[str] = []


def main(words: list[str]) -> int:
    """Runs ./test. The exit status: 0 when something passed and nothing failed."""
    try:
        environment.use_new_python()
        environment.prepare("test")
        if environment.neovim() is None:
            say("no Neovim 0.11 or newer to be had: its tests are skipped")
        lacking = environment.codex()
        if lacking:
            say(f"the real reader of Codex is not to be had, its tests are skipped: {lacking}")
    except Trouble as trouble:
        sys.stderr.write(f"./test: {trouble}\n")
        return 2
    count = Count()
    if not words:
        _step(count, "style", "-m", "ruff", "check", ".")
        _step(count, "types", "-m", "mypy")
    _pytest(count, words)
    if count.failed_steps:
        say(f"failed before pytest: {', '.join(count.failed_steps)} (see the top)")
    skipped = f", {count.skipped} skipped" if count.skipped else ""
    sys.stdout.write(f"{count.passed} passed, {count.failed} failed{skipped}\n")
    return 0 if count.passed and not count.failed else 1


def _run(*words: str) -> int:
    sys.stdout.flush()
    return subprocess.run([str(environment.python_of_venv()), *words], cwd=REPO, stdin=subprocess.DEVNULL).returncode


def _step(count: Count, name: str, *words: str) -> None:
    start = time.monotonic()
    failed = _run(*words) != 0
    count.failed += failed
    count.passed += not failed
    count.failed_steps += [name] * failed
    say(f"{name}: {'FAILED' if failed else 'passed'} ({time.monotonic() - start:.0f} s)")


def _pytest(count: Count, words: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        status = _run("-m", "pytest", "-rs", f"--junitxml={report}", *words)
        known = count.failed
        if report.exists():
            _add(count, report)
        if status and count.failed == known:
            say(f"pytest ended with {status}")
            count.failed += 1


def _add(count: Count, report: Path) -> None:
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        count.failed += failed
        count.skipped += skipped
        count.passed += max(0, tests - skipped - failed)
