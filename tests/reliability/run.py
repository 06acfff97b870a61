#!/usr/bin/env python3
"""Runs the suite for reliability and writes down its numbers: `python tests/reliability/run.py [--long] [--write]`.

Without `--long` it is what goes with all other tests; with it, as many edits, records and places as stand in
docs/reliability.md, in as many processes as there are cores where no clock is looked at. `--share 0.1` tries a tenth of
the edits and records, `--seed N` other dice. Further words go to pytest.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "reliability.md"
SEED = 20260103
INTRODUCTION = """# Reliability

<!-- Made by `python tests/reliability/run.py --long --write`: change it there. -->

What was tried to make the server fall over, and what came of it. All of it is a test: it fails when anything fails, so
the numbers tell how much was tried. A shorter run of the same tests is part of `./test`.

| what was tried | what came of it | wanted |
| --- | --- | --- |
"""
READING = """
## How to read it

- **One answer an id** means that every request of the run was counted, and had exactly one answer, also the malformed,
  cancelled and late ones; nothing else stood on the output, and no traceback on stderr.
- **The naive model** is one Python string. After each message the server must hold the very same bytes, by a checksum
  that `rollout/status` tells; from time to time all answers about the edited text must be those about the same text
  opened anew.
- **Mutated records** are records of `fixtures/` with fields gone, swapped, of another type or from another record, and
  with bytes cut, doubled, flipped or put in. Each goes through reading, session, findings, outline, folding, hints,
  lenses, tokens, links, hovers, definitions, references, selections, steps, the documents to read, drift and the views.
- **Growth** is the exponent of a line fitted through logarithms of sizes and of processor time: 1 is linear, 2 is
  quadratic. No clock decides, so a slow machine passes too.
- **Heard** are Python's audit events (`sys.addaudithook`) of the whole process.

A run is repeated with other dice by `--seed`; a failure names the seed and the batch.
"""


def main() -> int:
    """The exit status of pytest."""
    words = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--long", action="store_true", help="try as much as the page says")
    words.add_argument("--write", action="store_true", help="write docs/reliability.md")
    words.add_argument("--share", type=float, default=1.0, help="the share of a long run that is tried")
    words.add_argument("--seed", type=int, default=SEED, help="other dice")
    given, more = words.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        numbers = Path(folder) / "numbers.json"
        environment = {
            **os.environ,
            "ROLLOUT_RELIABILITY": "long" if given.long else "short",
            "ROLLOUT_RELIABILITY_SHARE": str(given.share),
            "ROLLOUT_RELIABILITY_SEED": str(given.seed),
            "ROLLOUT_RELIABILITY_NUMBERS": str(numbers),
        }
        began = time.monotonic()
        status = subprocess.run([sys.executable, "-m", "pytest", "-q", str(HERE), *more], env=environment).returncode
        seconds = time.monotonic() - began
        if given.write and status == 0:
            rows = json.loads(numbers.read_text(encoding="utf-8"))
            PAGE.write_text(page(rows, seconds, command_of(given)), encoding="utf-8")
    return status


def page(rows: list[list[str]], seconds: float, command: list[str]) -> str:
    """docs/reliability.md."""
    table = "".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |\n" for row in rows)
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    day = datetime.date.today().isoformat()
    words = " ".join(["python", *command])
    told = f"\n0 failures. {machine}, {day}; the run took {seconds / 60:.0f} minutes: `{words}`.\n"
    return INTRODUCTION + table + told + READING


def command_of(given: argparse.Namespace) -> list[str]:
    """The words that repeat a run; how pytest was told to look is left out."""
    words = ["tests/reliability/run.py", *(["--long"] if given.long else []), "--write"]
    for name, usual in (("share", 1.0), ("seed", SEED)):
        value = getattr(given, name)
        words += [f"--{name}", f"{value:g}" if name == "share" else str(value)] if value != usual else []
    return words


if __name__ == "__main__":
    sys.exit(main())
