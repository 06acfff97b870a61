"""The left fold over the records of a document, block by block.

Takes the state before a block and the block's records, gives what happened in the block and the state after it. The
only code that pairs calls with results and merges records that say the same. Never looks ahead and never looks at text:
what needs the whole document (a result before its call, a turn without end) is left as a loose end for ``session``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

from rollout_ls.formats.statement import (
    UNUSABLE_ORDINAL,
    Call,
    CallMirror,
    Compaction,
    Header,
    Herald,
    Message,
    Naming,
    Notice,
    Reasoning,
    Remark,
    Result,
    Rollback,
    Settings,
    Statement,
    TurnEnd,
    TurnStart,
    Unknown,
    Usage,
)
from rollout_ls.projection.entry import (
    CountedUsage,
    Entry,
    Link,
    LooseCall,
    LooseResult,
    Note,
    OpenTurn,
    Ref,
    Role,
    TurnEvent,
    What,
)
from rollout_ls.projection.state import (
    MAX_CALLS,
    MAX_ENDED,
    MAX_PROCESSES,
    MAX_RECENT,
    MAX_TURNS,
    Early,
    OpenCall,
    Ordinals,
    Saying,
    Shrunk,
    State,
)
from rollout_ls.text.rows import Line

TurnMode = Literal["explicit", "events", "items"]
"""What begins a turn: a start record; a message of the human as the screen showed it; a message item of the human. One
for the whole document: the first where there is any start record, the last where no human event is anywhere."""

_ITEM, _EVENT, _DISPLAY = 1, 2, 4
_STREAMS = {"item": _ITEM, "event": _EVENT, "display": _DISPLAY}
"""A bit for each stream, so that a set of them is a number."""

_SAID_BY: dict[str, What] = {"model": "assistant", "agent": "agent_message", "human": "user"}

_CROWDED = 16
"""Messages in wait at which those too old to be repeated are dropped; what may match does not depend on it."""

COMPACTION_REACH = 8
"""Records after which a compaction and a sign of one no longer belong together (real files: one to four)."""


class BlockFold(msgspec.Struct, gc=True):
    """What happened in one block. Nothing in it changes once the block is folded, but for ``counted``."""

    before: State
    after: State = State()
    entries: list[Entry] = []
    links: dict[Statement, list[Link]] = {}
    """Further records by the entry's own record."""
    owners: dict[Statement, Ref] = {}
    """For a record that is not its entry's own: the entry's own record. May lead on to another owner."""
    shares: dict[Statement, Ref] = {}
    """A call with an id still open: the first call of that id."""
    confirmed: set[Statement] = set()
    """Message items that the human said, as another record tells."""
    turn_events: list[TurnEvent] = []
    starts: dict[Statement, OpenTurn] = {}
    """Turns that begin here, by the statement that starts them."""
    named: list[OpenTurn] = []
    """Turns that go on here although a newer one has begun."""
    given_up: list[OpenTurn] = []
    """Turns whose end is waited for no longer: too many are open."""
    own_entries: int = 0
    """Entries that no other record of the block took as its own."""
    odd: bool = False
    """Whether anything here stayed loose or is worth a note."""
    loose_calls: list[LooseCall] = []
    loose_results: list[LooseResult] = []
    loose_mirrors: list[Ref] = []
    """Further records on calls that are not at hand: over, dropped, or still to come."""
    remarks: list[Ref] = []
    """Records that name a call, or an item, without telling it."""
    heralds: dict[Statement, Ref] = {}
    """For a record that announces another: that one."""
    told: dict[str, Ref] = {}
    """Calls that no record of their own tells, by id: the first record that shows them."""
    calls: dict[str, list[Ref]] = {}
    """Every call of the block by its id."""
    usages: list[CountedUsage] = []
    settings: list[tuple[Ref, OpenTurn | None]] = []
    compactions: list[Ref] = []
    namings: list[Ref] = []
    notes: list[Note] = []
    counted: Any = None
    """Room for what was counted of the block's usage, so that an edit elsewhere does not count it again."""


def fold_block(lines: Iterable[Line], before: State, mode: TurnMode) -> BlockFold:
    """Folds the records of some lines (each with its ``reading``) onto a state."""
    return _Fold(before, mode).run(lines)


class _Saying(msgspec.Struct, eq=False, gc=False):
    """A ``Saying`` in work: its position counts records instead of an age."""

    owner: Ref
    side: str
    words: tuple[int, ...]
    streams: int
    item_id: str
    position: int
    last: int
    turn: OpenTurn | None = None
    others: tuple[Ref, ...] = ()


class _Fold:
    """The fold in work on one block."""

    def __init__(self, before: State, mode: TurnMode) -> None:
        self.out = BlockFold(before)
        self.entries, self.links, self.owners = self.out.entries, self.out.links, self.out.owners
        self.mode = mode
        self.position = 0
        self.header = before.header
        self.copied = before.copied
        self.copying = before.copying
        self.turns = list(before.turns)
        self.ended = list(before.ended)
        self.herald = before.herald
        self.heralded = 0
        self.newest = before.newest
        self.calls = {call.call_id: call for call in before.calls}
        self.processes = dict(before.processes)
        self.sayings = [_thaw(saying) for saying in before.sayings]
        self.early = [(one.ref, -one.age) for one in before.early]
        self.nameless = [(one.ref, -one.age) for one in before.nameless]
        self.shrunk = before.shrunk
        self.shrunk_at = -before.shrunk.age if before.shrunk else 0
        self.ordinals = before.ordinals
        header = before.header.statement if before.header else None
        self.own = header if isinstance(header, Header) else None
        self.counting = self.own is not None and _has_ordinals(self.own)
        self.handlers: dict[type[Statement], Callable[[Ref, Statement], None]] = {
            Header: self._header,  # type: ignore[dict-item]
            TurnStart: self._turn_start,  # type: ignore[dict-item]
            TurnEnd: self._turn_end,  # type: ignore[dict-item]
            Message: self._message,  # type: ignore[dict-item]
            Reasoning: self._reasoning,  # type: ignore[dict-item]
            Call: self._call,  # type: ignore[dict-item]
            Result: self._result,  # type: ignore[dict-item]
            CallMirror: self._call_mirror,  # type: ignore[dict-item]
            Usage: self._usage,  # type: ignore[dict-item]
            Compaction: self._compaction,  # type: ignore[dict-item]
            Rollback: self._rollback,  # type: ignore[dict-item]
            Notice: self._notice,  # type: ignore[dict-item]
            Unknown: self._unknown,  # type: ignore[dict-item]
            Settings: self._settings,  # type: ignore[dict-item]
            Naming: self._naming,  # type: ignore[dict-item]
            Remark: self._remark,  # type: ignore[dict-item]
            Herald: self._announce,  # type: ignore[dict-item]
        }

    def run(self, lines: Iterable[Line]) -> BlockFold:
        handlers = self.handlers
        for line in lines:
            for statement in line.reading.statements:
                self.position += 1
                if self.counting:
                    self._count(line, statement)
                if statement.turn_id and self.turns and self.turns[0] is not self.newest:
                    self._note_named(line, statement)
                handler = handlers.get(statement.__class__)
                if handler is not None:
                    handler(Ref(line, statement), statement)
        self._sum_up()
        self.out.after = self._freeze()
        return self.out

    def _sum_up(self) -> None:
        """Lists what befell turns by its sort, so that the whole document's can be put together in few steps."""
        out = self.out
        for event in out.turn_events:
            if event.turn is None:
                continue
            if event.what == "opened":
                out.starts[event.turn.start.statement] = event.turn
            elif event.what == "named":
                out.named.append(event.turn)
        out.own_entries = sum(entry.ref.statement not in out.owners for entry in out.entries)
        out.odd = bool(out.notes or out.loose_calls or out.loose_results or out.named or out.given_up)

    def _freeze(self) -> State:
        self._forget()
        return State(
            header=self.header,
            copied=self.copied,
            copying=self.copying,
            turns=tuple(self.turns),
            ended=tuple(self.ended),
            herald=self.herald if self.herald is not None and self.heralded == self.position else None,
            newest=self.newest,
            calls=tuple(self.calls.values()),
            processes=tuple(self.processes.items()),
            sayings=tuple(self._frozen(saying) for saying in self.sayings),
            early=tuple(Early(ref, self.position - at) for ref, at in self.early),
            nameless=tuple(Early(ref, self.position - at) for ref, at in self.nameless),
            shrunk=self._frozen_shrunk(),
            ordinals=self.ordinals,
        )

    def _frozen(self, saying: _Saying) -> Saying:
        return Saying(
            owner=saying.owner,
            side=saying.side,
            words=saying.words,
            streams=saying.streams,
            item_id=saying.item_id,
            turn=saying.turn,
            others=saying.others,
            age=self.position - saying.position,
            since=self.position - saying.last,
        )

    def _frozen_shrunk(self) -> Shrunk | None:
        age = self.position - self.shrunk_at
        if self.shrunk is None or age > COMPACTION_REACH:
            return None
        return Shrunk(self.shrunk.owner, self.shrunk.kinds, age)

    def _forget(self) -> None:
        """Drops what is too old to find a partner."""
        oldest = self.position - MAX_RECENT
        self.sayings = [saying for saying in self.sayings if saying.position > oldest]
        self.early = [(ref, at) for ref, at in self.early if at > oldest]
        self.nameless = [(ref, at) for ref, at in self.nameless if at > oldest]

    # -- small steps
    def _turn_of(self, statement: Statement) -> OpenTurn | None:
        """The open turn that a record belongs to: the one it names, else the newest."""
        turns = self.turns
        if not turns:
            return None
        newest = turns[-1]
        if len(turns) == 1 or not statement.turn_id or statement.turn_id == newest.turn_id:
            return newest
        for turn in turns:
            if turn.turn_id == statement.turn_id:
                return turn
        return newest

    def _enter(self, ref: Ref, what: What, turn: OpenTurn | None) -> None:
        inherited = turn.inherited if turn is not None else self.copying
        self.entries.append(Entry(ref, what, turn, inherited))

    def _link(self, owner: Ref, role: Role, ref: Ref) -> None:
        links = self.links.get(owner.statement)
        if links is None:
            self.links[owner.statement] = [Link(role, ref)]
        else:
            links.append(Link(role, ref))
        self.owners[ref.statement] = owner

    def _note_named(self, line: Line, statement: Statement) -> None:
        """Marks a turn that goes on although a newer one has begun."""
        for turn in self.turns:
            if turn is not self.newest and turn.turn_id == statement.turn_id and statement is not turn.start.statement:
                self.out.turn_events.append(TurnEvent("named", turn, Ref(line, statement)))

    def _count(self, line: Line, statement: Statement) -> None:
        """Follows the ordinals of a paginated file (a missing, repeated or falling one is noted)."""
        own = self.own
        if own is None:
            return
        if self.copying and 0 <= own.own_from_ordinal <= statement.ordinal:
            self.copying = False
        if not own.paginated:
            return
        seen = self.ordinals
        if statement.ordinal == UNUSABLE_ORDINAL:
            return
        if statement.ordinal < 0:
            if not seen.missing:
                self.out.notes.append(Note("ordinal-missing", Ref(line, statement)))
            self.ordinals = Ordinals(seen.highest, seen.at, True, seen.falling)
            return
        if statement.ordinal > seen.highest:
            self.ordinals = Ordinals(statement.ordinal, Ref(line, statement))
            return
        if statement.ordinal == seen.highest and not seen.falling:
            note = Note("ordinal-duplicate", Ref(line, statement), seen.at, (statement.ordinal,))
            self.out.notes.append(note)
            self.ordinals = Ordinals(seen.highest, seen.at)
            return
        if not seen.falling:
            numbers = (statement.ordinal, seen.highest)
            self.out.notes.append(Note("ordinal-regression", Ref(line, statement), seen.at, numbers))
        self.ordinals = Ordinals(seen.highest, seen.at, False, True)

    # -- identity
    def _header(self, ref: Ref, header: Header) -> None:
        if self.own is None:
            if self.header is None:
                self.header = ref
                self.own = header
                self.counting = _has_ordinals(header)
                self.copying = header.own_from_ordinal > max(0, header.ordinal)
                if self.counting:
                    self._count(ref.line, header)
            return
        if not header.thread_id or header.thread_id == self.own.thread_id or not self.own.thread_id:
            return
        if not (self.own.parent_id or self.own.forked_from):
            self.out.notes.append(Note("foreign-header", ref, self.header))
            return
        self.out.notes.append(Note("inherited-header", ref, self.header))
        if self.copied is None:
            self.copied = ref
            self.copying = self.mode == "explicit"

    def _is_copied(self, start: TurnStart) -> bool | None:
        """Whether a turn is older than the thread it stands in; None where nothing tells.

        Tells: the header's own first ordinal, else the times in both ids (RFC 9562 version 7), else the times that
        header and start record give themselves, which copies keep. The times of lines are those of the copying.
        """
        own = self.own
        if own is not None and own.own_from_ordinal >= 0 and start.ordinal >= 0:
            return self.copying
        if own is None or not (own.parent_id or own.forked_from):
            return False
        born, begun = _milliseconds(own.thread_id), _milliseconds(start.turn_id)
        if born is not None and begun is not None:
            return begun < born
        born = own.created_ms if own.created_ms >= 0 else born
        if born is None or start.begun_ms < 0:
            return None
        return start.begun_ms + 1000 <= born

    # -- turns
    def _turn_start(self, ref: Ref, statement: TurnStart) -> None:
        if self.mode != "explicit":
            return
        copied = self._is_copied(statement)
        self._open(OpenTurn(ref, statement.turn_id, copied is True, True, copied is not None), ref)

    def _open(self, turn: OpenTurn, ref: Ref) -> None:
        if not turn.inherited and turn.dated:
            self.copying = False
        self.turns.append(turn)
        self.newest = turn
        if len(self.turns) > MAX_TURNS:
            self._settle(self.turns[0], ref, aborted=False)
            self.ended = [*self.ended, self.turns[0].turn_id][-MAX_ENDED:]
            self.out.given_up.append(self.turns.pop(0))
        self.out.turn_events.append(TurnEvent("opened", turn, ref))

    def _turn_end(self, ref: Ref, statement: TurnEnd) -> None:
        if self.mode != "explicit":
            self._implicit_end(ref, statement)
            return
        turn = next((one for one in reversed(self.turns) if one.turn_id == statement.turn_id), None)
        if turn is None:
            if not self.turns or self.turns[-1] is not self.newest:
                return  # only turns are open that a later one has closed without a word
            if statement.turn_id and statement.turn_id in self.ended:
                return  # over already: said again
            turn = self.turns[-1]
            if statement.turn_id:
                self.out.notes.append(Note("turn-mismatch", ref, turn.start))
        self.out.turn_events.append(TurnEvent("aborted" if statement.aborted else "closed", turn, ref))
        self._settle(turn, ref, aborted=statement.aborted)
        self.turns = [one for one in self.turns if one is not turn]
        self.ended = [*self.ended, turn.turn_id][-MAX_ENDED:]

    def _implicit_end(self, ref: Ref, statement: TurnEnd) -> None:
        if not statement.aborted or not self.turns:
            return
        turn = self.turns[-1]
        self.out.turn_events.append(TurnEvent("aborted", turn, ref))
        self._settle(turn, ref, aborted=True)

    def _begin_implicit(self, ref: Ref, by: Ref) -> None:
        """A message of the human begins a turn at ``ref`` (known since the record ``by``)."""
        for turn in self.turns:
            self.out.turn_events.append(TurnEvent("closed", turn, ref))
            self._settle(turn, ref, aborted=False)
        self.turns = []
        own = self.own
        dated = own is None or self.copied is None or not (own.parent_id or own.forked_from)
        self._open(OpenTurn(ref, "", self.copying, False, dated or self.copying), by)

    def _settle(self, turn: OpenTurn, end: Ref, *, aborted: bool) -> None:
        """The turn is over: its open calls become loose ends, all its calls are forgotten."""
        kept: dict[str, OpenCall] = {}
        for call_id, call in self.calls.items():
            if call.turn is not turn and call.turn != turn:
                kept[call_id] = call
            elif not call.resolved:
                self.out.loose_calls.append(LooseCall(call.ref, turn, end, aborted))
        self.calls = kept

    # -- messages and reasoning
    def _message(self, ref: Ref, message: Message) -> None:
        actor = message.actor
        if actor == "system":
            self._enter(ref, "context", self._turn_of(message))
            return
        if self.herald is not None and self.position - self.heralded == 1:
            announced = self.herald.statement
            if isinstance(announced, Herald) and announced.actor == actor:
                self.out.heralds[announced] = ref
        words: tuple[int, ...] = (message.words,) if message.words else ()
        if message.bare_words:
            words += (message.bare_words,)
        human_said = actor == "human" and not message.context
        found = self._find_saying(actor, words, _STREAMS[message.stream], message.item_id)
        if found is not None:
            if message.stream == "item" and self._is_human(found):
                self.out.confirmed.add(message)
            self._say_again(found, ref, message.stream, message.item_id)
            if human_said and message.stream != "item":
                self._confirm(found, ref)
            return
        saying = self._new_saying(ref, actor, words, message.stream, message.item_id)
        if human_said and self.mode == ("items" if message.stream == "item" else "events"):
            self._begin_implicit(ref, ref)
        saying.turn = self._turn_of(message)
        self._enter(ref, "context" if message.context else _SAID_BY[actor], saying.turn)
        if human_said and message.stream != "item":
            self.out.confirmed.add(message)

    def _is_human(self, saying: _Saying) -> bool:
        statement = saying.owner.statement
        if not isinstance(statement, Message) or statement.actor != "human":
            return False
        return statement.stream != "item" and not statement.context

    def _confirm(self, saying: _Saying, by: Ref) -> None:
        """Another record tells that the human said it."""
        owner = saying.owner
        self.out.confirmed.add(owner.statement)
        if self.mode == "events" and not (self.turns and self.turns[-1].start == owner):
            self._begin_implicit(owner, by)
            saying.turn = self.turns[-1]

    def _reasoning(self, ref: Ref, reasoning: Reasoning) -> None:
        if reasoning.stream == "item":
            self._reasoning_item(ref, reasoning)
            return
        found = self._find_thought(reasoning)
        if found is not None:
            self._say_again(found, ref, reasoning.stream, reasoning.item_id, keep_open=reasoning.stream == "event")
            return
        saying = self._new_saying(ref, "thought", reasoning.words, reasoning.stream, reasoning.item_id)
        saying.turn = self._turn_of(reasoning)
        self._enter(ref, "reasoning", saying.turn)

    def _reasoning_item(self, ref: Ref, reasoning: Reasoning) -> None:
        """A reasoning item takes the parts that were shown before it, one event a part."""
        wanted = list(reasoning.words)
        saying = self._new_saying(ref, "thought", reasoning.words, "item", reasoning.item_id)
        saying.turn = self._turn_of(reasoning)
        for other in list(self.sayings):
            if other.side != "thought" or other.streams & _ITEM or self._is_stale(other):
                continue
            same_id = bool(reasoning.item_id) and other.item_id == reasoning.item_id
            same_id = same_id or self._is_same_silence(other, reasoning)
            if not same_id and not (other.words and all(word in wanted for word in other.words)):
                continue
            for word in other.words:
                if word in wanted:
                    wanted.remove(word)
            self._absorb(other, saying)
        self._enter(ref, "reasoning", saying.turn)

    def _find_thought(self, reasoning: Reasoning) -> _Saying | None:
        for saying in self.sayings:
            if saying.side != "thought" or self._is_stale(saying):
                continue
            if reasoning.item_id and saying.item_id == reasoning.item_id:
                return saying
            if self._is_same_silence(saying, reasoning):
                return saying
            if saying.streams & _STREAMS[reasoning.stream] or not reasoning.words:
                continue
            if saying.words == reasoning.words or (
                saying.streams & _ITEM and all(word in saying.words for word in reasoning.words)
            ):
                return saying
        return None

    def _is_same_silence(self, saying: _Saying, reasoning: Reasoning) -> bool:
        """Whether neighbours of two streams tell of the same thought that has no words (it is encrypted)."""
        if reasoning.words or saying.words or reasoning.stream == "event":
            return False
        if saying.streams & _STREAMS[reasoning.stream]:
            return False
        if saying.item_id and reasoning.item_id and isinstance(saying.owner.statement, Reasoning):
            return False
        return self.position - saying.last <= 1 and saying.side == "thought"

    def _find_saying(self, side: str, words: tuple[int, ...], stream: int, item_id: str) -> _Saying | None:
        """The message that these words repeat: the same id; else the same text that this stream has not told, in the
        record right before, else the oldest; without any text (pictures alone) only the record right before."""
        oldest = None
        for saying in self.sayings:
            if saying.streams & stream or saying.side != side:
                continue
            by_id = item_id and saying.item_id
            if by_id:
                if saying.item_id != item_id:
                    continue
            elif saying.words != words and not _is_same(saying.words, words):
                continue
            if self._is_stale(saying):
                continue
            if by_id:
                return saying
            if self.position - saying.last <= 1:
                if oldest is not None:
                    self._pass_over(side, words, stream, saying)
                return saying
            if oldest is None and words:
                oldest = saying
        return oldest

    def _pass_over(self, side: str, words: tuple[int, ...], stream: int, chosen: _Saying) -> None:
        """What was said alike before a message that this stream tells is not told by it any more: it is in order."""
        for saying in self.sayings:
            if saying is chosen:
                return
            if saying.side == side and _is_same(saying.words, words):
                saying.streams |= stream

    def _is_stale(self, saying: _Saying) -> bool:
        if self.position - saying.position >= MAX_RECENT:
            return True
        if saying.turn is None or not self.turns or self.mode != "explicit":
            return False
        return saying.turn not in self.turns

    def _new_saying(self, ref: Ref, side: str, words: tuple[int, ...], stream: str, item_id: str) -> _Saying:
        if len(self.sayings) >= _CROWDED:
            self._forget()
        saying = _Saying(ref, side, words, _STREAMS[stream], item_id, self.position, self.position)
        self.sayings.append(saying)
        return saying

    def _say_again(self, saying: _Saying, ref: Ref, stream: str, item_id: str, keep_open: bool = False) -> None:
        if not keep_open:
            saying.streams |= _STREAMS[stream]
        saying.item_id = saying.item_id or item_id
        saying.last = self.position
        if stream != "item":
            self._link(saying.owner, "mirror", ref)
            saying.others += (ref,)
            return
        # The item is the entry's own record, also where a mirror came first.
        self._enter_again(saying, ref)

    def _enter_again(self, saying: _Saying, ref: Ref) -> None:
        old = saying.owner
        what = self._what_of(old)
        for other in (old, *saying.others):
            self._link(ref, "mirror", other)
        saying.others += (old,)
        saying.owner = ref
        self._enter(ref, what, saying.turn)

    def _absorb(self, other: _Saying, into: _Saying) -> None:
        for ref in (other.owner, *other.others):
            self._link(into.owner, "mirror", ref)
            into.others += (ref,)
        into.streams |= other.streams
        self.sayings.remove(other)

    def _what_of(self, ref: Ref) -> What:
        statement = ref.statement
        if not isinstance(statement, Message):
            return "reasoning"
        if statement.context:
            return "context"
        return _SAID_BY.get(statement.actor, "user")

    # -- calls
    def _call(self, ref: Ref, call: Call) -> None:
        turn = self._turn_of(call)
        self._enter(ref, "call", turn)
        if self.early or not call.call_id:
            self._take_early(ref, call)
        if not call.call_id:
            if call.by_place:
                self.nameless.append((ref, self.position))
            return
        self.out.calls.setdefault(call.call_id, []).append(ref)
        first = self.calls.get(call.call_id)
        if call.alone:
            self._remember(OpenCall(call.call_id, ref, turn, resolved=True))
            return
        if call.feeds and call.feeds in self.processes:
            self.out.links.setdefault(self.processes[call.feeds].statement, []).append(Link("feeds", ref))
            self.out.links.setdefault(ref.statement, []).append(Link("feeds", self.processes[call.feeds]))
        if first is not None and not first.resolved:
            self.out.notes.append(Note("duplicate-call", ref, first.ref))
            self.out.shares[ref.statement] = first.ref
            return
        self._remember(OpenCall(call.call_id, ref, turn, script=call.script))

    def _remember(self, call: OpenCall) -> None:
        self.calls.pop(call.call_id, None)
        self.calls[call.call_id] = call
        if len(self.calls) > MAX_CALLS:
            oldest = next(iter(self.calls))
            gone = self.calls.pop(oldest)
            if not gone.resolved:
                self.out.loose_calls.append(LooseCall(gone.ref, gone.turn, call.ref, False))

    def _take_early(self, ref: Ref, call: Call) -> None:
        """Mirrors that came before their call: by its id, or by what it asks for."""
        for one in list(self.early):
            mirror, at = one[0].statement, one[1]
            if not isinstance(mirror, CallMirror) or self.position - at >= MAX_RECENT:
                continue
            same = bool(call.call_id) and mirror.call_id == call.call_id
            if same or (call.action and mirror.action == call.action and not call.call_id):
                self._link(ref, "mirror", one[0])
                self.early.remove(one)
                return
        if call.alone and not call.call_id:
            self.nameless.append((ref, self.position))

    def _result(self, ref: Ref, result: Result) -> None:
        if not result.call_id:
            if result.tool and self._answer_nameless(ref, result):
                return
            if result.optional_call:
                self._enter(ref, "output", self._turn_of(result))
            return
        call = self.calls.get(result.call_id)
        if call is None and self.nameless and self._answer_nameless(ref, result):
            return
        if call is None or call.resolved:
            self.out.loose_results.append(LooseResult(ref, self._turn_of(result)))
            self._enter(ref, "output", self._turn_of(result))
            return
        self._link(call.ref, "result", ref)
        self.calls[result.call_id] = OpenCall(call.call_id, call.ref, call.turn, True, call.script)
        statement = call.ref.statement
        if result.outcome.running and isinstance(statement, Call) and not statement.feeds:
            self.processes[result.outcome.running] = call.ref
            if len(self.processes) > MAX_PROCESSES:
                del self.processes[next(iter(self.processes))]
        told = result.outcome.exit_code is not None or result.outcome.failed is not None
        if isinstance(statement, Call) and told and statement.feeds in self.processes:
            origin = self.processes.pop(statement.feeds)
            self.out.links.setdefault(origin.statement, []).append(Link("ending", ref))

    def _answer_nameless(self, ref: Ref, result: Result) -> bool:
        """Gives a result to a call without an id that only its place and its tool can tell."""
        for one in self.nameless:
            call, at = one[0].statement, one[1]
            if not isinstance(call, Call) or self.position - at >= MAX_RECENT:
                continue
            if call.by_place if result.call_id else call.tool == result.tool:
                self._link(one[0], "result", ref)
                self.nameless.remove(one)
                return True
        return False

    def _call_mirror(self, ref: Ref, mirror: CallMirror) -> None:
        call = self.calls.get(mirror.call_id)
        if call is not None:
            self._link(call.ref, "mirror", ref)
            return
        turn = self._turn_of(mirror)
        script = self._open_script(turn) if mirror.nested else None
        if script is not None:
            self._link(script, "nested", ref)
        if not mirror.nested and self._take_called(ref, mirror):
            return
        if not mirror.nested:
            self.out.loose_mirrors.append(ref)
        if mirror.shows_result:
            return
        self._enter(ref, "nested_call" if mirror.nested else "call", turn)
        if mirror.call_id:
            self.out.told.setdefault(mirror.call_id, ref)
            self._remember(OpenCall(mirror.call_id, ref, turn, resolved=True))
        if not mirror.nested:
            self.early.append((ref, self.position))

    def _take_called(self, ref: Ref, mirror: CallMirror) -> bool:
        """A mirror of a call without id that stands shortly before it."""
        for one in self.nameless:
            call, at = one[0].statement, one[1]
            if mirror.action and isinstance(call, Call) and call.action == mirror.action:
                if self.position - at >= MAX_RECENT:
                    continue
                self._link(one[0], "mirror", ref)
                self.nameless.remove(one)
                return True
        return False

    def _open_script(self, turn: OpenTurn | None) -> Ref | None:
        """The script that made a call: the newest one of its turn, one that still runs before all others."""
        found = None
        for call in reversed(self.calls.values()):
            if call.script and (turn is None or call.turn == turn):
                if not call.resolved:
                    return call.ref
                found = found or call.ref
        return found

    # -- the rest
    def _usage(self, ref: Ref, usage: Usage) -> None:
        turn = self._turn_of(usage)
        self.out.usages.append(CountedUsage(ref, turn, turn.inherited if turn else self.copying))

    def _compaction(self, ref: Ref, compaction: Compaction) -> None:
        if not compaction.marker:
            self.out.compactions.append(ref)
        near = self.shrunk is not None and self.position - self.shrunk_at <= COMPACTION_REACH
        kind = compaction.kind if compaction.marker else ""
        if near and self.shrunk is not None and kind not in self.shrunk.kinds:
            if compaction.marker:
                self._link(self.shrunk.owner, "mirror", ref)
                owner = self.shrunk.owner
            else:
                self._link(ref, "mirror", self.shrunk.owner)
                self._enter(ref, "compaction", self._turn_of(compaction))
                owner = ref
            self.shrunk = Shrunk(owner, self.shrunk.kinds | {kind})
            self.shrunk_at = self.position
            return
        self._enter(ref, "compaction", self._turn_of(compaction))
        self.shrunk = Shrunk(ref, frozenset({kind}))
        self.shrunk_at = self.position

    def _rollback(self, ref: Ref, rollback: Rollback) -> None:
        self.out.turn_events.append(TurnEvent("rolled-back", None, ref))

    def _notice(self, ref: Ref, notice: Notice) -> None:
        if notice.call_id:
            self.out.remarks.append(ref)
        self._enter(ref, "notice", self._turn_of(notice))

    def _remark(self, ref: Ref, remark: Remark) -> None:
        if remark.call_id:
            self.out.remarks.append(ref)

    def _announce(self, ref: Ref, herald: Herald) -> None:
        self.herald, self.heralded = ref, self.position

    def _naming(self, ref: Ref, naming: Naming) -> None:
        self.out.namings.append(ref)

    def _unknown(self, ref: Ref, unknown: Unknown) -> None:
        self._enter(ref, "unknown", self._turn_of(unknown))

    def _settings(self, ref: Ref, settings: Settings) -> None:
        self.out.settings.append((ref, self._turn_of(settings)))


def _is_same(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two tellings have a text in common, as it stands or as it is shown."""
    if one == other:
        return True
    if len(one) + len(other) < 3:
        return False
    return any(words in other for words in one)


def _thaw(saying: Saying) -> _Saying:
    return _Saying(
        saying.owner,
        saying.side,
        saying.words,
        saying.streams,
        saying.item_id,
        -saying.age,
        -saying.since,
        saying.turn,
        saying.others,
    )


def _has_ordinals(header: Header) -> bool:
    """Whether the ordinals of a file mean anything: in paginated files, and where copied history ends by one."""
    return header.paginated or header.own_from_ordinal >= 0


def _milliseconds(uuid: str) -> int | None:
    """The unix time in a UUID of version 7, None for any other text."""
    if len(uuid) != 36 or uuid[14] != "7":
        return None
    try:
        return int(uuid[:8] + uuid[9:13], 16)
    except ValueError:
        return None
