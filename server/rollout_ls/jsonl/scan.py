"""Reads one JSON value token by token and says where, in which field and why it stops being one.

The fast decoders say only that a text is broken. This is the slow, exact second look; it never guesses what was meant,
never repairs, never recurses and never raises.
"""

from __future__ import annotations

import re

import msgspec

from rollout_ls.jsonl.tokens import (
    CLOSE_ARRAY,
    CLOSE_OBJECT,
    COLON,
    COMMA,
    LITERALS,
    NUMBER,
    OPEN_OBJECT,
    OPENING,
    QUOTE,
    TOKEN,
    dotted_path,
    is_infinite,
)

# Containers that stand deeper are blanked in what is handed on for decoding: decoders give up at 1,024 levels and
# Python's own recursion at some 1,000, while no reader of records takes more than 127.
DEEPEST_KEPT = 512

# Inside a string, on softened text: a raw control character, or an escape that JSON does not have.
_SUSPECT = re.compile(rb"[\x00-\x1f]|\\(?![/bfnrtu])|\\u(?![0-9a-fA-F]{4})")
_UNFINISHED_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?")
_UNFINISHED_NUMBER = re.compile(rb"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:(?<=[0-9])[eE][+-]?[0-9]*)?)?")
_WORD = re.compile(rb"[A-Za-z0-9_.+-]+")
_CHARACTER = re.compile(rb"[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*|.", re.DOTALL)
# Words of other languages than JSON; only these may be named in a message, since anything else is content.
_KNOWN_WORDS = frozenset(
    b"NaN nan Infinity -Infinity inf -inf undefined None True False TRUE FALSE NULL Null nil".split(b" ")
)

# What may come next. Up to _ELEMENT a value may.
_VALUE, _ELEMENT, _FIRST_KEY, _KEY, _COLON, _AFTER = range(6)


class Scan(msgspec.Struct):
    """What became of one value.

    state    "whole", "cut" (the text ends before the value does) or "bad" (something stands that may not)
    start, end  bytes: whole, the value; cut, from the value's start to the end of the text; bad, what is to blame
    reached  bytes: up to here the text is the beginning of one value; a string that ends in a surprise does not count
    path, detail  as in `faults.Fault`
    deep, huge   bytes: containers below `deepest` levels, and numbers beyond a 64-bit float, of a whole value
    """

    state: str
    start: int
    end: int
    reached: int
    path: str = ""
    detail: str = ""
    deep: list[tuple[int, int]] = []
    huge: list[tuple[int, int]] = []


def scan(text: bytes, plain: bytes, start: int, limit: int, deepest: int = DEEPEST_KEPT) -> Scan:
    """Read the one value that begins at `start`. `plain` is `text` softened; `limit` is where the text ends.

    Linear in the bytes read. An empty rest counts as cut.
    """
    state = _VALUE
    objects: list[bool] = []
    marks: list[int] = []  # as in dotted_path
    deep: list[tuple[int, int]] = []
    deep_start = start
    huge: list[tuple[int, int]] = []
    string_start = string_end = -1
    at = start
    for match in TOKEN.finditer(plain, start, limit):
        at = match.start()
        byte = plain[at]
        if byte == QUOTE:
            if state > _KEY:
                break
            end = match.end()
            closed = end - at > 1 and plain[end - 1] == QUOTE
            suspect = _SUSPECT.search(plain, at, end)
            if suspect is not None:
                cut_escape = not closed and _UNFINISHED_ESCAPE.fullmatch(plain, suspect.start(), end)
                if not cut_escape:
                    if state >= _FIRST_KEY:
                        marks[-1] = -1
                    return _bad_string(text, suspect.start(), at, dotted_path(text, plain, objects, marks))
            if not closed:
                return _cut_string(text, plain, objects, marks, state, start, limit, at)
            string_start, string_end = at, end
            if state >= _FIRST_KEY:
                marks[-1] = at
                state = _COLON
                continue
            state = _AFTER
        elif byte == COLON:
            if state != _COLON:
                break
            state = _VALUE
            continue
        elif byte == COMMA:
            if state != _AFTER:
                break
            if objects[-1]:
                state = _KEY
            else:
                marks[-1] += 1
                state = _VALUE
            continue
        elif byte in OPENING:
            if state > _ELEMENT:
                break
            if len(objects) == deepest:
                deep_start = at
            if byte == OPEN_OBJECT:
                objects.append(True)
                marks.append(-1)
                state = _FIRST_KEY
            else:
                objects.append(False)
                marks.append(0)
                state = _ELEMENT
            continue
        elif byte == CLOSE_OBJECT:
            if not objects or not objects[-1] or (state != _AFTER and state != _FIRST_KEY):
                break
            objects.pop()
            marks.pop()
            state = _AFTER
            if len(objects) == deepest:
                deep.append((deep_start, at + 1))
        elif byte == CLOSE_ARRAY:
            if not objects or objects[-1] or (state != _AFTER and state != _ELEMENT):
                break
            objects.pop()
            marks.pop()
            state = _AFTER
            if len(objects) == deepest:
                deep.append((deep_start, at + 1))
        else:
            if state > _ELEMENT:
                break
            end = match.end()
            word = match.group()
            if word not in LITERALS:
                number = NUMBER.fullmatch(word)
                if end == limit and objects and (number or _UNFINISHED_NUMBER.fullmatch(word)):
                    return _cut(start, limit, "inside", dotted_path(text, plain, objects, marks))
                if number is None:
                    if end == limit and any(literal.startswith(word) for literal in LITERALS):
                        return _cut(start, limit, "inside", dotted_path(text, plain, objects, marks))
                    break
                if is_infinite(word):
                    huge.append((at, end))
            state = _AFTER
        # A value has ended here.
        if not objects:
            return Scan("whole", start, match.end(), match.end(), deep=deep, huge=huge)
    else:
        return _cut_between(text, plain, objects, marks, state, start, limit)
    return _bad_token(text, plain, objects, marks, state, at, (string_start, string_end))


def path_before(text: bytes, plain: bytes, start: int, offset: int) -> str:
    """The path of the field that holds `offset`, of the value that begins at `start`, as far as it can be told."""
    return scan(text, plain, start, offset).path


def _cut(start: int, limit: int, word: str, path: str) -> Scan:
    where = f"{word} {path}" if word == "inside" else f"{word} `{path}`"
    return Scan("cut", start, limit, limit, path, where if path else "inside the record")


def _cut_string(
    text: bytes, plain: bytes, objects: list[bool], marks: list[int], state: int, start: int, limit: int, at: int
) -> Scan:
    """The text ends inside a string, which may be a key. What the string swallowed is not known to be of this value."""
    if state >= _FIRST_KEY:
        marks[-1] = -1
        path = dotted_path(text, plain, objects, marks)
        return Scan("cut", start, limit, at, path, f"inside a key of {path}" if path else "inside a key")
    found = _cut(start, limit, "inside", dotted_path(text, plain, objects, marks))
    found.reached = at
    return found


def _cut_between(
    text: bytes, plain: bytes, objects: list[bool], marks: list[int], state: int, start: int, limit: int
) -> Scan:
    """The text ends between two tokens, or in front of the first."""
    if state in (_FIRST_KEY, _KEY):
        marks[-1] = -1
    after = bool(objects) and objects[-1] and state not in (_FIRST_KEY, _KEY)
    return _cut(start, limit, "after" if after else "inside", dotted_path(text, plain, objects, marks))


def _bad_string(text: bytes, at: int, reached: int, path: str) -> Scan:
    """A string with something in it that may not stand there raw, or that is no escape."""
    if text[at] < 0x20:
        return Scan("bad", at, at + 1, reached, path, f"raw control character {text[at]:02x}")
    width = len(_CHARACTER.match(text, at + 1).group()) if at + 1 < len(text) else 0  # type: ignore[union-attr]
    return Scan("bad", at, at + 1 + width, reached, path, "no escape of JSON")


def _bad_token(
    text: bytes, plain: bytes, objects: list[bool], marks: list[int], state: int, at: int, string: tuple[int, int]
) -> Scan:
    """A token that may not stand where it does: the one character or word to blame."""
    byte = text[at]
    reached = at
    word = _WORD.match(text, at)
    if word is not None and at == string[1]:
        # A word right behind a closing quote: that quote was meant to be a character of the string, or of the key.
        if state == _COLON:
            marks[-1] = -1
        path = dotted_path(text, plain, objects, marks)
        return Scan("bad", at - 1, at, string[0], path, "unescaped quote")
    if at == string[1]:
        reached = string[0]
    if state in (_FIRST_KEY, _KEY):
        marks[-1] = -1
    path = dotted_path(text, plain, objects, marks)
    if word is not None:
        blamed = word.group()
        if blamed in _KNOWN_WORDS:
            detail = blamed.decode()
        elif blamed[0] in b"+-.0123456789":
            detail = "no number of JSON" if state <= _ELEMENT else "unexpected number"
        else:
            detail = "unexpected word"
        if state == _COLON:
            detail = "missing colon"
        return Scan("bad", at, word.end(), reached, path, detail)
    width = len(_CHARACTER.match(text, at).group())  # type: ignore[union-attr]
    if byte in b"}]" and not objects:
        detail = "closing bracket without an opening one"
    elif byte in b"}]" and state in (_KEY, _VALUE, _COLON):
        detail = "missing value" if state == _COLON or (state == _VALUE and objects[-1]) else "trailing comma"
    elif byte in b"}]" and objects[-1] != (byte == CLOSE_OBJECT):
        detail = "wrong closing bracket"
    elif state == _AFTER and byte != COLON:
        detail = "missing comma"
    elif state == _COLON:
        detail = "missing colon"
    elif state in (_FIRST_KEY, _KEY):
        detail = "missing key"
    else:
        detail = "unexpected character"
    return Scan("bad", at, at + width, reached, path, detail)
