"""Where a jump leads, as a symbol: a place in the document, a thread, or a file. Who moves messages resolves it."""

from __future__ import annotations

import msgspec

from rollout_ls.text.rows import Place


class Thread(msgspec.Struct, frozen=True):
    """The rollout of another thread, by its id."""

    thread_id: str


class File(msgspec.Struct, frozen=True):
    """A file that a record names. Opened only below an open workspace folder, on request."""

    path: str


class Web(msgspec.Struct, frozen=True):
    """A web address (ASCII, as it is written)."""

    address: str


class Jump(msgspec.Struct, frozen=True):
    """One answer of go to definition: from ``origin`` to ``target``.

    ``whole`` is the line of the target's record when the target is a place.
    """

    origin: Place
    target: Place | Thread | File
