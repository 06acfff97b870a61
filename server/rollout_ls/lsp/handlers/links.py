"""textDocument/documentLink, documentLink/resolve"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rollout_ls.lsp.params import OfDocument
from rollout_ls.lsp.targets import file_below, folder_paths
from rollout_ls.lsp.uris import uri_of
from rollout_ls.lsp.virtual import disk_path
from rollout_ls.wire.sight import DocumentLink, LinkAnchor, document_links

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer


def document_link(ls: RolloutServer, params: OfDocument) -> list[DocumentLink]:
    """What the records name that can be opened. The disk is not asked."""
    from rollout_ls.features.links import links

    opened = ls.documents.find(params.text_document.uri)
    if opened is None:
        return []
    found = links(opened.document.session(), folder_paths(ls.folders))
    return document_links(found, opened.uri, opened.document.buffer, ls.client.unit)


async def resolve(ls: RolloutServer, given: DocumentLink) -> DocumentLink:
    """A link with its target, if that is there: a regular file below an open folder, or a thread near the document."""
    anchor = given.data
    if anchor is None or given.target is not None or ls.documents.find(anchor.uri) is None:
        return given
    path = await asyncio.to_thread(_path_of, ls, anchor)
    return given if path is None else DocumentLink(given.range, uri_of(path))


def _path_of(ls: RolloutServer, anchor: LinkAnchor) -> str | None:
    folders = folder_paths(ls.folders)
    if anchor.path:
        return file_below(anchor.path, folders)
    document = disk_path(anchor.uri)
    return ls.threads.find(document, anchor.thread, folders) if document is not None and anchor.thread else None
