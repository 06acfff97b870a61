"""Which files a path means, and that reading one neither hangs nor loses anything silently."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import zstandard

from rollout_ls.projection.surroundings import Limits
from rollout_ls.workspace import files, packed
from rollout_ls.workspace.files import FileProblem, Pieces, find_rollouts

NAME = "rollout-2026-01-02T03-04-05-0199aaaa-0000-7000-8000-000000000001.jsonl"


def _touch(path: Path, data: bytes = b"{}\n") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def _reasons(*paths: str) -> list[str]:
    return [problem.reason for problem in find_rollouts(paths).problems]


def test_a_folder_means_the_rollouts_below_it(tmp_path: Path) -> None:
    plain = _touch(tmp_path / "2026" / "01" / NAME)
    packed_only = _touch(tmp_path / "2026" / NAME.replace("03-04-05", "09-09-09")) + ".zst"
    os.rename(packed_only.removesuffix(".zst"), packed_only)
    _touch(tmp_path / "2026" / "01" / f"{NAME}.zst")
    _touch(tmp_path / "history.jsonl")
    _touch(tmp_path / "rollout-notes.json")
    found = find_rollouts([str(tmp_path)])
    assert found.paths == tuple(sorted([plain, packed_only]))
    assert found.problems == ()


def test_a_named_file_is_itself_and_comes_once(tmp_path: Path) -> None:
    other = _touch(tmp_path / "history.jsonl")
    plain = _touch(tmp_path / NAME)
    assert find_rollouts([other, plain, plain, str(tmp_path)]).paths == tuple(sorted([other, plain]))


def test_linked_folders_are_not_followed(tmp_path: Path) -> None:
    _touch(tmp_path / "real" / NAME)
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen" / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "seen" / "loop").symlink_to(tmp_path / "seen")
    assert _reasons(str(tmp_path / "seen")) == ["no rollout (rollout-*.jsonl, rollout-*.jsonl.zst) below this folder"]
    assert len(find_rollouts([str(tmp_path / "seen" / "linked")]).paths) == 1


def test_problems_are_told(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    assert _reasons(str(tmp_path / "none")) == ["no such file or folder"]
    assert _reasons(str(tmp_path / NAME)) == ["is a folder, not a rollout"]
    assert _reasons(str(tmp_path)) == ["is a folder, not a rollout"]
    assert _reasons(str(tmp_path / NAME / "x" / "y")) == ["no such file or folder"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(FileProblem, match="is no regular file"):
        Pieces(str(tmp_path / NAME))


def test_no_permission(tmp_path: Path) -> None:
    path = _touch(tmp_path / NAME)
    os.chmod(path, 0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read everything")
    with pytest.raises(FileProblem, match="no permission to read it"):
        Pieces(path)


def test_a_problem_is_one_printable_line(tmp_path: Path) -> None:
    assert str(FileProblem("a\nb\x1b[31m\u202e", "is gone")) == "a b<U+202E>: is gone"


def test_plain_bytes_come_as_they_are(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf{}\r\n\x00\xff" * 300_000
    pieces = Pieces(_touch(tmp_path / NAME, data))
    assert b"".join(pieces) == data
    assert pieces.problem is None


def test_packed_bytes_are_unpacked(tmp_path: Path) -> None:
    data = b"".join(b'{"n":%d}\n' % n for n in range(200_000))
    two = zstandard.compress(data[:1000]) + zstandard.ZstdCompressor(write_checksum=True).compress(data[1000:])
    skipped = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    pieces = Pieces(_touch(tmp_path / f"{NAME}.zst", skipped + two))
    assert b"".join(pieces) == data
    assert pieces.problem is None


@pytest.mark.parametrize("kept", [-1, -5, 100_000, 12])
def test_a_packed_file_that_ends_early_says_so(tmp_path: Path, kept: int) -> None:
    data = os.urandom(300_000)
    pieces = Pieces(_touch(tmp_path / f"{NAME}.zst", zstandard.compress(data)[:kept]))
    assert data.startswith(b"".join(pieces))
    assert pieces.problem is not None and pieces.problem.reason == "its packed data ends early"


def test_what_is_not_packed_says_so(tmp_path: Path) -> None:
    pieces = Pieces(_touch(tmp_path / f"{NAME}.zst", b'{"type":"session_meta"}\n'))
    assert list(pieces) == []
    assert pieces.problem is not None and "no zstd file" in pieces.problem.reason


def test_a_bomb_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "FREE_BYTES", 4 << 20)
    pieces = Pieces(_touch(tmp_path / f"{NAME}.zst", zstandard.compress(b"\n" * (100 << 20))))
    assert sum(map(len, pieces)) <= 8 << 20
    assert pieces.problem is not None and "1,000 times" in pieces.problem.reason
    assert pieces.reached is not None and pieces.reached.limit == "zstRatio"


def test_a_few_packed_bytes_do_not_become_lines_without_end(tmp_path: Path) -> None:
    pieces = Pieces(_touch(tmp_path / f"{NAME}.zst", zstandard.compress(b"[]\n" * (30 << 20))))
    assert sum(piece.count(b"\n") for piece in pieces) < 1 << 20
    assert pieces.reached is not None and pieces.reached.limit == "zstRatio"


def test_the_number_of_lines_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINES", 10)
    pieces = Pieces(_touch(tmp_path / NAME, b"\n" * (2 << 20)))
    assert sum(map(len, pieces)) == files.PIECE_BYTES
    assert pieces.problem is not None and pieces.problem.reason == "only its first 1,048,576 lines were read"


def test_a_disk_that_fails_says_so(tmp_path: Path) -> None:
    reader = Pieces(_touch(tmp_path / NAME, b"x")).reader()
    assert reader is not None and reader(0, 1) == b"x"
    with pytest.raises(FileProblem, match="invalid argument"):
        reader(-1, 1)


def test_a_cap_holds(tmp_path: Path) -> None:
    pieces = Pieces(_touch(tmp_path / NAME, b"x" * 5000), limits=Limits(file_bytes=4096))
    assert sum(map(len, pieces)) == 4096
    assert pieces.problem is not None and pieces.problem.reason == "only its first 4.1 kB were read"
    exact = Pieces(str(tmp_path / NAME), limits=Limits(file_bytes=5000))
    assert sum(map(len, exact)) == 5000
    assert exact.problem is None


def test_names() -> None:
    assert all(map(files.is_rollout_name, (NAME, NAME + ".zst", "rollout-.jsonl")))
    assert not any(map(files.is_rollout_name, ("x" + NAME, NAME + "x", "rollout.jsonl")))
