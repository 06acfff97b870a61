"""The items of the model's history that a record holds: one on an item's own line, a list in a compaction.

Asked when somebody wants to know what a compaction did. Compares nothing itself, keeps no text; never raises.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rollout_ls.formats.codex import types
from rollout_ls.formats.codex.lenient import lenient
from rollout_ls.formats.codex.places import record_bytes
from rollout_ls.formats.codex.statements import statement_of
from rollout_ls.formats.history import HistoryItem
from rollout_ls.formats.statement import Call, Compaction, Message, Reasoning, Result, Statement

_ITEM = "response_item/"
_KEY = b'"payload":'
_HEAD_BYTES = 400


class _Compacted(msgspec.Struct):
    replacement_history: list[msgspec.Raw] | None = None
    message: str = ""


class _Line(msgspec.Struct):
    payload: msgspec.Raw = msgspec.Raw(b"")


def history_items(data: bytes, statement: Statement) -> tuple[HistoryItem, ...]:
    """The items that a record adds to the model's history, or, of a compaction, puts in the place of all before.

    A compaction that lists nothing puts its summary there; what the human said before stays beside it.
    """
    text, _ = record_bytes(data, statement)
    if isinstance(statement, Compaction):
        return () if statement.marker else _kept(text)
    if not statement.kind.startswith(_ITEM):
        return ()
    return (HistoryItem(_key(statement, b""), _payload_size(text), _is_human(statement)),)


def _kept(text: bytes) -> tuple[HistoryItem, ...]:
    try:
        compacted = msgspec.json.decode(msgspec.json.decode(text, type=_Line).payload, type=_Compacted)
    except (msgspec.DecodeError, RecursionError):
        return ()
    if compacted.replacement_history is None:
        size = len(compacted.message.encode("utf-8", "replace"))
        return (HistoryItem("summary", size, False),) if size else ()
    return tuple(_item(bytes(raw)) for raw in compacted.replacement_history)


def _item(raw: bytes) -> HistoryItem:
    record = types.read(raw)
    statement = statement_of(record if record is not None else lenient(raw))
    return HistoryItem(_key(statement, raw), len(raw), _is_human(statement))


def _is_human(statement: Statement) -> bool:
    return isinstance(statement, Message) and statement.actor == "human" and not statement.context


def _key(statement: Statement, raw: bytes) -> Any:
    """What makes two items the same: the id of a call, the words of a message; the item's own id where there is none
    of these."""
    if isinstance(statement, Call | Result) and statement.call_id:
        return type(statement).__name__, statement.call_id
    if isinstance(statement, Message) and statement.words:
        return "message", statement.actor, statement.words
    item_id = getattr(statement, "item_id", "")
    if item_id:
        return "item", item_id
    if isinstance(statement, Reasoning) and statement.words:
        return "reasoning", statement.words
    return None


def _payload_size(text: bytes) -> int:
    """Bytes of the payload of a line (of the item itself on a line without envelope)."""
    text = text.rstrip(b"\r\n \t")
    start = text.find(_KEY, 0, _HEAD_BYTES)
    if start < 0:
        return len(text)
    if text.endswith(b"}}") and b'"metadata":' not in text:
        return len(text) - start - len(_KEY) - 1
    try:
        return len(bytes(msgspec.json.decode(text, type=_Line).payload))
    except (msgspec.DecodeError, RecursionError):
        return len(text) - start - len(_KEY)
