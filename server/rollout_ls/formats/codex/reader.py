"""One line of a rollout, read: the fast way for a record that decodes, the long way for one that does not.

The only door from bytes to statements. Never fails, never looks at another line, keeps nothing of the line's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from rollout_ls.formats.codex import shape, types
from rollout_ls.formats.codex.lenient import lenient_of
from rollout_ls.formats.codex.remarks import USUAL_SEAL, remarks_on
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
    Tokens,
    Usage,
)
from rollout_ls.jsonl.examine import Examined, Value, eager_faults, examine, examine_unfinished
from rollout_ls.jsonl.scan import DEEPEST_KEPT

_WHITE = b" \t\r\n"
# Characters of Unicode's White_Space: a line of nothing else is blank for the upstream reader.
_BLANK = re.compile(
    rb"(?:[ \t\n\r\x0b\x0c]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*"
)
_NOTHING = Reading(blank=True)
_REMARKABLE = frozenset({Call, Compaction, Message, Reasoning, Result, Usage})
_WITH_ID = frozenset({Call, CallMirror, Result})


def read_line(data: bytes, deepest: int = DEEPEST_KEPT, lone_returns: bool = True) -> Reading:
    """Reads the bytes of one line, its end included. Of a record that no decoder takes, ``deepest`` levels are kept.

    ``lone_returns`` is False where there is surely no carriage return but before the line's end.
    """
    if len(data) < 3 and not data.strip(_WHITE):
        return _NOTHING
    record = types.read(data)
    if record is None:
        return _read_otherwise(data, deepest)
    statement = statement_of(record)
    broken = eager_faults(data[:-1] if data.endswith(b"\n") else data) if lone_returns else ()
    doubted = _DOUBTS.get(statement.__class__)
    if doubted is None or not doubted(statement, record):
        return Reading((statement,), broken)
    misshapen: tuple[shape.ShapeFault, ...] = ()
    if statement.__class__ in _WITH_ID and not statement.call_id:
        misshapen = shape.extra(record, data)
    return Reading((statement,), broken, misshapen + remarks_on(statement, _payload(record), data, 0))


def _read_otherwise(data: bytes, deepest: int) -> Reading:
    """A line that is no good record: blank, broken, or a record that the upstream reader would not take."""
    text = data.rstrip(_WHITE)
    if _BLANK.fullmatch(text):
        return _NOTHING
    examined = examine(text, deepest) if data.endswith(b"\n") else examine_unfinished(text, deepest)
    return _read_damaged(examined, text)


def _doubts_call(call: Any, record: Any) -> bool:
    return call.bad_arguments or not call.call_id


def _doubts_result(result: Any, record: Any) -> bool:
    return result.sealed or not result.call_id


def _doubts_mirror(mirror: Any, record: Any) -> bool:
    return not mirror.call_id


def _doubts_sealed(statement: Statement, record: Any) -> bool:
    return bool(statement.sealed)


def _doubts_reasoning(reasoning: Any, record: Any) -> bool:
    """Sealed reasoning is usual: only a seal of another make is looked at closer."""
    if reasoning.stream != "item":
        return False
    payload = _payload(record)
    return bool(payload.content) or not (payload.encrypted_content or USUAL_SEAL).startswith(USUAL_SEAL)


def _doubts_usage(usage: Any, record: Any) -> bool:
    return _is_odd(usage.last) or _is_odd(usage.total)


def _is_odd(tokens: Tokens | None) -> bool:
    """Whether the parts of a count contradict each other, or its total is none of them."""
    return tokens is not None and (
        tokens.total != tokens.input + tokens.output
        or tokens.cached_input > tokens.input
        or tokens.reasoning_output > tokens.output
    )


_DOUBTS: dict[type[Statement], Callable[[Any, Any], bool]] = {
    Call: _doubts_call,
    CallMirror: _doubts_mirror,
    Compaction: _doubts_sealed,
    Message: _doubts_sealed,
    Reasoning: _doubts_reasoning,
    Result: _doubts_result,
    Usage: _doubts_usage,
}
"""Whether a record that reads well may have something odd about it: asked of each, so each question is a short one."""


def _read_damaged(examined: Examined, tried: bytes) -> Reading:
    """What is on a line that did not decode as it stands, which was ``tried``."""
    statements: list[Statement] = []
    misshapen: list[shape.ShapeFault] = []
    torn_until = next((fault.end for fault in examined.faults if fault.what == "torn"), None)
    for value in examined.values:
        record = None if value.text == tried else types.read(value.text)
        walked: tuple[shape.ShapeFault, ...] = ()
        if record is None:
            walked, record = _read_misshapen(value)
            misshapen += walked
        else:
            misshapen += shape.extra(record, value.text, value.start)
        alone = len(examined.values) == 1 and value.start == 0 and not value.recovered
        end = -1 if alone else value.end
        # One behind a torn fragment (a mended one is at its place, and nothing is said of it).
        rescued = value.recovered and torn_until is not None and torn_until <= value.start
        statement = statement_of(record, value.start, end, rescued)
        if walked and any(fault.path == ("ordinal",) for fault in walked):
            statement = msgspec.structs.replace(statement, ordinal=UNUSABLE_ORDINAL)
        statements.append(statement)
        payload = _payload(record)
        if type(statement) in _REMARKABLE and payload is not None:
            misshapen += remarks_on(statement, payload, value.text, value.start)
    return Reading(tuple(statements), examined.faults, tuple(misshapen))


def _read_misshapen(value: Value) -> tuple[tuple[shape.ShapeFault, ...], Any]:
    """What is wrong with a record that does not decode, and what is usable of it."""
    plain = shape.object_of(value.text)
    if plain is None:
        return (), lenient_of({})
    # Whether it is the first header is not known here: the rules weaken what is said of a later one.
    return shape.walk_object(plain, value.text, value.start, first_header=True).faults, lenient_of(plain)


def _payload(record: Any) -> Any:
    return record if types.is_bare(record) else record.payload
