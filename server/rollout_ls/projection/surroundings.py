"""What a feature or a rule needs of the world around a document, as one frozen value that ``workspace`` makes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from types import MappingProxyType
from typing import Literal

import msgspec

Level = Literal["error", "warning", "information", "hint"]
"""How bad a finding is."""


class Limits(msgspec.Struct, frozen=True):
    """Where this tool stops, so that no file takes all the time or memory there is. Bytes are of UTF-8.

    What is left out for one of them is told by a finding of the code ``limit``, but for ``hover_bytes``, where the
    hover says itself how much of a text it shows.
    """

    row_bytes: int = 256 << 20
    """A longer record is not read."""
    nesting: int = 512
    """Levels of containers that are kept of a record which no plain decoder takes; what stands deeper is left out."""
    file_bytes: int = 2 << 30
    """Records that begin behind so many bytes of a document are not read; a file is unpacked and read so far."""
    zst_bytes: int = 2 << 30
    """A packed file is unpacked so far."""
    zst_ratio: int = 1_000
    """A packed file is unpacked to so many times its size, once that is over 64 MiB; sessions reach some hundreds."""
    findings: int = 1_000
    """Findings of one document, the worst first."""
    symbols: int = 10_000
    """Symbols of one outline; turns are never left out."""
    hover_bytes: int = 4_000
    """Content that one hover quotes."""

    @property
    def entry_symbols(self) -> int:
        """Symbols of entries in one outline; the rest is room for turns."""
        return max(1, self.symbols * 9 // 10)


class DiskView(msgspec.Struct, frozen=True):
    """What the file on the disk adds to what an editor's text says.

    ``edited`` tells that rows which the editor changed are not what the disk holds at their place, ``packed`` that the
    file's bytes are a packed rollout, which an editor shows as noise.
    """

    edited: bool = False
    packed: bool = False


class Reached(msgspec.Struct, frozen=True):
    """A limit that was reached: its name, as in the settings, and what was left out for it, as a sentence."""

    limit: str
    message: str


class Surroundings(msgspec.Struct, frozen=True):
    """Facts from outside the text.

    ``utc_offset_minutes`` is the reader's time zone for times of day, ``zone`` the same for a zone whose offset changes
    over the year (it wins); ``None`` for both shows UTC.
    ``on_disk`` tells that the text is a file's bytes, ``disk`` what the disk says where it is an editor's text (None:
    it was not looked at).
    ``codes`` are the codes that may be found; ``None``: all that are not off by default. ``levels`` puts another
    severity in place of a code's own, and what is milder than ``mildest`` is not said.
    ``reached`` are limits that were reached before the rules ran.
    """

    utc_offset_minutes: int | None = None
    zone: tzinfo | None = None
    on_disk: bool = False
    disk: DiskView | None = None
    codes: frozenset[str] | None = None
    levels: Mapping[str, Level] = MappingProxyType({})
    mildest: Level = "hint"
    limits: Limits = Limits()
    reached: tuple[Reached, ...] = ()
