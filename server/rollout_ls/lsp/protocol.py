"""Every message passes here: what may be asked when, who answers, what an answer waits for.

A subclass of pygls' protocol. pygls keeps the registries of features and works out the capabilities from them; its
document store, its decoding and encoding of messages, its cancelling and its lifecycle are replaced (see
``PYGLS_NAMES``), and its handlers of documents and notebooks overridden. Runs on the loop only. Never shows a parameter
in an error or in the log.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from rollout_ls.lsp import errors
from rollout_ls.lsp.capabilities import initialize_result
from rollout_ls.lsp.client import Reader, read_client
from rollout_ls.lsp.documents import Opened
from rollout_ls.lsp.errors import RequestError
from rollout_ls.lsp.handlers import sync, window
from rollout_ls.lsp.logs import log_exception, logger
from rollout_ls.lsp.messages import Notification, Request, Response
from rollout_ls.lsp.methods import METHODS, Method, decode_params, without_values
from rollout_ls.lsp.params import CancelProgress, DidChangeFolders, OfDocument, uri_of
from rollout_ls.lsp.requests import Ticket
from rollout_ls.wire.lsp import encode

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer

PYGLS_NAMES = (
    "_converter",
    "_get_handler",
    "_handle_response",
    "_register_builtin_features",
    "_result_types",
    "_send_data",
    "_server",
    "fm",
    "get_message_type",
    "lsp_exit",
    "lsp_initialize",
    "lsp_initialized",
    "lsp_notebook_document__did_change",
    "lsp_notebook_document__did_close",
    "lsp_notebook_document__did_open",
    "lsp_set_trace",
    "lsp_shutdown",
    "lsp_text_document__did_change",
    "lsp_text_document__did_close",
    "lsp_text_document__did_open",
    "lsp_work_done_progress_cancel",
    "lsp_workspace__did_change_workspace_folders",
    "lsp_workspace__execute_command",
    "structure_message",
)
"""The names of pygls' protocol, private ones too, that are overridden or relied upon here."""

_OWN_SHAPES: dict[str, type] = {
    types.TEXT_DOCUMENT_DID_CLOSE: OfDocument,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: DidChangeFolders,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: CancelProgress,
}
_AS_THEY_ARE = frozenset({types.INITIALIZE, types.INITIALIZED, types.SHUTDOWN, types.EXIT, types.SET_TRACE})


WIDE_ROWS = 400
"""About 15 ms of hints."""


class LazyConverter:
    """The converter of lsprotocol's types, made when one is first needed: it takes a tenth of the start."""

    def __init__(self) -> None:
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = default_converter()  # type: ignore[no-untyped-call]
        return getattr(self._made, name)


class _Question(NamedTuple):
    """A request about a document, and the state of the text that it was asked of."""

    method: Method
    params: Any
    ticket: Ticket
    opened: Opened
    edits: int


class RolloutProtocol(LanguageServerProtocol):
    """The protocol of one client."""

    _server: RolloutServer

    def __init__(self, server: RolloutServer, converter: Any) -> None:
        super().__init__(server, converter)
        self._initialized = False
        self._tasks: dict[Ticket, asyncio.Future[Any]] = {}

    # -- what comes in
    def request(self, request: Request, ticket: Ticket) -> None:
        """Answers a request, now or later, unless it was cancelled while it waited."""
        if ticket.answered:
            return
        try:
            self._refuse_out_of_order(request.method)
            self._start(request, ticket)
        except Exception as error:
            self._fail(ticket, error)

    def notification(self, notification: Notification, prepared: object = None) -> None:
        """Takes a notification. ``prepared`` is what the reading thread made of a text."""
        method = notification.method
        if method == types.EXIT:
            self._server.leave()
        if self._shutdown or not self._initialized:
            return
        handler = self.fm.builtin_features.get(method) or self.fm.features.get(method)
        if handler is None or _is_request(method):
            logger.debug("a notification of an unknown method was ignored")
            return
        began = time.monotonic()
        try:
            self._background(handler(self._params(method, notification.params, prepared)))
        except msgspec.MsgspecError:
            logger.warning("a %s with bad parameters was ignored", method)
        except Exception as error:
            log_exception(method, error)
        self._server.trace.taken(method, time.monotonic() - began, notification.size or len(notification.params))

    def response(self, response: Response) -> None:
        """Takes the client's answer to a request of ours."""
        if self._server.calls.answered(response):
            return
        message = {"jsonrpc": self.VERSION, "id": response.id}
        try:
            if response.error:
                self.structure_message({**message, "error": msgspec.json.decode(response.error)})
                self._handle_response(response.id, None, types.ResponseError(errors.REQUEST_FAILED, "refused"))
            else:
                known = self.structure_message({**message, "result": msgspec.json.decode(response.result or b"null")})
                self._handle_response(response.id, known.result)
        except Exception as error:
            log_exception("an answer of the client's", error)

    def cancelled(self, ticket: Ticket) -> None:
        """Stops what still works on an answer that nobody waits for."""
        task = self._tasks.pop(ticket, None)
        if task is not None:
            task.cancel()

    # -- answering
    def _refuse_out_of_order(self, method: str) -> None:
        if self._shutdown:
            raise RequestError(errors.INVALID_REQUEST, "the server was shut down")
        if method == types.INITIALIZE:
            if self._initialized:
                raise RequestError(errors.INVALID_REQUEST, "the server is initialized already")
        elif not self._initialized:
            raise RequestError(errors.NOT_INITIALIZED, "the server is not initialized yet")

    def _start(self, request: Request, ticket: Ticket) -> None:
        method = METHODS.get(request.method)
        if method is None or method.shape is None or _is_notification(request.method):
            handler = self.fm.builtin_features.get(request.method) or self.fm.features.get(request.method)
            if handler is None or _is_notification(request.method):
                raise RequestError(errors.METHOD_NOT_FOUND, "no such method")
            self._finish(ticket, handler(self._params(request.method, request.params)))
            return
        params = decode_params(method.shape, request.params)
        if method.reads_session:
            self._when_read(method, params, ticket)
        else:
            self._finish(ticket, self.fm.features[method.name](params))

    def _when_read(self, method: Method, params: Any, ticket: Ticket) -> None:
        """Answers as soon as the eager pass over the document is done; now where a moment is enough for it."""
        opened = self._server.documents.find(uri_of(params))
        if opened is None:
            self._finish(ticket, self.fm.features[method.name](params))
            return
        if opened.busy:
            opened.held.append(partial(self._ask_again, method, params, ticket))
        else:
            self._answer_or_wait(_Question(method, params, ticket, opened, opened.edits))

    def _ask_again(self, method: Method, params: Any, ticket: Ticket) -> None:
        """What was held back has its turn; the document may be another one now."""
        if ticket.answered:
            return
        try:
            self._when_read(method, params, ticket)
        except Exception as error:
            self._fail(ticket, error)

    def _answer_or_wait(self, question: _Question) -> None:
        """Answers now where a moment is enough to bring the document up to date, else when its pass is done."""
        opened = question.opened
        opened.stopped = False
        if self._server.passes.advance(opened):
            self._answer(question)
            return
        opened.waiters.append(partial(self._resume, question))
        self._server.passes.schedule(opened)

    def _resume(self, question: _Question) -> None:
        self._server.loop.call_soon(question.opened.in_turn, partial(self._answer_late, question))

    def _answer_late(self, question: _Question) -> None:
        if question.ticket.answered:
            return
        if question.opened.settled:
            self._answer(question)
        else:  # edited again meanwhile
            question.opened.waiters.append(partial(self._resume, question))

    def _answer(self, question: _Question) -> None:
        try:
            self._answer_of(question)
        except Exception as error:
            self._fail(question.ticket, error)

    def _answer_of(self, question: _Question) -> None:
        method, opened = question.method, question.opened
        if opened.closed:
            raise RequestError(errors.CONTENT_MODIFIED, "the document was closed")
        if opened.lost:
            raise RequestError(errors.CONTENT_MODIFIED, "the document is out of step until its whole text comes")
        if method.at_position and opened.edits != question.edits:
            raise RequestError(errors.CONTENT_MODIFIED, "the document was edited")
        if opened.stopped:
            raise RequestError(errors.SERVER_CANCELLED, "reading was stopped", {"retriggerRequest": False})
        if opened.failure is not None:
            raise RequestError(errors.INTERNAL_ERROR, f"internal error {opened.failure}, see the log")
        if method.heavy and (opened.large or (method.by_row and _is_wide(question))):
            self._answer_aside(question)
        else:
            self._finish(question.ticket, self.fm.features[method.name](question.params))

    def _answer_aside(self, question: _Question) -> None:
        """Works an answer out in a worker thread. Until it is there, the document is left as it is."""
        question.opened.busy = True
        work = partial(_encoded, self.fm.features[question.method.name], question.params)
        future = self._server.loop.run_in_executor(self._server.worker, work)
        future.add_done_callback(partial(self._aside_done, question))

    def _aside_done(self, question: _Question, future: asyncio.Future[bytes]) -> None:
        self._task_done(question.ticket, future)
        question.opened.free()
        self._server.freed(question.opened)

    def _finish(self, ticket: Ticket, result: object) -> None:
        if not inspect.isawaitable(result):
            self._server.requests.answer(ticket, self._written(result))
            return
        task = self._tasks[ticket] = asyncio.ensure_future(result, loop=self._server.loop)
        task.add_done_callback(partial(self._task_done, ticket))

    def _task_done(self, ticket: Ticket, task: asyncio.Future[Any]) -> None:
        self._tasks.pop(ticket, None)
        if task.cancelled():
            self._server.requests.fail(ticket, errors.REQUEST_CANCELLED, "cancelled")
            return
        try:
            self._server.requests.answer(ticket, self._written(task.result()))
        except Exception as error:
            self._fail(ticket, error)

    def _fail(self, ticket: Ticket, error: Exception) -> None:
        """Answers with what went wrong, as far as the client may know."""
        requests = self._server.requests
        if isinstance(error, RequestError):
            requests.fail(ticket, error.code, error.message, error.data)
        elif isinstance(error, msgspec.MsgspecError):
            requests.fail(ticket, errors.INVALID_PARAMS, f"bad parameters: {without_values(error)}")
        elif isinstance(error, JsonRpcException):
            requests.fail(ticket, error.code or errors.INTERNAL_ERROR, type(error).__name__)
        else:
            ident = log_exception(ticket.method, error)
            requests.fail(ticket, errors.INTERNAL_ERROR, f"internal error {ident}, see the log")

    def _in_turn(self, uri: str, change: Callable[[], None]) -> None:
        """Changes an open document, after all that was asked of it before."""
        opened = self._server.documents.find(uri)
        if opened is not None and opened.busy:
            opened.held.append(partial(self._in_turn, uri, change))
            return
        try:
            change()
        except Exception as error:
            log_exception("a change of a document", error)

    def _background(self, work: object) -> None:
        """Lets a notification's handler that takes its time go on."""
        if isinstance(work, Awaitable):
            task = asyncio.ensure_future(work, loop=self._server.loop)
            task.add_done_callback(lambda done: done.cancelled() or done.exception())

    # -- parameters and results of what is not in the table
    def _params(self, method: str, params: bytes, prepared: object = None) -> Any:
        if prepared is not None or method in _AS_THEY_ARE:
            return prepared if prepared is not None else params
        if (shape := _OWN_SHAPES.get(method)) is not None:
            return decode_params(shape, params)
        known = METHODS.get(method)
        if known is not None:
            return decode_params(known.shape, params) if known.shape is not None else None
        given = msgspec.json.decode(params) if params else None
        foreign = types.METHOD_TO_TYPES[method][2] if method in types.METHOD_TO_TYPES else None
        if foreign is None:
            return given
        try:
            return self._converter.structure(given, foreign)  # type: ignore[arg-type]
        except Exception as error:
            raise RequestError(errors.INVALID_PARAMS, "bad parameters") from error

    def _written(self, result: object) -> object:
        """A result that msgspec can write: lsprotocol's values go through their converter."""
        if _is_lsprotocol(result) or (isinstance(result, (list, tuple)) and any(map(_is_lsprotocol, result))):
            return self._converter.unstructure(result)
        return result

    def _send_data(self, data: Any) -> None:
        """What pygls itself sends: requests and notifications made with its own methods."""
        if data:
            body = self._converter.unstructure(data)
            self._server.outbox.send(msgspec.json.encode(body))

    # -- pygls' own handlers, overridden
    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: bytes) -> dict[str, Any]:  # type: ignore[override]
        """Reads what the client can, and says what the server can."""
        client = read_client(params)
        result = initialize_result(self.fm, client)
        self._server.meet(client)
        self._initialized = True
        return result

    @lsp_method(types.INITIALIZED)
    def lsp_initialized(self, _params: object) -> None:
        """Settings are asked for. What a client watches, it says itself, and the disk is looked at anew anyway."""
        self._server.configuration.begin()

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, _params: object) -> None:  # type: ignore[override]
        """No work is begun from now on; what is still open is answered once this is."""
        self._shutdown = True
        self._server.leaving.shut_down = True
        earlier = takewhile(lambda ticket: ticket.method != types.SHUTDOWN, self._server.requests.open_now())
        self._server.loop.call_soon(self._server.shut_down, list(earlier))

    @lsp_method(types.EXIT)
    def lsp_exit(self, _params: object) -> None:  # type: ignore[override]
        """Ends the process."""
        self._server.leave()

    @lsp_method(types.SET_TRACE)
    def lsp_set_trace(self, params: bytes) -> None:  # type: ignore[override]
        """See ``lsp.trace``."""
        self._server.trace.set(Reader(_json(params)).text("value"))

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: sync.Prepared) -> None:  # type: ignore[override]
        """See ``handlers.sync``."""
        self._in_turn(params.uri, partial(sync.did_open, self._server, params))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: sync.Edit) -> None:  # type: ignore[override]
        """See ``handlers.sync``."""
        self._in_turn(params.uri, partial(sync.did_change, self._server, params))

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: OfDocument) -> None:  # type: ignore[override]
        """See ``handlers.sync``."""
        self._in_turn(params.text_document.uri, partial(sync.did_close, self._server, params))

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, _params: object) -> None:
        """A notebook is no rollout."""

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, _params: object) -> None:
        """A notebook is no rollout."""

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, _params: object) -> None:
        """A notebook is no rollout."""

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(self, params: DidChangeFolders) -> None:  # type: ignore[override]
        """See ``handlers.window``."""
        window.did_change_workspace_folders(self._server, params)

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: CancelProgress) -> None:  # type: ignore[override]
        """See ``handlers.window``."""
        window.work_done_progress_cancel(self._server, params)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Any:
        """Runs a registered command with its arguments as JSON has them."""
        command = self.fm.commands.get(params.command)
        if command is None:
            raise RequestError(errors.INVALID_PARAMS, "no such command")
        return command(*(params.arguments or []))


def _is_wide(question: _Question) -> bool:
    """Whether so many rows are asked for that an answer takes long enough to be felt."""
    rows = question.opened.document.buffer.row_count
    asked = getattr(question.params, "range", None)
    return (rows if asked is None else min(rows, abs(asked.end.line - asked.start.line))) > WIDE_ROWS


def _encoded(handler: Callable[[Any], object], params: object) -> bytes:
    return encode(handler(params))


def _json(params: bytes) -> Any:
    try:
        return msgspec.json.decode(params)
    except (msgspec.DecodeError, RecursionError):
        return None


def _is_notification(method: str) -> bool:
    known = types.METHOD_TO_TYPES.get(method)
    return known is not None and known[1] is None


def _is_request(method: str) -> bool:
    known = types.METHOD_TO_TYPES.get(method)
    return known is not None and known[1] is not None


def _is_lsprotocol(value: object) -> bool:
    return hasattr(type(value), "__attrs_attrs__")
