"""What the process does to the world outside, told by Python's own audit hooks over a whole session and a check.

No network, no other process, nothing written but where a cache or a log may stand, nothing read outside the folders
that are open, but what Python itself, the package and time zones need.
"""

from __future__ import annotations

import json
import os
import shutil
import site
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scale import FIXTURES

import rollout_ls
from wire_client import COMMAND, PULLING, Wire

FORBIDDEN = (
    *("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.startfile"),
    *("ftplib.", "http.", "urllib.", "smtplib.", "webbrowser.", "sqlite3.", "pty.", "os.kill", "tempfile."),
    *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"),
    *("os.utime", "shutil.", "os.putenv", "os.setxattr"),
)
READ_MODES = ("r", "rb", "rt")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
OURS = [
    *(sys.prefix, sys.base_prefix, sys.exec_prefix, *site.getsitepackages(), sysconfig.get_path("stdlib")),
    *(str(Path(rollout_ls.__file__).parent.parent), str(Path(__file__).parent / "watched")),
    *("/usr/lib", "/usr/share/zoneinfo", "/etc/localtime", "/etc/timezone", "/lib", "/usr/local/lib"),
]
SINGLE = {os.devnull, "/proc/self/statm", "/etc/localtime", str(Path(rollout_ls.__file__).parent.parent.parent)}
BAD = "of network, processes, writing, or reading elsewhere"
METHODS = ("documentSymbol", "foldingRange", "codeLens", "documentLink", "semanticTokens/full", "diagnostic")
AT_PLACES = ("hover", "definition", "references", "documentHighlight")


def events_of(log: Path) -> list[list[Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").split("\n") if line]


def watched(tmp_path: Path) -> dict[str, str]:
    here = str(Path(__file__).parent / "watched")
    given = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(given), "ROLLOUT_AUDIT": str(tmp_path / "audit.jsonl")}


def trouble(events: list[list[Any]], folders: list[Path]) -> Iterator[list[Any]]:
    """The events that should not be."""
    roots = [os.path.realpath(one) for one in (*OURS, *folders)]
    for event in events:
        name, *args = event
        if name == "socket.__new__" and args[1] == socket.AF_UNIX:
            continue  # the pair by which threads wake the loop
        if name.startswith(FORBIDDEN):
            yield event
        elif name == "open":
            path, mode, flags = (*args, None, None, None)[:3]
            if isinstance(path, int):
                continue  # a descriptor that is open already
            writes = (mode is not None and mode not in READ_MODES) or (isinstance(flags, int) and flags & _WRITING)
            if writes or not _is_below(str(path), roots):
                yield event
        elif name in ("os.listdir", "os.scandir", "os.walk", "glob.glob") and not _is_below(str(args[0]), roots):
            yield event


def _is_below(path: str, roots: list[str]) -> bool:
    if path in SINGLE:
        return True
    real = os.path.realpath(path)
    return real in SINGLE or any(real == root or real.startswith(root + os.sep) for root in roots)


def test_a_session_is_watched(told, tmp_path: Path, monkeypatch: Any) -> None:  # type: ignore[no-untyped-def]
    """What a whole session with an editor does outside its process."""
    home = tmp_path / "home"
    folder = home / "sessions" / "2026" / "01" / "02"
    folder.mkdir(parents=True)
    for path in FIXTURES:
        shutil.copy(path, folder)
    documents = sorted(folder.iterdir())
    (folder / "secret-link.jsonl").symlink_to("/etc/passwd")  # nobody opens it
    for name, value in watched(tmp_path).items():
        monkeypatch.setenv(name, value)
    with Wire(capabilities=PULLING, workspaceFolders=[{"uri": folder.as_uri(), "name": "x"}]) as wire:
        asked = 0
        for path in documents:
            uri = path.as_uri()
            text = path.read_bytes().decode("utf-8", "replace") if path.suffix == ".jsonl" else "{}"
            text += hostile(folder)
            wire.open(uri, text)
            for method in METHODS:
                found = wire.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}}).get("result")
                asked += 1
                for one in found[:20] if method == "documentLink" and found else ():
                    wire.ask("documentLink/resolve", one)
                    asked += 1
            for line in range(text.count("\n") + 1):
                place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 200}}
                for method in AT_PLACES:
                    wire.ask(f"textDocument/{method}", {**place, "context": {"includeDeclaration": True}})
                    asked += 1
            end = {"line": 10**6, "character": 0}
            wire.change(uri, 2, {"range": {"start": end, "end": end}, "text": "{\n"})
            wire.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            wire.ask("rollout/status", None)
        wire.listen(0.5)
        for path in documents:
            wire.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
        assert wire.end() == 0
    events = events_of(tmp_path / "audit.jsonl")
    assert any(event[0] == "open" for event in events)
    found = list(trouble(events, [folder]))
    assert found == [], found[:10]
    told.say(f"{asked:,} requests, {len(events):,} events; 0 {BAD}", "none")


def test_a_check_is_watched(told, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """What the commands do outside their process."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    for path in FIXTURES:
        shutil.copy(path, folder)
    one = str(next(path for path in sorted(folder.iterdir()) if path.suffix == ".jsonl"))
    server = len(COMMAND) - 1
    every = str(folder)
    for words in (["check", every], ["outline", one], ["show", one], ["stats", every], ["drift", every]):
        done = subprocess.run(
            [*COMMAND[:server], *words], env=watched(tmp_path), capture_output=True, timeout=60, check=False
        )
        assert done.returncode in (0, 1), done.stderr
    events = events_of(tmp_path / "audit.jsonl")
    found = list(trouble(events, [folder]))
    assert found == [], found[:10]
    told.say(f"5 commands, {len(events):,} events heard; 0 {BAD}", "none")


def hostile(folder: Path) -> str:
    """Records that name what nobody may open for them."""
    names = ("/etc/shadow", "//host/share/x", "\\\\host\\share", "file:///etc/passwd", "/dev/zero", f"{folder}/../../x")
    names += ("https://example.invalid/x", f"{folder}/secret-link.jsonl", "smb://host/x", "/proc/self/environ")
    records = []
    for name in names:
        part = {"type": "input_text", "text": f"see {name} and `{name}`"}
        payload = {"type": "message", "role": "user", "content": [part]}
        records.append({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload})
    return "".join(json.dumps(one) + "\n" for one in records)
