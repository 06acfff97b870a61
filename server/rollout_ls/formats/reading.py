"""What was made of one line: the statements of its records, and what is wrong with it, as facts.

The value that travels with a line from the reader to the rules. Never holds text of the line.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rollout_ls.formats.statement import Statement


class Reading(msgspec.Struct, eq=False):
    """One line, read.

    ``statements`` are those of its records in order (none on a blank or lost line). ``broken`` are faults of bytes and
    JSON (``jsonl.faults.Fault``), ``misshapen`` faults of known records (``ShapeFault``), with byte offsets in the
    line. ``blank`` tells a line of white space. ``idle`` are the faults of the idle pass, None until it has been here.
    ``notes`` is room for what features work out from the line's text and want to keep as long as the line stays.
    """

    statements: tuple[Statement, ...] = ()
    broken: tuple[Any, ...] = ()
    misshapen: tuple[Any, ...] = ()
    blank: bool = False
    idle: tuple[Any, ...] | None = None
    notes: dict[Any, Any] | None = None
