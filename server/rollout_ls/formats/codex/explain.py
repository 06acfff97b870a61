"""What the catalogue knows about a kind, a part or a shared shape, put together for people.

The structure comes from the catalogue, the sentences from its texts. Never looks at a record and never decides what is
legal.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import msgspec

from rollout_ls.formats.codex import catalogue
from rollout_ls.formats.codex.catalogue import (
    Either,
    Field,
    Keyed,
    Kind,
    List,
    Map,
    Obj,
    OneOf,
    Scalar,
    Tagged,
    Type,
    Words,
)
from rollout_ls.formats.codex.describe import (
    KindText,
    Place,
    ShapeText,
    allowed_words,
    locate,
    meaning,
    text_of_kind,
    texts,
)
from rollout_ls.formats.codex.types import INTEGERS
from rollout_ls.formats.explanation import FieldExplained, KindExplained, PlaceExplained
from rollout_ls.jsonl.spans import Span, child_at, look_into

SHAPES = "shape"
PARTS = "part"

_PLAIN = {"any": "any value", "never": "nothing"}
_FORMATS = {
    "uuid": "a UUID",
    "abs-path": "an absolute path",
    "file-uri": "a file: URI",
    "path-or-uri": "an absolute path or a file: URI",
    "non-empty": "not empty",
    "agent-path": "an agent path",
    "rfc3339-strict": "an RFC 3339 time",
    "rfc3339": "a time",
    "json": "JSON inside",
    "base64": "base64",
    "data-url": "a data: URL",
    "unix-seconds": "seconds since 1970",
    "unix-ms": "milliseconds since 1970",
    "call-id": "an id that pairs records",
    "prefixed-id": "an id",
}


@functools.lru_cache(maxsize=1)
def kind_names() -> tuple[str, ...]:
    """The names of all that can be explained, in the catalogue's order: kinds, parts, shapes."""
    facts = catalogue.load()
    kinds = [name for name in facts.kinds if not name.startswith(f"{PARTS}/")]
    parts = [name for name in facts.kinds if name.startswith(f"{PARTS}/")]
    families = [name.partition("/")[0] for name in kinds]
    kinds.sort(key=lambda name: families.index(name.partition("/")[0]))
    return (*kinds, *parts, *(f"{SHAPES}/{name}" for name in facts.shapes))


@functools.lru_cache(maxsize=512)
def explain_kind(name: str) -> KindExplained | None:
    """All that is known of one name of ``kind_names``; None for any other."""
    facts = catalogue.load()
    kind = facts.kinds.get(name)
    if kind is not None:
        return _explain(kind)
    shape = facts.shapes.get(name.removeprefix(f"{SHAPES}/")) if name.startswith(f"{SHAPES}/") else None
    return _explain_shape(name, shape) if shape is not None else None


def explain_place(record: Any, path: tuple[str | int, ...]) -> PlaceExplained | None:
    """What is known of a place in a record, given as plain values; None where it stands in what nobody lists.

    The record may be pruned to what stands beside the path: only the words that tell variants apart are looked at.
    """
    if not path:
        return None
    name = _path_name(record, path)
    place = locate(record, path)
    if place is None:
        return PlaceExplained(name, unlisted=True, listed=False) if _is_unlisted(record, path) else None
    words, open_ = allowed_words(place) or ({}, False)
    field = place.field
    listed = not isinstance(place.type, Scalar)
    told = PlaceExplained(name, _type(place.type), place.owner, None, meaning(place) or "", words, open_, listed=listed)
    if field is None:
        return told
    return msgspec.structs.replace(
        told,
        need=field.need,
        since=field.since or "",
        until=field.until or "",
        retired=field.retired,
        alias_of=field.alias_of or "",
    )


def explain_at(text: bytes, offset: int) -> tuple[PlaceExplained, Span, bool] | None:
    """What is known of the key or value at a byte of a record, its span there, and whether that is on the key.

    Goes down no further than the catalogue lists, and decodes no more than tells where the way leads. What stands
    deeper is explained by the last key that is known; None where there is nothing to explain.
    """
    record: dict[str | int, Any] = {}
    inside = record
    path: tuple[str | int, ...] = ()
    told: tuple[PlaceExplained, Span, bool] | None = None
    span = Span(0, len(text.rstrip()))
    while (found := _step_to(text, span, offset, inside)) is not None:
        step, child = found
        path = (*path, step)
        place = explain_place(record, path)
        if place is None:
            break
        on_key = child.key_start <= offset < child.key_end
        told = (place, child, on_key)
        if on_key or not place.listed or text[child.start] not in _OPENING:
            break
        inside[step] = {}
        inside = inside[step]
        span = child
    return told


_OPENING = b"{["
_SHORT = 200
"""Bytes of a value that may tell which variant an object is."""
_FEW = 64
"""Members of an object among which such a value is looked for."""


def _step_to(text: bytes, span: Span, offset: int, inside: dict[str | int, Any]) -> tuple[str | int, Span] | None:
    """The member or element at an offset of a container; the short members of an object are noted in ``inside``."""
    if text[span.start : span.start + 1] != b"{":
        return child_at(text, span, offset)
    found = look_into(text, span)
    for key, member in found.first(_FEW):
        inside[key] = None
        if member.end - member.start <= _SHORT:
            try:
                inside[key] = msgspec.json.decode(text[member.start : member.end])
            except (msgspec.DecodeError, RecursionError):
                continue
    return found.at(offset)


def _path_name(record: Any, path: tuple[str | int, ...]) -> str:
    """The name of a place from the record down, ``*`` for keys that are data themselves."""
    name = ""
    for depth, step in enumerate(path, 1):
        if isinstance(step, int):
            name += "[]"
            continue
        place = locate(record, path[:depth])
        step = "*" if place is not None and place.path.endswith("*") else step
        name += f".{step}" if name else step
    return name


def _is_unlisted(record: Any, path: tuple[str | int, ...]) -> bool:
    """Whether a place that is not known is a key of an object whose keys are."""
    if not isinstance(path[-1], str):
        return False
    if len(path) == 1:
        return True
    above: Place | None = locate(record, path[:-1])
    return above is not None and _lists_keys(above.type)


def _lists_keys(node: Type) -> bool:
    if isinstance(node, OneOf | Either):
        return any(_lists_keys(option) for option in node.options)
    return isinstance(node, Obj | Tagged) or (isinstance(node, Keyed) and not node.open_keys)


def _explain(kind: Kind) -> KindExplained:
    text = text_of_kind(kind.name) or KindText("", "")
    fields = tuple(_fields(kind.body.fields, _meanings(kind.name, text))) if isinstance(kind.body, Obj) else ()
    return KindExplained(
        name=kind.name,
        family=kind.name.partition("/")[0],
        title=text.title,
        summary=text.summary,
        when=text.when,
        stored=kind.stored,
        refused=kind.refused,
        since=kind.since or "",
        until=kind.until or "",
        since_version=kind.since_version or "",
        until_version=kind.until_version or "",
        aliases=kind.aliases,
        links=kind.links,
        fields=fields,
        listed=kind.body is not None,
    )


def _meanings(kind: str, text: KindText) -> dict[str, str]:
    """What the fields mean; those of a part are told with the shape that lists it."""
    if text.fields or not kind.startswith(f"{PARTS}/"):
        return text.fields
    facts = catalogue.load()
    body = facts.kinds[kind].body
    for name, node in facts.shapes.items():
        if isinstance(node, Tagged) and any(variant is body for variant in node.variants.values()):
            return texts().shapes[name].fields
    return {}


def _explain_shape(name: str, node: Type) -> KindExplained:
    text = texts().shapes.get(name.removeprefix(f"{SHAPES}/")) or ShapeText("", "")
    fields: tuple[FieldExplained, ...] = ()
    variants: list[KindExplained] = []
    words: dict[str, str] = {}
    open_ = False
    if isinstance(node, Obj):
        fields = tuple(_fields(node.fields, text.fields))
    elif isinstance(node, Tagged):
        told = text.fields.get(node.tag, "")
        open_ = node.other is not None
        tag = FieldExplained(node.tag, "string", "required", tuple(node.variants), open_, meaning=told)
        fields = (tag,)
        variants = [_variant(word, body, text) for word, body in node.variants.items()]
    elif isinstance(node, Words | Keyed):
        open_ = node.open
        words = {word: text.words.get(word, "") for word in node.words}
        fields = tuple(_fields(node.keys, text.fields)) if isinstance(node, Keyed) else ()
    elif isinstance(node, Either):
        variants = [_variant(str(number), option, text) for number, option in enumerate(node.options, 1)]
    return KindExplained(
        name=name,
        family=SHAPES,
        title=text.title,
        summary=text.summary,
        fields=fields,
        variants=tuple(variants),
        words=words,
        open=open_,
    )


def _variant(name: str, node: Type, text: ShapeText) -> KindExplained:
    """One layout of a shape. One that is a shape of its own is only named."""
    shared = _shape_in(node)
    if shared or not isinstance(node, Obj):
        return KindExplained(name, SHAPES, summary=_type(node), listed=False)
    return KindExplained(name, SHAPES, fields=tuple(_fields(node.fields, text.fields)))


# ---- fields ---------------------------------------------------------------------------------------------------------
def _fields(fields: dict[str, Field], meanings: dict[str, str], above: str = "") -> Iterator[FieldExplained]:
    for field in fields.values():
        path = above + field.name
        words, open_ = _words(field.type)
        yield FieldExplained(
            path=path,
            type=_type(field.type),
            need=field.need,
            words=words,
            open=open_,
            shape=_shape_in(field.type),
            meaning=meanings.get(path, ""),
            since=field.since or "",
            until=field.until or "",
            retired=field.retired,
            alias_of=field.alias_of or "",
        )
        inner, step = _inline(field.type)
        if inner is not None:
            yield from _fields(inner.fields, meanings, f"{path}{step}.")


def _inline(node: Type) -> tuple[Obj | None, str]:
    """The object whose keys are listed with the field, and what its path has in between."""
    if isinstance(node, List):
        inner, _ = _inline(node.of)
        return inner, "[]"
    if isinstance(node, Obj) and not _shape_in(node):
        return node, ""
    return None, ""


@functools.lru_cache(maxsize=1)
def _shape_names() -> dict[int, str]:
    """Shared nodes by identity; the graph lives as long as the process."""
    return {id(node): name for name, node in catalogue.load().shapes.items()}


def _shape_in(node: Type) -> str:
    """The name of the shared shape, or of the kind, that a value is or holds; empty where it is neither."""
    name = _shape_names().get(id(node))
    if name is not None:
        return f"{SHAPES}/{name}"
    if isinstance(node, Obj) and node.kind in catalogue.load().kinds:
        return str(node.kind)
    if isinstance(node, List | Map):
        return _shape_in(node.of)
    if isinstance(node, OneOf):
        return next((found for option in node.options if (found := _shape_in(option))), "")
    return ""


def _words(node: Type) -> tuple[tuple[str, ...], bool]:
    if isinstance(node, Words):
        return node.words, node.open
    return _words(node.of) if isinstance(node, List) else ((), False)


def _type(node: Type) -> str:
    """A type in words: ``array of strings`` is spelled ``array of string``, as data sheets do."""
    if isinstance(node, Scalar):
        name = "integer" if node.name in INTEGERS else _PLAIN.get(node.name, node.name)
        return f"{name} ({_FORMATS[node.format]})" if node.format in _FORMATS else name
    if isinstance(node, Words):
        return "string"
    if isinstance(node, List):
        return f"array of {_type(node.of)}"
    if isinstance(node, Map):
        return f"object, each value {_type(node.of)}"
    if isinstance(node, OneOf):
        return " or ".join(_type(option) for option in node.options)
    name = _shape_in(node).removeprefix(f"{SHAPES}/")
    if isinstance(node, Keyed) and node.words:
        return f"string or object `{name}`" if name else "string or object"
    return f"object `{name}`" if name else "object"
