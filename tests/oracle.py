"""What the real reader of Codex does with records, asked of its own program.

Exists to hold the findings against the one reader that counts. The program (`codex app-server`, over stdio) works on
copies in a temporary home, offline, and gets PATH, LANG and that home of the environment, nothing else. Standard
library only. Never writes a rollout, and never sees a real home.

How a verdict on each line is got: the reader logs each line that it drops, in file order but without numbers. So a
line that is no JSON stands before each line of the copy; it turns up in the log right before the verdict on that line.
A record that is not named in the log was kept, but for hidden commits, which it drops without a word.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

REPO = Path(__file__).resolve().parents[1]
VERSION = "0.171.0"
SETTING = "ROLLOUT_LS_CODEX"
INSTALLED = REPO / ".rollout-ls" / "codex" / "node_modules" / ".bin" / "codex"
"""Where ./test puts the program."""

_CONFIG = """
model_provider = "nowhere"
model = "none"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.nowhere]
name = "nowhere"
base_url = "http://127.0.0.1:9/v1"
[features]
plugins = false
"""
_HEADER = {
    "timestamp": "2026-02-03T10:00:00.000Z",
    "type": "session_meta",
    "payload": {
        "timestamp": "2026-02-03T10:00:00.000Z",
        "cwd": "/w",
        "originator": "codex_cli_rs",
        "cli_version": "0.142.0",
        "source": "cli",
        "model_provider": "openai",
    },
}
_ANSWER_SECONDS = 60
_LOG_SECONDS = 15
_NO_JSON = "failed to parse line as JSON: "
_NO_RECORD = "failed to parse rollout line: "
_MARK = re.compile(re.escape(_NO_JSON) + r'"@line (\d+)@"')
_NAME = re.compile(r"rollout-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)-")
_STRANGE_ID = "0199b000-0000-7000-8000-0000000000fe"
_HEADER_ID = re.compile(rb'"type"\s*:\s*"session_meta".{0,4000}?"id"\s*:\s*"([0-9a-f-]{36})"', re.DOTALL)


class Silence(Exception):
    """The program did not answer, or ended."""


def why_absent(program: Path | None) -> str:
    """Why the program cannot be asked; empty where it can."""
    if program is None:
        return f"no Codex {VERSION} here: ./test installs it where npm is, or {SETTING} names it"
    done = subprocess.run([str(program), "--version"], capture_output=True, text=True, timeout=60, check=False)
    if VERSION not in done.stdout.split():
        return f"the reader is pinned to Codex {VERSION}; {program} says {done.stdout.strip() or done.stderr.strip()!r}"
    return ""


def find_program() -> Path | None:
    """The program that the environment names, else the one that ./test has installed."""
    named = os.environ.get(SETTING)
    if named:
        return Path(named)
    return INSTALLED if INSTALLED.exists() else None


class Reader:
    """One running program in a home of its own. A context manager."""

    def __init__(self, program: Path) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="rollout-ls-oracle-"))
        codex = self._home / ".codex"
        codex.mkdir()
        (codex / "config.toml").write_text(_CONFIG, encoding="utf-8")
        self._sessions = codex / "sessions"
        self._log = self._home / "log.jsonl"
        self._asked = 0
        self._judged = 0
        self._rest = b""
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": os.environ.get("LANG", "C.UTF-8"),
            "HOME": str(self._home),
            "LOG_FORMAT": "json",
            "RUST_LOG": "codex_rollout=trace,codex_thread_store=warn",
        }
        self._errors = self._log.open("wb")
        self._process = subprocess.Popen(
            [str(program), "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            cwd=self._home,
        )

    def __enter__(self) -> Reader:
        client = {"clientInfo": {"name": "oracle", "version": "0"}, "capabilities": {"experimentalApi": True}}
        self._ask("initialize", client)
        self._send({"method": "initialized"})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.terminate()
        self._process.wait(timeout=30)
        self._process.stdout.close()
        self._errors.close()
        shutil.rmtree(self._home, ignore_errors=True)

    # -- what it says of records
    def dropped(self, lines: Sequence[bytes]) -> dict[int, str]:
        """{index: reason} of the lines that no load of it takes, each judged for itself behind a healthy header.

        Lines without their ends. Raises UnicodeError where the bytes of one make it give up on the whole file.
        """
        self._judged += 1
        thread = f"0199c000-0000-7000-8000-{self._judged:012d}"
        head = {**_HEADER, "payload": {"id": thread, **_HEADER["payload"]}}  # type: ignore[dict-item]
        rows = [json.dumps(head).encode()]
        for index, line in enumerate(lines):
            rows += [b"@line %d@" % index, line]
        copy = self._place(b"\n".join([*rows, b"@line %d@" % len(lines), b""]), thread)
        begin = self._log.stat().st_size
        answer = self._ask("thread/read", {"threadId": thread, "includeTurns": True})
        copy.unlink()
        if "error" in answer:
            if "UTF-8" in answer["error"]["message"]:
                raise UnicodeError(answer["error"]["message"])
            raise Silence(answer["error"]["message"])
        return self._verdicts(begin, len(lines))

    def _verdicts(self, begin: int, count: int) -> dict[int, str]:
        until = time.monotonic() + _LOG_SECONDS
        while time.monotonic() < until:  # another thread of the program writes the log
            found: dict[int, str] = {}
            index = -1
            for fields in self._logged(begin):
                message = str(fields.get("message", ""))
                mark = _MARK.match(message)
                if mark:
                    index = int(mark[1])
                    if index == count:
                        return found
                elif index >= 0 and message.startswith(_NO_JSON):
                    found[index] = "no JSON: " + message.rpartition(", error: ")[2]
                elif index >= 0 and message.startswith(_NO_RECORD):
                    found[index] = message.removeprefix(_NO_RECORD)
            time.sleep(0.02)
        raise Silence("the log holds no verdict")

    # -- what it does with a file
    def fate(self, name: str, data: bytes) -> Fate:
        """What reading and resuming of a copy give. Once a reader: it keeps what it has resumed."""
        found = _HEADER_ID.search(data)
        thread = found[1].decode() if found else _STRANGE_ID
        named = _NAME.match(name)
        self._place(data, thread, named[1] if named else "2026-02-03T10-00-00")
        read = self._ask("thread/read", {"threadId": thread, "includeTurns": True})
        begin = self._log.stat().st_size
        resumed = self._ask("thread/resume", {"threadId": thread})
        skipped: set[int] = set()
        if "result" in resumed:
            time.sleep(0.1)
            for fields in self._logged(begin):
                offset = fields.get("line_start_byte_offset")
                told = "missing rollout ordinal range" not in str(fields)
                if told and isinstance(offset, int) and offset < len(data):
                    skipped.add(data.count(b"\n", 0, offset))
        return Fate(_error(read), _error(resumed), frozenset(skipped))

    # -- talking
    def _place(self, data: bytes, thread: str, moment: str = "2026-02-03T10-00-00") -> Path:
        folder = self._sessions / moment[:10].replace("-", "/")
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / f"rollout-{moment}-{thread}.jsonl"
        copy.write_bytes(data)
        return copy

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        for message in self._messages(time.monotonic() + _ANSWER_SECONDS):
            if message.get("id") == self._asked and ("result" in message or "error" in message):
                return message
        raise Silence(f"no answer to {method}")

    def _messages(self, until: float) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        while True:
            while b"\n" in self._rest:
                row, self._rest = self._rest.split(b"\n", 1)
                yield json.loads(row)
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._process.stdout.fileno(), 1 << 20) if ready else b""
            if not data:
                return
            self._rest += data

    def _logged(self, begin: int) -> Iterator[dict[str, Any]]:
        with self._log.open("rb") as file:
            file.seek(begin)
            rows = file.read().split(b"\n")
        for row in rows:
            try:
                yield json.loads(row)["fields"]
            except (ValueError, KeyError, TypeError):
                continue


class Fate:
    """What became of a file: why it could not be read, why not resumed (None: it could), rows that were skipped."""

    def __init__(self, read: str | None, resumed: str | None, skipped: frozenset[int]) -> None:
        self.read = read
        self.resumed = resumed
        self.skipped = skipped


def _error(answer: dict[str, Any]) -> str | None:
    return str(answer["error"].get("message")) if "error" in answer else None
