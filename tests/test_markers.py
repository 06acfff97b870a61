"""Marker tests: a text file with the records, marks in them, and the expected answers.

``pytest tests/test_markers.py --rewrite-markers`` writes what comes out into the files; read the difference before you
commit it. The form of a file is told in ``tests/markers/README.md``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rollout_ls.features.folding import folds
from rollout_ls.features.hints import HintOptions, hints
from rollout_ls.features.hover import hover
from rollout_ls.features.lenses import lenses, title_of
from rollout_ls.features.links import links
from rollout_ls.features.navigation import definition, references
from rollout_ls.features.outline import outline
from rollout_ls.features.selection import selections
from rollout_ls.features.symbol import Symbol
from rollout_ls.features.target import Thread
from rollout_ls.features.tokens import tokens
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.text.columns import column_of
from rollout_ls.text.rows import Line, Place
from rollout_ls.workspace.document import Document

LINKED = "/home/ana/tea"
"""The workspace folder below which ``links`` finds files."""
FOLDER = Path(__file__).parent / "markers"
SECTION = re.compile(r"^-- (.+) --$", re.MULTILINE)
MARK = re.compile("«([a-z0-9_]+)»")
CHECK = re.compile(r"(\w+)\(([^)]*)\)")


class Marked:
    """One marker file: its document, its marks, its checks and the answers that it expects."""

    def __init__(self, path: Path) -> None:
        parts = SECTION.split(path.read_text(encoding="utf-8"))
        self.about = parts[0]
        self.sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        self.name = next(name for name in self.sections if name.startswith("rollout-"))
        text = self.sections[self.name].removeprefix("\n")
        self.marks: dict[str, tuple[int, int]] = {}
        rows = []
        for row, content in enumerate(text.split("\n")):
            while mark := MARK.search(content):
                self.marks[mark[1]] = (row, len(content[: mark.start()].encode()))
                content = content[: mark.start()] + content[mark.end() :]
            rows.append(content)
        self.document = Document(f"file:///{self.name}", 1, ["\n".join(rows).encode()])
        self.document.finish()
        self.session = self.document.session()
        checks = CHECK.findall(self.sections["marks"])
        self.checks = [(name, [one.strip() for one in given.split(",") if one.strip()]) for name, given in checks]

    def spot(self, mark: str) -> tuple[Line, int]:
        row, offset = self.marks[mark]
        found = self.document.buffer.at_row(row)
        assert found is not None, mark
        line, inner = found
        return line, line.row_span(inner)[0] + offset

    def number(self, line: Line) -> int:
        return self.document.buffer.row_of(line) + 1

    def span(self, place: Place) -> str:
        row, data, start = self.document.buffer.position_of(place.line, place.start)
        end = start + place.end - place.start
        return f"{row + 1}:{column_of(data, start, 'utf-16')}-{column_of(data, end, 'utf-16')}"


def answer(marked: Marked, name: str, given: list[str]) -> str | None:
    """The text that a check gives; None where it compares marks instead (and fails by itself)."""
    if name == "def":
        check_definition(marked, given)
        return None
    if name == "refs":
        line, offset = marked.spot(given[0])
        rows = sorted(marked.number(place.line) for place in references(marked.session, line, offset))
        assert rows == sorted(marked.marks[mark][0] + 1 for mark in given[1:]), f"refs({', '.join(given)}): {rows}"
        return None
    if name == "hover":
        line, offset = marked.spot(given[0])
        shown = hover(marked.session, line, offset, Surroundings())
        return shown.text if shown is not None else "(nothing)"
    if name == "findings":
        return "\n".join(
            f"{marked.span(one.place)} {one.severity} {one.code}: {one.message}"
            + "".join(f"\n    {marked.span(other.place)} {other.message}" for other in one.related)
            for one in marked.document.findings()
        )
    if name == "outline":
        return "\n".join(tree(marked, outline(marked.session)))
    if name == "folds":
        return "\n".join(f"{marked.number(one.first)}-{marked.number(one.last)}" for one in folds(marked.session))
    if name == "foldtexts":
        found = folds(marked.session, texts=True)
        return "\n".join(f"{marked.number(one.first)}-{marked.number(one.last)} {one.text}" for one in found)
    if name == "hints":
        return "\n".join(hint_rows(marked))
    if name == "lenses":
        return "\n".join(lens_rows(marked))
    if name == "tokens":
        return "\n".join(token_rows(marked))
    if name == "links":
        return "\n".join(f"{marked.span(one.place)} {one.target}" for one in links(marked.session, [LINKED]))
    if name == "select":
        return "\n".join(selection_rows(marked, *marked.spot(given[0])))
    raise AssertionError(f"no such check: {name}")


def hint_rows(marked: Marked) -> list[str]:
    """Each hint; behind a part that leads somewhere the line of it."""
    rows = []
    for hint in hints(marked.session, marked.document.buffer, HintOptions()):
        parts = (
            f"{part.text}[{marked.number(part.target.line)}]" if part.target is not None else part.text
            for part in hint.parts
        )
        rows.append(f"{marked.number(hint.ref.line)}: {' | '.join(parts)}")
    return rows


def lens_rows(marked: Marked) -> list[str]:
    rows = []
    for lens in lenses(marked.session, jumps=True):
        title = title_of(marked.session, lens.ref.line, lens.ref.statement.start, lens.sort)
        assert title is not None
        leads = f" [{marked.number(title.target.line)}]" if title.target is not None else ""
        rows.append(f"{marked.number(lens.ref.line)}: {title.text}{leads}")
    return rows


def token_rows(marked: Marked) -> list[str]:
    rows = []
    for token in tokens(marked.session, marked.document.buffer):
        place = token.place
        text = place.line.data[place.start : place.end].decode()
        shown = text if len(text) <= 40 else f"{text[:20]} ... {text[-15:]}"
        rows.append(f"{marked.span(place)} {' '.join((token.sort, *token.marks))}: {shown}")
    return rows


def selection_rows(marked: Marked, line: Line, offset: int) -> list[str]:
    rows = []
    for one in selections(marked.session, line, offset):
        if isinstance(one, Place):
            text = one.line.data[one.start : one.end].decode()
            rows.append(text if len(text) <= 70 else f"{text[:35]} ... {text[-30:]}")
        else:
            rows.append(f"lines {marked.number(one.first)}-{marked.number(one.last)}")
    return rows


def check_definition(marked: Marked, given: list[str]) -> None:
    line, offset = marked.spot(given[0])
    targets = [jump.target for jump in definition(marked.session, line, offset)]
    places = [marked.number(target.line) for target in targets if isinstance(target, Place)]
    threads = [target.thread_id for target in targets if isinstance(target, Thread)]
    if len(given) == 1:
        assert targets == [], f"def({given[0]}) leads to {places or threads}"
    elif given[1].startswith("thread:"):
        assert given[1].removeprefix("thread:") in threads, f"def({given[0]}): {threads}"
    else:
        wanted = marked.marks[given[1]][0] + 1
        assert places[:1] == [wanted], f"def({given[0]}, {given[1]}): {places}, want {wanted}"


def tree(marked: Marked, symbols: tuple[Symbol, ...], depth: int = 0) -> list[str]:
    rows = []
    for one in symbols:
        lines = f"{marked.number(one.first)}-{marked.number(one.last)}"
        old = " (deprecated)" if one.deprecated else ""
        detail = f"  | {one.detail}" if one.detail else ""
        rows.append(f"{'  ' * depth}{one.kind} {one.name}{detail}  [{lines}]{old}")
        rows += tree(marked, one.children, depth + 1)
    return rows


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_marked(path: Path, request: pytest.FixtureRequest) -> None:
    marked = Marked(path)
    rewritten = False
    for name, given in marked.checks:
        found = answer(marked, name, given)
        if found is None:
            continue
        section = given[-1]
        expected = marked.sections.get(section, "").strip("\n")
        if found != expected and request.config.getoption("--rewrite-markers"):
            marked.sections[section] = f"\n{found}\n"
            rewritten = True
            continue
        assert found == expected, f"{name} of {path.name}"
    if rewritten:
        body = "".join(f"-- {name} --{content}" for name, content in marked.sections.items())
        path.write_text(marked.about + body, encoding="utf-8")


def test_every_kind_of_check_is_used() -> None:
    used = {name for path in FOLDER.glob("*.txt") for name, _ in CHECK.findall(path.read_text(encoding="utf-8"))}
    assert used >= {"def", "refs", "hover", "findings", "outline", "folds", "foldtexts"}
    assert used >= {"hints", "lenses", "tokens", "links", "select"}
