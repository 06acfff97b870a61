"""What a feature or a rule needs of the world around a document, as one frozen value that ``workspace`` makes."""

from __future__ import annotations

import msgspec


class Surroundings(msgspec.Struct, frozen=True):
    """Facts from outside the text.

    ``utc_offset_minutes`` is the reader's time zone for times of day; ``None`` shows UTC.
    ``known_threads`` are ids of threads whose rollouts are near. ``on_disk`` tells that the text is a file's bytes.
    ``codes`` are the codes that may be found; ``None``: all that are not off by default.
    """

    utc_offset_minutes: int | None = None
    known_threads: frozenset[str] = frozenset()
    on_disk: bool = False
    codes: frozenset[str] | None = None
