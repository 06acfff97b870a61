"""``rollout-ls outline``: a session turn by turn, as the editors' outline shows it.

Writes what ``features.outline`` says, as text or as the protocol's DocumentSymbol; decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rollout_ls.cli.loading import load
from rollout_ls.cli.terminal import COMMAND, Segment, say, write_bytes, write_line
from rollout_ls.features.outline import outline
from rollout_ls.features.symbol import Symbol
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.display import label
from rollout_ls.text.secrets import mask
from rollout_ls.wire.outline import Drawing, document_symbols
from rollout_ls.workspace.files import FileProblem

DONE, TROUBLE = 0, 2
MAX_ROW_CHARACTERS = 400
ALL_KINDS = frozenset(range(1, 27))
"""Every symbol kind of the protocol: the reader of the JSON is a program, not an editor with a list of its own."""


def run(path: str, *, output_format: str) -> int:
    """Writes the outline of one file. The exit status."""
    document, problem = load(path)
    symbols = outline(document.session())
    if output_format == "json":
        drawing = Drawing(unit="utf-16", kinds=ALL_KINDS, tags=True)
        write_bytes(bytes(document_symbols(symbols, document.buffer, drawing)) + b"\n")
    else:
        for segments in _rows(symbols, document.buffer):
            write_line(segments)
        if not symbols and problem is None:
            say(str(FileProblem(path, f"no record to outline ({COMMAND} check says what is wrong)")))
    if problem is not None:
        say(str(problem))
        return TROUBLE
    return DONE


def _rows(symbols: Iterable[Symbol], buffer: Buffer) -> Iterator[list[Segment]]:
    """One row a symbol: the line it begins on, then its name below that of its parent."""
    wide = len(str(buffer.row_count))
    stack = [(symbol, 0) for symbol in reversed(tuple(symbols))]
    while stack:
        symbol, depth = stack.pop()
        line = buffer.row_of(symbol.selection.line) + 1
        yield [
            (f"{line:>{wide}}  ", "dim"),
            ("  " * depth + _shown(symbol.name), _style(symbol)),
            (f"  {_shown(symbol.detail)}" if symbol.detail else "", "dim"),
        ]
        stack += [(child, depth + 1) for child in reversed(symbol.children)]


def _style(symbol: Symbol) -> str:
    if symbol.deprecated or symbol.kind in ("Null", "Constant"):
        return "dim"
    return "bold" if symbol.kind in ("Module", "Namespace") else ""


def _shown(text: str) -> str:
    return label(mask(text), MAX_ROW_CHARACTERS)
