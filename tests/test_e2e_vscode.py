"""The VS Code client in a real editor: see ``tests/e2e_vscode/README.md``.

Takes some four minutes and, the first time, fetches half a gigabyte. So it runs only where ``ROLLOUT_E2E=1`` asks.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "e2e_vscode" / "run"
TIMEOUT_SECONDS = 1800


def _missing() -> str:
    """Why it does not run here; empty where it does."""
    asked = os.environ.get("ROLLOUT_E2E", "0")
    if asked in ("", "0"):
        return "not asked for: ROLLOUT_E2E=1 runs VS Code (four minutes, half a gigabyte the first time)"
    if sys.platform != "linux" or shutil.which("npm") is None:
        return "needs Linux and npm"
    browsers = ("chromium", "chromium-browser", "google-chrome")
    there = os.environ.get("CHROMIUM") or any(map(shutil.which, browsers))
    return "" if there or os.geteuid() == 0 else "needs Chromium"


@pytest.mark.skipif(bool(_missing()), reason=_missing() or "runs")
def test_the_extension_in_a_real_editor() -> None:
    surroundings = {**os.environ, "PYTHON": os.environ.get("PYTHON", sys.executable)}
    done = subprocess.run(
        ["bash", str(RUN)], env=surroundings, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
    )
    sys.stdout.write(done.stdout)
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"
