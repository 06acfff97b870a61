"""The catalogue's words for people: what a kind is, what a field means, which words it may hold.

Exists beside catalogue.py so that nobody loads a text before somebody wants to read one (a hover, `explain`, the
generated pages). Must never decide whether a record is right, and never quote a record.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import msgspec

from rollout_ls.formats.codex import catalogue
from rollout_ls.formats.codex.catalogue import Either, Field, Keyed, List, Map, Obj, OneOf, Tagged, Type, Words
from rollout_ls.formats.codex.shape import best_option

_FOLDER = Path(__file__).parent / "catalogue" / "texts"


class KindText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`title`: its name. `summary`: what it is. `when`: when it is written. `fields`: meanings by path."""

    title: str
    summary: str
    when: str = ""
    fields: dict[str, str] = {}


class ShapeText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Like a kind's text, of a shared shape; `words` tells what single words mean."""

    title: str
    summary: str
    fields: dict[str, str] = {}
    words: dict[str, str] = {}


class Texts(msgspec.Struct, frozen=True):
    """All texts, by the name of the kind or of the shape."""

    kinds: dict[str, KindText]
    shapes: dict[str, ShapeText]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kinds: dict[str, KindText] = {}
    shapes: dict[str, ShapeText] = {}


class Place(msgspec.Struct, frozen=True):
    """What the catalogue says of one place in a record.

    `field` is the key's entry, None for an element, for a key of a map and for a discriminator. `type` is what the
    value must be. `owner` is the kind or the shape (as "shape/name") that lists the field, and `path` the field's path
    in it (`entries[].note`). `need` says nothing for a place without a field.
    """

    field: Field | None
    type: Type
    owner: str
    path: str


@functools.lru_cache(maxsize=1)
def texts() -> Texts:
    """All texts, read once."""
    kinds: dict[str, KindText] = {}
    shapes: dict[str, ShapeText] = {}
    for name in ("envelope", "shapes", *catalogue.FAMILIES):
        file = msgspec.json.decode((_FOLDER / f"{name}.json").read_bytes(), type=_File)
        kinds.update(file.kinds)
        shapes.update(file.shapes)
    return Texts(kinds, shapes)


def text_of_kind(name: str) -> KindText | None:
    """The text of a kind; a subdivided kind without fields of its own takes those of its whole."""
    text = texts().kinds.get(name)
    if text is None or text.fields:
        return text
    whole = texts().kinds.get(name.rpartition("/")[0])
    return text if whole is None else msgspec.structs.replace(text, fields=whole.fields)


def locate(record: Any, path: tuple[str | int, ...]) -> Place | None:
    """What the catalogue knows of a place in a record, given as a plain decoded value and a path from its top.

    None where the catalogue lists nothing. The record tells which variant is meant; it may be damaged.
    """
    facts = catalogue.load()
    bare = isinstance(record, dict) and "payload" not in record
    node: Type = facts.line
    if bare:
        node = facts.bare if "type" in record else facts.bare_state if "record_type" in record else facts.bare_header
    place: Place | None = None
    owner, trail, value = "envelope", "", record
    for step in path:
        entered = _enter(node, value, step)
        if entered is None:
            return None
        variant, name = entered
        if name is not None:
            owner, trail = name, ""
        found = _step(variant, step)
        if found is None:
            return None
        field, node = found
        if isinstance(step, int):
            trail += "[]"
        else:
            trail += ("." if trail else "") + ("*" if isinstance(variant, Map) else step)
        place = Place(field, node, owner, trail)
        value = _inside(value, step)
    return place


def meaning(place: Place) -> str | None:
    """What the value at a place means, in a sentence."""
    fields = _fields_of(place.owner)
    return fields.get(place.path) or (fields.get(place.path[: -len("[]")]) if place.path.endswith("[]") else None)


def allowed_words(place: Place) -> tuple[dict[str, str], bool] | None:
    """The words a value may be, each with its meaning (perhaps empty), and whether others are taken too."""
    node = place.type
    if isinstance(node, Words):
        words: tuple[str, ...] = node.words
        is_open = node.open
    elif isinstance(node, Keyed) and node.words:
        words, is_open = node.words, node.open
    else:
        return None
    known = _words_of(node, place)
    return {word: known.get(word, "") for word in words}, is_open


def _words_of(node: Type, place: Place) -> dict[str, str]:
    for name, shape in catalogue.load().shapes.items():
        if shape is node:
            return texts().shapes[name].words
    if place.owner.startswith("shape/"):
        text = texts().shapes.get(place.owner[len("shape/") :])
        return text.words if text is not None else {}
    return {}


def _fields_of(owner: str) -> dict[str, str]:
    if owner.startswith("shape/"):
        shape = texts().shapes.get(owner[len("shape/") :])
        return shape.fields if shape is not None else {}
    kind = texts().kinds.get(owner)
    return kind.fields if kind is not None else {}


def _enter(node: Type, value: Any, step: str | int) -> tuple[Type, str | None] | None:
    """The variant of a node that a value is, and the owner's name where a new one begins."""
    if isinstance(node, Either):
        return _enter(best_option(node, value), value, step)
    if isinstance(node, OneOf):
        wanted = List if isinstance(step, int) else (Obj, Tagged, Keyed, Map)
        option = next((option for option in node.options if isinstance(option, wanted)), None)
        return None if option is None else _enter(option, value, step)
    if isinstance(node, Tagged):
        return _enter_variant(node, value, step)
    if isinstance(node, Keyed):
        return node, f"shape/{node.name}"
    if isinstance(node, Obj):
        return node, node.kind
    return node, None


def _enter_variant(node: Tagged, value: Any, step: str | int) -> tuple[Type, str | None] | None:
    word = value.get(node.tag) if isinstance(value, dict) else None
    known = (node.variants.get(word) or node.refused.get(word)) if isinstance(word, str) else None
    shared = f"shape/{node.name}" if node.name in catalogue.load().shapes else None
    if step == node.tag:
        words = Field(node.tag, Words(tuple(node.variants), node.other is not None), "required")
        return Obj(node.name, {node.tag: words}), shared or "envelope"
    if known is None:
        return None
    if isinstance(known, Tagged):
        return _enter_variant(known, value, step)
    return known, shared or known.kind or "envelope"


def _step(node: Type, step: str | int) -> tuple[Field | None, Type] | None:
    if isinstance(node, Obj) and isinstance(step, str):
        field = node.fields.get(step)
        return None if field is None else (field, field.type)
    if isinstance(node, Keyed) and isinstance(step, str):
        field = node.keys.get(step)
        return None if field is None else (field, field.type)
    if isinstance(node, Map) and isinstance(step, str):
        return None, node.of
    if isinstance(node, List) and isinstance(step, int):
        return None, node.of
    return None


def _inside(value: Any, step: str | int) -> Any:
    try:
        return value[step]
    except (KeyError, IndexError, TypeError):
        return None
