"""Bars measured from outside: a server in a process of its own, asked over its standard input and output."""

from __future__ import annotations

import contextlib
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from bench import long_row
from bench.client import Client
from bench.long_row import LongRow
from bench.measuring import (
    BARE_SERVER,
    LARGE_FILE,
    MIB,
    SERVER,
    Input,
    Row,
    a_place_in_the_middle,
    floor_of,
    interleaved,
    limit_row,
    loads_seconds,
    milliseconds,
    places_by_length,
    quantile,
    ratio_row,
    size_row,
)

EDITS = 120
ASKED_EVERY_SECONDS = 0.02
ASKED_AFTERWARDS = 300
LOOKED_EVERY_SECONDS = 0.5
BUSY_SHARE = 0.2
"""A server that uses less of one processor does no more than answer the hovers."""
PLACES = 300
SCREENS = 60
SCREEN_ROWS = 60
SCREEN_SECONDS = 0.02
GROWTH_EDITS = 20_000
GROWTH_WARM_UP = 2_000
GROWTH_BATCH = 10
APPENDED = (
    '{"timestamp":"2026-07-22T05:00:00.000Z","type":"event_msg","payload":{"type":"agent_message",'
    '"message":"One more line, number %d.","phase":"commentary","memory_citation":null}}\n'
)


# -- start and open


def start() -> Iterator[Row]:
    """From the start of the process to the answer to initialize; the floor is a process that only imports pygls."""

    def subject() -> float:
        with Client(SERVER) as client:
            return client.initialized.at - client.started

    def floor() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import pygls.lsp.server"], check=True)
        return time.perf_counter() - started

    imported, seconds = interleaved(floor, subject)
    yield ratio_row("start to initialize answered", "", seconds, imported, 1.15)


def open_to_findings(given: Input) -> Iterator[Row]:
    """didOpen to the answer of textDocument/diagnostic; the server has started before and has opened one file."""
    uri, data = given.uri, given.data
    used: list[float] = []
    with Client(SERVER) as client:

        def subject() -> float:
            before = client.cpu_seconds()
            seconds = client.opened(uri, data)
            used.append(client.cpu_seconds() - before)
            client.write(client.did_close(uri))
            return seconds

        first = client.opened_and_closed(uri, data)
        floor, seconds = interleaved(floor_of(given.records), subject)
    yield ratio_row("open to findings", given.label, seconds, floor, given.bar(5.5))
    yield ratio_row("  the first after start", given.label, first, floor, None)
    if len(data) >= LARGE_FILE:
        yield ratio_row("  processor time of the server", given.label, min(used), floor, None)
    with Client(BARE_SERVER) as bare:
        runs = 3 if len(data) < LARGE_FILE else 1
        received = min(bare.opened_and_closed(uri, data) for _ in range(runs))
    yield ratio_row("open to findings, against bare pygls", given.label, seconds, received, given.bar(0.9))


def memory(given: Input) -> Iterator[Row]:
    """Resident memory after open and all later passes, and the peak on the way."""
    if not pathlib.Path("/proc/self/status").exists():
        yield Row("memory", given.label, "needs /proc")
        return
    with Client(SERVER) as client:
        client.opened(given.uri, given.data)
        after = client.memory("VmRSS")
        client.settle()
        resident, peak = client.memory("VmRSS"), client.memory("VmHWM")
    more = 60 * MIB + 700 * given.data.count(b"\n")
    yield size_row("resident after open", given.label, max(after, resident), len(given.data) + more)
    yield size_row("peak of memory", given.label, peak, 2.4 * len(given.data) + more)


def answers_meanwhile(given: Input) -> Iterator[Row]:
    """Hovers on a small second document, one every 20 ms from the last byte of a big didOpen on.

    Told apart are those sent before the findings of the big document came, and those sent during its later passes.
    """
    small = b"".join(line + b"\n" for line in given.data.split(b"\n", 8)[:8])
    small_uri = given.uri.removesuffix(".jsonl") + "-small.jsonl"
    with Client(SERVER) as client:
        client.opened(small_uri, small)
        client.timed(client.ask_at("hover", small_uri, (3, 40)))
        big = client.did_open(given.uri, given.data)
        client.write(big)
        until_findings, afterwards = _asked_meanwhile(client, small_uri, client.ask_findings(given.uri))
    yield from _meanwhile_rows("hover elsewhere while a file opens", given.label, until_findings)
    yield from _meanwhile_rows("hover elsewhere during the idle pass", given.label, afterwards)


def _meanwhile_rows(name: str, label: str, times: list[float]) -> Iterator[Row]:
    if times:
        yield limit_row(f"{name}, p95", label, quantile(times, 0.95), 0.03)
        yield limit_row(f"{name}, longest", label, max(times), 0.06)
        yield Row("  hovers sent", label, str(len(times)))


def _asked_meanwhile(client: Client, uri: str, ask_findings: bytes) -> tuple[list[float], list[float]]:
    """Seconds of each hover sent before the findings came, and of those sent after, while the server is at work."""
    big, found_at = client.last_id, float("inf")
    client.write(ask_findings)
    sent: dict[int, float] = {}
    before: list[float] = []
    after: list[float] = []
    used, looked_at = 0.0, float("inf")
    due = time.perf_counter()
    while len(after) < ASKED_AFTERWARDS:
        if time.perf_counter() >= due:
            message = client.ask_at("hover", uri, (3, 40))
            due = time.perf_counter()
            sent[client.last_id] = due
            client.write(message)
            due += ASKED_EVERY_SECONDS
        answered = client.next_answer(due - time.perf_counter())
        if answered is not None and answered[0] == big:
            found_at = answered[1].at
            used, looked_at = client.cpu_seconds(), time.perf_counter()
        elif answered is not None:
            asked = sent.pop(answered[0])
            (before if asked < found_at else after).append(answered[1].at - asked)
        if time.perf_counter() - looked_at > LOOKED_EVERY_SECONDS:
            used, used_before, looked_at = client.cpu_seconds(), used, time.perf_counter()
            if used - used_before < LOOKED_EVERY_SECONDS * BUSY_SHARE:
                break
    return before, after


# -- edits


class Edits(NamedTuple):
    """Medians, in seconds, from a change to the findings of the text after it."""

    append: float
    middle: float
    idle: float
    """A request that changes nothing: what the pipe and the answer cost."""
    seen: bool
    """A broken line appended at the end was found."""


class _Edited:
    """A server with one open file, edited again and again; each edit gives its seconds."""

    def __init__(self, client: Client, given: Input) -> None:
        self.client, self.uri, self.rows = client, given.uri, given.data.count(b"\n")
        row, column = a_place_in_the_middle(given.data)
        self.place, self.after = (row, column), (row, column + 1)
        self.idle: list[float] = []
        self.middle: list[float] = []
        self.append: list[float] = []
        client.opened(given.uri, given.data)
        client.settle()

    def ask(self) -> None:
        self.idle.append(self.client.timed(self.client.ask_findings(self.uri))[0])

    def type(self) -> None:
        end = self.after if len(self.middle) % 2 else self.place
        text = "" if len(self.middle) % 2 else "x"
        self.middle.append(self.client.changed(self.uri, self.place, end, text))

    def add(self) -> None:
        end = (self.rows, 0)
        self.append.append(self.client.changed(self.uri, end, end, APPENDED % self.rows))
        self.rows += 1

    def result(self) -> Edits:
        end = (self.rows, 0)
        broken = self.client.did_change(self.uri, end, end, '{"timestamp":"2026-07-22T05:00:01.000Z","ty\n')
        _, report = self.client.timed(broken, self.client.ask_findings(self.uri))
        seen = any(item["range"]["start"]["line"] == self.rows for item in report.get("items", ()))
        append, middle, idle = (statistics.median(times) for times in (self.append, self.middle, self.idle))
        return Edits(append, middle, idle, seen)


def _edited(inputs: list[Input]) -> list[Edits]:
    """All files at once, an edit of each in turn, so that a busy moment hurts all of them."""
    with contextlib.ExitStack() as servers:
        files = [_Edited(servers.enter_context(Client(SERVER)), given) for given in inputs]
        for work in (_Edited.ask, _Edited.type, _Edited.add):
            for _ in range(EDITS):
                for one in files:
                    work(one)
        return [one.result() for one in files]


def edits(inputs: list[Input]) -> Iterator[Row]:
    """A line at the end, a letter in the middle; and how much slower in the largest file than in the smallest."""
    measured = list(zip(inputs, _edited(inputs), strict=True))
    for given, times in measured:
        yield limit_row("append a line", given.label, times.append, 0.001)
        yield limit_row("type in the middle", given.label, times.middle, 0.001)
        yield Row("  asking alone", given.label, milliseconds(times.idle))
        if not times.seen:
            yield Row("  the broken line appended at last was NOT found", given.label, "")
    (small, few), (large, many) = measured[0], measured[-1]
    if large is not small:
        label = f"{large.label} against {small.label}"
        yield ratio_row("append a line, as the file grows", label, many.append, few.append, 1.5)
        yield ratio_row("type in the middle, as the file grows", label, many.middle, few.middle, 1.5)


def long_rows() -> Iterator[Row]:
    """A letter typed in the middle of a row of 1 MB and taken back, in UTF-16 columns."""
    for label, given in long_row.inputs():
        yield from _edited_long_row(label, given)


def _edited_long_row(label: str, given: LongRow) -> Iterator[Row]:
    uri, place, after = "file:///long/rollout-long.jsonl", given.place, (given.place[0], given.place[1] + 1)
    with Client(SERVER, ("utf-16",)) as client:
        client.opened(uri, given.data)
        client.settle()
        floor, typed, taken_back = interleaved(
            lambda: loads_seconds(given.row),
            lambda: client.changed(uri, place, place, "x"),
            lambda: client.changed(uri, place, after, ""),
        )
        asking = min(client.timed(client.ask_findings(uri))[0] for _ in range(EDITS))
    yield ratio_row("edit in a long row, over stdio", label, max(typed, taken_back), floor, 4.0)
    yield Row("  asking alone", label, milliseconds(asking))


def growth(given: Input) -> Iterator[Row]:
    """How much more memory the server holds after 20,000 edits that leave the text as it was, 2,000 before not counted.

    In batches of ten, each batch with its findings asked for, so that what an edit leaves behind is seen and not the
    pipe.
    """
    uri, rows = given.uri, given.data.count(b"\n")
    row, column = a_place_in_the_middle(given.data)
    end, place, after = (rows, 0), (row, column), (row, column + 1)
    for name, pairs in (
        ("append and take back", ((end, end, APPENDED % 1), (end, (rows + 1, 0), ""))),
        ("type in the middle and take back", ((place, place, "x"), (place, after, ""))),
    ):
        with Client(SERVER) as client:
            client.opened(uri, given.data)
            client.settle()
            sizes = []
            for number in (GROWTH_WARM_UP, GROWTH_EDITS):
                for _ in range(max(1, number // GROWTH_BATCH)):
                    changes = [client.did_change(uri, *pairs[n % 2]) for n in range(GROWTH_BATCH)]
                    client.timed(*changes, client.ask_findings(uri))
                client.settle()
                sizes.append(client.memory("VmRSS"))
        yield size_row(f"{GROWTH_EDITS:,} edits, {name}", given.label, max(0, sizes[1] - sizes[0]), MIB)


# -- questions


def records(given: Input) -> Iterator[Row]:
    """Hover and definition in records of all lengths, each against what that record allows; the fastest of a few."""
    places = places_by_length(given.data, PLACES)
    allowed = [2.5 * min(loads_seconds(line) for _ in range(5)) + 0.002 for _, _, line in places]
    with Client(SERVER) as client:
        client.opened(given.uri, given.data)
        client.settle()
        for method in ("hover", "definition"):
            taken = [
                min(client.timed(client.ask_at(method, given.uri, (row, column)))[0] for _ in range(3))
                for row, column, _ in places
            ]
            ratios = [one / most for one, most in zip(taken, allowed, strict=True)]
            worst = max(range(len(ratios)), key=ratios.__getitem__)
            yield Row(
                f"{method} in a record, worst", given.label, *_times(taken[worst], allowed[worst]), ratios[worst], 1.0
            )
            yield Row(f"  its record is {len(places[worst][2]):,} bytes long", given.label, "")
            yield Row(f"{method} in a record, p95", given.label, "", "", quantile(ratios, 0.95), 1.0)


def _times(seconds: float, allowed: float) -> tuple[str, str]:
    return milliseconds(seconds), milliseconds(allowed)


def outline(given: Input) -> Iterator[Row]:
    """documentSymbol, asked at once after the findings came, as editors do, and again when the server is quiet."""
    rounds = 5 if len(given.data) < LARGE_FILE else 3
    first: list[float] = []
    again: list[float] = []
    with Client(SERVER) as client:

        def subject() -> float:
            client.opened(given.uri, given.data)
            first.append(client.timed(client.ask_outline(given.uri))[0])
            again.extend(client.timed(client.ask_outline(given.uri))[0] for _ in range(5))
            client.write(client.did_close(given.uri))
            return first[-1]

        floor, _ = interleaved(floor_of(given.records), subject, runs=rounds)
        client.opened(given.uri, given.data)
        client.settle()
        again.extend(client.timed(client.ask_outline(given.uri))[0] for _ in range(10))
    yield ratio_row("documentSymbol, first time", given.label, min(first), floor, given.bar(1.2))
    yield ratio_row("documentSymbol, again", given.label, min(again), floor, given.bar(0.35))


def sight(given: Input) -> Iterator[Row]:
    """Hints and tokens for screenfuls all over the file, what a lens says; and the first hints after an edit."""
    rows = max(1, given.data.count(b"\n") - SCREEN_ROWS)
    firsts = [number * 7919 % rows for number in range(SCREENS)]
    with Client(SERVER) as client:
        client.opened(given.uri, given.data)
        client.settle()
        client.timed(_ask_rows(client, given.uri, "inlayHint", 0))
        for name, method in (("hints", "inlayHint"), ("tokens", "semanticTokens/range")):
            taken = [client.timed(_ask_rows(client, given.uri, method, first))[0] for first in firsts]
            yield limit_row(f"{name} of a screenful, p95", given.label, quantile(taken, 0.95), SCREEN_SECONDS)
        _, lenses = client.timed(client.request("textDocument/codeLens", {"textDocument": {"uri": given.uri}}))
        taken = [client.timed(client.request("codeLens/resolve", lens))[0] for lens in lenses[2 : 2 + SCREENS]]
        yield limit_row("a lens above a turn, p95", given.label, quantile(taken, 0.95), SCREEN_SECONDS)
        edited = []
        for _ in range(5):
            client.changed(given.uri, (firsts[1], 1), (firsts[1], 1), " ")
            edited.append(client.timed(_ask_rows(client, given.uri, "inlayHint", firsts[1]))[0])
        yield Row("the first hints after an edit, median", given.label, milliseconds(statistics.median(edited)))


def _ask_rows(client: Client, uri: str, method: str, first: int) -> bytes:
    start, end = ({"line": row, "character": 0} for row in (first, first + SCREEN_ROWS))
    params = {"textDocument": {"uri": uri}, "range": {"start": start, "end": end}}
    return client.request(f"textDocument/{method}", params)
