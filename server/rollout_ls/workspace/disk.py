"""A rollout that no editor handed over, read from the disk: for readable documents, and for files too large to open.

Opens regular files that are named like rollouts, and no others, wherever they lie: the address comes from the person's
own editor, which could open the same file as well, and what is read goes to that editor alone. A link must lead to
a file that is named like a rollout too, so that no name is a way to another file. Holds no plain file's text: it is
fetched again where it is shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from rollout_ls.projection.surroundings import Limits, Surroundings
from rollout_ls.workspace.document import Document
from rollout_ls.workspace.files import FileProblem, Pieces, Reader, is_rollout_name
from rollout_ls.workspace.shelf import shelved_document

Stamp = tuple[int, int, int, int]
"""Device, inode, bytes, and nanoseconds of the last change."""


class DiskDocument(msgspec.Struct, frozen=True):
    """A file as it was at one moment; ``problem`` is what kept it from being read to its end."""

    path: str
    stamp: Stamp
    document: Document
    problem: FileProblem | None
    reader: Reader | None = None

    def rest(self) -> None:
        """Lets go of what was fetched of the file: nobody asks for now."""
        if self.reader is not None:
            self.reader.forget()


def allowed_path(path: str) -> str:
    """The path with links resolved. Raises ``FileProblem`` where it is not one that may be read for its name's sake."""
    if not os.path.isabs(path) or path.startswith(("\\\\", "//")) or "\0" in path:
        raise FileProblem(path, "is no path of this disk")
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):
        raise FileProblem(path, "cannot be read") from None
    if not all(is_rollout_name(os.path.basename(one)) for one in (path, real)):
        raise FileProblem(path, "is not named like a rollout")
    return real


def read_disk(path: str, world: Surroundings, known: DiskDocument | None = None) -> DiskDocument:
    """The document of a file, its session made; ``known`` again where that did not change. Raises ``FileProblem``."""
    real = allowed_path(path)
    stamp = _stamp(real)
    if known is not None and known.path == path and known.stamp == stamp:
        known.document.surround(msgspec.structs.replace(world, reached=known.document.surroundings.reached))
        return known
    pieces = Pieces(real, limits=world.limits)
    reader = pieces.reader()
    if reader is not None:
        document = shelved_document(path, pieces, reader, world.codes)
    else:
        document = Document(path, None, pieces, on_disk=True)
    document.surround(
        msgspec.structs.replace(world, reached=(pieces.reached,) if pieces.reached is not None else ())
    )
    document.session()
    return DiskDocument(path, stamp, document, pieces.problem, reader)


def unpacked_text(path: str, limits: Limits) -> tuple[Iterator[bytes], Pieces]:
    """(the bytes of a rollout, unpacked; their source, which tells at the end what went wrong). Raises FileProblem."""
    pieces = Pieces(allowed_path(path), limits=limits)
    return iter(pieces), pieces


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        raise FileProblem(path, "no such file or folder") from None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
