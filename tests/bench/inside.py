"""Bars measured in this process: the passes over a document, and an edit of it, without any server around."""

from __future__ import annotations

import time
from collections.abc import Iterator

from bench import long_row
from bench.long_row import LongRow
from bench.measuring import MIB, Input, Row, floor_of, interleaved, loads_seconds, ratio_row


def eager(given: Input) -> Iterator[Row]:
    """The eager pass over every record: rows, typed decode, statements, fold, findings. In seconds of this process."""
    from rollout_ls.workspace.document import Document

    found = 0
    pieces = _pieces(given.data)

    def subject() -> float:
        nonlocal found
        started = time.process_time()
        document = Document(given.uri, 1, pieces)
        findings = document.findings()
        seconds = time.process_time() - started
        found = sum(finding.code != "limit" for finding in findings)  # which tells that an outline is cut
        return seconds

    floor, seconds = interleaved(floor_of(given.records, time.process_time), subject)
    yield ratio_row("eager pass", given.label, seconds, floor, 1.5)
    if found:
        yield Row("  findings (none wanted)", given.label, str(found))


def idle(given: Input) -> Iterator[Row]:
    """What is done when nobody waits, behind an eager pass that is not counted: without `secret`, and with it."""
    from rollout_ls.projection.surroundings import Surroundings
    from rollout_ls.rules.registry import DEFAULT_CODES
    from rollout_ls.workspace.document import Document

    pieces = _pieces(given.data)

    def subject(codes: frozenset[str]) -> float:
        document = Document(given.uri, 1, pieces)
        document.surroundings = Surroundings(codes=codes)
        document.findings()
        started = time.process_time()
        document.finish()
        return time.process_time() - started

    floor, plain, everything = interleaved(
        floor_of(given.records, time.process_time),
        lambda: subject(frozenset(DEFAULT_CODES) - {"secret"}),
        lambda: subject(frozenset(DEFAULT_CODES) | {"secret"}),
    )
    yield ratio_row("idle pass without secret", given.label, plain, floor, 3.5)
    yield ratio_row("idle pass with secret", given.label, everything, floor, 12.0)


def long_rows() -> Iterator[Row]:
    """A letter typed in the middle of a row of 1 MB, and taken back: until the findings of the text after it."""
    for label, given in long_row.inputs():
        yield _edited_long_row(label, given)


def _edited_long_row(label: str, given: LongRow) -> Row:
    from rollout_ls.workspace.document import Change, Document

    document = Document("file:///long.jsonl", 1, _pieces(given.data))
    document.finish()
    place, after = given.place, (given.place[0], given.place[1] + 1)

    def change(end: tuple[int, int], text: bytes) -> float:
        started = time.perf_counter()
        document.edit([Change(place, end, text)], 1, "utf-16")
        document.findings()
        return time.perf_counter() - started

    floor, typed, taken_back = interleaved(
        lambda: loads_seconds(given.row), lambda: change(place, b"x"), lambda: change(after, b"")
    )
    return ratio_row("edit in a long row, in process", label, max(typed, taken_back), floor, 4.0)


def _pieces(data: bytes) -> list[bytes]:
    return [data[n : n + MIB] for n in range(0, len(data), MIB)]
