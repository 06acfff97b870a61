"""workspace/textDocumentContent, rollout/readable, rollout/readableUri: documents to read, and the way back from them.

A rollout that is open is taken from its editor, every other one from the disk (``workspace.disk`` says which may be).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from rollout_ls.lsp.errors import INVALID_PARAMS, REQUEST_FAILED, RequestError
from rollout_ls.lsp.params import AskAddress, AskPage, AskRow, AtPosition
from rollout_ls.lsp.virtual import Virtual, address, disk_path, read_address
from rollout_ls.wire.lsp import LocationLink, encode
from rollout_ls.wire.positions import Position, Range, lines_range, place_range
from rollout_ls.wire.reading import PageAddress, PageText, text_json

if TYPE_CHECKING:
    from rollout_ls.features.readable import Readable
    from rollout_ls.lsp.documents import Opened
    from rollout_ls.lsp.pages import Given
    from rollout_ls.lsp.server import RolloutServer
    from rollout_ls.projection.surroundings import Surroundings
    from rollout_ls.workspace.disk import DiskDocument
    from rollout_ls.workspace.document import Document

LANGUAGES = {"session": "markdown", "turn": "markdown", "record": "json", "text": "jsonl"}
_WARNING = 2
MAX_TEXT_BYTES = 60 << 20
"""JSON of one text: what is longer than all that may wait for a client would never reach it."""

T = TypeVar("T")


def content(ls: RolloutServer, params: AskPage) -> PageText | Awaitable[PageText]:
    """The text of a readable document."""
    wanted = read_address(params.uri)
    if wanted is None:
        raise RequestError(INVALID_PARAMS, "no address of a readable document")
    if wanted.what == "text":
        return _text(ls, wanted)
    opened = ls.documents.find(wanted.source)
    if opened is None:
        world = ls.surroundings()
        return ls.disk.work(wanted.path, world, partial(_from_disk, ls, params.uri, wanted, world))
    page = _page(opened.document, wanted, ls.surroundings())
    ls.pages.put(params.uri, opened.uri, opened.state, opened.document.buffer, page)
    return PageText(page.text, LANGUAGES[wanted.what])


def readable_uri(ls: RolloutServer, params: AskAddress) -> PageAddress | None:
    """The address of the document that tells of the session, turn or record at a position; None where there is none."""
    from rollout_ls.features.readable import turn_keys
    from rollout_ls.wire.positions import locate

    path = disk_path(params.text_document.uri)
    if path is None:
        return None
    if params.what == "session":
        return PageAddress(address("session", path))
    opened = ls.documents.find(params.text_document.uri)
    if opened is None or params.position is None:
        return None
    document = opened.document
    place = locate(document.buffer, params.position.line, params.position.character, ls.client.unit)
    if place is None:
        return None
    if params.what == "record":
        return PageAddress(address("record", path, str(document.buffer.row_of(place[0]) + 1)))
    session = document.session()
    turn = session.turn_at(place[0])
    if turn is None:
        return None
    key = next(key for key, one in zip(turn_keys(session), session.turns, strict=True) if one is turn)
    return PageAddress(address("turn", path, key))


def readable_row(ls: RolloutServer, params: AskRow) -> int | None:
    """The row of a document that the client has which tells of a row of the rollout."""
    from rollout_ls.features.readable import teller_of

    given = ls.pages.find(params.uri)
    if given is None:
        return None
    opened = ls.documents.find(given.source)
    found = opened.document.buffer.at_row(params.line) if opened is not None else None
    if opened is None or found is None or params.line in given.lines:
        return given.row_of(params.line)
    document = opened.document
    line = document.buffer.row_of(teller_of(document.session(), found[0]))
    return given.row_of(line if line in given.lines else params.line)


def back(ls: RolloutServer, params: AtPosition) -> list[LocationLink] | Awaitable[list[LocationLink]]:
    """The record that a row of a readable document tells of."""
    uri, row = params.text_document.uri, params.position.line
    given = ls.pages.find(uri)
    if given is not None:
        return _links(ls, given, row)
    wanted = read_address(uri)
    if wanted is None or wanted.what == "text":
        return []
    return _back_from_disk(ls, uri, wanted, row)


async def _back_from_disk(ls: RolloutServer, uri: str, wanted: Virtual, row: int) -> list[LocationLink]:
    """After a restart nothing is known of what the client has: it is made once more."""
    world = ls.surroundings()
    await ls.disk.work(wanted.path, world, partial(_from_disk, ls, uri, wanted, world))
    given = ls.pages.find(uri)
    return _links(ls, given, row) if given is not None else []


def of_source(
    ls: RolloutServer, uri: str, work: Callable[[Document, str], T], *, finish: bool = False
) -> T | Awaitable[T]:
    """What some work on the rollout of a URI gives, also of a readable document's. It gets the document and its URI."""
    wanted = read_address(uri)
    source = wanted.source if wanted is not None else uri
    opened = ls.documents.find(source)
    if opened is not None:
        return work(opened.document, opened.uri)
    path = disk_path(uri)
    if path is None:
        raise RequestError(REQUEST_FAILED, "the document is not open, and no file of this disk")
    return ls.disk.work(path, ls.surroundings(), lambda found: work(found.document, source))


# -- making
def _page(document: Document, wanted: Virtual, world: Surroundings) -> Readable:
    from rollout_ls.features.readable import session_page, turn_of_key, turn_page
    from rollout_ls.features.record_page import record_page

    session = document.session()
    if wanted.what == "session":
        return session_page(session, world)
    if wanted.what == "turn":
        turn = turn_of_key(session, wanted.key)
        if turn is None:
            raise RequestError(REQUEST_FAILED, "there is no such turn")
        return turn_page(session, turn, world)
    number = int(wanted.key) if wanted.key.isascii() and wanted.key.isdigit() and len(wanted.key) < 12 else 0
    found = document.buffer.at_row(number - 1) if number else None
    if found is None:
        raise RequestError(REQUEST_FAILED, "there is no such line")
    return record_page(found[0])


def _from_disk(ls: RolloutServer, uri: str, wanted: Virtual, world: Surroundings, found: DiskDocument) -> PageText:
    page = _page(found.document, wanted, world)
    ls.pages.put(uri, wanted.source, "", found.document.buffer, page)
    return PageText(msgspec.Raw(encode(page.text)), LANGUAGES[wanted.what])


async def _text(ls: RolloutServer, wanted: Virtual) -> PageText:
    """A packed rollout as its text. What keeps it from being read to its end is said, and what there is is given."""
    from rollout_ls.text.display import bytes_text
    from rollout_ls.workspace.disk import unpacked_text

    limits = ls.configuration.settings.limits

    def read() -> tuple[bytes, str]:
        pieces, source = unpacked_text(wanted.path, limits)
        text, whole = text_json(pieces, MAX_TEXT_BYTES)
        if not whole:
            return text, f"only the beginning is shown: it would take over {bytes_text(MAX_TEXT_BYTES)}"
        return text, str(source.problem) if source.problem is not None else ""

    text, problem = await ls.disk.run(read)
    if problem:
        ls.calls.tell("window/showMessage", {"type": _WARNING, "message": f"Rollout: {problem}"})
    return PageText(msgspec.Raw(text), LANGUAGES["text"])


# -- the way back
def _links(ls: RolloutServer, given: Given, row: int) -> list[LocationLink]:
    found = given.at_row(row)
    if found is None:
        return []
    place, line = found
    opened: Opened | None = ls.documents.find(given.source)
    buffer = opened.document.buffer if opened is not None else given.buffer
    if buffer is given.buffer and place.line.block is not None:
        selection = place_range(buffer, place, ls.client.unit)
        whole = lines_range(buffer, place.line, place.line, ls.client.unit)
    else:  # the text is another one by now, or was read from the disk: the row is what is known
        selection = whole = Range(Position(line, 0), Position(line, 0))
    return [LocationLink(opened.uri if opened is not None else given.source, whole, selection)]
