"""The methods that are answered here, in one table: what their parameters are, and what an answer needs.

Each is registered with pygls as a feature too, so that its capabilities are worked out from what there is; but their
parameters and answers never pass through cattrs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from rollout_ls.lsp import params as shapes
from rollout_ls.lsp.handlers import diagnostics, folding, hover, navigation, outline, window

DIAGNOSTIC = "textDocument/diagnostic"


class Method(msgspec.Struct, frozen=True):
    """One method. ``shape`` None: its parameters are not looked at.

    ``reads_session``: the answer waits until the eager pass over the document is done. ``at_position``: it is of no use
    any more when the text was edited meanwhile. ``heavy``: for a large document it is worked out in a worker thread.
    """

    name: str
    handler: Callable[..., Any]
    shape: type | None = None
    reads_session: bool = False
    at_position: bool = False
    heavy: bool = False


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("textDocument/hover", hover.hover, shapes.AtPosition, True, True),
        Method("textDocument/definition", navigation.definition, shapes.AtPosition, True, True),
        Method("textDocument/references", navigation.references, shapes.AtPosition, True, True),
        Method("textDocument/documentHighlight", navigation.document_highlight, shapes.AtPosition, True, True),
        Method("textDocument/documentSymbol", outline.document_symbol, shapes.OfDocument, True, heavy=True),
        Method("textDocument/foldingRange", folding.folding_range, shapes.OfDocument, True, heavy=True),
        Method(DIAGNOSTIC, diagnostics.diagnostic, shapes.PullDiagnostics, True),
        Method("workspace/didChangeWatchedFiles", window.did_change_watched_files),
    )
}
"""What pygls has no handler of its own for; its own ones are overridden in ``lsp.protocol``."""

_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {}


def decode_params(shape: type, params: bytes) -> Any:
    """Decodes parameters. Raises msgspec's errors, which name places and types but no values."""
    decoder = _DECODERS.get(shape)
    if decoder is None:
        decoder = _DECODERS[shape] = msgspec.json.Decoder(shape)
    return decoder.decode(params or b"null")
