"""What becomes of halves of surrogate pairs that stand together: one character, as in a text that is opened anew."""

from __future__ import annotations

import re

_PAIR = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")


def joined(data: bytes) -> bytes:
    """The bytes with each pair of halves, three bytes each, as the four of its character."""
    return _PAIR.sub(lambda pair: _character(pair.group().decode("utf-8", "surrogatepass")), data)


def _character(halves: str) -> bytes:
    high, low = (ord(half) for half in halves)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)).encode()
