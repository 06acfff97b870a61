"""The error codes of JSON-RPC and LSP 3.17 that go out, and the exception that carries one to whoever answers.

A message of such an error never quotes a document, nor what a request held.
"""

from __future__ import annotations

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_FAILED = -32803
SERVER_CANCELLED = -32802
CONTENT_MODIFIED = -32801
REQUEST_CANCELLED = -32800


class RequestError(Exception):
    """Ends a request with an error answer. ``data`` is what the protocol wants beside the message, if anything."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
