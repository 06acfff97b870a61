"""One record as JSON to read: each member on a row of its own, the JSON inside its strings taken out of them.

Numbers and doubled keys stay as they are written; strings are masked and printable, very long ones cut. What had been
JSON in a string stands under its key with ``(decoded)`` behind it. Never fails: what is no JSON is shown as one string.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rollout_ls.features.navigation import record_start
from rollout_ls.features.readable import Readable
from rollout_ls.projection.entry import Ref
from rollout_ls.text.display import block, bytes_text
from rollout_ls.text.rows import Line, Place
from rollout_ls.text.secrets import mask_head

MAX_LEVELS = 60
"""Deeper containers are told by their size."""
MAX_STRING_CHARACTERS = 20_000
MAX_ROWS = 50_000
_MAX_INNER = 3
"""JSON in strings of JSON in strings: so many times it is taken out."""


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, doubled keys too."""


class _Number(str):
    """A number or a literal as it is written."""


def record_page(line: Line) -> Readable:
    """The records of a line (one, unless two were written onto it)."""
    rows: list[str] = []
    marks: list[tuple[int, Place]] = []
    for statement in line.reading.statements:
        place = record_start(Ref(line, statement))
        whole = statement.end < 0
        data = line.data if whole else line.data[statement.start : statement.end]
        if rows:
            rows.append("")
        marks.append((len(rows), place))
        rows += _rows_of(data)
    if not rows:
        marks.append((0, Place(line, 0, min(line.end, 200))))
        rows += _as_text(line.data[: line.end])
    return Readable("\n".join(rows) + "\n", tuple(marks))


def _rows_of(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace")
    found = _parsed(text)
    if found is None:
        return _as_text(data)
    rows: list[str] = []
    for row in _written(found[0], "", "", "", 0, 0):
        rows.append(row)
        if len(rows) >= MAX_ROWS:
            rows.append(f"… cut here: the record has {bytes_text(len(data))}")
            break
    return rows


def _as_text(data: bytes) -> list[str]:
    return [_quoted(data.decode("utf-8", "replace").rstrip("\r\n"))]


def _parsed(text: str) -> tuple[Any] | None:
    """The value of a text in a tuple; None where it is no JSON."""
    try:
        return (
            json.loads(
                text,
                object_pairs_hook=_Pairs,
                parse_int=_Number,
                parse_float=_Number,
                parse_constant=_Number,
                strict=False,
            ),
        )
    except (ValueError, RecursionError):
        return None


def _written(value: Any, indent: str, key: str, end: str, level: int, inner: int) -> Iterator[str]:
    """The rows of a value. ``key`` is its key as JSON without the colon; ``inner``: in how many strings it stood."""
    if isinstance(value, str) and not isinstance(value, _Number) and inner < _MAX_INNER:
        found = _parsed(value) if value[:200].lstrip()[:1] in ("{", "[") else None
        if found is not None and isinstance(found[0], (_Pairs, list)):
            named = f'{key[:-1]} (decoded)"' if key else ""
            yield from _written(found[0], indent, named, end, level, inner + 1)
            return
    head = f"{indent}{key}: " if key else indent
    if not isinstance(value, (_Pairs, list)) or not value or level >= MAX_LEVELS:
        yield f"{head}{_short(value)}{end}"
        return
    pairs = isinstance(value, _Pairs)
    yield f"{head}{'{' if pairs else '['}"
    last = len(value) - 1
    for at, one in enumerate(value):
        name, member = (_quoted(one[0]), one[1]) if pairs else ("", one)
        yield from _written(member, f"{indent}  ", name, "" if at == last else ",", level + 1, inner)
    yield f"{indent}{'}' if pairs else ']'}{end}"


def _short(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value) if len(value) <= 400 else _quoted(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, _Pairs):
        return _quoted(f"{len(value):,} members, nested too deeply to be shown") if value else "{}"
    if isinstance(value, list):
        return _quoted(f"{len(value):,} elements, nested too deeply to be shown") if value else "[]"
    return {None: "null", True: "true", False: "false"}[value]


def _quoted(text: str) -> str:
    """A string as JSON, masked, printable, cut where it is very long."""
    shown = block(mask_head(text, MAX_STRING_CHARACTERS))
    if len(text) > MAX_STRING_CHARACTERS:
        shown = f"{shown}… ({len(text):,} characters)"
    return json.dumps(shown, ensure_ascii=False)
