"""The session as one frozen view: turns with their entries, links, usage, loose ends.

Made from the folds of all blocks; ties what the fold left loose (a result before its call, a turn without end). Every
feature, rule and report reads this and nothing else. Never changes once made; works out what is asked for, once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

import msgspec

from rollout_ls.formats.statement import (
    Call,
    CallMirror,
    Compaction,
    Header,
    Message,
    Reasoning,
    Result,
    Settings,
    Statement,
    TurnEnd,
    Usage,
)
from rollout_ls.projection.compaction import Effect, effect_of
from rollout_ls.projection.entry import CountedUsage, Entry, Link, LooseCall, Note, OpenTurn, Ref, Role
from rollout_ls.projection.fold import BlockFold, TurnMode
from rollout_ls.projection.steps import ModelStep, steps_of
from rollout_ls.projection.turns import Turn, answer_of_implicit, turns_of
from rollout_ls.projection.usage import LeftOut, SessionUsage, Step, add_up, add_up_blocks
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.rows import Line

CallOutcome = Literal["ok", "failed", "no result", "pending", "interrupted", "unknown"]
"""``unknown``: there is a result, and it does not tell how the call came out."""


class CallEnd(msgspec.Struct, frozen=True, gc=False):
    """How a call came out, with all its records at hand. ``told_by`` is the record that says so, where one does."""

    outcome: CallOutcome
    exit_code: int | None = None
    duration_ms: int = -1
    told_by: Ref | None = None


_TELLING: tuple[Role, ...] = ("ending", "mirror", "result")
"""Which records of a call tell how it came out, the weightiest first."""


MAX_OVERLAPPING = 256
"""Turns that are looked at, the latest first, for the one that a line stands in."""


class LooseEnds(msgspec.Struct, frozen=True):
    """What did not find its partner anywhere in the document."""

    orphan_calls: tuple[LooseCall, ...]
    pending_calls: tuple[Ref, ...]
    orphan_results: tuple[Ref, ...]


class Session:
    """The whole document's story."""

    def __init__(
        self, buffer: Buffer, folds: Sequence[BlockFold], mode: TurnMode, odd: Sequence[BlockFold] | None = None
    ) -> None:
        self.buffer = buffer
        self.folds = folds
        self.mode = mode
        self.odd_folds = [fold for fold in folds if fold.odd] if odd is None else odd
        self._ends: dict[Statement, CallEnd] = {}

    # -- identity
    @cached_property
    def header_ref(self) -> Ref | None:
        """The record that gives the file its identity: its first header."""
        return self.folds[-1].after.header if self.folds else None

    @property
    def header(self) -> Header | None:
        ref = self.header_ref
        return ref.statement if ref is not None and isinstance(ref.statement, Header) else None

    @cached_property
    def copied_header(self) -> Ref | None:
        """The header of the parent, at the head of copied history."""
        return self.folds[-1].after.copied if self.folds else None

    @cached_property
    def naming(self) -> Ref | None:
        """The record that gives the session its title: the last one that does."""
        return next((fold.namings[-1] for fold in reversed(self.folds) if fold.namings), None)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What the fold found odd, in file order."""
        return tuple(note for fold in self.odd_folds for note in fold.notes)

    # -- links
    @cached_property
    def _owners(self) -> dict[Statement, Ref]:
        owners: dict[Statement, Ref] = {}
        for fold in self.folds:
            owners.update(fold.owners)
        owners.update({result.statement: call for result, call in self._late_pairs})
        owners.update({mirror.statement: call for mirror, call in self._late_mirrors.items()})
        return owners

    @cached_property
    def _links(self) -> dict[Statement, list[Link]]:
        links: dict[Statement, list[Link]] = {}
        for fold in self.folds:
            shared = links.keys() & fold.links.keys()
            merged = {key: links[key] + fold.links[key] for key in shared}
            links.update(fold.links)
            links.update(merged)
        late: dict[Statement, list[Link]] = {}
        for result, call in self._late_pairs:
            late.setdefault(call.statement, []).append(Link("result", result))
        for mirror, call in self._late_mirrors.items():
            late.setdefault(call.statement, []).append(Link("mirror", mirror))
        for remark, about in self._abouts.items():
            late.setdefault(about.statement, []).append(Link("remark", remark))
        links.update({key: links.get(key, []) + more for key, more in late.items()})
        return links

    @cached_property
    def _calls_by_id(self) -> dict[str, list[Ref]]:
        """The calls that a loose record names, by id, in file order; those that only a mirror tells where no record of
        their own does."""
        wanted = self._named_loosely
        found: dict[str, list[Ref]] = {}
        for fold in self.folds if wanted else ():
            for call_id in fold.calls.keys() & wanted:
                found.setdefault(call_id, []).extend(fold.calls[call_id])
        for fold in self.folds if wanted else ():
            for call_id in fold.told.keys() & wanted:
                found.setdefault(call_id, [fold.told[call_id]])
        return found

    @cached_property
    def _named_loosely(self) -> set[str]:
        """Ids of calls that are named by records which the fold could not tie to one."""
        refs = [ref for fold in self.folds for ref in (*fold.loose_mirrors, *fold.remarks)]
        refs += [loose.ref for fold in self.odd_folds for loose in fold.loose_results]
        return {getattr(ref.statement, "call_id", "") for ref in refs}

    def _nearest_call(self, call_id: str, ref: Ref, *, recorded: bool = False) -> Ref | None:
        """The last call of an id before a record, else the first one behind it; ``recorded``: with a record of its own,
        not told by a mirror alone."""
        calls = self._calls_by_id.get(call_id)
        if not calls or (recorded and not isinstance(calls[0].statement, Call)):
            return None
        return calls[max(0, bisect_left(calls, self._order(ref), key=self._order) - 1)]

    def _order(self, ref: Ref) -> tuple[tuple[int, int], int]:
        return self.buffer.order_of(ref.line), ref.statement.start

    @cached_property
    def _late_mirrors(self) -> dict[Ref, Ref]:
        """Further records on calls whose call the fold did not have at hand, by the id alone."""
        found: dict[Ref, Ref] = {}
        for fold in self.folds:
            for ref in fold.loose_mirrors:
                if ref.statement in fold.owners:
                    continue
                mirror = ref.statement
                call_id = getattr(mirror, "call_id", "")
                call = self._nearest_call(call_id, ref, recorded=True)
                if call is None and isinstance(mirror, CallMirror) and mirror.shows_result:
                    call = self._items_by_id(call_id)
                if call is not None:
                    found[ref] = call
        taken = set().union(*(fold.owners.keys() for fold in self.folds)) if found else set()
        return {ref: call for ref, call in found.items() if ref.statement not in taken}

    def _items_by_id(self, item_id: str) -> Ref | None:
        """The message or result whose item bears an id."""
        return self._items.get(item_id) if item_id else None

    @cached_property
    def _items(self) -> dict[str, Ref]:
        found: dict[str, Ref] = {}
        for line in self.buffer:
            for statement in line.reading.statements:
                if isinstance(statement, Message | Result | Reasoning) and statement.item_id:
                    found.setdefault(statement.item_id, Ref(line, statement))
        return found

    @cached_property
    def _abouts(self) -> dict[Ref, Ref]:
        """What a record is about: the call or item that a remark names, the message that a herald announces."""
        found: dict[Ref, Ref] = {}
        for fold in self.folds:
            for ref in fold.remarks:
                call_id = getattr(ref.statement, "call_id", "")
                about = self._nearest_call(call_id, ref) or self._items_by_id(call_id)
                if about is not None:
                    found[ref] = about
        return found

    @cached_property
    def _about_by_statement(self) -> dict[Statement, Ref]:
        found = {ref.statement: about for ref, about in self._abouts.items()}
        for fold in self.folds:
            found.update(fold.heralds)
        return found

    def about(self, ref: Ref) -> Ref | None:
        """The record that a remark, a notice or a herald is about; None where that is not here, and for all others."""
        return self._about_by_statement.get(ref.statement)

    @cached_property
    def _shares(self) -> dict[Statement, Ref]:
        return {key: ref for fold in self.folds for key, ref in fold.shares.items()}

    @cached_property
    def _confirmed(self) -> set[Statement]:
        return set().union(*(fold.confirmed for fold in self.folds)) if self.folds else set()

    def owner_of(self, ref: Ref) -> Ref:
        """The own record of the entry that a record belongs to; the record itself where it is its own."""
        seen = 0
        while (owner := self._owners.get(ref.statement)) is not None and seen < 8:
            ref, seen = owner, seen + 1
        return ref

    def basis_of(self, entries: Iterable[Entry]) -> tuple[object, ...]:
        """All that answers about some entries are drawn from, but for their lines: while it is equal, so are these."""
        links, shares, unanswered = self._links, self._shares, self._unanswered
        found: list[object] = []
        for entry in entries:
            statement = entry.ref.statement
            found.append(entry)
            own = links.get(statement)
            if own is not None:
                if len(own) == 1 and own[0].role == "result":
                    found.append(own)
                else:
                    self._collect_links(statement, found)
            if statement in unanswered:
                found.append(unanswered[statement])
            if statement in shares:
                found.append(shares[statement])
                self._collect_links(shares[statement].statement, found)
        return tuple(found)

    def _collect_links(self, statement: Statement, found: list[object]) -> None:
        """The further records of a record, and theirs: mirrors may have mirrors, a script's calls their results."""
        links = self._links
        own = links.get(statement, [])
        found.append(own)
        for link in own:
            further = link.ref.statement
            if further in links and link.role == "mirror":
                self._collect_links(further, found)
            elif further in links:
                found.append(links[further])
            if further in self._unanswered:
                found.append(self._unanswered[further])

    def links_of(self, ref: Ref, role: Role | None = None) -> tuple[Ref, ...]:
        """Further records of an entry, in file order: mirrors of mirrors too where no role is asked for."""
        links = self._links.get(ref.statement)
        if not links:
            return ()
        found = [link.ref for link in links if role is None or link.role == role]
        if role == "mirror" and found:
            for link in links:
                if link.role == "mirror":
                    found += self.links_of(link.ref, "mirror")
        if len(found) < 2:
            return tuple(found)
        unique = {one.statement: one for one in found}
        return tuple(sorted(unique.values(), key=lambda one: self.buffer.order_of(one.line)))

    def result_of(self, call: Ref) -> Ref | None:
        """The result of a call; a second call with an open id shares that of the first."""
        statement = self._shares[call.statement].statement if call.statement in self._shares else call.statement
        found = [link.ref for link in self._links.get(statement, ()) if link.role == "result"]
        if len(found) > 1:
            return min(found, key=lambda one: self.buffer.order_of(one.line))
        return found[0] if found else None

    def effect_of(self, compaction: Ref) -> Effect | None:
        """What a compaction kept, rewrote and dropped; asked of a sign of it, the same. None of other records."""
        compaction = self.owner_of(compaction)
        if compaction.statement not in self._effects:
            self._effects[compaction.statement] = effect_of(self, compaction)
        return self._effects[compaction.statement]

    @cached_property
    def _effects(self) -> dict[Statement, Effect | None]:
        return {}

    def compaction_before(self, compaction: Ref) -> Ref | None:
        """The compaction that made the context window which this one closes, where both name it."""
        window = getattr(compaction.statement, "window_before", "")
        refs = [ref for fold in self.folds for ref in fold.compactions] if window else []
        return next((ref for ref in refs if getattr(ref.statement, "window", "") == window), None)

    def usage_of_response(self, response_id: str) -> Ref | None:
        """The usage record of one answer of the model."""
        return self._responses.get(response_id) if response_id else None

    @cached_property
    def _responses(self) -> dict[str, Ref]:
        found: dict[str, Ref] = {}
        for fold in self.folds:
            for one in fold.usages:
                if isinstance(one.ref.statement, Usage) and one.ref.statement.response_id:
                    found.setdefault(one.ref.statement.response_id, one.ref)
        return found

    def compaction_of(self, result: Ref) -> Ref | None:
        """The compaction whose kept history holds the call of a result that has none on a line."""
        return self._from_history.get(result.statement)

    # -- turns
    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """All turns in the order in which they begin."""
        return turns_of(self.buffer, self.folds, self.copied_header)

    @cached_property
    def turn_by_start(self) -> dict[Statement, Turn]:
        """Turns by the statement that starts them."""
        return {turn.start.start.statement: turn for turn in self.turns}

    @cached_property
    def _turn_by_end(self) -> dict[Statement, Turn]:
        return {turn.end.statement: turn for turn in self.turns if turn.end is not None}

    @cached_property
    def _turn_by_id(self) -> dict[str, Turn]:
        return {turn.turn_id: turn for turn in self.turns if turn.turn_id}

    def turn_of_mark(self, ref: Ref) -> Turn | None:
        """The turn that a start or end record is about: the one it begins or ends, else the one it names (an end said
        twice); None where it is about none."""
        statement = ref.statement
        turn = self.turn_by_start.get(statement) or self._turn_by_end.get(statement)
        return turn or self._turn_by_id.get(statement.turn_id)

    @cached_property
    def _turn_orders(self) -> list[tuple[int, int]]:
        return [self.buffer.order_of(turn.first) for turn in self.turns]

    def turn_of(self, ref: Ref) -> Turn | None:
        """The turn that a record stands in; of two that overlap the one it names, else the later one."""
        return self.turn_at(ref.line, ref.statement.turn_id)

    def turn_at(self, line: Line, turn_id: str = "") -> Turn | None:
        """The turn that a line stands in, damaged lines too."""
        order = self.buffer.order_of(line)
        index = bisect_right(self._turn_orders, order) - 1
        found = None
        for number in range(index, max(-1, index - MAX_OVERLAPPING), -1):
            if self._turn_reach[number] < order:
                break
            turn = self.turns[number]
            if self.buffer.order_of(turn.last) < order:
                continue
            if not turn_id or turn.turn_id == turn_id:
                return turn
            found = found or turn
        return found

    @cached_property
    def _turn_reach(self) -> list[tuple[int, int]]:
        """For each turn how far it or any turn before it reaches."""
        reach, far = [], (-1, -1)
        for turn in self.turns:
            far = max(far, self.buffer.order_of(turn.last))
            reach.append(far)
        return reach

    @cached_property
    def own_turns(self) -> tuple[Turn, ...]:
        """The file's own turns: those with a number."""
        return tuple(turn for turn in self.turns if not turn.inherited)

    @cached_property
    def inherited_span(self) -> tuple[Line, Line] | None:
        """First and last line of copied history; None where no turn was copied."""
        copied = [turn for turn in self.turns if turn.inherited]
        if not copied:
            return None
        first = copied[0].first
        head = self.copied_header
        if head is not None and self.buffer.order_of(head.line) < self.buffer.order_of(first):
            first = head.line
        return first, max((turn.last for turn in copied), key=self.buffer.order_of)

    @cached_property
    def models(self) -> tuple[tuple[tuple[int, int], Settings, OpenTurn | None], ...]:
        """Settings with their places, in file order."""
        found = []
        for fold in self.folds:
            for ref, turn in fold.settings:
                if isinstance(ref.statement, Settings):
                    found.append((self.buffer.order_of(ref.line), ref.statement, turn))
        return tuple(found)

    def model_of(self, turn: Turn) -> str:
        """The model of a turn: by the last settings that name it or stand in it, else the last before it."""
        model = self._model_by_start.get(turn.start.start.statement)
        if model:
            return model
        orders, models = self._model_orders
        index = bisect_right(orders, self.buffer.order_of(turn.first))
        return models[index - 1] if index else ""

    @cached_property
    def _model_by_start(self) -> dict[Statement, str]:
        return {
            owner.start.statement: settings.model
            for _, settings, owner in self.models
            if owner is not None and settings.model
        }

    @cached_property
    def _model_orders(self) -> tuple[list[tuple[int, int]], list[str]]:
        known = [(order, settings.model) for order, settings, _ in self.models if settings.model]
        return [order for order, _ in known], [model for _, model in known]

    # -- entries
    def entries(self) -> Iterator[Entry]:
        """All entries in file order, each once, mirrors and paired results left out."""
        owners = self._owners
        unsettled = self.mode != "explicit" or bool(self._cut_turns)
        for fold in self.folds:
            for entry in fold.entries:
                statement, turn = entry.ref.statement, entry.turn
                if statement in owners and entry.what != "nested_call":
                    continue
                if unsettled or isinstance(statement, Message) or (turn is not None and not turn.dated):
                    yield self._settled(entry)
                else:
                    yield entry

    def is_nested(self, entry: Entry) -> bool:
        """Whether an entry is a call below the script that made it."""
        return entry.what == "nested_call" and entry.ref.statement in self._owners

    def _settled(self, entry: Entry) -> Entry:
        """An entry with what only the whole document tells."""
        opened = entry.turn
        if self.mode != "explicit":
            # A turn without start record begins at a message that is known for the human's only a few records later.
            turn = self.turn_at(entry.ref.line)
            opened = turn.start if turn is not None else None
            if opened is not entry.turn:
                entry = msgspec.structs.replace(entry, turn=opened)
        elif opened is not None and opened.start.statement in self._cut_turns:
            home = self._home(opened, entry.ref)
            if home is not opened:
                opened = home
                entry = msgspec.structs.replace(entry, turn=home, inherited=home is not None and home.inherited)
        if opened is not None and not opened.dated:
            entry = msgspec.structs.replace(entry, inherited=self.turn_by_start[opened.start.statement].inherited)
        return self._settled_message(entry) if isinstance(entry.ref.statement, Message) else entry

    @cached_property
    def _cut_turns(self) -> dict[Statement, Turn]:
        """Turns without an end that a later one has closed, by what starts them."""
        return {
            turn.start.start.statement: turn for turn in self.turns if turn.end is None and turn.next_start is not None
        }

    def _home(self, turn: OpenTurn, ref: Ref) -> OpenTurn | None:
        """The turn of a record that the fold gave to a turn that was over by then, as only later records tell."""
        cut = self._cut_turns.get(turn.start.statement)
        if cut is None or self.buffer.order_of(ref.line) <= self.buffer.order_of(cut.last):
            return turn
        found = self.turn_at(ref.line, ref.statement.turn_id)
        return found.start if found is not None else None

    def _settled_message(self, entry: Entry) -> Entry:
        """An item of the user role that no human event repeats is injected, where there are such events at all."""
        message = entry.ref.statement
        if not isinstance(message, Message) or message.actor != "human":
            return entry
        if message.stream != "item":
            return entry
        human = message in self._confirmed or (not message.context and self.mode == "items")
        if not human and not message.context:
            human = not self.has_human_events or self._is_only_prompt(entry)
        what = "user" if human else "context"
        return entry if entry.what == what else msgspec.structs.replace(entry, what=what)

    def _is_only_prompt(self, entry: Entry) -> bool:
        """Whether a turn has no other words that may have opened it, as where the record that repeats them is lost."""
        turn = entry.turn
        return turn is not None and turn.explicit and turn.start.statement not in self._prompted

    @cached_property
    def _prompted(self) -> set[Statement]:
        """Starts of turns with words that are known for a human's, or with a message of another agent."""
        found = set()
        for fold in self.folds:
            for entry in fold.entries:
                message = entry.ref.statement
                if entry.turn is None or not isinstance(message, Message) or message.context:
                    continue
                if message.actor == "agent" or (message.actor == "human" and message in self._confirmed):
                    found.add(entry.turn.start.statement)
        return found

    @cached_property
    def has_human_events(self) -> bool:
        """Whether any record tells what the human said apart from the model's input."""
        return bool(self._confirmed)

    @cached_property
    def entries_by_turn(self) -> dict[Statement | None, list[Entry]]:
        """Entries by the start of their turn, in file order; None for those outside turns."""
        found: dict[Statement | None, list[Entry]] = {}
        for entry in self.entries():
            key = entry.turn.start.statement if entry.turn is not None else None
            of_turn = found.get(key)
            if of_turn is None:
                found[key] = [entry]
            else:
                of_turn.append(entry)
        return found

    def entries_of(self, turn: Turn | None) -> list[Entry]:
        """The entries of a turn (None: those outside turns), in file order."""
        return self.entries_by_turn.get(turn.start.start.statement if turn is not None else None, [])

    def phase_of(self, entry: Entry) -> str:
        """The phase that any record of a message tells ("commentary", "final_answer"); empty where none does."""
        for ref in (entry.ref, *self.links_of(entry.ref, "mirror")):
            if isinstance(ref.statement, Message) and ref.statement.phase:
                return ref.statement.phase
        return ""

    def answer_of(self, turn: Turn) -> Entry | None:
        """The answer of a turn: the last message of the model that is no commentary."""
        spoken = [entry for entry in self.entries_of(turn) if entry.what == "assistant"]
        return next((entry for entry in reversed(spoken) if self.phase_of(entry) != "commentary"), None)

    def steps_of(self, turn: Turn) -> tuple[ModelStep, ...]:
        """The steps of a turn, in file order."""
        return steps_of(self, turn)

    @cached_property
    def entry_by_statement(self) -> dict[Statement, Entry]:
        """Entries by their own record."""
        return {entry.ref.statement: entry for entry in self.entries()}

    def entry_of(self, ref: Ref) -> Entry | None:
        """The entry that a record is or belongs to; None for settings, usage, turn marks and the like."""
        entry = self.entry_by_statement.get(ref.statement)
        return entry or self.entry_by_statement.get(self.owner_of(ref).statement)

    def call_end(self, call: Ref) -> CallEnd:
        """How a call came out: by its result, a mirror, or the process that it left running."""
        end = self._ends.get(call.statement)
        if end is None:
            end = self._ends[call.statement] = self._call_end(call)
        return end

    def _call_end(self, call: Ref) -> CallEnd:
        statement = call.statement
        links = self._links.get(statement)
        if links is not None and len(links) == 1 and links[0].role == "result" and isinstance(statement, Call):
            return _end_by_result(links[0].ref)
        told = [(ref.statement.outcome, ref) for ref in self._telling(call)]  # type: ignore[attr-defined]
        if isinstance(statement, CallMirror):
            told.append((statement.outcome, call))
        duration = next((one.duration_ms for one, _ in told if one.duration_ms >= 0), -1)
        for outcome, ref in told:
            if outcome.exit_code is not None:
                return CallEnd("failed" if outcome.exit_code else "ok", outcome.exit_code, duration, ref)
        for outcome, ref in told:
            if outcome.failed is not None:
                return CallEnd("failed" if outcome.failed else "ok", None, duration, ref)
        result = self.result_of(call)
        if result is not None or told or (isinstance(statement, Call) and statement.alone):
            return CallEnd("unknown", None, duration, result)
        return CallEnd(self._without_result(call))

    def _telling(self, call: Ref) -> list[Ref]:
        """The records that may tell how a call came out, the weightiest first."""
        roles = {link.role for link in self._links.get(call.statement, ())}
        found = [ref for role in _TELLING if role in roles for ref in self.links_of(call, role)]
        return [ref for ref in found if isinstance(ref.statement, Result | CallMirror)]

    def _without_result(self, call: Ref) -> CallOutcome:
        return self._unanswered.get(call.statement, "unknown")

    @cached_property
    def _unanswered(self) -> dict[Statement, CallOutcome]:
        ends = self.loose_ends
        found: dict[Statement, CallOutcome] = {ref.statement: "pending" for ref in ends.pending_calls}
        for loose in ends.orphan_calls:
            found[loose.ref.statement] = "interrupted" if loose.aborted else "no result"
        return found

    def entry_near(self, ref: Ref) -> Entry | None:
        """As ``entry_of``, by a look at one block only: for a few records of a long document."""
        owner = self.owner_of(ref)
        number = self.buffer.order_of(owner.line)[0]
        if number >= len(self.folds):
            return None
        for entry in self.folds[number].entries:
            if entry.ref.statement is owner.statement:
                return self._settled(entry)
        return None

    # -- loose ends
    @cached_property
    def _open_calls(self) -> list[Ref]:
        return [call.ref for call in self.folds[-1].after.calls if not call.resolved] if self.folds else []

    @cached_property
    def _late(self) -> tuple[list[tuple[Ref, Ref]], dict[Statement, Ref], list[Ref]]:
        """(result and call pairs that the fold could not make, results from kept history, results without call)."""
        waiting: dict[str, list[Ref]] = {}
        for fold in self.odd_folds:
            for loose in fold.loose_calls:
                waiting.setdefault(loose.ref.statement.call_id, []).append(loose.ref)  # type: ignore[attr-defined]
        for ref in self._open_calls:
            waiting.setdefault(ref.statement.call_id, []).append(ref)  # type: ignore[attr-defined]
        queues = {call_id: deque(sorted(calls, key=self._order)) for call_id, calls in waiting.items()}
        pairs, history, orphans = [], {}, []
        for fold in self.odd_folds:
            for loose_result in fold.loose_results:
                result = loose_result.ref
                call_id = result.statement.call_id  # type: ignore[attr-defined]
                if queue := queues.get(call_id):
                    # The oldest is before the result, or else the nearest behind it.
                    pairs.append((result, queue.popleft()))
                elif (other := self._nearest_call(call_id, result, recorded=True)) is not None:
                    pairs.append((result, other))  # a second result, or a result of a shared id
                elif (kept := self._kept_calls.get(call_id)) is not None and self._order(kept) < self._order(result):
                    history[result.statement] = kept
                else:
                    orphans.append(result)
        return pairs, history, orphans

    @cached_property
    def _kept_calls(self) -> dict[str, Ref]:
        """The first compaction that keeps a call, by the call's id."""
        found: dict[str, Ref] = {}
        for fold in self.folds:
            for ref in fold.compactions:
                if isinstance(ref.statement, Compaction):
                    for call_id in ref.statement.call_ids:
                        found.setdefault(call_id, ref)
        return found

    @property
    def _late_pairs(self) -> list[tuple[Ref, Ref]]:
        return self._late[0]

    @property
    def _from_history(self) -> dict[Statement, Ref]:
        return self._late[1]

    @cached_property
    def loose_ends(self) -> LooseEnds:
        """Calls without result and results without call."""
        paired = {call.statement for _, call in self._late_pairs}
        orphans = [loose for fold in self.odd_folds for loose in fold.loose_calls if loose.ref.statement not in paired]
        pending = []
        for call in self.folds[-1].after.calls if self.folds else ():
            if call.resolved or call.ref.statement in paired:
                continue
            over = self._over(call.ref, call.turn)
            if over is not None:
                orphans.append(LooseCall(call.ref, call.turn, over, call.turn is not None and call.turn.inherited))
            else:
                pending.append(call.ref)
        if any(isinstance(loose.end.statement, Call) for loose in orphans):
            orphans, crowded = self._judge_crowded(orphans)
            pending = sorted([*crowded, *pending], key=self._order)
        return LooseEnds(tuple(orphans), tuple(pending), tuple(self._late[2]))

    def _over(self, call: Ref, turn: OpenTurn | None) -> Ref | None:
        """What tells that a call which no end record closed is waited for no longer: the start of a later turn, or the
        answer in a turn without marks of its own."""
        if turn is None:
            at = self._order(call)
            starts = (one.start for fold in self.folds for one in fold.starts.values())
            return next((start for start in starts if self._order(start) > at), None)
        return self._following(turn) if turn.explicit else answer_of_implicit(self.folds, turn)

    def _judge_crowded(self, orphans: list[LooseCall]) -> tuple[list[LooseCall], list[Ref]]:
        """Calls that were open when too many were, by how their turn went on: (without result, still pending)."""
        judged, pending = [], []
        for loose in orphans:
            turn = self.turn_by_start.get(loose.turn.start.statement) if loose.turn is not None else None
            if not isinstance(loose.end.statement, Call):
                judged.append(loose)
            elif turn is None or (end := turn.end or turn.next_start) is None:
                pending.append(loose.ref)
            else:
                aborted = isinstance(end.statement, TurnEnd) and end.statement.aborted
                judged.append(LooseCall(loose.ref, loose.turn, end, aborted))
        return judged, pending

    @cached_property
    def unfinished(self) -> tuple[tuple[OpenTurn, Ref | None], ...]:
        """Turns with a start record and without an end, each with the start of the next turn."""
        if not self.folds:
            return ()
        given_up = [turn for fold in self.odd_folds for turn in fold.given_up]
        turns = [turn for turn in (*given_up, *self.folds[-1].after.turns) if turn.explicit]
        return tuple((turn, self._following(turn)) for turn in turns)

    def _following(self, turn: OpenTurn) -> Ref | None:
        """The start of the turn that begins next after a turn; None where it is the last."""
        if turn == self.folds[-1].after.newest:
            return None
        statement = turn.start.statement
        number = next((index for index, fold in enumerate(self.folds) if statement in fold.starts), None)
        if number is None:
            return None
        own = list(self.folds[number].starts)
        place = own.index(statement)
        if place + 1 < len(own):
            return self.folds[number].starts[own[place + 1]].start
        return next((next(iter(fold.starts.values())).start for fold in self.folds[number + 1 :] if fold.starts), None)

    @cached_property
    def overlaps(self) -> tuple[tuple[OpenTurn, OpenTurn], ...]:
        """(turn, the still open turn in which it began) where both went on."""
        found = []
        seen: set[Statement] = set()
        for fold in self.odd_folds:
            for old in fold.named:
                if old.start.statement in seen:
                    continue
                seen.add(old.start.statement)
                following = self._following(old)
                new = self._opened(following) if following is not None else None
                if new is not None:
                    found.append((new, old))
        return tuple(found)

    def _opened(self, start: Ref) -> OpenTurn | None:
        return next((fold.starts[start.statement] for fold in self.folds if start.statement in fold.starts), None)

    # -- usage
    @cached_property
    def usage(self) -> SessionUsage:
        """Tokens of the session: own, inherited and rolled back apart, and what was not counted."""
        if all((fold.counted is not None or _is_simple(fold)) and self._stay_where_folded(fold) for fold in self.folds):
            return add_up_blocks(self.folds, self.turn_by_start)
        counted = [self._housed(one) for fold in self.folds for one in fold.usages]
        return add_up(counted, self.turn_by_start)

    def _stay_where_folded(self, fold: BlockFold) -> bool:
        """Whether the usage records of a block are of the turns that the fold gave them."""
        cut = self._cut_turns
        return not cut or all(
            one.turn is None or one.turn.start.statement not in cut or self._housed(one) is one for one in fold.usages
        )

    def _housed(self, one: CountedUsage) -> CountedUsage:
        """A usage record with the turn that it names, wherever it stands, else the one it stands in."""
        named = self._turn_by_id.get(one.ref.statement.turn_id)
        turn = one.turn
        if named is not None:
            turn = turn if turn is not None and turn.turn_id == named.turn_id else named.start
        elif turn is not None and turn.start.statement in self._cut_turns:
            turn = self._home(turn, one.ref)
        return one if turn is one.turn else msgspec.structs.replace(one, turn=turn)

    @cached_property
    def usage_steps(self) -> dict[Statement, Step]:
        """Counted answers of the model by the record that tells them."""
        return {step.ref.statement: step for step in self.usage.steps}

    @cached_property
    def usage_left_out(self) -> dict[Statement, LeftOut]:
        """Usage records that do not count, by themselves."""
        return {left.ref.statement: left for left in self.usage.left_out}


def _end_by_result(result: Ref) -> CallEnd:
    """How a call came out that has a result and no other record: most calls."""
    outcome = result.statement.outcome  # type: ignore[attr-defined]
    exit_code, failed = outcome.exit_code, outcome.failed
    if exit_code is not None:
        return CallEnd("failed" if exit_code else "ok", exit_code, max(outcome.duration_ms, -1), result)
    if failed is not None:
        return CallEnd("failed" if failed else "ok", None, max(outcome.duration_ms, -1), result)
    return CallEnd("unknown", None, max(outcome.duration_ms, -1), result)


def _is_simple(fold: BlockFold) -> bool:
    """Whether usage in a block is told by running totals only, of which none names a turn."""
    statements = [one.ref.statement for one in fold.usages]
    return not any(one.turn_id or (isinstance(one, Usage) and one.per_response) for one in statements)
