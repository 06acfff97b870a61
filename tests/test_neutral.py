"""The projection knows no format: no name of a field or a kind stands in it, but in its views.

What statements are made of has names as well, which are the house's own, whoever else uses the same word.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import msgspec

from rollout_ls.formats import statement as statements
from rollout_ls.formats.codex import catalogue
from rollout_ls.projection.entry import What

PROJECTION = Path(__file__).parent.parent / "server" / "rollout_ls" / "projection"


def names_of_the_format() -> set[str]:
    """Fields and kinds of the catalogue whose names nobody says by chance: of several words, or in capitals."""
    known = catalogue.load()
    names: set[str] = set()
    for kind in known.kinds.values():
        names.update(part for part in kind.name.split("/"))
        pending = [kind.body]
        while pending:
            node = pending.pop()
            if isinstance(node, catalogue.Obj):
                names.update(node.fields)
                pending += [field.type for field in node.fields.values()]
            elif isinstance(node, catalogue.List | catalogue.Map):
                pending.append(node.of)
            elif isinstance(node, catalogue.OneOf | catalogue.Either):
                pending += node.options
    return {name for name in names if "_" in name or name[:1].isupper()}


def own_names() -> set[str]:
    found: set[str] = set()
    for value in vars(statements).values():
        if isinstance(value, type) and issubclass(value, msgspec.Struct):
            found.update({value.__name__, *value.__struct_fields__})
    return found | set(get_args(What))


def test_no_name_of_a_field_or_kind_stands_in_the_projection() -> None:
    foreign = names_of_the_format() - own_names()
    assert {"function_call_output", "replacement_history", "num_turns", "AgentMessage"} <= foreign
    found = []
    for path in sorted(PROJECTION.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = {node.value}
            elif isinstance(node, ast.Attribute):
                words = {node.attr}
            elif isinstance(node, ast.Name | ast.arg):
                words = {node.id if isinstance(node, ast.Name) else node.arg}
            else:
                continue
            found += [f"{path.name}:{node.lineno}: {word}" for word in words & foreign]
    assert found == []


def test_the_projection_reaches_the_formats_through_the_door_alone() -> None:
    allowed = {"statement", "records", "times", "history", "content"}
    for path in sorted(PROJECTION.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rollout_ls.formats."):
                assert (node.module or "").split(".")[2] in allowed, f"{path.name} imports {node.module}"
