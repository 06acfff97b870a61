"""A container laid flat: its keys and values as one row of places, made by the fast decoder.

For objects that a dict cannot tell the places of: with doubled or escaped keys, with half surrogates, with bytes that
are no UTF-8. Brackets are written as those of arrays and colons as commas, which keeps all lengths; what a key or a
string says is never read from such a text. Nothing is kept but numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

import msgspec
import orjson

from rollout_ls.jsonl.tokens import COMMA, soften

_HIGH = bytes(range(0x80, 0x100))
_PLAIN = bytes.maketrans(b"\\" + _HIGH, b"_" * (1 + len(_HIGH)))
_FLAT = bytes.maketrans(b"{}:\\" + _HIGH, b"[],_" + b"_" * len(_HIGH))
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_GAP = re.compile(rb"[ \t\r\n]*")
_SIMPLE = re.compile(r"[^\W\d]\w*", re.ASCII)
"""A key that is spelt in one way only, unless with ``\\u``."""


class Flat(msgspec.Struct, frozen=True):
    """The row of one container's values at ``start``; in an object, keys and values by turns.

    ``ends`` are where they end, ``lengths`` how long they are, in bytes.
    """

    start: int
    is_object: bool
    ends: list[int]
    lengths: list[int]

    def place(self, number: int) -> tuple[int, int]:
        """(start, end) of a value of the row."""
        end = self.start + self.ends[number]
        return end - self.lengths[number], end

    def at(self, offset: int) -> int | None:
        """The number of the element, or of the member's key, that holds the byte at ``offset``. A member reaches from
        its key to its value's end."""
        number = bisect_right(self.ends, offset - self.start)
        if self.is_object:
            number -= number % 2
        if number >= len(self.ends) or offset < self.place(number)[0]:
            return None
        return number

    def last(self, text: bytes, key: str) -> int | None:
        """The number of the last key of that name; ``text`` is the one that was laid flat."""
        if not self.ends:
            return None
        begin, end = self.start, self.start + self.ends[-1]
        if not _SIMPLE.fullmatch(key) or text.find(b"\\u", begin, end) >= 0:
            return self._last_spelt(text, key)
        plain = b'"%b"' % key.encode()
        found = text.rfind(plain, begin, end)
        while found >= 0:
            number = self.at(found)
            if number is not None and self.place(number)[0] == found:
                return number
            found = text.rfind(plain, begin, found + len(plain) - 1)
        return None

    def _last_spelt(self, text: bytes, key: str) -> int | None:
        numbers = range(len(self.ends) - 2, -1, -2)
        return next((number for number in numbers if key_text(text[slice(*self.place(number))]) == key), None)


def lay_flat(text: bytes, start: int, end: int, *, is_json: bool = False) -> Flat | None:
    """The row of the container there; None where it does not hold together. Raises RecursionError where it nests too
    deeply for the decoder.

    ``is_json``: it is known to hold together.
    """
    softened = soften(text[start:end])
    is_object = softened[:1] == b"{"
    try:
        if is_object and not is_json:
            _OBJECT.decode(softened.translate(_PLAIN))
        plain = softened.translate(_FLAT if is_object else _PLAIN)
        raws = _ARRAY.decode(plain)
    except msgspec.DecodeError:
        return None
    lengths = list(map(len, raws))
    return Flat(start, is_object, _ends(plain, raws, lengths), lengths)


def row_of(text: bytes, start: int, end: int, raws: list[msgspec.Raw]) -> Flat:
    """The row of an array that was decoded already."""
    lengths = list(map(len, raws))
    plain = text if (start, end) == (0, len(text)) else text[start:end]
    return Flat(start, False, _ends(plain, raws, lengths), lengths)


def key_text(token: bytes) -> str:
    """A key as it reads, from its token with the quotes."""
    try:
        return str(orjson.loads(token))
    except orjson.JSONDecodeError:
        return token[1:-1].decode("utf-8", "replace")


def _ends(plain: bytes, raws: list[msgspec.Raw], lengths: list[int]) -> list[int]:
    """Where the values of an array end. Most are written with nothing between them, or a blank behind each comma."""
    extra = len(plain) - sum(lengths) - len(lengths) - 1
    if extra == 0:
        return list(accumulate(map((1).__add__, lengths)))
    if extra == len(lengths) - 1 and plain[1:-1] == b", ".join(raws):
        return [end - 1 for end in accumulate(map((2).__add__, lengths))]
    ends = []
    at = 0
    for length in lengths:
        at = _GAP.match(plain, at + 1).end() + length  # type: ignore[union-attr]
        ends.append(at)
        if plain[at] != COMMA:
            at = _GAP.match(plain, at).end()  # type: ignore[union-attr]
    return ends
