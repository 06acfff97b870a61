"""``rollout-ls drift``: what rollouts hold that this version does not know, fit for a bug report.

Keys, types, counts and words that look like identifiers; no values, no paths, no names of files. The gathering is
``formats.drift``'s; here it is only written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from rollout_ls import __version__
from rollout_ls.cli.loading import STANDARD_INPUT, load, shown_path
from rollout_ls.cli.terminal import Segment, inner_fault, say, say_all, write_bytes, write_line
from rollout_ls.formats.drift import Drift, Unfamiliar
from rollout_ls.formats.records import strangers_in
from rollout_ls.workspace.document import Document
from rollout_ls.workspace.files import FileProblem, find_rollouts

DONE, TROUBLE = 0, 2

NO_ROLLOUT = frozenset({"wrong-format", "compressed", "empty-file"})
HEADS = {
    "kind": "Unknown kinds of records",
    "part": "Unknown parts",
    "field": "Unknown fields",
    "word": "Unknown words",
}


def run(paths: Sequence[str], *, output_format: str) -> int:
    """Writes what is unknown in all files together. The exit status."""
    found = find_rollouts([path for path in paths if path != STANDARD_INPUT])
    say_all(found.problems)
    trouble = bool(found.problems)
    drift, files, left_out = Drift(), 0, 0
    for path in [*([STANDARD_INPUT] if STANDARD_INPUT in paths else []), *found.paths]:
        try:
            document, problem = load(path)
            if problem is not None:
                say(str(problem))
                trouble = True
            files += 1
            left_out += not _gather(document, drift)
        except Exception as error:  # one file that defeats this program hides no other
            say(str(error) if isinstance(error, FileProblem) else f"{shown_path(path)}: {inner_fault(error)}")
            trouble = True
    unknown = drift.found()
    if output_format == "json":
        report = {"version": __version__, "files": files, "left_out": left_out, "unknown": unknown}
        write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")
    elif files:  # else only what is wrong was said
        for segments in _rows(unknown, files, left_out):
            write_line(segments)
    return TROUBLE if trouble else DONE


def _gather(document: Document, drift: Drift) -> bool:
    """Takes in one file; not one of another format, whose every line would be unknown."""
    if any(finding.code in NO_ROLLOUT for finding in document.findings()):
        return False
    session = document.session()
    drift.begin_file(session.header.version if session.header is not None else "")
    for line in document.buffer:
        for statement in line.reading.statements:
            drift.add(strangers_in(line.data, statement))
    return True


def _rows(unknown: Sequence[Unfamiliar], files: int, left_out: int) -> Iterator[list[Segment]]:
    head = ""
    for one in unknown:
        if HEADS[one.what] != head:
            if head:
                yield []
            head = HEADS[one.what]
            yield [(head, "bold")]
        yield [
            (f"  {_name(one)}", "cyan"),
            (f"  {_times(one.count)} in {one.files} {'file' if one.files == 1 else 'files'}", ""),
            (f"  ({', '.join(f'{version}: {count}' for version, count in one.versions.items())})", "dim"),
        ]
        if one.shape is not None:
            yield from ([(f"      {row}", "")] for row in _drawn(one.shape))
    if head:
        yield []
    what = "Nothing unknown" if not unknown else f"{len(unknown)} unknown"
    aside = f"; {left_out} left out, which {'is' if left_out == 1 else 'are'} no rollout" if left_out else ""
    yield [(f"{what} in {files} {'file' if files == 1 else 'files'}{aside} (rollout-ls {__version__}).", "bold")]


def _name(one: Unfamiliar) -> str:
    if one.what == "field":
        where = f"{one.place}.{one.name}" if one.place else one.name
    else:
        where = f"{one.place} = {one.name}" if one.place else one.name
    return f"{one.kind}: {where}" if one.kind else where


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _drawn(shape: Any) -> list[str]:
    """An outline as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(shape)).decode("utf-8").split("\n")
