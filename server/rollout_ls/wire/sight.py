"""The shapes of what is drawn into the text: inlay hints, code lenses, semantic tokens, selections, links.

Written by msgspec like those of ``wire.lsp``; nothing here passes through cattrs, and nothing knows pygls. What is
worked out later carries its ``data`` to the client and back: the document, the state of its text, and where in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from rollout_ls.features.legend import MARKS, SORTS
from rollout_ls.features.target import File, Thread, Web
from rollout_ls.text.columns import Unit, column_of
from rollout_ls.text.rows import Line, Place
from rollout_ls.wire.lsp import Location
from rollout_ls.wire.positions import Position, Range, Rows, lines_range, place_range, position

if TYPE_CHECKING:
    from rollout_ls.features.hints import Hint
    from rollout_ls.features.lenses import Lens
    from rollout_ls.features.links import Link
    from rollout_ls.features.selection import Stretch
    from rollout_ls.features.tokens import Token

GO_TO = "rollout.goTo"
"""The command, run by the client, that shows a row (from 0) of a document: ``[uri, row]``."""


# -- what comes back to be resolved
class Anchor(msgspec.Struct, frozen=True):
    """Names a record: the document, the state of its text (``version``), the row of the line, its byte offset there.

    ``sort`` tells more where there are several sorts of things at one record.
    """

    uri: str
    version: str
    row: int
    offset: int
    sort: str = ""


class LinkAnchor(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a link leads to: a path, or the id of a thread beside the document."""

    uri: str
    path: str = ""
    thread: str = ""


# -- inlay hints
class LabelPart(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of a hint; ``location`` is where it leads."""

    value: str
    tooltip: str = ""
    location: Location | None = None


class InlayHint(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A hint in front of a position."""

    position: Position
    label: tuple[LabelPart, ...]
    padding_right: bool = False
    data: Anchor | None = None


def inlay_hints(
    hints: Iterable[Hint], uri: str, version: str, rows: Rows, unit: Unit, *, locations: bool = False
) -> list[InlayHint]:
    """Hints as the protocol has them. ``locations``: for clients that never ask for them later."""
    return [inlay_hint(hint, uri, version, rows, unit, locations=locations) for hint in hints]


def inlay_hint(
    hint: Hint,
    uri: str,
    version: str,
    rows: Rows,
    unit: Unit,
    *,
    locations: bool = False,
    tooltips: Sequence[str] = (),
) -> InlayHint:
    """One hint; ``tooltips`` are those of its parts, in their order."""
    line, start = hint.ref.line, hint.ref.statement.start
    parts = []
    for number, part in enumerate(hint.parts):
        parts.append(
            LabelPart(
                value=part.text if not number else f" {part.text}",
                tooltip=tooltips[number] if number < len(tooltips) else "",
                location=_start_of(part.target.line, part.target.statement.start, uri, rows, unit)
                if locations and part.target is not None
                else None,
            )
        )
    where = Anchor(uri, version, rows.row_of(line), start)
    return InlayHint(position(rows, line, start, unit), tuple(parts), True, where)


def _start_of(line: Line, offset: int, uri: str, rows: Rows, unit: Unit) -> Location:
    at = position(rows, line, offset, unit)
    return Location(uri, Range(at, at))


# -- code lenses
class Command(msgspec.Struct, frozen=True):
    """What a lens says, and what it does: nothing, where ``command`` is empty."""

    title: str
    command: str = ""
    arguments: tuple[str | int, ...] = ()


class CodeLens(msgspec.Struct, frozen=True, omit_defaults=True):
    """A lens above a row."""

    range: Range
    command: Command | None = None
    data: Anchor | None = None


def code_lenses(lenses: Iterable[Lens], uri: str, version: str, rows: Rows, unit: Unit) -> list[CodeLens]:
    """Lenses without what they say."""
    found = []
    for lens in lenses:
        line, start = lens.ref.line, lens.ref.statement.start
        at = position(rows, line, start, unit)
        found.append(CodeLens(Range(at, at), None, Anchor(uri, version, rows.row_of(line), start, lens.sort)))
    return found


def go_to(title: str, target: Line | None, uri: str, rows: Rows, *, command: bool) -> Command:
    """A title that leads to a line, where the client can go there; else the title alone."""
    if target is None or not command:
        return Command(title)
    return Command(title, GO_TO, (uri, rows.row_of(target)))


# -- semantic tokens
class SemanticTokens(msgspec.Struct, frozen=True):
    """Five numbers a token: rows and columns since the token before, length, sort, marks (as bits)."""

    data: list[int]


_SORT_NUMBERS = {sort: number for number, sort in enumerate(SORTS)}
_MARK_BITS = {mark: 1 << number for number, mark in enumerate(MARKS)}


def semantic_tokens(tokens: Iterable[Token], rows: Rows, unit: Unit) -> SemanticTokens:
    """Tokens (in order, without overlaps) as numbers; one over several rows is one a row."""
    data: list[int] = []
    last_row, last_column = 0, 0
    line: Line | None = None
    first_row = 0
    for token in tokens:
        place = token.place
        if place.line is not line:
            line = place.line
            first_row = rows.row_of(line)
        sort, marks = _SORT_NUMBERS[token.sort], 0
        for mark in token.marks:
            marks |= _MARK_BITS[mark]
        for inner, start, end in _rows_of(place):
            begin, _ = line.row_span(inner)
            row = line.data[begin:end]
            column, stop = column_of(row, start - begin, unit), column_of(row, end - begin, unit)
            if stop <= column:
                continue
            down = first_row + inner - last_row
            data += (down, column if down else column - last_column, stop - column, sort, marks)
            last_row, last_column = first_row + inner, column
    return SemanticTokens(data)


def _rows_of(place: Place) -> Iterable[tuple[int, int, int]]:
    """(row within the line, start, end) of each piece of a place."""
    line = place.line
    if not line.cuts:
        yield 0, place.start, min(place.end, line.end)
        return
    for inner in range(line.row_count):
        begin, stop = line.row_span(inner)
        start, end = max(begin, place.start), min(stop, place.end)
        if start < end:
            yield inner, start, end


# -- selections
class SelectionRange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A range and the next larger one."""

    range: Range
    parent: SelectionRange | None = None


def selection_range(grown: Sequence[Place | Stretch], rows: Rows, unit: Unit) -> SelectionRange | None:
    """A chain of ranges, the smallest first; each holds the one before it."""
    chain: SelectionRange | None = None
    for one in reversed(grown):
        range_ = (
            place_range(rows, one, unit) if isinstance(one, Place) else lines_range(rows, one.first, one.last, unit)
        )
        if chain is None or (range_ != chain.range and _holds(chain.range, range_)):
            chain = SelectionRange(range_, chain)
    return chain


def _holds(outer: Range, inner: Range) -> bool:
    return _pair(outer.start) <= _pair(inner.start) and _pair(inner.end) <= _pair(outer.end)


def _pair(at: Position) -> tuple[int, int]:
    return at.line, at.character


# -- links
class DocumentLink(msgspec.Struct, frozen=True, omit_defaults=True):
    """A range that can be opened; ``target`` is a URI, looked up later where it is not on the web."""

    range: Range
    target: str | None = None
    data: LinkAnchor | None = None


def document_links(links: Iterable[Link], uri: str, rows: Rows, unit: Unit) -> list[DocumentLink]:
    """Links; those to files and threads without their targets."""
    return [
        DocumentLink(
            range=place_range(rows, link.place, unit),
            target=link.target.address if isinstance(link.target, Web) else None,
            data=_anchor_of(link.target, uri),
        )
        for link in links
    ]


def _anchor_of(target: Web | Thread | File, uri: str) -> LinkAnchor | None:
    if isinstance(target, Web):
        return None
    return LinkAnchor(uri, path=target.path) if isinstance(target, File) else LinkAnchor(uri, thread=target.thread_id)
