"""What a check saw, counted: findings by code, records by kind, kinds that nobody knows, lines that were skipped.

Values and their JSON. Never holds text of a file but unknown kinds that look like identifiers; never prints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from rollout_ls.formats.skeleton import is_word
from rollout_ls.formats.statement import Unknown
from rollout_ls.text.rows import Line

NOT_SHOWN = "<not shown>"
"""An unknown kind that does not look like the name of one."""


class Statistics:
    """Counts over all files of one check."""

    def __init__(self) -> None:
        self.files = 0
        self.lines = 0
        self.codes: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.unknown_kinds: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        """Lines of which no record could be made, by the reason."""

    def add(self, lines: Iterable[Line], codes: Iterable[str]) -> None:
        """Counts one file: its lines (all read), and the codes of the findings that are shown."""
        self.files += 1
        self.codes.update(codes)
        for line in lines:
            self.lines += 1
            reading = line.reading
            for statement in reading.statements:
                if isinstance(statement, Unknown):
                    self.unknown_kinds[statement.label if is_word(statement.label) else NOT_SHOWN] += 1
                else:
                    self.kinds[statement.kind] += 1
            if not reading.statements and not reading.blank:
                self.skipped[reading.broken[0].what if reading.broken else "no record"] += 1

    def plain(self) -> dict[str, Any]:
        """As JSON: counts with the biggest first."""
        return {
            "files": self.files,
            "lines": self.lines,
            "codes": dict(self.codes.most_common()),
            "kinds": dict(self.kinds.most_common()),
            "unknown_kinds": dict(self.unknown_kinds.most_common()),
            "skipped_lines": dict(self.skipped.most_common()),
        }
