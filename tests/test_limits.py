"""Each limit acts at its setting, and is said once when it is reached."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from rollout_ls.features.outline import outline
from rollout_ls.features.symbol import Symbol
from rollout_ls.projection.surroundings import Limits, Surroundings
from rollout_ls.rules.finding import Finding
from rollout_ls.workspace import packed
from rollout_ls.workspace.document import Change, Document
from rollout_ls.workspace.files import Pieces
from rollouts import Rollout, turn_id

NAME = "rollout-2026-01-02T03-04-05-0199aaaa-0000-7000-8000-000000000001.jsonl"


def session(turns: int = 1, said: int = 1) -> bytes:
    rollout = Rollout()
    for number in range(1, turns + 1):
        rollout.start(turn_id(number))
        rollout.user(f"Do the thing number {number}")
        for one in range(said):
            rollout.said(f"Done with {one}.")
        rollout.end(turn_id(number))
    return b"".join(line + b"\n" for line in rollout.lines)


def document(text: bytes, **limits: int) -> Document:
    made = Document("untitled:x", 1, [text])
    made.surround(Surroundings(limits=Limits(**limits)))
    return made


def told(made: Document) -> list[tuple[str, str]]:
    """(code, the message where it is a limit's) of all findings."""
    found = made.finish()
    return [(one.code, one.message if one.code == "limit" else "") for one in found]


def limits_of(findings: tuple[Finding, ...]) -> list[Finding]:
    return [one for one in findings if one.code == "limit"]


def test_nothing_is_said_where_nothing_is_reached() -> None:
    assert told(document(session(3, 3))) == []


def test_long_records_are_not_read() -> None:
    long = b'{"timestamp":"2026-07-20T10:09:00Z","type":"event_msg","payload":{"type":"nope","x":"%s"}}\n' % (
        b"a" * 9000
    )
    made = document(session() + long * 2, row_bytes=8192)
    assert told(made) == [("limit", "2 records of over 8.2 kB not read.")]
    (finding,) = made.findings()
    assert (finding.severity, made.buffer.row_of(finding.place.line), finding.place.start) == ("information", 0, 0)
    made.surround(Surroundings(limits=Limits(row_bytes=10_000)))
    assert told(made) == [("unknown-type", "")]


def test_a_long_first_record_is_no_missing_header() -> None:
    text = session()
    header = text.partition(b"\n")[0]
    made = document(text, row_bytes=len(header) - 1)
    assert "missing-meta" not in {code for code, _ in told(made)}


def test_one_long_line_and_nothing_else() -> None:
    assert told(document(b"[" * 5000, row_bytes=4096)) == [("limit", "A record of over 4.1 kB not read.")]


def test_records_behind_the_limit_of_the_file_are_not_read() -> None:
    text = session(200)
    made = document(text, file_bytes=len(text) // 2)
    (code, message), *others = told(made)
    assert (code, others) == ("limit", [])
    assert message.startswith("The last ") and "not read" in message
    assert 50 < len(made.session().turns) < 200
    half = made.buffer.row_count // 2
    made.edit([Change((5, 0), (half, 0), b"")], 2, "utf-8")  # what stood behind the limit has moved before it
    assert "limit" not in {code for code, _ in told(made)}
    assert made.buffer.last_line is not None and made.buffer.last_line.reading.statements
    made.edit([Change((0, 0), (0, 0), b" " * len(text))], 3, "utf-8")  # and now all is behind it again
    assert "limit" in {code for code, _ in told(made)}


@pytest.mark.parametrize("deepest", [64, 512])
def test_deep_nesting_is_cropped(deepest: int) -> None:
    deep = b'{"timestamp":"2026-07-20T10:09:00Z","type":"event_msg","payload":{"type":"nope","x":%s}}\n'
    made = document(session() + deep % (b"[" * 3000 + b"]" * 3000), nesting=deepest)
    limit = ("limit", f"A record nests over {deepest} levels deep; what stands deeper is left out.")
    assert (limit in told(made)) == (deepest < 128)  # deeper, another finding tells it of each record
    assert "too-deep" in {code for code, _ in told(made)}


def test_findings() -> None:
    text = session() + b'{"timestamp":"2026-07-20T10:09:00Z","type":"nope"}\nnull\n' * 9
    made = document(text, findings=4)
    found = made.finish()
    assert [one.code for one in found if one.code != "limit"] == ["not-object"] * 4
    (limit,) = limits_of(found)
    assert "6 more findings are left out (at most 4 are shown" in limit.message


def test_symbols() -> None:
    made = document(session(3, 10), symbols=20)

    def count(symbols: tuple[Symbol, ...]) -> int:
        return sum(1 + count(one.children) for one in symbols)

    symbols = outline(made.session(), Limits(symbols=20))
    assert count(symbols) <= 20 + 4
    assert sum(one.name.startswith("Turn ") for one in symbols) == 3
    (limit,) = limits_of(made.finish())
    assert "first 18 entries" in limit.message
    assert not limits_of(document(session(3, 10)).finish())


def test_a_packed_file_stops_at_its_size(tmp_path: Path) -> None:
    path, text = tmp_path / f"{NAME}.zst", session(50)
    path.write_bytes(zstandard.compress(text))
    pieces = Pieces(str(path), limits=Limits(zst_bytes=len(text) // 2))
    read = b"".join(pieces)
    assert text.startswith(read) and read.endswith(b"\n") and len(read) <= len(text) // 2
    assert pieces.reached is not None and pieces.reached.limit == "zstBytes"
    made = Document("file:///x", None, [read], on_disk=True)
    made.surround(Surroundings(reached=(pieces.reached,)))
    (limit,) = limits_of(made.finish())
    assert "not read to its end" in limit.message


def test_a_bomb_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: object) -> None:
    from rollout_ls.cli.app import main

    monkeypatch.setattr(packed, "FREE_BYTES", 4 << 20)
    path = tmp_path / f"{NAME}.zst"
    path.write_bytes(zstandard.compress(session() + b"\n" * (100 << 20)))
    assert main(["check", "--output-format", "concise", str(path)]) == 0
    out, err = capsysbinary.readouterr()  # type: ignore[attr-defined]
    assert b"information[limit]" in out and b"1,000 times" in out
    assert err == b""


def test_severities_and_what_is_off() -> None:
    text = session() + b"null\n"
    made = document(text)
    assert [one.severity for one in made.finish()] == ["error"]
    made.surround(Surroundings(levels={"not-object": "hint"}))
    assert [one.severity for one in made.finish()] == ["hint"]
    made.surround(Surroundings(levels={"not-object": "hint"}, mildest="information"))
    assert made.finish() == ()
    made.surround(Surroundings(codes=frozenset({"secret"})))
    assert made.finish() == ()


def test_secrets_come_and_go_with_their_code() -> None:
    rollout = Rollout()
    rollout.user("my key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789")
    made = document(b"".join(line + b"\n" for line in rollout.lines))
    assert "secret" in {one.code for one in made.finish()}
    made.surround(Surroundings(codes=frozenset({"bom"})))
    assert made.finish() == ()
    made.surround(Surroundings())
    assert "secret" in {one.code for one in made.finish()}
