"""The bars: each measures one thing and yields rows of a table. Nothing here asserts.

A floor is what a loop of `orjson.loads` over the same records needs. Floor and subject run in turns, so that a busy
machine hurts both, and of each the fastest of several runs counts. Servers run in processes of their own.
"""

from __future__ import annotations

import gc
import pathlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import orjson

from bench.client import Client

MIB = 1 << 20
RUNS = 5
MOST_RUNS = 40
ROUNDS_SECONDS = 3.0
EDITS = 120
SMALL_FILE = 5_000_000
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

    @property
    def records(self) -> list[bytes]:
        return [line for line in self.data.split(b"\n") if line]


class Row(NamedTuple):
    """A line of the table. `figure` and `floor` are texts with a unit; `bar` is the highest ratio wanted."""

    name: str
    figure: str
    floor: str
    ratio: float | None
    bar: float | None


def interleaved(*works: Callable[[], float]) -> list[float]:
    """The fastest of `RUNS` rounds or more (a few seconds' worth), for each work; a work gives its own seconds."""
    best = [float("inf")] * len(works)
    enough = time.monotonic() + ROUNDS_SECONDS
    done = 0
    while done < RUNS or (done < MOST_RUNS and time.monotonic() < enough):
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


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.{2 if seconds < 0.01 else 1 if seconds < 1 else 0}f} ms"


def mebibytes(size: float) -> str:
    return f"{size / MIB:,.0f} MiB"


def ratio_row(name: str, seconds: float, floor: float, bar: float | None) -> Row:
    return Row(name, milliseconds(seconds), milliseconds(floor), seconds / floor, bar)


# -- in process


def eager(given: Input) -> Iterator[Row]:
    """The eager pass over every record: rows, typed decode, statements, fold, findings. In seconds of this process."""
    from rollout_ls.workspace.document import Document

    found = 0
    pieces = [given.data[n : n + MIB] for n in range(0, len(given.data), MIB)]

    def subject() -> float:
        nonlocal found
        started = time.process_time()
        document = Document(given.uri, 1, pieces)
        found = len(document.findings())
        return time.process_time() - started

    floor, seconds = interleaved(floor_of(given.records, time.process_time), subject)
    yield ratio_row(f"eager pass, {given.label}", seconds, floor, 1.5)
    if found:
        yield Row("  findings (none wanted)", str(found), "", None, None)


# -- over stdio


def opened(client: Client, given: Input) -> float:
    """Seconds from the first byte of didOpen to the last of the findings."""
    seconds, _ = client.timed(client.did_open(given.uri, given.data), client.ask_findings(given.uri))
    return seconds


def open_to_findings(given: Input) -> Iterator[Row]:
    """didOpen to the answer of textDocument/diagnostic; the server has started before and has opened one file."""
    floor_work = floor_of(given.records)
    with Client(SERVER) as client:
        first = opened(client, given)
        client.write(client.did_close(given.uri))

        floor, seconds = interleaved(floor_work, lambda: opened_and_closed(client, given))
    yield ratio_row(f"open to findings, {given.label}", seconds, floor, 5.5)
    yield ratio_row(f"  the first after start, {given.label}", first, floor, None)
    with Client(BARE_SERVER) as bare:
        runs = 3 if len(given.data) < 30 * MIB else 1
        received = min(opened_and_closed(bare, given) for _ in range(runs))
    yield ratio_row(f"  against bare pygls, {given.label}", seconds, received, 0.9)


def opened_and_closed(client: Client, given: Input) -> float:
    seconds = opened(client, given)
    client.write(client.did_close(given.uri))
    return seconds


APPENDED = (
    '{"timestamp":"2026-07-22T05:00:00.000Z","type":"event_msg","payload":{"type":"agent_message",'
    '"message":"One more line, number %d.","phase":"commentary","memory_citation":null}}\n'
)


class Edits(NamedTuple):
    """Medians, in seconds, from a change to the findings of the text after it."""

    append: float
    middle: float
    idle: float
    """A request that changes nothing: what the pipe and the answer cost."""
    seen: bool
    """A broken line appended at the end was found."""


def edits(given: Input) -> Edits:
    rows = given.data.count(b"\n")
    row, column = a_place_in_the_middle(given.data)
    with Client(SERVER) as client:
        opened(client, given)
        settle(client, given)

        def change(start: tuple[int, int], end: tuple[int, int], text: str) -> float:
            return client.timed(client.did_change(given.uri, start, end, text), client.ask_findings(given.uri))[0]

        idle = [client.timed(client.ask_findings(given.uri))[0] for _ in range(EDITS)]
        middle = []
        for _ in range(EDITS // 2):
            middle.append(change((row, column), (row, column), "x"))
            middle.append(change((row, column), (row, column + 1), ""))
        append = [change((rows + n, 0), (rows + n, 0), APPENDED % n) for n in range(EDITS)]
        end = (rows + EDITS, 0)
        broken = client.did_change(given.uri, end, end, '{"timestamp":"2026-07-22T05:00:01.000Z","ty\n')
        _, report = client.timed(broken, client.ask_findings(given.uri))
        seen = any(item["range"]["start"]["line"] == rows + EDITS for item in report.get("items", ()))
    return Edits(statistics.median(append), statistics.median(middle), statistics.median(idle), seen)


def settle(client: Client, given: Input, seconds: float = 60.0) -> None:
    """Waits until the server's later passes are over: until its process has been quiet for half a second."""
    end = time.monotonic() + seconds
    used, since = cpu_seconds(client.pid), time.monotonic()
    while time.monotonic() < min(end, since + 0.5):
        time.sleep(0.1)
        now = cpu_seconds(client.pid)
        if now - used > 0.01:
            used, since = now, time.monotonic()


def cpu_seconds(pid: int) -> float:
    """What the process has used so far; 0 where there is no /proc."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


def a_place_in_the_middle(data: bytes) -> tuple[int, int]:
    """(row, column) inside the text of the first plain assistant message behind the middle of the file."""
    mark = b'"type":"agent_message","message":"'
    start = data.index(mark, len(data) // 2)
    row_start = data.rindex(b"\n", 0, start) + 1
    return data.count(b"\n", 0, start), start + len(mark) - row_start


def append(inputs: list[Input]) -> Iterator[Row]:
    """A line at the end, a letter in the middle; and how much slower in the largest file than in the smallest."""
    measured = [(given, edits(given)) for given in inputs]
    for given, times in measured:
        for name, seconds in (("append a line", times.append), ("type in the middle", times.middle)):
            yield Row(f"{name}, {given.label}", milliseconds(seconds), milliseconds(0.001), seconds / 0.001, 1.0)
        yield Row(f"  asking alone, {given.label}", milliseconds(times.idle), "", None, None)
        if not times.seen:
            yield Row("  the broken line appended at last was NOT found", "", "", None, None)
    (small, few), (large, many) = measured[0], measured[-1]
    if large is not small:
        name = f"{large.label} against {small.label}"
        yield ratio_row(f"append a line, {name}", many.append, few.append, 1.5)
        yield ratio_row(f"type in the middle, {name}", many.middle, few.middle, 1.5)


def memory(given: Input) -> Iterator[Row]:
    """Resident memory after open and all later passes, and the peak on the way."""
    if not pathlib.Path("/proc/self/status").exists():
        yield Row("memory", "needs /proc", "", None, None)
        return
    with Client(SERVER) as client:
        opened(client, given)
        after = client.memory("VmRSS")
        settle(client, given)
        resident, peak = client.memory("VmRSS"), client.memory("VmHWM")
    more = 60 * MIB + 700 * given.data.count(b"\n")
    for name, size, allowed in (
        ("resident after open", max(after, resident), len(given.data) + more),
        ("peak", peak, 2.4 * len(given.data) + more),
    ):
        yield Row(f"{name}, {given.label}", mebibytes(size), mebibytes(allowed), size / allowed, 1.0)


# -- one file, many questions


def latency(given: Input) -> Iterator[Row]:
    """Hover and definition all over the file, and the outline; 95th percentiles."""
    places = spread(given.data, 200)
    with Client(SERVER) as client:
        opened(client, given)
        settle(client, given)
        for method, bar in (("hover", 0.05), ("definition", 0.05)):
            times = sorted(
                client.timed(client.request(f"textDocument/{method}", at(given, place)))[0] for place in places
            )
            yield limit_row(f"{method}, {given.label}", times, bar)
        document = {"textDocument": {"uri": given.uri}}
        outline = [client.timed(client.request("textDocument/documentSymbol", document))[0] for _ in range(20)]
    name = f"documentSymbol, {given.label}"
    if len(given.data) < SMALL_FILE:
        yield limit_row(name, outline, 0.2)
    (floor,) = interleaved(floor_of(given.records))
    yield ratio_row(f"{name}, first time", outline[0], floor, 1.2)
    yield ratio_row(f"{name}, again", min(outline[1:]), floor, 0.35)


def at(given: Input, place: tuple[int, int]) -> dict[str, Any]:
    return {"textDocument": {"uri": given.uri}, "position": {"line": place[0], "character": place[1]}}


def limit_row(name: str, times: list[float], bar: float) -> Row:
    seconds = sorted(times)[int(len(times) * 0.95)]
    return Row(f"{name}, p95 of {len(times)}", milliseconds(seconds), milliseconds(bar), seconds / bar, 1.0)


def spread(data: bytes, n: int) -> list[tuple[int, int]]:
    """`n` places over all rows: the kind, the call id, or the middle of the row; the longest rows among them."""
    rows = data.split(b"\n")[:-1] or [data]
    chosen = set(range(0, len(rows), max(1, len(rows) // n)))
    chosen |= set(sorted(range(len(rows)), key=lambda row: -len(rows[row]))[:10])
    places = []
    for k, row in enumerate(sorted(chosen)):
        line = rows[row]
        call = line.find(b'"call_id":"')
        kind = line.find(b'"type":"')
        column = (call + 14 if call >= 0 else kind + 10, kind + 10, len(line) // 2)[k % 3]
        places.append((row, max(0, min(column, len(line)))))
    return places


BARS: dict[str, Callable[[Input], Iterator[Row]]] = {
    "eager": eager,
    "open": open_to_findings,
    "memory": memory,
    "latency": latency,
}
"""`append` compares files with each other and stands apart."""
