"""What the registry and the catalogue know, as Markdown: for `explain`, for `rules`, for the generated pages of docs/.

All of it is the project's own text; nothing of a rollout gets here. Never prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rollout_ls.formats.explanation import FieldExplained, KindExplained, Need, Stored
from rollout_ls.formats.records import earliest_release
from rollout_ls.rules.registry import FAMILIES, RULES, Rule

NEEDS: dict[Need, str] = {
    "required": "required",
    "optional": "optional",
    "default": "optional, never null",
    "value": "required, may be null",
}
STORED: dict[Stored, str] = {
    "always": "in every sort of file",
    "legacy": "in files without pages (`history_mode` `legacy`, or none)",
    "paginated": "in paginated files only",
    "once": "by older builds only",
    "never": "by no build: it is sent between programs, and a record of it comes from another writer",
}


# -- rules
def rule_rows() -> list[dict[str, Any]]:
    """The registry as JSON."""
    return [
        {
            "code": rule.code,
            "severity": rule.severity,
            "pass": rule.when,
            "on_by_default": not rule.default_off,
            "family": family,
            "title": rule.title,
        }
        for family, rules in FAMILIES.items()
        for rule in rules
    ]


def rules_markdown(*, linked: bool) -> str:
    """All codes as tables, a family each; ``linked`` to their pages beside."""
    parts = [
        "# The findings",
        f"The {len(RULES)} codes that rollout-ls can report, and how grave each is as a rule; a page says when it is "
        "milder or worse.",
        "- **error**: Codex cannot read the record, or cannot resume the session.\n"
        "- **warning**: something in the file is lost, or has no partner.\n"
        "- **information**: odd but legal, or newer than this version.\n"
        "- **hint**: of interest when one looks for it.",
        "*Eager* findings come with the first pass over a file, *idle* ones a moment later.",
    ]
    for family, rules in FAMILIES.items():
        rows = ["| code | severity | pass | |", "| --- | --- | --- | --- |", *_rule_rows(rules, linked)]
        parts += [f"## {family}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _rule_rows(rules: Sequence[Rule], linked: bool) -> Iterator[str]:
    for rule in rules:
        name = f"[{rule.code}]({rule.code}.md)" if linked else f"`{rule.code}`"
        off = " (off by default)" if rule.default_off else ""
        yield f"| {name} | {rule.severity} | {rule.when} | {rule.title}{off} |"


# -- kinds
def kind_markdown(kind: KindExplained, *, level: int = 1, link: Callable[[str], str] | None = None) -> str:
    """One kind, part or shape. ``link`` gives the address of a shape or kind; without it they are named only."""
    parts = [f"{'#' * level} {kind.title or kind.name}", f"`{kind.name}`"]
    if kind.summary:
        parts.append(kind.summary)
    facts = list(_facts(kind))
    if facts:
        parts.append("\n".join(f"- {fact}" for fact in facts))
    if kind.words:
        further = ["| *any other word* | |"] if kind.open else []
        rows = [f"| `{word}` | {meaning} |" for word, meaning in kind.words.items()]
        parts.append("\n".join(["| word | meaning |", "| --- | --- |", *rows, *further]))
    if not kind.listed and kind.stored == "never":
        parts.append("Its fields are not listed: no file should hold one.")
    if kind.fields:
        parts.append(_field_table(kind.fields, link))
    for variant in kind.variants:
        parts.append(_variant(variant, link))
    return "\n\n".join(parts) + "\n"


def _facts(kind: KindExplained) -> Iterator[str]:
    if kind.when:
        when = kind.when if ". " in kind.when else kind.when.rstrip(".")
        yield f"written: {when[:1].lower()}{when[1:]}"
    if kind.family not in ("shape", "part"):
        yield f"stored {STORED[kind.stored]}"
    if kind.since or kind.since_version:
        yield f"since {_beginning(kind.since, kind.since_version)}"
    if kind.until or kind.until_version:
        yield f"until {_moment(kind.until, kind.until_version)}"
    if kind.refused:
        yield "today's reader does not take it any more"
    if kind.aliases:
        yield f"also spelled {', '.join(f'`{alias}`' for alias in kind.aliases)}"
    yield from kind.links


def _beginning(date: str, version: str) -> str:
    """A day with the release that it came out in, or with the first one that it can have come out in."""
    release = "" if version else earliest_release(date)
    return f"{date} (Codex {release} or later)" if release else _moment(date, version)


def _moment(date: str, version: str) -> str:
    return f"{date} (Codex {version})" if date and version else date or f"Codex {version}"


def _field_table(fields: Sequence[FieldExplained], link: Callable[[str], str] | None) -> str:
    rows = ["| field | type | need | meaning |", "| --- | --- | --- | --- |"]
    for field in fields:
        type_ = field.type
        if link is not None and field.shape:
            type_ = f"[{type_}]({link(field.shape)})"
        rows.append(f"| `{field.path}` | {type_} | {NEEDS[field.need]} | {' '.join(_meaning(field))} |")
    return "\n".join(rows)


def _meaning(field: FieldExplained) -> Iterator[str]:
    if field.meaning:
        yield field.meaning
    if field.words:
        words = ", ".join(f"`{word}`" for word in field.words)
        yield f"Usually {words}." if field.open else f"One of {words}."
    if field.alias_of:
        yield f"Another spelling of `{field.alias_of}`."
    if field.since and field.until:
        yield f"From {field.since} to {field.until}."
    elif field.since:
        yield f"Since {field.since}."
    elif field.until:
        yield f"Until {field.until}."
    if field.retired:
        yield "Today's reader does not look at it."


def _variant(variant: KindExplained, link: Callable[[str], str] | None) -> str:
    if not variant.listed:
        return f"Layout {variant.name}: {variant.summary}"
    head = f"With `{variant.name}`{':' if variant.fields else ': no further fields.'}"
    return f"{head}\n\n{_field_table(variant.fields, link)}" if variant.fields else head


# -- pages of kinds
def page_of_kind(name: str) -> str:
    """The file name, without its end, of the page that describes a kind."""
    parts = name.split("/")
    return "item_completed" if parts[:2] == ["event_msg", "item_completed"] and len(parts) > 2 else parts[0]


def anchor(title: str) -> str:
    """The anchor of a head line, as code hosts make it."""
    kept = "".join(one for one in title.lower() if one.isalnum() or one in " -_")
    return kept.replace(" ", "-")


def kind_pages(kinds: Sequence[KindExplained]) -> dict[str, str]:
    """Pages by file name: one a family, and an index."""
    groups: dict[str, list[KindExplained]] = {}
    for kind in kinds:
        groups.setdefault(page_of_kind(kind.name), []).append(kind)
    by_name = {kind.name: kind for kind in kinds}

    def link(name: str) -> str:
        return f"{page_of_kind(name)}.md#{anchor(by_name[name].name)}"

    pages = {"README.md": _kinds_index(groups)}
    for group, members in groups.items():
        parts = [f"# {_GROUPS.get(group, f'`{group}`')}\n", _member_table(members)]
        parts += [_section(kind, link) for kind in members]
        pages[f"{group}.md"] = "\n".join(parts)
    return pages


_GROUPS = {
    "item_completed": "`event_msg/item_completed`: completed items",
    "legacy": "Lines from before envelopes",
    "part": "Parts of content",
    "shape": "Shapes that several kinds share",
}


def _section(kind: KindExplained, link: Callable[[str], str]) -> str:
    """A kind under its name, so that its anchor is unique."""
    text = kind_markdown(kind, level=2, link=link)
    _, _, rest = text.partition("\n\n")
    _, _, rest = rest.partition("\n\n") if "\n\n" in rest else ("", "", "")
    title = f"**{kind.title}**" if kind.title else ""
    return f"## `{kind.name}`\n\n{title}\n\n{rest}" if rest else f"## `{kind.name}`\n\n{title}\n"


def _member_table(members: Sequence[KindExplained]) -> str:
    rows = [f"| [`{kind.name}`](#{anchor(kind.name)}) | {kind.title} |" for kind in members]
    return "\n".join(["| | |", "| --- | --- |", *rows]) + "\n"


def _kinds_index(groups: dict[str, list[KindExplained]]) -> str:
    head = (
        "# Kinds of records\n\nEvery kind of record that a Codex rollout can hold, of every era, as the catalogue "
        "knows it. `rollout-ls explain KIND` shows one.\n\n"
    )
    rows = [f"| [{_GROUPS.get(group, f'`{group}`')}]({group}.md) | {len(kinds)} |" for group, kinds in groups.items()]
    return head + "\n".join(["| family | kinds |", "| --- | --- |", *rows]) + "\n"
