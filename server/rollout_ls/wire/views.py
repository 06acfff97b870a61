"""The views as JSON: the reports behind ``show --view``. Lines count from 1, bytes from 0 in the (unpacked) file.

Only writes down what a view holds, with the place of each record; all text is masked and printable, so exact text is
the view's own, not this report's.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rollout_ls.projection.entry import Ref
from rollout_ls.projection.turns import Turn
from rollout_ls.projection.views import blocks, codex_v3
from rollout_ls.projection.views.codex_v3_matrix import Segment
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.display import block
from rollout_ls.text.rows import Line
from rollout_ls.text.secrets import mask

Report = dict[str, Any]


class _Places:
    """Row and byte at which each line begins, counted in one walk over the document."""

    def __init__(self, buffer: Buffer) -> None:
        self.starts: dict[Line, tuple[int, int]] = {}
        row = byte = 0
        for line in buffer:
            self.starts[line] = (row, byte)
            row += line.row_count
            byte += line.size

    def row(self, line: Line) -> int:
        """The line's number, from 1."""
        return self.starts[line][0] + 1

    def record(self, line: Line, start: int = 0, end: int = -1) -> Report:
        """Where a record stands: its line, and its bytes in the file, the end without the line's end."""
        row, first = self.starts[line]
        return {"line": row + 1, "bytes": [first + start, first + (end if end >= 0 else line.end)]}

    def ref(self, ref: Ref) -> Report:
        """As ``record``."""
        return self.record(ref.line, ref.statement.start, ref.statement.end)


# -- codex-v3
def show_codex_v3(view: codex_v3.View | codex_v3.Malformed, buffer: Buffer) -> Report:
    """The ``codex-v3`` view, or where the rollout is malformed (line None for a record that is missing)."""
    if isinstance(view, codex_v3.Malformed):
        line = buffer.row_of(view.line) + 1 if view.line is not None else None
        return {"view": codex_v3.FORMAT, "malformed": {"line": line, "field": view.field}}
    places = _Places(buffer)
    return {
        "view": codex_v3.FORMAT,
        "thread_id": _safe(view.thread_id),
        "lineage": _safe(msgspec.structs.asdict(view.lineage)) if view.lineage is not None else None,
        "coverage": view.coverage,
        "entries": [_entry(entry, places) for entry in view.entries],
    }


def _entry(entry: codex_v3.Entry, places: _Places) -> Report:
    lines = [entry.line] if entry.mirror is None else [entry.line, entry.mirror]
    return {
        "kind": entry.kind,
        "actor": entry.actor,
        "timestamp": entry.timestamp,
        "segments": [_segment(segment) for segment in entry.segments],
        "call_id": _safe(entry.call_id),
        "tool": _safe(entry.tool),
        "namespace": _safe(entry.namespace),
        "turn_id": _safe(entry.turn_id),
        "related": entry.related,
        "ordinal": entry.ordinal,
        "line": places.row(entry.line),
        "records": [places.record(line) for line in lines],
    }


def _segment(segment: Segment) -> Report:
    evidence = {"origin": segment.origin, "confidence": segment.confidence}
    if segment.text is not None:
        return {"text": _safe(segment.text), **evidence}
    return {"omitted": segment.omitted, "source": segment.source, **evidence}


# -- blocks
def show_blocks(view: blocks.BlockView, buffer: Buffer) -> Report:
    """The block view."""
    places = _Places(buffer)
    return {
        "view": blocks.FORMAT,
        "meta": {key: _safe(value) or None for key, value in msgspec.structs.asdict(view.meta).items()},
        "entries": [_message(message, places) for message in view.messages],
    }


def _message(message: blocks.BlockMessage, places: _Places) -> Report:
    turn, usage = message.turn, message.usage
    return {
        "role": message.role,
        "blocks": [_tagged(one) for one in message.blocks],
        "timestamp": _safe(message.timestamp) or None,
        "model": _safe(message.model) or None,
        "usage": msgspec.structs.asdict(usage) if usage is not None else None,
        "turn": _turn(turn) if turn is not None else None,
        "nested": message.nested,
        "line": places.row(message.refs[0].line),
        "records": [places.ref(ref) for ref in message.refs],
    }


def _turn(turn: Turn) -> Report:
    turn_id = _safe(turn.turn_id) or None
    return {"number": turn.number, "id": turn_id, "status": turn.status, "inherited": turn.inherited}


def _tagged(value: msgspec.Struct) -> Report:
    """A block or tool with the name of its sort."""
    shown: Report = {"type": type(value).__name__}
    for key, inner in msgspec.structs.asdict(value).items():
        if isinstance(inner, msgspec.Struct):
            shown[key] = _tagged(inner)
        elif isinstance(value, blocks.ToolResult) and key == "content":
            shown[key] = [_tagged(one) for one in inner]
        else:
            shown[key] = _safe(inner)
    return shown


def _safe(value: Any) -> Any:
    """Plain values with all text in them masked and printable (keys too, which a call's arguments bring along)."""
    if isinstance(value, str):
        return block(mask(value))
    if isinstance(value, dict):
        return {_safe(key): _safe(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_safe(one) for one in value]
    return value
