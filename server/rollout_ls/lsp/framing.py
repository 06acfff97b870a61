"""Cuts what a client sends into messages: headers, an empty line, a body.

Believes nothing it reads: headers may come in any case and order, a length may be wrong, rubbish may stand between two
messages. After a fault it goes on at the next header, which cannot stand inside a JSON text (a line end there is
written ``\\n``). Never keeps more than one body, never reads one that announces more than ``MAX_BODY_BYTES``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

import msgspec

MAX_BODY_BYTES = 1 << 30
"""A longer message is refused; no editor holds such a document."""
LONG_BYTES = 1 << 20
"""Bodies longer than this are handed on in pieces while they come."""
PIECE_BYTES = 3 << 15
"""What is read and handed on at a time: little enough to stay in the processor's cache, also as a string."""

_NAME = b"content-length"
_HEADER = re.compile(rb"(?<![-_])content-length[ \t]*:[ \t]*([0-9]{1,80})[ \t]*\r?\n", re.IGNORECASE)
_CUT_HEADER = re.compile(rb"content-length[ \t]*(?::[ \t]*[0-9]{0,80}[ \t]*\r?)?")
_LONGEST_HEADER_BYTES = 128
_MAX_LINE_BYTES = 8192


class Body(msgspec.Struct, frozen=True):
    """A whole body of at most ``LONG_BYTES``."""

    data: bytes


class LongBody(msgspec.Struct, frozen=True):
    """A long body; its pieces must be taken to the end before the next frame is asked for."""

    length: int
    pieces: Iterator[bytes]


class TooLarge(msgspec.Struct, frozen=True):
    """A message that is not read."""

    length: int


Frame: TypeAlias = "Body | LongBody | TooLarge"


class Frames:
    """The frames of one input. ``read(n)`` gives at most n bytes as soon as some are there, and none at the end."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._data = b""
        self._at = 0
        self._ended = False

    @property
    def ended(self) -> bool:
        """Whether the input is at its end."""
        return self._ended

    def next(self) -> Frame | None:
        """The next frame; None at the end of the input."""
        length = self._length()
        if length is None:
            return None
        if length > MAX_BODY_BYTES:
            return TooLarge(length)
        if length > LONG_BYTES:
            return LongBody(length, self._pieces(length))
        data = self._exactly(length)
        return None if data is None else Body(data)

    def resync(self, body: bytes) -> bytes:
        """For a body that is no message: all that stands before the next header, which is where reading goes on.

        Shorter than the body where its length was too large, longer where it was too small, else the body itself.
        Waits for more input only where what is there ends like a header that is cut off.
        """
        while True:
            joined = body + self._data[self._at :]
            found = _HEADER.search(joined)
            if found or not _ends_in_cut_header(joined) or not self._fill():
                break
        end = found.start() if found else len(joined)
        self._data, self._at = joined[end:], 0
        return joined[:end]

    def _fill(self) -> bool:
        """Reads some more bytes; False at the end of the input."""
        data = b"" if self._ended else self._read(PIECE_BYTES)
        if not data:
            self._ended = True
            return False
        self._data, self._at = self._data[self._at :] + data, 0
        return True

    def _length(self) -> int | None:
        """Reads up to the first byte of a body; its length, None at the end of the input."""
        length: int | None = None
        while True:
            end = self._data.find(b"\n", self._at) + 1
            if not end:
                self._at = max(self._at, len(self._data) - _MAX_LINE_BYTES)
                if not self._fill():
                    return None
                continue
            found = _HEADER.search(self._data, self._at, end)
            blank = not self._data[self._at : min(end, self._at + 3)].strip()
            self._at = end
            if found:
                length = int(found[1])
            elif blank and length is not None:
                return length

    def _exactly(self, length: int) -> bytes | None:
        """That many bytes; None where the input ends before."""
        parts: list[bytes] = []
        left = length
        while True:
            part = self._data[self._at : self._at + left]
            self._at += len(part)
            left -= len(part)
            parts.append(part)
            if not left:
                return part if len(parts) == 1 else b"".join(parts)
            if not self._fill():
                return None

    def _pieces(self, length: int) -> Iterator[bytes]:
        left = length
        while left:
            data = self._exactly(min(left, PIECE_BYTES))
            if data is None:
                return
            left -= len(data)
            yield data


def _ends_in_cut_header(data: bytes) -> bool:
    tail = data[-_LONGEST_HEADER_BYTES:].lower()
    at = tail.rfind(b"c")
    while at >= 0:
        if _NAME.startswith(tail[at:]) or _CUT_HEADER.fullmatch(tail, at):
            return True
        at = tail.rfind(b"c", 0, at)
    return False
