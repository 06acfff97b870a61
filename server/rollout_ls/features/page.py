"""The page that a hover shows, in Markdown or in plain text, made so that nothing of a record can become markup.

Whoever writes on it gives plain text: all of it is escaped, and only ``code`` and ``strong`` mark what they are given.
What is quoted stands in fences, masked, printable, and no more than the page has room for.
"""

from __future__ import annotations

import re

from rollout_ls.features.words import one_line
from rollout_ls.formats.content import Part
from rollout_ls.text.display import block, cut, fence, inline_code, markdown_text
from rollout_ls.text.secrets import mask_head

MAX_PART_CHARACTERS = 2_400
MAX_PART_ROWS = 40
MAX_PARTS = 24
"""Parts that are told at most, quoted or by their size."""
MAX_FACTS = 40
_LOOKED_AT = 16_384
"""Characters of a part that are masked and made printable before it is cut."""

_CODE, _CODE_END, _STRONG, _STRONG_END = "\x02", "\x03", "\x04", "\x05"
"""Marks inside a text for the page. Content cannot hold them: it was made printable before."""
_NAMED = re.compile(r"`([^`]*)`")


def code(text: str) -> str:
    """Text of a record, or a name, that the page shows as code. Made printable and masked; never cut."""
    return f"{_CODE}{one_line(text, 400)}{_CODE_END}"


def named(text: str) -> str:
    """A sentence of the catalogue, in which names stand between backticks, with them as code."""
    return _NAMED.sub(lambda found: f"{_CODE}{found[1]}{_CODE_END}", text)


def strong(text: str) -> str:
    """Printable text that the page shows in strong type."""
    return f"{_STRONG}{text}{_STRONG_END}"


class Page:
    """The text of a hover in work. ``room`` is how many bytes of content may be quoted on it."""

    def __init__(self, markdown: bool, room: int) -> None:
        self._markdown = markdown
        self._blocks: list[str] = []
        self._left = room
        self._parts = 0
        self._more_parts = 0
        self._facts = 0

    def say(self, text: str) -> None:
        """A paragraph of printable text, with ``code`` and ``strong`` in it."""
        self._blocks.append(_marked_up(text) if self._markdown else _unmarked(text))

    def fact(self, name: str, value: str) -> None:
        """A short named value of the record."""
        self._facts += 1
        if self._facts <= MAX_FACTS:
            shown = one_line(value, 200)
            self._left -= len(shown.encode("utf-8", "replace"))
            self.say(f"{one_line(name, 60)}: {_CODE}{shown}{_CODE_END}")

    def quote(self, part: Part) -> None:
        """A longer text of the record, or what it is and how big where it is not shown."""
        self._parts += 1
        if self._parts > MAX_PARTS:
            self._more_parts += 1
            return
        title = one_line(part.title, 200)
        if part.omitted:
            self.say(f"{one_line(part.omitted, 80)}, {_size_of(part)}")
        elif not part.text:
            self.say(f"{title}: (empty)")
        elif self._left <= 0:
            self.say(f"{title}: {len(part.text):,} characters, not shown")
        else:
            self._quote(title, part)

    def _quote(self, title: str, part: Part) -> None:
        shown, whole = _shown(part.text, self._left)
        self._left -= len(shown.encode("utf-8", "replace"))
        self.say(f"{title}:")
        self._blocks.append(fence(shown, part.language) if self._markdown else shown)
        if not whole:
            self.say(f"{min(len(shown), len(part.text)):,} of {len(part.text):,} characters shown")

    def text(self) -> str:
        """All of it."""
        more = [f"… and {self._more_parts:,} more parts, not shown"] if self._more_parts else []
        return "\n\n".join([*self._blocks, *more])


def _marked_up(text: str) -> str:
    """A paragraph as Markdown: code spans and strong text as marked, all else escaped."""
    parts = []
    for index, piece in enumerate(text.split(_CODE)):
        shown, _, rest = piece.partition(_CODE_END) if index else ("", "", piece)
        if index:
            parts.append(inline_code(shown))
        parts.append(markdown_text(rest).replace(_STRONG, "**").replace(_STRONG_END, "**"))
    return "".join(parts)


def _unmarked(text: str) -> str:
    for mark in (_CODE, _CODE_END, _STRONG, _STRONG_END):
        text = text.replace(mark, "")
    return text


def _size_of(part: Part) -> str:
    if "encrypted" in part.omitted or "address" in part.omitted:
        return f"{part.size:,} characters"
    return f"about {round(part.size / 1000):,} kB decoded" if part.size >= 1000 else f"{part.size} bytes decoded"


def _shown(text: str, room: int) -> tuple[str, bool]:
    """(the beginning of a text, masked and printable; whether it is all)."""
    head = block(mask_head(text, _LOOKED_AT))
    rows = head.split("\n", MAX_PART_ROWS)
    whole = len(text) <= _LOOKED_AT and len(rows) <= MAX_PART_ROWS
    head = "\n".join(rows[:MAX_PART_ROWS])
    head, was_cut = cut(head, MAX_PART_CHARACTERS)
    raw = head.encode("utf-8", "replace")
    if len(raw) > room:
        head, was_cut = raw[:room].decode("utf-8", "ignore"), True
    return head, whole and not was_cut
