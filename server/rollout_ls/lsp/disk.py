"""Rollouts read from the disk because their editor hands over none of their text, in a thread of their own.

All work on such a document is done in that one thread, which also keeps the last few of them. Never waited for by the
loop; an open document is the editor's and never read here.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from rollout_ls.lsp.errors import REQUEST_FAILED, RequestError

if TYPE_CHECKING:
    from rollout_ls.projection.surroundings import Surroundings
    from rollout_ls.workspace.disk import DiskDocument

KEPT = 3
"""Documents that are kept; their texts stay on the disk."""
KEPT_LINES = 1_000_000
"""Lines of all of them together, but for one that is larger by itself."""

T = TypeVar("T")


class Disk:
    """The documents that were read from the disk."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread = ThreadPoolExecutor(1, "rollout-ls files")
        self._known: OrderedDict[str, DiskDocument] = OrderedDict()

    def work(self, path: str, world: Surroundings, work: Callable[[DiskDocument], T]) -> Awaitable[T]:
        """What some work on the document of a file gives. Raises RequestError where the file cannot be read."""
        return self.run(partial(self._work, path, world, work))

    def run(self, work: Callable[[], T]) -> Awaitable[T]:
        """What some work that reads files gives; with RequestError in place of FileProblem."""
        return self._loop.run_in_executor(self._thread, _said, work)

    def _work(self, path: str, world: Surroundings, work: Callable[[DiskDocument], T]) -> T:
        from rollout_ls.workspace.disk import read_disk

        known = self._known[path] = read_disk(path, world, self._known.pop(path, None))
        while len(self._known) > KEPT or (len(self._known) > 1 and self._lines() > KEPT_LINES):
            self._known.popitem(last=False)
        try:
            return work(known)
        finally:
            known.rest()

    def _lines(self) -> int:
        return sum(known.document.buffer.line_count for known in self._known.values())


def _said(work: Callable[[], T]) -> T:
    from rollout_ls.workspace.files import FileProblem

    try:
        return work()
    except FileProblem as problem:
        raise RequestError(REQUEST_FAILED, f"the file {problem.reason}") from None
