"""The door to the formats: one place that knows which formats there are.

Everything above reads lines, contents and places through this module, so that another agent's format is added here and
nowhere else. Never decides anything itself.
"""

from __future__ import annotations

import re

from rollout_ls.formats.codex import content as _codex_content
from rollout_ls.formats.codex import drift as _codex_drift
from rollout_ls.formats.codex import explain as _codex_explain
from rollout_ls.formats.codex import history as _codex_history
from rollout_ls.formats.codex import labels as _codex_labels
from rollout_ls.formats.codex import places as _codex_places
from rollout_ls.formats.codex import releases as _codex_releases
from rollout_ls.formats.codex import types as _codex_types
from rollout_ls.formats.codex.reader import read_line
from rollout_ls.formats.content import Content, Part
from rollout_ls.formats.drift import Stranger
from rollout_ls.formats.explanation import KindExplained, PlaceExplained
from rollout_ls.formats.history import HistoryItem
from rollout_ls.formats.statement import Statement
from rollout_ls.jsonl.spans import Span

__all__ = [
    "Content",
    "Name",
    "Part",
    "content_of",
    "earliest_release",
    "explain_at",
    "explain_kind",
    "history_items",
    "is_newer",
    "kind_names",
    "label_of",
    "prepare",
    "read_line",
    "span_at",
    "span_of",
    "spans_of",
    "strangers_in",
    "thread_keys",
    "time_of",
]

Name = _codex_places.Name

_TIMESTAMP = re.compile(rb'\s*\{\s*"timestamp"\s*:\s*"([^"\\]{1,64})"')


def prepare() -> None:
    """Builds what the first record would have to wait for: some tens of milliseconds, once."""
    _codex_types.model()


def content_of(data: bytes, statement: Statement) -> Content:
    """The readable content of a record; empty where nothing can be read."""
    return _codex_content.content_of(data, statement)


def label_of(data: bytes, statement: Statement) -> str:
    """The text that a one-line name of a record shows the beginning of: the label of its content, found quicker."""
    return _codex_labels.label_of(data, statement)


def history_items(data: bytes, statement: Statement) -> tuple[HistoryItem, ...]:
    """The items that a record adds to the model's history; of a compaction those that it leaves there."""
    return _codex_history.history_items(data, statement)


def span_of(data: bytes, statement: Statement | None, name: Name) -> Span | None:
    """The span, in byte offsets of the line, of a named value of a record; None where it is not there."""
    return _codex_places.span_of(data, statement, name)


def spans_of(data: bytes, statement: Statement | None, names: tuple[Name, ...]) -> dict[Name, Span]:
    """The spans of several named values of a record, as far as they are there."""
    return _codex_places.spans_of(data, statement, names)


def time_of(data: bytes, statement: Statement) -> str:
    """The timestamp of a record as it is written, empty where it has none."""
    found = _TIMESTAMP.match(data, max(0, statement.start))
    if found is not None:
        return found[1].decode("utf-8", "replace")
    return _codex_content.time_text(data, statement)


def thread_keys() -> frozenset[str]:
    """Keys whose values name threads."""
    return _codex_places.THREAD_KEYS


def kind_names() -> tuple[str, ...]:
    """The names of all kinds, parts and shared shapes that can be explained, in the order of the documentation."""
    return _codex_explain.kind_names()


def explain_kind(name: str) -> KindExplained | None:
    """What is known of a kind by its whole name (one of ``kind_names``); None where it is none."""
    return _codex_explain.explain_kind(name)


def explain_at(data: bytes, statement: Statement, offset: int) -> tuple[PlaceExplained, Span, bool] | None:
    """What is known of the key or value at an offset of a line, its span in the line, and whether that is on the key.

    Of what nobody lists (the inside of free values) the last key that is known; None where there is none.
    """
    text, base = _codex_places.record_bytes(data, statement)
    found = _codex_explain.explain_at(text, offset - base)
    if found is None or not base:
        return found
    place, span, on_key = found
    key = (span.key_start + base, span.key_end + base) if span.key_start >= 0 else (-1, -1)
    return place, Span(span.start + base, span.end + base, *key), on_key


def earliest_release(date: str) -> str:
    """The first release that can hold a change of a day; empty where nothing is known."""
    return _codex_releases.earliest_release(date)


def is_newer(since: str, since_version: str, version: str) -> bool:
    """Whether something that exists since a day or a release cannot come from a build of ``version``."""
    return _codex_releases.is_newer(since, since_version, version)


def strangers_in(data: bytes, statement: Statement) -> tuple[Stranger, ...]:
    """What the catalogue does not know of one record of a line; nothing where the record cannot be read."""
    text, _ = _codex_places.record_bytes(data, statement)
    return _codex_drift.strangers_in(text)


def span_at(data: bytes, statement: Statement | None, keys: tuple[str | int, ...]) -> Span | None:
    """The span, in byte offsets of the line, of the value that the keys lead to; None where it is not there."""
    return _codex_places.value_span(data, statement, keys)
