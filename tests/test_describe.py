"""The catalogue's words: every kind, shape and field has some, none is left over, and places find theirs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import codex_samples
from rollout_ls.formats.codex import catalogue, describe
from rollout_ls.formats.codex.catalogue import Either, Field, Keyed, List, Map, Obj, OneOf, Tagged, Type

FACTS = catalogue.load()


def _named(fields: dict[str, Field], prefix: str = "") -> Iterator[str]:
    """The paths of fields and of the inline objects' fields below them."""
    for name, field in fields.items():
        path = prefix + name
        yield path
        inner, below = field.type, path + "."
        if isinstance(inner, List):
            inner, below = inner.of, path + "[]."
        if isinstance(inner, Obj) and inner.kind is None:
            yield from _named(inner.fields, below)


def _paths_of_shape(node: Type) -> set[str]:
    if isinstance(node, Obj):
        return set(_named(node.fields))
    if isinstance(node, Keyed):
        return set(_named(node.keys))
    if isinstance(node, Tagged):
        found = {node.tag}
        for variant in node.variants.values():
            found |= _paths_of_shape(variant)
        return found
    return set()


@pytest.mark.parametrize("name", list(FACTS.kinds))
def test_every_kind_has_words(name: str) -> None:
    text = describe.text_of_kind(name)
    assert text is not None
    assert text.title
    assert text.summary.endswith(".")
    assert not text.when or text.when.endswith(".")
    body = FACTS.kinds[name].body
    if isinstance(body, Obj) and body.kind == name and not name.startswith("part/"):
        assert set(text.fields) == set(_named(body.fields))


@pytest.mark.parametrize("name", list(FACTS.shapes))
def test_every_shape_has_words(name: str) -> None:
    text = describe.texts().shapes[name]
    assert text.title
    assert text.summary.endswith(".")
    node = FACTS.shapes[name]
    assert set(text.fields) == _paths_of_shape(node)
    words = set(getattr(node, "words", ()))
    if isinstance(node, Tagged):
        words |= set(node.variants)
    if isinstance(node, Obj):
        words |= {word for field in node.fields.values() for word in getattr(field.type, "words", ())}
    assert set(text.words) <= words


def test_no_words_are_left_over() -> None:
    assert set(describe.texts().kinds) - set(FACTS.kinds) == {"envelope"}
    assert set(describe.texts().shapes) == set(FACTS.shapes)


def test_words_are_sentences() -> None:
    texts = describe.texts()
    for name, text in [*texts.kinds.items(), *texts.shapes.items()]:
        for path, sentence in text.fields.items():
            assert sentence.endswith((".", "?")), (name, path)
            assert len(sentence) < 200


def record_of(name: str) -> dict[str, object]:
    kind = next(kind for kind in codex_samples.kinds() if kind.name == name)
    return codex_samples.maximal(kind)


def test_places_find_their_words() -> None:
    record = record_of("response_item/function_call_output")
    record["payload"]["output"] = [{"type": "input_text", "text": "x"}]  # type: ignore[index]
    place = describe.locate(record, ("payload", "output", 0, "text"))
    assert place is not None
    assert (place.owner, place.path) == ("shape/tool_part", "text")
    assert describe.meaning(place) == "The text."
    place = describe.locate(record, ("payload", "call_id"))
    assert place is not None
    assert place.field is not None
    assert place.field.need == "optional"
    assert (describe.meaning(place) or "").startswith("Joins the call and its output.")
    place = describe.locate(record, ("timestamp",))
    assert place is not None
    assert (describe.meaning(place) or "").startswith("When the record was written")
    place = describe.locate(record, ("type",))
    assert place is not None
    assert describe.meaning(place) == "What sort of record it is."
    assert describe.locate(record, ("payload", "surprise")) is None
    assert describe.locate(record, ("payload", "output", 0, "text", "deeper")) is None


def test_inline_and_shared_objects_find_their_words() -> None:
    record = record_of("compacted")
    place = describe.locate(record, ("payload", "mcp_resource_origins", "origins", 0, "uri"))
    assert place is not None
    assert place.path == "mcp_resource_origins.origins[].uri"
    assert describe.meaning(place) == "Address of the resource."
    record = record_of("turn_context")
    place = describe.locate(record, ("payload", "permission_profile", "file_system", "entries", 0, "access"))
    assert place is not None
    assert describe.meaning(place) == "What may be done there."
    assert describe.allowed_words(place) == ({"read": "", "write": "", "deny": "", "none": ""}, False)
    place = describe.locate(record, ("payload", "approval_policy"))
    assert place is not None
    words, is_open = describe.allowed_words(place) or ({}, True)
    assert words["never"] == "Never asks."
    assert not is_open
    record = record_of("event_msg/item_completed/Extension/clock.sleep")
    place = describe.locate(record, ("payload", "item", "durationMs"))
    assert place is not None
    assert describe.meaning(place) == "How long, in milliseconds."
    place = describe.locate(record, ("payload", "turn_id"))
    assert place is not None
    assert place.owner == "event_msg/item_completed"


def test_bare_lines_find_their_words() -> None:
    place = describe.locate({"id": "x", "timestamp": "t"}, ("id",))
    assert place is not None
    assert describe.meaning(place) == "The thread."
    place = describe.locate({"type": "message", "role": "user"}, ("role",))
    assert place is not None
    assert (describe.meaning(place) or "").startswith("Whose message it is.")


@pytest.mark.parametrize("kind", codex_samples.kinds(), ids=[kind.name for kind in codex_samples.kinds()])
def test_every_listed_key_of_a_record_has_a_meaning(kind: catalogue.Kind) -> None:
    for record in codex_samples.legal(kind):
        for path in codex_samples.places(record):
            place = describe.locate(record, path)
            if place is None:
                assert _is_opaque(record, path), path
            elif place.field is not None:
                assert describe.meaning(place), path


def _is_opaque(record: object, path: tuple[str | int, ...]) -> bool:
    """Whether a key stands in something that the catalogue does not look into."""
    above = describe.locate(record, path[:-1])
    if above is None:
        return True
    node = above.type
    while isinstance(node, (List, Map)):
        node = node.of
    return not isinstance(node, (Obj, Tagged, Keyed, OneOf, Either))
