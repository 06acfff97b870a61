"""``rollout-ls check``: the findings of files and folders, for people and for programs.

Only asks the documents and writes down what they say. Never stops at a file that cannot be read: it says so and goes
on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgspec

from rollout_ls import __version__
from rollout_ls.cli.excerpt import excerpt
from rollout_ls.cli.loading import STANDARD_INPUT, artifact, load, shown_path
from rollout_ls.cli.names import chosen_codes
from rollout_ls.cli.pages import rule_page
from rollout_ls.cli.statistics import write_statistics
from rollout_ls.cli.terminal import Segment, bar_console, inner_fault, say, width, write_bytes, write_line
from rollout_ls.rules.finding import SEVERITIES
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.columns import offset_of
from rollout_ls.text.display import ELLIPSIS, bytes_text, label
from rollout_ls.wire.github import github_line
from rollout_ls.wire.report import FindingRow, concise_line, finding_rows, json_array, json_line
from rollout_ls.wire.sarif import Artifact, sarif
from rollout_ls.wire.statistics import Statistics
from rollout_ls.workspace.files import FileProblem, find_rollouts

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.progress import Progress

CLEAN, FINDINGS, TROUBLE = 0, 1, 2
FORMATS = ("full", "concise", "json", "jsonl", "github", "sarif")
FOR_PEOPLE = ("full", "concise", "github")
STYLES = {"error": "bold red", "warning": "bold yellow", "information": "bold blue", "hint": "dim"}
BAR_FROM_FILES = 20
BAR_FROM_BYTES = 20_000_000
STDIN_NAME = "<stdin>"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Tally:
    """What was seen so far, over all files."""

    def __init__(self, min_level: str, codes: frozenset[str] | None, statistics: Statistics | None) -> None:
        self.codes = codes
        self.statistics = statistics
        self.problems: list[str] = []
        self.artifacts: dict[str, Artifact] = {}
        self.shown = SEVERITIES[: SEVERITIES.index(min_level) + 1]
        self.severities: Counter[str] = Counter()
        self.files = 0
        self.files_with_findings = 0
        self.bytes = 0

    def report(self, problem: str) -> None:
        """Tells the person what could not be read, and remembers it."""
        say(problem)
        self.problems.append(problem)


def run(
    paths: Sequence[str],
    *,
    output_format: str,
    min_level: str,
    fail_level: str,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    statistics: bool = False,
) -> int:
    """Checks what the paths mean and writes the findings. The exit status.

    Raises ``ToolError`` where ``select`` or ``ignore`` names no code.
    """
    tally = Tally(min_level, chosen_codes(select, ignore), Statistics() if statistics else None)
    from_input = STANDARD_INPUT in paths
    found = find_rollouts([path for path in paths if path != STANDARD_INPUT])
    for problem in found.problems:
        tally.report(str(problem))
    files = [*([STANDARD_INPUT] if from_input else []), *found.paths]
    results = _checked(files, tally, for_people=output_format in FOR_PEOPLE)
    if output_format in ("json", "sarif"):
        rows = (row for rows, _ in results for row in rows)
        for piece in _sarif(rows, tally) if output_format == "sarif" else json_array(_and_statistics(rows, tally)):
            write_bytes(piece)
        return _status(tally, fail_level)
    for rows_of_file, buffer in results:
        for row in rows_of_file:
            _write(row, buffer, output_format, tally)
    if output_format == "jsonl":
        for last in _and_statistics((), tally):
            write_bytes(json_line(last))
    elif tally.statistics is not None:
        write_statistics(tally.statistics)
    if output_format == "full" and tally.files:
        write_line(_summary(tally))
    return _status(tally, fail_level)


def _and_statistics(rows: Iterable[FindingRow], tally: Tally) -> Iterator[Any]:
    """Rows, and behind the last one the statistics where they are wanted."""
    yield from rows
    if tally.statistics is not None:
        yield {"statistics": tally.statistics.plain()}


def _sarif(rows: Iterable[FindingRow], tally: Tally) -> Iterator[bytes]:
    def ending() -> tuple[list[str], dict[str, Any] | None]:
        return tally.problems, {"statistics": tally.statistics.plain()} if tally.statistics is not None else None

    return sarif(rows, tally.artifacts.__getitem__, __version__, rule_page, ending)


def _status(tally: Tally, fail_level: str) -> int:
    if tally.problems:
        return TROUBLE
    if fail_level == "never":
        return CLEAN
    failing = SEVERITIES[: SEVERITIES.index(fail_level) + 1]
    return FINDINGS if any(tally.severities[severity] for severity in failing) else CLEAN


def _checked(files: Sequence[str], tally: Tally, *, for_people: bool) -> Iterator[tuple[list[FindingRow], Buffer]]:
    """The findings to show of each file that can be read, with its lines. Counts into ``tally``."""
    with _bar(files, for_people) as bar:
        for path in files:
            step = _Step(bar, _size(path))
            try:
                rows, buffer, problem = _findings_of(path, tally, step.advance)
            except Exception as error:  # one file that defeats this program hides no other
                known = isinstance(error, FileProblem)
                tally.report(str(error) if known else f"{shown_path(path)}: {inner_fault(error)}")
                continue
            finally:
                step.advance(step.left)
            if problem is not None:
                tally.report(str(problem))
            tally.files += 1
            tally.bytes += buffer.byte_count
            tally.severities.update(row.severity for row in rows)
            shown = [row for row in rows if row.severity in tally.shown]
            tally.files_with_findings += bool(shown)
            if tally.statistics is not None:
                tally.statistics.add(buffer, (row.code for row in shown))
            yield shown, buffer


class _Step:
    """How far the bar has come with one file."""

    def __init__(self, bar: Progress | None, size: int) -> None:
        self.bar = bar
        self.left = size

    def advance(self, count: int) -> None:
        count = min(count, self.left)
        self.left -= count
        if self.bar is not None and count:
            self.bar.advance(self.bar.task_ids[0], count)


def _findings_of(
    path: str, tally: Tally, advance: Callable[[int], None]
) -> tuple[list[FindingRow], Buffer, FileProblem | None]:
    document, problem = load(path, tally.codes, shelve=True, advance=advance)
    if document.surroundings.reached:
        problem = None  # a limit is a finding
    name = STDIN_NAME if path == STANDARD_INPUT else shown_path(path)
    tally.artifacts[name] = artifact(path)
    if problem is not None and not document.buffer.byte_count:  # nothing of it is known, not even that it is empty
        return [], document.buffer, problem
    return finding_rows(name, document.buffer, document.finish()), document.buffer, problem


# -- writing
def _write(row: FindingRow, buffer: Buffer, output_format: str, tally: Tally) -> None:
    if output_format == "jsonl":
        write_bytes(json_line(row))
    elif output_format == "github":
        known = tally.artifacts[row.path]
        path = unquote(known.uri) if known.relative else row.path
        write_line([(_on_one_line(github_line(msgspec.structs.replace(row, path=path))), "")])
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
