"""One line of a rollout, read: the fast way for a record that decodes, the long way for one that does not.

The only door from bytes to statements. Never fails, never looks at another line, keeps nothing of the line's text.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from rollout_ls.formats.codex import shape, types
from rollout_ls.formats.codex.remarks import remarks_on
from rollout_ls.formats.codex.statements import statement_of
from rollout_ls.formats.reading import Reading
from rollout_ls.formats.statement import (
    UNUSABLE_ORDINAL,
    Call,
    CallMirror,
    Compaction,
    Message,
    Reasoning,
    Result,
    Statement,
    Usage,
)
from rollout_ls.jsonl.examine import Examined, Value, eager_faults, examine, examine_unfinished
from rollout_ls.jsonl.scan import DEEPEST_KEPT

_WHITE = b" \t\r\n"
# Characters of Unicode's White_Space: a line of nothing else is blank for the upstream reader.
_BLANK = re.compile(
    rb"(?:[ \t\n\r\x0b\x0c]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*"
)
_REMARKABLE = frozenset({Call, Compaction, Message, Reasoning, Result, Usage})
_WITH_ID = frozenset({Call, CallMirror, Result})


def read_line(data: bytes, deepest: int = DEEPEST_KEPT) -> Reading:
    """Reads the bytes of one line, its end included. Of a record that no decoder takes, ``deepest`` levels are kept."""
    record = types.read(data)
    if record is not None:
        statement = statement_of(record)
        sort = type(statement)
        if sort is Statement and b"\r" not in data:
            return Reading((statement,))
        broken = eager_faults(data[:-1] if data.endswith(b"\n") else data) if b"\r" in data else ()
        misshapen: tuple[shape.ShapeFault, ...] = ()
        if sort in _WITH_ID and not statement.call_id:  # type: ignore[attr-defined]
            misshapen = shape.extra(record, data)
        if sort in _REMARKABLE:
            misshapen += remarks_on(statement, _payload(record), data, 0)
        return Reading((statement,), broken, misshapen)
    text = data.rstrip(_WHITE)
    if _BLANK.fullmatch(text):
        return Reading(blank=True)
    examined = examine(text, deepest) if data.endswith(b"\n") else examine_unfinished(text, deepest)
    return _read_damaged(examined)


def _read_damaged(examined: Examined) -> Reading:
    statements: list[Statement] = []
    misshapen: list[shape.ShapeFault] = []
    for value in examined.values:
        record = types.read(value.text)
        walked: tuple[shape.ShapeFault, ...] = ()
        if record is None:
            # Whether it is the first header is not known here: the rules weaken what is said of a later one.
            walked = shape.walk(value.text, value.start, first_header=True).faults
            misshapen += walked
            record = shape.lenient(value.text)
        else:
            misshapen += shape.extra(record, value.text, value.start)
        alone = len(examined.values) == 1 and value.start == 0 and not value.recovered
        end = -1 if alone else value.end
        statement = statement_of(record, value.start, end, _is_rescued(value, examined.faults))
        if walked and any(fault.path == ("ordinal",) for fault in walked):
            statement = msgspec.structs.replace(statement, ordinal=UNUSABLE_ORDINAL)
        statements.append(statement)
        payload = _payload(record)
        if type(statement) in _REMARKABLE and payload is not None:
            misshapen += remarks_on(statement, payload, value.text, value.start)
    return Reading(tuple(statements), examined.faults, tuple(misshapen))


def _payload(record: Any) -> Any:
    return record if types.is_bare(record) else record.payload


def _is_rescued(value: Value, faults: tuple[Any, ...]) -> bool:
    """Whether a record stood behind a torn fragment (a mended one is at its place, and nothing is said of it)."""
    return value.recovered and any(fault.what == "torn" and fault.end <= value.start for fault in faults)
