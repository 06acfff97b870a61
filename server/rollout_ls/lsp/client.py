"""What the client at the other end can take, read from its ``initialize``.

Never refuses what it does not know: a word, a key or a type of a newer client counts as absent. Nothing here is sent.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from rollout_ls.lsp.errors import INVALID_PARAMS, RequestError
from rollout_ls.text.columns import Unit
from rollout_ls.wire.lsp import FIRST_SYMBOL_NUMBERS

_PREFERRED_UNITS: tuple[Unit, ...] = ("utf-8", "utf-16", "utf-32")


class Client(msgspec.Struct, frozen=True):
    """One client. The defaults are a client that said nothing (LSP 3.17, "Client Capabilities")."""

    unit: Unit = "utf-16"
    """The unit of columns, as chosen for it."""
    pulls: bool = False
    """Whether it asks for diagnostics; else they are pushed."""
    refreshes: bool = False
    """Whether it can be told to ask again."""
    markdown: bool = False
    links: bool = False
    """Whether a definition may be a LocationLink."""
    symbol_tree: bool = False
    symbol_kinds: frozenset[int] = FIRST_SYMBOL_NUMBERS
    symbol_tags: bool = False
    related: bool = False
    code_pages: bool = False
    progress: bool = False
    fold_limit: int | None = None
    fold_texts: bool = False
    """Whether it shows a text in place of what is folded."""
    token_ranges: bool = False
    """Whether it asks for the semantic tokens of some rows."""
    hint_locations: bool = False
    """Whether it asks later where the parts of an inlay hint lead."""
    contents: bool = False
    """Whether it asks for the text of documents that the server makes."""
    has_configuration: bool = False
    """Whether it can be asked for settings."""
    refreshable: frozenset[str] = frozenset()
    """The methods that it takes to ask again for what it shows, such as ``workspace/codeLens/refresh``."""
    options: Any = None
    """The settings given with ``initialize``, as JSON has them."""
    trace: str = "off"
    """The trace that it wants from the start."""
    process_id: int | None = None
    folders: tuple[str, ...] = ()
    """URIs of the open workspace folders."""


def read_client(params: bytes) -> Client:
    """Reads the parameters of ``initialize`` (JSON). Raises RequestError where they are no object."""
    given = _decode(params)
    if not isinstance(given, dict):
        raise RequestError(INVALID_PARAMS, "the parameters of initialize are an object")
    can = Reader(given.get("capabilities"))
    symbols = can.at("textDocument", "documentSymbol")
    kinds = symbols.at("symbolKind").strings_or_numbers("valueSet")
    findings = (can.at("textDocument", "publishDiagnostics"), can.at("textDocument", "diagnostic"))
    return Client(
        unit=_unit(can.at("general").strings_or_numbers("positionEncodings")),
        pulls=can.at("textDocument").has("diagnostic"),
        refreshes=can.at("workspace", "diagnostics").yes("refreshSupport"),
        markdown="markdown" in can.at("textDocument", "hover").strings_or_numbers("contentFormat"),
        links=can.at("textDocument", "definition").yes("linkSupport"),
        symbol_tree=symbols.yes("hierarchicalDocumentSymbolSupport"),
        symbol_kinds=frozenset(kind for kind in kinds if isinstance(kind, int)) or FIRST_SYMBOL_NUMBERS,
        symbol_tags=1 in symbols.at("tagSupport").strings_or_numbers("valueSet"),
        related=any(one.yes("relatedInformation") for one in findings),
        code_pages=any(one.yes("codeDescriptionSupport") for one in findings),
        progress=can.at("window").yes("workDoneProgress"),
        fold_limit=can.at("textDocument", "foldingRange").count("rangeLimit"),
        fold_texts=can.at("textDocument", "foldingRange", "foldingRange").yes("collapsedText"),
        token_ranges=_asks_for_token_ranges(can.at("textDocument", "semanticTokens", "requests")),
        hint_locations="label.location"
        in can.at("textDocument", "inlayHint", "resolveSupport").strings_or_numbers("properties"),
        contents=can.at("workspace").has("textDocumentContent"),
        has_configuration=can.at("workspace").yes("configuration"),
        refreshable=frozenset(
            f"workspace/{name}/refresh"
            for name in ("inlayHint", "codeLens", "semanticTokens", "foldingRange")
            if can.at("workspace", name).yes("refreshSupport")
        ),
        trace=Reader(given).text("trace") or "off",
        options=given.get("initializationOptions"),
        process_id=Reader(given).count("processId"),
        folders=_folders(given),
    )


class Reader:
    """Looks into JSON of which nothing is certain."""

    def __init__(self, value: Any) -> None:
        self._value: dict[str, Any] = value if isinstance(value, dict) else {}

    def at(self, *keys: str) -> Reader:
        """The object below some keys; an empty one where there is none."""
        value: Any = self._value
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return Reader(value)

    def has(self, key: str) -> bool:
        """Whether an object stands under the key."""
        return isinstance(self._value.get(key), dict)

    def yes(self, key: str) -> bool:
        """Whether it says true."""
        return self._value.get(key) is True

    def text(self, key: str) -> str | None:
        """The string under a key."""
        value = self._value.get(key)
        return value if isinstance(value, str) else None

    def count(self, key: str) -> int | None:
        """The number under a key, if it is whole and not negative."""
        value = self._value.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

    def strings_or_numbers(self, key: str) -> list[str | int]:
        """The strings and whole numbers of the list under a key."""
        value = self._value.get(key)
        return [one for one in value if isinstance(one, (str, int))] if isinstance(value, list) else []


def _decode(params: bytes) -> Any:
    try:
        return msgspec.json.decode(params)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return json.loads(params.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _asks_for_token_ranges(requests: Reader) -> bool:
    return requests.yes("range") or requests.has("range")


def _unit(offered: list[str | int]) -> Unit:
    return next((unit for unit in _PREFERRED_UNITS if unit in offered), "utf-16")


def _folders(given: dict[str, Any]) -> tuple[str, ...]:
    listed = given.get("workspaceFolders")
    if isinstance(listed, list) and listed:
        found = tuple(uri for one in listed if (uri := Reader(one).text("uri")))
        if found:
            return found
    root = Reader(given).text("rootUri")
    if root:
        return (root,)
    path = Reader(given).text("rootPath")
    if path:
        from rollout_ls.lsp.uris import uri_of

        return (uri_of(path),)
    return ()
