"""What is known about a kind of record, as neutral values: for `explain`, for hovers on keys, for generated pages.

Made from a format's catalogue when somebody asks. Never looks at a record.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Need = Literal["required", "optional", "default", "value"]
Stored = Literal["always", "legacy", "paginated", "once", "never"]


class FieldExplained(msgspec.Struct, frozen=True):
    """One key of a kind.

    ``path`` is dotted from the kind's own object down, ``[]`` after the key of an array. ``type`` is its type in words
    for people. ``need``: "required" (there, and not null), "optional" (may be absent or null), "default" (may be
    absent, not null), "value" (there, may be null). ``words`` are the values it may have, where it has a list; with
    ``open`` the reader takes any other one too. ``shape`` is the name of the shared shape that it is or holds, to be
    asked for in turn. ``since`` and ``until`` are dates, empty where nobody knows. ``retired``: the reader no longer
    looks.
    """

    path: str
    type: str
    need: Need = "optional"
    words: tuple[str, ...] = ()
    open: bool = False
    shape: str = ""
    meaning: str = ""
    since: str = ""
    until: str = ""
    retired: bool = False
    alias_of: str = ""


class KindExplained(msgspec.Struct, frozen=True):
    """One kind of record, one part of one, or one object that several kinds share (a *shape*).

    ``name`` is that of the catalogue, ``family`` the group that a list puts it in. ``refused``: today's reader does not
    take it any more. ``variants`` are the further layouts of a shape that has several.
    """

    name: str
    family: str
    title: str = ""
    summary: str = ""
    when: str = ""
    stored: Stored = "always"
    refused: bool = False
    since: str = ""
    until: str = ""
    since_version: str = ""
    until_version: str = ""
    aliases: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    fields: tuple[FieldExplained, ...] = ()
    variants: tuple[KindExplained, ...] = ()
    words: dict[str, str] = {}
    """The values that a shape may be where it is a word, each with its meaning (perhaps empty)."""
    open: bool = False
    """Whether the reader takes further words (further variants) too."""
    listed: bool = True
    """Whether the fields are known at all."""


class PlaceExplained(msgspec.Struct, frozen=True):
    """What is known about one key of a record, or about one element of an array.

    ``path`` is its name from the record down (``payload.content[].text``), ``type`` its type in words, ``kind`` the
    name of the kind or the shape that lists it, ``words`` what it may be, each with its meaning (perhaps empty).
    ``unlisted``: it stands in an object whose keys are known, and it is none of them. ``listed``: what it holds is
    known in turn. All else as in ``FieldExplained``.
    """

    path: str
    type: str = ""
    kind: str = ""
    need: Need | None = None
    meaning: str = ""
    words: dict[str, str] = {}
    open: bool = False
    since: str = ""
    until: str = ""
    retired: bool = False
    alias_of: str = ""
    unlisted: bool = False
    listed: bool = True
