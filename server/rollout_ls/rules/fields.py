"""Fields that a known kind does not have. Off by default, so it runs only where somebody asked for it.

Says what ``formats`` found; one finding a key and kind, at the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rollout_ls.formats.records import span_at, strangers_in
from rollout_ls.formats.statement import Statement
from rollout_ls.rules.finding import Finding
from rollout_ls.rules.places import bounds, discriminator_place, far_column, record_place, value_place
from rollout_ls.text.display import label
from rollout_ls.text.rows import Line, Place

MAX_KEY_CHARACTERS = 60


def unknown_fields(lines: Iterable[Line]) -> Iterator[Finding]:
    """Findings of ``unknown-field`` in the order in which the keys come up first."""
    first: dict[tuple[str, str, str], tuple[Line, Statement, tuple[str | int, ...]]] = {}
    counts: dict[tuple[str, str, str], int] = {}
    for line in lines:
        for statement in line.reading.statements:
            for one in strangers_in(line.data, statement):
                if one.what != "field":
                    continue
                group = (one.kind, one.place, one.name)
                first.setdefault(group, (line, statement, one.keys))
                counts[group] = counts.get(group, 0) + 1
    for group, (line, statement, keys) in first.items():
        kind, place, name = group
        where = f"`{place}.{label(name, MAX_KEY_CHARACTERS)}`" if place else f"`{label(name, MAX_KEY_CHARACTERS)}`"
        message = f"{kind or 'The record'} has no field {where} in this version's catalogue"
        message += f" ({counts[group]} records, first here)." if counts[group] > 1 else "."
        yield Finding("unknown-field", "hint", _key_place(line, statement, keys), message)


def _key_place(line: Line, statement: Statement, keys: tuple[str | int, ...]) -> Place:
    span = span_at(line.data, statement, keys)
    if span is None:
        return record_place(line, statement.start)
    start, end = bounds(span, "key")
    if far_column(line, start) is not None:
        return discriminator_place(line, statement)
    return value_place(line, start, end)
