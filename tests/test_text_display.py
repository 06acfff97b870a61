"""What a person is shown: nothing hidden, nothing that moves the terminal, nothing torn."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollout_ls.text.display import block, bytes_text, cut, duration_text, fence, inline_code, label

HOSTILE = st.text(
    st.sampled_from(
        "ab c\n\r\t\x1b[]0;m\x07\\\x9b\x9d\x90\u2028\u2029\x85\u202e\u200b\u200d\ufeff\ud800\udc00`~<U+é日😀\u0301"
    )
)
UNSEEN = {"Cc", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Fix the test", "Fix the test"),
        ("  two  words\t\n\r\n and\u2028lines\u0085end\u2029 ", "two words and lines end"),
        ("\x1b[31mred\x1b[0m \x1b]8;;http://x.example\x07link\x1b]8;;\x07", "red link"),
        ("\x1b]0;title\x1b\\shown \x9b1mbold \x9d0;t\x9cend", "shown bold end"),
        ("un\x1b]finished", "unfinished"),
        ("end\x1b", "end<U+001B>"),
        ("a\u202eb\u202cc\u200bd\ufeffe\x07f\x7f", "a<U+202E>b<U+202C>c<U+200B>d<U+FEFF>e<U+0007>f<U+007F>"),
        ("\U000e0041tag", "<U+E0041>tag"),
        ("lone \ud83d half", "lone \ufffd half"),
        ("日本 é 😀", "日本 é 😀"),
        ("", ""),
    ],
)
def test_label(text: str, shown: str) -> None:
    assert label(text, 200) == shown


def test_label_is_cut_with_an_ellipsis_that_counts() -> None:
    assert label("abcdef", 6) == "abcdef"
    assert label("abcdefg", 6) == "abcde…"
    assert label("abcd  efg", 6) == "abcd…"
    assert label("abcde   ", 6) == "abcde"


def test_a_cut_tears_no_escape_and_no_accent() -> None:
    assert label("abc\u202edef", 8) == "abc…"
    assert cut("ne\u0301e", 3) == ("n…", True)


def test_label_looks_no_further_than_it_shows() -> None:
    text = "x" * 50_000_000
    start = time.perf_counter()
    for _ in range(200):
        label(text, 60)
    assert time.perf_counter() - start < 2


@given(HOSTILE, st.integers(1, 30))
def test_label_is_one_harmless_line(text: str, limit: int) -> None:
    shown = label(text, limit)
    assert len(shown) <= limit
    assert "  " not in shown
    assert not any(unicodedata.category(one) in UNSEEN or one in "\u202e\u200b\u200d\ufeff" for one in shown)
    assert label(shown, limit) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\n\ttwo\r\nthree\n", "one\n\ttwo\nthree\n"),
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("10%\r\r\ndone\r", "10%\ndone"),
        ("old\rmac", "old\nmac"),
        ("a\u2028b\x0cc", "a<U+2028>b<U+000C>c"),
        ("\x1b[1mFAIL\x1b[0m test_a", "FAIL test_a"),
        ("  kept  spaces", "  kept  spaces"),
    ],
)
def test_block(text: str, shown: str) -> None:
    assert block(text) == shown


@given(HOSTILE)
def test_block_is_harmless(text: str) -> None:
    shown = block(text)
    assert not any(unicodedata.category(one) in UNSEEN and one not in "\n\t" for one in shown)
    assert block(shown) == shown


@pytest.mark.parametrize("piece", ["\x1b]", "\x90", "\r", "a\r", "\x1b[1", " \x1b[m", "\x1b]8;;x\x07", "\u200b"])
def test_time_is_linear(piece: str) -> None:
    start = time.perf_counter()
    block(piece * 200_000 + "\n")
    label(piece * 200_000, 10_000_000)
    assert time.perf_counter() - start < 5


@given(st.text(st.sampled_from("`a\n ~")))
def test_a_fence_is_longer_than_any_run_inside(text: str) -> None:
    fenced = fence(text, "diff")
    ticks = re.match("`+", fenced)[0]
    assert fenced.startswith(ticks + "diff\n")
    assert fenced.endswith(ticks)
    assert len(ticks) > max(map(len, re.findall("`+", text)), default=0)


def test_a_fence_takes_no_hostile_language() -> None:
    assert fence("x", "js onload=`") == "```\nx\n```"


def test_inline_code() -> None:
    assert inline_code("a b") == "`a b`"
    assert inline_code("a`b") == "``a`b``"
    assert inline_code("`a`") == "`` `a` ``"
    assert inline_code("") == "` `"
    assert inline_code("a\nb\x1b[0m") == "`a b`"


def test_sizes_and_durations() -> None:
    assert [bytes_text(n) for n in (0, 1, 999, 3200, 520_000, 1_100_000_000)] == [
        "0 bytes",
        "1 byte",
        "999 bytes",
        "3.2 kB",
        "0.5 MB",
        "1.1 GB",
    ]
    assert [duration_text(n) for n in (0, 850.4, 3200, 59_999, 65_000, 3_600_000, 7_380_000, 100_800_000, -5)] == [
        "0 ms",
        "850 ms",
        "3.2 s",
        "1 min",
        "1 min 5 s",
        "1 h",
        "2 h 3 min",
        "1 d 4 h",
        "-5 ms",
    ]
