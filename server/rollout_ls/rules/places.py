"""How much of a line a finding marks: the smallest place to blame, never wider than an editor can show.

The limits are those of the contract ("Places"): a record as a whole is the first 80 UTF-16 units of its line, a place
is cut at 200 units, and what begins beyond column 10,000 is shown at the discriminator instead.
"""

from __future__ import annotations

import msgspec

from rollout_ls.formats.records import Name, span_of
from rollout_ls.formats.statement import Statement
from rollout_ls.jsonl.spans import Span
from rollout_ls.rules.finding import Finding
from rollout_ls.text.columns import column_of, offset_of
from rollout_ls.text.rows import Line, Place

RECORD_UNITS = 80
PLACE_UNITS = 200
DRAWN_UNITS = 10_000
_MARK = b"\xef\xbb\xbf"


def record_place(line: Line, start: int = 0) -> Place:
    """The record as a whole: the first units of its row."""
    begin, end = _row_of(line, start)
    # A byte order mark takes no column: no editor shows it.
    shown = begin + len(_MARK) if begin == 0 and line.data.startswith(_MARK) else begin
    head = line.data[shown : min(end, shown + 4 * RECORD_UNITS)]  # no more: a row may be long
    return Place(line, begin, shown + offset_of(head, RECORD_UNITS, "utf-16"))


def value_place(line: Line, start: int, end: int) -> Place:
    """A stretch of a line, cut to what may be marked and to its row."""
    _, row_end = _row_of(line, start)
    piece = line.data[start : min(end, row_end)]
    if len(piece) > PLACE_UNITS:
        piece = piece[: offset_of(piece, PLACE_UNITS, "utf-16")]
    return Place(line, start, start + len(piece))


def far_column(line: Line, start: int) -> int | None:
    """The column (UTF-16 units from 1) of a place that editors no longer draw, else None."""
    begin, _ = _row_of(line, start)
    if start - begin < DRAWN_UNITS:
        return None
    column = column_of(line.data[begin:start], start - begin, "utf-16")
    return column + 1 if column >= DRAWN_UNITS else None


def drawn(finding: Finding, known: dict[tuple[Line, int], Place]) -> Finding:
    """A finding where an editor draws it: one that begins too far right stands at its record's discriminator instead,
    and tells the true column. ``known`` are the discriminators found so far, by line and start of the record: a broken
    line is long to look through, and may have a thousand findings."""
    place = finding.place
    if place.start < DRAWN_UNITS:
        return finding
    column = far_column(place.line, place.start)
    if column is None:
        return finding
    statements: tuple[Statement, ...] = place.line.reading.statements
    holder = next((one for one in statements if one.end < 0 or one.start <= place.start < one.end), None)
    key = (place.line, -1 if holder is None else holder.start)
    if key not in known:
        known[key] = discriminator_place(place.line, holder)
    message = f"{finding.message.rstrip('.')} (at column {column:,})."
    return msgspec.structs.replace(finding, place=known[key], message=message)


def discriminator_place(line: Line, statement: Statement | None = None) -> Place:
    """The value that tells the kind of a record; the record where there is none."""
    return named_place(line, statement, "discriminator")


def named_place(line: Line, statement: Statement | None, name: Name, *, part: str = "value") -> Place:
    """A named value of a record (or its key, or both: the member); the record itself where it is not there."""
    span = span_of(line.data, statement, name)
    if span is None:
        return record_place(line, statement.start if statement is not None else 0)
    return value_place(line, *bounds(span, part))


def bounds(span: Span, part: str) -> tuple[int, int]:
    """(start, end) of a span's value, key or member."""
    if part == "value" or span.key_start < 0:
        return span.start, span.end
    return (span.key_start, span.key_end) if part == "key" else (span.key_start, span.end)


def _row_of(line: Line, offset: int) -> tuple[int, int]:
    row, _ = line.row_of(offset)
    return line.row_span(row)
