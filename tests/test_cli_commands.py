"""The commands as a shell runs them: what they print, their exit status, and one clear line for what cannot be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from rollout_ls import __version__
from rollout_ls.cli.app import main

SESSIONS = Path(__file__).resolve().parent.parent / "fixtures" / "sessions"
FINDINGS = json.loads((SESSIONS.parent / "findings.json").read_text("utf-8"))
(DEMO,) = SESSIONS.glob("rollout-2026-06-12T09-30-00-*.jsonl")
(HEALTHY,) = SESSIONS.glob("rollout-2026-03-14T16-02-10-*.jsonl")


def run(*words: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "rollout_ls", *words], input=given, capture_output=True, timeout=60)


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs a command line in this process: (exit status, stdout, stderr)."""

    def ask(*words: str) -> tuple[int, str, str]:
        status = main(words)
        out, err = capfd.readouterr()
        return status, out, err

    return ask


# -- check
def test_check_finds_what_the_fixtures_say(said: Any) -> None:
    status, out, _ = said("check", "--output-format", "jsonl", str(SESSIONS))
    rows = [json.loads(row) for row in out.split("\n") if row]
    assert status == 1
    keys = ["path", "line", "column", "end_line", "end_column", "byte", "severity", "code", "message", "related"]
    assert all(list(row) == keys for row in rows)
    places = [(row["path"], row["line"], row["column"]) for row in rows]
    assert places == sorted(places)
    demo = [[row["line"], row["code"]] for row in rows if row["path"] == str(DEMO)]
    assert sorted(demo) == sorted(FINDINGS[DEMO.name])


def test_byte_is_the_offset_in_the_file(said: Any) -> None:
    _, out, _ = said("check", "--output-format", "json", str(DEMO))
    data = DEMO.read_bytes()
    unknown = next(row for row in json.loads(out) if row["code"] == "unknown-type")
    assert data[unknown["byte"] :].startswith(b'"workspace_checkpoint"')


def test_a_clean_file(said: Any) -> None:
    status, out, err = said("check", str(HEALTHY))
    assert (status, err) == (0, "")
    assert out.startswith("No findings in 1 file (")
    assert said("check", "--output-format", "json", str(HEALTHY)) == (0, "[]\n", "")
    assert said("check", "--output-format", "jsonl", str(HEALTHY)) == (0, "", "")


def test_full_shows_the_place(said: Any) -> None:
    _, out, _ = said("check", str(DEMO))
    rows = out.split("\n")
    at = next(number for number, row in enumerate(rows) if "unknown-type" in row)
    assert rows[at].startswith(f"{DEMO}:48:")
    start = rows[at + 1].index('"workspace_checkpoint"')
    assert rows[at + 2] == "       | " + " " * (start - 9) + "^" * len('"workspace_checkpoint"')
    assert rows[-2].startswith("1 error, 1 warning, 2 information in 1 file")
    assert "\x1b" not in out


def test_concise_is_a_line_each(said: Any) -> None:
    _, out, _ = said("check", "--output-format", "concise", str(DEMO))
    rows = out.rstrip("\n").split("\n")
    assert len(rows) == len(FINDINGS[DEMO.name])
    assert rows[0].startswith(f"{DEMO}:48:") and ": information[unknown-type] " in rows[0]


def test_levels(said: Any) -> None:
    status, out, _ = said("check", "--output-format", "jsonl", "--min-level", "error", str(DEMO))
    assert status == 1 and {json.loads(row)["severity"] for row in out.split("\n") if row} == {"error"}
    assert said("check", "--fail-level", "never", str(DEMO))[0] == 0
    assert said("check", "--fail-level", "error", str(DEMO))[0] == 1
    assert said("check", "--min-level", "error", "--output-format", "jsonl", str(SESSIONS / HEALTHY.name))[0] == 0


def test_packed_files_and_standard_input(said: Any, tmp_path: Path) -> None:
    packed = tmp_path / f"{DEMO.name}.zst"
    packed.write_bytes(zstandard.compress(DEMO.read_bytes()))
    plain = json.loads(said("check", "--output-format", "json", str(DEMO))[1])
    unpacked = json.loads(said("check", "--output-format", "json", str(packed))[1])
    piped = run("check", "--output-format", "json", "-", given=DEMO.read_bytes())
    for rows, path in ((unpacked, str(packed)), (json.loads(piped.stdout), "<stdin>")):
        assert {row["path"] for row in rows} == {path}
        assert [{**row, "path": "", "related": []} for row in rows] == [
            {**row, "path": "", "related": []} for row in plain
        ]
    assert said("outline", str(packed))[1] == said("outline", str(DEMO))[1]


def test_any_named_file_is_checked(said: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"<html>\n\xff\x00\n")
    (tmp_path / "empty").write_bytes(b"")
    status, out, err = said("check", "--output-format", "jsonl", str(tmp_path / "notes.txt"), str(tmp_path / "empty"))
    assert (status, err) == (1, "")
    codes = [json.loads(row)["code"] for row in out.split("\n") if row]
    assert codes[0] == "empty-file" and len(codes) >= 2
    assert said("check", str(tmp_path / "empty"))[0] == 1


# -- what cannot be
def _one_line(result: tuple[int, str, str]) -> str:
    status, out, err = result
    assert (status, out) == (2, "")
    assert err.startswith("rollout-ls: ") and err.endswith("\n") and err.count("\n") == 1, err
    return err.removeprefix("rollout-ls: ").rstrip("\n")


@pytest.mark.parametrize("command", ["check", "outline", "show"])
def test_bad_paths(said: Any, tmp_path: Path, command: str) -> None:
    name = "rollout-2026-01-02T03-04-05-0199aaaa-0000-7000-8000-000000000001.jsonl"
    (tmp_path / name).mkdir()
    (tmp_path / "fresh").mkdir()
    assert _one_line(said(command, str(tmp_path / "none"))).endswith("none: no such file or folder")
    assert _one_line(said(command, str(tmp_path / name))).endswith(".jsonl: is a folder, not a rollout")
    assert "fresh: " in _one_line(said(command, str(tmp_path / "fresh")))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert _one_line(said(command, str(tmp_path / "pipe"))).endswith("pipe: is no regular file")


def test_a_file_that_cannot_be_read_hides_no_other(said: Any, tmp_path: Path) -> None:
    status, out, err = said("check", "--output-format", "jsonl", str(tmp_path / "none"), str(DEMO))
    assert status == 2 and err.count("\n") == 1
    assert len([row for row in out.split("\n") if row]) == len(FINDINGS[DEMO.name])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["check"], "missing argument"),
        (["check", "--bogus", "x"], "no such option"),
        (["check", "--output-format", "xml", "x"], "invalid value"),
        (["check", "--min-level", "loud", "x"], "invalid value"),
        (["chek"], "no such command"),
        (["outline"], "missing argument"),
        (["show", "a", "b"], "unexpected extra argument"),
        (["server", "--port", "1"], "no such option"),
        (["--bogus"], "no such option"),
    ],
)
def test_misuse(said: Any, words: list[str], says: str) -> None:
    assert says in _one_line(said(*words))


def test_help_and_version(said: Any) -> None:
    assert said("--version") == (0, f"rollout-ls {__version__}\n", "")
    status, out, _ = said("--help")
    assert status == 0 and all(name in out for name in ("check", "outline", "show", "server"))
    status, out, err = said()
    assert (status, out) == (2, "") and err.startswith("Usage:")


def test_an_inner_fault_is_one_line_without_content(said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("private text of a rollout")

    monkeypatch.setattr("rollout_ls.cli.outline.load", fail)
    line = _one_line(said("outline", str(DEMO)))
    assert line.startswith("inner fault: RuntimeError") and "private" not in line


def test_an_inner_fault_hides_no_other_file(said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from rollout_ls.cli import check

    def fail(path: str, *words: Any, **options: Any) -> Any:
        if path == str(HEALTHY):
            raise RuntimeError("private text of a rollout")
        return known(path, *words, **options)

    known = check.load
    monkeypatch.setattr("rollout_ls.cli.check.load", fail)
    status, out, err = said("check", "--output-format", "jsonl", str(DEMO), str(HEALTHY))
    assert status == 2 and "private" not in err and err.count("\n") == 1
    assert len([row for row in out.split("\n") if row]) == len(FINDINGS[DEMO.name])


@pytest.mark.parametrize(
    "words",
    [
        *(["check", "--output-format", form, *[str(SESSIONS)] * 3] for form in ("jsonl", "full", "sarif")),
        *(["show", str(DEMO)], ["outline", str(DEMO)], ["stats", str(SESSIONS)], ["rules"], ["--help"]),
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_fault(words: list[str]) -> None:
    """Without a word, with the status of what a signal for it ends: neither "clean" nor "trouble"."""
    command = [sys.executable, "-m", "rollout_ls", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes streams")
@pytest.mark.parametrize(
    ("words", "streams", "status"),
    [
        *(("check nowhere", "2>&-", 2), ("check nowhere", "2>/dev/full", 2), ("nonsense", "2>&-", 2), ("", "2>&-", 2)),
        *(
            ("rules", ">&-", 2),
            ("rules", ">&- 2>&-", 2),
            ("rules", "2>&-", 0),
            ("rules", "<&-", 0),
            ("check -", "<&-", 2),
        ),
    ],
)
def test_closed_streams_change_no_status(words: str, streams: str, status: int) -> None:
    command = f"exec {sys.executable} -m rollout_ls {words} {streams}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=60)
    assert (done.returncode, b"inner fault" in done.stderr) == (status, False), done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rollout_ls", "rules"], stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert (done.returncode, done.stderr) == (2, b"rollout-ls: no space left on device\n")


# -- outline and show
def test_outline_as_text_and_as_symbols(said: Any) -> None:
    status, out, _ = said("outline", "--output-format", "json", str(DEMO))
    symbols = json.loads(out)
    assert status == 0 and symbols[0]["name"].startswith("Session ")

    def names(level: list[dict[str, Any]], depth: int) -> list[tuple[int, str]]:
        return [row for one in level for row in [(depth, one["name"]), *names(one.get("children", []), depth + 1)]]

    status, out, _ = said("outline", str(DEMO))
    rows = out.rstrip("\n").split("\n")
    assert len(rows) == len(names(symbols, 0))
    for row, (depth, name) in zip(rows, names(symbols, 0), strict=True):
        assert row[4:].startswith("  " * depth + name)


def test_show_tells_the_same_as_its_json(said: Any) -> None:
    status, out, _ = said("show", "--output-format", "json", str(DEMO))
    shown = json.loads(out)
    assert status == 0 and {"session", "turns", "usage", "counts", "skipped"} <= set(shown)
    status, text, _ = said("show", str(DEMO))
    assert status == 0
    assert f"Session {shown['session']['id']}" in text
    for turn in shown["turns"]:
        assert f"\nTurn {turn['number']}  {turn['status']}" in text
        assert turn["text"].split("\n")[0] in text


@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda path: path.name[8:27])
def test_every_fixture_can_be_shown(said: Any, path: Path) -> None:
    for command in ("outline", "show"):
        status, out, err = said(command, str(path))
        assert (status, err) == (0, "") and out
        assert "\x1b" not in out and "\u202e" not in out


# -- what is imported
def _modules(words: list[str]) -> set[str]:
    """The modules that are there when a command has run (the server's own entry is not run)."""
    code = f"""
import sys
import rollout_ls.{"lsp.server" if words == ["server"] else "__main__"} as entry
if entry.__name__.endswith('server'):
    entry.main = lambda: 0
from rollout_ls.__main__ import main
sys.argv[1:] = {words!r}
main()
sys.stderr.write(' '.join(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    return set(done.stderr.decode().split())


def test_the_server_pays_for_no_command_line() -> None:
    assert not {"click", "rich", "zstandard", "rollout_ls.cli"} & _modules(["server"])


def test_the_command_line_pays_for_no_protocol() -> None:
    assert not {"pygls", "lsprotocol", "rollout_ls.lsp", "rich", "zstandard"} & _modules(["check", str(DEMO)])
