"""Reads single fields of a decoded record for the ``codex-v3`` view: the right type, or a refusal that names the field.

Exists so that the rows of the support matrix can say what they need in one line each. A refusal tells where, never what
stands there. Looks at nothing but the asked field; never coerces, trims or normalises a value.
"""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from typing import Any

import orjson

MAX_U32 = 4_294_967_295
RECORD = "record"
"""The field that stands for a whole line."""

_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Refused(Exception):
    """A supported field is not what it must be. Caught by the pass over the records; never leaves the view."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


class Fields:
    """An object of a record, by a path that begins at the record (``payload.content[0]``)."""

    __slots__ = ("path", "values")

    def __init__(self, value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise Refused(path or RECORD)
        self.values: dict[str, Any] = value
        self.path = path

    def at(self, key: str) -> str:
        """The path of a field."""
        return f"{self.path}.{key}" if self.path else key

    def refuse(self, key: str) -> Refused:
        """The refusal of a field."""
        return Refused(self.at(key))

    def raw(self, key: str) -> str:
        """A string that is only looked at, not kept."""
        value = self.values.get(key)
        if not isinstance(value, str):
            raise self.refuse(key)
        return value

    def optional_raw(self, key: str) -> str | None:
        """As ``raw``; None where the field is absent or null."""
        return None if self.values.get(key) is None else self.raw(key)

    def text(self, key: str, *, filled: bool = False) -> str:
        """A string that is kept: well-formed Unicode, and not empty where ``filled`` asks for that."""
        value = self.raw(key)
        if (filled and not value) or (not value.isascii() and _SURROGATE.search(value)):
            raise self.refuse(key)
        return value

    def optional_text(self, key: str, *, filled: bool = False) -> str | None:
        """As ``text``; None where the field is absent or null."""
        return None if self.values.get(key) is None else self.text(key, filled=filled)

    def word(self, key: str) -> str:
        """A discriminator: a string that is not empty."""
        value = self.raw(key)
        if not value:
            raise self.refuse(key)
        return value

    def inner(self, key: str) -> Fields:
        """An object."""
        return Fields(self.values.get(key), self.at(key))

    def optional_inner(self, key: str) -> Fields | None:
        """An object; None where the field is absent or null."""
        return None if self.values.get(key) is None else self.inner(key)

    def items(self, key: str) -> list[Fields]:
        """An array of objects."""
        value = self.values.get(key)
        if not isinstance(value, list):
            raise self.refuse(key)
        return [Fields(item, f"{self.at(key)}[{index}]") for index, item in enumerate(value)]

    def optional_items(self, key: str) -> list[Fields]:
        """An array of objects; nothing where the field is absent or null."""
        return [] if self.values.get(key) is None else self.items(key)

    def count_strings(self, key: str, *, nullable: bool) -> int:
        """How many strings an optional array holds."""
        value = self.values.get(key)
        if key not in self.values or (nullable and value is None):
            return 0
        if not isinstance(value, list):
            raise self.refuse(key)
        for index, item in enumerate(value):
            if not isinstance(item, str):
                raise Refused(f"{self.at(key)}[{index}]")
        return len(value)

    def unsigned(self, key: str) -> int:
        """A whole number of 32 bits, without sign (``2.0`` is one: JSON has one sort of numbers)."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse(key)
        if not 0 <= value <= MAX_U32 or value != int(value):
            raise self.refuse(key)
        return int(value)

    def moment(self, key: str) -> str | None:
        """An RFC 3339 time as UTC with milliseconds (cut, not rounded); None where the field is absent or null."""
        written = self.optional_raw(key)
        if written is None:
            return None
        found = _RFC3339.fullmatch(written)
        if found is None:
            raise self.refuse(key)
        parts = [int(found[index]) for index in range(1, 7)]
        hours, minutes = int(found[9] or 0), int(found[10] or 0)
        if hours > 23 or minutes > 59:
            raise self.refuse(key)
        ahead = timedelta(hours=hours, minutes=minutes) * (-1 if found[8] == "-" else 1)
        try:
            moment = datetime(*parts, tzinfo=timezone.utc) - ahead  # type: ignore[arg-type,misc]
        except (ValueError, OverflowError):
            raise self.refuse(key) from None
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{(found[7] or '').ljust(3, '0')[:3]}Z".rjust(24, "0")


def decode(data: bytes) -> Any:
    """The JSON value of a line. Refuses the record where there is none.

    A half surrogate pair in a string is no fault of the line (it may stand in a field that nobody asks for), so what
    the fast decoder refuses is read once more by one that keeps it.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant, parse_int=_number)
    except (ValueError, RecursionError):
        raise Refused(RECORD) from None


def _no_constant(word: str) -> Any:
    raise ValueError("NaN and Infinity are no JSON")


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)
