"""The values that examining a line gives: what was found, and what is wrong where.

They exist apart from the work so that each kind of work can make them. They carry facts, never a severity, a finding's
code or a text of the record; and they never look at what a record means.
"""

from __future__ import annotations

import msgspec


class Value(msgspec.Struct, frozen=True):
    """One complete JSON object on the line.

    `start` and `end` are byte offsets in the line. `text` is what to decode and always decodes: it is
    line[start:end] in which the bytes that break JSON are replaced one for one, so that an offset in it plus `start` is
    one in the line.
    `recovered` says that a strict reader loses it: it stands beside damage or another record, or it was mended.
    """

    start: int
    end: int
    text: bytes
    recovered: bool


class Fault(msgspec.Struct, frozen=True):
    """One thing that is wrong, with its place in bytes of the line.

    what    "cut-off", "broken", "torn", "concatenated", "not-object", "nul", "bad-utf8", "lone-surrogate", "stray-cr",
            "bom", "duplicate-key", "too-deep" or "int-too-big"; of what a limit keeps from being read "unread" (the
            line) or "cropped" (what is nested too deeply)
    path    the field in which it stands or stops, as `payload.content[0].text`; empty for the record itself
    detail  facts for a message ("inside payload.text", "NaN", "incomplete character e6 87"), no content of the record
    count   how many of the kind stand on the line
    """

    what: str
    start: int
    end: int
    path: str = ""
    detail: str = ""
    count: int = 1


class FileFault(Fault, frozen=True):
    """A fault of a file's bytes, told at its place in a text that shows them otherwise.

    byte    where it stands in the file's own line, in bytes
    offset  where it stands in the file
    """

    byte: int = 0
    offset: int = 0


class Examined(msgspec.Struct, frozen=True):
    """All that one line holds: the complete objects in their order, and the faults by their place."""

    values: tuple[Value, ...]
    faults: tuple[Fault, ...]
