"""``check`` with chosen codes, statistics, and the formats of workflows and code scanners; ``stats``."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
from sarif_pydantic import Sarif

from rollout_ls import __version__
from rollout_ls.cli.app import main
from rollout_ls.rules.finding import Finding, Related
from rollout_ls.rules.registry import RULES
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.rows import Place
from rollout_ls.wire.github import github_line
from rollout_ls.wire.report import FindingRow, finding_rows

SESSIONS = Path(__file__).resolve().parent.parent / "fixtures" / "sessions"
FINDINGS = json.loads((SESSIONS.parent / "findings.json").read_text("utf-8"))
(DEMO,) = SESSIONS.glob("rollout-2026-06-12T09-30-00-*.jsonl")
(HEALTHY,) = SESSIONS.glob("rollout-2026-03-14T16-02-10-*.jsonl")
HEADER = (
    '{"timestamp":"2026-03-02T10:00:00.000Z","type":"session_meta","payload":{"id":"019ca1f0-5b7c-7d33-9a41-2f6be08c1d77",'
    '"timestamp":"2026-03-02T10:00:00.000Z","cwd":"/home/ana/shop","originator":"codex_cli_rs","cli_version":"0.106.0"}}\n'
)


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs a command line in this process: (exit status, stdout, stderr)."""

    def ask(*words: str) -> tuple[int, str, str]:
        status = main(words)
        out, err = capfd.readouterr()
        return status, out, err

    return ask


def codes(out: str) -> Counter[str]:
    return Counter(json.loads(row)["code"] for row in out.split("\n") if row)


def all_codes() -> Counter[str]:
    return Counter(code for found in FINDINGS.values() for _, code in found)


def checked(said: Any, *words: str) -> tuple[int, Counter[str]]:
    status, out, err = said("check", "--output-format", "jsonl", *words, str(SESSIONS))
    assert err == ""
    return status, codes(out)


# -- select and ignore
def test_select(said: Any) -> None:
    expected = all_codes()
    status, found = checked(said, "--select", "shape,bad-json", "--select", "orphan-output")
    assert found == {code: expected[code] for code in ("shape", "bad-json", "orphan-output") if expected[code]}
    assert status == 1
    assert checked(said, "--select", "inherited-meta") == (0, Counter({"inherited-meta": expected["inherited-meta"]}))


def test_ignore(said: Any) -> None:
    expected = all_codes()
    _, found = checked(said, "--ignore", "shape", "--ignore", "bad-json, secret")
    assert found == {code: count for code, count in expected.items() if code not in ("shape", "bad-json", "secret")}
    assert checked(said, "--ignore", "ALL") == (0, Counter())
    _, found = checked(said, "--select", "ALL", "--ignore", "shape")
    assert found == {code: count for code, count in expected.items() if code != "shape"}


def test_a_code_that_is_no_rollouts_only_finding_can_be_ignored(said: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert said("check", "--ignore", "empty-file", str(tmp_path / "empty"))[0] == 0
    assert said("check", "--select", "shape", str(tmp_path / "empty"))[0] == 0


def test_unknown_codes_are_told(said: Any) -> None:
    for option in ("--select", "--ignore"):
        status, out, err = said("check", option, "shape,orphn-call", str(SESSIONS))
        assert (status, out) == (2, "")
        assert "'orphn-call'; did you mean orphan-call" in err and err.count("\n") == 1
    assert said("check", "--select", "all", str(SESSIONS))[0] == 2, "the word is ALL"
    assert said("check", "--select", "", str(SESSIONS))[0] == 2, "an empty variable must not pass for a clean check"


def test_unknown_fields_are_found_when_asked_for(said: Any, tmp_path: Path) -> None:
    path = tmp_path / "rollout-x.jsonl"
    row = '{"timestamp":"","type":"event_msg","payload":{"type":"agent_message","message":"","mood":{"a":1}}}\n'
    path.write_text(HEADER + row + row, "utf-8")
    assert said("check", "--output-format", "jsonl", str(path))[1] == ""
    status, out, _ = said("check", "--output-format", "jsonl", "--select", "unknown-field", str(path))
    (found,) = [json.loads(line) for line in out.split("\n") if line]
    assert status == 0
    assert (found["line"], found["severity"]) == (2, "hint")
    assert row[found["column"] - 1 : found["end_column"] - 1] == '"mood"'
    assert found["message"] == (
        "event_msg/agent_message has no field `payload.mood` in this version's catalogue (2 records, first here)."
    )


def test_what_is_chosen_is_not_cut_off_by_the_rest(said: Any, tmp_path: Path) -> None:
    """The limit counts what is wanted only, and says so when it is reached."""
    path = tmp_path / "rollout-x.jsonl"
    path.write_text(HEADER + "[1]\n" * 1500 + "null\n" + '{"a\n', "utf-8")
    _, out, _ = said("check", "--output-format", "jsonl", "--select", "bad-json", str(path))
    assert codes(out) == {"bad-json": 1}
    _, out, _ = said("check", "--output-format", "jsonl", "--select", "not-object", str(path))
    assert codes(out) == {"not-object": 1000, "limit": 1}
    _, out, _ = said("check", "--output-format", "jsonl", "--select", "not-object", "--ignore", "limit", str(path))
    assert codes(out) == {"not-object": 1000}


# -- statistics
def test_statistics_for_programs(said: Any) -> None:
    rows = said("check", "--output-format", "jsonl", "--statistics", str(SESSIONS))[1].rstrip("\n").split("\n")
    found, counts = [json.loads(row) for row in rows[:-1]], json.loads(rows[-1])["statistics"]
    assert list(counts) == ["files", "lines", "codes", "kinds", "unknown_kinds", "skipped_lines"]
    assert counts["files"] == len(FINDINGS)
    assert counts["codes"] == Counter(row["code"] for row in found)
    assert counts["unknown_kinds"]["weather_changed"] == 1
    assert counts["kinds"]["session_meta"] >= 10
    assert sum(counts["skipped_lines"].values()) >= 3
    array = json.loads(said("check", "--output-format", "json", "--statistics", str(SESSIONS))[1])
    assert array == [*found, {"statistics": counts}]
    assert json.loads(said("check", "--output-format", "json", "--statistics", str(HEALTHY))[1])[0]["statistics"]


def test_statistics_for_people(said: Any) -> None:
    rows = said("check", "--output-format", "concise", "--statistics", str(SESSIONS))[1].split("\n")
    assert f"Findings: {sum(all_codes().values())}" in rows
    assert "Records of unknown kinds: 4" in rows
    assert any(row.endswith("  session_meta") for row in rows)
    only = said("check", "--statistics", str(HEALTHY))[1]
    assert "Findings:" not in only and "Records:" in only


# -- github
def row_of(**values: Any) -> FindingRow:
    row = FindingRow("a.jsonl", 3, 5, 3, 9, 20, "warning", "shape", "wrong", ())
    return FindingRow(**{name: values.get(name, getattr(row, name)) for name in row.__struct_fields__})


def test_a_workflow_command() -> None:
    assert github_line(row_of()) == (
        "::warning file=a.jsonl,line=3,endLine=3,col=5,endColumn=8,title=rollout-ls shape::"
        "a.jsonl:3:5: warning[shape] wrong"
    )
    assert "col=" not in github_line(row_of(end_line=4))
    assert github_line(row_of(severity="hint")).startswith("::notice ")


def test_a_workflow_command_is_escaped() -> None:
    line = github_line(row_of(path="a,b:100%.jsonl", message="50% of\nthe line::set-output\r"))
    assert line.startswith("::warning file=a%2Cb%3A100%25.jsonl,line=3")
    assert line.endswith("50%25 of%0Athe line::set-output%0D")
    assert line.count("\n") == 0


def test_github_names_files_from_the_folder_on(said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SESSIONS.parent)
    _, out, _ = said("check", "--output-format", "github", str(DEMO))
    rows = out.rstrip("\n").split("\n")
    assert len(rows) == len(FINDINGS[DEMO.name])
    assert all(f" file=sessions/{DEMO.name},line=" in row for row in rows)


# -- sarif
def scanned(said: Any, *words: str) -> tuple[dict[str, Any], Sarif]:
    """The log as JSON, and as another project's reader takes it."""
    _, out, _ = said("check", "--output-format", "sarif", *words)
    return json.loads(out), Sarif.model_validate_json(out)


def test_sarif_is_read_by_others(said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SESSIONS.parent.parent)
    log, read = scanned(said, str(SESSIONS))
    assert read.version == "2.1.0"
    (run,) = read.runs
    driver = run.tool.driver
    assert (driver.name, log["runs"][0]["tool"]["driver"]["semanticVersion"]) == ("rollout-ls", __version__)
    rules = driver.rules or []
    assert [rule.id for rule in rules] == list(RULES)
    levels = {rule.default_configuration.level for rule in rules if rule.default_configuration}
    assert levels == {"error", "warning", "note"}
    rows = [json.loads(row) for row in said("check", "--output-format", "jsonl", str(SESSIONS))[1].split("\n") if row]
    results = run.results or []
    assert len(results) == len(rows)
    for result, row in zip(results, rows, strict=True):
        assert result.rule_id == row["code"] and rules[result.rule_index or 0].id == row["code"]
        assert result.message.text == row["message"]
        ((place),) = [one.physical_location for one in result.locations or []]
        assert place is not None and place.region is not None and place.artifact_location is not None
        assert (place.region.start_line, place.region.start_column) == (row["line"], row["column"])
        assert (place.region.end_line, place.region.end_column) == (row["end_line"], row["end_column"])
        assert (place.artifact_location.uri, place.artifact_location.uri_base_id) == (
            f"fixtures/sessions/{Path(row['path']).name}",
            "%SRCROOT%",
        )
    related = next(one for one in log["runs"][0]["results"] if one["ruleId"] == "orphan-call")["relatedLocations"]
    assert related[0]["id"] == 1 and related[0]["message"]["text"]


def test_sarif_tells_what_it_counts_in(said: Any) -> None:
    run = scanned(said, str(HEALTHY))[0]["runs"][0]
    assert run["columnKind"] == "utf16CodeUnits"
    assert run["newlineSequences"] == ["\r\n", "\n", "\r"]
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True}]
    rule = run["tool"]["driver"]["rules"][0]
    assert rule["name"] == "BadJson" and rule["help"]["markdown"].startswith("# bad-json\n")
    off = [one["id"] for one in run["tool"]["driver"]["rules"] if not one["defaultConfiguration"]["enabled"]]
    assert off == ["unknown-field"]


def test_sarif_addresses(said: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, away = tmp_path / "here", tmp_path / "away from here"
    for folder in (here, away):
        folder.mkdir()
        (folder / "rollout-a b#1%é.jsonl").write_bytes(b"[1]\n" + HEADER.encode())
    monkeypatch.chdir(here)
    log, _ = scanned(said, str(away), ".")
    addresses = [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in log["runs"][0]["results"]]
    near = {"uri": "rollout-a%20b%231%25%C3%A9.jsonl", "uriBaseId": "%SRCROOT%"}
    assert near in addresses
    (far,) = {one["uri"] for one in addresses if one != near}
    assert Path(unquote(urlparse(far).path)) == away / "rollout-a b#1%é.jsonl"
    assert "uri" not in log["runs"][0]["originalUriBaseIds"]["%SRCROOT%"]
    assert str(here) not in json.dumps(log)


def test_sarif_tells_what_could_not_be_read(said: Any, tmp_path: Path) -> None:
    status, out, err = said("check", "--output-format", "sarif", "--statistics", str(tmp_path / "none"), str(HEALTHY))
    (run,) = json.loads(out)["runs"]
    (invocation,) = run["invocations"]
    assert status == 2 and err.count("\n") == 1
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["level"] == "error"
    assert run["properties"]["statistics"]["files"] == 1


def test_sarif_of_standard_input(said: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "given").write_bytes(b"[1]\n")
    with open(tmp_path / "given", encoding="utf-8") as given:
        monkeypatch.setattr("sys.stdin", given)
        log, _ = scanned(said, "-")
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "stdin:"}


def test_sarif_tools_reads_it_too(said: Any, tmp_path: Path) -> None:
    """The best known reader, where it is installed; it brings too much along to be asked for."""
    loader = pytest.importorskip("sarif.loader")
    (tmp_path / "log.sarif").write_text(said("check", "--output-format", "sarif", str(SESSIONS))[1], "utf-8")
    files = loader.load_sarif_files(str(tmp_path / "log.sarif"))
    counts = {level: files.get_report().get_issue_count_for_severity(level) for level in ("error", "warning", "note")}
    rows = [json.loads(row) for row in said("check", "--output-format", "jsonl", str(SESSIONS))[1].split("\n") if row]
    levels = Counter(row["severity"] for row in rows)
    assert counts == {
        "error": levels["error"],
        "warning": levels["warning"],
        "note": levels["information"] + levels["hint"],
    }


def test_columns_are_utf16_units() -> None:
    buffer = Buffer(['{"a":"😀é","b":1}\n'.encode()])
    (line,) = buffer
    place = Place(line, 14, 17)
    (row,) = finding_rows("x", buffer, [Finding("shape", "error", place, "b", (Related(place, "here"),))])
    assert "col=12,endColumn=14" in github_line(row)


# -- stats
def test_stats(said: Any) -> None:
    report = json.loads(said("stats", "--output-format", "json", str(SESSIONS))[1])
    files = {Path(one["path"]).name: one for one in report["files"]}
    assert len(files) == len(FINDINGS)
    demo = files[DEMO.name]
    shown = json.loads(said("show", "--output-format", "json", str(DEMO))[1])
    assert demo["turns"] == sum(not turn["inherited"] for turn in shown["turns"])
    assert demo["tokens"] == shown["usage"]["own"]
    assert demo["user_messages"] == shown["counts"]["messages"]["user"]
    assert demo["id"] == shown["session"]["id"]
    total = report["total"]
    for name in ("turns", "calls", "failed_calls", "unanswered_calls", "lines", "bytes", "sessions"):
        assert total[name] == sum(one[name] for one in report["files"])
    assert total["tokens"]["total"] == sum(one["tokens"]["total"] for one in report["files"])
    assert total["id"] is None


def test_stats_do_not_count_what_was_copied(said: Any) -> None:
    files = json.loads(said("stats", "--output-format", "json", str(SESSIONS))[1])["files"]
    copies = [one for one in files if one["inherited_turns"]]
    assert copies
    for one in copies:
        shown = json.loads(said("show", "--output-format", "json", one["path"])[1])
        assert one["inherited_turns"] == sum(turn["inherited"] for turn in shown["turns"])
        assert one["tokens"] == shown["usage"]["own"]


def test_stats_as_a_table(said: Any) -> None:
    status, out, err = said("stats", str(SESSIONS))
    rows = out.rstrip("\n").split("\n")
    assert (status, err) == (0, "")
    assert rows[0].split() == ["turns", "calls", "failed", "open", "input", "cached", "output", "time"]
    assert len(rows) == len(FINDINGS) + 2
    assert rows[-1].endswith(f"  {len(FINDINGS)} files")
    assert said("stats", str(DEMO))[1].count("\n") == 2


def test_stats_of_what_is_no_rollout(said: Any, tmp_path: Path) -> None:
    (tmp_path / "rollout-a.jsonl").write_bytes(b"")
    (tmp_path / "rollout-b.jsonl").write_bytes(os.urandom(2000))
    status, out, _ = said("stats", "--output-format", "json", str(tmp_path), str(tmp_path / "none"))
    assert status == 2
    assert [one["turns"] for one in json.loads(out)["files"]] == [0, 0]
    assert said("stats", str(tmp_path / "none"))[:2] == (2, "")
