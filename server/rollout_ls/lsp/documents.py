"""The open documents, by the URI that their client used.

pygls' own store is not used: it keeps a text as one string and converts columns character by character. Here a document
is a ``workspace.document.Document``; around it stands what only the server knows: when it was opened, how often it was
edited, who waits for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rollout_ls.lsp.uris import meaning_of

if TYPE_CHECKING:
    from rollout_ls.wire.outline import OutlineWriter
    from rollout_ls.workspace.document import Document

LARGE_BYTES = 4 << 20
"""About 15 ms of outline, the first time."""

_SERIALS = itertools.count(1)


class Opened:
    """One open document."""

    def __init__(self, uri: str, document: Document) -> None:
        self.uri = uri
        self.document = document
        self.serial = next(_SERIALS)
        """Differs for each opening, of the same file too."""
        self.edits = 0
        """Edits since it was opened; with ``serial`` it names one state of the text."""
        self.closed = False
        self.lost = False
        """An edit could not be applied, so the text is not the client's; until it sends the whole text again."""
        self.failure: str | None = None
        """The id of the error in the log that ended the pass over the present text."""
        self.stopped = False
        """The user cancelled the pass over the present text."""
        self.waiters: list[Callable[[], None]] = []
        """Called once each when the eager pass is done, or will not be."""
        self.busy = False
        """A worker thread reads it: nothing may change it, and what comes for it is held back."""
        self.held: list[Callable[[], None]] = []
        """What came meanwhile, in order."""
        self.outline: OutlineWriter | None = None
        """Keeps what was written of the outline, once it was asked for."""

    @property
    def settled(self) -> bool:
        """Whether waiting is of no use any more: the eager pass is done or will not be."""
        return self.closed or self.lost or self.stopped or self.failure is not None or self.document.eager_ready

    @property
    def state(self) -> str:
        """Names the present state of the text; no other one of any document has this name."""
        return f"{self.serial}.{self.edits}"

    def touched(self) -> None:
        """The text is another one now."""
        self.edits += 1
        self.failure = None
        self.stopped = False

    @property
    def large(self) -> bool:
        """Whether an answer about the whole of it takes long enough to be felt."""
        return self.document.buffer.byte_count > LARGE_BYTES

    def in_turn(self, call: Callable[[], None]) -> None:
        """Calls now, or, while it is busy, after all that came before."""
        if self.busy:
            self.held.append(call)
        else:
            call()

    def free(self) -> None:
        """The worker is done; what was held back has its turn."""
        self.busy = False
        held, self.held = self.held, []
        for call in held:
            self.in_turn(call)

    def release(self) -> None:
        """Lets all go on that wait."""
        waiters, self.waiters = self.waiters, []
        for waiter in waiters:
            waiter()


class Documents:
    """All open documents. Belongs to the loop."""

    def __init__(self) -> None:
        self._by_uri: dict[str, Opened] = {}
        self._by_meaning: dict[str, Opened] = {}

    def __iter__(self) -> Iterator[Opened]:
        return iter(list(self._by_uri.values()))

    def put(self, uri: str, document: Document) -> Opened:
        """Opens a document; one that is open under this very URI is closed for it. One of another spelling stays."""
        if uri in self._by_uri:
            self.remove(uri)
        opened = Opened(uri, document)
        self._by_uri[uri] = opened
        self._by_meaning[meaning_of(uri)] = opened
        return opened

    def remove(self, uri: str) -> Opened | None:
        """Closes a document; None where there is none of that URI."""
        opened = self.find(uri)
        if opened is None:
            return None
        opened.closed = True
        del self._by_uri[opened.uri]
        meaning = meaning_of(opened.uri)
        if self._by_meaning.get(meaning) is opened:
            del self._by_meaning[meaning]
            self._by_meaning.update((meaning, one) for one in self._by_uri.values() if meaning_of(one.uri) == meaning)
        opened.release()
        return opened

    def find(self, uri: str) -> Opened | None:
        """The open document of a URI, however it is spelt."""
        return self._by_uri.get(uri) or self._by_meaning.get(meaning_of(uri))
