"""Findings as the command line writes them: plain values with lines and columns from 1, for people and programs.

Columns are UTF-16 units, as editors count; ``byte`` is the offset in the (unpacked) file. The keys are a contract:
more may follow, these do not change. Never decides which findings there are, never prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import msgspec

from rollout_ls.rules.finding import Finding, Related, Severity
from rollout_ls.text.display import label
from rollout_ls.text.rows import Line, Place
from rollout_ls.text.secrets import mask
from rollout_ls.wire import positions
from rollout_ls.wire.positions import NOWHERE, Position, Range, place_range

MAX_MESSAGE_CHARACTERS = 2000


class Rows(positions.Rows, Protocol):
    """What is asked of a document's lines: as for the protocol, and where in the file a line begins."""

    def byte_of(self, line: Line, /) -> int:
        """The byte offset in the document at which a line begins."""
        ...


_MARK = b"\xef\xbb\xbf"
"""A byte order mark. Editors strip it, so it is no column of the first row."""


class RelatedRow(msgspec.Struct, frozen=True):
    """Another place that belongs to a finding."""

    path: str
    line: int
    column: int
    message: str


class FindingRow(msgspec.Struct, frozen=True):
    """One finding of a file, as it is written out."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    byte: int
    severity: Severity
    code: str
    message: str
    related: tuple[RelatedRow, ...]


def finding_rows(path: str, rows: Rows, findings: Iterable[Finding]) -> list[FindingRow]:
    """The findings of one file, sorted by line and column."""
    made = [_finding_row(path, rows, finding) for finding in findings]
    made.sort(key=lambda row: (row.line, row.column, row.end_line, row.end_column, row.code))
    return made


def json_line(row: Any) -> bytes:
    """One finding, or what may follow the last one, as one line of JSON."""
    return _ENCODER.encode(row) + b"\n"


def json_array(rows: Iterable[Any]) -> Iterator[bytes]:
    """Findings (and what may follow them) as one JSON array, an element a line."""
    before = b"[\n"
    for row in rows:
        yield before + _ENCODER.encode(row)
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def concise_line(row: FindingRow) -> str:
    """One finding on one line, in the form that editors and ``grep`` tools jump by."""
    return f"{row.path}:{row.line}:{row.column}: {row.severity}[{row.code}] {row.message}"


_ENCODER = msgspec.json.Encoder()


def _finding_row(path: str, rows: Rows, finding: Finding) -> FindingRow:
    range_ = _range(rows, finding.place)
    return FindingRow(
        path=path,
        line=range_.start.line + 1,
        column=range_.start.character + 1,
        end_line=range_.end.line + 1,
        end_column=range_.end.character + 1,
        byte=finding.place.start + (rows.byte_of(finding.place.line) if _stands(finding.place) else 0),
        severity=finding.severity,
        code=finding.code,
        message=_printable(finding.message),
        related=tuple(_related_row(path, rows, related) for related in finding.related),
    )


def _related_row(path: str, rows: Rows, related: Related) -> RelatedRow:
    start = _range(rows, related.place).start
    return RelatedRow(
        path=path, line=start.line + 1, column=start.character + 1, message=_printable(related.message)
    )


def _range(rows: Rows, place: Place) -> Range:
    if not _stands(place):
        return NOWHERE
    found = place_range(rows, place, "utf-16")
    if found.start.line == 0 and place.line.data.startswith(_MARK):
        return Range(_before_mark(found.start, 0), _before_mark(found.end, 1) if found.end.line == 0 else found.end)
    return found


def _before_mark(position: Position, least: int) -> Position:
    """A position of a first row without its mark; the mark itself is its first column."""
    return Position(position.line, max(least, position.character - 1))


def _stands(place: Place) -> bool:
    """Whether the place is in a document; that of an empty file is in a line of its own."""
    return place.line.block is not None


def _printable(message: str) -> str:
    return label(mask(message), MAX_MESSAGE_CHARACTERS)
