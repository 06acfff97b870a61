"""The byte-exact cases that lie beside a checkout in some places, run black box against the installed command.

Skipped where there are none. What this project needs of them stands in ``fixtures/`` and ``tests/`` of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT.parent / "shared" / "tools" / "run_cases.py"
NOT_YET: frozenset[int] = frozenset()
"""Cases that are known not to be whole."""


@pytest.mark.skipif(not RUNNER.is_file(), reason="no cases lie beside this checkout")
def test_the_cases_are_whole(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = f"{sys.executable} -m rollout_ls"
    done = subprocess.run(
        [sys.executable, str(RUNNER), "--command", command, "--json", str(report)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert report.is_file(), done.stdout + done.stderr
    problems = [one for one in json.loads(report.read_text(encoding="utf-8")) if one["case"] not in NOT_YET]
    assert problems == [], done.stdout
