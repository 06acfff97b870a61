"""One open document: its text, what its records say, the session and the findings.

The one mutable object of the core. All it hands out is frozen and stands for the present text. Work is done in slices
by whoever drives ``steps``, or at once when an answer needs it; an edit costs the lines it touches, the blocks whose
carried state changes, and a glance over the list of blocks. Knows no protocol and reads no disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

import msgspec

from rollout_ls.formats.reading import Reading
from rollout_ls.formats.records import read_line
from rollout_ls.formats.statement import Compaction, Message, Statement, TurnStart, Unknown
from rollout_ls.jsonl.audit import MAX_LEVELS
from rollout_ls.jsonl.faults import Fault
from rollout_ls.projection.fold import BlockFold, TurnMode, fold_block
from rollout_ls.projection.session import Session
from rollout_ls.projection.state import State
from rollout_ls.projection.surroundings import DiskView, Limits, Reached, Surroundings
from rollout_ls.rules import engine
from rollout_ls.rules.finding import Finding
from rollout_ls.rules.lines import HUGE_LINE_BYTES
from rollout_ls.text.buffer import Block, Buffer, Splice
from rollout_ls.text.columns import Unit, offset_of
from rollout_ls.text.display import bytes_text
from rollout_ls.text.rows import Line
from rollout_ls.workspace.store import ChangedLine, Look, digest, shown

SLICE_SECONDS = 0.008
"""How long one step of the eager or the idle pass works before it yields."""
LONG_LINE_BYTES = 1 << 17
"""The idle pass over a longer line may take longer than that: it begins with a fresh step, and in two."""


class Change(msgspec.Struct, frozen=True):
    """One edit. Positions are (row, column in the unit of the call); None for both replaces the whole text."""

    start: tuple[int, int] | None
    end: tuple[int, int] | None
    text: bytes


class BlockFacts(msgspec.Struct, frozen=True, gc=True):
    """Sums over one block that need no state."""

    turn_starts: int
    human_events: int
    recognised: int
    """Records of known kinds."""
    faulty: tuple[Line, ...]
    """Lines with something wrong in their own right."""
    huge: tuple[Line, ...]
    compaction_bytes: int
    unread: int
    """Lines that are too long to be read."""
    cropped: int
    """Records that nest too deeply to be kept whole."""
    notable: bool
    """Whether there is more to say than how many records begin turns and are recognised."""


class Stale:
    """Which blocks are not up to date: all from ``first`` on but the last ``behind``.

    Counted from both ends, so that blocks that come or go in between do not move it.
    """

    def __init__(self) -> None:
        self._first = self._behind = 0
        self._any = True

    def all(self) -> None:
        """Every block."""
        self._first = self._behind = 0
        self._any = True

    def none(self) -> None:
        """No block any more."""
        self._any = False

    def add(self, first: int, last: int, count: int) -> None:
        """The blocks from ``first`` to ``last`` too, of ``count``."""
        behind = max(0, count - 1 - last)
        self._first = min(self._first, first) if self._any else first
        self._behind = min(self._behind, behind) if self._any else behind
        self._any = True

    def span(self, count: int) -> tuple[int, int]:
        """(the first block, the block behind the last one), of ``count``."""
        if not self._any:
            return count, count
        first = min(self._first, count)
        return first, max(first, count - self._behind)


class Kept(msgspec.Struct, gc=True):
    """What is kept with a block: its sums, and its fold while it is up to date."""

    facts: BlockFacts
    fold: BlockFold | None = None
    remarked: tuple[Line, ...] | None = None
    """Lines with faults of the idle pass; None until it has been over the whole block."""
    beyond: bool = False
    """Whether the block begins behind what is read of a document, so that its lines were passed over."""


class Document:
    """A rollout in an editor or on the command line.

    ``on_disk`` tells that ``pieces`` are the bytes of a file, so that what an editor's text cannot show (byte order
    mark, NUL, bad UTF-8) may be judged. ``buffer`` is taken as it is where it is given, instead of ``pieces``.
    """

    def __init__(
        self,
        uri: str,
        version: int | None,
        pieces: Iterable[bytes],
        *,
        on_disk: bool = False,
        buffer: Buffer | None = None,
    ) -> None:
        self.uri = uri
        self.version = version
        self.on_disk = on_disk
        self.buffer = Buffer(pieces) if buffer is None else buffer
        self.surroundings = Surroundings()
        self._mode: TurnMode | None = None
        self.edited_bytes = 0
        """Bytes of the longest line that the last edit made."""
        self._stale = Stale()
        self._passing_over = False
        self._generation = 0
        self._eager_done = False
        self._idle_done = False
        self._session: Session | None = None
        self._findings: tuple[Finding, ...] | None = None
        self._suspects = engine.Suspects((), (), (), False, 0)
        self._reached: tuple[Reached, ...] = ()
        self._disk: DiskView | None = None
        self._changed: dict[Line, None] = {}
        """Lines that an edit made or moved, since the text was last known to be the disk's."""
        self._told_by_disk: dict[Line, tuple[Any, ...]] = {}
        """Lines of which the disk knows better what is broken, and what their text alone says."""

    # -- editing
    def edit(self, changes: Sequence[Change], version: int | None, unit: Unit) -> None:
        """Applies changes in their order, each on the text that the one before left (LSP 3.17, didChange)."""
        for change in changes:
            if change.start is None or change.end is None:
                self._changed = dict.fromkeys(self.buffer.replace_all([change.text]).added)
                self._stale.all()
                continue
            start, end = (self._offset(position, unit) for position in (change.start, change.end))
            rows = range(start[0], start[0] + change.text.count(b"\n") + 2)
            splice = self.buffer.splice(start, end, change.text)
            self._note_change(splice, rows)
            self.edited_bytes = max((line.size for line in splice.added), default=0)
            self._stale.add(splice.first_block, splice.last_block, len(self.buffer.blocks))
        self.version = version
        self.on_disk = False
        self._forget()

    def _note_change(self, splice: Splice, rows: range) -> None:
        """Remembers the lines that an edit made, and what it moved. ``rows`` are those of its text, and the next."""
        for line in splice.removed:
            self._changed.pop(line, None)
        self._changed.update(dict.fromkeys(splice.added))
        if len(splice.added) == len(splice.removed):
            return
        for row in rows:  # that there are fewer lines, or more, shows at the first one that moved
            found = self.buffer.at_row(row)
            if found is not None:
                self._changed[found[0]] = None

    def _offset(self, position: tuple[int, int], unit: Unit) -> tuple[int, int]:
        row, column = position
        found = self.buffer.at_row(row)
        if found is None:
            return row, 0
        line, inner = found
        start, end = line.row_span(inner)
        data = line.data[start:end] if start else line.data  # a row may be long: no copy of it but where it must be
        return row, min(offset_of(data, column, unit), end - start)

    def surround(self, world: Surroundings) -> None:
        """Puts the document into another world: settings changed. What depends on it is found anew."""
        old, self.surroundings = self.surroundings, world
        self._findings = None
        if (old.limits.row_bytes, old.limits.nesting) != (world.limits.row_bytes, world.limits.nesting):
            for line in self.buffer:
                line.reading = None
            for block in self.buffer.blocks:
                block.kept = None
            self._told_by_disk = {}
            self._stale.all()
            self._forget()
        elif old.limits.file_bytes != world.limits.file_bytes:
            self._stale.all()
            self._forget()
        elif engine.idle_parts(old.codes) != engine.idle_parts(world.codes):
            for block in self.buffer.blocks:
                for line in block.lines:
                    if line.reading is not None and not line.reading.blank:
                        line.reading.idle = None
                if block.kept is not None:
                    block.kept.remarked = None
            self._idle_done = False

    def _forget(self) -> None:
        self._generation += 1
        self._eager_done = False
        self._idle_done = False
        self._session = None
        self._findings = None

    # -- working
    @property
    def eager_ready(self) -> bool:
        """Whether the session and the eager findings are complete for the present text."""
        return self._eager_done

    @property
    def reached(self) -> tuple[Reached, ...]:
        """The limits that were reached when the session was last made."""
        return (*self.surroundings.reached, *self._reached)

    @property
    def idle_ready(self) -> bool:
        """Whether the idle findings are complete too."""
        return self._idle_done

    def steps(self) -> Iterator[None]:
        """Brings the eager pass up to date, then the idle one; yields after each slice.

        Stops early when the document was edited meanwhile: whoever edited starts anew.
        """
        generation = self._generation
        for _ in self._eager_steps(generation):
            yield
        yield
        if generation != self._generation:
            return
        for _ in self._idle_steps(generation):
            yield

    def _eager_steps(self, generation: int) -> Iterator[None]:
        if self._eager_done:
            return
        until = perf_counter() + SLICE_SECONDS
        limits = self.surroundings.limits
        row_bytes, nesting = limits.row_bytes, limits.nesting
        for block in self._to_read(limits.file_bytes):
            for line in block.lines:
                if line.reading is None:
                    too_long = line.size > row_bytes
                    line.reading = unread_line() if too_long else read_line(line.data, nesting, bool(line.cuts))
                    if perf_counter() > until:
                        yield
                        if generation != self._generation:
                            return
                        until = perf_counter() + SLICE_SECONDS
            block.kept = Kept(_facts_of(block))
        for _ in self._fold_steps():
            yield
            if generation != self._generation:
                return
        self._eager_done = True

    def _to_read(self, file_bytes: int) -> Iterator[Block]:
        """The blocks that are not read yet, as far as a document is read at all."""
        blocks = self.buffer.blocks
        if self.buffer.byte_count <= file_bytes and not self._passing_over:
            first, stop = self._stale.span(len(blocks))
            yield from [block for block in blocks[first:stop] if block.kept is None]
            return
        self._passing_over = self.buffer.byte_count > file_bytes
        left = file_bytes
        for number, block in enumerate(list(blocks)):
            beyond = left <= 0
            left -= block.byte_count
            if block.kept is not None:
                if block.kept.beyond == beyond:
                    continue
                self._stale.add(number, number, len(blocks))
                _unread(block)
            if beyond:
                _pass_over(block)
            else:
                yield block

    def _fold_steps(self) -> Iterator[None]:
        """Folds the blocks that are not up to date, and on from there until what is carried is as it was."""
        blocks, stale = self.buffer.blocks, self._stale
        mode = self._turn_mode()
        if mode != self._mode:
            self._mode = mode
            for block in blocks:
                block.kept.fold = None
            stale.all()
        at, stop = stale.span(len(blocks))
        state = blocks[at - 1].kept.fold.after if at else State()
        until = perf_counter() + SLICE_SECONDS
        while at < len(blocks):
            kept: Kept = blocks[at].kept
            if kept.fold is None or (kept.fold.before is not state and kept.fold.before != state):
                kept.fold = fold_block(blocks[at].lines, state, mode)
            elif at >= stop:
                break
            state = kept.fold.after
            at += 1
            if perf_counter() > until:
                stale.add(at - 1, at - 1, len(blocks))
                yield
                until = perf_counter() + SLICE_SECONDS
        stale.none()

    def _turn_mode(self) -> TurnMode:
        blocks = self.buffer.blocks
        if any(block.kept.facts.turn_starts for block in blocks):
            return "explicit"
        return "events" if any(block.kept.facts.human_events for block in blocks) else "items"

    def _idle_steps(self, generation: int) -> Iterator[None]:
        if self._idle_done:
            return
        until = perf_counter() + SLICE_SECONDS
        found = False
        parts = engine.idle_parts(self.surroundings.codes)
        for block in list(self.buffer.blocks):
            if block.kept.remarked is not None:
                continue
            for line in block.lines:
                if line.reading.idle is None:
                    faults: tuple[Any, ...] = ()
                    for part in _in_goes(parts) if line.size > LONG_LINE_BYTES else (parts,):
                        if part is not parts:
                            yield
                            if generation != self._generation:
                                return
                        faults += engine.idle_faults(line, part)
                    line.reading.idle = faults
                    if perf_counter() > until:
                        yield
                        if generation != self._generation:
                            return
                        until = perf_counter() + SLICE_SECONDS
            block.kept.remarked = tuple(line for line in block.lines if line.reading.idle)
            found = found or bool(block.kept.remarked)
        self._idle_done = True
        if found:
            self._findings = None
            self._session = None

    def _finish(self, steps: Callable[[int], Iterator[None]]) -> None:
        for _ in steps(self._generation):
            pass

    # -- answers
    def session(self) -> Session:
        """The session of the present text; finishes the eager pass when it is not done."""
        if not self._eager_done:
            self._finish(self._eager_steps)
        if self._session is None:
            self._session = self._gather()
        return self._session

    def findings(self) -> tuple[Finding, ...]:
        """All findings by (line, offset): the eager ones, and the idle ones as far as their pass is done."""
        session = self.session()
        if self._findings is None:
            world = msgspec.structs.replace(
                self.surroundings,
                on_disk=self.on_disk,
                disk=self._disk,
                reached=(*self.surroundings.reached, *self._reached),
            )
            self._findings = engine.findings(session, self._suspects, world)
        return self._findings

    def _gather(self) -> Session:
        """A glance at all blocks, a look at those where there is something to see."""
        all_kept: list[Kept] = [block.kept for block in self.buffer.blocks]
        folds = [kept.fold for kept in all_kept if kept.fold is not None]
        faulty: list[Line] = []
        huge: list[Line] = []
        remarked: list[Line] = []
        compaction_bytes = unread = cropped = 0
        for kept in all_kept:
            facts = kept.facts
            if facts.notable:
                faulty += facts.faulty
                huge += facts.huge
                compaction_bytes += facts.compaction_bytes
                unread += facts.unread
                cropped += facts.cropped
            if kept.remarked:
                remarked += kept.remarked
        beyond = 0
        if self._passing_over:
            beyond = sum(len(block.lines) for block in self.buffer.blocks if block.kept.beyond)
        self._reached = tuple(_reached(self.surroundings.limits, unread, cropped, beyond))
        recognised = any(kept.facts.recognised for kept in all_kept)
        self._suspects = engine.Suspects(faulty, huge, remarked, recognised, compaction_bytes)
        return Session(self.buffer, folds, self._mode or "items", [fold for fold in folds if fold.odd])

    # -- the disk
    def changed_lines(self) -> list[ChangedLine]:
        """The lines of which only the disk can tell whether they differ from it, in their order."""
        self._changed = {line: None for line in self._changed if line.block is not None}
        starts = self._line_starts() if self._changed else {}
        last = self.buffer.last_line
        found = [
            ChangedLine(starts[id(line.block)] + line.block.index_of(line), line.data, line is last)
            for line in self._changed
        ]
        return sorted(found, key=lambda one: one.number)

    def see_disk(self, seen: Look) -> bool:
        """Takes what a look at the disk found, of the present text; whether it changes any finding.

        Findings that come of it are complete when the idle pass is done again.
        """
        if not seen.edited:
            self._changed = {}
        told = self._byte_faults(seen) if not seen.edited else {}
        view = DiskView(seen.edited, seen.facts.packed) if seen.facts is not None else None
        same = {line: line.reading.broken for line in self._told_by_disk if line.block is not None} == told
        if same and (view or DiskView()) == (self._disk or DiskView()):
            return False
        self._disk = view
        self._findings = None
        if not same:
            self._put_byte_faults(told)
        return True

    def _byte_faults(self, seen: Look) -> dict[Line, tuple[Any, ...]]:
        """What the disk says is broken of the lines that are as an editor shows it."""
        if seen.facts is None or not seen.facts.faulty:
            return {}
        told: dict[Line, tuple[Any, ...]] = {}
        blocks = iter(self.buffer.blocks)
        block, start = next(blocks, None), 0
        for one in seen.facts.faulty:
            while block is not None and one.number >= start + len(block.lines):
                start += len(block.lines)
                block = next(blocks, None)
            if block is None:
                break
            line = block.lines[one.number - start]
            if line.reading is not None and digest(shown(line.data, first=False)) == one.text:
                told[line] = one.faults
        return told

    def _put_byte_faults(self, told: dict[Line, tuple[Any, ...]]) -> None:
        before = {line: broken for line, broken in self._told_by_disk.items() if line.block is not None}
        touched: dict[int, Block] = {}
        for line, broken in before.items():
            line.reading.broken = broken
        self._told_by_disk = {line: line.reading.broken for line in told}
        for line, faults in told.items():
            line.reading.broken = faults
        for line in (*before, *told):
            line.reading.idle = None
            touched[id(line.block)] = line.block
        for block in touched.values():
            if block.kept is not None:
                block.kept.facts = _facts_of(block)
                block.kept.remarked = None
        self._idle_done = False
        self._session = None

    def _line_starts(self) -> dict[int, int]:
        """The number of the first line of each block."""
        starts, number = {}, 0
        for block in self.buffer.blocks:
            starts[id(block)] = number
            number += len(block.lines)
        return starts

    def finish(self) -> tuple[Finding, ...]:
        """All findings, idle ones too, at once."""
        self.session()
        self._finish(self._idle_steps)
        return self.findings()


def _facts_of(block: Block) -> BlockFacts:
    turn_starts = human_events = recognised = compaction_bytes = unread = cropped = 0
    faulty, huge = [], []
    for line in block.lines:
        reading = line.reading
        if reading.broken or reading.misshapen:
            faulty.append(line)
            for fault in reading.broken:
                unread += fault.what == "unread"
                cropped += fault.what == "cropped"
        if line.size > HUGE_LINE_BYTES:
            huge.append(line)
        for statement in reading.statements:
            sort = type(statement)
            if sort is Unknown:
                continue
            recognised += 1
            if sort is TurnStart:
                turn_starts += 1
            elif sort is Message and _is_human_event(statement):
                human_events += 1
            elif sort is Compaction and not statement.marker:
                compaction_bytes += line.size
    notable = bool(faulty or huge or compaction_bytes)
    return BlockFacts(
        turn_starts, human_events, recognised, tuple(faulty), tuple(huge), compaction_bytes, unread, cropped, notable
    )


def _in_goes(parts: engine.IdleParts) -> Iterator[engine.IdleParts]:
    """The same parts one after the other."""
    if parts.json:
        yield engine.IdleParts(json=True, secrets=False)
    if parts.secrets:
        yield engine.IdleParts(json=False, secrets=True)


# -- limits
def unread_line() -> Reading:
    """What is known of a line that is too long to be read."""
    return Reading(broken=(Fault("unread", 0, 0),))


def _pass_over(block: Block) -> None:
    """Leaves a block unread."""
    for line in block.lines:
        line.reading = Reading(blank=True, idle=())
    block.kept = Kept(_facts_of(block), beyond=True, remarked=())


def _unread(block: Block) -> None:
    """Takes back what was read of a block, or that it was passed over."""
    for line in block.lines:
        line.reading = None
    block.kept = None


def _reached(limits: Limits, unread: int, cropped: int, beyond: int) -> Iterator[Reached]:
    if unread:
        records = "A record" if unread == 1 else f"{unread:,} records"
        yield Reached("rowBytes", f"{records} of over {bytes_text(limits.row_bytes)} not read.")
    if cropped and limits.nesting <= MAX_LEVELS:  # otherwise too-deep tells it of each such record
        records = "A record nests" if cropped == 1 else f"{cropped:,} records nest"
        yield Reached("nesting", f"{records} over {limits.nesting} levels deep; what stands deeper is left out.")
    if beyond:
        size = bytes_text(limits.file_bytes)
        yield Reached("fileBytes", f"The last {beyond:,} lines are not read: they begin behind the first {size}.")


def _is_human_event(message: Statement) -> bool:
    if not isinstance(message, Message) or message.context:
        return False
    return message.actor == "human" and message.stream != "item"
