"""One open document: its text, what its records say, the session and the findings.

The one mutable object of the core. All it hands out is frozen and stands for the present text. Work is done in slices
by whoever drives ``steps``, or at once when an answer needs it; an edit costs the lines it touches, the blocks whose
carried state changes, and one walk over the list of blocks. Knows no protocol and reads no disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter

import msgspec

from rollout_ls.formats.records import read_line
from rollout_ls.formats.statement import Compaction, Message, Statement, TurnStart, Unknown
from rollout_ls.projection.fold import BlockFold, TurnMode, fold_block
from rollout_ls.projection.session import Session
from rollout_ls.projection.state import State
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.rules import engine
from rollout_ls.rules.finding import Finding
from rollout_ls.rules.lines import HUGE_LINE_BYTES
from rollout_ls.text.buffer import Block, Buffer
from rollout_ls.text.columns import Unit, offset_of
from rollout_ls.text.rows import Line

SLICE_SECONDS = 0.008
"""How long one step of the eager or the idle pass works before it yields."""


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


class Kept(msgspec.Struct, gc=True):
    """What is kept with a block: its sums, and its fold while it is up to date."""

    facts: BlockFacts
    fold: BlockFold | None = None
    remarked: tuple[Line, ...] | None = None
    """Lines with faults of the idle pass; None until it has been over the whole block."""


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
        self._generation = 0
        self._eager_done = False
        self._idle_done = False
        self._session: Session | None = None
        self._findings: tuple[Finding, ...] | None = None
        self._suspects = engine.Suspects((), (), (), False, 0)

    # -- editing
    def edit(self, changes: Sequence[Change], version: int | None, unit: Unit) -> None:
        """Applies changes in their order, each on the text that the one before left (LSP 3.17, didChange)."""
        for change in changes:
            if change.start is None or change.end is None:
                self.buffer.replace_all([change.text])
                continue
            start, end = (self._offset(position, unit) for position in (change.start, change.end))
            self.buffer.splice(start, end, change.text)
        self.version = version
        self.on_disk = False
        self._forget()

    def _offset(self, position: tuple[int, int], unit: Unit) -> tuple[int, int]:
        row, column = position
        return row, offset_of(self.buffer.row_text(row), column, unit)

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
        if generation != self._generation:
            return
        for _ in self._idle_steps(generation):
            yield

    def _eager_steps(self, generation: int) -> Iterator[None]:
        if self._eager_done:
            return
        until = perf_counter() + SLICE_SECONDS
        for block in self.buffer.blocks:
            if block.kept is not None:
                continue
            for line in block.lines:
                if line.reading is None:
                    line.reading = read_line(line.data)
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

    def _fold_steps(self) -> Iterator[None]:
        mode = self._turn_mode()
        if mode != self._mode:
            self._mode = mode
            for block in self.buffer.blocks:
                block.kept.fold = None
        state = State()
        until = perf_counter() + SLICE_SECONDS
        for block in self.buffer.blocks:
            kept: Kept = block.kept
            if kept.fold is None or (kept.fold.before is not state and kept.fold.before != state):
                kept.fold = fold_block(block.lines, state, mode)
                if perf_counter() > until:
                    yield
                    until = perf_counter() + SLICE_SECONDS
            state = kept.fold.after

    def _turn_mode(self) -> TurnMode:
        facts = [block.kept.facts for block in self.buffer.blocks]
        if any(one.turn_starts for one in facts):
            return "explicit"
        return "events" if any(one.human_events for one in facts) else "items"

    def _idle_steps(self, generation: int) -> Iterator[None]:
        if self._idle_done:
            return
        until = perf_counter() + SLICE_SECONDS
        found = False
        secrets = self.surroundings.codes is None or "secret" in self.surroundings.codes
        for block in list(self.buffer.blocks):
            if block.kept.remarked is not None:
                continue
            for line in block.lines:
                if line.reading.idle is None:
                    line.reading.idle = engine.idle_faults(line, secrets=secrets)
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
            world = msgspec.structs.replace(self.surroundings, on_disk=self.on_disk)
            self._findings = engine.findings(session, self._suspects, world)
        return self._findings

    def _gather(self) -> Session:
        """One walk over the blocks, the only one an answer after an edit needs."""
        folds: list[BlockFold] = []
        odd: list[BlockFold] = []
        faulty: list[Line] = []
        huge: list[Line] = []
        remarked: list[Line] = []
        recognised = compaction_bytes = 0
        for block in self.buffer.blocks:
            kept: Kept = block.kept
            facts, fold = kept.facts, kept.fold
            if fold is None:
                continue
            folds.append(fold)
            if fold.odd:
                odd.append(fold)
            faulty += facts.faulty
            huge += facts.huge
            if kept.remarked:
                remarked += kept.remarked
            recognised += facts.recognised
            compaction_bytes += facts.compaction_bytes
        self._suspects = engine.Suspects(faulty, huge, remarked, recognised > 0, compaction_bytes)
        return Session(self.buffer, folds, self._mode or "items", odd)

    def finish(self) -> tuple[Finding, ...]:
        """All findings, idle ones too, at once."""
        self.session()
        self._finish(self._idle_steps)
        return self.findings()


def _facts_of(block: Block) -> BlockFacts:
    turn_starts = human_events = recognised = compaction_bytes = 0
    faulty, huge = [], []
    for line in block.lines:
        reading = line.reading
        if reading.broken or reading.misshapen:
            faulty.append(line)
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
    return BlockFacts(turn_starts, human_events, recognised, tuple(faulty), tuple(huge), compaction_bytes)


def _is_human_event(message: Statement) -> bool:
    if not isinstance(message, Message) or message.context:
        return False
    return message.actor == "human" and message.stream != "item"
