"""When a record was written, as a moment beside the session's first one. Never asks a clock."""

from __future__ import annotations

from itertools import islice

from rollout_ls.formats.records import time_of
from rollout_ls.formats.times import milliseconds
from rollout_ls.projection.entry import Ref
from rollout_ls.projection.session import Session

_LOOKED_AT = 64
"""Lines at the head of a file in which its first moment is looked for."""


def moment_of(ref: Ref) -> int | None:
    """Milliseconds since 1970 of a record's timestamp; None where it has none."""
    return milliseconds(time_of(ref.line.data, ref.statement))


def first_moment(session: Session) -> int | None:
    """The moment of the session's first record that tells one."""
    for line in islice(session.buffer, _LOOKED_AT):
        for statement in line.reading.statements:
            moment = moment_of(Ref(line, statement))
            if moment is not None:
                return moment
    return None


def last_moment(session: Session) -> int | None:
    """The moment of the last record that tells one, of the last few."""
    line = session.buffer.last_line
    for _ in range(_LOOKED_AT):
        if line is None:
            break
        for statement in reversed(line.reading.statements):
            moment = moment_of(Ref(line, statement))
            if moment is not None:
                return moment
        line = session.buffer.before(line)
    return None


def elapsed_text(elapsed_ms: int) -> str:
    """A stretch of time in little room: ``+5s``, ``+1m05s``, ``+2h03m``, ``+1d04h``; one backwards with ``-``."""
    sign = "-" if elapsed_ms < 0 else "+"
    seconds = abs(elapsed_ms) // 1000
    if seconds < 60:
        return f"{sign}{seconds}s"
    if seconds < 3600:
        return f"{sign}{seconds // 60}m{seconds % 60:02}s"
    if seconds < 86_400:
        return f"{sign}{seconds // 3600}h{seconds // 60 % 60:02}m"
    return f"{sign}{seconds // 86_400}d{seconds // 3600 % 24:02}h"
