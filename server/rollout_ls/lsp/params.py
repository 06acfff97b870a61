"""The parameters of the methods that are asked often, as they come in.

Decoded by msgspec, which names the place of a fault by its path and never quotes a value. Further keys are ignored.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rollout_ls.lsp.messages import Texts
from rollout_ls.lsp.texts import decode_string
from rollout_ls.lsp.virtual import read_address


class Position(msgspec.Struct, frozen=True, gc=False):
    """Row from 0, column in the client's unit; a negative number is no position."""

    line: int
    character: int

    def __post_init__(self) -> None:
        if self.line < 0 or self.character < 0:
            raise ValueError("a position is not negative")


class Range(msgspec.Struct, frozen=True, gc=False):
    """Two positions, in any order."""

    start: Position
    end: Position


class TextDocument(msgspec.Struct, frozen=True, gc=False):
    """Names a document."""

    uri: str


class OpenedText(msgspec.Struct, frozen=True):
    """A document with its text (JSON: a string, or where it was taken to)."""

    uri: str
    text: msgspec.Raw
    version: int | None = None


class VersionedText(msgspec.Struct, frozen=True, gc=False):
    """Names a document in a version."""

    uri: str
    version: int | None = None


class TextChange(msgspec.Struct, frozen=True):
    """One edit; without a range the whole text."""

    text: msgspec.Raw
    range: Range | None = None


class DidOpen(msgspec.Struct, frozen=True, rename="camel"):
    """textDocument/didOpen"""

    text_document: OpenedText


class DidChange(msgspec.Struct, frozen=True, rename="camel"):
    """textDocument/didChange"""

    text_document: VersionedText
    content_changes: list[TextChange]


class OfDocument(msgspec.Struct, frozen=True, rename="camel"):
    """What is asked of a whole document: didClose, documentSymbol, foldingRange."""

    text_document: TextDocument


class AtPosition(msgspec.Struct, frozen=True, rename="camel"):
    """What is asked of a place: hover, definition, references, documentHighlight."""

    text_document: TextDocument
    position: Position


class InRange(msgspec.Struct, frozen=True, rename="camel"):
    """What is asked of some rows: inlayHint, semanticTokens/range."""

    text_document: TextDocument
    range: Range


class AtPositions(msgspec.Struct, frozen=True, rename="camel"):
    """What is asked of several places: selectionRange."""

    text_document: TextDocument
    positions: list[Position]


class AskPage(msgspec.Struct, frozen=True):
    """workspace/textDocumentContent, rollout/readable: the address of a readable document."""

    uri: str

    @property
    def text_document(self) -> TextDocument:
        """The rollout that it is made of."""
        found = read_address(self.uri)
        return TextDocument(found.source if found is not None and found.what != "text" else "")


class AskAddress(msgspec.Struct, frozen=True, rename="camel"):
    """rollout/readableUri: what is to be read, of a document and a position in it."""

    text_document: TextDocument
    what: Literal["session", "turn", "record"]
    position: Position | None = None


class AskRow(msgspec.Struct, frozen=True):
    """rollout/readableRow: the address of a readable document, and a row of its rollout."""

    uri: str
    line: int


class AskStep(AtPosition, frozen=True, rename="camel"):
    """rollout/step"""

    to: Literal["next turn", "previous turn", "next failed call", "partner"]


class PullDiagnostics(msgspec.Struct, frozen=True, rename="camel"):
    """textDocument/diagnostic"""

    text_document: TextDocument
    previous_result_id: str | None = None


class Changed(msgspec.Struct, frozen=True):
    """workspace/didChangeConfiguration. Clients that can be asked for settings send anything, or nothing."""

    settings: Any = None


class AskStatus(msgspec.Struct, frozen=True):
    """rollout/status. ``checksums``: with the CRC-32 of each text's UTF-8, by which a client sees that texts agree."""

    checksums: bool = False


class CancelProgress(msgspec.Struct, frozen=True):
    """window/workDoneProgress/cancel"""

    token: int | str


class Folder(msgspec.Struct, frozen=True):
    """A workspace folder."""

    uri: str


class FolderChanges(msgspec.Struct, frozen=True):
    """Which folders came and went."""

    added: list[Folder] = []
    removed: list[Folder] = []


class DidChangeFolders(msgspec.Struct, frozen=True):
    """workspace/didChangeWorkspaceFolders"""

    event: FolderChanges


def uri_of(params: Any) -> str:
    """The URI of the document that parameters are about; of what is to be resolved its ``data`` names it."""
    named = getattr(params, "text_document", None) or getattr(params, "data", None)
    return named.uri if named is not None else ""


class _Taken(msgspec.Struct):
    taken: int


_taken = msgspec.json.Decoder(_Taken).decode


def text_pieces(raw: msgspec.Raw, texts: Texts) -> list[bytes]:
    """The UTF-8 of a text, in pieces. Raises ValueError where the value is no string."""
    value = bytes(raw).strip()
    if value.startswith(b'"'):
        return [decode_string(value[1:-1])]
    if texts and value.startswith(b"{"):
        try:
            return texts[_taken(value).taken]
        except (msgspec.DecodeError, IndexError) as error:
            raise ValueError("a text is a string") from error
    raise ValueError("a text is a string")
