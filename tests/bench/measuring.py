"""How things are measured: inputs, rounds, and the rows of the tables. Nothing here knows the server; nothing asserts.

A floor is what a loop of `orjson.loads` over the same records needs. Floor and subject run in turns, so that a busy
machine hurts both, and of each the fastest of at least five rounds counts.
"""

from __future__ import annotations

import gc
import pathlib
import sys
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import orjson

MIB = 1 << 20
RUNS = 5
MOST_RUNS = 40
ROUNDS_SECONDS = 2.0
LARGE_FILE = 30 * MIB
"""From so many bytes on a round takes seconds, and three do."""
JUDGED_BYTES = 5_000_000
"""Bars that are ratios to the floor of a whole file are set for files of ten megabytes and more: below, what does not
depend on the file's size weighs as much as the file."""
SERVER = [sys.executable, "-m", "rollout_ls", "server"]
BARE_SERVER = [sys.executable, str(pathlib.Path(__file__).with_name("bare_pygls.py"))]


class Input(NamedTuple):
    """One file to measure with."""

    label: str
    path: pathlib.Path
    data: bytes

    @property
    def uri(self) -> str:
        return self.path.as_uri()

    def bar(self, ratio: float) -> float | None:
        """The bar of a work over the whole file, None for a file that is too small for one."""
        return ratio if len(self.data) >= JUDGED_BYTES else None

    @property
    def records(self) -> list[bytes]:
        return [line for line in self.data.split(b"\n") if line]


class Row(NamedTuple):
    """A line of the table. `figure` and `floor` are texts with a unit; `bar` is the highest ratio wanted.

    `name` says what was measured, the same for all files, `label` with which one. A row without a bar is told for
    orientation only.
    """

    name: str
    label: str
    figure: str
    floor: str = ""
    ratio: float | None = None
    bar: float | None = None

    @property
    def is_over(self) -> bool:
        return self.ratio is not None and self.bar is not None and self.ratio > self.bar


class Side(NamedTuple):
    """A line of the table that holds several servers side by side: a text with a unit for each, by its name."""

    name: str
    label: str
    cells: dict[str, str]


def interleaved(*works: Callable[[], float], runs: int | None = None) -> list[float]:
    """The fastest of `runs` rounds or more (a few seconds' worth), for each work; a work gives its own seconds."""
    best = [float("inf")] * len(works)
    enough = time.monotonic() + ROUNDS_SECONDS
    least = RUNS if runs is None else min(runs, RUNS)
    done = 0
    while done < least or (runs is None and done < MOST_RUNS and time.monotonic() < enough):
        done += 1
        for n, work in enumerate(works):
            gc.collect()
            best[n] = min(best[n], work())
    return best


def floor_of(records: list[bytes], clock: Callable[[], float] = time.perf_counter) -> Callable[[], float]:
    """The floor as a work; it drops each value at once."""

    def loop() -> float:
        loads = orjson.loads
        started = clock()
        for record in records:
            loads(record)
        return clock() - started

    return loop


def loads_seconds(record: bytes) -> float:
    """What one `orjson.loads` of it takes, once."""
    started = time.perf_counter()
    orjson.loads(record)
    return time.perf_counter() - started


def quantile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.{2 if seconds < 0.01 else 1 if seconds < 1 else 0}f} ms"


def mebibytes(size: float) -> str:
    return f"{size / MIB:,.{2 if abs(size) < 10 * MIB else 0}f} MiB"


def ratio_row(name: str, label: str, seconds: float, floor: float, bar: float | None) -> Row:
    return Row(name, label, milliseconds(seconds), milliseconds(floor), seconds / floor, bar)


def size_row(name: str, label: str, size: float, allowed: float) -> Row:
    return Row(name, label, mebibytes(size), mebibytes(allowed), size / allowed, 1.0)


def limit_row(name: str, label: str, seconds: float, limit: float) -> Row:
    """Held against a time that is allowed, whatever the machine."""
    return ratio_row(name, label, seconds, limit, 1.0)


# -- places in a file


def a_place_in_the_middle(data: bytes) -> tuple[int, int]:
    """(row, column) inside the text of the first plain assistant message behind the middle of the file."""
    mark = b'"type":"agent_message","message":"'
    start = data.index(mark, len(data) // 2)
    row_start = data.rindex(b"\n", 0, start) + 1
    return data.count(b"\n", 0, start), start + len(mark) - row_start


def places_by_length(data: bytes, n: int) -> list[tuple[int, int, bytes]]:
    """(row, column, the row) of `n` records of all lengths, the longest ten among them: on the kind, on the call id,
    or in the middle of the row."""
    rows = data.split(b"\n")[:-1] or [data]
    by_length = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    chosen = set(by_length[:: max(1, len(rows) // n)]) | set(by_length[-10:])
    places = []
    for k, row in enumerate(sorted(chosen)):
        line = rows[row]
        call = line.find(b'"call_id":"')
        kind = line.find(b'"type":"')
        column = (call + 14 if call >= 0 else kind + 10, kind + 10, len(line) // 2)[k % 3]
        places.append((row, max(0, min(column, len(line))), line))
    return places
