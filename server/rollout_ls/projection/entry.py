"""The values that the fold makes: entries, open turns, links, notes. Places and identities, never text."""

from __future__ import annotations

from typing import Literal

import msgspec

from rollout_ls.formats.statement import Statement
from rollout_ls.text.rows import Line

What = Literal[
    "user",
    "assistant",
    "agent_message",
    "reasoning",
    "context",
    "call",
    "nested_call",
    "output",
    "compaction",
    "notice",
    "rollback",
    "unknown",
]
"""The sorts of entries. ``output`` is a result whose call is nowhere."""


class Ref(msgspec.Struct, frozen=True, gc=False):
    """A record: its line and the statement it makes. Equal only to itself."""

    line: Line
    statement: Statement


class OpenTurn(msgspec.Struct, frozen=True, gc=False):
    """The beginning of a turn: the record that starts it. It stands for the turn wherever one is named."""

    start: Ref
    turn_id: str
    inherited: bool
    explicit: bool
    dated: bool = True
    """Whether something tells if it is older than its thread. Where nothing does, the session looks at its records'
    times; ``inherited`` is False then."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One thing that happened, by its own record. ``turn`` is None outside turns."""

    ref: Ref
    what: What
    turn: OpenTurn | None
    inherited: bool = False


Role = Literal["mirror", "result", "feeds", "ending", "nested", "remark"]
"""What a record is to an entry: it says the same; it is what came back; it is a call that writes to the process that
this one left open; it tells how that process ended; it is a call made by this script; it says something about it."""


class Link(msgspec.Struct, frozen=True, gc=False):
    """A further record of an entry."""

    role: Role
    ref: Ref


class TurnEvent(msgspec.Struct, frozen=True, gc=False):
    """Something that befell a turn, in file order. ``turn`` is None for a rollback, and for a stray abort."""

    what: Literal["opened", "closed", "aborted", "named", "rolled-back"]
    turn: OpenTurn | None
    ref: Ref


NoteWhat = Literal[
    "duplicate-call",
    "turn-mismatch",
    "turn-overlap",
    "foreign-header",
    "inherited-header",
    "ordinal-missing",
    "ordinal-duplicate",
    "ordinal-regression",
]


class Note(msgspec.Struct, frozen=True, gc=False):
    """Something odd that the fold decided, for the rules to say. ``numbers`` are ordinals where it is about them."""

    what: NoteWhat
    ref: Ref
    other: Ref | None = None
    numbers: tuple[int, ...] = ()


class LooseCall(msgspec.Struct, frozen=True, gc=False):
    """A call without result when its turn ended (``end`` is that record), or when too many calls were open (``end`` is
    the call that was one too many)."""

    ref: Ref
    turn: OpenTurn | None
    end: Ref
    aborted: bool


class LooseResult(msgspec.Struct, frozen=True, gc=False):
    """A result that found no open call before it."""

    ref: Ref
    turn: OpenTurn | None


class CountedUsage(msgspec.Struct, frozen=True, gc=False):
    """A usage record and where it stands."""

    ref: Ref
    turn: OpenTurn | None
    inherited: bool
