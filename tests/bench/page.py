"""docs/performance.md from the rows of one run: which machine, which command, the tables, and why a bar is not met."""

from __future__ import annotations

import datetime
import os
import pathlib
import platform
from collections.abc import Iterable, Sequence
from importlib import metadata

from bench import side
from bench.measuring import Row, Side
from bench.reasons import REASONS

LIBRARIES = ("msgspec", "orjson", "pygls")
NOT_LOOKED_INTO = "not looked into yet."

HEAD = """\
# Performance

Written by the benches in `tests/bench/`; the next run writes it anew, so no edit here stays.

| | |
| --- | --- |
"""

HOW_TO_READ = """
## How to read it

- **Ratios count, not times.** Figure and floor come from the same run, measured in turns, so a slower machine slows
  both. Of each the fastest of at least five rounds counts (three where a round takes seconds, one at 1 GB); where a
  row says median, p95 or longest, it is that. Edits of `append a line` and `type in the middle` are medians of 120.
- **The floor** of most rows is a loop of `orjson.loads` over the same records, which drops each value at once: the
  least that any Python program pays to read them. For the start it is a process that imports pygls and ends; for an
  edit in a long row one `orjson.loads` of that row; for `check` a process that reads the file line by line with
  orjson. Where a bar is a time or a size, the floor column holds what is allowed.
- **The bar** is the highest ratio that is wanted. Rows without a bar are told for orientation.
- The files are made by `tests/bench/generate.py`, shaped like real sessions and healthy; MB are millions of bytes.
- "In process" is without a server around; all else goes through a server's standard input and output, with the time
  that the pipe and the client need.
"""

BESIDE = """
## Beside other servers, on the same file

These are tools of another kind, and the table tells only what each needs for what it does. Bare pygls is a server
that keeps the text and finds nothing. The JSON server is vscode-json-language-server (npm
`vscode-langservers-extracted`): it knows JSON documents, not sessions. Of a file of lines it reads the first record
and reports that more follows, so it is given the same records once more as one JSON array, of which it reads
everything. Neither knows what a turn is; rollout-ls knows nothing but session files. A dash: it has no such answer,
or was not given a file of that size.

"""


def page(rows: Iterable[Row | Side], arguments: Sequence[str], seconds: float) -> str:
    """The whole page. `arguments` are those of the command, `seconds` how long the run took."""
    rows = list(rows)
    own = [row for row in rows if isinstance(row, Row)]
    beside = [row for row in rows if isinstance(row, Side)]
    text = HEAD + "".join(f"| {name} | {value} |\n" for name, value in _facts(arguments, seconds))
    text += "\n## The bars\n\n" + "".join(_bars_table(own)) + "".join(_not_met(own)) + HOW_TO_READ
    return text + (BESIDE + "".join(_beside_table(beside)) if beside else "")


def _facts(arguments: Sequence[str], seconds: float) -> Iterable[tuple[str, str]]:
    command = " ".join(["python tests/bench/run.py", *arguments])
    libraries = ", ".join(f"{name} {metadata.version(name)}" for name in LIBRARIES)
    yield "Date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    yield "Machine", f"{os.cpu_count()} cores, {_memory()}{platform.machine()}, {_processor()}{platform.system()}"
    yield "Python", f"{platform.python_implementation()} {platform.python_version()}; {libraries}"
    yield "Command", f"`{command}`"
    yield "Took", f"{seconds / 60:.1f} minutes"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB of memory, "
    except (ValueError, OSError, AttributeError):
        return ""


def _processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().split("\n")
    except OSError:
        return ""
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{name}, " if name else ""


def _bars_table(rows: list[Row]) -> Iterable[str]:
    yield "| what | file | figure | floor | ratio | bar | |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n"
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        bar = "" if row.bar is None else f"{row.bar:g}"
        verdict = "" if row.ratio is None or row.bar is None else "**over**" if row.is_over else "met"
        cells = (row.name.strip(), row.label, row.figure, row.floor, ratio, bar, verdict)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _not_met(rows: list[Row]) -> Iterable[str]:
    over = [row for row in rows if row.is_over]
    measured = sum(row.bar is not None and row.ratio is not None for row in rows)
    yield f"\n{measured - len(over)} of {measured} bars are met.\n"
    if not over:
        return
    yield "\n## Bars that are not met, and why\n\n"
    for name in dict.fromkeys(row.name for row in over):
        figures = ", ".join(
            f"{row.ratio:.2f} instead of {row.bar:g}" + (f" at {row.label}" if row.label else "")
            for row in over
            if row.name == name
        )
        yield f"- **{name}** ({figures}): {REASONS.get(name, NOT_LOOKED_INTO)}\n"


def _beside_table(rows: list[Side]) -> Iterable[str]:
    yield "| what | file | " + " | ".join(side.NAMES) + " |\n| --- | --- |" + " ---: |" * len(side.NAMES) + "\n"
    for row in rows:
        yield f"| {row.name} | {row.label} | " + " | ".join(row.cells[name] for name in side.NAMES) + " |\n"
