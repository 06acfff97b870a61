"""What a record holds for a person to read, as neutral parts: text to show, and what is left out and how big it is.

Made when somebody asks (a hover, a label), never stored. Text in a part is as it stands in the record, without escapes:
who shows it makes it printable and masks it.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Part(msgspec.Struct, frozen=True):
    """One piece of content.

    ``title`` says what it is ("arguments", "output"), ``text`` is the decoded text and ``language`` how to colour it
    ("json", "diff", "sh" or none). Where something is left out, ``omitted`` says what ("image/png image", "encrypted
    content") and ``size`` how much (bytes for images, characters else).
    """

    title: str
    text: str = ""
    language: str = ""
    omitted: str = ""
    size: int = 0


class Content(msgspec.Struct, frozen=True):
    """The content of one record. ``label`` is what a one-line name shows of it; ``facts`` are short named values.

    Of calls: ``tool_input`` is what the tool is given, as plain values (the text where it is no JSON, None where the
    record does not tell), ``command`` the shell command in it, as one would type it, and ``returned`` what came back
    (None where the record does not tell). Of headers: ``began`` is the time at which the session began.
    """

    label: str = ""
    parts: tuple[Part, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    tool_input: Any = None
    command: str = ""
    returned: tuple[Part, ...] | None = None
    began: str = ""
