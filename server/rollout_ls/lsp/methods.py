"""The methods that are answered here, in one table: what their parameters are, and what an answer needs.

Each is registered with pygls as a feature too, so that its capabilities are worked out from what there is; but their
parameters and answers never pass through cattrs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from rollout_ls.lsp import params as shapes
from rollout_ls.lsp.handlers import (
    diagnostics,
    folding,
    hints,
    hover,
    lenses,
    links,
    navigation,
    outline,
    reading,
    selection,
    status,
    story,
    sync,
    tokens,
    window,
)
from rollout_ls.wire import sight

DIAGNOSTIC = "textDocument/diagnostic"
CONTENT = "workspace/textDocumentContent"
TOKENS = "textDocument/semanticTokens/full"
TOKENS_OF_RANGE = "textDocument/semanticTokens/range"


class Method(msgspec.Struct, frozen=True):
    """One method. ``shape`` None: its parameters are not looked at.

    ``reads_session``: the answer waits until the eager pass over the document is done. ``at_position``: it is of no use
    any more when the text was edited meanwhile. ``heavy``: for a large document it is worked out in a worker thread;
    ``by_row``: and for many rows too.
    """

    name: str
    handler: Callable[..., Any]
    shape: Any = None
    reads_session: bool = False
    at_position: bool = False
    heavy: bool = False
    by_row: bool = False


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("textDocument/hover", hover.hover, shapes.AtPosition, True, True),
        Method("textDocument/definition", navigation.definition, shapes.AtPosition, True, True),
        Method("textDocument/references", navigation.references, shapes.AtPosition, True, True),
        Method("textDocument/documentHighlight", navigation.document_highlight, shapes.AtPosition, True, True),
        Method("textDocument/documentSymbol", outline.document_symbol, shapes.OfDocument, True, heavy=True),
        Method("textDocument/foldingRange", folding.folding_range, shapes.OfDocument, True, heavy=True),
        Method("textDocument/inlayHint", hints.inlay_hint_of_range, shapes.InRange, True, True, True, True),
        Method("inlayHint/resolve", hints.resolve, sight.InlayHint, True, heavy=True),
        Method("textDocument/codeLens", lenses.code_lens, shapes.OfDocument, True, heavy=True),
        Method("codeLens/resolve", lenses.resolve, sight.CodeLens, True, heavy=True),
        Method(TOKENS_OF_RANGE, tokens.semantic_tokens_range, shapes.InRange, True, True, True, True),
        Method(TOKENS, tokens.semantic_tokens_full, shapes.OfDocument, True, False, True, True),
        Method("textDocument/selectionRange", selection.selection_ranges, shapes.AtPositions, True, True, True),
        Method("textDocument/documentLink", links.document_link, shapes.OfDocument, True, heavy=True),
        Method("documentLink/resolve", links.resolve, sight.DocumentLink),
        Method(DIAGNOSTIC, diagnostics.diagnostic, shapes.PullDiagnostics, True),
        Method("textDocument/didSave", sync.did_save, shapes.OfDocument),
        Method("workspace/didChangeConfiguration", window.did_change_configuration, shapes.Changed),
        Method("workspace/didChangeWatchedFiles", window.did_change_watched_files),
        Method(CONTENT, reading.content, shapes.AskPage, True, False, True, True),
        Method("rollout/readable", reading.content, shapes.AskPage, True, False, True, True),
        Method("rollout/readableUri", reading.readable_uri, shapes.AskAddress, True, True),
        Method("rollout/readableRow", reading.readable_row, shapes.AskRow),
        Method("rollout/turns", story.turns, shapes.OfDocument, True, heavy=True),
        Method("rollout/step", story.step, shapes.AskStep, True, True, heavy=True),
        Method("rollout/documentStatus", story.document_status, shapes.OfDocument),
        Method("rollout/checkFile", story.check_file, shapes.OfDocument),
        Method("rollout/forgetFile", story.forget_file, shapes.OfDocument),
        Method("rollout/status", status.status, shapes.AskStatus | None),
    )
}
"""What pygls has no handler of its own for; its own ones are overridden in ``lsp.protocol``."""

COMMANDS: dict[str, Callable[..., Any]] = {"rollout.status": status.run}
"""The commands that the server runs itself."""

_VALUE = re.compile(r"enum value .*?(?= - at `[^`]*`\Z|\Z)", re.DOTALL)
_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}


def decode_params(shape: Any, params: bytes) -> Any:
    """Decodes parameters. Raises msgspec's errors (see ``without_values``)."""
    decoder = _DECODERS.get(shape)
    if decoder is None:
        decoder = _DECODERS[shape] = msgspec.json.Decoder(shape)
    return decoder.decode(params or b"null")


def without_values(error: Exception) -> str:
    """The words of one of msgspec's errors, which name places and types, without the one value that some repeat."""
    return _VALUE.sub("enum value", str(error))
