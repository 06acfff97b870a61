"""The server before the capabilities that Neovim and VS Code declare; a slip against the specification is an error."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from wire_client import COMMAND, uri_of

pytestmark = pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning")

SESSIONS = Path(__file__).parent.parent / "fixtures" / "sessions"
DEMO = next(SESSIONS.glob("rollout-2026-06-12T09-30-00-*.jsonl"))
URI = uri_of(DEMO)
FIRST_TURN = types.Position(1, 40)


@pytest_lsp.fixture(
    params=["neovim", "visual_studio_code"],
    config=ClientServerConfig(server_command=list(COMMAND)),
)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    capabilities = client_capabilities(request.param)
    folders = [types.WorkspaceFolder(uri_of(SESSIONS), "sessions")]
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, root_uri=uri_of(SESSIONS), workspace_folders=folders)
    )
    text = DEMO.read_bytes().decode()
    lsp_client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(URI, "jsonl", 1, text)),
    )
    yield
    await lsp_client.shutdown_session()


def at(line: int, character: int = 3) -> types.Position:
    return types.Position(line, character)


async def symbols_of(client: LanguageClient) -> list[types.DocumentSymbol]:
    found = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(types.TextDocumentIdentifier(URI))
    )
    assert found
    assert all(isinstance(one, types.DocumentSymbol) for one in found)
    return [one for one in found if isinstance(one, types.DocumentSymbol)]


async def test_findings_come_one_way_only(client: LanguageClient) -> None:
    assert client.capabilities.text_document is not None
    if client.capabilities.text_document.diagnostic is not None:
        report = await client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(URI))
        )
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        items = list(report.items)
        assert URI not in client.diagnostics
    else:
        await client.wait_for_notification("textDocument/publishDiagnostics")
        items = list(client.diagnostics[URI])
    assert {"bad-json", "orphan-call", "unknown-type"} <= {item.code for item in items}
    assert {item.source for item in items} == {"rollout"}


async def test_the_outline_is_by_turn(client: LanguageClient) -> None:
    names = [symbol.name for symbol in await symbols_of(client)]
    assert names[0].startswith("Session ")
    assert [name.split(":")[0] for name in names[1:]] == ["Turn 1", "Turn 2", "Turn 3", "Turn 4"]


async def test_selections_lie_within_their_symbols(client: LanguageClient) -> None:
    waiting = list(await symbols_of(client))
    while waiting:
        symbol = waiting.pop()
        waiting += symbol.children or []
        inner, outer = symbol.selection_range, symbol.range
        assert (outer.start.line, outer.start.character) <= (inner.start.line, inner.start.character)
        assert (inner.end.line, inner.end.character) <= (outer.end.line, outer.end.character)


async def test_hovers_are_markdown_with_a_range(client: LanguageClient) -> None:
    hover = await client.text_document_hover_async(types.HoverParams(types.TextDocumentIdentifier(URI), FIRST_TURN))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.kind == types.MarkupKind.Markdown
    assert "turn 1" in hover.contents.value
    assert hover.range is not None
    assert hover.range.start.line == 1


async def test_a_turns_start_and_end_lead_to_each_other(client: LanguageClient) -> None:
    name = types.TextDocumentIdentifier(URI)
    there = await client.text_document_definition_async(types.DefinitionParams(name, FIRST_TURN))
    assert isinstance(there, list)
    (link,) = there
    assert isinstance(link, types.LocationLink)
    assert link.target_uri == URI
    assert link.origin_selection_range is not None
    back = await client.text_document_definition_async(types.DefinitionParams(name, link.target_selection_range.start))
    assert isinstance(back, list)
    assert isinstance(back[0], types.LocationLink)
    assert back[0].target_selection_range.start.line == 1


async def test_references_and_highlights_are_the_same_places(client: LanguageClient) -> None:
    name = types.TextDocumentIdentifier(URI)
    context = types.ReferenceContext(include_declaration=True)
    places = await client.text_document_references_async(types.ReferenceParams(context, name, FIRST_TURN))
    lit = await client.text_document_document_highlight_async(types.DocumentHighlightParams(name, FIRST_TURN))
    assert places
    assert lit
    assert [place.range for place in places] == [one.range for one in lit]
    assert {place.uri for place in places} == {URI}


async def test_folds_are_given(client: LanguageClient) -> None:
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(types.TextDocumentIdentifier(URI)))
    assert folds
    assert all(fold.end_line > fold.start_line for fold in folds)


async def test_edits_move_what_stands_behind_them(client: LanguageClient) -> None:
    before = [symbol.range.start.line for symbol in await symbols_of(client)]
    start = types.Position(1, 0)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, URI),
            [types.TextDocumentContentChangePartial(types.Range(start, start), "\n\n")],
        )
    )
    after = [symbol.range.start.line for symbol in await symbols_of(client)]
    assert after == [line + 2 if line else 0 for line in before]


async def test_what_is_drawn_into_the_text_has_the_protocols_shapes(client: LanguageClient) -> None:
    name = types.TextDocumentIdentifier(URI)
    rows = types.Range(at(0, 0), at(8, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(name, rows))
    assert hints
    known = await client.inlay_hint_resolve_async(hints[-1])
    assert known.position == hints[-1].position
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(name))
    assert lenses
    lens = await client.code_lens_resolve_async(lenses[0])
    assert lens.command is not None
    assert "turn" in lens.command.title
    part = await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(name, rows))
    whole = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(name))
    assert part is not None
    assert whole is not None
    assert list(whole.data)[: len(part.data)] == list(part.data)
    (grown,) = await client.text_document_selection_range_async(types.SelectionRangeParams(name, [FIRST_TURN])) or ()
    assert grown.parent is not None
    links = await client.text_document_document_link_async(types.DocumentLinkParams(name)) or []
    for link in links:
        assert (await client.document_link_resolve_async(link)).range == link.range
