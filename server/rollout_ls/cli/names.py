"""Names that a person typed: what was meant by them, and one clear line where nothing is known by that name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from rollout_ls.cli.terminal import ToolError
from rollout_ls.rules.registry import DEFAULT_CODES, RULES
from rollout_ls.text.display import label

ALL = "ALL"
"""The word that stands for every code."""
MAX_NEAR = 3
LIKE = 0.7
"""How much of two names must be alike, from 0 to 1: a slip of the finger, not the same letters in any order."""
MAX_NAME_CHARACTERS = 80


def chosen_codes(select: Sequence[str], ignore: Sequence[str]) -> frozenset[str] | None:
    """The codes that may be found, by the words of ``--select`` and ``--ignore``; None where nobody chose.

    Each word is one code or several with commas between, or ALL. ``limit`` says that findings were left out: it stays
    unless it is ignored by name. Raises ``ToolError`` for a word that is no code, and where nothing is selected.
    """
    if not select and not ignore:
        return None
    wanted = _codes(select) | {"limit"} if select else set(DEFAULT_CODES)
    if select and not _codes(select):
        raise ToolError("--select names no code")
    return frozenset(wanted - _codes(ignore))


def _codes(words: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for word in ",".join(words).split(","):
        code = word.strip()
        if code == ALL:
            found |= RULES.keys()
        elif code in RULES:
            found.add(code)
        elif code:
            raise ToolError(f"no code is called {shown(code)}{near(code, RULES)}")
    return found


def shown(name: str) -> str:
    """A name as it was typed, fit for one line."""
    return f"'{label(name, MAX_NAME_CHARACTERS)}'"


def near(name: str, names: Iterable[str]) -> str:
    """``: did you mean a, b?`` with the names that look most like it; empty where none does."""
    by_lower = {one.lower(): one for one in names}
    found = difflib.get_close_matches(name.lower()[:MAX_NAME_CHARACTERS], by_lower, MAX_NEAR, LIKE)
    return f"; did you mean {', '.join(by_lower[one] for one in found)}?" if found else ""
