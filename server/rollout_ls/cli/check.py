"""``rollout-ls check``: the findings of files and folders, for people and for programs.

Only asks the documents and writes down what they say. Never stops at a file that cannot be read: it says so and goes
on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from rollout_ls.cli.excerpt import excerpt
from rollout_ls.cli.loading import STANDARD_INPUT, load, shown_path
from rollout_ls.cli.terminal import Segment, bar_console, inner_fault, say, say_all, width, write_bytes, write_line
from rollout_ls.rules.finding import SEVERITIES
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.columns import offset_of
from rollout_ls.text.display import ELLIPSIS, bytes_text, label
from rollout_ls.wire.report import FindingRow, concise_line, finding_rows, json_array, json_line
from rollout_ls.workspace.files import FileProblem, find_rollouts

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.progress import Progress

CLEAN, FINDINGS, TROUBLE = 0, 1, 2
STYLES = {"error": "bold red", "warning": "bold yellow", "information": "bold blue", "hint": "dim"}
BAR_FROM_FILES = 20
BAR_FROM_BYTES = 20_000_000
STDIN_NAME = "<stdin>"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Tally:
    """What was seen so far, over all files."""

    def __init__(self, min_level: str) -> None:
        self.shown = SEVERITIES[: SEVERITIES.index(min_level) + 1]
        self.severities: Counter[str] = Counter()
        self.files = 0
        self.files_with_findings = 0
        self.bytes = 0
        self.trouble = False


def run(paths: Sequence[str], *, output_format: str, min_level: str, fail_level: str) -> int:
    """Checks what the paths mean and writes the findings. The exit status."""
    from_input = STANDARD_INPUT in paths
    found = find_rollouts([path for path in paths if path != STANDARD_INPUT])
    tally = Tally(min_level)
    tally.trouble = bool(found.problems)
    say_all(found.problems)
    files = [*([STANDARD_INPUT] if from_input else []), *found.paths]
    results = _checked(files, tally, for_people=output_format in ("full", "concise"))
    if output_format == "json":
        for piece in json_array(row for rows, _ in results for row in rows):
            write_bytes(piece)
    else:
        for rows, buffer in results:
            for row in rows:
                _write(row, buffer, output_format)
    if output_format == "full" and tally.files:
        write_line(_summary(tally))
    return _status(tally, fail_level)


def _status(tally: Tally, fail_level: str) -> int:
    if tally.trouble:
        return TROUBLE
    if fail_level == "never":
        return CLEAN
    failing = SEVERITIES[: SEVERITIES.index(fail_level) + 1]
    return FINDINGS if any(tally.severities[severity] for severity in failing) else CLEAN


def _checked(files: Sequence[str], tally: Tally, *, for_people: bool) -> Iterator[tuple[list[FindingRow], Buffer]]:
    """The findings to show of each file that can be read, with its lines. Counts into ``tally``."""
    with _bar(files, for_people) as bar:
        for path in files:
            try:
                rows, buffer, problem = _findings_of(path)
            except Exception as error:  # one file that defeats this program hides no other
                say(str(error) if isinstance(error, FileProblem) else f"{shown_path(path)}: {inner_fault(error)}")
                tally.trouble = True
                continue
            finally:
                if bar is not None:
                    bar.advance(bar.task_ids[0], _size(path))
            if problem is not None:
                say(str(problem))
                tally.trouble = True
            tally.files += 1
            tally.bytes += buffer.byte_count
            tally.severities.update(row.severity for row in rows)
            shown = [row for row in rows if row.severity in tally.shown]
            tally.files_with_findings += bool(shown)
            yield shown, buffer


def _findings_of(path: str) -> tuple[list[FindingRow], Buffer, FileProblem | None]:
    document, problem = load(path)
    name = STDIN_NAME if path == STANDARD_INPUT else shown_path(path)
    return finding_rows(name, document.buffer, document.finish()), document.buffer, problem


# -- writing
def _write(row: FindingRow, buffer: Buffer, output_format: str) -> None:
    if output_format == "jsonl":
        write_bytes(json_line(row))
    elif output_format == "concise":
        write_line([(_on_one_line(concise_line(row)), "")])
    else:
        for segments in _full(row, buffer):
            write_line(segments)


def _full(row: FindingRow, buffer: Buffer) -> Iterable[list[Segment]]:
    path, style = _on_one_line(row.path), STYLES[row.severity]
    yield [
        (f"{path}:{row.line}:{row.column}", "bold"),
        (" ", ""),
        (row.severity, style),
        (f" {row.code}", "cyan"),
        (f" {row.message}", ""),
    ]
    yield from _source(row, buffer, style)
    for related in row.related:
        yield [("  see ", "dim"), (f"line {related.line}: {related.message}", "")]
    yield []


def _source(row: FindingRow, buffer: Buffer, style: str) -> Iterable[list[Segment]]:
    """The row with the place underlined; nothing where there is no text."""
    data = buffer.row_text(row.line - 1).removeprefix(BYTE_ORDER_MARK)
    if not data:
        return
    start = offset_of(data, row.column - 1, "utf-16")
    end = offset_of(data, row.end_column - 1, "utf-16") if row.end_line == row.line else len(data)
    gutter = f"{row.line:>6}"
    shown = excerpt(data, start, end, width() - len(gutter) - 4)
    yield [(f"{gutter} | ", "dim"), (shown.before, ""), (shown.marked, style), (shown.after, "")]
    marks = "^" * max(1, _cells(shown.marked))
    yield [(f"{'':{len(gutter)}} | ", "dim"), (" " * _cells(shown.before), ""), (marks, style)]


def _summary(tally: Tally) -> list[Segment]:
    read = f"{_count(tally.files, 'file')} ({bytes_text(tally.bytes)})"
    shown = [(severity, tally.severities[severity]) for severity in tally.shown if tally.severities[severity]]
    hidden = sum(tally.severities.values()) - sum(number for _, number in shown)
    left_out = f"; {hidden} below --min-level" if hidden else ""
    if not shown:
        return [("No findings", "bold green"), (f" in {read}{left_out}.", "")]
    parts = ", ".join(_count(number, severity) for severity, number in shown)
    where = f"{tally.files_with_findings} of {read}" if tally.files > 1 else read
    return [(parts, "bold"), (f" in {where}{left_out}.", "")]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" + ("" if number == 1 or thing == "information" else "s")


def _on_one_line(path: str) -> str:
    return label(path, 4096)


def _cells(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.replace(ELLIPSIS, ".").isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


# -- the bar
def _bar(files: Sequence[str], for_people: bool) -> AbstractContextManager[Progress | None]:
    """A bar where a person waits long enough to want one."""
    total = sum(map(_size, files))
    if len(files) < BAR_FROM_FILES and total < BAR_FROM_BYTES:
        return nullcontext()
    console = bar_console(for_people=for_people)
    if console is None:
        return nullcontext()
    from rich.progress import Progress

    bar = Progress(console=console, transient=True, redirect_stdout=False)
    bar.add_task("checking", total=total)
    return bar


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size if path != STANDARD_INPUT else 0
    except OSError:
        return 0
