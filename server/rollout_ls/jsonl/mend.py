"""Makes decodable text of a line that holds bytes which break JSON, one byte for one, so that every offset holds.

What is replaced is never content that could have been read: NUL bytes, bytes that are no UTF-8, carriage returns inside
strings, escapes of half a surrogate pair, what nests too deeply. Nothing here decides whether that is a fault, and
nothing else is touched.
"""

from __future__ import annotations

import re

from rollout_ls.jsonl.tokens import OPENING, soften

_MARKS = re.compile(rb"[\x00\r]+")
_RAW_BYTES = re.compile("[\udc80-\udcff]")
_RAW_RUNS = re.compile("[\udc80-\udcff]+")
# On softened text: a whole pair, or (group 1) a half.
_SURROGATES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_ANY_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_BRACKETS = re.compile(rb"[\[{]+|[\]}]+")
_REPLACEMENT = rb"\ufffd"


class BadUtf8:
    """The first place of a line that is no UTF-8: byte offsets, how many places there are, and what stands there."""

    __slots__ = ("count", "detail", "end", "start")

    def __init__(self, start: int, end: int, count: int, detail: str) -> None:
        self.start = start
        self.end = end
        self.count = count
        self.detail = detail


def find_bad_utf8(line: bytes) -> BadUtf8 | None:
    """Where the line first is no UTF-8, or None. The three bytes of a surrogate are no UTF-8. Next to free if it is."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        start, end = error.start, error.end
    else:
        return None
    count = len(_RAW_RUNS.findall(line.decode("utf-8", "surrogateescape")))
    lead = line[start]
    if lead == 0xED and start + 2 < len(line) and 0xA0 <= line[start + 1] <= 0xBF and 0x80 <= line[start + 2] <= 0xBF:
        end = start + 3
        return BadUtf8(start, end, count, f"surrogate {line[start:end].hex(' ')}")
    what = "incomplete character" if 0xC2 <= lead <= 0xF4 else "stray byte" if lead < 0xC0 else "impossible byte"
    return BadUtf8(start, end, count, f"{what} {line[start:end].hex(' ')}")


def without_cut_character(text: bytes) -> bytes:
    """The text without the beginning of a character at its very end, where there is one."""
    for back in range(1, min(3, len(text)) + 1):
        lead = text[-back]
        if 0x80 <= lead < 0xC0:
            continue
        wanted = 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if 0xF0 <= lead <= 0xF4 else 0
        return text[:-back] if back < wanted else text
    return text


def nul_bad_utf8(line: bytes) -> bytes:
    """The line with each byte that is no UTF-8 as NUL, so that it is mended as NUL bytes are."""
    return _RAW_BYTES.sub("\0", line.decode("utf-8", "surrogateescape")).encode()


def half_surrogates(plain: bytes, start: int, end: int) -> list[int]:
    """Where the escapes of half a surrogate pair begin between two offsets of a softened text."""
    if b"\\" not in plain or not _ANY_SURROGATE.search(plain, start, end):
        return []
    return [found.start(1) for found in _SURROGATES.finditer(plain, start, end) if found.group(1)]


class Mended:
    """A line, its NULs and carriage returns, and the texts that come of it.

    Whether such a byte stands inside a string depends on where one begins to read: behind a record that was cut off in
    a string all is the other way round. There are only two answers, so both are made once, when asked.
    """

    def __init__(self, line: bytes, start: int, end: int) -> None:
        """Only bytes from `start` to `end` are mended. `line` is UTF-8."""
        self._start = start
        self._end = end
        plain = soften(line)
        self.halves = half_surrogates(plain, start, end)
        if self.halves:
            mended, mended_plain = bytearray(line), bytearray(plain)
            for at in self.halves:
                mended[at : at + 6] = mended_plain[at : at + 6] = _REPLACEMENT
            line, plain = bytes(mended), bytes(mended_plain)
        self._line = line
        self._plain = plain
        self._marked = _MARKS.search(line, start, end) is not None
        self._texts: dict[int, tuple[bytes, bytes]] = {}
        self._counted = start  # where the quotes were last counted up to, and whether their number was odd
        self._parity = 0

    def read_from(self, offset: int) -> tuple[bytes, bytes]:
        """The text to read for a value that begins at `offset`, and the same softened."""
        if not self._marked:
            return self._line, self._plain
        low, high = min(self._counted, offset), max(self._counted, offset)
        self._parity ^= self._plain.count(b'"', low, high) & 1
        self._counted = offset
        if self._parity not in self._texts:
            self._texts[self._parity] = self._without_marks(self._parity)
        return self._texts[self._parity]

    def _without_marks(self, parity: int) -> tuple[bytes, bytes]:
        """NULs and CRs inside strings become ``?``; outside, NULs become spaces, and CRs stay: they are white space."""
        line, plain = bytearray(self._line), bytearray(self._plain)
        last = self._start
        for found in _MARKS.finditer(self._line, self._start, self._end):
            at, end = found.span()
            parity ^= self._plain.count(b'"', last, at) & 1
            last = end
            fill = b"?" * (end - at) if parity else found.group().replace(b"\0", b" ")
            line[at:end] = plain[at:end] = fill
        return bytes(line), bytes(plain)


def blank_out(text: bytes, deep: list[tuple[int, int]], huge: list[tuple[int, int]]) -> bytes:
    """What no decoder takes, replaced at its length: containers too deep by strings, numbers too large by 9e307."""
    if not deep and not huge:
        return text
    mended = bytearray(text)
    for start, end in deep:
        mended[start:end] = b'"' + b"?" * (end - start - 2) + b'"'
    for start, end in huge:
        sign = b"-" if text[start : start + 1] == b"-" else b""
        mended[start:end] = (sign + b"9e307").ljust(end - start)
    return bytes(mended)


def without_deep(text: bytes, deepest: int) -> bytes:
    """The text with each container below so many levels as a string of its length; the text itself where none is.

    Much faster than `scan`, which finds them too, but only right for text that holds together.
    """
    parts = soften(text).split(b'"')
    parts[1::2] = [b" " * len(part) for part in parts[1::2]]
    deep: list[tuple[int, int]] = []
    depth = start = 0
    for run in _BRACKETS.finditer(b'"'.join(parts)):
        at, count = run.start(), run.end() - run.start()
        if text[at] in OPENING:
            if depth <= deepest < depth + count:
                start = at + deepest - depth
            depth += count
            continue
        if depth - count <= deepest < depth:
            deep.append((start, at + depth - deepest))
        depth -= count
    return blank_out(text, deep, [])
