"""Which usage records count, and their sums. Follows "Usage" of the design: response records where there are any, else
each change of the running total; estimates and repeats never."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from rollout_ls.formats.statement import Statement, Tokens, Usage
from rollout_ls.projection.entry import CountedUsage, Ref

if TYPE_CHECKING:
    from rollout_ls.projection.session import Turn

_IMPOSSIBLE = "its counts contradict each other"

Source = Literal["responses", "running totals", "none"]


class LeftOut(msgspec.Struct, frozen=True):
    """A usage record that was not counted, and why. ``same_as`` is the record that it repeats."""

    ref: Ref
    why: str
    same_as: Ref | None = None


class Step(msgspec.Struct, frozen=True):
    """One counted answer of the model."""

    ref: Ref
    tokens: Tokens
    turn: Statement | None
    share: Literal["own", "inherited", "rolled back"]


class SessionUsage(msgspec.Struct, frozen=True):
    """Sums apart by whose work it was; rolled back work is part of neither of the others."""

    source: Source
    own: Tokens
    inherited: Tokens
    rolled_back: Tokens
    steps: tuple[Step, ...]
    left_out: tuple[LeftOut, ...]

    def of_turn(self, turn: Turn) -> Tokens:
        """Tokens of one turn."""
        total = Tokens()
        for step in self.steps:
            if step.turn is turn.start.start.statement:
                total += step.tokens
        return total


def add_up(usages: Sequence[CountedUsage], turns: Mapping[Statement, Turn]) -> SessionUsage:
    """Counts usage records (in file order)."""
    by_response = any(isinstance(one.ref.statement, Usage) and one.ref.statement.per_response for one in usages)
    steps: list[Step] = []
    left_out: list[LeftOut] = []
    seen: dict[str, Ref] = {}
    before: tuple[Tokens, Ref] | None = None
    for one in usages:
        usage = one.ref.statement
        if not isinstance(usage, Usage):
            continue
        if by_response:
            tokens, reason, same = _response(usage, one.ref, seen)
        else:
            tokens, reason, same = _running(usage, before)
            if usage.total is not None and usage.total.is_possible and not usage.total.is_estimate:
                before = (usage.total, one.ref) if before is None or usage.total != before[0] else before
        if tokens is None:
            if reason:
                left_out.append(LeftOut(one.ref, reason, same))
            continue
        steps.append(_step(one, tokens, turns))
    sums = {share: Tokens() for share in ("own", "inherited", "rolled back")}
    for step in steps:
        sums[step.share] += step.tokens
    source: Source = "responses" if by_response else "running totals" if steps else "none"
    return SessionUsage(
        source, sums["own"], sums["inherited"], sums["rolled back"], tuple(steps), tuple(left_out)
    )


def _step(one: CountedUsage, tokens: Tokens, turns: Mapping[Statement, Turn]) -> Step:
    key = one.turn.start.statement if one.turn is not None else None
    turn = turns.get(key) if key is not None else None
    if one.inherited:
        return Step(one.ref, tokens, key, "inherited")
    if turn is not None and turn.rolled_back_by is not None:
        return Step(one.ref, tokens, key, "rolled back")
    return Step(one.ref, tokens, key, "own")


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


def _running(usage: Usage, before: tuple[Tokens, Ref] | None) -> tuple[Tokens | None, str, Ref | None]:
    if usage.total is None:
        return None, "no totals in it", None
    if usage.total.is_estimate:
        return None, "an estimate", None
    if not usage.total.is_possible:
        return None, _IMPOSSIBLE, None
    if before is not None and usage.total == before[0]:
        return None, "repeat", before[1]
    if usage.last is not None and usage.last.is_possible and not usage.last.is_estimate:
        return usage.last, "", None
    if before is None or usage.total.total < before[0].total:
        return usage.total, "", None
    return usage.total - before[0], "", None
