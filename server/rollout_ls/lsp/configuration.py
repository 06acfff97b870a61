"""The settings of one client: given with ``initialize``, asked for afterwards, asked for again when they change.

A client that cannot be asked may push them. Nothing is registered: a client says by itself that settings changed. What
is wrong with them is said to the person once, not again until it is something else. Never shows a value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from rollout_ls.lsp.calls import Calls
from rollout_ls.lsp.client import Client
from rollout_ls.lsp.logs import logger

if TYPE_CHECKING:
    from rollout_ls.workspace.settings import Settings

_SECTION = "rollout"
_WARNING = 2


class Configuration:
    """What is set. Belongs to the loop. ``on_change`` is called with the new settings when they are others."""

    def __init__(self, calls: Calls, client: Client, on_change: Callable[[Settings], None]) -> None:
        self._calls = calls
        self._client = client
        self._on_change = on_change
        self._given: Any = client.options
        self._told: Any = None
        self._asked = 0
        self._said = ""
        self._settings: Settings | None = None

    @property
    def settings(self) -> Settings:
        """What holds now."""
        if self._settings is None:
            from rollout_ls.workspace.settings import DEFAULTS  # the table is not needed to start

            self._settings = DEFAULTS
        return self._settings

    def begin(self) -> None:
        """The client is ready to be asked."""
        self._read()
        self._ask()

    def changed(self, pushed: Any) -> None:
        """The client says that settings changed; ``pushed`` are those of all sections, from clients that send them."""
        if self._client.has_configuration:
            self._ask()
        else:
            self._told = pushed.get(_SECTION) if isinstance(pushed, dict) else None
            self._read()

    def _ask(self) -> None:
        if not self._client.has_configuration:
            return
        self._asked += 1
        number = self._asked
        params = {"items": [{"section": _SECTION}]}
        self._calls.ask_for("workspace/configuration", params, lambda result: self._answered(number, result))

    def _answered(self, number: int, result: bytes | None) -> None:
        if number != self._asked or result is None:
            return  # an answer to an older question, or none
        try:
            found = msgspec.json.decode(result)
        except (msgspec.DecodeError, RecursionError):
            found = None
        self._told = found[0] if isinstance(found, list) and found else None
        self._read()

    def _read(self) -> None:
        from rollout_ls.workspace.settings import problem_message, read_settings

        read = read_settings(self._given, self._told)
        message = problem_message(read.problems)
        if message and message != self._said:
            logger.warning("some settings cannot be used: %d", len(read.problems))
            self._calls.tell("window/showMessage", {"type": _WARNING, "message": message})
        self._said = message
        if read.settings != self.settings:
            self._settings = read.settings
            self._on_change(read.settings)
