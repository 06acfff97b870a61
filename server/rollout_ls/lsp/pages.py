"""The readable documents that the client was given: which row tells of which record, and when one is out of date.

Holds no text. Where a rollout changes while its readable document is open, the client is told to ask anew, after a
pause and once. Never makes a document itself.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import OrderedDict
from typing import TYPE_CHECKING

import msgspec

from rollout_ls.lsp.calls import Calls
from rollout_ls.lsp.documents import Opened
from rollout_ls.lsp.uris import meaning_of
from rollout_ls.text.rows import Place

if TYPE_CHECKING:
    from rollout_ls.features.readable import Readable
    from rollout_ls.text.buffer import Buffer

REFRESH = "workspace/textDocumentContent/refresh"
REFRESH_SECONDS = 1.0
KEPT = 32
KEPT_LINES = 1_000_000
"""Lines of all rollouts that these documents tell of, but for one that is larger by itself; each takes memory."""


class Given(msgspec.Struct, gc=True):
    """A document that the client has. ``rows`` are its rows from which on it tells of ``places``, which stood on the
    rows ``lines`` of the rollout ``source`` when its text was in ``state`` (empty: it was read from the disk)."""

    uri: str
    source: str
    state: str
    buffer: Buffer
    rows: list[int]
    places: list[Place]
    lines: list[int]
    stale: bool = False

    def at_row(self, row: int) -> tuple[Place, int] | None:
        """(the place that a row tells of, the row that it stood on)."""
        index = bisect_right(self.rows, row) - 1
        return (self.places[index], self.lines[index]) if index >= 0 else None

    def row_of(self, line: int) -> int | None:
        """The first row that tells of a row of the rollout, or of the nearest one above that it tells of."""
        best: tuple[int, int] | None = None
        for at, row in zip(self.lines, self.rows, strict=True):
            if at <= line and (best is None or at > best[0]):
                best = (at, row)
        return best[1] if best is not None else None


class Pages:
    """The documents given lately. ``put`` may be called from a worker thread, the rest belongs to the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, calls: Calls) -> None:
        self._loop = loop
        self._calls = calls
        self._given: OrderedDict[str, Given] = OrderedDict()

    def put(self, uri: str, source: str, state: str, buffer: Buffer, page: Readable) -> Given:
        """Remembers a document that goes out."""
        places = [place for _, place in page.marks]
        lines = [buffer.row_of(place.line) for place in places]
        given = Given(uri, source, state, buffer, [row for row, _ in page.marks], places, lines)
        key = meaning_of(uri)
        self._given.pop(key, None)
        self._given[key] = given
        while len(self._given) > KEPT or (len(self._given) > 1 and self._lines() > KEPT_LINES):
            self._given.popitem(last=False)
        return given

    def _lines(self) -> int:
        buffers = {id(given.buffer): given.buffer for given in self._given.values()}
        return sum(buffer.line_count for buffer in buffers.values())

    def find(self, uri: str) -> Given | None:
        """The document of a URI, however that is spelt."""
        return self._given.get(meaning_of(uri))

    def changed(self, opened: Opened) -> None:
        """A rollout was read anew: its readable documents are out of date."""
        for given in list(self._given.values()):
            if given.source == opened.uri and given.state != opened.state and not given.stale:
                given.stale = True
                self._loop.call_later(REFRESH_SECONDS, self._refresh, given)

    def forget(self, opened: Opened) -> None:
        """A rollout is closed: its text goes. The way back from its documents is found on the disk from now on."""
        for key, given in list(self._given.items()):
            if given.source == opened.uri:
                del self._given[key]

    def _refresh(self, given: Given) -> None:
        if self._given.get(meaning_of(given.uri)) is given:
            self._calls.ask(REFRESH, {"uri": given.uri})
