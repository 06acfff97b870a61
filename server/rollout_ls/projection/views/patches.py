"""What a patch of the ``*** Begin Patch`` sort does, as far as one edit or one new file can tell it.

Exists for the block view, which shows a simple patch as an edit or a written file. Never applies a patch and never
judges one: whatever is not one hunk of one file, or one new file, stays a patch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

_ADD, _UPDATE, _DELETE, _MOVE = "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "
_FRAMING = ("*** Begin Patch", "*** End Patch", "*** End of File")


class Change(msgspec.Struct, frozen=True):
    """One file of a patch. ``hunks`` holds (old text, new text); of a new file one, without old text."""

    what: Literal["add", "update", "delete"]
    path: str
    hunks: tuple[tuple[str, str], ...] = ()
    moved: bool = False


def changes_of(patch: str) -> tuple[Change, ...]:
    """The changes of a patch, file by file."""
    found: list[_Change] = []
    for row in patch.split("\n"):
        row = row.removesuffix("\r")
        head = next((one for one in (_ADD, _UPDATE, _DELETE) if row.startswith(one)), None)
        if head is not None:
            found.append(_Change(head, row[len(head) :]))
        elif found and row.rstrip() not in _FRAMING:
            found[-1].take(row)
    return tuple(change.done() for change in found)


def patch_of(changes: dict[str, Any]) -> str:
    """A patch of changes as the screen was told them: by path ``{type, content | unified_diff, move_path}``."""
    return "\n".join(["*** Begin Patch", *_rows_of(changes), "*** End Patch", ""])


def _rows_of(changes: dict[str, Any]) -> Iterator[str]:
    for path, change in changes.items():
        values = change if isinstance(change, dict) else {}
        if values.get("type") == "delete":
            yield _DELETE + path
        elif values.get("type") == "add":
            yield _ADD + path
            yield from (f"+{row}" for row in _rows(values.get("content")))
        else:
            yield _UPDATE + path
            if isinstance(values.get("move_path"), str):
                yield _MOVE + values["move_path"]
            yield from _rows(values.get("unified_diff"))


def _rows(text: Any) -> list[str]:
    if not isinstance(text, str) or not text:
        return []
    return text.removesuffix("\n").split("\n")


class _Change:
    """A change in work."""

    def __init__(self, head: str, path: str) -> None:
        self.head = head
        self.path = path
        self.moved = False
        self.hunks: list[tuple[list[str], list[str]]] = [([], [])] if head == _ADD else []

    def take(self, row: str) -> None:
        mark, text = row[:1], row[1:]
        if row.startswith(_MOVE):
            self.moved = True
        elif self.head == _ADD:
            if mark == "+":
                self.hunks[0][1].append(text)
        elif row.startswith("@@"):
            self.hunks.append(([], []))
        elif mark in (" ", "-", "+"):
            if not self.hunks:  # the first hunk may come without its head
                self.hunks.append(([], []))
            old, new = self.hunks[-1]
            if mark != "+":
                old.append(text)
            if mark != "-":
                new.append(text)

    def done(self) -> Change:
        what: Literal["add", "update", "delete"] = "update"
        if self.head != _UPDATE:
            what = "add" if self.head == _ADD else "delete"
        hunks = tuple(("\n".join(old), "\n".join(new)) for old, new in self.hunks)
        return Change(what, self.path, hunks, self.moved)
