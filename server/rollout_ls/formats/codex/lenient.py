"""What is usable of a record that does not decode, as an object that reads like a typed one.

Exists so that a damaged, old or foreign record still tells what it can: statements, hovers and pages read a
`types.View` as they read a typed record. Must never say what is wrong with it (shape.py does), and never raise on any
input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from rollout_ls.formats.codex.catalogue import Either, Keyed, List, Map, Obj, OneOf, Scalar, Tagged, Type, Words
from rollout_ls.formats.codex.shape import best_option, is_sort, kind_of_value, line_of, object_of
from rollout_ls.formats.codex.types import View, attribute

MAX_LOOSE_DEPTH = 32
"""Deeper than this, unknown objects stay plain values instead of views."""


def lenient(text: bytes) -> View:
    """A record that does not decode as a `types.View`: named like a typed record, None for what is not usable.

    Elements of arrays that are not usable are left out. What the catalogue does not know at all is there as plain
    values and views. A text that is no JSON object gives a view of no kind without values.
    """
    value = object_of(text)
    return View(None, {}) if value is None else lenient_of(value)


def lenient_of(value: dict[str, Any]) -> View:
    """As `lenient`, of an object that was read before (by `shape.object_of`)."""
    line, _ = line_of(value)
    if line is None:
        return _object_of_no_kind(value)
    view: View = _READERS[line.__class__](line, value)
    if view.view_kind is None and "payload" in value:
        return View("line/", view.view_values())
    return view


def _read(node: Type, value: Any) -> Any:
    """What is usable of a value, None if nothing is."""
    return None if value is None else _READERS[node.__class__](node, value)


def _scalar(node: Scalar, value: Any) -> Any:
    if node.name in ("any", "object"):
        return _raw(value)
    if not is_sort(node, value):
        return None
    if node.name == "number":
        return float(value) if abs(value) < 2**64 else None
    return value


def _words(node: Words, value: Any) -> Any:
    return value if isinstance(value, str) else None


def _list(node: List, value: Any) -> Any:
    if not isinstance(value, list):
        return None
    of, nullable = node.of, is_sort(node.of, None)
    loose = ((element, _read(of, element)) for element in value)
    return [usable for element, usable in loose if usable is not None or (nullable and element is None)]


def _map(node: Map, value: Any) -> Any:
    if not isinstance(value, dict):
        return None
    members = ((key, _read(node.of, element)) for key, element in value.items())
    return {key: usable for key, usable in members if usable is not None}


def _one_of(node: OneOf, value: Any) -> Any:
    return next((_read(option, value) for option in node.options if is_sort(option, value)), None)


def _either(node: Either, value: Any) -> Any:
    return _read(best_option(node, value), value)


def _keyed(node: Keyed, value: Any) -> Any:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return None
    keys = {attribute(key): _read(field.type, value[key]) for key, field in node.keys.items() if key in value}
    return View(f"shape/{node.name}", keys)


def _object(node: Obj, value: Any) -> View | None:
    if not isinstance(value, dict):
        return None
    values: dict[str, Any] = {}
    aliases = []
    for field in node.fields.values():
        inner = value.get(field.name)
        if inner is None:
            continue
        values[attribute(field.name)] = inner if field.retired else _read(field.type, inner)
        if field.alias_of is not None:
            aliases.append(field)
    for field in aliases:
        named = attribute(field.alias_of or "")
        if values.get(named) is None:
            values[named] = values.pop(attribute(field.name))
    return View(kind_of_value(node, value) if node.kind else node.name, values)


def _tagged(node: Tagged, value: Any) -> View | None:
    if not isinstance(value, dict):
        return None
    word = value.get(node.tag)
    known = (node.variants.get(word) or node.refused.get(word)) if isinstance(word, str) else None
    if known is None:
        loose = _object_of_no_kind(value)
        if isinstance(word, str) and word in node.unstored:
            return View(f"{node.name}/{word}", loose.view_values())
        return loose
    view: View = _READERS[known.__class__](known, value)
    return View(view.view_kind, {**view.view_values(), attribute(node.tag): word})


_READERS: dict[type, Callable[[Any, Any], Any]] = {
    Scalar: _scalar,
    Words: _words,
    List: _list,
    Map: _map,
    OneOf: _one_of,
    Either: _either,
    Keyed: _keyed,
    Obj: _object,
    Tagged: _tagged,
}


def _object_of_no_kind(value: dict[str, Any], depth: int = 0) -> View:
    """An object the catalogue does not know: everything in it, objects as views."""
    return View(None, {attribute(key): _plain(inner, depth + 1) for key, inner in value.items()})


def _plain(value: Any, depth: int) -> Any:
    if isinstance(value, dict):
        return value if depth > MAX_LOOSE_DEPTH else _object_of_no_kind(value, depth)
    if isinstance(value, list):
        return value if depth > MAX_LOOSE_DEPTH else [_plain(element, depth + 1) for element in value]
    return value


def _raw(value: Any) -> msgspec.Raw | None:
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except RecursionError:
        return None
