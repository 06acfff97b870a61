"""Secrets of every sort in every place of a rollout, and none of them in anything that this tool says.

The first three characters of a secret may be shown, so each is searched for by what stands behind them. Text inside
the rollout itself (what an editor shows anyway) is no answer of ours.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import codex_samples as make
from rollout_ls.cli.app import main
from rollout_ls.features.hints import HintOptions, explain, hints
from rollout_ls.features.hover import hover
from rollout_ls.features.lenses import lenses, title_of
from rollout_ls.features.outline import outline
from rollout_ls.features.record_page import record_page
from rollout_ls.features.symbol import Symbol
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.workspace.document import Document
from wire_client import PULLING, Wire

NEEDLE = "C4N4RY"
KEY_ROW = f"MIIE{NEEDLE}" + "Qk3vNs9T" * 6
SECRETS: dict[str, str] = {
    "openai": f"sk-{NEEDLE}a8Qm2Rt5Vw9Xz1",
    "project": f"sk-proj-{NEEDLE}a8Qm2Rt5Vw9Xz1",
    "github": f"ghp_{NEEDLE}a8Qm2Rt5Vw9Xz1b4Nc7Ld",
    "github-fine": f"github_pat_{NEEDLE}a8Qm2Rt5Vw9Xz1",
    "gitlab": f"glpat-{NEEDLE}a8Qm2Rt5Vw9",
    "slack": f"xoxb-{NEEDLE}123456-abcdef7890",
    "aws": f"AKIA{NEEDLE}ABCDEF0123",
    "google": f"AIza{NEEDLE}a8Qm2Rt5Vw9Xz1b4Nc7Ld",
    "npm": f"npm_{NEEDLE}a8Qm2Rt5Vw9Xz1b4Nc7Ld",
    "hugging face": f"hf_{NEEDLE}a8Qm2Rt5Vw9Xz1b4Nc7Ld",
    "jwt": f"eyJ{NEEDLE}hbGciOiJIUzI1NiJ9.eyJ{NEEDLE}zdWIiOiIxIn0.a{NEEDLE}b8Qm2Rt5Vw9Xz1",
    "header": f"Authorization: Bearer abc{NEEDLE}a8Qm2Rt5Vw9Xz1b4Nc7Ld",
    "basic": f"authorization=Basic abc{NEEDLE}a8Qm2Rt5Vw9Xz1b4Nc7Ld==",
    "named": f"SERVICE_API_KEY=abc{NEEDLE}a8Qm2Rt5Vw9",
    "token": f"export DEPLOY_TOKEN='abc{NEEDLE}a8Qm2Rt5Vw9'",
    "secret": f'CLIENT_SECRET="abc{NEEDLE}a8Qm2Rt5Vw9"',
    "password": f"DB_PASSWORD=abc{NEEDLE}a8Qm2Rt5Vw9",
    "private": f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_ROW}\n{KEY_ROW}\n-----END RSA PRIVATE KEY-----",
    "cut key": f"-----BEGIN PRIVATE KEY-----\n{KEY_ROW}",
}


def with_secrets(value: Any, secret: str, key: str = "") -> Any:
    """A record with a secret in each text that may be any text."""
    if isinstance(value, dict):
        return {name: with_secrets(one, secret, name) for name, one in value.items()}
    if isinstance(value, list):
        return [with_secrets(one, secret, key) for one in value]
    if isinstance(value, str) and value == "x":
        return "kitchen" if key in ("server", "namespace") else secret
    if isinstance(value, str) and key == "arguments":
        return json.dumps({"cmd": f"run {secret}", "env": secret})
    return value


def records(secrets: Iterator[str]) -> Iterator[dict[str, Any]]:
    """A header, each kind of record with a secret in its texts, and records that are damaged, unknown or refused."""
    secret = next(secrets)
    head = make.envelope(next(kind for kind in make.kinds() if kind.name == "session_meta"), {})
    head["payload"] = {
        "id": make.UUID,
        "timestamp": "2026-02-03T10:00:00.000Z",
        "cwd": f"/w/{secret}",
        "originator": secret,
        "cli_version": secret,
        "source": {"subagent": {"thread_spawn": {"parent_thread_id": make.UUID, "depth": 1, "agent_nickname": secret}}},
        "model_provider": secret,
        "base_instructions": {"text": secret},
        "git": {"branch": secret, "repository_url": f"https://user:{secret}@example.invalid"},
    }
    yield head
    yield {**turn("task_started"), "more": secret}
    for kind in make.kinds():
        if kind.name != "session_meta":
            yield with_secrets(make.maximal(kind), next(secrets))
    yield {"timestamp": secret, "type": "event_msg", "payload": {"type": secret, "note": secret, secret: secret}}
    yield {"timestamp": "x", "type": secret, "payload": {"type": "zz", "note": secret}}
    wrong = {"type": "message", "role": secret, "content": [{"type": secret, "text": secret}], secret: {secret: 1}}
    yield {"timestamp": "2026-02-03T10:00:09.000Z", "type": "response_item", "payload": wrong}
    yield {"timestamp": "x", "type": "event_msg", "payload": {"type": "user_message", "message": [secret], secret: 5}}
    yield {"timestamp": "x", "type": "turn_context", "payload": {"cwd": secret, "approval_policy": secret, "model": 5}}
    changes = {f"/w/{secret}": {"type": "add", "content": 5}, f"{secret}": {"type": secret}}
    patch = {"type": "patch_apply_end", "call_id": "c", "changes": changes}
    yield {"timestamp": "x", "type": "event_msg", "payload": patch}
    yield turn("task_complete")


def turn(word: str) -> dict[str, Any]:
    return {"timestamp": "2026-02-03T10:00:01.000Z", "type": "event_msg", "payload": {"type": word, "turn_id": "t"}}


def rollout(shift: int) -> bytes:
    """A rollout with a secret of the next sort in each record; ``shift`` tells with which sort it begins."""
    secrets = itertools.islice(itertools.cycle(SECRETS.values()), shift, None)
    lines = [json.dumps(record).encode() for record in records(secrets)]
    quoted = json.dumps(next(secrets)).encode()
    call = b'{"timestamp":"x","type":"response_item","payload":{"type":"function_call","name":"a","call_id":"c9",'
    lines += [
        lines[5][: lines[5].rindex(b", \"")],
        b'{"a":' + quoted + b"," + quoted + b":1," + quoted + b':2}',
        b'{"timestamp":"x","type":"world_state","payload":{"full":true,"state":{' + quoted + b":1," + quoted + b":2}}}",
        call + b'"arguments":' + quoted + b"}}",
        quoted,
        b'{"timestamp":' + quoted + b" " + quoted,
        b'{"timestamp":"x","type":"event_msg","payload":{"type":"zz","a":' + quoted[:-1],
    ]
    return b"\n".join(lines) + b"\n"


def symbols(trees: tuple[Symbol, ...]) -> Iterator[str]:
    for one in trees:
        yield f"{one.name} | {one.detail}"
        yield from symbols(one.children)


def spoken(opened: Document) -> Iterator[tuple[str, str]]:
    """All that the features say about a document: (what it is, the text)."""
    for finding in opened.finish():
        yield f"finding {finding.code}", " ".join([finding.message, *(one.message for one in finding.related)])
    session, world = opened.session(), Surroundings()
    for text in symbols(outline(session)):
        yield "symbol", text
    lines = list(opened.buffer)
    for number, line in enumerate(lines):
        for offset in range(0, max(1, line.end), 211):
            shown = hover(session, line, offset, world, markdown=offset % 2 == 0)
            yield f"hover of line {number + 1} at {offset}", shown.text if shown is not None else ""
        yield f"page of line {number + 1}", record_page(line).text
    for hint in hints(session, lines, HintOptions()):
        for part in hint.parts:
            yield "hint", f"{part.text} {explain(session, hint, part, world)}"
    for lens in lenses(session, jumps=True):
        title = title_of(session, lens.ref.line, lens.ref.statement.start, lens.sort)
        yield "lens", title.text if title is not None else ""


@pytest.mark.parametrize("shift", range(len(SECRETS)))
def test_no_feature_tells_a_secret(shift: int) -> None:
    opened = Document("file:///rollout.jsonl", 1, [rollout(shift)], on_disk=True)
    told = [(what, text) for what, text in spoken(opened) if NEEDLE in text]
    assert told == []


COMMANDS = [
    *(("check", "--output-format", form) for form in ("full", "concise", "json", "jsonl", "github", "sarif")),
    ("check", "--select", "ALL", "--statistics"),
    ("outline",),
    ("outline", "--output-format", "json"),
    *(("show", "--output-format", form) for form in ("text", "json")),
    *(("show", "--view", "blocks", "--output-format", form) for form in ("text", "json")),
    *(("show", "--view", "codex-v3", "--output-format", form) for form in ("text", "json")),
    *(("stats", "--output-format", form) for form in ("text", "json")),
    *(("drift", "--output-format", form) for form in ("text", "json")),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_tells_a_secret(words: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for shift in (0, 7, 13):
        path = tmp_path / f"rollout-{shift}.jsonl"
        path.write_bytes(rollout(shift))
        status = main([*words, str(path)])
        said, errors = capfd.readouterr()
        assert status in (0, 1), errors
        assert said
        at = (said + errors).find(NEEDLE)
        assert at < 0, (said + errors)[max(0, at - 300) : at + 60]


def test_the_server_tells_no_secret() -> None:
    with Wire(capabilities=PULLING) as wire:
        for shift in (0, 9):
            uri = f"file:///w/rollout-{shift}.jsonl"
            text = rollout(shift).decode("utf-8", "surrogatepass")
            wire.open(uri, text)
            document = {"textDocument": {"uri": uri}}
            wire.result("textDocument/diagnostic", document)
            wire.result("textDocument/documentSymbol", document)
            last = text.count("\n")
            whole = {"start": {"line": 0, "character": 0}, "end": {"line": last, "character": 0}}
            for hint in wire.result("textDocument/inlayHint", {**document, "range": whole}) or []:
                wire.result("inlayHint/resolve", hint)
            for lens in wire.result("textDocument/codeLens", document) or []:
                wire.result("codeLens/resolve", lens)
            wire.result("textDocument/foldingRange", document)
            for row in range(last):
                place = {**document, "position": {"line": row, "character": 90}}
                for method in ("hover", "definition", "references", "documentHighlight"):
                    wire.result(f"textDocument/{method}", place)
        said = json.dumps(wire.heard, ensure_ascii=False)
        assert wire.end() == 0
        at = said.find(NEEDLE)
        assert at < 0, said[max(0, at - 400) : at + 60]
        assert NEEDLE not in wire.log.decode("utf-8", "replace")
