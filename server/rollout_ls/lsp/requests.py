"""The requests that still want an answer. Each gets exactly one: whoever comes first gives it, later ones are dropped.

A cancel is answered here, in the thread that read it, whether its request waits in the queue, runs or waits for
something; so a busy loop delays no cancel. Never knows what a request asks for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rollout_ls.lsp.errors import INTERNAL_ERROR, INVALID_REQUEST, REQUEST_CANCELLED
from rollout_ls.lsp.messages import Id, Request
from rollout_ls.lsp.outbox import Outbox, error_message, result_message
from rollout_ls.wire.lsp import encode


class Ticket:
    """One request's right to an answer."""

    __slots__ = ("answered", "began", "echo", "id", "method", "size")

    def __init__(self, request: Request) -> None:
        self.id = request.id
        self.echo = request.echo
        self.method = request.method
        self.size = len(request.params)
        self.answered = False
        self.began = time.monotonic()
        """Seconds of the monotonic clock at which it was read."""


class Requests:
    """The open requests by id. Safe to use from any thread.

    ``on_answered`` is called, from whichever thread answers, with the ticket, the error's code (None: it went well) and
    the bytes of the answer.
    """

    def __init__(self, outbox: Outbox, on_answered: Callable[[Ticket, int | None, int], None]) -> None:
        self._outbox = outbox
        self._on_answered = on_answered
        self._lock = threading.Lock()
        self._open: dict[Id, Ticket] = {}

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, request: Request) -> Ticket | None:
        """Opens a request; None, and it is refused, while another one of its id is open."""
        ticket = Ticket(request)
        with self._lock:
            if request.id not in self._open:
                self._open[request.id] = ticket
                return ticket
        self._outbox.answer(request.echo, error_message(request.echo, INVALID_REQUEST, "this id is in use"))
        return None

    def cancel(self, ident: Id) -> Ticket | None:
        """Answers a request that its client no longer wants; None where it was answered already."""
        ticket = self._open.get(ident)
        if ticket is not None:
            self.fail(ticket, REQUEST_CANCELLED, "cancelled")
        return ticket

    def answer(self, ticket: Ticket, result: object) -> None:
        """Answers with a result: JSON as bytes, or what ``wire.lsp.encode`` writes."""
        if ticket.answered:
            return
        try:
            body = result if isinstance(result, bytes) else encode(result)
        except (TypeError, ValueError):
            self.fail(ticket, INTERNAL_ERROR, "the answer could not be written")
            return
        self._close(ticket, result_message(ticket.echo, body), None)

    def fail(self, ticket: Ticket, code: int, message: str, data: object = None) -> None:
        """Answers with an error."""
        self._close(ticket, error_message(ticket.echo, code, message, data), code)

    def fail_all(self, code: int, message: str) -> None:
        """Answers all that is open."""
        for ticket in self.open_now():
            self.fail(ticket, code, message)

    def open_now(self) -> list[Ticket]:
        """All open requests, as they were read."""
        with self._lock:
            return list(self._open.values())

    def _close(self, ticket: Ticket, body: bytes, code: int | None) -> None:
        with self._lock:
            if ticket.answered:
                return
            ticket.answered = True
            self._open.pop(ticket.id, None)
        self._outbox.answer(ticket.echo, body)
        self._on_answered(ticket, code, len(body))
