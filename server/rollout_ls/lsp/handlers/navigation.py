"""textDocument/definition, references, documentHighlight"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from rollout_ls.lsp.documents import Opened
from rollout_ls.lsp.handlers.reading import back
from rollout_ls.lsp.handlers.spots import Spot, spot_of
from rollout_ls.lsp.params import AtPosition
from rollout_ls.lsp.targets import Outside, find_outside, folder_paths, links_within
from rollout_ls.lsp.virtual import disk_path, is_page
from rollout_ls.text.rows import Place
from rollout_ls.wire.lsp import DocumentHighlight, Location, LocationLink, location
from rollout_ls.wire.positions import place_range

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer

Targets: TypeAlias = "list[LocationLink] | list[Location]"


def definition(ls: RolloutServer, params: AtPosition) -> Targets | Awaitable[Targets] | None:
    """The partner of what is under the cursor. What leaves the document is looked up while the loop goes on."""
    from rollout_ls.features.navigation import definition as jumps_from

    if is_page(params.text_document.uri):
        return _back(ls, params)
    spot = spot_of(ls, params)
    if spot is None:
        return None
    opened = spot.opened
    jumps = jumps_from(opened.document.session(), spot.line, spot.offset)
    links, leaves = links_within(jumps, opened.uri, opened.document.buffer, ls.client.unit)
    if leaves:
        return _look_up(ls, opened, links)
    return _as_taken(ls, [link for link in links if isinstance(link, LocationLink)])


def _back(ls: RolloutServer, params: AtPosition) -> Targets | Awaitable[Targets]:
    """From a readable document to the rollout."""
    links = back(ls, params)
    return _as_taken(ls, links) if isinstance(links, list) else _later(ls, links)


async def _later(ls: RolloutServer, links: Awaitable[list[LocationLink]]) -> Targets:
    return _as_taken(ls, await links)


async def _look_up(ls: RolloutServer, opened: Opened, links: Sequence[LocationLink | Outside]) -> Targets:
    folders, path = folder_paths(ls.folders), disk_path(opened.uri)
    return _as_taken(ls, await asyncio.to_thread(find_outside, links, path, folders, ls.threads))


def _as_taken(ls: RolloutServer, links: list[LocationLink]) -> Targets:
    """Links as the client takes them; an open document under the URI that the client gave it."""
    if not ls.client.links:
        return [Location(_uri(ls, link), link.target_selection_range) for link in links]
    return [
        LocationLink(_uri(ls, link), link.target_range, link.target_selection_range, link.origin_selection_range)
        for link in links
    ]


def _uri(ls: RolloutServer, link: LocationLink) -> str:
    opened = ls.documents.find(link.target_uri)
    return opened.uri if opened is not None else link.target_uri


def references(ls: RolloutServer, params: AtPosition) -> list[Location]:
    """All records of what is under the cursor, and of its partner."""
    spot = spot_of(ls, params)
    if spot is None:
        return []
    opened = spot.opened
    return [location(place, opened.uri, opened.document.buffer, ls.client.unit) for place in _places(spot)]


def document_highlight(ls: RolloutServer, params: AtPosition) -> list[DocumentHighlight]:
    """The same, to be lit up in the document."""
    spot = spot_of(ls, params)
    if spot is None:
        return []
    rows = spot.opened.document.buffer
    return [DocumentHighlight(place_range(rows, place, ls.client.unit)) for place in _places(spot)]


def _places(spot: Spot) -> tuple[Place, ...]:
    from rollout_ls.features.navigation import references as places_of

    return places_of(spot.opened.document.session(), spot.line, spot.offset)
