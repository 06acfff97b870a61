"""The catalogue of kinds: what every record of a rollout looks like, read from the data beside this file.

Exists so that the typed decode (types.py), the walk (shape.py), hovers and the generated pages tell one story.
Must never look at a record, and never load the texts before somebody asks for words (`texts`).

The data is described in catalogue/README.md. `load` turns it into a small graph of frozen nodes; a node that several
places share (`@name` in the data) is one object, so that whoever generates something from the graph can memoise by
identity.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Literal

import msgspec

_FOLDER = Path(__file__).parent / "catalogue"

Need = Literal["required", "optional", "default", "value"]
Stored = Literal["always", "legacy", "paginated", "once", "never"]


# ---- the graph ------------------------------------------------------------------------------------------------------
class Scalar(msgspec.Struct, frozen=True):
    """A value without parts. `name`: string, boolean, number, i32 ... u64, nonzero, null, object, any, never.

    `never` takes nothing (a key that must not be there), `object` is an object of any content, `any` any value at all;
    neither is looked into. `format` refines a string; those in `CHECKED_FORMATS` are looked at by the reader, the
    others only say what the text is.
    """

    name: str
    format: str | None = None


class Words(msgspec.Struct, frozen=True):
    """A string out of a list. `open`: the reader takes any other string too (of the `format`)."""

    words: tuple[str, ...]
    open: bool = False
    format: str | None = None


class List(msgspec.Struct, frozen=True):
    of: Type


class Map(msgspec.Struct, frozen=True):
    """An object whose keys are data. `keys`: a checked format of the keys."""

    of: Type
    keys: str | None = None


class Legacy(msgspec.Struct, frozen=True):
    """A layout of older builds: the object `has` this key and `lacks` those. Legal in its day, refused today."""

    has: str
    lacks: tuple[str, ...] = ()


class Field(msgspec.Struct, frozen=True):
    """One key of an object.

    `need`: "required" (must be there, not null), "optional" (may be absent or null), "default" (may be absent, null
    is refused), "value" (must be there, null counts as a value). `retired` fields are not looked at by the reader.
    `lazy`: a long text that the typed decode leaves undecoded. `legacy`: what an older build wrote here and the reader
    refuses today. `alias_of`: another spelling of that field; both together are refused. `since`, `until`: dates.
    """

    name: str
    type: Type
    need: Need = "optional"
    retired: bool = False
    lazy: bool = False
    legacy: Type | None = None
    alias_of: str | None = None
    since: str | None = None
    until: str | None = None


class Obj(msgspec.Struct, frozen=True):
    """An object with known keys. `strict`: unknown keys are refused. `tag`, `word`: its discriminator, if it has one.

    `kind` is the name of the catalogue's entry, when the object is one (a record's payload, an item, a content part).
    `equal`: pairs of fields that must be arrays of equal length where the second is there. `any_of`: at least one of
    these fields must be there and not null.
    """

    name: str
    fields: dict[str, Field]
    strict: bool = False
    legacy: tuple[Legacy, ...] = ()
    kind: str | None = None
    equal: tuple[tuple[str, str], ...] = ()
    any_of: tuple[str, ...] = ()


class Tagged(msgspec.Struct, frozen=True):
    """An object whose `tag` says which of the variants it is. A variant may be tagged again, by another key.

    `refused`: words that older builds wrote and the reader no longer takes; `unstored`: words of the protocol that no
    build ever stores. `other`: the fields of any further word, where the reader takes those.
    """

    name: str
    tag: str
    variants: dict[str, Obj | Tagged]
    refused: dict[str, Obj | Tagged] = {}
    unstored: frozenset[str] = frozenset()
    other: Obj | None = None
    legacy: tuple[Legacy, ...] = ()


class Keyed(msgspec.Struct, frozen=True):
    """Either a word, or an object with exactly one of the `keys` (`open_keys`: or another one)."""

    name: str
    words: tuple[str, ...]
    open: bool
    keys: dict[str, Field]
    open_keys: bool = False
    legacy_keys: tuple[str, ...] = ()


class OneOf(msgspec.Struct, frozen=True):
    """Alternatives of different JSON types (a string or an array)."""

    options: tuple[Type, ...]


class Either(msgspec.Struct, frozen=True):
    """Layouts that are tried one after the other. `choose_by`: with this key the first one is meant, else the last."""

    name: str
    options: tuple[Type, ...]
    choose_by: str | None = None


Type = Scalar | Words | List | Map | Obj | Tagged | Keyed | OneOf | Either

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
CHECKED_FORMATS: dict[str, str] = {
    "uuid": rf"^(?:[0-9a-fA-F]{{32}}|(?:urn:uuid:)?{_UUID}|\{{{_UUID}\}})\Z",
    "abs-path": r"^(?:/|[A-Za-z]:[\\/]|\\\\)",
    "file-uri": r"^(?i:file):",
    "path-or-uri": r"^(?:/|[A-Za-z]:[\\/]|\\\\|(?i:file):)",
    "non-empty": r"(?s).",
    "agent-path": r"^(?:/root(?:/(?!root(?:/|\Z))[a-z0-9_]+)*|/morpheus)\Z",
    "rfc3339-strict": (
        r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt ](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?"
        r"(?:[Zz]|[+-]\d\d:\d\d)\Z"
    ),
}
"""Formats of strings that the reader refuses when they do not match, as regular expressions (both systems' paths)."""


class Kind(msgspec.Struct, frozen=True):
    """One entry of the catalogue. `outer`: the record's `type`, if it is a record's kind. `body`: None if unlisted."""

    name: str
    stored: Stored
    outer: str | None = None
    aliases: tuple[str, ...] = ()
    refused: bool = False
    since: str | None = None
    until: str | None = None
    since_version: str | None = None
    until_version: str | None = None
    links: tuple[str, ...] = ()
    body: Obj | Tagged | None = None


class Catalogue(msgspec.Struct, frozen=True):
    """`kinds` by name, `shapes` by name, `line`: the envelope tagged by the record's type, `bare`: lines without it.

    `bare_header` and `bare_state` are the two bare lines that have no `type`.
    """

    kinds: dict[str, Kind]
    shapes: dict[str, Type]
    line: Tagged
    bare: Tagged
    bare_header: Obj
    bare_state: Obj


# ---- the data -------------------------------------------------------------------------------------------------------
class _FieldEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    type: str
    need: Need = "optional"
    words: tuple[str, ...] = ()
    open: bool = False
    format: str | None = None
    keys: str | None = None
    retired: bool = False
    lazy: bool = False
    legacy: str | None = None
    alias_of: str | None = None
    since: str | None = None
    until: str | None = None


class _ShapeEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fields: dict[str, _FieldEntry] | None = None
    strict: bool = False
    tag: str | None = None
    variants: dict[str, _ShapeEntry] = {}
    other: dict[str, _FieldEntry] | None = None
    words: tuple[str, ...] = ()
    open: bool = False
    open_keys: bool = False
    format: str | None = None
    any_of: tuple[str, ...] = ()
    one_of: dict[str, _FieldEntry] | None = None
    either: tuple[str, ...] = ()
    choose_by: str | None = None
    legacy: tuple[Legacy, ...] = ()
    legacy_keys: tuple[str, ...] = ()
    part: str | None = None
    since: str | None = None
    until: str | None = None


class _Split(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    field: str
    into: tuple[str, ...]


class _KindEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stored: Stored = "always"
    since: str | None = None
    since_version: str | None = None
    until: str | None = None
    until_version: str | None = None
    aliases: tuple[str, ...] = ()
    refused: bool = False
    fields: dict[str, _FieldEntry] | None = None
    strict: bool = False
    any_of: tuple[str, ...] = ()
    legacy: tuple[Legacy, ...] = ()
    equal: tuple[tuple[str, str], ...] = ()
    split: _Split | None = None
    links: tuple[str, ...] = ()
    tag: str | None = None
    kinds: dict[str, _KindEntry] = {}


class _FamilyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    outer: str | None = None
    inside: str | None = None
    tag: str | None = None
    line: dict[str, _FieldEntry] = {}
    common: dict[str, _FieldEntry] = {}
    kinds: dict[str, _KindEntry] = {}


class _ShapesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    shapes: dict[str, _ShapeEntry]


class _EnvelopeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    envelope: dict[str, _FieldEntry]
    bare_items: tuple[str, ...]
    kinds: dict[str, _KindEntry]


FAMILIES = (
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "compacted",
    "world_state",
    "token_usage_record",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "security_risk_score",
    "retained_context",
    "realtime_item",
    "dynamic_tools_updated",
    "session_state",
    "item_completed",
)
"""One file each; the order is the order of lists shown to a person."""


class _Builder:
    """Resolves names while the graph is built. One object a load; everything it hands out is frozen."""

    def __init__(self, shapes: dict[str, _ShapeEntry], families: dict[str, _FamilyFile]) -> None:
        self._shapes = shapes
        self._families = families
        self._done: dict[str, Type] = {}
        self.kinds: dict[str, Kind] = {}
        self._bodies: dict[str, Type] = {}

    # -- types out of their notation
    def parse(self, text: str, format: str | None = None, keys: str | None = None) -> Type:
        options = [self._one(part.strip(), format, keys) for part in _split_top(text)]
        return options[0] if len(options) == 1 else OneOf(tuple(options))

    def _one(self, text: str, format: str | None, keys: str | None) -> Type:
        if text.startswith("["):
            return List(self.parse(text[1:-1], format))
        if text.startswith("{"):
            return Map(self.parse(text[1:-1], format), keys)
        if text.startswith("@@"):
            return self.family(text[2:])
        if text.startswith("@"):
            return self.shape(text[1:])
        return Scalar(text, format if text == "string" else None)

    def fields(self, entries: dict[str, _FieldEntry], name: str) -> dict[str, Field]:
        """The fields of one object: dotted names are the keys of inline objects."""
        found: dict[str, Field] = {}
        for path, entry in entries.items():
            if "." in path or path.endswith("]"):
                continue
            found[path] = self._field(path, entry, entries, name)
        return found

    def _field(self, path: str, entry: _FieldEntry, entries: dict[str, _FieldEntry], name: str) -> Field:
        type_ = Words(entry.words, entry.open) if entry.words else self.parse(entry.type, entry.format, entry.keys)
        below = {key: value for key, value in entries.items() if key.startswith((path + ".", path + "[]."))}
        if below:
            start = len(path) + (3 if entry.type.startswith("[") else 1)
            inner = Obj(f"{name}.{path}", self.fields({k[start:]: v for k, v in below.items()}, f"{name}.{path}"))
            type_ = List(inner) if entry.type.startswith("[") else inner
        return Field(
            name=path,
            type=type_,
            need=entry.need,
            retired=entry.retired,
            lazy=entry.lazy,
            legacy=self.parse(entry.legacy) if entry.legacy else None,
            alias_of=entry.alias_of,
            since=entry.since,
            until=entry.until,
        )

    # -- shapes
    def shape(self, name: str) -> Type:
        if name not in self._done:
            self._done[name] = self._shape(name, self._shapes[name], f"shape/{name}")
        return self._done[name]

    def _shape(self, name: str, entry: _ShapeEntry, label: str) -> Type:
        if entry.either:
            return Either(name, tuple(self.parse(option) for option in entry.either), entry.choose_by)
        if entry.one_of is not None:
            return Keyed(
                name, entry.words, entry.open, self.fields(entry.one_of, label), entry.open_keys, entry.legacy_keys
            )
        if entry.words:
            return Words(entry.words, entry.open, entry.format)
        if entry.tag is None:
            return self._object(label, entry)
        variants: dict[str, Obj | Tagged] = {}
        for word, variant in entry.variants.items():
            kind = f"part/{entry.part}/{word}" if entry.part else f"{label}/{word}"
            body = self._object(kind, variant)
            variants[word] = body
            if entry.part:
                self.kinds[kind] = Kind(kind, "always", since=variant.since, until=variant.until, body=body)
        other = None if entry.other is None else Obj(label, self.fields(entry.other, label))
        return Tagged(name, entry.tag, variants, other=other, legacy=entry.legacy)

    def _object(self, label: str, entry: _ShapeEntry) -> Obj:
        fields = self.fields(entry.fields or {}, label)
        return Obj(label, fields, entry.strict, entry.legacy, kind=label, any_of=entry.any_of)

    # -- families
    def family(self, name: str) -> Type:
        """The body of a family: what stands in `payload` (or in `payload.item`)."""
        if name not in self._bodies:
            self._bodies[name] = self._family(name, self._families[name])
        return self._bodies[name]

    def _family(self, name: str, file: _FamilyFile) -> Type:
        prefix = file.inside or name
        if file.tag is None:
            ((key, entry),) = file.kinds.items()
            return self._kind(key, entry, file)
        return self._tagged(prefix, file.tag, file.kinds, file)

    def _tagged(self, prefix: str, tag: str, kinds: dict[str, _KindEntry], file: _FamilyFile) -> Tagged:
        variants: dict[str, Obj | Tagged] = {}
        refused: dict[str, Obj | Tagged] = {}
        unstored: set[str] = set()
        for word, entry in kinds.items():
            name = f"{prefix}/{word}"
            if entry.stored == "never":
                unstored.add(word)
                self._record(name, entry, file, None)
                continue
            body = self._kind(name, entry, file)
            for spelling in (word, *entry.aliases):
                (refused if entry.refused else variants)[spelling] = body
        return Tagged(prefix, tag, variants, refused, frozenset(unstored))

    def _kind(self, name: str, entry: _KindEntry, file: _FamilyFile) -> Obj | Tagged:
        body: Obj | Tagged
        if entry.tag is not None:
            body = self._tagged(name, entry.tag, entry.kinds, file)
            return body
        own = entry.fields or {}
        body = Obj(
            name,
            self.fields({**own, **{key: field for key, field in file.common.items() if key not in own}}, name),
            strict=entry.strict,
            legacy=entry.legacy,
            kind=name,
            equal=entry.equal,
            any_of=entry.any_of,
        )
        self._record(name, entry, file, body)
        if entry.split is not None:
            for word in entry.split.into:
                self._record(f"{name}/{word}", entry, file, body)
        return body

    def _record(self, name: str, entry: _KindEntry, file: _FamilyFile, body: Obj | None) -> None:
        self.kinds[name] = Kind(
            name=name,
            stored=entry.stored,
            outer=file.outer or "event_msg",
            aliases=entry.aliases,
            refused=entry.refused,
            since=entry.since,
            until=entry.until,
            since_version=entry.since_version,
            until_version=entry.until_version,
            links=entry.links,
            body=body,
        )


def _split_top(text: str) -> list[str]:
    """`text` at its bars outside brackets: "string | [@a | null]" gives two parts."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "[{") - (char in "]}")
        if char == "|" and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return parts


def _read(name: str, type_: Any) -> Any:
    return msgspec.json.decode((_FOLDER / f"{name}.json").read_bytes(), type=type_)


@functools.lru_cache(maxsize=1)
def load() -> Catalogue:
    """The whole catalogue, built once. Raises msgspec.ValidationError or KeyError when the data is wrong."""
    families = {name: _read(name, _FamilyFile) for name in FAMILIES}
    build = _Builder(_read("shapes", _ShapesFile).shapes, families)
    envelope: _EnvelopeFile = _read("envelope", _EnvelopeFile)
    lines: dict[str, Obj | Tagged] = {}
    refused: dict[str, Obj | Tagged] = {}
    for name, file in families.items():
        if file.outer is None:
            continue
        fields = build.fields({**envelope.envelope, **file.line}, name)
        line = Obj(f"line/{name}", {**fields, "payload": Field("payload", build.family(name), "required")})
        gone = file.tag is None and all(entry.refused for entry in file.kinds.values())
        (refused if gone else lines)[name] = line
    build.family("item_completed")
    bare: dict[str, Obj] = {}
    for name, entry in envelope.kinds.items():
        bare[name] = Obj(name, build.fields(entry.fields or {}, name), kind=name)
        build.kinds[name] = Kind(
            name, entry.stored, refused=True, since=entry.since, until=entry.until, body=bare[name]
        )
    items = build.family("response_item")
    assert isinstance(items, Tagged)
    return Catalogue(
        kinds=build.kinds,
        shapes={name: build.shape(name) for name in build._shapes},
        line=Tagged("line", "type", lines, refused),
        bare=Tagged("bare", "type", {word: items.variants[word] for word in envelope.bare_items}),
        bare_header=bare["legacy/bare_session_meta"],
        bare_state=bare["legacy/bare_state"],
    )
