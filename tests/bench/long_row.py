"""Short sessions around one row of a megabyte, all ASCII: one long text, and one record of many short ones."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterator
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from fixtures import records  # noqa: E402
from fixtures.writer import Writer  # noqa: E402

from bench.generate import BUILD, STARTED, Generator  # noqa: E402

LONG_BYTES = 1_000_000


class LongRow(NamedTuple):
    """A document, its long row, and a place in the middle of it, inside a text: (row, column)."""

    data: bytes
    row: bytes
    place: tuple[int, int]


def inputs(size: int = LONG_BYTES) -> Iterator[tuple[str, LongRow]]:
    """(what the row is, the document around it)."""
    pools = Generator(0, 7).pools
    writer = _session()
    writer.ran(writer.runs("cat all.log"), pools.output(size, False), 0, 1.5)
    yield "1 MB, one output", _document(writer)
    writer = _session()
    texts = [pools.text(2_000, False) for _ in range(size // 2_090)]
    history = [records.message("user" if n % 2 else "assistant", [text]) for n, text in enumerate(texts)]
    writer.record("compacted", records.compacted(history), 3.0)
    yield "1 MB, a compaction", _document(writer)


def _session() -> Writer:
    writer = Writer(BUILD, records.milliseconds(STARTED), "/home/robin/observatory", "bench long row")
    writer.header()
    writer.start()
    writer.user("Please look at all of it.")
    return writer


def _document(writer: Writer) -> LongRow:
    writer.answers("Done.")
    writer.complete()
    data = writer.content()
    rows = data.split(b"\n")
    at = max(range(len(rows)), key=lambda row: len(rows[row]))
    return LongRow(data, rows[at], (at, _letter(rows[at], len(rows[at]) // 2)))


def _letter(row: bytes, near: int) -> int:
    """The first offset from there on that stands between two letters of a text."""
    while not row[near - 1 : near + 1].isalpha() or b"\\" in row[near - 8 : near + 1]:
        near += 1
    return near
