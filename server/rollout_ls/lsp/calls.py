"""Our own requests to the client, and who wants their answers. Belongs to the loop."""

from __future__ import annotations

from collections.abc import Callable

from rollout_ls.lsp.messages import Response
from rollout_ls.lsp.outbox import Outbox, call_message
from rollout_ls.wire.lsp import encode

_PREFIX = "rollout-"


class Calls:
    """Open requests to the client."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._count = 0
        self._open: dict[str, Callable[[Response], None] | None] = {}

    def ask(self, method: str, params: object, then: Callable[[bool], None] | None = None) -> None:
        """Sends a request. ``then`` is called with whether the client did it; what it says is of no interest."""
        self._send(method, params, None if then is None else lambda response: then(not response.error))

    def ask_for(self, method: str, params: object, then: Callable[[bytes | None], None]) -> None:
        """Sends a request. ``then`` is called with the answer's result as JSON; None where the client refused."""
        self._send(method, params, lambda response: then(None if response.error else response.result or b"null"))

    def _send(self, method: str, params: object, then: Callable[[Response], None] | None) -> None:
        self._count += 1
        ident = f"{_PREFIX}{self._count}"
        self._open[ident] = then
        self._outbox.send(call_message(method, None if params is None else encode(params), encode(ident)))

    def tell(self, method: str, params: object, replaces: str | None = None) -> None:
        """Sends a notification (see ``Outbox.send`` for ``replaces``)."""
        self._outbox.send(call_message(method, encode(params)), replaces)

    def answered(self, response: Response) -> bool:
        """Takes the client's answer; False where it is to no request of this kind."""
        if response.id not in self._open:
            return False
        then = self._open.pop(str(response.id))
        if then is not None:
            then(response)
        return True
