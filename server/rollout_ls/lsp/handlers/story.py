"""rollout/turns, step, documentStatus, checkFile, forgetFile: what this project's own clients ask.

All of them take the URI of a rollout, of its readable documents, or (but for steps) of one that is on the disk only.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from rollout_ls.lsp.handlers.reading import of_source
from rollout_ls.lsp.handlers.spots import spot_of
from rollout_ls.lsp.handlers.status import state_of
from rollout_ls.lsp.params import AskStep, OfDocument
from rollout_ls.lsp.uris import path_of
from rollout_ls.lsp.virtual import address, disk_path
from rollout_ls.wire.positions import place_range
from rollout_ls.wire.reading import DocumentStatus, Spot, Story, story_of

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer
    from rollout_ls.workspace.disk import DiskDocument
    from rollout_ls.workspace.document import Document


def turns(ls: RolloutServer, params: OfDocument) -> Story | Awaitable[Story]:
    """The turns of a session, to pick one."""
    path = disk_path(params.text_document.uri) or ""

    def tell(document: Document, uri: str) -> Story:
        read = address("session", path) if path else ""
        return story_of(document.session(), uri, read, lambda key: address("turn", path, key) if path else "")

    return of_source(ls, params.text_document.uri, tell)


def step(ls: RolloutServer, params: AskStep) -> Spot | None:
    """Where a step from a position leads."""
    from rollout_ls.features.steps import step_from

    spot = spot_of(ls, params)
    if spot is None:
        return None
    document = spot.opened.document
    place = step_from(document.session(), spot.line, spot.offset, params.to)
    return Spot(spot.opened.uri, place_range(document.buffer, place, ls.client.unit)) if place is not None else None


def document_status(ls: RolloutServer, params: OfDocument) -> DocumentStatus | Awaitable[DocumentStatus | None] | None:
    """How a document is, at once, whether it is read or not."""
    uri = params.text_document.uri
    opened = ls.documents.find(uri)
    if opened is not None:
        ready = not opened.busy and opened.document.eager_ready
        return _status(opened.document, state_of(opened), ready=ready)
    if path_of(uri) is None:
        return None
    return ls.disk.work(path_of(uri) or "", ls.surroundings(), _status_on_disk)


def _status_on_disk(found: DiskDocument) -> DocumentStatus:
    return _status(found.document, "read from the disk", ready=True)


def _status(document: Document, state: str, *, ready: bool) -> DocumentStatus:
    limits = list(dict.fromkeys(one.limit for one in document.reached))
    buffer = document.buffer
    if not ready:
        return DocumentStatus(state, buffer.byte_count, limits)
    turns_of = len(document.session().own_turns)
    return DocumentStatus(state, buffer.byte_count, limits, buffer.line_count, turns_of)


async def check_file(ls: RolloutServer, params: OfDocument) -> None:
    """Pushes the findings of a file on the disk, of which the client can open no document. An open one has its own."""
    uri = params.text_document.uri
    path = path_of(uri)
    if path is None or ls.documents.find(uri) is not None:
        return

    def work(found: DiskDocument) -> DiskDocument:
        found.document.finish()
        return found

    found = await ls.disk.work(path, ls.surroundings(), work)
    if ls.documents.find(uri) is None:
        ls.findings.tell_of_disk(uri, found.document)


def forget_file(ls: RolloutServer, params: OfDocument) -> None:
    """Takes back the findings of such a file."""
    ls.findings.forget_disk(params.text_document.uri)
