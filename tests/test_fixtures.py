"""The fixtures are what their script writes and what they claim to be, and `check` finds in them what it should."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import orjson
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
SESSIONS = sorted((ROOT / "fixtures" / "sessions").iterdir())
FINDINGS = json.loads((ROOT / "fixtures" / "findings.json").read_text("utf-8"))
NAME = re.compile(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl")
HARMLESS = {"legacy-format", "inherited-meta", "continuation", "orphan-call", "pending-call", "turn-open"}


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "fixtures" / "make.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_files_are_what_the_script_writes() -> None:
    done = make("--check")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_unknown_option_is_a_usage_error() -> None:
    assert make("--chekc").returncode == 2


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name[8:27])
def test_first_record_names_the_thread_of_the_file(path: pathlib.Path) -> None:
    named = NAME.fullmatch(path.name)
    assert named
    first = orjson.loads(path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")[0])
    assert first.get("payload", first)["id"] == named[1]


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name[8:27])
def test_lines_are_objects_where_no_damage_is_meant(path: pathlib.Path) -> None:
    if not {code for _, code in FINDINGS[path.name]} <= HARMLESS:
        pytest.skip("damaged on purpose")
    data = path.read_bytes()
    assert data.endswith(b"}\n") and b"\r" not in data
    assert all(isinstance(orjson.loads(line), dict) for line in data[:-1].split(b"\n"))


def test_readme_and_findings_tell_of_every_session() -> None:
    readme = (ROOT / "fixtures" / "README.md").read_text("utf-8")
    assert [path.name for path in SESSIONS] == list(FINDINGS)
    assert all(f"| {path.name} |" in readme for path in SESSIONS)


def test_every_era_and_relation_is_there() -> None:
    text = b"".join(path.read_bytes() for path in SESSIONS)
    for telling in (
        b'{"record_type":"state"}',
        b'"ordinal":',
        b'"forked_from_id":',
        b'"thread_spawn":',
        b'"history_base":',
        b'"compacted"',
        b'"thread_rolled_back"',
        b'"turn_aborted"',
        b'"exec-',
        b"\x00",
        b'\\ud83d"',
        "\u2028".encode(),
    ):
        assert telling in text, telling


def test_continuation_points_behind_a_whole_record_of_its_base() -> None:
    files = {NAME.fullmatch(path.name)[1]: path.read_bytes() for path in SESSIONS}  # type: ignore[index]
    (base,) = (
        orjson.loads(data.split(b"\n")[0])["payload"]["history_base"]
        for data in files.values()
        if b'"history_base"' in data
    )
    kept = files[base["thread_id"]][: base["end_byte_offset"]]
    assert kept.endswith(b"}\n") and kept.count(b"\n") == base["end_ordinal_exclusive"]


@pytest.mark.skipif(importlib.util.find_spec("rollout_ls.workspace.document") is None, reason="no checker yet")
def test_check_finds_exactly_what_is_wrong() -> None:
    command = [sys.executable, "-m", "rollout_ls", "check", "--output-format", "jsonl", "--min-level", "hint"]
    done = subprocess.run([*command, str(ROOT / "fixtures" / "sessions")], capture_output=True, check=False)
    found: dict[str, list[list[int | str]]] = {path.name: [] for path in SESSIONS}
    for line in done.stdout.split(b"\n")[:-1]:
        finding = orjson.loads(line)
        found[pathlib.PurePath(finding["path"]).name].append([finding["line"], finding["code"].split("/")[-1]])
    assert {name: sorted(codes) for name, codes in found.items()} == {
        name: sorted(codes) for name, codes in FINDINGS.items()
    }
