"""The piece of a row around a place, made fit for a terminal.

A row can be megabytes long and hold terminal sequences and keys: only a window around the place is looked at, made
printable and masked. Pure; never prints.
"""

from __future__ import annotations

import msgspec

from rollout_ls.text.display import ELLIPSIS, block, cut
from rollout_ls.text.secrets import MASK, SHOWN, spans

BEFORE_CHARACTERS = 30
"""What is shown in front of the place."""
LOOK_AROUND_BYTES = 2048
"""What is looked at on either side, so that a key is known for one although its beginning is not shown."""


class Excerpt(msgspec.Struct, frozen=True):
    """Printable text in front of the place, of the place and behind it."""

    before: str
    marked: str
    after: str


def excerpt(row: bytes, start: int, end: int, width: int) -> Excerpt:
    """What to show of a row for the place from byte ``start`` to byte ``end``, in about ``width`` characters."""
    start = min(start, len(row))
    stop = min(max(start, end), len(row), start + 4 * width)
    parts = row[max(0, start - LOOK_AROUND_BYTES) : start], row[start:stop], row[stop : stop + LOOK_AROUND_BYTES]
    before, marked, after = map(_printable, _masked([part.decode("utf-8", "replace") for part in parts]))
    if len(before) > BEFORE_CHARACTERS:
        before = ELLIPSIS + before[-BEFORE_CHARACTERS:]
    room = max(8, width - len(before))
    marked, was_cut = cut(marked, room)
    if was_cut:
        return Excerpt(before, marked, "")
    return Excerpt(before, marked, cut(after, room - len(marked))[0])


def _masked(parts: list[str]) -> list[str]:
    """The parts of one text, its secrets masked wherever they begin and end."""
    places = spans("".join(parts))
    if not places:
        return parts
    shown, base = [], 0
    for part in parts:
        pieces, at = [], 0
        for start, end in places:
            first, last = max(start + SHOWN - base, 0), min(end - base, len(part))
            if first >= last:
                continue
            pieces += [part[at:first], MASK if start + SHOWN >= base else ""]
            at = last
        shown.append("".join([*pieces, part[at:]]))
        base += len(part)
    return shown


def _printable(text: str) -> str:
    return block(text).replace("\n", " ").replace("\t", " ")
