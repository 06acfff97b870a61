"""Runs the rules over a session and puts their findings in order.

The only place that knows all rule families. Pure: the same session and surroundings give the same findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from rollout_ls.jsonl.examine import idle_faults as idle_json_faults
from rollout_ls.jsonl.examine import without_cut_character
from rollout_ls.projection.session import Session
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.rules.fields import unknown_fields
from rollout_ls.rules.file import edited_finding, file_findings, has_more_entries, whole_file
from rollout_ls.rules.finding import SEVERITIES, Finding
from rollout_ls.rules.lines import huge_line, idle_finding, line_findings, tail_finding
from rollout_ls.rules.places import drawn, value_place
from rollout_ls.rules.records import record_findings
from rollout_ls.rules.registry import DEFAULT_CODES
from rollout_ls.rules.secret import secret_spans
from rollout_ls.rules.turns import turn_findings
from rollout_ls.text.rows import Line, Place
from rollout_ls.text.secrets import mask

_IDLE_JSON = frozenset({"duplicate-key", "too-deep", "int-too-big", "bad-utf8", "bad-json"})


class IdleParts(msgspec.Struct, frozen=True):
    """What the idle pass looks for on a line; most of its time goes into secrets."""

    json: bool = True
    secrets: bool = True


def idle_parts(codes: frozenset[str] | None) -> IdleParts:
    """What the idle pass must look for where these codes may be found (None: all that are not off by default)."""
    wanted = DEFAULT_CODES if codes is None else codes
    return IdleParts(not _IDLE_JSON.isdisjoint(wanted), "secret" in wanted)


def idle_faults(line: Line, parts: IdleParts) -> tuple[Any, ...]:
    """What the idle pass finds on one line, to be kept with its reading."""
    if not parts.json and not parts.secrets:
        return ()
    reading = line.reading
    data = line.data[: line.end]
    if not reading.broken and not reading.misshapen:  # as nearly all are
        return _idle_parts(data, parts) if not reading.blank else ()
    broken = {fault.what for fault in reading.broken}
    if "unread" in broken or not data.strip():
        return ()
    if "cut-off" in broken and not line.data.endswith(b"\n"):
        data = without_cut_character(data)
    told = {(fault.start, fault.end) for fault in reading.misshapen}
    return tuple(
        fault
        for fault in _idle_parts(data, parts)
        if isinstance(fault, tuple)
        or (fault.what not in broken and (fault.what != "int-too-big" or (fault.start, fault.end) not in told))
    )


def _idle_parts(data: bytes, parts: IdleParts) -> tuple[Any, ...]:
    faults: tuple[Any, ...] = idle_json_faults(data) if parts.json else ()
    return (*faults, *secret_spans(data)) if parts.secrets else faults


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
    packed = world.disk is not None and world.disk.packed
    if world.reached and not suspects.recognised:  # whatever else could be said, it is not known
        return tuple(_wanted(_limits(session, world), codes, world))
    only = whole_file(session, recognised=suspects.recognised, packed=packed)
    if only is not None:
        return tuple(_wanted([only], codes, world))
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
    found += _idle(session, suspects.remarked, _doubled_keys(found))
    if "unknown-field" in codes:
        found += unknown_fields(session.buffer)
    if world.disk is not None and world.disk.edited:
        found.append(edited_finding(session))
    found += _limits(session, world)
    return _in_order(session, list(_wanted(found, codes, world)), world.limits.findings, codes)


def _wanted(found: Iterable[Finding], codes: frozenset[str], world: Surroundings) -> Iterator[Finding]:
    """The findings that somebody wants to see, with the severities that were chosen."""
    shown = SEVERITIES[: SEVERITIES.index(world.mildest) + 1]
    for one in found:
        if one.code not in codes:
            continue
        level = world.levels.get(one.code)
        if level is not None and level != one.severity:
            one = msgspec.structs.replace(one, severity=level)
        if one.severity in shown:
            yield one


def _limits(session: Session, world: Surroundings) -> Iterator[Finding]:
    """One finding for each limit that was reached, but for that of findings."""
    place = _first_place(session)
    for one in world.reached:
        yield Finding("limit", "information", place, one.message)
    most = world.limits.entry_symbols
    if has_more_entries(session, most):
        message = f"The outline shows the first {most:,} entries only; turns are all there."
        yield Finding("limit", "information", place, message)


def _first_place(session: Session) -> Place:
    return value_place(next(iter(session.buffer)), 0, 1)


def _huge_lines(lines: Iterable[Line]) -> Iterable[Finding]:
    huge = [finding for line in lines if (finding := huge_line(line)) is not None]
    if len(huge) <= 1:
        return huge
    first = huge[0]
    message = f"{first.message.rstrip('.')}; {len(huge)} lines are as long."
    return [Finding(first.code, first.severity, first.place, message)]


def _doubled_keys(found: Iterable[Finding]) -> set[tuple[int, int]]:
    """(identity of the line, offset) of the doubled keys that the eager pass blamed for what they break."""
    return {(id(one.place.line), one.place.start) for one in found if one.code == "duplicate-key"}


def _idle(session: Session, lines: Iterable[Line], told: set[tuple[int, int]]) -> Iterator[Finding]:
    secrets: dict[bytes, tuple[Finding, int]] = {}
    for line in lines:
        for fault in line.reading.idle or ():
            if isinstance(fault, tuple):
                value = line.data[fault[0] : fault[1]]
                first, count = secrets.get(value, (None, 0))
                secrets[value] = (first or Finding("secret", "hint", value_place(line, *fault), _SECRET), count + 1)
            elif fault.what != "duplicate-key" or (id(line), fault.start) not in told:
                yield idle_finding(session, line, fault)
    for finding, count in secrets.values():
        message = f"{_SECRET} It stands here {count:,} times, first at this place." if count > 1 else _SECRET
        yield msgspec.structs.replace(finding, message=message)


_SECRET = "This looks like a key or a token. It is masked wherever this tool shows text."


def _in_order(session: Session, found: list[Finding], most: int, codes: frozenset[str]) -> tuple[Finding, ...]:
    order = session.buffer.order_of
    if len(found) > most:
        worst = sorted(found, key=lambda one: SEVERITIES.index(one.severity))
        left = len(found) - most
        message = f"{left:,} more findings are left out (at most {most:,} are shown, errors first)."
        found = worst[:most]
        if "limit" in codes:
            found.append(Finding("limit", "information", _first_place(session), message))
    drawn_at: dict[tuple[Line, int], Place] = {}
    found = [_shown(one, drawn_at) for one in found]
    return tuple(sorted(found, key=lambda one: (order(one.place.line), one.place.start, one.place.end, one.code)))


def _shown(finding: Finding, drawn_at: dict[tuple[Line, int], Place]) -> Finding:
    """A finding as it goes out: at a place that editors draw, and with nothing secret in its words."""
    finding = drawn(finding, drawn_at)
    if mask(finding.message) != finding.message:
        finding = msgspec.structs.replace(finding, message=mask(finding.message))
    if any(mask(one.message) != one.message for one in finding.related):
        related = tuple(msgspec.structs.replace(one, message=mask(one.message)) for one in finding.related)
        finding = msgspec.structs.replace(finding, related=related)
    return finding
