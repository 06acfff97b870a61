"""Files that grow, shrink, vanish, and turn into folders, pipes and links while the server is asked about them."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import zstandard
from scale import FIXTURES, SEED, pick
from test_load import MIB, on_linux, resident

from wire_client import PULLING, Wire, uri_of

ROUNDS = pick(60, 600)
CONTENT = {**PULLING, "workspace": {**PULLING["workspace"], "textDocumentContent": {}}}
DATA = [path.read_bytes() for path in FIXTURES if path.suffix == ".jsonl"]
SECRET = "kein-rollout-4711"


def change(dice: random.Random, path: Path, others: list[Path], secret: Path) -> None:
    """Does something to a path."""
    how, data = dice.randrange(13), dice.choice(DATA)
    plain = path.is_file() and not path.is_symlink()
    if how < 3 and plain:
        (path.write_bytes, lambda some: os.truncate(path, len(some) // 3), lambda some: _append(path, some))[how](data)
        return
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if how == 3:
        os.mkfifo(path)
    elif how == 4:
        path.symlink_to(dice.choice([secret, "/dev/zero", "nowhere", path, path.parent, "/proc/self/mem"]))
    elif how == 5:
        path.symlink_to(dice.choice(others))
    elif how == 6:
        path.mkdir()
    elif how == 7:
        with path.open("wb") as file:
            file.truncate(dice.choice((10**5, 2 * 10**7)))
    elif how == 8:
        path.write_bytes(zstandard.compress(b"[]\n" * 10**6))
    elif how == 9:
        path.write_bytes(zstandard.compress(data)[: dice.randrange(20, 5000)])
    elif how < 12:
        path.write_bytes(zstandard.compress(data) if path.suffix == ".zst" else data)


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data[: len(data) // 2])


def questions(uri: str, path: str) -> list[tuple[str, Any]]:
    """All that looks at the disk for a file."""
    document = {"textDocument": {"uri": uri}}
    text = path.removesuffix(".zst")
    return [
        *((f"rollout/{name}", document) for name in ("checkFile", "turns", "documentStatus")),
        *(
            ("rollout/readable", {"uri": f"rollout-read://{what}"})
            for what in (f"/session{path}.md", f"/record/3{path}.json")
        ),
        ("workspace/textDocumentContent", {"uri": f"rollout-read:///text{text}"}),
        ("textDocument/diagnostic", document),
        ("textDocument/definition", {**document, "position": {"line": 0, "character": 60}}),
    ]


@on_linux
def test_changing_files(told, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Files that change, vanish and turn into pipes, links and folders under the server."""
    dice = random.Random(SEED)
    secret = tmp_path / "secret"
    secret.write_text(SECRET + "\n")
    folder = tmp_path / "sessions" / "2026" / "01" / "02"
    folder.mkdir(parents=True)
    names = [
        f"rollout-2026-01-02T03-04-0{number}-0199aaaa-0000-7000-8000-00000000000{number}.jsonl" for number in range(8)
    ]
    paths = [folder / name for name in (*names, *(f"{name}.zst" for name in names[:3]))]
    codes: Counter[Any] = Counter()
    with Wire(capabilities=CONTENT, workspaceFolders=[{"uri": uri_of(tmp_path / "sessions"), "name": "x"}]) as wire:
        for number in range(ROUNDS):
            for _ in range(4):
                change(dice, dice.choice(paths), paths, secret)
            path = dice.choice(paths)
            uri = uri_of(path)
            if dice.random() < 0.5:
                wire.open(uri, dice.choice(DATA).decode("utf-8", "replace"))
            if dice.random() < 0.5:
                wire.change(uri, number, {"range": {"start": _at(1, 0), "end": _at(1, 9)}, "text": "x\n"})
            wire.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
            for ident in [wire.post(*one) for one in questions(uri, str(path))]:
                answer = wire.answer(ident)
                codes[answer.get("error", {}).get("code")] += 1
                assert SECRET not in json.dumps(answer)
            if dice.random() < 0.4:
                wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            wire.heard.clear()
        wire.listen(0.5)
        held = resident(wire.process.pid)
        assert wire.end() == 0
        assert set(wire.answers.values()) == {1}
        assert b"Traceback" not in wire.log and SECRET.encode() not in wire.log
    assert set(codes) <= {None, -32803}, codes
    assert held < 900 * MIB
    told.say(
        f"{4 * ROUNDS:,} changes, {sum(codes.values()):,} questions, "
        f"{codes[-32803]:,} of them of what cannot be read; {held / MIB:.0f} MiB held at the end",
        "none failed, no text of another file",
    )


def _at(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}
