"""The table behind ``check --statistics``. Writes what ``wire.statistics`` counted; counts nothing itself."""

from __future__ import annotations

from collections import Counter

from rollout_ls.cli.terminal import write_line
from rollout_ls.rules.registry import RULES
from rollout_ls.wire.statistics import Statistics

_WHY = {
    "cut-off": "cut off",
    "broken": "broken JSON",
    "nul": "NUL bytes",
    "not-object": "JSON, but no record",
}


def write_statistics(statistics: Statistics) -> None:
    """Writes the counts, the biggest first, each group under a head of its own; empty groups are left out."""
    codes = {f"{code}  {RULES[code].title}" if code in RULES else code: n for code, n in statistics.codes.items()}
    why = {_WHY.get(reason, reason.replace("-", " ")): n for reason, n in statistics.skipped.items()}
    groups = (
        ("Findings", Counter(codes)),
        ("Records", statistics.kinds),
        ("Records of unknown kinds", statistics.unknown_kinds),
        ("Lines skipped", Counter(why)),
    )
    wide = max((len(f"{count:,}") for _, counts in groups for count in counts.values()), default=1)
    for head, counts in groups:
        if not counts:
            continue
        write_line([(f"{head}: {counts.total():,}", "bold")])
        for name, count in counts.most_common():
            write_line([(f"{count:>{wide + 2},}", ""), (f"  {name}", "cyan")])
        write_line([])
