"""What ``check`` says of packed files that are none, or not whole: nothing of their content that it cannot know."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from rollout_ls.cli.app import main

NAME = "rollout-2026-07-20T10-00-00-0199b000-0000-7000-8000-000000000001.jsonl.zst"
PACKED = zstandard.compress(b'{"timestamp":"t","type":"nobody"}\n' * 9)


def checked(capfd: pytest.CaptureFixture[str], path: Path, data: bytes) -> tuple[int, str, str]:
    """(exit status, stdout, stderr)"""
    path.write_bytes(data)
    status = main(["check", "--output-format", "concise", str(path)])
    out, err = capfd.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("data", "why"),
    [(PACKED[: len(PACKED) // 2], "ends early"), (b"plain text\n", "no zstd file")],
    ids=["half", "no zstd"],
)
def test_a_file_that_cannot_be_unpacked_is_not_called_empty(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, data: bytes, why: str
) -> None:
    status, out, err = checked(capfd, tmp_path / NAME, data)
    assert (status, out) == (2, "")
    assert why in err and err.count("\n") == 1


def test_a_file_without_a_byte_is_empty_whatever_its_name(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, err = checked(capfd, tmp_path / NAME, b"")
    assert (status, err) == (1, "")
    assert "[empty-file]" in out
