"""Records: shapes, unknown kinds, shapes of their day, odd values. Says what the format's walk found.

One finding a cause: faults of bytes on the same record silence those of its shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rollout_ls.jsonl.examine import idle_faults
from rollout_ls.jsonl.faults import Fault
from rollout_ls.rules.finding import Finding, Severity
from rollout_ls.rules.places import record_place, value_place
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
        doubled = _doubled(line)
        blamed: set[int] = set()
        for fault in line.reading.misshapen:
            cause = _cause(doubled, fault) if _is_error(fault) else None
            if cause is not None:
                if cause.start not in blamed:
                    blamed.add(cause.start)
                    yield lost_by_doubled_key(line, cause)
                continue
            code, severity = _CODES.get(fault.what, ("shape", "error"))
            if fault.what == "wrong-mode" and line is not head:
                code, severity = "unknown-type", "information"
            if code == "shape" and broken & _CAUSES:
                continue
            finding = Finding(code, severity, _place(line, fault.start, fault.end), _sentence(fault.message))
            if code not in _GROUPED:
                yield finding
                continue
            key = (code, fault.what if code == "replay-hazard" else getattr(fault, "group", "") or fault.message)
            first, count = groups.get(key, (finding, 0))
            groups[key] = (first, count + 1)
    for finding, count in groups.values():
        if count == 1:
            yield finding
        else:
            message = f"{finding.message.rstrip('.')} ({count} records, first here)."
            yield Finding(finding.code, finding.severity, finding.place, message, finding.related)


def lost_by_doubled_key(line: Line, fault: Fault) -> Finding:
    """A key stands twice, and its last value is what the reader cannot take."""
    name = fault.path.rpartition(".")[2]
    message = (
        f"The key `{name}` stands twice in one object: the last value counts, and with it Codex cannot read the record."
    )
    return Finding("duplicate-key", "error", value_place(line, fault.start, fault.end), message)


def _sentence(message: str) -> str:
    """A message of the walk as a sentence; names at its head stay as they are."""
    first = message.partition(" ")[0]
    head = message[:1].upper() + message[1:] if first.isalpha() else message
    return head if head.endswith((".", "!", "?")) else f"{head}."


def _place(line: Line, start: int, end: int) -> Place:
    return record_place(line) if end - start >= len(line.data.rstrip()) else value_place(line, start, end)


# -- keys that stand twice
def _doubled(line: Line) -> list[Fault]:
    """The doubled keys of a line whose records have faults of shape; none where bytes are to blame for them."""
    if not any(_is_error(fault) for fault in line.reading.misshapen):
        return []
    return [fault for fault in idle_faults(line.data[: line.end]) if fault.what == "duplicate-key"]


def _is_error(fault: Any) -> bool:
    return _CODES.get(fault.what, ("shape", "error")) == ("shape", "error")


def _cause(doubled: list[Fault], fault: Any) -> Fault | None:
    """The doubled key whose last value is to blame for a fault of shape: an earlier one may have been right."""
    place = _dotted(fault.path)
    for key in doubled:
        holder, _, name = key.path.rpartition(".")
        blamed = holder if name in _TELLING else key.path
        if key.path and (place == key.path or place.startswith((f"{blamed}.", f"{blamed}["))):
            return key
    return None


_TELLING = frozenset({"type"})
"""Keys that decide what else an object must have."""


def _dotted(path: tuple[str | int, ...]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
