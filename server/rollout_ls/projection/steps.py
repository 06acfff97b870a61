"""Steps of a turn: one answer of the model with the calls it made, their results and the tokens it used.

No record marks a step. One begins where the model speaks, thinks or calls after something else had its say: a result,
words of a human or of another agent, a counted usage, a compaction. So calls that were made at once are one step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rollout_ls.formats.statement import Call, Compaction, Statement, Tokens
from rollout_ls.projection.entry import Entry, Ref
from rollout_ls.projection.turns import Turn
from rollout_ls.projection.usage import Step as Counted

if TYPE_CHECKING:
    from rollout_ls.projection.session import Session

_BY_MODEL = ("assistant", "reasoning", "call", "nested_call")


class ModelStep(msgspec.Struct, frozen=True):
    """``entries`` are what the model said, thought and called, in file order; a compaction is a step of its own.
    ``usages`` are the counted usage records of this answer, ``tokens`` their sum."""

    number: int
    entries: tuple[Entry, ...]
    calls: tuple[Ref, ...]
    results: tuple[Ref, ...]
    usages: tuple[Ref, ...]
    tokens: Tokens

    @property
    def is_compaction(self) -> bool:
        """Whether the model was asked for nothing but a summary."""
        return self.entries[0].what == "compaction" if self.entries else False


class _Open:
    """A step in work."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.calls: list[Ref] = []
        self.results: list[Ref] = []
        self.usages: list[Ref] = []
        self.tokens = Tokens()
        self.over = False

    def use(self, usage: Counted) -> None:
        self.usages.append(usage.ref)
        self.tokens += usage.tokens
        self.over = True


class _Happening(msgspec.Struct, frozen=True):
    """One thing in a turn: an entry, or a result of a call (``ref`` is the result), or a counted usage."""

    ref: Ref
    entry: Entry | None = None
    call: Ref | None = None
    usage: Counted | None = None


def steps_of(session: Session, turn: Turn) -> tuple[ModelStep, ...]:
    """The steps of a turn, from 1."""
    happenings = _happenings(session, turn)
    summaries = {
        one.ref.statement.response_id for one in happenings if isinstance(one.ref.statement, Compaction)
    } - {""}
    steps: list[_Open] = []
    owners: dict[Statement, _Open] = {}
    of_summary: list[Counted] = []
    for one in happenings:
        if one.usage is not None:
            if getattr(one.ref.statement, "response_id", "") in summaries:
                of_summary.append(one.usage)
                continue
            step = steps[-1] if steps and not steps[-1].usages else _begin(steps)
            step.use(one.usage)
        elif one.call is not None:
            step = owners.get(one.call.statement) or (steps[-1] if steps else _begin(steps))
            step.results.append(one.ref)
            steps[-1].over = True
        elif one.entry is not None and one.entry.what in _BY_MODEL:
            step = steps[-1] if steps and not steps[-1].over else _begin(steps)
            step.entries.append(one.entry)
            if isinstance(one.ref.statement, Call):
                step.calls.append(one.ref)
                owners[one.ref.statement] = step
        elif one.entry is not None and one.entry.what == "compaction":
            step = _begin(steps)
            step.entries.append(one.entry)
            step.over = True
            for usage in of_summary:
                step.use(usage)
            of_summary = []
        elif steps:
            steps[-1].over = True
    return tuple(
        ModelStep(
            number, tuple(step.entries), tuple(step.calls), tuple(step.results), tuple(step.usages), step.tokens
        )
        for number, step in enumerate(steps, 1)
    )


def _begin(steps: list[_Open]) -> _Open:
    steps.append(_Open())
    return steps[-1]


def _happenings(session: Session, turn: Turn) -> list[_Happening]:
    """What happened in a turn, in file order. Nested calls belong to their script and are no step of their own."""
    found: list[_Happening] = []
    for entry in session.entries_of(turn):
        if session.is_nested(entry):
            continue
        found.append(_Happening(entry.ref, entry=entry))
        if isinstance(entry.ref.statement, Call):
            found += [_Happening(result, call=entry.ref) for result in session.links_of(entry.ref, "result")]
    found += [_Happening(usage.ref, usage=usage) for usage in session.usage.steps_of_turn(turn)]
    order = session.buffer.order_of
    return sorted(found, key=lambda one: (order(one.ref.line), one.ref.statement.start))
