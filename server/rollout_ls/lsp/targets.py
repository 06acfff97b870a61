"""Where jumps lead, as addresses: a place of the document itself, another thread's rollout, a file of the workspace.

The disk is asked in a worker thread. A file is offered only when it is a regular one below an open workspace folder,
links resolved; a path is never opened here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

import msgspec

from rollout_ls.features.target import File, Jump, Thread
from rollout_ls.lsp.uris import path_of, uri_of
from rollout_ls.text.columns import Unit
from rollout_ls.text.rows import Place
from rollout_ls.wire.lsp import LocationLink, record_link
from rollout_ls.wire.positions import NOWHERE, Range, Rows, place_range
from rollout_ls.workspace.threads import Threads, is_below


class Outside(msgspec.Struct, frozen=True):
    """A jump that leaves the document; ``origin`` is its range in the document."""

    origin: Range
    target: Thread | File


def links_within(jumps: Sequence[Jump], uri: str, rows: Rows, unit: Unit) -> tuple[list[LocationLink | Outside], bool]:
    """(jumps with their ranges, whether some of them leave the document)."""
    links: list[LocationLink | Outside] = []
    for jump in jumps:
        if isinstance(jump.target, Place):
            links.append(record_link(jump.origin, jump.target, uri, rows, unit))
        else:
            links.append(Outside(place_range(rows, jump.origin, unit), jump.target))
    return links, any(isinstance(link, Outside) for link in links)


def find_outside(
    links: Sequence[LocationLink | Outside], document: str | None, folders: Sequence[str], threads: Threads
) -> list[LocationLink]:
    """Looks up on the disk what leaves the document; what is not there is left out. For a worker thread.

    ``document`` is the path of the document asked from, ``folders`` are those of the workspace.
    """
    found: list[LocationLink] = []
    for link in links:
        if isinstance(link, LocationLink):
            found.append(link)
            continue
        if isinstance(link.target, Thread):
            path = threads.find(document, link.target.thread_id, folders) if document is not None else None
        else:
            path = file_below(link.target.path, folders)
        if path is not None:
            found.append(LocationLink(uri_of(path), NOWHERE, NOWHERE, link.origin))
    return found


def file_below(path: str, folders: Sequence[str]) -> str | None:
    """The real path of a regular file below one of the folders; None for everything else (UNC and devices too)."""
    if not os.path.isabs(path) or path.startswith(("\\\\", "//")) or "\0" in path:
        return None
    try:
        real = os.path.realpath(path)
        if not any(is_below(real, os.path.realpath(folder)) for folder in folders):
            return None
        return real if stat.S_ISREG(os.stat(real).st_mode) else None
    except (OSError, ValueError):
        return None


def folder_paths(uris: Sequence[str]) -> list[str]:
    """The paths of the workspace folders that are on this disk."""
    return [path for uri in uris if (path := path_of(uri)) is not None]
