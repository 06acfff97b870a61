"""Makes the best of a line that is no record as it stands: which complete objects are on it, and what is wrong.

It finds what a torn write, a power loss, two writers or an editor leave behind: it recovers what is complete and blames
the smallest place for the rest. It never fails, whatever the bytes, takes time in proportion to them, never takes text
inside the strings of a healthy line for a record, and knows of records only how they begin.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
import orjson

from rollout_ls.jsonl.audit import idle_faults
from rollout_ls.jsonl.faults import Examined, Fault, Value
from rollout_ls.jsonl.mend import BadUtf8, Mended, blank_out, find_bad_utf8, nul_bad_utf8, without_cut_character
from rollout_ls.jsonl.scan import DEEPEST_KEPT, Scan, path_before, scan
from rollout_ls.jsonl.tokens import SPACE

__all__ = [
    "Examined",
    "Fault",
    "Value",
    "eager_faults",
    "examine",
    "examine_unfinished",
    "idle_faults",
    "without_cut_character",
]

MAX_VALUES = 4096
"""So many objects of one line are told apart; what stands behind them is left out, and said."""

# How records begin. The first group: one that never stands inside another record.
_RECORD = re.compile(rb'\{[ \t\r\n]*"(?:(timestamp|record_type)|type|id)"[ \t\r\n]*:')
_NO_SPACE = re.compile(rb"[^ \t\r\n]")
_MARK_OR_SPACE = b"\0" + SPACE
_NULS = re.compile(rb"\x00+")
_BOM = b"\xef\xbb\xbf"
_MAX_CANDIDATES = 64
_BLANK = Examined((), ())


def examine(line: bytes, deepest: int = DEEPEST_KEPT) -> Examined:
    """Everything that one line holds; `line` is a record's bytes without its final line feed.

    A blank line holds nothing. A line that is one whole object gives it, with no fault but a stray CR.
    Containers below `deepest` levels are cropped from what no decoder takes as it is.
    """
    try:
        decoded = orjson.loads(line)
    except orjson.JSONDecodeError:
        return _examine_broken(line, deepest)
    return _one_whole(line, decoded, len(line) - len(line.lstrip(SPACE)), len(line.rstrip(SPACE)))


def eager_faults(line: bytes) -> tuple[Fault, ...]:
    """What is wrong with a line although the typed decode took it: a CR inside. Next to free where there is none.

    Half a surrogate pair needs no look: the decode refuses it in every string, in those it skips too.
    """
    at = line.find(b"\r")
    if at < 0 or at == len(line) - 1:
        return ()
    fault = _stray_cr(line, len(line) - len(line.lstrip(SPACE)), len(line.rstrip(SPACE)))
    return () if fault is None else (fault,)


def examine_unfinished(line: bytes, deepest: int = DEEPEST_KEPT) -> Examined:
    """As ``examine``, for a last line that may still be written: a character that it stops in is no damage."""
    shorter = without_cut_character(line)
    if len(shorter) < len(line):
        examined = examine(shorter, deepest)
        if examined.faults and examined.faults[-1].what == "cut-off":
            return examined
    return examine(line, deepest)


class _Item(msgspec.Struct):
    """One piece of a broken line: a whole object, another whole value, or a fragment up to the next piece."""

    what: str  # "object", "other", "fragment"
    start: int
    end: int
    found: Scan


def _one_whole(line: bytes, decoded: Any, start: int, end: int) -> Examined:
    """A line that is one JSON value."""
    stray = _stray_cr(line, start, end)
    if not isinstance(decoded, dict):
        return Examined((), _sorted([_not_object(line, start, end)], stray))
    return Examined((Value(start, end, line[start:end], False),), () if stray is None else (stray,))


def _examine_broken(line: bytes, deepest: int) -> Examined:
    faults: list[Fault] = []
    first = 0
    if line.startswith(_BOM):
        faults.append(Fault("bom", 0, 3))
        first = 3
    bad = find_bad_utf8(line)
    marked = line if bad is None else nul_bad_utf8(line)
    end = len(marked.rstrip(_MARK_OR_SPACE))
    start = len(marked) - len(marked[first:].lstrip(_MARK_OR_SPACE))
    if start >= end:
        if bad is not None:
            faults.append(Fault("bad-utf8", bad.start, bad.end, "", bad.detail, bad.count))
        if b"\0" in line:
            faults.append(_nul_fault(line, "only"))
        return Examined((), _sorted(faults)) if faults else _BLANK
    mended = Mended(marked, start, end)
    items, left_out = _pieces(mended, start, end, deepest)
    beside_damage = len(items) > 1 or bool(faults) or bad is not None or b"\0" in line
    values = tuple(_value(mended, line, item, beside_damage) for item in items if item.what == "object")
    stray = _stray_cr(line, start, end)
    if stray is not None:
        faults.append(stray)
    faults.extend(_half_surrogates(mended, line, items))
    faults.extend(_infinite_numbers(mended, items))
    faults.extend(Fault("cropped", *item.found.deep[0]) for item in items if item.found.deep)
    damage = _Damage(marked, line, end, bad is not None)
    faults.extend(_piece_faults(damage, items, left_out))
    if b"\0" in line:
        faults.append(_placed_nul_fault(mended, line, items))
    if bad is not None:
        faults.append(_bad_utf8_fault(mended, items, bad, end, damage.of_bad_utf8))
    return Examined(values, _sorted(faults))


def _sorted(faults: list[Fault], *more: Fault | None) -> tuple[Fault, ...]:
    every = faults + [fault for fault in more if fault is not None]
    return tuple(sorted(every, key=lambda fault: (fault.start, fault.end)))


# -- the pieces of a broken line


def _pieces(mended: Mended, start: int, end: int, deepest: int) -> tuple[list[_Item], bool]:
    """Cut the line from `start` to `end` into whole values and fragments; and whether some were left out."""
    text, plain = mended.read_from(start)
    try:
        decoded = orjson.loads(text[start:end])
    except orjson.JSONDecodeError:
        pass
    else:
        what = "object" if isinstance(decoded, dict) else "other"
        return [_Item(what, start, end, Scan("whole", start, end, end))], False
    items: list[_Item] = []
    search = _Search(mended, end)
    at = start
    while True:
        if len(items) == MAX_VALUES:
            return items, True
        text, plain = mended.read_from(at)
        found = scan(text, plain, at, end, deepest)
        if found.state == "whole":
            items.append(_Item("object" if text[at] == 0x7B else "other", at, found.end, found))
            following = found.end
        else:
            following = search.next_record(at, found)
            items.append(_Item("fragment", at, min(following, end), found))
        if following >= end:
            return items, False
        behind = _NO_SPACE.search(mended.read_from(following)[0], following, end)
        if behind is None:
            return items, False
        at = behind.start()


class _Search:
    """Looks for the next record behind damage, within bounds that hold for the whole line."""

    def __init__(self, mended: Mended, end: int) -> None:
        self._mended = mended
        self._end = end
        self._tries_left = _MAX_CANDIDATES
        self._decode_left = 8 * end
        self._scan_left = end + 4096

    def next_record(self, start: int, damage: Scan) -> int:
        """Where the first record behind `start` begins that can be relied on; the line's end where there is none.

        Either the rest of the line is whole from there, or one whole record stands there of a sort that never stands
        inside another, and nothing behind it says that it does.
        """
        text, _ = self._mended.read_from(start)
        for found in _RECORD.finditer(text, start + 1, self._end):
            if self._tries_left <= 0:
                break
            at = found.start()
            alone = found.group(1) is not None
            inside = at < damage.reached
            if not alone and (inside or _stands_inside(text, at)):
                continue  # a value of the damaged record, such as its payload
            self._tries_left -= 1
            if self._is_record(at, alone, inside):
                self._tries_left = _MAX_CANDIDATES
                return at
        return self._last_record(start, damage)

    def _is_record(self, at: int, alone: bool, inside: bool) -> bool:
        decoded = self._decoded(at)
        if decoded is not None:
            return not inside or "type" in decoded
        if self._scan_left <= 0:
            return False
        text, plain = self._mended.read_from(at)
        first = scan(text, plain, at, self._end)
        self._scan_left -= first.reached - at
        if first.state != "whole":
            return False
        behind = _NO_SPACE.search(text, first.end, self._end)
        continues = behind is not None and behind.group() in b",}]"
        return (alone and not inside and not continues) or self._rest_is_whole(first.end)

    def _rest_is_whole(self, at: int) -> bool:
        """Whether nothing but whole objects stands from `at` to the line's end."""
        while self._scan_left > 0:
            text, plain = self._mended.read_from(at)
            behind = _NO_SPACE.search(text, at, self._end)
            if behind is None:
                return True
            if text[behind.start()] != 0x7B:
                return False
            found = scan(text, plain, behind.start(), self._end)
            self._scan_left -= max(found.reached - at, 1)
            if found.state != "whole":
                return False
            at = found.end
        return False

    def _decoded(self, at: int) -> dict[str, Any] | None:
        """The object that all of the line from `at` on is."""
        if self._decode_left <= 0:
            return None
        try:
            decoded = orjson.loads(self._mended.read_from(at)[0][at : self._end])
        except orjson.JSONDecodeError as error:
            self._decode_left -= error.pos + (self._end - at) // 16
            return None
        return decoded if isinstance(decoded, dict) else None

    def _last_record(self, start: int, damage: Scan) -> int:
        """Where too much looks like a record: the last one that does, if it is whole."""
        if self._tries_left > 0:
            return self._end
        text, _ = self._mended.read_from(start)
        at = text.rfind(b'{"timestamp":', start + 1, self._end)
        self._decode_left = max(self._decode_left, 1)
        decoded = self._decoded(at) if at > 0 else None
        return at if decoded is not None and (at >= damage.reached or "type" in decoded) else self._end


# -- what the pieces are worth


def _value(mended: Mended, line: bytes, item: _Item, beside_damage: bool) -> Value:
    start, end, found = item.start, item.end, item.found
    text, _ = mended.read_from(start)
    # A record that is only too deep, or holds an integer too long, is not recovered from anything.
    changed = text[start:end] != line[start:end] or not all(_is_integer(text, *number) for number in found.huge)
    return Value(start, end, blank_out(text, found.deep, found.huge)[start:end], beside_damage or changed)


def _not_object(text: bytes, start: int, end: int) -> Fault:
    byte = text[start : start + 1]
    names = {b"n": "null", b"t": "boolean", b"f": "boolean", b'"': "string", b"[": "array"}
    return Fault("not-object", start, end, "", names.get(byte, "number"))


class _Damage:
    """Tells what NULs and broken UTF-8 are the cause of, so that one cause gives one fault.

    NULs stand where blocks of a file were lost: whatever is odd behind them comes of it. Broken UTF-8 is the cause of a
    cut only where it stands at the cut.
    """

    def __init__(self, marked: bytes, line: bytes, end: int, has_bad_utf8: bool) -> None:
        self.marked = marked
        self.line = line
        self.end = end
        self.has_bad_utf8 = has_bad_utf8
        self.of_bad_utf8 = ""
        """What broken UTF-8 was found to be the cause of, in words for its fault."""

    def explains_torn(self, start: int, following: int) -> bool:
        """Whether they explain a fragment in front of a record."""
        if self.line.find(b"\0", start, following) >= 0:
            return True
        if not self.has_bad_utf8 or not self.marked[start:following].rstrip(SPACE).endswith(b"\0"):
            return False
        self.of_bad_utf8 = "; the record is cut off there, the one behind it is whole"
        return True

    def explains_last(self, item: _Item) -> bool:
        """Whether they explain what is wrong with the last fragment of the line."""
        is_cut = item.found.state == "cut"
        stop = len(self.line) if is_cut else item.found.end
        if self.line.find(b"\0", item.start, stop) >= 0:
            return True
        if not self.has_bad_utf8:
            return False
        if is_cut:
            explained = b"\0" in self.marked[self.end :]
            self.of_bad_utf8 = "; the record is also cut off" if explained else self.of_bad_utf8
        else:
            explained = self.marked.find(b"\0", item.start, stop + 1) >= 0
            self.of_bad_utf8 = "; the record breaks there" if explained else self.of_bad_utf8
        return explained


def _piece_faults(damage: _Damage, items: list[_Item], left_out: bool) -> list[Fault]:
    """Torn, cut-off, broken, concatenated, not-object: what the pieces of a line are to each other."""
    faults: list[Fault] = []
    pending: list[_Item] = []  # fragments and loose values since the last object
    last: _Item | None = None
    for item in items:
        if item.what != "object":
            pending.append(item)
            continue
        if pending:
            first = pending[0]
            if not damage.explains_torn(first.start, item.start):
                size = f"{item.start - first.start} bytes"
                faults.append(Fault("torn", first.start, item.start, first.found.path, size))
            pending = []
        elif last is not None:
            faults.append(Fault("concatenated", last.end - 1, item.start + 1))
        last = item
    if left_out:
        detail = f"only the first {MAX_VALUES} records of the line are read"
        faults.append(Fault("concatenated", items[-1].end - 1, items[-1].end + 1, "", detail))
    elif pending:
        faults.extend(_last_damage(damage, pending, last is not None))
    return faults


def _last_damage(damage: _Damage, pending: list[_Item], behind_record: bool) -> list[Fault]:
    """What is wrong with the end of a line, which holds no record."""
    first = pending[0]
    if first.what == "other" and not behind_record:
        if len(pending) == 1:
            return [_not_object(damage.marked, first.start, first.end)]
        first, behind_record = pending[1], True
    if first.what == "other":
        return [Fault("broken", first.start, first.end, "", "behind a complete value")]
    found = first.found
    if damage.explains_last(first):
        return []
    if found.state == "cut":
        return [Fault("cut-off", first.start, damage.end, found.path, found.detail)]
    detail = "behind a complete value" if behind_record and found.start == first.start else found.detail
    return [Fault("broken", found.start, found.end, found.path, detail)]


def _half_surrogates(mended: Mended, line: bytes, items: list[_Item]) -> list[Fault]:
    """Halves of surrogate pairs in whole objects. What is torn anyway is not blamed for them."""
    if not mended.halves:
        return []
    whole = [item for item in items if item.what == "object"]
    first: tuple[_Item, int] | None = None
    count = number = 0
    for at in mended.halves:
        while number < len(whole) and whole[number].end <= at:
            number += 1
        if number == len(whole):
            break
        if at >= whole[number].start:
            count += 1
            first = first or (whole[number], at)
    if first is None:
        return []
    item, at = first
    path = path_before(*mended.read_from(item.start), item.start, at)
    return [Fault("lone-surrogate", at, at + 6, path, line[at : at + 6].decode(), count)]


def _infinite_numbers(mended: Mended, items: list[_Item]) -> list[Fault]:
    """Numbers that no 64-bit float holds; integers are left to the idle pass, which has its own word for them."""
    faults = []
    for item in items:
        text, plain = mended.read_from(item.start)
        for start, end in item.found.huge:
            if not _is_integer(text, start, end):
                path = path_before(text, plain, item.start, start)
                faults.append(Fault("broken", start, end, path, "number out of range"))
                break
    return faults


def _is_integer(text: bytes, start: int, end: int) -> bool:
    return text[start:end].lstrip(b"-").isdigit()


def _stray_cr(line: bytes, start: int, end: int) -> Fault | None:
    """The character before the first CR between `start` and `end`, which are the record without white space around."""
    at = line.find(b"\r", start, end)
    if at < 0:
        return None
    before = at - 1
    while before > start and at - before < 4 and 0x80 <= line[before] < 0xC0:
        before -= 1
    return Fault("stray-cr", before, at, count=line.count(b"\r", start, end))


def _nul_fault(line: bytes, detail: str) -> Fault:
    run = _NULS.search(line)
    start, end = run.span() if run is not None else (0, 0)
    return Fault("nul", start, end, "", detail, line.count(b"\0"))


def _placed_nul_fault(mended: Mended, line: bytes, items: list[_Item]) -> Fault:
    """The first NUL of a line: inside a record, around one, or where the rest of one should be ("cut")."""
    at = line.index(b"\0")
    holder = next((item for item in reversed(items) if item.start <= at), None)
    if holder is None or (holder.what != "fragment" and holder.end <= at):
        return _nul_fault(line, "around")
    path = path_before(*mended.read_from(holder.start), holder.start, at)
    fault = _nul_fault(line, "cut" if holder.what == "fragment" else "inside")
    return msgspec.structs.replace(fault, path=path, end=fault.end if holder.what == "fragment" else at + 1)


def _bad_utf8_fault(mended: Mended, items: list[_Item], bad: BadUtf8, end: int, consequence: str) -> Fault:
    """The first bytes of a line that are no UTF-8, with what they broke, since nothing else says it."""
    path = ""
    for item in items:
        behind_cut = item is items[-1] and item.what == "fragment"
        if item.start <= bad.start and (bad.start < item.end or behind_cut):
            path = path_before(*mended.read_from(item.start), item.start, min(bad.start, end))
    return Fault("bad-utf8", bad.start, bad.end, path, bad.detail + consequence, bad.count)


def _stands_inside(text: bytes, at: int) -> bool:
    """Whether an object at `at` looks like a value of another: a colon, a comma or an opening bracket before it."""
    return text[max(at - 64, 0) : at].rstrip(SPACE)[-1:] in (b":", b",", b"[")
