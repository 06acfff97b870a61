"""textDocument/didOpen, didChange, didSave, didClose: the client's texts, kept by ``lsp.documents``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from rollout_ls.lsp.client import Reader
from rollout_ls.lsp.documents import LARGE_BYTES
from rollout_ls.lsp.logs import logger
from rollout_ls.lsp.memory import expect_copies
from rollout_ls.lsp.messages import Texts
from rollout_ls.lsp.params import DidChange, DidOpen, OfDocument, TextChange, text_pieces
from rollout_ls.lsp.texts import decode_string
from rollout_ls.lsp.virtual import is_page

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer
    from rollout_ls.workspace.document import Change, Document

_NAMED = re.compile(rb'"textDocument"[ \t\r\n]*:[ \t\r\n]*\{[^{}]*?"uri"[ \t\r\n]*:[ \t\r\n]*"((?:[^"\\]|\\.)*)"')
_decode_open = msgspec.json.Decoder(DidOpen).decode
_decode_change = msgspec.json.Decoder(DidChange).decode


class Prepared(msgspec.Struct, frozen=True):
    """A text taken out of its message; a short one is a document already."""

    uri: str
    version: int | None
    pieces: list[bytes]
    document: Document | None


class Edit(msgspec.Struct, frozen=True):
    """The changes of one didChange, decoded."""

    uri: str
    version: int | None
    changes: list[Change]


def prepare_open(params: bytes, texts: Texts) -> Prepared:
    """Takes the text of a didOpen, for the reading thread.

    Raises ValueError (msgspec's errors are such) where the parameters are none of a didOpen.
    """
    from rollout_ls.workspace.document import Document

    opened = _decode_open(params).text_document
    pieces = text_pieces(opened.text, texts)
    if sum(map(len, pieces)) > LARGE_BYTES:
        return Prepared(opened.uri, opened.version, pieces, None)
    return Prepared(opened.uri, opened.version, [], Document(opened.uri, opened.version, pieces))


def make_document(prepared: Prepared) -> Document:
    """The document of a long text: for a worker thread, since the rows of 100 MB take a fifth of a second."""
    from rollout_ls.workspace.document import Document

    return Document(prepared.uri, prepared.version, prepared.pieces)


def prepare_edit(params: bytes, texts: Texts) -> Edit:
    """The changes of a didChange. Raises ValueError likewise."""
    decoded = _decode_change(params)
    named = decoded.text_document
    return Edit(named.uri, named.version, [_change(one, texts) for one in decoded.content_changes])


def _change(change: TextChange, texts: Texts) -> Change:
    from rollout_ls.workspace.document import Change

    text = b"".join(text_pieces(change.text, texts))
    if change.range is None:
        return Change(None, None, text)
    start, end = change.range.start, change.range.end
    first, last = sorted(((start.line, start.character), (end.line, end.character)))
    return Change(first, last, text)


def did_open(ls: RolloutServer, prepared: Prepared) -> None:
    """Puts a document beside the others; its passes begin."""
    from rollout_ls.workspace.document import Document

    if is_page(prepared.uri):
        return  # made here, and no rollout
    ls.findings.forget_disk(prepared.uri)
    old = ls.documents.find(prepared.uri)
    if old is not None and old.uri == prepared.uri:
        logger.warning("a document was opened twice")
        ls.forget(old)
    if prepared.document is not None:
        ls.begin(ls.documents.put(prepared.uri, prepared.document))
    else:
        ls.make(ls.documents.put(prepared.uri, Document(prepared.uri, prepared.version, ())), prepared)


def did_change(ls: RolloutServer, edit: Edit) -> None:
    """Applies edits. Where one cannot be applied, the text is not the client's any more, and no answer relies on it."""
    opened = ls.documents.find(edit.uri)
    if opened is None:
        if is_page(edit.uri):
            return
        logger.warning("a change of a document that is not open was ignored")
        return
    whole = next((at for at in reversed(range(len(edit.changes))) if edit.changes[at].start is None), None)
    if opened.lost and whole is None:
        return
    opened.touched()
    if whole is not None:
        opened.outline = None  # all its lines are about to go
    try:
        opened.document.edit(edit.changes[whole or 0 :], edit.version, ls.client.unit)
    except Exception:
        ls.lose(opened)
        raise
    opened.lost = False
    expect_copies(opened.document.edited_bytes)
    ls.passes.schedule(opened)
    ls.looks.due(opened)


def change_failed(ls: RolloutServer, params: bytes) -> None:
    """A didChange that could not be read: the document that it names is out of step from now on."""
    try:
        named = Reader(msgspec.json.decode(params)).at("textDocument").text("uri")
    except (msgspec.DecodeError, RecursionError):  # something else in it is what no decoder takes, as a number 1e400
        found = _NAMED.search(params)
        named = decode_string(found[1]).decode("utf-8", "replace") if found is not None else None
    opened = ls.documents.find(named) if named is not None else None
    if opened is not None:
        ls.lose(opened)


def did_save(ls: RolloutServer, params: OfDocument) -> None:
    """The disk holds the text now."""
    opened = ls.documents.find(params.text_document.uri)
    if opened is not None:
        ls.looks.due(opened)


def did_close(ls: RolloutServer, params: OfDocument) -> None:
    """Forgets a document."""
    opened = ls.documents.find(params.text_document.uri)
    if opened is not None:
        ls.forget(opened)
