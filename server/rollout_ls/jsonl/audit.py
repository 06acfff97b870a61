"""What is wrong with a record although it decodes: doubled keys, too many levels, too large integers, broken UTF-8.

The fast decode skips all of it without a word. It is looked for afterwards, when there is time: a line written as the
usual writers do is cleared by decoding and encoding it once; only the others are read more closely, and only a line
that holds something is read token by token. Never raises; linear in the line's bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import msgspec
import orjson

from rollout_ls.jsonl.faults import Fault
from rollout_ls.jsonl.mend import find_bad_utf8, nul_bad_utf8
from rollout_ls.jsonl.scan import path_before
from rollout_ls.jsonl.tokens import (
    CLOSING,
    COLON,
    COMMA,
    INTEGER,
    OPEN_OBJECT,
    OPENING,
    QUOTE,
    SHORTEST_INFINITE_NUMBER,
    SPACE,
    TOKEN,
    dotted_path,
    soften,
)

MAX_LEVELS = 127
"""So many containers, the record's object among them, load in the upstream reader; one more does not."""

MAX_FAULTS = 100
"""So many faults of one kind are told of one line; the last one counts the rest."""

LONGEST_NUMBER_SHOWN = 200

_LONG_LINE_BYTES = 4096
_LARGE_INTEGER = re.compile(rb"[0-9]{19}")
_LEVELS = bytes(1 if byte in b"{[" else 255 if byte in b"}]" else 0 for byte in range(256))
_NO_BRACKET = bytes(byte for byte in range(256) if byte not in b"{}[]")


def idle_faults(line: bytes) -> tuple[Fault, ...]:
    """What stands in a line that decoded; of one that is broken, what stands before it breaks.

    Gives "duplicate-key", "too-deep", "int-too-big", "bad-utf8", and "broken" for a number beyond a 64-bit float. For a
    recovered record ask with its `Value.text`, and add its start to the places.
    """
    try:
        decoded = orjson.loads(line)
    except orjson.JSONDecodeError:
        return _audit_undecodable(line)
    if _is_as_written(line, decoded):
        return tuple(_audit(line)) if _may_be_deep(line) and _levels(decoded) > MAX_LEVELS else ()
    outside = _outside_strings(line)
    if _may_be_deep(line) and _depth(outside) > MAX_LEVELS:
        return tuple(_audit(line))
    if outside.count(b":") == _count_members(decoded) and not _LARGE_INTEGER.search(outside):
        return ()
    return tuple(_audit(line))


def _audit_undecodable(line: bytes) -> tuple[Fault, ...]:
    bad = find_bad_utf8(line)
    if bad is None:
        return tuple(_audit(line))
    marked = nul_bad_utf8(line).replace(b"\0", b"?")
    faults = _audit(marked)
    path = path_before(marked, soften(marked), len(marked) - len(marked.lstrip(SPACE)), bad.start)
    faults.append(Fault("bad-utf8", bad.start, bad.end, path, bad.detail, bad.count))
    return tuple(sorted(faults, key=lambda fault: fault.start))


# -- clearing a line without reading its tokens


def _is_as_written(line: bytes, decoded: Any) -> bool:
    """Whether encoding gives the line again: then no key was lost, and no integer became a float."""
    try:
        encoded = orjson.dumps(decoded)
    except orjson.JSONEncodeError:
        return False  # too deep for it
    return encoded == line or encoded == line.strip(SPACE)


def _may_be_deep(line: bytes) -> bool:
    """Whether there may be enough brackets for too many levels. Those of long lines stand in texts as a rule, and to
    count them takes longer than to look at what is decoded."""
    if len(line) > _LONG_LINE_BYTES:
        return True
    return len(line) > 2 * MAX_LEVELS and line.count(b"{") + line.count(b"[") > MAX_LEVELS


def _levels(decoded: Any) -> int:
    """How deep the containers of a decoded value nest."""
    levels, row = 0, [decoded] if isinstance(decoded, dict | list) else []
    while row:
        levels += 1
        row = [
            child
            for one in row
            for child in (one.values() if one.__class__ is dict else one)
            if child.__class__ is dict or child.__class__ is list
        ]
    return levels


def _outside_strings(line: bytes) -> bytes:
    """The line without its strings, but with their quotes, so that numbers beside them do not run together."""
    return b'"'.join(soften(line).split(b'"')[::2])


def _depth(outside: bytes) -> int:
    levels = outside.translate(_LEVELS, _NO_BRACKET)
    return max(accumulate(1 if level == 1 else -1 for level in levels), default=0)


def _count_members(decoded: Any) -> int:
    """How many members the objects of a decoded value have together."""
    count = 0
    waiting: list[Any] = [decoded]
    while waiting:
        value = waiting.pop()
        if type(value) is dict:
            count += len(value)
            waiting.extend(value.values())
        elif type(value) is list:
            waiting.extend(value)
    return count


# -- reading a line that holds something


class _Deep(msgspec.Struct):
    """A member that nests too deep, and how deep."""

    path: str
    levels: int = 0


class _Audit:
    """Goes through the tokens of one line, and keeps what it finds."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.plain = soften(text)
        self.objects: list[bool] = []
        self.marks: list[int] = []  # as in dotted_path
        self.keys: list[set[bytes] | None] = []  # of each open container; None while it has at most one
        self.faults: list[Fault] = []
        self.counts: dict[str, int] = {}
        self.deepest: dict[int, _Deep] = {}  # by the start of the key that holds it

    def run(self) -> list[Fault]:
        key_next = False
        deep = _Deep("")
        for match in TOKEN.finditer(self.plain):
            at = match.start()
            byte = self.plain[at]
            if byte == QUOTE:
                if key_next:
                    self._read_key(at, match.end())
                    key_next = False
            elif byte == COMMA:
                if not self.objects:
                    break
                key_next = self.objects[-1]
                if not key_next:
                    self.marks[-1] += 1
            elif byte in OPENING:
                key_next = byte == OPEN_OBJECT
                self.objects.append(key_next)
                self.marks.append(-1 if key_next else 0)
                self.keys.append(None)
                levels = len(self.objects)
                if levels > MAX_LEVELS:
                    if levels == MAX_LEVELS + 1:
                        deep = self._holder_of_level()
                    if levels > deep.levels:
                        deep.levels = levels
            elif byte in CLOSING:
                if not self.objects:
                    break
                self.objects.pop()
                self.marks.pop()
                self.keys.pop()
                key_next = False
            elif byte != COLON and match.end() - at >= SHORTEST_INFINITE_NUMBER:
                self._read_number(at, match.end())
        for start, deep in self.deepest.items():
            end = self._key_end(start) if start >= 0 else 1
            self._add(Fault("too-deep", max(start, 0), end, deep.path, f"{deep.levels} levels"))
        return self._counted()

    def _read_key(self, start: int, end: int) -> None:
        before = self.marks[-1]
        self.marks[-1] = start
        if before < 0:
            return
        seen = self.keys[-1]
        if seen is None:
            seen = self.keys[-1] = {self._key_at(before, self._key_end(before))}
        name = self._key_at(start, end)
        if name in seen:
            self._add(Fault("duplicate-key", start, end, self._path_unless_full("duplicate-key")))
        seen.add(name)

    def _holder_of_level(self) -> _Deep:
        """What holds the levels that have just become too many: the payload's member, else the record's."""
        depth = 1
        if not self.objects[0]:
            depth = 0
        elif self.objects[1] and self.marks[1] >= 0 and self.text.startswith(b'"payload"', self.marks[0]):
            depth = 2
        start = self.marks[depth - 1] if depth else -1
        if start not in self.deepest:
            self.deepest[start] = _Deep(dotted_path(self.text, self.plain, self.objects, self.marks, depth))
        return self.deepest[start]

    def _read_number(self, start: int, end: int) -> None:
        word = self.text[start:end]
        if INTEGER.fullmatch(word):
            detail = _integer_size(word)
            if not detail:
                return
            if end - start > LONGEST_NUMBER_SHOWN:
                key = next((mark for is_object, mark in self._innermost() if is_object and mark >= 0), None)
                start, end = (start, end) if key is None else (key, self._key_end(key))
            self._add(Fault("int-too-big", start, end, self._path_unless_full("int-too-big"), detail))

    def _innermost(self) -> Iterator[tuple[bool, int]]:
        return zip(reversed(self.objects), reversed(self.marks), strict=True)

    def _key_end(self, start: int) -> int:
        return self.plain.find(b'"', start + 1) + 1

    def _key_at(self, start: int, end: int) -> bytes:
        """The key as it reads, however it is escaped."""
        token = self.text[start:end]
        if b"\\" not in token:
            return token[1:-1]
        try:
            return str(orjson.loads(token)).encode()
        except orjson.JSONDecodeError:
            return token[1:-1]

    def _path_unless_full(self, what: str) -> str:
        if self.counts.get(what, 0) >= MAX_FAULTS:
            return ""
        return dotted_path(self.text, self.plain, self.objects, self.marks)

    def _add(self, fault: Fault) -> None:
        count = self.counts[fault.what] = self.counts.get(fault.what, 0) + 1
        if count <= MAX_FAULTS:
            self.faults.append(fault)

    def _counted(self) -> list[Fault]:
        """The faults by their place; the last one told of a kind counts those that are not."""
        left = {what: count - MAX_FAULTS for what, count in self.counts.items() if count > MAX_FAULTS}
        for number in range(len(self.faults) - 1, -1, -1):
            more = left.pop(self.faults[number].what, 0)
            if more:
                self.faults[number] = msgspec.structs.replace(self.faults[number], count=1 + more)
        return sorted(self.faults, key=lambda fault: fault.start)


def _audit(text: bytes) -> list[Fault]:
    return _Audit(text).run()


def _integer_size(word: bytes) -> str:
    """How many bits an integer needs, in the classes "65-128" and "over-128"; empty where 64 are enough."""
    if len(word) < 19:
        return ""
    if len(word) > 40:
        return "over-128"
    value = int(word)
    if -(2**63) <= value < 2**64:
        return ""
    return "65-128" if -(2**127) <= value < 2**128 else "over-128"
