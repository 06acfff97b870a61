"""Records: shapes, unknown kinds, shapes of their day, odd values. Says what the format's walk found.

One finding a cause: faults of bytes on the same record silence those of its shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rollout_ls.rules.finding import Finding, Severity
from rollout_ls.rules.places import discriminator_place, far_column, record_place, value_place
from rollout_ls.text.rows import Line, Place

_CODES: dict[str, tuple[str, Severity]] = {
    "empty-id": ("shape", "warning"),
    "kept": ("shape", "warning"),
    "unusable": ("shape", "warning"),
    "harmless": ("shape", "information"),
    "host-path": ("shape", "information"),
    "unknown-kind": ("unknown-type", "information"),
    "unknown-part": ("unknown-type", "information"),
    "unknown-word": ("unknown-type", "information"),
    "legacy": ("legacy-format", "information"),
    "bad-arguments": ("args-not-json", "warning"),
    "raw-reasoning": ("replay-hazard", "information"),
    "foreign-seal": ("replay-hazard", "information"),
    "odd-usage": ("usage-odd", "information"),
    "two-spellings": ("duplicate-key", "error"),
    "int-too-big": ("int-too-big", "error"),
}
"""Code and severity of what the walk calls a fault; all others are ``shape``, an error."""

_GROUPED = {"unknown-type", "legacy-format", "replay-hazard"}
_CAUSES = {"bad-utf8", "nul", "lone-surrogate"}
"""Faults of bytes that are the cause of what they break."""


def record_findings(lines: Iterable[Line], head: Line | None) -> Iterator[Finding]:
    """Findings of records, in the order of lines; grouped ones once, at the first, with their count.

    ``head`` is the line of the first header: only there an unknown history mode makes the whole file unreadable.
    """
    groups: dict[tuple[str, str], tuple[Finding, int]] = {}
    for line in lines:
        broken = {fault.what for fault in line.reading.broken}
        for fault in line.reading.misshapen:
            code, severity = _CODES.get(fault.what, ("shape", "error"))
            if fault.what == "wrong-mode" and line is not head:
                code, severity = "unknown-type", "information"
            if code == "shape" and broken & _CAUSES:
                continue
            message = _sentence(fault.message)
            finding = Finding(code, severity, *_place_and_message(line, fault.start, fault.end, message))
            if code not in _GROUPED:
                yield finding
                continue
            key = (code, getattr(fault, "group", "") or fault.message)
            first, count = groups.get(key, (finding, 0))
            groups[key] = (first, count + 1)
    for finding, count in groups.values():
        if count == 1:
            yield finding
        else:
            message = f"{finding.message.rstrip('.')} ({count} records, first here)."
            yield Finding(finding.code, finding.severity, finding.place, message, finding.related)


def _sentence(message: str) -> str:
    """A message of the walk as a sentence; names at its head stay as they are."""
    first = message.partition(" ")[0]
    head = message[:1].upper() + message[1:] if first.isalpha() else message
    return head if head.endswith((".", "!", "?")) else f"{head}."


def _place_and_message(line: Line, start: int, end: int, message: str) -> tuple[Place, str]:
    column = far_column(line, start)
    if column is not None:
        return discriminator_place(line), f"{message.rstrip('.')} (at column {column:,})."
    if end - start >= len(line.data.rstrip()):
        return record_place(line), message
    return value_place(line, start, end), message
