"""Runs the bars and prints them: `python tests/bench/run.py [--size 1,10,100] [--only NAME,...] [--write]`.

Ratios, not times, are what to look at: figure and floor come from the same run on the same machine. The command exits
0 whatever the ratios are, and 1 where a bar could not be measured. `--write` puts the tables into docs/performance.md.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
for place in (str(HERE.parent), str(ROOT / "server"), str(ROOT)):
    if place not in sys.path:
        sys.path.insert(0, place)
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "server"), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)

from bench import bars, generate, page  # noqa: E402
from bench.bars import Bars  # noqa: E402
from bench.measuring import Input, Row, Side  # noqa: E402

CACHE = ROOT / ".benchmarks"
PAGE = ROOT / "docs" / "performance.md"
HUGE_MB = 1_000


class OnDisk(NamedTuple):
    """A file that is not held in memory."""

    label: str
    path: pathlib.Path


def generated_path(megabytes: float, seed: int = 1) -> pathlib.Path:
    """A file of that many million bytes; kept for the next run."""
    sources = (HERE / "generate.py", ROOT / "fixtures" / "records.py", ROOT / "fixtures" / "writer.py")
    made_by = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:8]
    size = int(megabytes * 10**6)
    name = generate.Generator(0, seed).name
    path = CACHE / f"{made_by}-{size}-{seed}" / name
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.writelines(generate.generate(size, seed))
        os.replace(file.name, path)
    return path


def generated(megabytes: float) -> Input:
    """The same, in memory."""
    path = generated_path(megabytes)
    return Input(f"{megabytes:g} MB", path, path.read_bytes())


def read(path: pathlib.Path) -> Input:
    data = path.read_bytes()
    return Input(f"{len(data) / 10**6:.1f} MB", path.resolve(), data)


def works_of(what: Bars, inputs: list[Input], huge: OnDisk | None) -> Iterator[Callable[[], Iterator[Row | Side]]]:
    """What is to be run for some bars, one after the other."""
    if what.alone is not None:
        yield what.alone
    if what.together is not None:
        yield partial(what.together, inputs)
    for given in inputs[:1] if what.smallest_only else inputs:
        if what.each is not None:
            yield partial(what.each, given)
        if what.on_disk is not None:
            yield partial(what.on_disk, given.label, given.path)
    if what.on_disk is not None and huge is not None:
        yield partial(what.on_disk, *huge)


def measure(inputs: list[Input], names: Sequence[str], huge: OnDisk | None = None) -> Iterator[Row | Side]:
    """The rows of all bars asked for; a bar that fails gives a row that says so."""
    for name in names:
        for work in works_of(bars.BY_NAME[name], inputs, huge):
            try:
                yield from work()
            except Exception as error:
                yield Row(f"{name}: not measured", "", f"{type(error).__name__}: {error}"[-400:])


def line_of(row: Row | Side) -> str:
    """A row as text for a terminal."""
    name = f"{row.name}, {row.label}" if row.label else row.name
    if isinstance(row, Side):
        return f"{name:<60}" + "; ".join(f"{who} {cell}" for who, cell in row.cells.items()) + "\n"
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    bar = "" if row.bar is None else f"{row.bar:g}"
    verdict = "" if row.ratio is None or row.bar is None else "over" if row.is_over else "ok"
    return f"{name:<60}{row.figure:>14}{row.floor:>14}{ratio:>9}{bar:>7}  {verdict}".rstrip() + "\n"


def main(arguments: list[str] | None = None) -> int:
    names_known = ", ".join(bars.BY_NAME)
    parser = argparse.ArgumentParser(description="Measures rollout-ls against its bars.")
    parser.add_argument("--size", default="1,10,100", help="sizes of generated files, in MB (default: 1,10,100)")
    parser.add_argument("--only", default=",".join(bars.BY_NAME), help=f"which of {names_known}")
    parser.add_argument("--huge", action="store_true", help="check a file of 1 GB from the disk too")
    parser.add_argument("--file", type=pathlib.Path, action="append", help="measure this file instead")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/performance.md")
    options = parser.parse_args(arguments)
    names = options.only.split(",")
    if unknown := [name for name in names if name not in bars.BY_NAME]:
        parser.error(f"no such bar: {', '.join(unknown)}")
    try:
        inputs = [read(path) for path in options.file or ()] or [generated(float(n)) for n in options.size.split(",")]
        huge = OnDisk("1 GB", generated_path(HUGE_MB)) if options.huge else None
    except (OSError, ValueError) as error:
        parser.error(str(error))
    started = time.monotonic()
    sys.stdout.write(f"{'bar':<60}{'figure':>14}{'floor':>14}{'ratio':>9}{'bar':>7}\n")
    rows = []
    for row in measure(inputs, names, huge):
        rows.append(row)
        sys.stdout.write(line_of(row))
        sys.stdout.flush()
    if options.write:
        given = sys.argv[1:] if arguments is None else arguments
        PAGE.write_text(page.page(rows, given, time.monotonic() - started), encoding="utf-8")
    return int(any(row.name.endswith("not measured") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
