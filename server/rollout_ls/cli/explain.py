"""``rollout-ls explain``: the page of a rule, or what the catalogue knows about a kind of record.

Writes what the pages and the catalogue say; adds nothing to them.
"""

from __future__ import annotations

from rollout_ls.cli.names import near, shown
from rollout_ls.cli.pages import rule_page
from rollout_ls.cli.terminal import ToolError, write_markdown
from rollout_ls.formats.records import explain_kind, kind_names
from rollout_ls.rules.registry import RULES
from rollout_ls.wire.pages import kind_markdown

MAX_WHOLE = 4
"""Of so many kinds with one name all are shown whole; more are listed."""


def run(name: str) -> int:
    """Writes what is known by a name. The exit status; raises ``ToolError`` where nothing is."""
    code = name.lower()
    if code in RULES:
        rule = RULES[code]
        write_markdown(rule_page(code) or f"# {code}\n\n{rule.title} ({rule.severity}). Its page is not installed.\n")
        return 0
    found = kinds_called(name)
    if not found:
        known = [*RULES, *kind_names(), *(one.rpartition("/")[2] for one in kind_names())]
        raise ToolError(f"no code and no kind of record is called {shown(name)}{near(name, known)}")
    explained = [kind for one in found if (kind := explain_kind(one)) is not None]
    if len(explained) <= MAX_WHOLE:
        write_markdown("\n".join(kind_markdown(kind) for kind in explained))
        return 0
    rows = [f"| `{kind.name}` | {kind.title} |" for kind in explained]
    write_markdown("\n".join([f"# `{name}`\n", "| kind | |", "| --- | --- |", *rows]) + "\n")
    return 0


def kinds_called(name: str) -> tuple[str, ...]:
    """The kinds that a name means: the one of that name; else those whose name ends in it, by any of their spellings.

    A shared shape is meant only where no kind is. The name of a family means all its kinds.
    """
    names = kind_names()
    if name in names:
        return (name,)
    for matches in (
        [one for one in names if one.endswith(f"/{name}") or name in _aliases(one)],
        [one for one in names if one.lower().endswith(f"/{name.lower()}")],
    ):
        kinds = [one for one in matches if not one.startswith("shape/")]
        if matches:
            return tuple(kinds or matches)
    return tuple(one for one in names if one.startswith(f"{name.rstrip('/')}/"))


def _aliases(name: str) -> tuple[str, ...]:
    kind = explain_kind(name)
    return kind.aliases if kind is not None else ()
