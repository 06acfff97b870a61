"""The outline of JSON values: their keys and types, and never one of their values.

Made to be shown to strangers (a bug report), so a key is kept only when it looks like the name of a field: keys that
are data (paths, ids, words of a person) become ``<key>``. Never holds on to what it was shown.
"""

from __future__ import annotations

import re
from typing import Any

from rollout_ls.text.secrets import spans

MAX_DEPTH = 8
MAX_KEYS = 60
"""An object with more keys than this holds data under its keys."""
MAX_LOOKED_AT = 200
"""Elements of one array that are looked at."""
SOME_KEY = "<key>"

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]{0,39}\Z")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,39}\Z")
_NUMBERED = re.compile(r"\d{5}|(?=[0-9a-f]*\d)[0-9a-f]{8}", re.IGNORECASE)
"""What ids and times have and names have not: a run of digits, or of hex digits with one among them."""


def is_name(key: str) -> bool:
    """Whether a key looks like the name of a field, and not like data."""
    return bool(_NAME.match(key)) and not _NUMBERED.search(key) and not spans(key)


def is_word(word: str) -> bool:
    """Whether a value looks like one of a list that a programmer wrote: ``in_progress``, ``thread.started``."""
    return bool(_WORD.match(word)) and not _NUMBERED.search(word) and not spans(word)


class Skeleton:
    """What was seen of one or several values, merged."""

    __slots__ = ("_elements", "_members", "_objects", "_scalars")

    def __init__(self) -> None:
        self._scalars: set[str] = set()
        self._objects = 0
        self._members: dict[str, tuple[int, Skeleton]] = {}
        self._elements: Skeleton | None = None

    def add(self, value: Any, depth: int = 0) -> None:
        """Takes in the outline of a value."""
        if isinstance(value, dict):
            self._add_object(value, depth)
        elif isinstance(value, list):
            self._elements = self._elements or Skeleton()
            if depth < MAX_DEPTH:
                for element in value[:MAX_LOOKED_AT]:
                    self._elements.add(element, depth + 1)
        else:
            self._scalars.add(_type_name(value))

    def _add_object(self, value: dict[str, Any], depth: int) -> None:
        self._objects += 1
        if depth >= MAX_DEPTH:
            return
        named = len(value) <= MAX_KEYS and all(map(is_name, value))  # one key that is data: all of them may be
        met: set[str] = set()
        for key, inner in value.items():
            name = key if named else SOME_KEY
            if name not in self._members and len(self._members) >= MAX_KEYS:
                name = SOME_KEY
            count, below = self._members.get(name) or (0, Skeleton())
            below.add(inner, depth + 1)
            self._members[name] = (count + (name not in met), below)
            met.add(name)

    def plain(self) -> Any:
        """As JSON: the type's name, ``{key: ...}``, ``[...]``, or ``{"one of": [...]}``.

        A key that only some of the objects had ends in ``?``.
        """
        options: list[Any] = sorted(self._scalars)
        if self._objects:
            options.append(
                {
                    name if count == self._objects else f"{name}?": below.plain()
                    for name, (count, below) in self._members.items()
                }
            )
        if self._elements is not None:
            inner = self._elements.plain()
            options.append([] if inner == "nothing" else [inner])
        if not options:
            return "nothing"
        if all(isinstance(option, str) for option in options):
            return " | ".join(options)
        return options[0] if len(options) == 1 else {"one of": options}


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    if value is True or value is False:
        return "boolean"
    return "string" if isinstance(value, str) else "integer" if isinstance(value, int) else "number"
