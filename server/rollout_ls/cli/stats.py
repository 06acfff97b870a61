"""``rollout-ls stats``: sessions in numbers. Writes what ``wire.stats`` counted."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rollout_ls.cli.loading import STANDARD_INPUT, load, shown_path
from rollout_ls.cli.terminal import Segment, inner_fault, say, say_all, write_bytes, write_line
from rollout_ls.formats.statement import Tokens
from rollout_ls.text.display import duration_text, label
from rollout_ls.wire.stats import SessionStats, session_stats, total
from rollout_ls.workspace.files import FileProblem, find_rollouts

DONE, TROUBLE = 0, 2
MAX_PATH_CHARACTERS = 4096
HEADS = ("turns", "calls", "failed", "open", "input", "cached", "output", "time")


def run(paths: Sequence[str], *, output_format: str) -> int:
    """Writes a row a file, and their sum where there are several. The exit status."""
    found = find_rollouts([path for path in paths if path != STANDARD_INPUT])
    say_all(found.problems)
    trouble = bool(found.problems)
    counted: list[tuple[str, SessionStats]] = []
    for path in [*([STANDARD_INPUT] if STANDARD_INPUT in paths else []), *found.paths]:
        name = "<stdin>" if path == STANDARD_INPUT else shown_path(path)
        try:
            document, problem = load(path)
            counted.append((name, session_stats(document.session(), document.buffer)))
        except Exception as error:  # one file that defeats this program hides no other
            say(str(error) if isinstance(error, FileProblem) else f"{name}: {inner_fault(error)}")
            trouble = True
            continue
        if problem is not None:
            say(str(problem))
            trouble = True
    if output_format == "json":
        files = [{"path": name, **_plain(one)} for name, one in counted]
        report = {"files": files, "total": _plain(total([one for _, one in counted]))}
        write_bytes(msgspec.json.encode(report) + b"\n")
    else:
        _write_table(counted)
    return TROUBLE if trouble else DONE


def _plain(stats: SessionStats) -> dict[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(stats)
    return plain


def _write_table(counted: Sequence[tuple[str, SessionStats]]) -> None:
    """Columns of numbers, the name of the file last, since it is the longest."""
    rows = [(_cells(one), label(name, MAX_PATH_CHARACTERS), "") for name, one in counted]
    if len(counted) > 1:
        rows.append((_cells(total([one for _, one in counted])), f"{len(counted):,} files", "bold"))
    if not rows:
        return
    widths = [max(len(head), *(len(cells[at]) for cells, _, _ in rows)) for at, head in enumerate(HEADS)]
    write_line([("  ".join(f"{head:>{wide}}" for head, wide in zip(HEADS, widths, strict=True)), "dim")])
    for cells, name, style in rows:
        numbers = "  ".join(f"{cell:>{wide}}" for cell, wide in zip(cells, widths, strict=True))
        line: list[Segment] = [(numbers, style), (f"  {name}", style or "cyan")]
        write_line(line)


def _cells(stats: SessionStats) -> tuple[str, ...]:
    tokens: Tokens = stats.tokens
    time = duration_text(stats.milliseconds) if stats.milliseconds else ""
    numbers = (stats.turns, stats.calls, stats.failed_calls, stats.unanswered_calls)
    return (
        *(f"{number:,}" for number in (*numbers, tokens.input, tokens.cached_input, tokens.output)),
        time,
    )
