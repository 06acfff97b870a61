"""textDocument/codeLens, codeLens/resolve"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rollout_ls.lsp.params import OfDocument
from rollout_ls.wire.sight import CodeLens, Command, code_lenses, go_to

if TYPE_CHECKING:
    from rollout_ls.features.lenses import LensSort
    from rollout_ls.lsp.server import RolloutServer


def code_lens(ls: RolloutServer, params: OfDocument) -> list[CodeLens]:
    """Where lenses stand; those that only lead somewhere for clients that can go there."""
    from rollout_ls.features.lenses import lenses

    opened = ls.documents.find(params.text_document.uri)
    if opened is None or not ls.configuration.settings.code_lens:
        return []
    found = lenses(opened.document.session(), jumps=ls.configuration.settings.commands)
    return code_lenses(found, opened.uri, opened.state, opened.document.buffer, ls.client.unit)


def resolve(ls: RolloutServer, given: CodeLens) -> CodeLens:
    """A lens with what it says; of another text it says nothing, and the client is about to ask anew."""
    return CodeLens(given.range, _command(ls, given) or Command(""), given.data)


def _command(ls: RolloutServer, given: CodeLens) -> Command | None:
    from rollout_ls.features.lenses import SORTS, title_of

    anchor = given.data
    opened = ls.documents.find(anchor.uri) if anchor is not None else None
    if anchor is None or opened is None or opened.state != anchor.version or anchor.sort not in SORTS:
        return given.command
    rows = opened.document.buffer
    found = rows.at_row(anchor.row)
    if found is None:
        return given.command
    title = title_of(opened.document.session(), found[0], anchor.offset, cast("LensSort", anchor.sort))
    if title is None:
        return given.command
    target = title.target.line if title.target is not None else None
    return go_to(title.text, target, opened.uri, rows, command=ls.configuration.settings.commands)
