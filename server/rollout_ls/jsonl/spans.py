"""Where the values of a record stand: from a path to its place, and from a place to its path.

Asked for one record at a time, when something is shown or blamed; nothing is kept. The way is hopped: each container
on it is decoded one level deep by msgspec, which leaves the values as they are, and their places follow from their
lengths. Where keys are doubled or oddly written, the container is laid flat (``flat``). Levels too deep for the decoder
are one value without parts. Only what does not hold together is read token by token.
Never fails: text that holds no such place, or is no JSON, gives None, nothing, or the place of the whole.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Protocol, TypeVar

import msgspec

from rollout_ls.jsonl.flat import Flat, key_text, lay_flat, row_of
from rollout_ls.jsonl.mend import without_deep
from rollout_ls.jsonl.scan import DEEPEST_KEPT
from rollout_ls.jsonl.tokens import CLOSING, COLON, COMMA, OPEN_OBJECT, OPENING, QUOTE, SPACE, TOKEN, soften

Path = tuple[str | int, ...]
"""Keys and indices from the record down, as ("payload", "content", 0, "text")."""


class Span(msgspec.Struct, frozen=True):
    """A value's place, in bytes; and that of its key, quotes included, where it is a member of an object (else -1)."""

    start: int
    end: int
    key_start: int = -1
    key_end: int = -1


_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_NEXT_KEY = re.compile(rb'[ \t\r\n]*[,{][ \t\r\n]*("[^"\\]*")[ \t\r\n]*:[ \t\r\n]*')
_END = re.compile(rb"[ \t\r\n]*\}")
_MAX_HOPS = 64
_MANY = 1_000
"""Members from which on an object is laid flat, so that no place is made that is not asked for."""


_Asked = TypeVar("_Asked", bound=Callable[..., Any])


def _without_deep_levels(ask: _Asked) -> _Asked:
    """Asks once more of the text without its deepest levels where the decoder gives up at them."""

    @functools.wraps(ask)
    def asked(text: bytes, *args: Any) -> Any:
        try:
            return ask(text, *args)
        except RecursionError:
            return ask(without_deep(text, DEEPEST_KEPT), *args)

    return asked  # type: ignore[return-value]


@_without_deep_levels
def find(text: bytes, path: Path, base: int = 0) -> Span | None:
    """The place of the value at `path`, or None where there is none; `base` is added to all offsets.

    Of a doubled key the last one counts, as for every reader. A negative index is none.
    """
    span: Span | None = whole(text)
    for step in path:
        if span is None:
            return None
        span = _member(text, span, step) if isinstance(step, str) else _element(text, span, step)
    return span if span is None or not base else _moved(span, base)


@_without_deep_levels
def members(text: bytes, base: int = 0) -> list[tuple[str, Span]]:
    """The members of an object in their order, doubled keys included; of anything else none."""
    found = _members_of(text, whole(text)).first(len(text))
    return [(key, _moved(member, base)) for key, member in found] if base else found


def path_at(text: bytes, offset: int) -> tuple[Path, Span, bool]:
    """The innermost member or element that holds the byte at `offset`, and whether that stands on its key.

    A member reaches from its key to its value's end. Between members, on a bracket or outside: the container, with the
    record itself as the last resort.
    """
    path, way, on_key = way_to(text, offset)
    return path, way[-1], on_key


@_without_deep_levels
def way_to(text: bytes, offset: int) -> tuple[Path, list[Span], bool]:
    """As ``path_at``, with the places of all levels on the way: the record's first, the innermost one's last."""
    span = whole(text)
    path: list[str | int] = []
    way = [span]
    while span.start <= offset < span.end and text[span.start] in OPENING:
        hopped, inner = _hop_to(text, span, offset) if len(path) < _MAX_HOPS else (False, None)
        if not hopped:
            return _way_by_tokens(text, offset, path, way)
        if inner is None:
            break
        step, span = inner
        path.append(step)
        way.append(span)
        if span.key_start <= offset < span.key_end:
            return tuple(path), way, True
    return tuple(path), way, False


@_without_deep_levels
def child_at(text: bytes, span: Span, offset: int) -> tuple[str | int, Span] | None:
    """The member or element of the container at `span` that holds the byte at `offset`; None where none does."""
    if not (span.start <= offset < span.end and text[span.start] in OPENING):
        return None
    hopped, found = _hop_to(text, span, offset)
    return found if hopped else _child_at(_children_by_tokens(text, span), offset)


class Members(Protocol):
    """The members of one object that was looked into, doubled keys included."""

    def get(self, key: str) -> Span | None:
        """The member of that name; of several the last one."""

    def at(self, offset: int) -> tuple[str, Span] | None:
        """The member that holds a byte, with its name."""

    def first(self, count: int) -> list[tuple[str, Span]]:
        """So many members, the first ones, with their names."""


@_without_deep_levels
def look_into(text: bytes, span: Span) -> Members:
    """The members of the object at `span`, for several questions; of anything else none."""
    return _members_of(text, span)


def _members_of(text: bytes, span: Span) -> Members:
    if text[span.start : span.start + 1] != b"{":
        return _Listed([])
    return _look_into(text, span, _decode_object(text, span))


def _look_into(text: bytes, span: Span, fields: dict[str, msgspec.Raw] | None) -> Members:
    """The same for an object, which is `fields` if it decodes."""
    if fields is not None and len(fields) <= _MANY:
        found = _compact_members(span, fields)
        if found is None:
            found = _spaced_members(text, span, fields)
        if found is not None:
            return _Listed(found)
    row = lay_flat(text, span.start, span.end, is_json=fields is not None)
    if row is not None:
        return _Row(text, row)
    return _Broken([(str(key), one) for key, one in _children_by_tokens(text, span) if one.key_start >= 0])


class _Listed:
    """Members that were hopped over."""

    def __init__(self, members: list[tuple[str, Span]]) -> None:
        self._members = members
        self._by_key: dict[str, Span] | None = None

    def get(self, key: str) -> Span | None:
        if self._by_key is None:
            self._by_key = dict(self._members)
        return self._by_key.get(key)

    def at(self, offset: int) -> tuple[str, Span] | None:
        return next(((key, one) for key, one in self._members if one.key_start <= offset < one.end), None)

    def first(self, count: int) -> list[tuple[str, Span]]:
        return self._members[:count]


class _Broken(_Listed):
    """Members of what does not hold together, read token by token."""


class _Row:
    """Members of an object that was laid flat: there may be very many, so what is not asked for is not made."""

    def __init__(self, text: bytes, row: Flat) -> None:
        self._text = text
        self._row = row

    def get(self, key: str) -> Span | None:
        number = self._row.last(self._text, key)
        return self._member(number)[1] if number is not None else None

    def at(self, offset: int) -> tuple[str, Span] | None:
        number = self._row.at(offset)
        return self._member(number) if number is not None else None

    def first(self, count: int) -> list[tuple[str, Span]]:
        return [self._member(number) for number in range(0, min(2 * count, len(self._row.ends)), 2)]

    def _member(self, number: int) -> tuple[str, Span]:
        key_start, key_end = self._row.place(number)
        return key_text(self._text[key_start:key_end]), Span(*self._row.place(number + 1), key_start, key_end)


def whole(text: bytes) -> Span:
    """The place of the record itself, without white space around it."""
    start = len(text) - len(text.lstrip(SPACE))
    return Span(start, max(start, len(text.rstrip(SPACE))))


def _moved(span: Span, base: int) -> Span:
    if span.key_start < 0:
        return Span(span.start + base, span.end + base)
    return Span(span.start + base, span.end + base, span.key_start + base, span.key_end + base)


# -- one hop


def _decode_object(text: bytes, span: Span) -> dict[str, msgspec.Raw] | None:
    """The object at `span`, one level deep; None where it is no object, or one that must be read by tokens. Raises
    RecursionError where it nests too deeply."""
    try:
        return _OBJECT.decode(memoryview(text)[span.start : span.end])
    except msgspec.DecodeError:
        return None


def _decode_array(text: bytes, span: Span) -> list[msgspec.Raw] | None:
    try:
        return _ARRAY.decode(memoryview(text)[span.start : span.end])
    except msgspec.DecodeError:
        return None


def _compact_members(span: Span, fields: dict[str, msgspec.Raw]) -> list[tuple[str, Span]] | None:
    """The members of an object whose length is that of its keys and values alone; None where it is longer.

    White space, escapes in keys and doubled keys all make it longer. So where the lengths add up there is none of them,
    and the places are right.
    """
    found: list[tuple[str, Span]] = []
    at = span.start + 1
    for name, raw in fields.items():
        key_end = at + 2 + (len(name) if name.isascii() else len(name.encode()))
        end = key_end + 1 + len(raw)
        found.append((name, Span(key_end + 1, end, at, key_end)))
        at = end + 1
    return found if at == span.end - (0 if fields else 1) else None


def _spaced_members(text: bytes, span: Span, fields: dict[str, msgspec.Raw]) -> list[tuple[str, Span]] | None:
    """The members of an object with white space; None where something else is odd too, as a doubled key."""
    found: list[tuple[str, Span]] = []
    at = span.start
    for name, raw in fields.items():
        head = _NEXT_KEY.match(text, at, span.end)
        if head is None:
            return None
        start, end = head.end(), head.end() + len(raw)
        # With a doubled key the values are not those of their places: each is held against the text.
        if head.group(1)[1:-1] != name.encode() or text[start:end] != bytes(raw):
            return None
        found.append((name, Span(start, end, head.start(1), head.end(1))))
        at = end
    close = _END.match(text, at if fields else at + 1, span.end)
    return found if close is not None and close.end() == span.end else None


def _member(text: bytes, span: Span, key: str) -> Span | None:
    fields = _decode_object(text, span)
    if fields is None:
        return _look_into(text, span, None).get(key)
    if key not in fields:
        return None
    # As _compact_members, for the one that is asked for: this is what most questions come down to.
    at = span.start + 1
    start = end = key_start = key_end = -1
    for name, raw in fields.items():
        behind_key = at + 2 + (len(name) if name.isascii() else len(name.encode()))
        behind = behind_key + 1 + len(raw)
        if name == key:
            start, end, key_start, key_end = behind_key + 1, behind, at, behind_key
        at = behind + 1
    if at == span.end:
        return Span(start, end, key_start, key_end)
    return _look_into(text, span, fields).get(key)


def _element(text: bytes, span: Span, index: int) -> Span | None:
    if index < 0:
        return None
    row = _array_row(text, span)
    if row is None:
        children = _children_by_tokens(text, span)
        return next((child for step, child in children if step == index and child.key_start < 0), None)
    return Span(*row.place(index)) if index < len(row.ends) and not row.is_object else None


def _array_row(text: bytes, span: Span) -> Flat | None:
    """The elements of the array at `span`; None where it must be read by tokens."""
    raws = _decode_array(text, span)
    return lay_flat(text, span.start, span.end) if raws is None else row_of(text, span.start, span.end, raws)


def _child_at(children: Iterable[tuple[str | int, Span]], offset: int) -> tuple[str | int, Span] | None:
    """The member or element that holds `offset`."""
    for step, child in children:
        if (child.start if child.key_start < 0 else child.key_start) <= offset < child.end:
            return step, child
    return None


def _hop_to(text: bytes, span: Span, offset: int) -> tuple[bool, tuple[str | int, Span] | None]:
    """Whether the container at `span` can be hopped, and its member or element that holds `offset`."""
    if text[span.start] == OPEN_OBJECT:
        found = _members_of(text, span)
        return (False, None) if isinstance(found, _Broken) else (True, found.at(offset))
    row = _array_row(text, span)
    if row is None:
        return False, None
    number = row.at(offset)
    return True, (number, Span(*row.place(number))) if number is not None else None


# -- token by token, for what cannot be hopped


def _children_by_tokens(text: bytes, span: Span) -> list[tuple[str | int, Span]]:
    """The members or elements of the container at `span`, in their order, as far as it holds together."""
    plain = soften(text[span.start : span.end])
    children: list[tuple[str | int, Span]] = []
    step: str | int = 0
    key = (-1, -1)
    value_start = -1
    in_object = plain[:1] == b"{"
    key_next = in_object
    depth = 0
    for match in TOKEN.finditer(plain):
        byte = plain[match.start()]
        start, end = span.start + match.start(), span.start + match.end()
        if byte in OPENING:
            if depth == 1:
                value_start = start
            depth += 1
            continue
        if byte in CLOSING:
            depth -= 1
            if depth <= 0:
                break
        if depth != 1 or byte == COLON:
            continue
        if byte == COMMA:
            key_next = in_object
            step = step + 1 if isinstance(step, int) else step
        elif key_next and byte == QUOTE:
            key_next = False
            step, key = key_text(text[start:end]), (start, end)
        else:
            at = value_start if byte in CLOSING else start
            children.append((step, Span(at, end, *key)))
    return children


class _Open(msgspec.Struct):
    """A container around the offset that is looked for: where it starts, its own key, and its present step and key."""

    start: int
    own_key: tuple[int, int]
    step: str | int = 0
    key: tuple[int, int] = (-1, -1)


def _way_by_tokens(
    text: bytes, offset: int, path: list[str | int], way: list[Span]
) -> tuple[Path, list[Span], bool]:
    """`way_to` for what cannot be hopped: a pass over the last container of `way`, which holds `offset`."""
    span = way[-1]
    opened: list[_Open] = []
    key_next = False
    plain = soften(text[span.start : span.end])
    tokens = TOKEN.finditer(plain)
    match = None
    for match in tokens:
        byte = plain[match.start()]
        start, end = span.start + match.start(), span.start + match.end()
        if start > offset or (byte in CLOSING and end > offset):
            break
        if byte in OPENING:
            opened.append(_Open(start, opened[-1].key if opened else (-1, -1)))
            key_next = byte == OPEN_OBJECT
        elif byte in CLOSING:
            if len(opened) == 1:
                return tuple(path), way, False  # broken text: it goes on behind the end
            opened.pop()
            key_next = False
        elif byte == COMMA:
            one = opened[-1]
            key_next = text[one.start] == OPEN_OBJECT
            one.step = one.step + 1 if isinstance(one.step, int) else one.step
        elif byte == QUOTE and key_next:
            opened[-1].step, opened[-1].key = key_text(text[start:end]), (start, end)
            key_next = False
    ends = _ends_of(opened, plain, span, chain((match,) if match is not None else (), tokens))
    way = [*way, *(Span(one.start, end, *one.own_key) for one, end in list(zip(opened, ends, strict=True))[1:])]
    steps = (*path, *(one.step for one in opened[:-1]))
    found = _child_at(_children_by_tokens(text, way[-1]), offset)
    if found is None:
        return steps, way, False
    step, child = found
    return (*steps, step), [*way, child], child.key_start <= offset < child.key_end


def _ends_of(opened: list[_Open], plain: bytes, span: Span, tokens: Iterable[re.Match[bytes]]) -> list[int]:
    """Where the open containers end, by the tokens that follow; that of `span` where they do not."""
    ends = [span.end] * len(opened)
    depth = open_still = len(opened)
    for match in tokens:
        byte = plain[match.start()]
        if byte in OPENING:
            depth += 1
        elif byte in CLOSING:
            depth -= 1
            if depth < open_still:
                open_still = depth
                ends[depth] = span.start + match.end()
                if not depth:
                    break
    return ends
