"""What the server says it can, for one client.

pygls works it out from the features that are registered; what it cannot know is set here. Written without cattrs, whose
hooks for these types take as long as the rest of the start.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import attrs
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from rollout_ls import __version__
from rollout_ls.features.legend import MARKS, SORTS
from rollout_ls.lsp.client import Client
from rollout_ls.lsp.methods import DIAGNOSTIC, TOKENS, TOKENS_OF_RANGE
from rollout_ls.lsp.virtual import SCHEME
from rollout_ls.wire.lsp import SOURCE

if TYPE_CHECKING:
    from pygls.feature_manager import FeatureManager

SERVER_NAME = "rollout-ls"


def initialize_result(features: FeatureManager, client: Client) -> dict[str, Any]:
    """The answer to ``initialize``."""
    names = {*features.features, *features.builtin_features}
    if not client.pulls:
        names.discard(DIAGNOSTIC)
    builder: Any = ServerCapabilitiesBuilder(
        types.ClientCapabilities(),
        names,
        features.feature_options,
        list(features.commands),
        types.TextDocumentSyncKind.Incremental,
        None,
        client.unit,
    )
    built = builder.build()
    built.text_document_sync = types.TextDocumentSyncOptions(
        open_close=True, change=types.TextDocumentSyncKind.Incremental, save=types.SaveOptions(include_text=False)
    )
    built.workspace = types.WorkspaceOptions(
        workspace_folders=types.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True)
    )
    if client.contents:
        built.workspace.text_document_content = types.TextDocumentContentOptions(schemes=[SCHEME])
    if client.pulls:
        built.diagnostic_provider = types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=False, identifier=SOURCE
        )
    built.semantic_tokens_provider = types.SemanticTokensOptions(
        legend=types.SemanticTokensLegend(token_types=list(SORTS), token_modifiers=list(MARKS)),
        full=TOKENS in names,
        range=TOKENS_OF_RANGE in names,
    )
    if not features.commands:
        built.execute_command_provider = None
    return {"capabilities": plain(built), "serverInfo": {"name": SERVER_NAME, "version": __version__}}


def plain(value: Any) -> Any:
    """A value of lsprotocol as JSON has it: keys in camel case, absent ones left out."""
    if isinstance(value, enum.Enum):
        return value.value
    if attrs.has(type(value)):
        fields = ((field.name, getattr(value, field.name)) for field in attrs.fields(type(value)))
        return {_camel(name): plain(one) for name, one in fields if one is not None}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


def _camel(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(other.capitalize() for other in others)
