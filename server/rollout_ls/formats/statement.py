"""What a record says, in words that every format shares. The projection knows nothing else of a record.

Values only. A statement holds no text of the record (a hash of it where two records may say the same), no line and no
row; it stands in the reading of its line, and its identity is that of the record.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Stream = Literal["item", "event", "display"]
"""Which of the parallel tellings a record belongs to: what the model sees, what the screen showed, completed items."""

Actor = Literal["human", "model", "agent", "system"]

SessionKind = Literal["user", "subagent", "review", "compact", "guardian", "other"]


NO_ORDINAL = -1
"""The record has no number."""

UNUSABLE_ORDINAL = -2
"""What stands in its place is no number that counts: a fault of its own."""


class Statement(msgspec.Struct, frozen=True, eq=False, gc=False, kw_only=True):
    """A record that takes part in no relation. ``kind`` is its name in the catalogue.

    ``start`` and ``end`` are byte offsets of the record in its line (it is alone there as a rule). ``ordinal`` is the
    record's own number, or ``NO_ORDINAL``, or ``UNUSABLE_ORDINAL``. ``turn_id`` is the turn that it names, empty where
    it names none. ``recovered`` tells that it stood behind damage.
    """

    kind: str
    start: int = 0
    end: int = -1
    ordinal: int = NO_ORDINAL
    turn_id: str = ""
    recovered: bool = False
    sealed: int = 0
    """How many encrypted values it holds."""


class Header(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """The head of a session, its own or a copied one. Facts only; which one is the file's own is decided above."""

    thread_id: str
    session_kind: SessionKind = "user"
    parent_id: str = ""
    forked_from: str = ""
    continues: str = ""
    paginated: bool = False
    created_ms: int = -1
    """When the thread was made, as the header itself tells (unix milliseconds); -1 where it does not."""
    own_from_ordinal: int = -1
    """Copied history ends before this ordinal, where the header says so; -1 elsewhere."""
    version: str = ""
    directory: str = ""
    model: str = ""
    originator: str = ""
    agent_name: str = ""
    agent_role: str = ""
    agent_path: str = ""
    depth: int = -1
    bare: bool = False
    """Whether it is the head of a file without envelopes."""


class TurnStart(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """A turn begins. ``begun_ms`` is when, as the record itself tells (unix milliseconds, whole seconds as a rule; a
    copy in another file keeps it); -1 where it does not."""

    begun_ms: int = -1


class TurnEnd(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """A turn ends. ``reason`` is empty where it was not cut short. ``duration_ms`` is -1 where the record is silent."""

    aborted: bool = False
    reason: str = ""
    duration_ms: int = -1


class Settings(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """The model and its settings from here on, for the turn named or the open one."""

    model: str = ""
    effort: str = ""


class Message(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """Somebody says something.

    ``words`` is a hash of the exact text, 0 for none. ``context`` names injected text ("developer", "AGENTS.md",
    "environment", "skill" ...), empty for words of the actor. ``item_id`` is empty where there is none.
    """

    actor: Actor
    stream: Stream
    words: int = 0
    bare_words: int = 0
    """The same of the text without what other tellings leave out (marked parts, white space around it); 0 where that is
    the text as it stands."""
    phase: str = ""
    author: str = ""
    context: str = ""
    item_id: str = ""
    encrypted: bool = False


class Reasoning(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """The model thinks. ``words`` is one hash a summary part; ``raw``: it is the reasoning itself, not a summary."""

    stream: Stream
    words: tuple[int, ...] = ()
    raw: bool = False
    item_id: str = ""


class Call(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """The model calls a tool. ``call_id`` is empty where the record has no usable one.

    ``alone`` tells that call and result are one record, so that no result is to be waited for. ``feeds`` names the
    process that it writes to. ``bad_arguments`` tells that they are not what the tool could read.
    """

    call_id: str
    tool: str
    alone: bool = False
    feeds: str = ""
    action: int = 0
    """A hash of what a call without id asks for, by which its mirror may be found; 0 for none."""
    script: bool = False
    """Whether it runs a script that makes calls of its own."""
    bad_arguments: bool = False
    by_place: bool = False
    """Whether a result that has no other call is its own, because neither of its ids was written."""


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """How a call came out. ``failed`` is None where the record does not tell; ``running`` names a process left open."""

    failed: bool | None = None
    exit_code: int | None = None
    running: str = ""
    duration_ms: int = -1


NO_OUTCOME = Outcome()


class Result(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """What came back from a call. ``call_id`` is empty where the record names none."""

    call_id: str
    outcome: Outcome = NO_OUTCOME
    optional_call: bool = False
    """Whether it may stand without a call (it names its source in another way)."""
    tool: str = ""
    """The tool whose last call without an id it answers, where it has no id itself; empty where it says no tool."""
    item_id: str = ""


class CallMirror(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """A further record on a call: what the screen showed of it."""

    call_id: str
    tool: str
    outcome: Outcome = NO_OUTCOME
    nested: bool = False
    """Whether it tells of a call that a script made."""
    action: int = 0
    shows_result: bool = False
    """Whether it shows what came back, so that it stands for no call of its own. Its id may be that of the result."""


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """Token counts. Cached input is part of input, reasoning part of output."""

    input: int = 0
    cached_input: int = 0
    output: int = 0
    reasoning_output: int = 0
    total: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.cached_input + other.cached_input,
            self.output + other.output,
            self.reasoning_output + other.reasoning_output,
            self.total + other.total,
        )

    def __sub__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input - other.input,
            self.cached_input - other.cached_input,
            self.output - other.output,
            self.reasoning_output - other.reasoning_output,
            self.total - other.total,
        )

    @property
    def is_possible(self) -> bool:
        """Whether no part exceeds its whole."""
        return self.cached_input <= self.input and self.reasoning_output <= self.output

    @property
    def is_estimate(self) -> bool:
        """A total without parts, as it is written after a compaction: never a count of anything."""
        return self.total != 0 and not (self.input or self.cached_input or self.output or self.reasoning_output)


class Usage(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """Tokens used. ``per_response`` records stand for one answer of the model; the others are running totals that may
    be said again. ``total`` and ``last`` are None where the record has none."""

    per_response: bool = False
    total: Tokens | None = None
    last: Tokens | None = None
    window: int = 0
    response_id: str = ""


class Compaction(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """The history was made shorter. ``marker`` is a mere sign that it happened; ``items`` is what the record kept."""

    marker: bool = False
    items: int = 0
    listed: bool = False
    """Whether the record lists what it kept (old ones keep what the human said, and a summary)."""
    response_id: str = ""
    """The answer of the model that made the summary; empty where it is not told."""
    window: str = ""
    window_before: str = ""
    """Ids of the context windows after and before it, where they are told."""
    call_ids: frozenset[str] = frozenset()
    """Ids of calls that live on in what it kept."""


class Rollback(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """The last ``turns`` turns that still stood were taken back."""

    turns: int


class Notice(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """Something worth a line of its own that is neither a message nor a call: ``label`` says it."""

    label: str
    call_id: str = ""


class Remark(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """Something told about a call or an item and no telling of it (a verdict, a score, an answer kept): no entry."""

    call_id: str


class Herald(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """Announces the message of ``actor`` right behind it, to which nothing but its place ties it."""

    actor: Actor = "agent"


class Naming(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """The session was given a title, which is the record's label."""


class Unknown(Statement, frozen=True, eq=False, gc=False, kw_only=True):
    """A record of a kind that this version does not know. ``label`` is its discriminator."""

    label: str
