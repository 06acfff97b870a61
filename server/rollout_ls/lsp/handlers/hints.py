"""textDocument/inlayHint, inlayHint/resolve"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rollout_ls.lsp.handlers.spots import MAX_ROWS, lines_between
from rollout_ls.lsp.params import InRange
from rollout_ls.wire.sight import InlayHint, inlay_hint, inlay_hints

if TYPE_CHECKING:
    from rollout_ls.features.hints import HintOptions
    from rollout_ls.lsp.server import RolloutServer


def inlay_hint_of_range(ls: RolloutServer, params: InRange) -> list[InlayHint]:
    """What the records of some rows are."""
    from rollout_ls.features.hints import hints

    opened = ls.documents.find(params.text_document.uri)
    if opened is None:
        return []
    document, rows = opened.document, opened.document.buffer
    lines = lines_between(rows, params.range, MAX_ROWS)
    found = hints(document.session(), lines, _options(ls))
    return inlay_hints(
        found, opened.uri, opened.state, rows, ls.client.unit, locations=not ls.client.hint_locations
    )


def resolve(ls: RolloutServer, given: InlayHint) -> InlayHint:
    """A hint with what its parts mean and where they lead; of another text it is left as it is."""
    from rollout_ls.features.hints import explain, hint_at

    anchor = given.data
    opened = ls.documents.find(anchor.uri) if anchor is not None else None
    if anchor is None or opened is None or opened.state != anchor.version:
        return given
    rows = opened.document.buffer
    found = rows.at_row(anchor.row)
    if found is None:
        return given
    session = opened.document.session()
    hint = hint_at(session, found[0], anchor.offset, _options(ls))
    if hint is None:
        return given
    world = ls.surroundings()
    tooltips = [explain(session, hint, part, world) for part in hint.parts]
    known = inlay_hint(
        hint, opened.uri, opened.state, rows, ls.client.unit, locations=True, tooltips=tooltips
    )
    return known if [one.value for one in known.label] == [one.value for one in given.label] else given


def _options(ls: RolloutServer) -> HintOptions:
    """Which sorts of parts are shown."""
    from rollout_ls.features.hints import HintOptions

    return HintOptions(**msgspec.structs.asdict(ls.configuration.settings.hints))
