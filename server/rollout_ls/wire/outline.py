"""The outline as the protocol has it: a tree of DocumentSymbol, or a flat list for clients that take no tree.

A tree can hold ten thousand nodes and is asked for after each edit. So its JSON is written straight from the symbols,
and what was written of a branch is kept with a gap for each row: as long as the branch is drawn from the same, only
rows are put in. Decides nothing: what is found and shown was settled by the layers below.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from rollout_ls.features.outline import Branch
from rollout_ls.features.symbol import Symbol, SymbolKind
from rollout_ls.text.columns import Unit, column_of
from rollout_ls.text.rows import Line
from rollout_ls.wire.lsp import FIRST_SYMBOL_NUMBERS, Location, encode
from rollout_ls.wire.positions import Rows, lines_range, place_range, within

SYMBOL_NUMBERS: dict[SymbolKind, int] = {
    "Module": 2,
    "Namespace": 3,
    "Function": 12,
    "Constant": 14,
    "String": 15,
    "Object": 19,
    "Null": 21,
    "Event": 24,
}
DEPRECATED = 1
"""The one symbol tag of the protocol."""


class SymbolInformation(msgspec.Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """A node of the outline for clients that take a flat list only; ``deprecated`` is for those that know no tags."""

    name: str
    kind: int
    location: Location
    container_name: str = ""
    tags: tuple[int, ...] = ()
    deprecated: bool = False


class Drawing(msgspec.Struct, frozen=True):
    """How symbols are written for one client. ``kinds`` are the numbers it knows."""

    unit: Unit
    kinds: frozenset[int] = FIRST_SYMBOL_NUMBERS
    tags: bool = False


class _Written(msgspec.Struct, gc=False):
    """What was written of a branch: JSON with a ``%d`` for each row, and the lines that they are of."""

    basis: tuple[object, ...]
    text: bytes
    lines: tuple[Line, ...]
    lasts: bool
    """Whether it may be used again: not where a line of several rows is among them."""


class OutlineWriter:
    """Writes the outline of one document for one client, again and again."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._numbers = {kind: symbol_number(kind, drawing) for kind in SYMBOL_NUMBERS}
        self._written: dict[object, _Written] = {}

    def write(self, branches: Iterable[Branch], rows: Rows) -> msgspec.Raw:
        """The present outline as JSON, an array of DocumentSymbol."""
        written: dict[object, _Written] = {}
        pieces = []
        for branch in branches:
            kept = self._written.get(branch.root)
            if kept is None or kept.basis != branch.basis:
                kept = self._work_out(branch, rows)
            if branch.root is not None and kept.lasts:
                written[branch.root] = kept
            if kept.text:
                pieces.append(_in_place(kept, rows))
        self._written = written
        return msgspec.Raw(b"[%b]" % b",".join(pieces))

    def _work_out(self, branch: Branch, rows: Rows) -> _Written:
        pen = _Pen(self._drawing, self._numbers, rows)
        for symbol in branch.symbols():
            pen.separate()
            pen.put(symbol)
        return _Written(branch.basis, b"".join(pen.parts), tuple(pen.lines), not pen.is_odd)


def document_symbols(symbols: Iterable[Symbol], rows: Rows, drawing: Drawing) -> msgspec.Raw:
    """The outline as a tree, written once."""
    return OutlineWriter(drawing).write((Branch(lambda: tuple(symbols)),), rows)


def _in_place(kept: _Written, rows: Rows) -> bytes:
    """What was written, with the rows at which its lines stand now."""
    row_of = rows.row_of
    numbers: list[int] = []
    lines = iter(kept.lines)
    for first, last in zip(lines, lines, strict=True):
        row = row_of(first)
        numbers += (row, row if last is first else row_of(last), row, row)
    return kept.text % tuple(numbers)


_NODE = (
    b'{"name":%b,"kind":%d,'
    b'"range":{"start":{"line":%%d,"character":0},"end":{"line":%%d,"character":%d}},'
    b'"selectionRange":{"start":{"line":%%d,"character":%d},"end":{"line":%%d,"character":%d}}%b'
)
"""A node up to its children, with the names and the order of LSP 3.17, DocumentSymbol."""
_NODE_IN_PLACE = b'{"name":%b,"kind":%d,"range":%b,"selectionRange":%b%b'


class _Pen:
    """A branch in work."""

    def __init__(self, drawing: Drawing, numbers: dict[SymbolKind, int], rows: Rows) -> None:
        self.drawing = drawing
        self.numbers = numbers
        self.rows = rows
        self.parts: list[bytes] = []
        self.lines: list[Line] = []
        """The first and the last line of each node, as they follow."""
        self.is_odd = False
        """Whether the rows of some node are written at once, without a gap."""

    def separate(self) -> None:
        """Between neighbours stands a comma."""
        if self.parts:
            self.parts.append(b",")

    def put(self, symbol: Symbol) -> None:
        """Writes a node and all below it."""
        first, last = symbol.first, symbol.last
        if first.cuts or last.cuts or symbol.selection.line is not first:
            self.parts.append(self._in_place(symbol))
        else:
            self.parts.append(self._with_gaps(symbol))
        if symbol.children:
            self.parts.append(b',"children":[')
            for number, child in enumerate(symbol.children):
                if number:
                    self.parts.append(b",")
                self.put(child)
            self.parts.append(b"]")
        self.parts.append(b"}")

    def _with_gaps(self, symbol: Symbol) -> bytes:
        unit, first, last, selection = self.drawing.unit, symbol.first, symbol.last, symbol.selection
        begin, end = selection.start, last.end
        if unit == "utf-8":
            start, stop = begin, selection.end
        else:
            start = column_of(first.data, begin, unit) if begin else 0
            stop = start + column_of(first.data[begin : selection.end], selection.end - begin, unit)
            end = column_of(last.data, end, unit)
        self.lines.append(first)
        self.lines.append(last)
        return _NODE % (_text(symbol.name), self.numbers[symbol.kind], end, start, stop, self._rest(symbol))

    def _in_place(self, symbol: Symbol) -> bytes:
        """A node of a line of several rows, or selected elsewhere than on its first line."""
        self.is_odd = True
        whole = lines_range(self.rows, symbol.first, symbol.last, self.drawing.unit)
        selection = within(place_range(self.rows, symbol.selection, self.drawing.unit), whole)
        number, rest = self.numbers[symbol.kind], self._rest(symbol)
        return _NODE_IN_PLACE % (_text(symbol.name), number, encode(whole), encode(selection), rest)

    def _rest(self, symbol: Symbol) -> bytes:
        detail = b',"detail":%b' % _text(symbol.detail) if symbol.detail else b""
        if not symbol.deprecated:
            return detail
        return detail + (b',"tags":[%d]' % DEPRECATED if self.drawing.tags else b',"deprecated":true')


def _text(text: str) -> bytes:
    """A text as JSON, within a template."""
    written = encode(text)
    return written.replace(b"%", b"%%") if b"%" in written else written


def symbol_information(symbols: Iterable[Symbol], uri: str, rows: Rows, drawing: Drawing) -> list[SymbolInformation]:
    """The outline as a flat list, parents before their children."""
    flat: list[SymbolInformation] = []
    _flatten(symbols, "", uri, rows, drawing, flat)
    return flat


def _flatten(
    symbols: Iterable[Symbol], parent: str, uri: str, rows: Rows, drawing: Drawing, flat: list[SymbolInformation]
) -> None:
    for symbol in symbols:
        flat.append(
            SymbolInformation(
                name=symbol.name,
                kind=symbol_number(symbol.kind, drawing),
                location=Location(uri, lines_range(rows, symbol.first, symbol.last, drawing.unit)),
                container_name=parent,
                tags=(DEPRECATED,) if symbol.deprecated and drawing.tags else (),
                deprecated=symbol.deprecated and not drawing.tags,
            )
        )
        _flatten(symbol.children, symbol.name, uri, rows, drawing, flat)


def symbol_number(kind: SymbolKind, drawing: Drawing) -> int:
    """The number of a kind of symbol; that of ``String`` where the client does not know it."""
    number = SYMBOL_NUMBERS[kind]
    return number if number in drawing.kinds else SYMBOL_NUMBERS["String"]
