"""Where the rollout of a thread is: looks through the folders around a document for a file that bears its id.

Reads names only, opens nothing, follows no symlinked folder, looks nowhere but in folders that are open in the editor
where the document is in one of them, and never makes a path out of an id: an id is compared with names that are there.
The number of folders and files looked at is bounded.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

import msgspec

FRESH_SECONDS = 10.0
"""After this time a folder is looked through again."""
MAX_ENTRIES = 200_000
"""Names looked at for one tree, folders and files."""
MAX_DEPTH = 6
"""Folders below each other in a tree; a sessions tree has three (year, month, day)."""

_NAME = re.compile(r"rollout-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-([^_]+)(?:_(.+))?\.jsonl(\.zst)?", re.DOTALL)
_DAY = (r"\d{4}", r"\d{2}", r"\d{2}")
_SIBLINGS = ("sessions", "archived_sessions")


class _Found(msgspec.Struct, frozen=True):
    path: str
    name: str
    whole: bool
    """Whether the name says the thread alone, not a part of it (``<thread>_<rollout>``)."""
    packed: bool


class _Tree(msgspec.Struct, frozen=True):
    threads: dict[str, str]
    read_at: float


class Threads:
    """The threads of the folders that were looked through lately. Safe to use from a worker thread.

    ``clock`` gives seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._trees: dict[tuple[tuple[str, ...], bool], _Tree] = {}

    def forget(self) -> None:
        """Looks again from now on: files came or went."""
        self._trees = {}

    def find(self, document: str, thread_id: str, folders: Sequence[str] = ()) -> str | None:
        """The path of a thread's rollout in the same tree of folders as the document at a path, if there is one.

        ``folders`` are those that are open in the editor: where the document stands below one of them, nothing is
        looked for outside of them.
        """
        roots = roots_of(document)
        return self._threads(_within(roots, document, folders), len(roots) > 1).get(thread_id.lower())

    def _threads(self, roots: tuple[str, ...], deep: bool) -> dict[str, str]:
        tree = self._trees.get((roots, deep))
        now = self._clock()
        if tree is None or now - tree.read_at > FRESH_SECONDS:
            tree = _Tree(_index(_rollouts(roots, deep)), now)
            self._trees = {**self._trees, (roots, deep): tree}
        return tree.threads


def roots_of(document: str) -> tuple[str, ...]:
    """The folders to look through: both trees of a Codex home where the path is in one, else the document's folder."""
    folder = os.path.dirname(os.path.abspath(document))
    parts = folder.split(os.sep)
    if len(parts) > 4 and parts[-4] == "sessions" and all(map(re.fullmatch, _DAY, parts[-3:])):
        home = os.sep.join(parts[:-4])
    elif parts[-1] in _SIBLINGS:
        home = os.sep.join(parts[:-1])
    else:
        return (folder,)
    return tuple(os.path.join(home or os.sep, name) for name in _SIBLINGS)


def _within(roots: tuple[str, ...], document: str, folders: Sequence[str]) -> tuple[str, ...]:
    """The roots, or what of them is below open folders, where the document is."""
    opened = {os.path.realpath(folder): folder for folder in folders}
    if not any(is_below(os.path.realpath(document), folder) for folder in opened):
        return roots
    kept: dict[str, None] = {}
    for root in roots:
        real = os.path.realpath(root)
        if any(real == folder or is_below(real, folder) for folder in opened):
            kept[root] = None
        else:
            kept.update(dict.fromkeys(spelt for folder, spelt in opened.items() if is_below(folder, real)))
    return tuple(kept)


def is_below(path: str, folder: str) -> bool:
    """Whether a path stands below a folder, both with links resolved."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _rollouts(roots: tuple[str, ...], deep: bool) -> Iterator[_Found]:
    """Files named like rollouts. A folder alone is not descended into; both trees of a home (``deep``) are."""
    left = MAX_ENTRIES
    waiting = deque((root, 0) for root in roots)
    while waiting:
        folder, depth = waiting.popleft()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        return
                    if deep and depth < MAX_DEPTH and entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
                    elif (match := _NAME.fullmatch(entry.name)) and _is_rollout(entry):
                        for whole, thread in ((match[2] is None, match[1]), (False, match[2])):
                            if thread:
                                yield _Found(entry.path, thread.lower(), whole, match[3] is not None)
        except OSError:
            continue


def _is_rollout(entry: os.DirEntry[str]) -> bool:
    """Whether a file named like a rollout is one; a link must lead to a file that is named so, too."""
    if not entry.is_file():
        return False
    return not entry.is_symlink() or _NAME.fullmatch(os.path.basename(os.path.realpath(entry.path))) is not None


def _index(found: Iterator[_Found]) -> dict[str, str]:
    """The file to open for each id: a thread alone before a part of it, plain before packed, the latest of equals."""
    best: dict[str, _Found] = {}
    for one in found:
        other = best.get(one.name)
        if other is None or _rank(one) > _rank(other):
            best[one.name] = one
    return {name: one.path for name, one in best.items()}


def _rank(found: _Found) -> tuple[bool, bool, str]:
    return found.whole, not found.packed, os.path.basename(found.path)
