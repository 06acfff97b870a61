"""Bars of the command line: `check` of a file on the disk, in a process of its own."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator

from bench.measuring import MIB, Row, interleaved, milliseconds, size_row

CHECK = [sys.executable, "-m", "rollout_ls", "check", "--ignore", "secret", "--output-format", "jsonl"]
LOOP = [
    sys.executable,
    "-c",
    "import sys, orjson\nloads = orjson.loads\nfor line in open(sys.argv[1], 'rb'): loads(line)",
]
LARGE_BYTES = 500 * MIB
JUDGED_BYTES = 50 * MIB
"""Below, the start of the process weighs as much as the file."""
POLLED_EVERY_SECONDS = 0.01


def check(label: str, path: pathlib.Path) -> Iterator[Row]:
    """`check --ignore secret` against an orjson loop that streams the file line by line: whole processes, and the peak
    of the memory."""
    size = path.stat().st_size
    with path.open("rb") as file:
        lines = sum(1 for _ in file)  # and the file is in the system's cache now
    runs = 3 if size < LARGE_BYTES else 1
    floor, seconds = interleaved(lambda: _run(LOOP, path), lambda: _run(CHECK, path), runs=runs)
    nothing = path.parent / "rollout-nothing.jsonl"
    nothing.touch()
    started = min(_run(CHECK, nothing) for _ in range(3))
    loop_started = min(_run(LOOP, nothing) for _ in range(3))
    bar = 5.5 if size >= JUDGED_BYTES else None
    over = max(1e-6, floor - loop_started)
    yield Row("check from disk", label, milliseconds(seconds), milliseconds(floor), seconds / floor, bar)
    yield Row(
        "  without the start of both processes",
        label,
        milliseconds(seconds - started),
        milliseconds(over),
        (seconds - started) / over,
    )
    if pathlib.Path("/proc/self/status").exists():
        yield size_row("check from disk, peak of memory", label, _peak(path), 100 * MIB + 500 * lines)


def _run(command: list[str], path: pathlib.Path) -> float:
    started = time.perf_counter()
    done = subprocess.run([*command, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    seconds = time.perf_counter() - started
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[-400:])
    return seconds


def _peak(path: pathlib.Path) -> int:
    """The peak of the resident memory, looked at until the process ends: what wait4 tells would hold this process's."""
    process = subprocess.Popen([*CHECK, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status, peak = pathlib.Path(f"/proc/{process.pid}/status"), 0
    while process.poll() is None:
        for line in status.read_text().split("\n"):
            if line.startswith("VmHWM:"):
                peak = max(peak, int(line.split()[1]) * 1024)
        time.sleep(POLLED_EVERY_SECONDS)
    return peak
