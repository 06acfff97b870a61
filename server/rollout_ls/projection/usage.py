"""Which usage records count, and their sums. Follows "Usage" of the design: response records where there are any, else
each change of the running total; estimates and repeats never."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import msgspec

from rollout_ls.formats.statement import Statement, Tokens, Usage
from rollout_ls.projection.entry import CountedUsage, OpenTurn, Ref
from rollout_ls.projection.fold import BlockFold
from rollout_ls.projection.turns import Turn

_IMPOSSIBLE = "its counts contradict each other"

Source = Literal["responses", "running totals", "none"]
Share = Literal["own", "inherited", "rolled back"]


_NOTHING = Tokens()

Total: TypeAlias = "tuple[Tokens, Ref]"
"""A running total and the record that told it first."""
Since: TypeAlias = "tuple[int, ...]"
"""For own and for copied work the number of the record from which on response records count; empty: from none."""


class LeftOut(msgspec.Struct, frozen=True, gc=False):
    """A usage record that was not counted, and why. ``same_as`` is the record that it repeats."""

    ref: Ref
    why: str
    same_as: Ref | None = None


class Step(msgspec.Struct, frozen=True, gc=False):
    """One counted answer of the model."""

    ref: Ref
    tokens: Tokens
    turn: Statement | None
    share: Share


class SessionUsage:
    """What was counted and what was not, in file order; the sums when they are asked for."""

    def __init__(self, source: Source, steps: tuple[Step, ...], left_out: tuple[LeftOut, ...]) -> None:
        self.source = source
        self.steps = steps
        self.left_out = left_out

    @cached_property
    def by_turn(self) -> dict[Statement, tuple[Step, ...]]:
        """The counted answers of each turn, by the statement that starts it."""
        found: dict[Statement, list[Step]] = {}
        for step in self.steps:
            if step.turn is not None:
                found.setdefault(step.turn, []).append(step)
        return {turn: tuple(steps) for turn, steps in found.items()}

    @cached_property
    def _by_share(self) -> dict[Share, Tokens]:
        shares: tuple[Share, ...] = ("own", "inherited", "rolled back")
        return {share: _sum(step.tokens for step in self.steps if step.share == share) for share in shares}

    @property
    def own(self) -> Tokens:
        """Tokens of the file's own work that stands."""
        return self._by_share["own"]

    @property
    def inherited(self) -> Tokens:
        """Tokens of work that was copied."""
        return self._by_share["inherited"]

    @property
    def rolled_back(self) -> Tokens:
        """Tokens of own work that was taken back."""
        return self._by_share["rolled back"]

    def steps_of_turn(self, turn: Turn) -> tuple[Step, ...]:
        """The counted answers of one turn, in file order."""
        return self.by_turn.get(turn.start.start.statement, ())

    def of_turn(self, turn: Turn) -> Tokens:
        """Tokens of one turn."""
        start = turn.start.start.statement
        tokens = self._of_turns.get(start)
        if tokens is None:
            tokens = self._of_turns[start] = _sum([step.tokens for step in self.steps_of_turn(turn)])
        return tokens

    @cached_property
    def _of_turns(self) -> dict[Statement, Tokens]:
        return {}


def _sum(tokens: Iterable[Tokens]) -> Tokens:
    given = cached = output = reasoning = total = 0
    for one in tokens:
        given += one.input
        cached += one.cached_input
        output += one.output
        reasoning += one.reasoning_output
        total += one.total
    return Tokens(given, cached, output, reasoning, total)


def add_up(usages: Sequence[CountedUsage], turns: Mapping[Statement, Turn]) -> SessionUsage:
    """Counts usage records (in file order).

    Response records count alone where there are any, for copied work and own work apart: a fork's origin may have been
    written by an older build. Where a build that writes them took a session over, what stands before its first turn
    with one counts by running totals.
    """
    shares = _shares_of(usages, turns)
    since = _responses_since(usages, shares)
    counted = _count(usages, shares, None, since)
    by_response = any(number < len(usages) for number in since)
    source: Source = "responses" if by_response else "running totals" if counted.steps else "none"
    return SessionUsage(source, counted.steps, counted.left_out)


def add_up_blocks(folds: Sequence[BlockFold], turns: Mapping[Statement, Turn]) -> SessionUsage:
    """The same where there are running totals only and each record is of the turn that the fold gave it: what was
    counted of a block is used again as long as the total before it and the shares of its turns stay."""
    steps: list[Step] = []
    left_out: list[LeftOut] = []
    before: Total | None = None
    for fold in folds:
        if not fold.usages:
            continue
        counted: Counted | None = fold.counted
        if counted is None or counted.before != before or not counted.shares_are(turns):
            counted = fold.counted = _count(fold.usages, _shares_of(fold.usages, turns), before, ())
        steps += counted.steps
        left_out += counted.left_out
        before = counted.after
    return SessionUsage("running totals" if steps else "none", tuple(steps), tuple(left_out))


class Counted(msgspec.Struct, frozen=True, gc=False):
    """What was counted of some neighbouring records, and what that depends on: the total before, whose work it is."""

    before: Total | None
    samples: tuple[tuple[CountedUsage, Share], ...]
    """The first record of each turn and its share."""
    steps: tuple[Step, ...]
    left_out: tuple[LeftOut, ...]
    after: Total | None

    def shares_are(self, turns: Mapping[Statement, Turn]) -> bool:
        """Whether the work is still whose it was."""
        return all(_share_of(one, turns) == share for one, share in self.samples)


def _count(usages: Sequence[CountedUsage], shares: Sequence[Share], before: Total | None, since: Since) -> Counted:
    steps: list[Step] = []
    left_out: list[LeftOut] = []
    samples: dict[tuple[int, bool], tuple[CountedUsage, Share]] = {}
    seen: dict[str, Ref] = {}
    last = before
    for number, one in enumerate(usages):
        ref, share = one.ref, shares[number]
        usage: Usage = ref.statement  # type: ignore[assignment]
        if since and number >= since[share == "inherited"]:
            tokens, reason, same = _response(usage, ref, seen)
        else:
            tokens, reason, same = _running(usage, last)
        total = None if usage.per_response else usage.total
        is_new = total is not None and (last is None or total != last[0])
        if is_new and total is not None and total.is_possible and not total.is_estimate:
            last = (total, ref)
        if tokens is None:
            left_out.append(LeftOut(ref, reason, same))
        else:
            steps.append(Step(ref, tokens, one.turn.start.statement if one.turn is not None else None, share))
        samples.setdefault((id(one.turn), one.inherited), (one, share))
    return Counted(before, tuple(samples.values()), tuple(steps), tuple(left_out), last)


def _shares_of(usages: Sequence[CountedUsage], turns: Mapping[Statement, Turn]) -> list[Share]:
    """Whose work each is. Neighbours are of one turn as a rule, which is looked at once."""
    shares: list[Share] = []
    share: Share = "own"
    turn: OpenTurn | None = None
    inherited: bool | None = None
    for one in usages:
        if one.turn is not turn or one.inherited is not inherited:
            turn, inherited = one.turn, one.inherited
            share = _share_of(one, turns)
        shares.append(share)
    return shares


def _share_of(one: CountedUsage, turns: Mapping[Statement, Turn]) -> Share:
    turn = turns.get(one.turn.start.statement) if one.turn is not None else None
    if one.inherited if turn is None else turn.inherited:
        return "inherited"
    return "rolled back" if turn is not None and turn.rolled_back_by is not None else "own"


def _responses_since(usages: Sequence[CountedUsage], shares: Sequence[Share]) -> Since:
    """For own and for copied work the index of the first usage record of the first turn with a response record, past
    the end where none is; nothing where none is anywhere."""
    if not any(one.ref.statement.per_response for one in usages):  # type: ignore[attr-defined]
        return ()
    return tuple(_first_response(usages, shares, copied) for copied in (False, True))


def _first_response(usages: Sequence[CountedUsage], shares: Sequence[Share], copied: bool) -> int:
    firsts: dict[OpenTurn | None, int] = {None: 0}
    for number, (one, share) in enumerate(zip(usages, shares, strict=True)):
        if (share == "inherited") != copied:
            continue
        first = firsts.setdefault(one.turn, number)
        if isinstance(one.ref.statement, Usage) and one.ref.statement.per_response:
            return first
    return len(usages)


def _response(usage: Usage, ref: Ref, seen: dict[str, Ref]) -> tuple[Tokens | None, str, Ref | None]:
    if not usage.per_response:
        return None, "response records tell the usage of this session", None
    if usage.last is None:
        return None, "no usage in it", None
    if usage.last.is_estimate:
        return None, "an estimate", None
    if not usage.last.is_possible:
        return None, _IMPOSSIBLE, None
    if usage.response_id and usage.response_id in seen:
        return None, "this response is counted already", seen[usage.response_id]
    if usage.response_id:
        seen[usage.response_id] = ref
    return usage.last, "", None


def _running(usage: Usage, before: Total | None) -> tuple[Tokens | None, str, Ref | None]:
    if usage.total is None:
        return None, "no totals in it", None
    if usage.total.is_estimate:
        return None, "an estimate", None
    if not usage.total.is_possible:
        return None, _IMPOSSIBLE, None
    if before is not None and usage.total == before[0]:
        return None, "repeat", before[1]
    if usage.last is not None and usage.last.is_estimate:
        return None, "an estimate", None
    if before is None and usage.total == _NOTHING:
        return None, "no tokens yet", None
    if usage.last is not None and usage.last.is_possible:
        return usage.last, "", None
    if before is None or usage.total.total < before[0].total:
        return usage.total, "", None
    return usage.total - before[0], "", None
