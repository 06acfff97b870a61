"""Typed records: one strict decode of a line, which says at once whether the upstream reader would take it.

Exists for the hot pass: the catalogue's graph becomes msgspec structs, and `decoder()` reads a whole line with them.
What decodes has no fault of shape and no unknown kind; what does not is looked at by shape.py. Must never say *why*
something does not decode, and must never know more of a kind than the catalogue does.

Reading a decoded object: attributes bear the names of the JSON keys (`line.payload.call_id`). An absent field is None,
and so is null. The discriminator (`type`, of extension items `kind` too) is an attribute like any other. Fields that
the reader does not look at hold whatever stood there: `msgspec.Raw` (the JSON bytes) where the catalogue says `any`,
plain Python values of any type for retired fields. Long texts that the catalogue marks `lazy` (tool outputs) stay a Raw
as well when they are strings; `text_of` reads both. Never keep a Raw: it holds the whole line in memory.
"""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import UNSET, Raw, UnsetType

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

INTEGERS = {
    "i32": (-(2**31), 2**31 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "u16": (0, 2**16 - 1),
    "u32": (0, 2**32 - 1),
    "u64": (0, 2**64 - 1),
    "nonzero": (1, 2**64 - 1),
}
"""The least and the greatest value of each integer type of the catalogue."""

_INT64_MAX = 2**63 - 1  # msgspec knows no larger bound: the upper half of u64 is left to the walk

_NOTHING = Annotated[str, msgspec.Meta(pattern="(?!)")]

Check = Callable[[Any], None]

_QUOTE = ord('"')


class View:
    """A record that did not decode, read leniently: attributes as in a typed one, None for whatever is not usable.

    Never raises on reading; objects inside are views too, arrays are lists without their unusable elements.
    `view_kind` is the catalogue's name, or None where the kind is not known. Keys the catalogue does not know are
    there as plain Python values, when the whole object is unknown.
    """

    __slots__ = ("_values", "view_kind")

    def __init__(self, kind: str | None, values: dict[str, Any]) -> None:
        self.view_kind = kind
        self._values = values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._values.get(name)

    def view_values(self) -> dict[str, Any]:
        """All that is known, by attribute name. Not to be changed."""
        return self._values

    def __repr__(self) -> str:
        return f"<View {self.view_kind}: {', '.join(self._values)}>"


class Model(msgspec.Struct, frozen=True):
    """What is generated. `line`: the decoder of lines; the others are for the two bare lines without `type`."""

    line: msgspec.json.Decoder[Any]
    bare_header: msgspec.json.Decoder[Any]
    bare_state: msgspec.json.Decoder[Any]
    classes: dict[str, type]
    names: dict[type, str]


def decoder() -> msgspec.json.Decoder[Any]:
    """The strict decoder of a line (of an envelope, or a bare item). Built once, some tens of milliseconds.

    Its `decode` raises msgspec.DecodeError for anything but a good record, and RecursionError for absurd nesting.
    """
    return model().line


def read(text: bytes) -> Any | None:
    """The typed record, or None for whatever does not decode. Knows the two bare lines without `type` too."""
    built = model()
    try:
        return built.line.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    if b'"record_type"' not in text and b'"instructions"' not in text:
        return None
    for other in (built.bare_header, built.bare_state):
        try:
            return other.decode(text)
        except (msgspec.DecodeError, RecursionError):
            continue
    return None


def kind_of(record: Any) -> str | None:
    """The catalogue's name of what this object is; of a line, of its payload. None: not known (only of a View).

    Takes lines, payloads, items, content parts, typed or lenient. A bare response item has the kind of its payload.
    """
    how = _KINDS.get(type(record))
    if how is _PAYLOAD:
        record = record.payload
        how = _KINDS.get(type(record))
    if how.__class__ is str:
        return how
    if how is None:
        return _kind_of_view(record)
    return how(record)  # type: ignore[no-any-return]


def _kind_of_view(record: Any) -> str | None:
    if type(record) is not View:
        return None
    kind = record.view_kind
    if kind is None or not kind.startswith("line/"):
        return kind
    outer = kind[len("line/") :]
    return outer if outer in catalogue.load().kinds else _kind_of_view(record.payload)


def text_of(value: Any) -> str | None:
    """The text of a string field, whether it was decoded (str), left as it was (Raw), or is none at all (None)."""
    if value.__class__ is str:
        return value
    if isinstance(value, Raw) and value:
        try:
            return msgspec.json.decode(value, type=str)
        except msgspec.DecodeError:
            return None
    return None


def is_bare(record: Any) -> bool:
    """Whether this is a line of the era before envelopes."""
    if type(record) is View:
        return not (record.view_kind or "").startswith("line/")
    return type(record) not in _LINES


def is_envelope(made: type) -> bool:
    """Whether a class is one of the typed lines around a payload."""
    return made in _LINES


def constant_kind(made: type) -> str:
    """The kind of all objects of a class; empty where a value in them tells."""
    kind = _KINDS.get(made)
    return kind if isinstance(kind, str) else ""


def is_kind(made: type, kind: str) -> bool:
    """Whether a class is that of a kind, also of one that a value divides further."""
    return model().names.get(made) == kind


# ---- generation -----------------------------------------------------------------------------------------------------
_KINDS: dict[type, Any] = {}
_LINES: set[type] = set()
_PAYLOAD = object()  # in _KINDS: the payload tells


@functools.lru_cache(maxsize=1)
def model() -> Model:
    """Generates the structs from the catalogue, once."""
    facts = catalogue.load()
    maker = _Maker()
    lines: list[Any] = []
    for outer, line in facts.line.variants.items():
        assert isinstance(line, Obj)
        made = maker.struct(line, tag=("type", outer))
        _LINES.add(made)
        lines.append(made)
        payload = line.fields["payload"].type
        _KINDS[made] = payload.kind if isinstance(payload, Obj) and payload.kind == outer else _PAYLOAD
    bare = [maker.variant(word, "type", body) for word, body in facts.bare.variants.items()]
    return Model(
        line=msgspec.json.Decoder(_union(lines + bare)),
        bare_header=msgspec.json.Decoder(maker.closed(facts.bare_header)),
        bare_state=msgspec.json.Decoder(maker.struct(facts.bare_state)),
        classes=maker.classes,
        names=maker.names,
    )


class _Maker:
    """Turns nodes into Python types; each node once, so that shared shapes are shared classes."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, tuple[str, str] | None], Any] = {}
        self._keep: list[Any] = []  # the ids above stay valid while the nodes live
        self.classes: dict[str, type] = {}
        self.names: dict[type, str] = {}

    def of(self, node: Type) -> Any:
        """The Python type that decodes exactly what the node takes (Raw for Either, which is checked afterwards)."""
        key = (id(node), None)
        if key not in self._made:
            made = self._type(node)
            self._made[key] = made
            self._keep.append(node)
        return self._made[key]

    def _type(self, node: Type) -> Any:
        if isinstance(node, Scalar):
            return _scalar(node)
        if isinstance(node, Words):
            return _scalar(Scalar("string", node.format)) if node.open else Literal[node.words]
        if isinstance(node, List):
            return list.__class_getitem__(self.of(node.of))
        if isinstance(node, Map):
            key = Annotated[str, msgspec.Meta(pattern=CHECKED_FORMATS[node.keys])] if node.keys else str
            return dict.__class_getitem__((key, self.of(node.of)))
        if isinstance(node, Obj):
            return self.struct(node)
        if isinstance(node, Tagged):
            return self.tagged(node)
        if isinstance(node, Keyed):
            return self.keyed(node)
        if isinstance(node, OneOf):
            return _union(self.of(option) for option in node.options)
        return Raw

    def struct(self, node: Obj, tag: tuple[str, str] | None = None) -> type:
        """The struct of an object; `tag` as (key, word) when a union tells it by that."""
        key = (id(node), tag)
        if key in self._made:
            return self._made[key]  # type: ignore[no-any-return]
        fields, checks = self._fields(list(node.fields.values()))
        checks += [_equal_lengths(a, b) for a, b in node.equal]
        if node.any_of:
            checks.append(_one_there(tuple(attribute(name) for name in node.any_of)))
        made = self._define(node.name, fields, checks, tag, node.strict)
        self._made[key] = made
        self._keep.append(node)
        if node.kind is not None:
            split = _role_of_message(node.kind)
            _KINDS[made] = split or node.kind
            self.names[made] = node.kind
            self.classes.setdefault(node.kind, made)
        else:
            _KINDS[made] = node.name
        return made

    def closed(self, node: Obj) -> type:
        """Like `struct`, but an object with further keys is not taken."""
        return self.struct(msgspec.structs.replace(node, strict=True))

    def tagged(self, node: Tagged) -> Any:
        if len(node.variants) == 1 and node.other is None:
            ((word, body),) = node.variants.items()
            assert isinstance(body, Obj)
            tag = Field(node.tag, Words((word,)), "required")
            return self.struct(msgspec.structs.replace(body, fields={node.tag: tag, **body.fields}))
        return _union(self.variant(word, node.tag, body) for word, body in node.variants.items())

    def variant(self, word: str, tag: str, body: Obj | Tagged) -> type:
        if isinstance(body, Obj):
            return self.struct(body, tag=(tag, word))
        return self._twice_tagged(word, tag, body)

    def _twice_tagged(self, word: str, tag: str, body: Tagged) -> type:
        """One struct for all variants of an inner tag: msgspec tells by one key only, so the rest is a check."""
        key = (id(body), (tag, word))
        if key in self._made:
            return self._made[key]  # type: ignore[no-any-return]
        merged: dict[str, tuple[str, Any, Any]] = {}
        needs: dict[str, list[tuple[str, catalogue.Need]]] = {}
        checks: list[Check] = []
        for inner, variant in body.variants.items():
            assert isinstance(variant, Obj)
            needs[inner] = [(attribute(f.name), f.need) for f in variant.fields.values() if not f.retired]
            fields, more = self._fields([_loosened(f) for f in variant.fields.values()])
            checks += more
            for name, type_, _ in fields:
                merged[name] = (name, Raw if type_ is Raw else _union([type_, None, UnsetType]), UNSET)
        checks.append(_variant_needs(attribute(body.tag), needs))
        inner_tag = (attribute(body.tag), Literal[tuple(body.variants)], ...)
        made = self._define(body.name, [inner_tag, *merged.values()], checks, (tag, word), False)
        self._made[key] = made
        self._keep.append(body)
        _KINDS[made] = _byattribute(attribute(body.tag), {w: f"{body.name}/{w}" for w in body.variants})
        return made

    def keyed(self, node: Keyed) -> Any:
        fields: list[tuple[str, Any, Any]] = []
        for field in node.keys.values():
            type_ = self.of(field.type)
            if field.need == "value":
                fields.append((attribute(field.name), _union([type_, None, UnsetType]), UNSET))
            else:
                fields.append((attribute(field.name), type_, None))
        check = _exactly_one(tuple((name, default) for name, _, default in fields))
        made = self._define(node.name, fields, [check], None, True)
        _KINDS[made] = f"shape/{node.name}"
        if node.open:
            return _union([str, made])
        return _union([Literal[node.words], made]) if node.words else made

    def _fields(self, entries: list[Field]) -> tuple[list[tuple[str, Any, Any]], list[Check]]:
        fields: list[tuple[str, Any, Any]] = []
        checks: list[Check] = []
        for field in entries:
            name = attribute(field.name)
            if field.retired:
                opaque = field.lazy or not isinstance(field.type, (Scalar, Words)) or field.type == Scalar("any")
                fields.append((name, Raw if opaque else Any, None))
            elif field.lazy:
                fields.append((name, Raw, ... if field.need == "required" else None))
                checks.append(_string_or(name, msgspec.json.Decoder(self.of(field.type)), field.need == "optional"))
            elif field.alias_of is not None:
                fields.append((name, _union([self.of(field.type), None, UnsetType]), UNSET))
                checks.append(_one_spelling(attribute(field.alias_of), name))
            elif any(other.alias_of == field.name for other in entries):
                fields.append((name, _union([self.of(field.type), None, UnsetType]), UNSET))
            elif layouts := self._layouts(field.type):
                fields.append((name, Raw, ... if field.need == "required" else None))
                decoders = tuple(msgspec.json.Decoder(layout) for layout in layouts)
                checks.append(_first_that_fits(name, decoders, field.need == "optional"))
            elif field.need == "required":
                fields.append((name, self.of(field.type), ...))
            elif field.need == "value":
                plain = self.of(field.type)
                fields.append((name, plain if plain is Raw else _union([plain, None]), ...))
            elif field.need == "default" or field.type == Scalar("any"):
                fields.append((name, self.of(field.type), None))
            else:
                fields.append((name, _union([self.of(field.type), None]), None))
        return fields, checks

    def _layouts(self, node: Type) -> list[Any]:
        """Types to try in turn, where one type cannot say it; none where `of` can."""
        if isinstance(node, Either):
            return [self.of(option) for option in node.options]
        if isinstance(node, Tagged) and node.other is not None:
            tag = Annotated[str, msgspec.Meta(pattern=_none_of(node.variants))]
            fields, checks = self._fields(list(node.other.fields.values()))
            rest = self._define(node.other.name, [(attribute(node.tag), tag, ...), *fields], checks, None, False)
            _KINDS[rest] = node.other.name
            return [self.of(node), rest]
        if isinstance(node, Keyed) and node.open_keys:
            key = Annotated[str, msgspec.Meta(pattern=_none_of(node.keys))]
            other: Any = dict.__class_getitem__((key, Raw))
            return [self.of(node), Annotated[other, msgspec.Meta(min_length=1, max_length=1)]]
        return []

    def _define(
        self,
        name: str,
        fields: list[tuple[str, Any, Any]],
        checks: list[Check],
        tag: tuple[str, str] | None,
        strict: bool,
    ) -> type:
        namespace: dict[str, Any] = {}
        if checks:
            namespace["__post_init__"] = _all_of(checks)
        if tag is not None:
            namespace[attribute(tag[0])] = tag[1]
        spec = [(n, t) if default is ... else (n, t, default) for n, t, default in fields]
        rename = {n: n[:-1] for n, _, _ in fields if n.endswith("_")}
        return msgspec.defstruct(
            "".join(part[:1].upper() + part[1:] for part in _words_of(name)),
            spec,
            namespace=namespace,
            module=__name__,
            tag_field=tag[0] if tag else None,
            tag=tag[1] if tag else None,
            forbid_unknown_fields=strict,
            rename=rename or None,
            frozen=True,
            gc=False,
            kw_only=True,
        )


def _union(options: Iterable[Any]) -> Any:
    return Union[tuple(options)]  # noqa: UP007  (the options are data)


def _none_of(words: Iterable[str]) -> str:
    """A pattern of all texts but these."""
    return rf"^(?!(?:{'|'.join(re.escape(word) for word in words)})\Z)"


def _words_of(name: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in name).split()


def attribute(name: str) -> str:
    """The attribute's name of a JSON key: the key itself, where Python allows it."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _scalar(node: Scalar) -> Any:
    if node.name in INTEGERS:
        least, most = INTEGERS[node.name]
        return Annotated[int, msgspec.Meta(ge=least, le=min(most, _INT64_MAX))]
    if node.format in CHECKED_FORMATS:
        return Annotated[str, msgspec.Meta(pattern=CHECKED_FORMATS[node.format])]
    plain = {"string": str, "boolean": bool, "number": float, "null": None, "any": Raw, "object": dict[str, Raw]}
    return plain.get(node.name, _NOTHING)


def _loosened(field: Field) -> Field:
    return msgspec.structs.replace(field, need="optional") if field.need == "required" else field


# ---- checks that a type cannot express ------------------------------------------------------------------------------
def _all_of(checks: list[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def check(self: Any) -> None:
        for one in checks:
            one(self)

    return check


def _exactly_one(names: tuple[tuple[str, Any], ...]) -> Check:
    """One key and no more; each name comes with what an absent one holds."""

    def check(self: Any) -> None:
        if sum(getattr(self, name) is not absent for name, absent in names) != 1:
            raise ValueError("not exactly one key")

    return check


def _one_spelling(name: str, other: str) -> Check:
    """Two spellings of one field: both together are refused; what stands under either is read under the first."""

    def check(self: Any) -> None:
        first, second = getattr(self, name), getattr(self, other)
        if first is not UNSET and second is not UNSET:
            raise ValueError("two spellings of one field")
        value = second if first is UNSET else first
        msgspec.structs.force_setattr(self, name, None if value is UNSET else value)
        msgspec.structs.force_setattr(self, other, None)

    return check


def _first_that_fits(name: str, decoders: tuple[msgspec.json.Decoder[Any], ...], nullable: bool) -> Check:
    def check(self: Any) -> None:
        raw = getattr(self, name)
        if raw is None or raw is UNSET:
            return
        if nullable and bytes(raw) == b"null":
            msgspec.structs.force_setattr(self, name, None)
            return
        for one in decoders:
            try:
                value = one.decode(raw)
            except msgspec.ValidationError:
                continue
            msgspec.structs.force_setattr(self, name, value)
            return
        raise ValueError(f"no layout of {name} fits")

    return check


def _string_or(name: str, other: msgspec.json.Decoder[Any], nullable: bool) -> Check:
    """Leaves a JSON string as it is (long texts, read only when asked for); decodes and checks anything else."""

    def check(self: Any) -> None:
        raw = getattr(self, name)
        if raw is None or raw is UNSET or memoryview(raw)[0] == _QUOTE:
            return
        value = None if nullable and bytes(raw) == b"null" else other.decode(raw)
        msgspec.structs.force_setattr(self, name, value)

    return check


def _variant_needs(tag: str, needs: dict[str, list[tuple[str, catalogue.Need]]]) -> Check:
    names = tuple(dict.fromkeys(name for fields in needs.values() for name, _ in fields))

    def check(self: Any) -> None:
        for name, need in needs[getattr(self, tag)]:
            value = getattr(self, name)
            if need == "required" and (value is UNSET or value is None):
                raise ValueError(f"{name} is missing")
            if (need == "default" and value is None) or (need == "value" and value is UNSET):
                raise ValueError(f"{name} is missing or null")
        for name in names:
            if getattr(self, name) is UNSET:
                msgspec.structs.force_setattr(self, name, None)

    return check


def _one_there(names: tuple[str, ...]) -> Check:
    def check(self: Any) -> None:
        if all(getattr(self, name) is None for name in names):
            raise ValueError(f"none of {names} is there")

    return check


def _equal_lengths(name: str, other: str) -> Check:
    def check(self: Any) -> None:
        first, second = getattr(self, name), getattr(self, other)
        if second is not None and (first is None or len(first) != len(second)):
            raise ValueError(f"{other} is not as long as {name}")

    return check


# ---- kinds of objects -----------------------------------------------------------------------------------------------
def _byattribute(name: str, words: dict[str, str]) -> Callable[[Any], str | None]:
    return lambda record: words.get(getattr(record, name))


def _role_of_message(kind: str) -> Any:
    """Kinds that are told apart by a field's value: messages by their role, completed items by their item."""
    if kind == "event_msg/item_completed":
        return lambda record: kind_of(record.item)
    roles = {name.rpartition("/")[2]: name for name in catalogue.load().kinds if name.startswith(kind + "/")}
    if not roles or kind != "response_item/message":
        return None
    return lambda record: roles.get(record.role, kind)
