"""A client that sends any bytes it likes to the server's real process, and keeps what comes back.

For tests whose input is the wire itself. Every wait has an end, so that a server that hangs fails a test instead.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any

PATIENCE_SECONDS = 20.0
COMMAND = (sys.executable, "-m", "rollout_ls", "server")

PULLING: dict[str, Any] = {
    "workspace": {"diagnostics": {"refreshSupport": True}, "workspaceFolders": True},
    "textDocument": {
        "diagnostic": {},
        "publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    },
}
PUSHED: dict[str, Any] = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}


class Wire:
    """One server process. ``stray`` is what stood on its output outside a message."""

    def __init__(
        self,
        *,
        capabilities: dict[str, Any] | None = None,
        command: tuple[str, ...] = COMMAND,
        pass_fds: tuple[int, ...] = (),
        **params: Any,
    ) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, pass_fds=pass_fds)
        self.stray = b""
        self.log = b""
        self.heard: list[dict[str, Any]] = []
        self.answers: Counter[Any] = Counter()
        self._inbox: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._passed: list[dict[str, Any]] = []
        self._count = 0
        self.paused = threading.Event()
        self.paused.set()
        for target in (self._read, self._drain):
            threading.Thread(target=target, daemon=True).start()
        self.initialized: dict[str, Any] = {}
        if capabilities is not None:
            answer = self.ask(
                "initialize", {"processId": None, "capabilities": capabilities, "rootUri": None, **params}
            )
            self.initialized = answer["result"]
            self.notify("initialized", {})

    # -- sending
    def raw(self, data: bytes) -> None:
        """Sends bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def body(self, body: bytes) -> None:
        """Sends a body under a right header."""
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send(self, message: dict[str, Any]) -> None:
        """Sends a message."""
        self.body(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any) -> None:
        """Sends a notification."""
        self.send({"method": method, "params": params})

    def post(self, method: str, params: Any) -> int:
        """Sends a request; its id."""
        self._count += 1
        self.send({"id": self._count, "method": method, "params": params})
        return self._count

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """Sends a request and waits for the whole answer."""
        return self.answer(self.post(method, params))

    def result(self, method: str, params: Any) -> Any:
        """Sends a request and waits for its result."""
        answer = self.ask(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Opens a document."""
        document = {"uri": uri, "languageId": "jsonl", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        """Edits a document."""
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    # -- hearing
    def answer(self, ident: Any) -> dict[str, Any]:
        """Waits for the answer to a request."""
        return self.wait_for(lambda message: "method" not in message and message.get("id") == ident)

    def told(self, method: str) -> dict[str, Any]:
        """Waits for a message of the server's own."""
        return self.wait_for(lambda message: message.get("method") == method)

    def wait_for(self, wanted: Any, seconds: float = PATIENCE_SECONDS) -> dict[str, Any]:
        """Waits for a message; those passed over wait for the next one who asks."""
        end = time.monotonic() + seconds
        for at, message in enumerate(self._passed):
            if wanted(message):
                return self._passed.pop(at)
        while True:
            found = self._inbox.get(timeout=max(0.01, end - time.monotonic()))
            assert found is not None, f"the server ended: {self.log[-500:]!r}"
            if wanted(found):
                return found
            self._passed.append(found)

    def listen(self, seconds: float) -> list[dict[str, Any]]:
        """All that comes within some seconds, and what was passed over before."""
        found, self._passed = self._passed, []
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                message = self._inbox.get(timeout=left)
            except queue.Empty:
                break
            if message is None:
                break
            found.append(message)
        return found

    def end(self) -> int:
        """Shuts the server down as it should be; its exit code."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        return self.code()

    def code(self, seconds: float = PATIENCE_SECONDS) -> int:
        """Waits for the process to end; its exit code."""
        return self.process.wait(seconds)

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        length: int | None = None
        while line := out.readline():
            self.paused.wait()
            name, _, value = line.partition(b":")
            if name == b"Content-Length":
                length = int(value)
            elif line.strip() or length is None:
                self.stray += line
            else:
                message = json.loads(out.read(length))
                length = None
                self.heard.append(message)
                if "method" not in message:
                    self.answers[message.get("id")] += 1
                self._inbox.put(message)
        self._inbox.put(None)

    def _drain(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log += line

    def __enter__(self) -> Wire:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.paused.set()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def uri_of(path: Path | str) -> str:
    """The URI of a path as editors write it."""
    return Path(os.path.abspath(path)).as_uri()
