"""Whether the tests run in CI: there a test that lacks what it needs fails, since skipped would look like passed."""

from __future__ import annotations

import os

IN_CI = os.environ.get("CI", "").lower() in ("1", "true")
