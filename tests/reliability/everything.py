"""Every feature at once, in this process, over a document: for tests that only want to know that nothing fails."""

from __future__ import annotations

from collections.abc import Iterable

from rollout_ls.features.folding import folds
from rollout_ls.features.hints import HintOptions, explain, hints
from rollout_ls.features.hover import hover
from rollout_ls.features.lenses import lenses, title_of
from rollout_ls.features.links import links
from rollout_ls.features.navigation import definition, references
from rollout_ls.features.outline import outline
from rollout_ls.features.readable import session_page, teller_of, turn_keys, turn_of_key, turn_page
from rollout_ls.features.record_page import record_page
from rollout_ls.features.selection import selections
from rollout_ls.features.steps import Step, step_from
from rollout_ls.features.tokens import tokens
from rollout_ls.formats.drift import Drift
from rollout_ls.formats.records import strangers_in
from rollout_ls.lsp.findings import code_page
from rollout_ls.lsp.targets import links_within
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.projection.views.blocks import block_view
from rollout_ls.projection.views.codex_v3 import read_view
from rollout_ls.text.columns import Unit
from rollout_ls.text.rows import Line
from rollout_ls.wire import lsp, sight
from rollout_ls.wire import outline as outlines
from rollout_ls.wire.positions import place_range
from rollout_ls.wire.show import show_session
from rollout_ls.wire.stats import session_stats
from rollout_ls.wire.views import show_blocks, show_codex_v3
from rollout_ls.workspace.document import Document

STEPS: tuple[Step, ...] = ("next turn", "previous turn", "next failed call", "partner")
OF_ALL = 14
"""Questions that ``ask_of_all`` asks."""
AT_A_PLACE = 10
"""Questions that ``ask_at`` asks."""
URI = "file:///work/rollout-x.jsonl"
WORLD = Surroundings()
TELLING = lsp.Telling("utf-16", True, code_page)
DRAWING = outlines.Drawing("utf-16", frozenset(range(1, 27)), True)


def ask_of_all(document: Document, unit: Unit = "utf-16") -> int:
    """Asks all that is asked of a whole document; the bytes that would have gone out."""
    found = document.finish()
    session, rows = document.session(), document.buffer
    lines = list(rows)
    drawn = hints(session, lines, HintOptions())
    for hint in drawn:
        for part in hint.parts:
            explain(session, hint, part, WORLD)
    lensed = lenses(session, jumps=True)
    for lens in lensed:
        title_of(session, lens.ref.line, lens.ref.statement.start, lens.sort)
    pages = [session_page(session, WORLD), *(record_page(line) for line in lines)]
    for key in turn_keys(session):
        turn = turn_of_key(session, key)
        assert turn is not None
        pages.append(turn_page(session, turn, WORLD))
    drift = Drift()
    drift.begin_file("")
    for line in lines:
        teller_of(session, line)
        for statement in line.reading.statements:
            drift.add(strangers_in(line.data, statement))
    answers: Iterable[object] = (
        lsp.diagnostics(found, URI, rows, TELLING),
        outlines.document_symbols(outline(session), rows, DRAWING),
        lsp.folding_ranges(folds(session, texts=True), rows),
        sight.inlay_hints(drawn, URI, "1.0", rows, unit, locations=True),
        sight.code_lenses(lensed, URI, "1.0", rows, unit),
        sight.semantic_tokens(tokens(session, lines), rows, unit),
        sight.document_links(links(session, ["/home/ada/loom"]), URI, rows, unit),
        show_session(session, rows),
        show_blocks(block_view(session), rows),
        show_codex_v3(read_view(rows), rows),
        session_stats(session, rows),
        [page.text for page in pages],
        drift.found(),
    )
    return sum(len(lsp.encode(answer)) for answer in answers)


def ask_at(document: Document, line: Line, offset: int, unit: Unit = "utf-16") -> int:
    """Asks all that is asked of a place; the number of questions."""
    session, rows = document.session(), document.buffer
    for markdown in (True, False):
        shown = hover(session, line, offset, WORLD, markdown=markdown)
        if shown is not None:
            place_range(rows, shown.place, unit)
            shown.text.encode()
    links_within(definition(session, line, offset), URI, rows, unit)
    for place in references(session, line, offset):
        place_range(rows, place, unit)
    sight.selection_range(selections(session, line, offset), rows, unit)
    for step in STEPS:
        place = step_from(session, line, offset, step)
        if place is not None:
            place_range(rows, place, unit)
    return AT_A_PLACE
