"""The ``codex-v3`` view: a rollout by a closed support matrix, one line at a time, with two rules of its own.

It exists for tools that speak of sessions in these terms; it is no part of the projection and pairs by nothing but its
own rules (messages on neighbouring lines, equal call ids, equal turn ids). The matrix stands in ``codex_v3_matrix``,
the contract in ``docs/views/codex-v3.md``. Answers a view or the first place that is malformed, never an exception;
reads lines as they are (not statements), in linear time, and keeps no encrypted value, address or path.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Literal

import msgspec

from rollout_ls.projection.views import codex_v3_matrix as matrix
from rollout_ls.projection.views.codex_v3_fields import Fields, Refused, decode
from rollout_ls.projection.views.codex_v3_matrix import Draft, Header, Kind, Row, Segment
from rollout_ls.text.rows import Line

FORMAT = "codex-v3"
OWN_HEADER = "session_meta.id"
"""The field that is malformed where no header of the thread is found."""


class SpawnTable(msgspec.Struct, frozen=True):
    """What a state database says of this thread: the parent of its row, or (empty) that it has none."""

    parent: str = ""


class Lineage(msgspec.Struct, frozen=True):
    """Where the thread comes from, and what tells so. The confidence of either is high."""

    relation: Literal["parent", "fork"]
    thread_id: str
    evidence: Literal["state database", "header"]


class Entry(msgspec.Struct, frozen=True):
    """One canonical entry.

    ``line`` is its own record, ``ordinal`` that record's number among those of the file (from 0, blank lines not
    counted), ``mirror`` the neighbouring record that said the same. ``timestamp`` is UTC with milliseconds.
    ``related`` is the index of the entry that it points to: a result its call, the end of a turn its start.
    """

    kind: Kind
    actor: str
    segments: tuple[Segment, ...]
    timestamp: str | None
    line: Line
    ordinal: int
    call_id: str | None = None
    tool: str | None = None
    namespace: str | None = None
    turn_id: str | None = None
    related: int | None = None
    mirror: Line | None = None


class View(msgspec.Struct, frozen=True):
    """The whole rollout. ``coverage`` tells whether a database had a say in the lineage."""

    thread_id: str
    entries: tuple[Entry, ...]
    lineage: Lineage | None
    coverage: Literal["complete", "unknown"]


class Malformed(msgspec.Struct, frozen=True):
    """The first supported field that is not what it must be. ``line`` is None where a whole record is missing."""

    line: Line | None
    field: str


def read_view(
    lines: Iterable[Line], *, thread_id: str | None = None, spawns: SpawnTable | None = None
) -> View | Malformed:
    """The view of a rollout's lines.

    ``thread_id`` is the thread as it was discovered (None: that of the first header); ``spawns`` is what a state
    database says of it (None: there was none to ask).
    """
    reading = _Pass(thread_id, spawns)
    for line in lines:
        try:
            reading.add(line)
        except Refused as refused:
            return Malformed(line, refused.field)
    if reading.thread_id is None or not reading.is_headed:
        return Malformed(None, OWN_HEADER)
    return View(
        reading.thread_id,
        tuple(reading.related()),
        reading.lineage,
        "unknown" if spawns is None else "complete",
    )


class _Pass:
    """One pass over the records in work."""

    def __init__(self, thread_id: str | None, spawns: SpawnTable | None) -> None:
        self.thread_id = thread_id
        self.is_headed = False
        self.entries: list[Entry] = []
        self.records = 0
        self.calls: dict[str, int] = {}
        self.results: dict[str, int] = {}
        self.starts: dict[str, list[int]] = {}
        self.ends: list[int] = []
        self.neighbour: tuple[str, int] | None = None
        """(family, entry) of the message on the line before, while it may still be told by this line as well."""
        parent = spawns.parent if spawns is not None else ""
        self.edge = Lineage("parent", parent, "state database") if parent else None
        self.lineage = self.edge

    def add(self, line: Line) -> None:
        """Takes one line in. Raises ``Refused``."""
        neighbour, self.neighbour = self.neighbour, None
        if not line.data.strip(b" \t\r\n"):
            return
        record = Fields(decode(line.data), "")
        word = record.word("type")
        payload = record.inner("payload")
        moment = record.moment("timestamp")
        if word == "session_meta":
            drafts, family = self._head(payload), ""
        else:
            row, name = _row_of(word, payload)
            family = row.family
            if row.treatment == "deferred":
                drafts = (matrix.unknown_entry(name),)
            else:
                drafts = row.read(payload) if row.read is not None else ()
        for draft in drafts:
            self._enter(draft, line, moment, payload)
        self.records += 1
        if family:
            self._merge(neighbour, family)

    def _enter(self, draft: Draft, line: Line, moment: str | None, payload: Fields) -> None:
        index = len(self.entries)
        if draft.part in ("call", "result") and draft.call_id is not None:
            known = self.calls if draft.part == "call" else self.results
            if draft.call_id in known:
                raise payload.refuse("call_id")
            known[draft.call_id] = index
        elif draft.part == "start" and draft.turn_id is not None:
            self.starts.setdefault(draft.turn_id, []).append(index)
        elif draft.part == "end" and draft.turn_id is not None:
            self.ends.append(index)
        self.entries.append(
            Entry(
                draft.kind,
                draft.evidence.actor,
                draft.segments,
                moment,
                line,
                self.records,
                draft.call_id,
                draft.tool,
                draft.namespace,
                draft.turn_id,
            )
        )

    # -- headers
    def _head(self, payload: Fields) -> tuple[Draft, ...]:
        header = matrix.read_header(payload)
        if self.thread_id is None:
            self.thread_id = header.thread_id
        if header.thread_id != self.thread_id:
            return ()  # it came along with copied history
        self.is_headed = True
        self._trace(header, payload)
        return matrix.header_entries(header)

    def _trace(self, header: Header, payload: Fields) -> None:
        """Takes a header's word on the lineage: it may repeat what is known, not contradict it."""
        key = "forked_from_id" if header.parent is None else "parent_thread_id"
        origin = header.forked_from if header.parent is None else header.parent
        if origin is None:
            return
        if origin == self.thread_id:
            raise payload.refuse(key)
        told = Lineage("fork" if header.parent is None else "parent", origin, "header")
        known = self.edge or self.lineage or told
        if (known.thread_id != origin) if self.edge is not None else (known != told):
            raise payload.refuse(key)
        self.lineage = known

    # -- messages told twice
    def _merge(self, neighbour: tuple[str, int] | None, family: str) -> None:
        """Makes the message just entered one with that of the line before, where both say exactly the same."""
        new = self.entries[-1]
        if neighbour is None or neighbour[0] == family or not _same(self.entries[neighbour[1]], new):
            self.neighbour = (family, len(self.entries) - 1)
            return
        old = self.entries[neighbour[1]]
        kept, other = (new, old) if family == "response" else (old, new)
        self.entries[neighbour[1] :] = [msgspec.structs.replace(kept, mirror=other.line)]

    # -- relations
    def related(self) -> list[Entry]:
        """All entries, results tied to their calls and ends of turns to their starts, wherever these stand."""
        ties = [(index, self.calls.get(call_id)) for call_id, index in self.results.items()]
        ties += [(index, self._start_of(index)) for index in self.ends]
        for index, target in ties:
            if target is not None:
                self.entries[index] = msgspec.structs.replace(self.entries[index], related=target)
        return self.entries

    def _start_of(self, index: int) -> int | None:
        """The last start of that turn before an end, else the first one behind it."""
        starts = self.starts.get(self.entries[index].turn_id or "", [])
        at = bisect_left(starts, index)
        return starts[at - 1] if at else next(iter(starts), None)


def _row_of(word: str, payload: Fields) -> tuple[Row, str]:
    """The row of a record, and the discriminator that it goes by."""
    table = matrix.PAYLOADS.get(word)
    if table is None:
        return matrix.RECORDS.get(word, matrix.OTHER), word
    name = payload.word("type")
    return table.get(name, matrix.OTHER), name


def _same(one: Entry, other: Entry) -> bool:
    """Whether two messages are the same: who, when (to the millisecond, or neither), and every segment."""
    return (one.actor, one.timestamp, one.segments) == (other.actor, other.timestamp, other.segments)
