"""How much is tried: a short run goes with all other tests, a long one is started by ``run.py --long``."""

from __future__ import annotations

import os
from pathlib import Path

LONG = os.environ.get("ROLLOUT_RELIABILITY") == "long"
SEED = int(os.environ.get("ROLLOUT_RELIABILITY_SEED", "20260103"))
FIXTURES = sorted((Path(__file__).parent.parent.parent / "fixtures" / "sessions").glob("rollout-*"))
SOON_SECONDS = 1.0
"""An end comes within a second."""
SLACK = 1.0 if LONG else 2.0
"""What times are multiplied with, since the short run shares its machine with other tests."""


def pick(short: int, long: int, *, shared: bool = True) -> int:
    """The number for this run; ``ROLLOUT_RELIABILITY_SHARE=0.1`` makes a tenth of a long run's that are shared."""
    if not shared:
        return long if LONG else short
    return max(short, int(long * float(os.environ.get("ROLLOUT_RELIABILITY_SHARE", "1")))) if LONG else short
