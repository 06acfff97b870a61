"""Takes the long texts of a message out of its JSON, in pieces, straight to UTF-8.

A didOpen is a few words around one string that may be hundreds of megabytes. Decoding it whole would make a Python
string of up to four times that size. So the value of each key ``text`` is decoded piece by piece, cut behind an escaped
line end, while the message still comes; what is left, the message with ``{"taken": n}`` for its n-th text, is small.
The pieces of a text are its lines, as far as all is well with it: so they need not be copied again to become the
document's.

A half surrogate, which JSON can write and UTF-8 cannot, becomes the three bytes it would have; so do raw ones. Bytes
that are no UTF-8 stay as they are. Never fails; whether the rest is JSON is for the next one to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from rollout_ls.text.rows import split_lines

_KEY = re.compile(rb'"text"[ \t\r\n]*:[ \t\r\n]*"')
_LONGEST_KEY_BYTES = 64
_WINDOW_BYTES = 1024
_LINE_END = b"\\n"
_RECORD_ENDS = (b"}\\n", b"}\\r\\n")
"""Line ends as nearly all of them are: no backslash in them can be the second half of an escaped one."""
_LONG_LINE_BYTES = 1 << 20
_ESCAPE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u]", re.DOTALL)
_LONE = re.compile(rb"\\\\|(\\u[dD][89abAB]..\\u[dD][c-fC-F]..)|(\\u[dD][89a-fA-F]..)", re.DOTALL)
_skip = msgspec.json.Decoder(msgspec.Raw).decode
_decode = msgspec.json.Decoder(str).decode
"""Strict, like every JSON decoder: fails at a raw control character, half a surrogate, bytes that are no UTF-8."""
_SHORT_ESCAPES = {b'"': b'"', b"\\": b"\\", b"/": b"/", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def take_texts(pieces: Iterable[bytes]) -> tuple[bytes, list[list[bytes]]]:
    """(what is left of a message, its texts in pieces of UTF-8 each)."""
    skeleton: list[bytes] = []
    texts: list[list[bytes]] = []
    inside = False
    waiting: list[bytes] = []
    have = wanted = 0
    for piece in pieces:
        waiting.append(piece)
        have += len(piece)
        if have < wanted:
            continue
        data, at, again = b"".join(waiting), 0, True
        while again:
            inside, at, again = _text(data, at, texts[-1]) if inside else _around(data, at, skeleton, texts)
        waiting, have = [data[at:] if at else data], len(data) - at
        wanted = 2 * have if inside else 0  # a line longer than a piece: come back when there is twice as much of it
    _finish(inside, b"".join(waiting), skeleton, texts)
    return b"".join(skeleton), texts


def _finish(inside: bool, data: bytes, skeleton: list[bytes], texts: list[list[bytes]]) -> None:
    at = 0
    while inside:
        end = _string_end(data, at)
        texts[-1].append(decode_string(data[at:] if end is None else data[at:end]))
        if end is None:
            return
        inside, at, again = False, end + 1, True
        while again and not inside:
            inside, at, again = _around(data, at, skeleton, texts)
    skeleton.append(data[at:])


def _around(data: bytes, at: int, skeleton: list[bytes], texts: list[list[bytes]]) -> tuple[bool, int, bool]:
    """Looks for the next text from an offset on: (inside a text now, the offset of what is not used yet, whether to go
    on from there)."""
    start = at
    while found := _KEY.search(data, start):
        if found.start() > at and data[found.start() - 1] == 0x5C:
            start = found.start() + 1
            continue
        skeleton += (data[at : found.end() - 1], b'{"taken":%d}' % len(texts))
        texts.append([])
        return True, found.end(), True
    kept_from = max(at, len(data) - _LONGEST_KEY_BYTES)
    skeleton.append(data[at:kept_from])
    return False, kept_from, False


def _text(data: bytes, at: int, pieces: list[bytes]) -> tuple[bool, int, bool]:
    """Decodes a text from an offset on, as far as whole lines of it are there; the same triple."""
    end = _end_in_window(data, at, _WINDOW_BYTES)
    if end is not None:  # most texts are short, and what stands behind them may be many more
        pieces.append(decode_string(data[at:end]))
        return False, end + 1, True
    cut = _safe_cut(data, at)
    if cut <= at:
        end = None if _is_inside(data[at:]) else _string_end(data, at)
        if end is None:
            return True, at, False
        pieces.append(decode_string(data[at:end]))
        return False, end + 1, True
    try:
        pieces += split_lines(_decode(b'"%b"' % data[at:cut]).encode())
    except ValueError:
        end = _string_end(data[:cut], at)
        if end is not None:
            pieces.append(decode_string(data[at:end]))
            return False, end + 1, True
        pieces.append(_unescape(data[at:cut]))
    return True, cut, False


def _safe_cut(data: bytes, at: int) -> int:
    """The offset behind the last escaped line end from ``at`` on; ``at`` where there is none, or where one is not worth
    looking for yet."""
    for end in _RECORD_ENDS:
        found = data.rfind(end, at)
        if found >= 0:
            return found + len(end)
    if len(data) - at < _LONG_LINE_BYTES:
        return at
    plain = data[at:].replace(b"\\\\", b"__")  # now a backslash begins an escape, and no letter behind one is mistaken
    return at + plain.rfind(_LINE_END) + len(_LINE_END) if _LINE_END in plain else at


def _is_inside(data: bytes) -> bool:
    """Whether a string surely does not end in these bytes. Many that do not end are not sure."""
    try:
        _skip(b'"%b"' % data)
    except msgspec.DecodeError:
        return False
    return True


def _string_end(data: bytes, at: int) -> int | None:
    """The offset of the quote that ends a string, of which ``at`` is inside and not inside an escape."""
    size = _WINDOW_BYTES
    while True:
        end = _end_in_window(data, at, size)
        if end is not None or at + size >= len(data):
            return end
        size *= 4


def _end_in_window(data: bytes, at: int, size: int) -> int | None:
    """The same, if it is one of the next ``size`` bytes."""
    end = data[at : at + size].replace(b"\\\\", b"__").replace(b'\\"', b"__").find(b'"')
    return None if end < 0 else at + end


def decode_string(inner: bytes) -> bytes:
    """The UTF-8 of a JSON string, without its quotes; half surrogates as three bytes each."""
    try:
        return _decode(b'"%b"' % inner).encode()
    except ValueError:
        return _unescape(inner)


def _unescape(inner: bytes) -> bytes:
    return _ESCAPE.sub(_plain, inner)


def _plain(match: re.Match[bytes]) -> bytes:
    escape = match[0]
    if len(escape) == 2:
        return _SHORT_ESCAPES.get(escape[1:], escape)
    if len(escape) == 6:
        return chr(int(escape[2:], 16)).encode("utf-8", "surrogatepass")
    high, low = int(escape[2:6], 16), int(escape[8:], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)).encode()


def mend(message: bytes) -> bytes:
    """A message in which escaped half surrogates and bytes that are no UTF-8 are replaced (its texts taken out)."""
    clean = message.decode("utf-8", "replace").encode()
    return _LONE.sub(lambda match: b"\\ufffd" if match[2] else match[0], clean)
