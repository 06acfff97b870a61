"""What a record holds that the catalogue does not know: kinds, parts, fields and words newer than this version.

The opposite of the walk (shape.py), which says what is wrong with what is known: here a wrong value is passed over, and
only what is new is told. Never fails on any input.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rollout_ls.formats.codex import catalogue
from rollout_ls.formats.codex.catalogue import Either, Keyed, List, Map, Obj, OneOf, Tagged, Type, Words
from rollout_ls.formats.codex.shape import best_option, is_sort, kind_of_value, line_of, object_of
from rollout_ls.formats.drift import Stranger, What
from rollout_ls.formats.skeleton import SOME_KEY

Path = tuple[str | int, ...]

MAX_STRANGERS = 200
"""So many of one record are told; a record with more is of another making altogether."""


def strangers_in(text: bytes) -> tuple[Stranger, ...]:
    """What the catalogue does not know of one record, given as its JSON text; nothing for a text that is no object."""
    value = object_of(text)
    if value is None:
        return ()
    line, _ = line_of(value)
    if line is None:
        return (Stranger("kind", "", "", "", (), value),)
    walk = _Walk(kind_of_value(line, value) or _outer(value))
    found = []
    try:
        for stranger in walk.visit(line, value, (), "", ()):
            found.append(stranger)
            if len(found) >= MAX_STRANGERS:
                break
    except RecursionError:  # shapes inside themselves, hundreds of levels deep: what was found so far is true
        pass
    return tuple(found)


def _outer(value: dict[str, Any]) -> str:
    """The outer type of a record whose inner kind is unknown, where that is one of the catalogue."""
    word = value.get("type")
    return word if isinstance(word, str) and word in catalogue.load().line.variants else ""


class _Walk:
    """One walk over one record. `keys` lead to a value, `place` is the same for people."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._shapes = catalogue.load().shapes

    def _found(self, what: What, place: str, name: str, keys: Path, value: Any) -> Stranger:
        return Stranger(what, self._kind, place, name, keys, value)

    def visit(self, node: Type, value: Any, keys: Path, place: str, tags: tuple[str, ...]) -> Iterator[Stranger]:
        """What is new below a value. `tags` are keys of the object that were looked at already."""
        if isinstance(node, Words):
            if isinstance(value, str) and value not in node.words and not node.open:
                yield self._found("word", place, value, keys, value)
        elif isinstance(node, List):
            if isinstance(value, list):
                for index, element in enumerate(value):
                    yield from self.visit(node.of, element, (*keys, index), f"{place}[]", ())
        elif isinstance(node, Map):
            if isinstance(value, dict):
                for key, element in value.items():
                    yield from self.visit(node.of, element, (*keys, key), _join(place, SOME_KEY), ())
        elif isinstance(node, OneOf):
            option = next((option for option in node.options if is_sort(option, value)), None)
            if option is not None:
                yield from self.visit(option, value, keys, place, ())
        elif isinstance(node, Either):
            if value is not None:
                yield from self.visit(best_option(node, value), value, keys, place, tags)
        elif isinstance(node, Keyed):
            yield from self._keyed(node, value, keys, place)
        elif isinstance(node, Tagged):
            if isinstance(value, dict):
                yield from self._tagged(node, value, keys, place, tags)
        elif isinstance(node, Obj) and isinstance(value, dict):
            yield from self._object(node, value, keys, place, tags)

    def _object(
        self, node: Obj, value: dict[str, Any], keys: Path, place: str, tags: tuple[str, ...]
    ) -> Iterator[Stranger]:
        if any(rule.has in value and not any(key in value for key in rule.lacks) for rule in node.legacy):
            return
        for key, inner in value.items():
            field = node.fields.get(key)
            if field is None:
                if key not in tags:
                    yield self._found("field", place, key, (*keys, key), inner)
            elif not field.retired and inner is not None:
                yield from self.visit(field.type, inner, (*keys, key), _join(place, key), ())

    def _tagged(
        self, node: Tagged, value: dict[str, Any], keys: Path, place: str, tags: tuple[str, ...]
    ) -> Iterator[Stranger]:
        word = value.get(node.tag)
        if not isinstance(word, str) or word in node.unstored:
            return
        known = node.variants.get(word) or node.refused.get(word) or node.other
        if known is not None:
            yield from self.visit(known, value, keys, place, (*tags, node.tag))
            return
        what: What = "part" if node.name in self._shapes else "kind"
        rest = {key: inner for key, inner in value.items() if key != node.tag}
        yield self._found(what, _join(place, node.tag), word, (*keys, node.tag), rest)

    def _keyed(self, node: Keyed, value: Any, keys: Path, place: str) -> Iterator[Stranger]:
        if isinstance(value, str):
            if value not in node.words and not node.open:
                yield self._found("word", place, value, keys, value)
            return
        if not isinstance(value, dict):
            return
        for key, inner in value.items():
            field = node.keys.get(key)
            if field is not None:
                yield from self.visit(field.type, inner, (*keys, key), _join(place, key), ())
            elif not node.open_keys and key not in node.legacy_keys:
                yield self._found("field", place, key, (*keys, key), inner)


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
