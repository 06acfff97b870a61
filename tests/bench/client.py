"""A small blocking LSP client over stdio, for measuring a server from outside. It knows nothing of the server's code.

Messages are framed and encoded before the clock starts; a thread reads what comes and stamps it. The server's own
requests get a plain answer at once. Standard library and orjson only.
"""

from __future__ import annotations

import collections
import contextlib
import pathlib
import queue
import subprocess
import threading
import time
from types import TracebackType
from typing import Any, NamedTuple

import orjson

ANSWER_SECONDS = 120.0
CAPABILITIES = {
    "window": {"workDoneProgress": True},
    "workspace": {"workspaceFolders": True, "diagnostics": {"refreshSupport": True}},
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True, "codeDescriptionSupport": True},
        "diagnostic": {"relatedDocumentSupport": False},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "foldingRange": {"lineFoldingOnly": True},
    },
}


class ServerFailed(Exception):
    """The server ended, answered with an error, or did not answer in time."""


class Answer(NamedTuple):
    result: Any
    at: float
    """When it was read whole, on the clock of `time.perf_counter`."""


def encode(message: dict[str, Any]) -> bytes:
    """A message with its header, ready to be written."""
    body = orjson.dumps({"jsonrpc": "2.0", **message})
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Client:
    """A running server. Use it as a context: it is shut down at the end, and killed when it does not go."""

    def __init__(self, command: list[str], encodings: tuple[str, ...] = ("utf-8", "utf-16")) -> None:
        """Starts the server and waits until it has answered `initialize`; `encodings` are those offered to it."""
        capabilities = {**CAPABILITIES, "general": {"positionEncodings": list(encodings)}}
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.answers: queue.Queue[tuple[Any, Any, float]] = queue.Queue()
        self.notes: collections.deque[dict[str, Any]] = collections.deque(maxlen=1000)
        self.errors = b""
        self.last_id = 0
        self.versions: dict[str, int] = {}
        self._writing = threading.Lock()
        for work in (self._read, self._drain):
            threading.Thread(target=work, daemon=True).start()
        self.initialized = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
        self.write(encode({"method": "initialized", "params": {}}))

    @property
    def capabilities(self) -> dict[str, Any]:
        capabilities: dict[str, Any] = self.initialized.result["capabilities"]
        return capabilities

    @property
    def utf8(self) -> bool:
        return self.capabilities.get("positionEncoding") == "utf-8"

    @property
    def pid(self) -> int:
        return self.process.pid

    # -- the wire

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        try:
            with self._writing:
                self.process.stdin.write(data)
                self.process.stdin.flush()
        except BrokenPipeError:
            raise ServerFailed(self.errors.decode("utf-8", "replace")[-2000:]) from None

    def request(self, method: str, params: Any) -> bytes:
        """An encoded request under a new id; `wait` waits for its answer."""
        self.last_id += 1
        return encode({"id": self.last_id, "method": method, "params": params})

    def ask(self, method: str, params: Any) -> Answer:
        self.write(self.request(method, params))
        return self.wait()

    def wait(self) -> Answer:
        """The answer to the last request; those to earlier ones are passed over."""
        while True:
            answered = self.next_answer(ANSWER_SECONDS)
            if answered is None:
                raise ServerFailed(f"no answer in {ANSWER_SECONDS:.0f} s")
            if answered[0] == self.last_id:
                return answered[1]

    def next_answer(self, seconds: float) -> tuple[Any, Answer] | None:
        """(id, answer) of whichever answer comes next, None where none comes in that time."""
        try:
            ident, content, at = self.answers.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        if content is None:
            raise ServerFailed(self.errors.decode("utf-8", "replace")[-2000:] or "the server has ended")
        if "error" in content:
            raise ServerFailed(str(content["error"])[:500])
        return ident, Answer(content.get("result"), at)

    def _read(self) -> None:
        out = self.process.stdout
        assert out
        length = 0
        while line := out.readline():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            if line != b"\r\n":
                continue
            body = out.read(length)
            at = time.perf_counter()
            message = orjson.loads(body)
            if "method" not in message:
                self.answers.put((message.get("id"), message, at))
            elif "id" in message:
                items = (message.get("params") or {}).get("items")
                result = [None] * len(items) if items is not None else None
                with contextlib.suppress(ServerFailed):
                    self.write(encode({"id": message["id"], "result": result}))
            else:
                self.notes.append(message)
        self.answers.put((None, None, time.perf_counter()))

    def _drain(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.errors = (self.errors + line)[-20_000:]

    # -- documents

    def did_open(self, uri: str, text: bytes, language: str = "jsonl") -> bytes:
        """The encoded notification."""
        self.versions[uri] = 1
        document = {"uri": uri, "languageId": language, "version": 1, "text": text.decode()}
        return encode({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def did_change(self, uri: str, start: tuple[int, int], end: tuple[int, int], text: str) -> bytes:
        """The encoded notification of one replaced range; (line, character) from 0."""
        self.versions[uri] += 1
        places = {
            name: {"line": line, "character": column} for name, (line, column) in (("start", start), ("end", end))
        }
        params = {
            "textDocument": {"uri": uri, "version": self.versions[uri]},
            "contentChanges": [{"range": places, "text": text}],
        }
        return encode({"method": "textDocument/didChange", "params": params})

    def did_close(self, uri: str) -> bytes:
        return encode({"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}})

    def ask_findings(self, uri: str) -> bytes:
        return self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})

    def ask_at(self, method: str, uri: str, place: tuple[int, int]) -> bytes:
        """A request on a place, (line, character) from 0; `method` without its `textDocument/`."""
        position = {"line": place[0], "character": place[1]}
        return self.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": position})

    def ask_outline(self, uri: str) -> bytes:
        return self.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})

    def opened(self, uri: str, text: bytes, language: str = "jsonl") -> float:
        """Opens a document: seconds from the first byte of didOpen to the last of the findings."""
        return self.timed(self.did_open(uri, text, language), self.ask_findings(uri))[0]

    def opened_and_closed(self, uri: str, text: bytes, language: str = "jsonl") -> float:
        """As `opened`; the document is closed afterwards."""
        seconds = self.opened(uri, text, language)
        self.write(self.did_close(uri))
        return seconds

    def changed(self, uri: str, start: tuple[int, int], end: tuple[int, int], text: str) -> float:
        """Seconds from a change to the findings of the text after it."""
        return self.timed(self.did_change(uri, start, end, text), self.ask_findings(uri))[0]

    def timed(self, *messages: bytes) -> tuple[float, Any]:
        """Writes the messages, the last one a request: (seconds until its answer was read, its result)."""
        started = time.perf_counter()
        self.write(b"".join(messages) if len(messages[0]) < 1_000_000 else messages[0])
        if len(messages[0]) >= 1_000_000:
            self.write(b"".join(messages[1:]))
        answer = self.wait()
        return answer.at - started, answer.result

    # -- the process

    def memory(self, name: str) -> int:
        """`VmRSS` (resident) or `VmHWM` (its peak), in bytes. Linux only."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().split("\n"):
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
        raise ServerFailed(f"no {name} in the process's status")

    def cpu_seconds(self) -> float:
        """What the process has used so far; 0 where there is no /proc."""
        try:
            fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / 100

    def settle(self, seconds: float = 60.0) -> None:
        """Waits until the server's later passes are over: until its process has been quiet for half a second."""
        end = time.monotonic() + seconds
        used, since = self.cpu_seconds(), time.monotonic()
        while time.monotonic() < min(end, since + 0.5):
            time.sleep(0.1)
            now = self.cpu_seconds()
            if now - used > 0.01:
                used, since = now, time.monotonic()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(ServerFailed):
            self.ask("shutdown", None)
            self.write(encode({"method": "exit"}))
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
