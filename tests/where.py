"""Where the tests run."""

from __future__ import annotations

import os

IN_CI = os.environ.get("CI", "").lower() in ("1", "true")
"""There a test that cannot be run is a failed one."""
