"""What the fold carries from record to record: small, frozen, comparable.

Two equal states go on alike, which is what lets a fold stop early after an edit; so nothing here may be a position that
an edit elsewhere moves. Ages (records since) stand in for positions.
"""

from __future__ import annotations

import msgspec

from rollout_ls.projection.entry import OpenTurn, Ref

MAX_CALLS = 256
"""Calls that are kept at most; the oldest go first."""
MAX_RECENT = 24
"""Messages that may still find a record that says the same, and for how many records."""
MAX_PROCESSES = 32
MAX_TURNS = 8
MAX_ENDED = 16
"""Ids of turns that are over and still known, so that a second end of one is told from the end of a stranger."""


class OpenCall(msgspec.Struct, frozen=True, gc=False):
    """A call of a turn that is still open."""

    call_id: str
    ref: Ref
    turn: OpenTurn | None
    resolved: bool = False
    script: bool = False


class Saying(msgspec.Struct, frozen=True, gc=False):
    """A message or a piece of reasoning that another record may still repeat. ``streams`` (a bit each) have told it."""

    owner: Ref
    side: str
    words: tuple[int, ...]
    streams: int
    item_id: str
    turn: OpenTurn | None
    others: tuple[Ref, ...] = ()
    age: int = 0
    since: int = 0
    """Records since any record told it last."""


class Early(msgspec.Struct, frozen=True, gc=False):
    """A record that waits for its partner, and for how many records."""

    ref: Ref
    age: int = 0


class Shrunk(msgspec.Struct, frozen=True, gc=False):
    """The last compaction and which sorts of records have told it."""

    owner: Ref
    kinds: frozenset[str]
    age: int = 0


class Ordinals(msgspec.Struct, frozen=True, gc=False):
    """The highest ordinal so far and its record; whether a run of missing or falling ones is going on."""

    highest: int = -1
    at: Ref | None = None
    missing: bool = False
    falling: bool = False


class State(msgspec.Struct, frozen=True, gc=False):
    """The state between two records."""

    header: Ref | None = None
    copied: Ref | None = None
    """The head of copied history, while no record of the file's own has come after it."""
    copying: bool = False
    turns: tuple[OpenTurn, ...] = ()
    """Open turns, the newest last."""
    ended: tuple[str, ...] = ()
    """Ids of turns that are over, the latest last."""
    newest: OpenTurn | None = None
    """The turn that began last, open or not."""
    calls: tuple[OpenCall, ...] = ()
    processes: tuple[tuple[str, Ref], ...] = ()
    sayings: tuple[Saying, ...] = ()
    early: tuple[Early, ...] = ()
    """Records on calls that have not come."""
    nameless: tuple[Early, ...] = ()
    """Calls without an id that have found no mirror."""
    shrunk: Shrunk | None = None
    herald: Ref | None = None
    """The record before, where it announces the next one."""
    ordinals: Ordinals = Ordinals()
