"""The generator's files are as long-lined as real ones and the same each time; the harness works on a small file."""

from __future__ import annotations

import importlib.util
import pathlib
import sys
import time

import orjson
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
for place in (str(ROOT / "tests"), str(ROOT)):
    if place not in sys.path:
        sys.path.insert(0, place)

from bench import bars, generate, long_row, page, run, side  # noqa: E402
from bench.generate import quantile  # noqa: E402
from bench.measuring import Row, Side  # noqa: E402

SERVER_THERE = all(
    importlib.util.find_spec(name) for name in ("rollout_ls.lsp.server", "rollout_ls.workspace.document")
)


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return list(generate.generate(2_000_000, 1))


def test_line_lengths_are_those_of_real_files(lines: list[bytes]) -> None:
    sizes = sorted(len(line) for line in lines)
    assert 600 <= quantile(sizes, 0.5) <= 900
    assert 2_500 <= quantile(sizes, 0.9) <= 4_000
    assert 15_000 <= quantile(sizes, 0.99) <= 40_000
    assert abs(sum(sizes) - 2_000_000) < 40_000


def test_a_quarter_of_the_lines_is_not_ascii(lines: list[bytes]) -> None:
    share = sum(not line.isascii() for line in lines) / len(lines)
    assert 0.15 < share < 0.35


def test_same_seed_same_bytes(lines: list[bytes]) -> None:
    assert list(generate.generate(2_000_000, 1)) == lines
    assert list(generate.generate(2_000_000, 2)) != lines


def test_lines_are_made_one_after_the_other() -> None:
    started = time.perf_counter()
    assert next(iter(generate.generate(10**12, 1))).endswith(b"}\n")
    assert time.perf_counter() - started < 5


def test_every_turn_is_closed_and_every_call_has_its_output(lines: list[bytes]) -> None:
    payloads = [orjson.loads(line)["payload"] for line in lines]
    kinds = [payload.get("type") for payload in payloads]
    assert kinds.count("task_started") == kinds.count("task_complete") + kinds.count("turn_aborted") > 10
    calls = [p["call_id"] for p in payloads if p.get("type") in ("function_call", "custom_tool_call")]
    outputs = [p["call_id"] for p in payloads if p.get("type") in ("function_call_output", "custom_tool_call_output")]
    assert sorted(calls) == sorted(outputs) and len(set(calls)) == len(calls)


def test_big_files_hold_lines_of_a_megabyte_that_are_compactions() -> None:
    big = [line for line in generate.generate(7_000_000, 5) if len(line) > 600_000]
    assert big and all(b'"type":"compacted"' in line[:80] and len(line) < 2_200_000 for line in big)


@pytest.mark.parametrize(("text", "size"), [("10MB", 10_000_000), ("0.2MB", 200_000), ("12kB", 12_000), ("7", 7)])
def test_sizes(text: str, size: int) -> None:
    assert generate.parse_size(text) == size


def test_statistics_count_every_line(lines: list[bytes]) -> None:
    table = generate.stats(lines)
    assert table.startswith(f"{len(lines):,} lines, {sum(map(len, lines)):,} bytes: median ")
    assert "?" not in table


def test_long_rows_are_a_megabyte_of_ascii_and_begin_between_two_letters() -> None:
    for _, given in long_row.inputs():
        row, column = given.place
        assert given.data.split(b"\n")[row] == given.row and given.row.isascii()
        assert 900_000 < len(given.row) < 1_300_000
        assert given.row[column - 1 : column + 1].isalpha()
        assert all(orjson.loads(line) for line in given.data.split(b"\n") if line)


def test_the_array_for_the_other_server_holds_the_same_records(lines: list[bytes]) -> None:
    array = side.as_array(b"".join(lines))
    assert orjson.loads(array) == [orjson.loads(line) for line in lines]
    assert array.split(b"\n")[8] == lines[7].strip() + b","


def test_the_page_tells_what_is_met_and_why_something_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.page.REASONS", {"slow thing": "it is slow."})
    rows = [
        Row("fast thing", "1 MB", "1.00 ms", "2.00 ms", 0.5, 1.0),
        Row("slow thing", "1 MB", "4.00 ms", "2.00 ms", 2.0, 1.0),
        Row("slow thing", "10 MB", "6.00 ms", "2.00 ms", 3.0, 1.0),
        Row("strange thing", "1 MB", "4.00 ms", "2.00 ms", 2.0, 1.0),
        Row("  aside", "1 MB", "4.00 ms"),
        Side("open", "1 MB", dict.fromkeys(side.NAMES, "3.00 ms")),
    ]
    text = page.page(rows, ["--size", "1"], 90.0)
    assert "1 of 4 bars are met." in text
    assert "- **slow thing** (2.00 instead of 1 at 1 MB, 3.00 instead of 1 at 10 MB): it is slow.\n" in text
    assert "- **strange thing** (2.00 instead of 1 at 1 MB): not looked into yet.\n" in text
    assert "| open | 1 MB | 3.00 ms | 3.00 ms | 3.00 ms | 3.00 ms |" in text
    assert "`python tests/bench/run.py --size 1`" in text and "1.5 minutes" in text
    assert "**fast thing**" not in text


@pytest.mark.skipif(not SERVER_THERE, reason="no server yet")
def test_harness_measures_a_small_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.measuring.RUNS", 1)
    monkeypatch.setattr("bench.measuring.ROUNDS_SECONDS", 0.0)
    monkeypatch.setattr("bench.stdio.EDITS", 4)
    monkeypatch.setattr("bench.stdio.PLACES", 10)
    monkeypatch.setattr("bench.stdio.GROWTH_EDITS", 40)
    monkeypatch.setattr("bench.stdio.GROWTH_WARM_UP", 20)
    monkeypatch.setattr("bench.stdio.ASKED_AFTERWARDS", 5)
    own = ",".join(name for name in bars.BY_NAME if name != "side")  # which would install another server
    assert run.main(["--size", "0.2", "--only", own]) == 0, capsys.readouterr().out
    told = capsys.readouterr().out
    assert all(word in told for word in ("eager pass", "open to findings", "append a line", "resident", "hover"))
    assert "NOT found" not in told and "none wanted" not in told
