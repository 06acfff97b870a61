"""What is wrong with a record that does not decode, and where: the slow, exact counterpart of the typed decode.

Exists because types.py only says yes or no. Walks the record against the same catalogue and names every fault with its
place in bytes. Must never give a severity or a code (rules/ does), never raise on any input, and never repeat content
of the record: a message names fields, types, and words that look like identifiers.

Also here: `extra`, for what is wrong with records that do decode. lenient.py reads what is usable of the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import orjson

from rollout_ls.formats.codex import catalogue
from rollout_ls.formats.codex.catalogue import (
    CHECKED_FORMATS,
    Either,
    Field,
    Keyed,
    List,
    Map,
    Obj,
    OneOf,
    Scalar,
    Tagged,
    Type,
    Words,
)
from rollout_ls.formats.codex.types import INTEGERS
from rollout_ls.jsonl import spans

Path = tuple[str | int, ...]

MAX_FAULTS = 32
"""So many faults of one record get a place; the rest is counted in the last one's message."""

MAX_NUMBER_BYTES = 200
SOFT = frozenset({"unknown-kind", "unknown-part", "unknown-word", "legacy", "empty-id", "kept"})
"""Faults that do not make a record broken: the file may be newer or older than this version, or the reader takes it."""

_SKIPS = "a reader that does not know it skips the record"
_MISSING: Any = object()
_CLASSES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(INTEGERS, (int,)),
    "number": (int, float),
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "null": (type(None),),
}
_INT64 = (-(2**63), 2**64 - 1)
_IDENTIFIER = re.compile(r"[\w][\w./:-]{0,59}\Z", re.ASCII)
_LARGE_INTEGER = re.compile(rb"[0-9]{19}")
"""Where one may stand that orjson would make a float of. msgspec keeps it, but takes 14 us for a number as 1.5e300."""
_INDEX = re.compile(r"\[\d+\]")
_PATTERNS = {name: re.compile(pattern) for name, pattern in CHECKED_FORMATS.items()}
_WANTED = {
    "uuid": "a UUID",
    "abs-path": "an absolute path",
    "file-uri": "a file: URI",
    "path-or-uri": "an absolute path or a file: URI",
    "non-empty": "a text that is not empty",
    "agent-path": "an agent path (`/root`, or below it)",
    "rfc3339-strict": "an RFC 3339 time",
}


class ShapeFault(msgspec.Struct, frozen=True):
    """One thing that is wrong with a record's shape.

    what     "missing" (a field), "wrong-type", "several" (wrong elements of one array), "int-range", "int-too-big" (no
             64-bit integer), "bad-value" (a UUID, path or URI that is none), "bad-key", "wrong-length", "unwanted-key",
             "two-spellings" (of one field), "wrong-mode" (of the first header): the reader drops the record;
             "unknown-kind", "unknown-part", "unknown-word": newer than this version, or another writer's;
             "legacy": legal in its day, refused today; "empty-id": kept, but of no use for matching;
             "kept": written in a way that the reader takes, but for something else or with nothing in it
    path     the keys and indices that lead to the field in question, from the record down
    start    byte offsets of the place to mark, with the caller's base added
    end
    message  names the field, what it should be and what was found
    group    equal for faults of one sort in one kind, wherever in an array they stand
    """

    what: str
    path: Path
    start: int
    end: int
    message: str
    group: str = ""


class Shape(msgspec.Struct, frozen=True):
    """What a walk found. `kind`: the catalogue's name, None if the record is of no known kind. `bare`: no envelope."""

    kind: str | None
    faults: tuple[ShapeFault, ...]
    bare: bool = False


def walk(text: bytes, base: int = 0, first_header: bool = False) -> Shape:
    """Every fault of one JSON object's shape, in the order of the catalogue's fields; none, if the reader takes it.

    `base` is added to all offsets. `first_header`: the record is the file's first one, so that an unknown history mode
    refuses the whole file. A text that is no JSON object gives nothing.
    """
    value = object_of(text)
    return Shape(None, ()) if value is None else walk_object(value, text, base, first_header)


def walk_object(value: dict[str, Any], text: bytes, base: int = 0, first_header: bool = False) -> Shape:
    """As `walk`, of an object that was read from `text` before (by `object_of`)."""
    line, bare = line_of(value)
    walker = _Walker(first_header)
    if line is None:
        walker.unrecognised()
        return Shape(None, _placed(walker.found, None, text, base))
    walker.visit(line, value, ())
    kind = kind_of_value(line, value)
    return Shape(kind, _placed(walker.found, kind, text, base), bare)


def extra(record: Any, text: bytes, base: int = 0) -> tuple[ShapeFault, ...]:
    """What is wrong with a record that decodes: a call id that is empty, so that it cannot be matched.

    `record` is the typed line, `text` its bytes. Costs nothing to speak of on a healthy record.
    """
    payload = getattr(record, "payload", record)
    if getattr(payload, "call_id", None) != "":
        return ()
    value = object_of(text)
    line, _ = line_of(value) if value is not None else (None, False)
    if line is None:
        return ()
    walker = _Walker(False)
    walker.visit(line, value, ())
    empty = [fault for fault in walker.found if fault[0] == "empty-id"]
    return _placed(empty, kind_of_value(line, value), text, base)


def object_of(text: bytes) -> dict[str, Any] | None:
    """The plain values of a JSON object (integers of any size); None for whatever is none."""
    decode = msgspec.json.decode if _LARGE_INTEGER.search(text) else orjson.loads
    try:
        value = decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return value if isinstance(value, dict) else None


# ---- which record is it? --------------------------------------------------------------------------------------------
def line_of(value: dict[str, Any]) -> tuple[Type | None, bool]:
    """The node to hold a line against, and whether it is a bare one. None: no record as far as one can tell."""
    facts = catalogue.load()
    word = value.get("type", _MISSING)
    if isinstance(word, str):
        if word in facts.bare.variants and "payload" not in value:
            return facts.bare, True
        return facts.line, False
    if word is not _MISSING or "payload" in value:
        return facts.line, False
    if "record_type" in value:
        return facts.bare_state, True
    if "id" in value and "timestamp" in value:
        return facts.bare_header, True
    return None, False


def kind_of_value(node: Type, value: Any) -> str | None:
    """The kind's name: follows the discriminators as far as they are known."""
    facts = catalogue.load()
    while True:
        if isinstance(node, Tagged):
            word = value.get(node.tag) if isinstance(value, dict) else None
            if not isinstance(word, str):
                return None
            known = node.variants.get(word) or node.refused.get(word)
            if known is None:
                return f"{node.name}/{word}" if word in node.unstored else None
            node = known
            continue
        if not isinstance(node, Obj):
            return None
        if node.kind is None or node.kind == "event_msg/item_completed":
            key = "payload" if node.kind is None else "item"
            if key not in node.fields:
                return None
            node, value = node.fields[key].type, value.get(key) if isinstance(value, dict) else None
            continue
        role = value.get("role") if isinstance(value, dict) else None
        split = f"{node.kind}/{role}" if isinstance(role, str) else ""
        return split if split in facts.kinds else node.kind


# ---- the walk -------------------------------------------------------------------------------------------------------
Found = tuple[str, Path, str, Path, str]
"""what, path of the field, "key" | "value" | "member" | "owner", path of the place, message."""


def _is_broken(found: list[Found], start: int) -> bool:
    """Whether something worse than new or old was found from `start` on."""
    for number in range(start, len(found)):  # noqa: SIM110  (asked for each element; mostly there is none)
        if found[number][0] not in SOFT:
            return True
    return False


class _Walker:
    """One walk over one record; collects what it finds. `owner` as a place: the key of an object, else the object."""

    def __init__(self, first_header: bool) -> None:
        self.found: list[Found] = []
        self._first_header = first_header
        self._only_counts = False
        """Whether of what is wrong nothing but the number will be told, so that no words are made for it."""

    def _name(self, path: Path) -> str:
        """For messages about what is wrong, which are not always needed."""
        return "" if self._only_counts else _name(path)

    def unrecognised(self) -> None:
        """The object has nothing by which to tell what it is."""
        self._add("missing", ("type",), "owner", (), "the record has no `type`")

    def _owner(self, node: Obj, path: Path) -> str:
        return node.kind if node.kind and path == ("payload",) else self._name(path)

    def _add(self, what: str, path: Path, how: str, place: Path, message: str) -> None:
        self.found.append((what, path, how, place, message))

    def _wrong(self, path: Path, wanted: str, value: Any) -> None:
        message = ""
        if not self._only_counts:
            found = "a fraction" if wanted == "an integer" and value.__class__ is float else _sort(value)
            message = f"{_name(path)} must be {wanted}, found {found}"
        self._add("wrong-type", path, "value", path, message)

    def visit(self, node: Type, value: Any, path: Path) -> None:
        """Holds a value against a node; null counts as a value here."""
        _VISITS[node.__class__](self, node, value, path)

    def _scalar(self, node: Scalar, value: Any, path: Path) -> None:
        if node.name == "never":
            self._wrong(path, "absent", value)
        elif not is_sort(node, value):
            self._wrong(path, _wanted(node), value)
        elif node.name in INTEGERS:
            least, most = INTEGERS[node.name]
            if not _INT64[0] <= value <= _INT64[1]:
                how = "key" if len(str(value)[: MAX_NUMBER_BYTES + 1]) > MAX_NUMBER_BYTES else "value"
                self._add("int-too-big", path, how, path, f"{self._name(path)} is an integer of more than 64 bits")
            elif not least <= value <= most:
                self._add("int-range", path, "value", path, f"{self._name(path)} must lie between {least} and {most}")
        elif node.format in _PATTERNS and not _PATTERNS[node.format].search(value):
            self._add("bad-value", path, "value", path, f"{self._name(path)} must be {_WANTED[node.format]}")
        elif node.format == "call-id" and value == "":
            message = f"{_name(path)} is empty: call and output cannot be matched"
            self._add("empty-id", path, "member", path, message)

    def _words(self, node: Words, value: Any, path: Path) -> None:
        if not isinstance(value, str):
            self._wrong(path, "a string", value)
        elif value not in node.words and not node.open:
            self._unknown_word(value, path, "value", path)
        elif node.format in _PATTERNS and not _PATTERNS[node.format].search(value):
            self._add("bad-value", path, "value", path, f"{self._name(path)} must be {_WANTED[node.format]}")

    def _unknown_word(self, word: str, path: Path, how: str, place: Path) -> None:
        if self._first_header and path == ("payload", "history_mode"):
            message = f"unknown history_mode{_quoted(word)}: the whole file is refused"
            self._add("wrong-mode", path, how, place, message)
            return
        message = f"unknown {_leaf(path)}{_quoted(word)}; a reader that does not know it skips the record"
        self._add("unknown-word", path, how, place, message)

    def _list(self, node: List, value: Any, path: Path) -> None:
        if not isinstance(value, list):
            self._wrong(path, "an array", value)
            return
        wrong = 0
        before, only_counted = len(self.found), self._only_counts
        for index, element in enumerate(value):
            start = len(self.found)
            self.visit(node.of, element, (*path, index))
            wrong += self._is_wrong(start, wrong)
        self._only_counts = only_counted
        self._gather(path, before, wrong, len(value))

    def _is_wrong(self, start: int, wrong_before: int) -> bool:
        """Whether an entry is wrong whose faults begin at `start`. From the second one on they are only counted."""
        if len(self.found) == start or not _is_broken(self.found, start):
            return False
        self._only_counts = True
        if wrong_before:
            self.found[start:] = [fault for fault in self.found[start:] if fault[0] in SOFT]
        return True

    def _map(self, node: Map, value: Any, path: Path) -> None:
        if not isinstance(value, dict):
            self._wrong(path, "an object", value)
            return
        wrong = 0
        before, only_counted = len(self.found), self._only_counts
        for key, element in value.items():
            start = len(self.found)
            if node.keys and not _PATTERNS[node.keys].search(key):
                message = f"the keys of {self._name(path)} must be {_WANTED[node.keys].replace('a ', '', 1)}s"
                self._add("bad-key", path, "key", (*path, key), message)
            self.visit(node.of, element, (*path, key))
            wrong += self._is_wrong(start, wrong)
        self._only_counts = only_counted
        self._gather(path, before, wrong, len(value))

    def _gather(self, path: Path, before: int, wrong: int, total: int) -> None:
        """Several wrong entries of one array or map are one fault, at its key."""
        if wrong > 1:
            message = f"{wrong} of {total} entries of {self._name(path)} are not as they must be"
            self.found[before:] = [fault for fault in self.found[before:] if fault[0] in SOFT]
            self._add("several", path, "owner", path, message)

    def _object(self, node: Obj, value: Any, path: Path, tag: str = "") -> None:
        if isinstance(value, list) and _is_row(node, value):
            self._row(path)
            return
        if not isinstance(value, dict):
            self._wrong(path, "an object", value)
            return
        if self._is_legacy(node.legacy, value, path):
            return
        before = len(self.found)
        for field in node.fields.values():
            if field.retired:
                continue
            if field.name in value:
                self._field(field, value, path)
            elif field.need == "required" or field.need == "value":
                message = f"{self._owner(node, path)} has no `{field.name}`"
                self._add("missing", (*path, field.name), "owner", path, message)
        if node.any_of and node.name.startswith("part/"):
            self._forgive(node, value, path, before)
        if node.strict:
            for key in value:
                if key not in node.fields and key != tag:
                    message = f"{self._name(path)} has a key{_quoted(key)} that the reader refuses"
                    self._add("unwanted-key", (*path, key), "key", (*path, key), message)
        for name, other in node.equal:
            self._equal(value, name, other, path)
        if node.any_of and all(value.get(name) is None for name in node.any_of):
            self._none_of(node, value, path)

    def _is_legacy(self, rules: tuple[catalogue.Legacy, ...], value: dict[str, Any], path: Path) -> bool:
        for rule in rules:
            if rule.has in value and not any(key in value for key in rule.lacks):
                message = f"{_name(path)} is laid out as older builds wrote it; today's reader does not take it"
                self._add("legacy", path, "key", (*path, rule.has), message)
                return True
        return False

    def _field(self, field: Field, owner: dict[str, Any], path: Path) -> None:
        value = owner[field.name]
        here = (*path, field.name)
        if field.alias_of is not None and field.alias_of in owner:
            later = max((field.name, field.alias_of), key=list(owner).index)
            message = f"`{field.alias_of}` and `{field.name}` are two spellings of one field"
            self._add("two-spellings", here, "key", (*path, later), message)
        if value is None and field.need in ("optional", "value"):
            return
        start = len(self.found)
        self.visit(field.type, value, here)
        if field.legacy is not None and _is_broken(self.found, start):
            then = _Walker(False)
            then.visit(field.legacy, value, here)
            if not then.found:
                del self.found[start:]
                message = f"{_name(here)} is written as older builds did; today's reader does not take it"
                self._add("legacy", here, "value", here, message)

    def _forgive(self, node: Obj, value: dict[str, Any], path: Path, before: int) -> None:
        """In a content part, one of several sources that is right is enough: what stands beside it is passed over."""
        sources = {(*path, name) for name in node.any_of if value.get(name) is not None}
        wrong = {fault[1] for fault in self.found[before:]} & sources
        if wrong and wrong < sources:
            for index in range(before, len(self.found)):
                what, place, *rest = self.found[index]
                if place in wrong and what == "wrong-type":
                    self.found[index] = ("kept", place, *rest)  # type: ignore[assignment]

    def _none_of(self, node: Obj, value: dict[str, Any], path: Path) -> None:
        names = " nor ".join(f"`{name}`" for name in node.any_of)
        message = f"{self._owner(node, path)} has neither {names}"
        empty = [name for name in node.any_of if name in value]
        here = (*path, (empty or node.any_of)[0])
        if empty:
            self._add("wrong-type", here, "value", here, message)
        else:
            self._add("missing", here, "owner", path, message)

    def _equal(self, value: dict[str, Any], name: str, other: str, path: Path) -> None:
        first, second = value.get(name), value.get(other)
        if isinstance(second, list) and (not isinstance(first, list) or len(first) != len(second)):
            here = (*path, other)
            self._add("wrong-length", here, "owner", here, f"{self._name(here)} must have as many entries as `{name}`")

    def _row(self, path: Path) -> None:
        message = f"{_name(path)} is an array; the reader takes its elements for the fields in their order"
        self._add("kept", path, "value", path, message)

    def _tagged(self, node: Tagged, value: Any, path: Path) -> None:
        if isinstance(value, list) and _is_tagged_row(node, value):
            self._row(path)
            return
        if not isinstance(value, dict):
            self._wrong(path, "an object", value)
            return
        if self._is_legacy(node.legacy, value, path):
            return
        word = value.get(node.tag, _MISSING)
        here = (*path, node.tag)
        if word is _MISSING:
            self._add("missing", here, "owner", path, f"{self._name(path)} has no `{node.tag}`")
        elif word.__class__ is int and word >= 0 and (_takes_any_word(node) or _is_numbered(node, value)):
            message = f"{_name(here)} must be a string, found a number; the reader keeps the record all the same"
            self._add("kept", here, "value", here, message)
        elif not isinstance(word, str):
            self._wrong(here, "a string", word)
        elif word in node.variants:
            variant = node.variants[word]
            if isinstance(variant, Obj):
                self._object(variant, value, path, node.tag)
            else:
                self._tagged(variant, value, path)
        elif word in node.refused:
            message = f"{_label(node)}{_quoted(word)} was written by older builds; today's reader does not take it"
            self._add("legacy", here, "value", here, message)
        elif node.other is not None:
            self.visit(node.other, value, path)
        else:
            self._unknown_kind(node, word, path)

    def _unknown_kind(self, node: Tagged, word: str, path: Path) -> None:
        here = (*path, node.tag)
        if node.name == "line":
            self._add("unknown-kind", here, "value", here, f"unknown record type{_quoted(word)} (kept, shown raw)")
        elif word in node.unstored:
            message = f"{_label(node)}{_quoted(word)} is known but stored by no build: another writer made this record"
            self._add("unknown-kind", here, "value", here, message)
        elif node.name in catalogue.load().shapes:
            message = f"unknown {node.tag}{_quoted(word)} of {_name(path)}; {_SKIPS}"
            self._add("unknown-part", here, "value", here, message)
        else:
            message = f"unknown {_label(node)} kind{_quoted(word)} (kept, shown raw)"
            self._add("unknown-kind", here, "value", here, message)

    def _keyed(self, node: Keyed, value: Any, path: Path) -> None:
        if isinstance(value, str) and (node.words or node.open):
            if value not in node.words and not node.open:
                self._unknown_word(value, path, "value", path)
        elif not isinstance(value, dict):
            self._wrong(path, "a word or an object" if node.words else "an object", value)
        elif len(value) != 1:
            message = f"{self._name(path)} must be an object with exactly one key, found {len(value)}"
            self._add("wrong-type", path, "value", path, message)
        else:
            self._only_key(node, value, path)

    def _only_key(self, node: Keyed, value: dict[str, Any], path: Path) -> None:
        ((key, inner),) = value.items()
        here = (*path, key)
        field = node.keys.get(key)
        if key in node.legacy_keys:
            message = f"{_name(path)} has a form{_quoted(key)} of older builds; today's reader does not take it"
            self._add("legacy", here, "key", here, message)
        elif field is None:
            if not node.open_keys:
                self._unknown_word(key, path, "key", here)
        elif inner is not None or field.need != "value":
            self.visit(field.type, inner, here)

    def _one_of(self, node: OneOf, value: Any, path: Path) -> None:
        for option in node.options:
            if is_sort(option, value):
                self.visit(option, value, path)
                return
        self._wrong(path, " or ".join(_wanted(option) for option in node.options), value)

    def _either(self, node: Either, value: Any, path: Path) -> None:
        found = _best_option(node, value, path)[1]
        unsaid = node.choose_by is not None and isinstance(value, dict) and node.choose_by not in value
        if unsaid and node.choose_by is not None and _is_broken(found, 0):
            here = (*path, node.choose_by)
            self._add("missing", here, "owner", path, f"{self._name(path)} has no `{node.choose_by}`")
            return
        self.found += found


_VISITS: dict[type, Callable[[_Walker, Any, Any, Path], None]] = {
    Scalar: _Walker._scalar,
    Words: _Walker._words,
    List: _Walker._list,
    Map: _Walker._map,
    Obj: _Walker._object,
    Tagged: _Walker._tagged,
    Keyed: _Walker._keyed,
    OneOf: _Walker._one_of,
    Either: _Walker._either,
}


def _takes_any_word(node: Tagged) -> bool:
    """Whether the reader keeps what bears a word that it does not know (then it takes a number for one as well)."""
    return node.other is not None or node.name == "response_item"


def _is_numbered(node: Tagged, value: dict[str, Any]) -> bool:
    """Whether an object bears the number of a variant, counted from 0, in place of its word: the reader takes that too.

    Only of shared shapes, whose variants the catalogue lists in the reader's order.
    """
    variants = list(node.variants.values())
    number = value[node.tag]
    if node.name not in catalogue.load().shapes or number >= len(variants):
        return False
    variant = variants[number]
    trial = _Walker(False)
    if isinstance(variant, Obj):
        trial._object(variant, value, (), node.tag)
    return isinstance(variant, Obj) and not trial.found


def _is_row(node: Obj, value: list[Any]) -> bool:
    """Whether an array stands for an object: the reader takes its elements for the fields in their order."""
    fields = [field for field in node.fields.values() if not field.retired and field.alias_of is None]
    if len(value) > len(fields) or any(field.need in ("required", "value") for field in fields[len(value) :]):
        return False
    trial = _Walker(False)
    for field, element in zip(fields, value, strict=False):
        if element is not None or field.need not in ("optional", "value"):
            trial.visit(field.type, element, ())
    return not trial.found


def _is_tagged_row(node: Tagged, value: list[Any]) -> bool:
    """As ``_is_row``, where the first element is the word that tells the variant."""
    word = value[0] if value else None
    if not isinstance(word, str):
        return False
    variant = node.variants.get(word)
    if variant is None:
        return _takes_any_word(node) and word not in node.refused
    return isinstance(variant, Obj) and _is_row(variant, value[1:])


def best_option(node: Either, value: Any) -> Type:
    """The layout that a value is meant to have: the one with the fewest faults, where no key tells."""
    return _best_option(node, value, ())[0]


def _best_option(node: Either, value: Any, path: Path) -> tuple[Type, list[Found]]:
    options = node.options
    if node.choose_by is not None and isinstance(value, dict):
        options = options[:1] if node.choose_by in value else options[-1:]
    attempts = []
    for option in options:
        attempt = _Walker(False)
        attempt.visit(option, value, path)
        attempts.append((option, attempt.found))
    return min(attempts, key=lambda attempt: len(attempt[1]))


def is_sort(node: Type, value: Any) -> bool:
    """Whether a value is of the JSON type that the node wants."""
    if isinstance(node, Scalar):
        return node.name == "any" or value.__class__ in _CLASSES.get(node.name, ())
    if isinstance(node, Words):
        return isinstance(value, str)
    if isinstance(node, List):
        return isinstance(value, list)
    if isinstance(node, OneOf):
        return any(is_sort(option, value) for option in node.options)
    if isinstance(node, Either):
        return any(is_sort(option, value) for option in node.options)
    if isinstance(node, Keyed) and isinstance(value, str):
        return bool(node.words or node.open)
    return isinstance(value, dict)


# ---- words of messages ----------------------------------------------------------------------------------------------
def _wanted(node: Type) -> str:
    if isinstance(node, Scalar):
        names = {"string": "a string", "boolean": "true or false", "number": "a number", "null": "null"}
        return names.get(node.name, "an integer" if node.name in INTEGERS else "an object")
    if isinstance(node, Words):
        return "a string"
    return "an array" if isinstance(node, List) else "an object"


def _sort(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "a boolean", str: "a string", list: "an array", dict: "an object", float: "a number"}
    return names.get(value.__class__, "a number")


def _name(path: Path) -> str:
    """`payload.content[2].text`; keys that do not look like names are left out."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _IDENTIFIER.match(part) else "...")
    return f"`{text}`" if text else "the record"


def _leaf(path: Path) -> str:
    names = [part for part in path if isinstance(part, str)]
    return names[-1] if names and _IDENTIFIER.match(names[-1]) else "word"


def _quoted(word: str) -> str:
    """A word of the record, when it looks like an identifier; nothing otherwise."""
    return f" `{word}`" if _IDENTIFIER.match(word) else ""


def _label(node: Tagged) -> str:
    return "record type" if node.name == "line" else node.name


# ---- places ---------------------------------------------------------------------------------------------------------
def _placed(found: list[Found], kind: str | None, text: bytes, base: int) -> tuple[ShapeFault, ...]:
    """Faults with the bytes to mark; of equal soft ones in one record the first."""
    places = _Places(text)
    placed: list[ShapeFault] = []
    groups: set[str] = set()
    left = 0
    for what, path, how, place, message in found:
        group = f"{what} {kind or ''} {_INDEX.sub('[]', message)}"
        if what in SOFT and group in groups:
            continue
        groups.add(group)
        if len(placed) == MAX_FAULTS:
            left += 1
            continue
        start, end = places.find(how, place)
        placed.append(ShapeFault(what, path, base + start, base + end, message, group))
    if left:
        more = f" (and {left} more faults of this record)"
        placed[-1] = msgspec.structs.replace(placed[-1], message=placed[-1].message + more)
    return tuple(placed)


class _Places:
    """Finds places in one record, looking through each object once however many faults it has."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._spans: dict[Path, spans.Span | None] = {}
        self._members: dict[Path, dict[str, spans.Span]] = {}

    def find(self, how: str, path: Path) -> tuple[int, int]:
        """Start and end of the place; the whole record where it is not to be found."""
        span = self._span(path) if path else None
        if span is None:
            return 0, len(self._text)
        if span.key_start >= 0:
            if how in ("key", "owner"):
                return span.key_start, span.key_end
            if how == "member":
                return span.key_start, span.end
        return span.start, span.end

    def _span(self, path: Path) -> spans.Span | None:
        if path not in self._spans:
            self._spans[path] = self._look(path)
        return self._spans[path]

    def _look(self, path: Path) -> spans.Span | None:
        above = self._span(path[:-1]) if len(path) > 1 else spans.Span(0, len(self._text))
        if above is None:
            return None
        inner = self._text[above.start : above.end]
        if isinstance(path[-1], int):
            return spans.find(inner, path[-1:], above.start)
        if path[:-1] not in self._members:
            self._members[path[:-1]] = dict(spans.members(inner, above.start))
        return self._members[path[:-1]].get(path[-1])
