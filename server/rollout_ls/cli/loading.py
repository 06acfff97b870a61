"""From a path of the command line to a document, and back to a name that can be shown.

Each command reads files through here, so that all of them say the same about one that cannot be read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from rollout_ls.projection.surroundings import Reached, Surroundings
from rollout_ls.wire.sarif import Artifact
from rollout_ls.workspace.document import Document
from rollout_ls.workspace.files import PIECE_BYTES, FileProblem, Pieces, reason_of
from rollout_ls.workspace.shelf import shelved_document

STANDARD_INPUT = "-"


def load(
    path: str,
    codes: frozenset[str] | None = None,
    *,
    shelve: bool = False,
    advance: Callable[[int], None] | None = None,
) -> tuple[Document, FileProblem | None]:
    """The document of a file, or of standard input for ``-``, and what kept it from being read to its end.

    ``codes`` are those that may be found (``None``: all that are not off by default). Raises ``FileProblem`` where the
    file cannot be read at all. ``shelve`` leaves the text of a plain file on the disk, for one look at its findings;
    ``advance`` is told the bytes of such a file as they are worked through.
    """
    problem = None
    reached: tuple[Reached, ...] = ()
    if path == STANDARD_INPUT:
        document = Document("stdin:", None, _standard_input(), on_disk=True)
    else:
        pieces, uri = Pieces(path), Path(os.path.abspath(path)).as_uri()
        reader = pieces.reader() if shelve else None
        if reader is not None:
            told = pieces if advance is None else _telling(pieces, advance)
            document = shelved_document(uri, told, reader, codes)
        else:
            document = Document(uri, None, pieces, on_disk=True)
        problem, reached = pieces.problem, (pieces.reached,) if pieces.reached is not None else ()
    document.surroundings = Surroundings(codes=codes, reached=reached)
    return document, problem


def _telling(pieces: Iterable[bytes], advance: Callable[[int], None]) -> Iterator[bytes]:
    """Pieces that are told of when they are done with."""
    for piece in pieces:
        yield piece
        advance(len(piece))


def shown_path(path: str) -> str:
    """A path as text that every output can hold: bytes of a name that are no UTF-8 become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def artifact(path: str) -> Artifact:
    """The address of a file in reports: relative where it stands below the folder that the command runs in."""
    if path == STANDARD_INPUT:
        return Artifact("stdin:", relative=False)
    whole, here = os.path.abspath(path), os.getcwd()
    try:
        below = os.path.commonpath([whole, here]) == here
    except ValueError:  # on another drive
        below = False
    if not below:
        return Artifact(Path(whole).as_uri(), relative=False)
    steps = os.path.relpath(whole, here).split(os.sep)
    return Artifact("/".join(quote(os.fsencode(step), safe="") for step in steps), relative=True)


def _standard_input() -> Iterator[bytes]:
    if sys.stdin is None:
        raise FileProblem(STANDARD_INPUT, "standard input is closed")
    while piece := _read_input():
        yield piece


def _read_input() -> bytes:
    try:
        return sys.stdin.buffer.read(PIECE_BYTES)
    except OSError as error:
        raise FileProblem(STANDARD_INPUT, reason_of(error)) from None
