"""Runs the rules over a session and puts their findings in order.

The only place that knows all rule families. Pure: the same session and surroundings give the same findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rollout_ls.jsonl.examine import idle_faults as idle_json_faults
from rollout_ls.projection.session import Session
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.rules.fields import unknown_fields
from rollout_ls.rules.file import file_findings, whole_file
from rollout_ls.rules.finding import SEVERITIES, Finding
from rollout_ls.rules.lines import huge_line, idle_finding, line_findings, tail_finding
from rollout_ls.rules.places import value_place
from rollout_ls.rules.records import record_findings
from rollout_ls.rules.registry import DEFAULT_CODES
from rollout_ls.rules.secret import secret_spans
from rollout_ls.rules.turns import turn_findings
from rollout_ls.text.rows import Line

MAX_FINDINGS = 1_000
"""Findings that are handed out at most, errors first; the rest is counted in a ``limit`` finding."""


def idle_faults(line: Line, *, secrets: bool = True) -> tuple[Any, ...]:
    """What the idle pass finds on one line, to be kept with its reading. Most of its time goes into secrets."""
    data = line.data[: line.end]
    if not data.strip():
        return ()
    broken = {fault.what for fault in line.reading.broken}
    told = {(fault.start, fault.end) for fault in line.reading.misshapen}
    faults = tuple(
        fault
        for fault in idle_json_faults(data)
        if fault.what not in broken and (fault.what != "int-too-big" or (fault.start, fault.end) not in told)
    )
    return (*faults, *secret_spans(data)) if secrets else faults


class Suspects(msgspec.Struct, frozen=True):
    """The lines that rules need look at: ``faulty`` have something wrong in their own right, ``huge`` are very long,
    ``remarked`` have faults of the idle pass. ``recognised`` tells whether any record is of a known kind,
    ``compaction_bytes`` how much compaction records hold."""

    faulty: Sequence[Line]
    huge: Sequence[Line]
    remarked: Sequence[Line]
    recognised: bool
    compaction_bytes: int


def findings(session: Session, suspects: Suspects, world: Surroundings) -> tuple[Finding, ...]:
    """All findings of the codes that are wanted, by (line, offset)."""
    codes = DEFAULT_CODES if world.codes is None else world.codes
    only = whole_file(session, recognised=suspects.recognised)
    if only is not None:
        return (only,) if only.code in codes else ()
    found: list[Finding] = []
    faulty, head = suspects.faulty, session.header_ref
    for line in faulty:
        found += line_findings(session, line)
    found += record_findings(faulty, head.line if head is not None else None)
    found += file_findings(session, suspects.compaction_bytes)
    found += turn_findings(session)
    tail = tail_finding(session)
    if tail is not None:
        found.append(tail)
    found += _huge_lines(suspects.huge)
    found += _idle(session, suspects.remarked)
    if "unknown-field" in codes:
        found += unknown_fields(session.buffer)
    return _in_order(session, [one for one in found if one.code in codes], codes)


def _huge_lines(lines: Iterable[Line]) -> Iterable[Finding]:
    huge = [finding for line in lines if (finding := huge_line(line)) is not None]
    if len(huge) <= 1:
        return huge
    first = huge[0]
    message = f"{first.message.rstrip('.')}; {len(huge)} lines are as long."
    return [Finding(first.code, first.severity, first.place, message)]


def _idle(session: Session, lines: Iterable[Line]) -> Iterable[Finding]:
    for line in lines:
        for fault in line.reading.idle or ():
            if isinstance(fault, tuple):
                message = "This looks like a key or a token. It is masked wherever this tool shows text."
                yield Finding("secret", "hint", value_place(line, *fault), message)
            else:
                yield idle_finding(session, line, fault)


def _in_order(session: Session, found: list[Finding], codes: frozenset[str]) -> tuple[Finding, ...]:
    order = session.buffer.order_of
    if len(found) > MAX_FINDINGS:
        worst = sorted(found, key=lambda one: SEVERITIES.index(one.severity))
        left = len(found) - MAX_FINDINGS
        first = next(iter(session.buffer))
        message = f"{left:,} more findings are left out (at most {MAX_FINDINGS:,} are shown, errors first)."
        found = worst[:MAX_FINDINGS]
        if "limit" in codes:
            found.append(Finding("limit", "information", value_place(first, 0, 1), message))
    return tuple(sorted(found, key=lambda one: (order(one.place.line), one.place.start, one.place.end, one.code)))
