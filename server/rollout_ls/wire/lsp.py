"""The shapes of the language server protocol that leave the process, and how findings, folds and jumps become them.

Everything that can be long goes out through these structs, written by msgspec; nothing here passes through cattrs, and
nothing knows pygls. Decides nothing: what is found and shown was settled by the layers below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from rollout_ls.rules.finding import Finding, Related
from rollout_ls.text.columns import Unit
from rollout_ls.text.rows import Place
from rollout_ls.wire.positions import Range, Rows, last_row, lines_range, place_range, within

if TYPE_CHECKING:
    from rollout_ls.features.folding import Fold

SOURCE = "rollout"
"""The ``source`` of every diagnostic, and the identifier under which they are pulled."""

SEVERITY_NUMBERS = {"error": 1, "warning": 2, "information": 3, "hint": 4}

FIRST_SYMBOL_NUMBERS = frozenset(range(1, 19))
"""The kinds that a client knows which does not say (LSP 3.17, DocumentSymbolClientCapabilities)."""


class Location(msgspec.Struct, frozen=True, gc=False):
    """A range of some document."""

    uri: str
    range: Range


class LocationLink(msgspec.Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """A jump that also says what it was asked on."""

    target_uri: str
    target_range: Range
    target_selection_range: Range
    origin_selection_range: Range | None = None


class MarkupContent(msgspec.Struct, frozen=True, gc=False):
    """``kind`` is ``markdown`` or ``plaintext``."""

    kind: str
    value: str


class HoverAnswer(msgspec.Struct, frozen=True, gc=False):
    """What a hover shows, and of what."""

    contents: MarkupContent
    range: Range


class DocumentHighlight(msgspec.Struct, frozen=True, gc=False):
    """``kind`` 1 is text."""

    range: Range
    kind: int = 1


class FoldingRange(msgspec.Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """Rows from 0, both included. ``collapsed_text`` only for clients that show it."""

    start_line: int
    end_line: int
    kind: str | None = None
    collapsed_text: str = ""


class CodeDescription(msgspec.Struct, frozen=True, gc=False):
    """Where the page of a code is."""

    href: str


class RelatedInformation(msgspec.Struct, frozen=True, gc=False):
    """Another place that belongs to a diagnostic."""

    location: Location
    message: str


class Diagnostic(msgspec.Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """``severity`` is 1 error, 2 warning, 3 information, 4 hint."""

    range: Range
    severity: int
    code: str
    message: str
    source: str | None = None
    code_description: CodeDescription | None = None
    related_information: tuple[RelatedInformation, ...] = ()


class PublishDiagnosticsParams(msgspec.Struct, frozen=True, omit_defaults=True):
    """All findings of one document, sent unasked."""

    uri: str
    diagnostics: Sequence[Diagnostic]
    version: int | None = None


class FullReport(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="full"):
    """All findings of one document, asked for."""

    result_id: str
    items: Sequence[Diagnostic]


class UnchangedReport(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="unchanged"):
    """The findings are those that went out under this id before."""

    result_id: str


class Telling(msgspec.Struct, frozen=True):
    """How diagnostics are written for one client: its unit, and what of the optional parts it takes.

    ``page_of`` gives the address of a code's page, or None where there is none.
    """

    unit: Unit
    related: bool = False
    page_of: Callable[[str], str | None] | None = None


# -- findings
def diagnostic(finding: Finding, uri: str, rows: Rows, telling: Telling) -> Diagnostic:
    """One finding of the document ``uri`` as the protocol has it."""
    href = telling.page_of(finding.code) if telling.page_of is not None else None
    related = finding.related if telling.related else ()
    return Diagnostic(
        range=place_range(rows, finding.place, telling.unit),
        severity=SEVERITY_NUMBERS[finding.severity],
        code=finding.code,
        message=finding.message,
        source=SOURCE,
        code_description=CodeDescription(href) if href else None,
        related_information=tuple(_related(one, uri, rows, telling.unit) for one in related),
    )


def diagnostics(findings: Iterable[Finding], uri: str, rows: Rows, telling: Telling) -> list[Diagnostic]:
    """Findings of one document, in their order."""
    return [diagnostic(finding, uri, rows, telling) for finding in findings]


def _related(related: Related, uri: str, rows: Rows, unit: Unit) -> RelatedInformation:
    return RelatedInformation(Location(uri, place_range(rows, related.place, unit)), related.message)


# -- folds
def folding_ranges(folds: Iterable[Fold], rows: Rows, limit: int | None = None) -> list[FoldingRange]:
    """Folds of two rows or more, in file order; where the client takes fewer, turns first, then the longest ones."""
    ranges = [FoldingRange(rows.row_of(fold.first), last_row(rows, fold.last), fold.kind, fold.text) for fold in folds]
    ranges = [one for one in ranges if one.end_line > one.start_line]
    if limit is not None and len(ranges) > limit:
        ranges = sorted(ranges, key=lambda one: (one.kind is None, one.start_line - one.end_line))[: max(0, limit)]
    return sorted(ranges, key=lambda one: (one.start_line, -one.end_line))


# -- places and jumps
def location(place: Place, uri: str, rows: Rows, unit: Unit) -> Location:
    """A place of the document ``uri``."""
    return Location(uri, place_range(rows, place, unit))


def record_link(origin: Place, target: Place, uri: str, rows: Rows, unit: Unit) -> LocationLink:
    """A jump within the document ``uri``: the whole record is the target, the place in it is selected."""
    selection = place_range(rows, target, unit)
    whole = lines_range(rows, target.line, target.line, unit)
    return LocationLink(uri, whole, within(selection, whole), place_range(rows, origin, unit))


# -- writing
_ENCODER = msgspec.json.Encoder()
_SURROGATE = re.compile("[\ud800-\udfff]")


def encode(value: Any) -> bytes:
    """JSON of a value. A half surrogate, which no message may hold, is written as U+FFFD."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return _ENCODER.encode(_mended(msgspec.to_builtins(value)))


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mended(key): _mended(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended(one) for one in value]
    return value
