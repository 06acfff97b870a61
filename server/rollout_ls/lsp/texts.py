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
        data, again = b"".join(waiting), True
        while again:
            inside, data, again = _text(data, texts[-1]) if inside else _around(data, skeleton, texts)
        waiting, have = [data], len(data)
        wanted = 2 * have if inside else 0  # a line longer than a piece: come back when there is twice as much of it
    _finish(inside, b"".join(waiting), skeleton, texts)
    return b"".join(skeleton), texts


def _finish(inside: bool, data: bytes, skeleton: list[bytes], texts: list[list[bytes]]) -> None:
    while inside:
        end = _string_end(data)
        texts[-1].append(decode_string(data if end is None else data[:end]))
        if end is None:
            return
        inside, data, again = False, data[end + 1 :], True
        while again and not inside:
            inside, data, again = _around(data, skeleton, texts)
    skeleton.append(data)


def _around(data: bytes, skeleton: list[bytes], texts: list[list[bytes]]) -> tuple[bool, bytes, bool]:
    """Looks for the next text: (inside a text now, bytes not used yet, whether to go on with them)."""
    start = 0
    while found := _KEY.search(data, start):
        if found.start() and data[found.start() - 1] == 0x5C:
            start = found.start() + 1
            continue
        skeleton += (data[: found.end() - 1], b'{"taken":%d}' % len(texts))
        texts.append([])
        return True, data[found.end() :], True
    keep = min(len(data), _LONGEST_KEY_BYTES)
    skeleton.append(data[: len(data) - keep])
    return False, data[len(data) - keep :], False


def _text(data: bytes, pieces: list[bytes]) -> tuple[bool, bytes, bool]:
    """Decodes a text as far as whole lines of it are there; the same triple."""
    cut = _safe_cut(data)
    if not cut:
        end = None if _is_inside(data) else _string_end(data)
        if end is None:
            return True, data, False
        pieces.append(decode_string(data[:end]))
        return False, data[end + 1 :], True
    try:
        pieces += split_lines(_decode(b'"%b"' % data[:cut]).encode())
    except ValueError:
        end = _string_end(data[:cut])
        if end is not None:
            pieces.append(decode_string(data[:end]))
            return False, data[end + 1 :], True
        pieces.append(_unescape(data[:cut]))
    return True, data[cut:], False


def _safe_cut(data: bytes) -> int:
    """The offset behind the last escaped line end, 0 where there is none; or where one is not worth looking for yet."""
    for end in _RECORD_ENDS:
        found = data.rfind(end)
        if found >= 0:
            return found + len(end)
    if len(data) < _LONG_LINE_BYTES:
        return 0
    plain = data.replace(b"\\\\", b"__")  # now a backslash begins an escape, and no letter behind one is mistaken
    return plain.rfind(_LINE_END) + len(_LINE_END) if _LINE_END in plain else 0


def _is_inside(data: bytes) -> bool:
    """Whether a string surely does not end in these bytes. Many that do not end are not sure."""
    try:
        _skip(b'"%b"' % data)
    except msgspec.DecodeError:
        return False
    return True


def _string_end(data: bytes) -> int | None:
    """The offset of the quote that ends a string, in bytes that begin inside it and not inside an escape."""
    size = _WINDOW_BYTES
    while True:  # most texts are short, and what stands behind them may be a megabyte
        end = data[:size].replace(b"\\\\", b"__").replace(b'\\"', b"__").find(b'"')
        if end >= 0 or size >= len(data):
            return None if end < 0 else end
        size *= 4


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
