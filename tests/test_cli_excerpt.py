"""What the command line shows of a row: near the place, printable, masked, short."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rollout_ls.cli.excerpt import excerpt


def _shown(row: bytes, start: int, end: int, width: int = 80) -> tuple[str, str, str]:
    made = excerpt(row, start, end, width)
    return made.before, made.marked, made.after


def test_a_short_row_is_shown_whole() -> None:
    assert _shown(b'{"type":"x"}', 8, 11) == ('{"type":', '"x"', "}")


def test_a_long_row_is_cut_around_the_place() -> None:
    before, marked, after = _shown(b"a" * 1_000_000 + b"HERE" + b"b" * 1_000_000, 1_000_000, 1_000_004)
    assert before == "…" + "a" * 30
    assert marked == "HERE"
    assert after.endswith("b…") and len(before + marked + after) == 80


def test_a_long_place_is_cut() -> None:
    before, marked, after = _shown(b"x" * 5000, 0, 5000)
    assert (before, after) == ("", "")
    assert marked == "x" * 79 + "…"


def test_nothing_moves_the_terminal() -> None:
    assert _shown("\x1b[31mred\x1b[0m\u202e\t\x07".encode(), 5, 8) == ("", "red", "<U+202E> <U+0007>")


def test_a_secret_is_masked_wherever_it_begins() -> None:
    secret = b"sk-" + b"proj1234" * 20
    row = b"key: " + secret + b" end"
    assert _shown(row, 0, 4) == ("", "key:", " sk-••• end")
    assert _shown(row, 5, 5 + len(secret), 100) == ("key: ", "sk-•••", " end")
    assert _shown(row, 30, 60, 100)[1:] == ("", " end")
    assert "proj1234" not in "".join(_shown(row, 10, 20, 100))


@given(st.binary(max_size=300), st.integers(0, 320), st.integers(0, 320), st.integers(40, 120))
def test_any_bytes_give_something_short(row: bytes, start: int, end: int, width: int) -> None:
    made = excerpt(row, start, end, width)
    assert len(made.before + made.marked + made.after) <= width + 8
