"""Records made from the catalogue, for tests: the smallest legal one of each kind, full ones, and mutants of both.

Deterministic, and knows nothing of the catalogue that its graph does not say.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from rollout_ls.formats.codex import catalogue
from rollout_ls.formats.codex.catalogue import Either, Field, Keyed, Kind, List, Map, Obj, OneOf, Scalar, Tagged, Type
from rollout_ls.formats.codex.types import INTEGERS

UUID = "0199b000-0000-7000-8000-000000000001"
_TEXTS = {
    "uuid": UUID,
    "abs-path": "/w",
    "file-uri": "file:///w",
    "agent-path": "/root",
    "rfc3339-strict": "2026-02-03T10:00:00Z",
    "rfc3339": "2026-02-03T10:00:00.000Z",
    "path-or-uri": "/w",
    "json": "{}",
}
MANGLED: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 2**31, 2**32, 2**63 - 1, "", "zz", [], {}, [None], ["zz"], [5], [{}], {"zz": 5}),
    *({"zz": "zz"}, UUID, "/w", "C:\\w", "w/x", "file:///w", "/root/a_1", "/rooted", "2026-02-03T10:00:00Z"),
)
"""What a mutant holds in the place of a healthy value."""


def value_of(node: Type, full: bool = False) -> Any:
    """A legal value; `full`: with every field that the reader looks at."""
    if isinstance(node, Scalar):
        if node.name in INTEGERS:
            return 1
        plain: dict[str, Any] = {"boolean": True, "number": 1.5, "null": None, "object": {}, "any": {"a": 1}}
        return plain.get(node.name, _TEXTS.get(node.format or "", "x"))
    if isinstance(node, catalogue.Words):
        return node.words[0]
    if isinstance(node, List):
        return [value_of(node.of, full)] if full else []
    if isinstance(node, Map):
        return {_TEXTS.get(node.keys or "", "k"): value_of(node.of, full)} if full else {}
    if isinstance(node, (OneOf, Either)):
        return value_of(node.options[0], full)
    if isinstance(node, Keyed):
        if node.words:
            return node.words[0]
        name, field = next(iter(node.keys.items()))
        return {name: value_of(field.type, full)}
    if isinstance(node, Tagged):
        word, body = next(iter(node.variants.items()))
        return {node.tag: word, **value_of(body, full)}
    made = {name: value_of(field.type, full) for name, field in node.fields.items() if _belongs(field, full)}
    if node.any_of and node.any_of[0] not in made:
        made[node.any_of[0]] = value_of(node.fields[node.any_of[0]].type, full)
    return made


def _belongs(field: Field, full: bool) -> bool:
    if field.retired or field.alias_of is not None or field.type == Scalar("never"):
        return False
    return full or field.need in ("required", "value")


def spread(node: Type) -> Iterator[Any]:
    """Legal values that reach every variant below a node at least once; the first one is `value_of(node, True)`."""
    if isinstance(node, List):
        for value in spread(node.of):
            yield [value]
    elif isinstance(node, Map):
        for value in spread(node.of):
            yield {_TEXTS.get(node.keys or "", "k"): value}
    elif isinstance(node, (OneOf, Either)):
        for option in node.options:
            yield from spread(option)
    elif isinstance(node, Keyed):
        yield from node.words
        for name, field in node.keys.items():
            for value in spread(field.type):
                yield {name: value}
    elif isinstance(node, Tagged):
        for word, body in node.variants.items():
            for value in spread(body):
                yield {node.tag: word, **value}
    elif isinstance(node, Obj):
        full = value_of(node, True)
        yield full
        for name, field in node.fields.items():
            if name in full:
                for value in list(spread(field.type))[1:]:
                    yield {**full, name: value}
    elif isinstance(node, catalogue.Words):
        yield from node.words
    else:
        yield value_of(node, True)


def kinds() -> list[Kind]:
    """The kinds of records that the reader takes, in an envelope (no parts, no bare lines, no subdivisions)."""
    known = catalogue.load().kinds.values()
    return [kind for kind in known if _is_record(kind)]


def _is_record(kind: Kind) -> bool:
    if kind.outer is None or kind.refused or not isinstance(kind.body, Obj) or kind.body.kind != kind.name:
        return False
    return kind.name != "event_msg/item_completed"


def envelope(kind: Kind, body: dict[str, Any]) -> dict[str, Any]:
    """The record around a body: payload, and item where the kind is one."""
    parts = kind.name.split("/")
    payload: dict[str, Any] = body
    if len(parts) > 2:
        item = {"type": parts[2], **({"kind": parts[3]} if len(parts) > 3 else {}), **body}
        payload = {"type": "item_completed", "thread_id": UUID, "turn_id": "t", "item": item}
    elif len(parts) > 1:
        payload = {"type": parts[1], **body}
    return {"timestamp": "2026-02-03T10:00:00.000Z", "type": kind.outer, "payload": payload}


def minimal(kind: Kind) -> dict[str, Any]:
    """The smallest legal record of a kind."""
    return envelope(kind, value_of(kind.body, False))  # type: ignore[arg-type]


def maximal(kind: Kind) -> dict[str, Any]:
    """A legal record with every field that the reader looks at."""
    record = envelope(kind, value_of(kind.body, True))  # type: ignore[arg-type]
    record["ordinal"] = 1
    if kind.outer == "response_item":
        record["metadata"] = value_of(catalogue.load().shapes["harness_metadata"], True)
    return record


def legal(kind: Kind) -> Iterator[dict[str, Any]]:
    """Minimal, maximal, and one for each variant of each part of it."""
    yield minimal(kind)
    yield maximal(kind)
    for body in list(spread(kind.body))[1:]:  # type: ignore[arg-type]
        yield envelope(kind, body)


Path = tuple[Any, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every key and element."""
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def put(record: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """A copy with another value at a path."""
    changed = copy.deepcopy(record)
    owner: Any = changed
    for key in path[:-1]:
        owner = owner[key]
    owner[path[-1]] = copy.deepcopy(value)
    return changed


def without(record: dict[str, Any], path: Path) -> dict[str, Any]:
    """A copy that lacks the key or element at a path."""
    changed = copy.deepcopy(record)
    owner: Any = changed
    for key in path[:-1]:
        owner = owner[key]
    del owner[path[-1]]
    return changed
