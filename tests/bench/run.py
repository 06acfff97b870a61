"""Runs the bars and prints them: `python tests/bench/run.py [--size 1,10,100] [--only NAME,...] [--file PATH]`.

Ratios, not times, are what to look at: figure and floor come from the same run on the same machine. The command exits
0 whatever the ratios are, and 1 where a bar could not be measured.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
for place in (str(HERE.parent), str(ROOT / "server"), str(ROOT)):
    if place not in sys.path:
        sys.path.insert(0, place)
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "server"), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)

from bench import bars, generate  # noqa: E402
from bench.bars import Input, Row  # noqa: E402

NAMES = (*bars.BARS, "append")
CACHE = ROOT / ".benchmarks"


def generated(megabytes: float, seed: int = 1) -> Input:
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
    return Input(f"{megabytes:g} MB", path, path.read_bytes())


def read(path: pathlib.Path) -> Input:
    data = path.read_bytes()
    return Input(f"{len(data) / 10**6:.1f} MB", path.resolve(), data)


def measure(inputs: list[Input], names: list[str]) -> Iterator[Row]:
    """The rows of all bars asked for; a bar that fails gives a row that says so."""
    for name in names:
        works = [bars.append(inputs)] if name == "append" else [bars.BARS[name](given) for given in inputs]
        for work in works:
            try:
                yield from work
            except Exception as error:
                yield Row(f"{name}: not measured", f"{type(error).__name__}: {error}"[-400:], "", None, None)


def line_of(row: Row) -> str:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    bar = "" if row.bar is None else f"{row.bar:g}"
    verdict = "" if row.ratio is None or row.bar is None else "ok" if row.ratio <= row.bar else "over"
    return f"{row.name:<44}{row.figure:>14}{row.floor:>14}{ratio:>9}{bar:>7}  {verdict}".rstrip() + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measures rollout-ls against its bars.")
    parser.add_argument("--size", default="1,10", help="sizes of generated files, in MB (default: 1,10)")
    parser.add_argument("--only", default=",".join(NAMES), help=f"which of {', '.join(NAMES)}")
    parser.add_argument("--file", type=pathlib.Path, action="append", help="measure this file instead")
    options = parser.parse_args(arguments)
    names = options.only.split(",")
    if unknown := [name for name in names if name not in NAMES]:
        parser.error(f"no such bar: {', '.join(unknown)}")
    try:
        inputs = [read(path) for path in options.file or ()] or [generated(float(n)) for n in options.size.split(",")]
    except (OSError, ValueError) as error:
        parser.error(str(error))
    sys.stdout.write(f"{'bar':<44}{'figure':>14}{'floor':>14}{'ratio':>9}{'bar':>7}\n")
    failed = False
    for row in measure(inputs, names):
        failed |= row.name.endswith("not measured")
        sys.stdout.write(line_of(row))
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
