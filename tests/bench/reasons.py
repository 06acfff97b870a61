"""Why a bar is not met, by the name of its row: written after measuring, shown in docs/performance.md where it is over.

A row that is over its bar and has no reason here is shown as not looked into yet.
"""

from __future__ import annotations

REASONS: dict[str, str] = {}
