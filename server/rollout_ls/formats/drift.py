"""What records hold that the catalogue does not know, gathered over files and fit to be shown to anybody.

Keys, types and words that look like identifiers; never another value, never a path. Which parts of a record are
unknown is for a format to say (``formats.records.strangers_in``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from rollout_ls.formats.skeleton import Skeleton, is_name, is_word

NOT_SHOWN = "<not shown>"
"""Stands for a name that does not look like one."""
NO_VERSION = "unknown"

_VERSION = re.compile(r"\d[0-9A-Za-z.+-]{0,29}\Z")

What = Literal["kind", "part", "field", "word"]


class Stranger(msgspec.Struct, frozen=True, eq=False):
    """One thing in a record that the catalogue does not know.

    ``kind`` is the record's (empty for a record of no known kind), ``keys`` lead to the value from the record down,
    ``place`` is the same for people, with ``[]`` for an index and ``<key>`` for a key that is data. ``name`` is the
    unknown word or key as it stands there, ``value`` what belongs to it. Private: keys, name and value are for
    ``Drift`` and for findings in the person's own editor.
    """

    what: What
    kind: str
    place: str
    name: str
    keys: tuple[str | int, ...]
    value: Any


class Unfamiliar(msgspec.Struct, frozen=True):
    """Strangers of one sort, in all files together.

    ``versions`` counts them by the version that the header of their file names. ``shape`` is the outline of the unknown
    value (``Skeleton.plain``), None for a word.
    """

    what: What
    kind: str
    place: str
    name: str
    count: int
    files: int
    versions: dict[str, int]
    shape: Any = None


class Drift:
    """Gathers strangers. Keeps outlines and counts only."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[What, str, str, str], Skeleton] = {}
        self._counts: Counter[tuple[What, str, str, str]] = Counter()
        self._versions: dict[tuple[What, str, str, str], Counter[str]] = {}
        self._files: dict[tuple[What, str, str, str], set[int]] = {}
        self._file = 0
        self._version = NO_VERSION

    def begin_file(self, version: str) -> None:
        """What is added from now on stands in another file, whose header names this version."""
        self._file += 1
        self._version = version if _VERSION.match(version) else NO_VERSION

    def add(self, strangers: Iterable[Stranger]) -> None:
        """Takes in what one record holds."""
        for one in strangers:
            shown = is_name(one.name) if one.what == "field" else is_word(one.name)
            key = (one.what, one.kind, one.place, one.name if shown else NOT_SHOWN)
            self._counts[key] += 1
            self._versions.setdefault(key, Counter())[self._version] += 1
            self._files.setdefault(key, set()).add(self._file)
            if one.what != "word":
                self._shapes.setdefault(key, Skeleton()).add(one.value)

    def found(self) -> tuple[Unfamiliar, ...]:
        """All that was gathered: kinds, then parts, fields and words; the most frequent first."""
        order = ("kind", "part", "field", "word")
        keys = sorted(self._counts, key=lambda key: (order.index(key[0]), -self._counts[key], key))
        return tuple(
            Unfamiliar(
                *key,
                count=self._counts[key],
                files=len(self._files[key]),
                versions=dict(sorted(self._versions[key].items())),
                shape=self._shapes[key].plain() if key in self._shapes else None,
            )
            for key in keys
        )
