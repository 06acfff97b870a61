"""Everything that is written to the terminal goes out here: results to stdout, all else to stderr.

Results for programs are UTF-8 whatever the locale says. Colours and bars come only where a person looks. Never writes
a traceback, never text of a rollout to stderr.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

Segment = tuple[str, str]
"""(text, style): a piece of one line. The style is a word of ``rich``, or nothing."""

COMMAND = "rollout-ls"
_PAGE_LINK = re.compile(r"\[([\w-]+)\]\(\1\.md\)")
"""A link from one page to another, which leads nowhere on a terminal."""


class ToolError(Exception):
    """Why a command cannot do what was asked: one line for the person. Ends the command with exit status 2."""


def write_bytes(data: bytes) -> None:
    """Writes a result for programs."""
    sys.stdout.buffer.write(data)


def write_line(segments: Sequence[Segment]) -> None:
    """Writes one line for people, in colour on a terminal."""
    if not _is_coloured():
        write_bytes("".join(text for text, _ in segments).encode("utf-8", "replace") + b"\n")
        return
    from rich.text import Text

    _console().print(Text.assemble(*segments), soft_wrap=True)


def write_markdown(text: str) -> None:
    """Writes a page for people: drawn on a terminal, as it is written elsewhere."""
    if not _is_coloured():
        write_bytes(text.encode("utf-8", "replace"))
        return
    from rich.markdown import Markdown

    _console().print(Markdown(_PAGE_LINK.sub(r"`\1`", text), hyperlinks=False))


def flush() -> None:
    """Hands over what is still kept back, so that a broken pipe is noticed here."""
    sys.stdout.flush()


def say(message: str) -> None:
    """Tells the person one line on stderr."""
    tell(f"{COMMAND}: {message}\n")


def tell(text: str) -> None:
    """Writes to stderr. That nobody hears it changes nothing."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        _to_nothing(sys.stderr)


def say_all(problems: Iterable[Exception]) -> None:
    """Tells one line for each."""
    for problem in problems:
        say(str(problem))


def inner_fault(error: Exception) -> str:
    """A fault of this program on one line: its sort and where it happened, nothing of what was read."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {frames[-1].name} ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"inner fault: {type(error).__name__}{where}; please report it"


def width() -> int:
    """Columns of the terminal; 100 where there is none."""
    try:
        return max(40, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return 100


def bar_console(*, for_people: bool) -> Console | None:
    """Where a progress bar can be drawn without disturbing the results; None where nobody would see it.

    Where both go to the same terminal, bar and results share a console, which keeps them apart; results for programs
    (not ``for_people``) do not pass through one.
    """
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    if sys.stdout.isatty():
        return _console() if for_people and _is_coloured() else None
    from rich.console import Console

    return Console(stderr=True)


def drop_stdout() -> None:
    """Lets what could not be written vanish, after whoever read it went away."""
    _to_nothing(sys.stdout)


def _to_nothing(stream: TextIO) -> None:
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _is_coloured() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


_made: list[Console] = []


def _console() -> Console:
    if not _made:
        from rich.console import Console

        _made.append(Console(file=sys.stdout, highlight=False, markup=False, emoji=False))
    return _made[0]
