"""What looks like a secret is found and masked; what only resembles one is left alone."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollout_ls.text.secrets import byte_spans, mask, spans

# Made up, and put together here so that no scanner takes this file for a leak.
FAKES = [
    "sk-" + "proj-Ab1" * 5,
    "sk-" + "abcdefghijklmnopqrstuvwx",
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "11AAA_" * 6,
    "glpat-" + "x1y2z3-" * 3,
    "xoxb-" + "1234-abcd" * 3,
    "AKIA" + "IOSFODNN7EXAMPLE",
    "AIza" + "Sy_a-B" * 6,
    "npm_" + "a1" * 18,
    "hf_" + "Ab1" * 11,
    "eyJ" + "hbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxIn0" + "." + "c2lnbmF0dXJl",
]


@pytest.mark.parametrize("secret", FAKES)
@pytest.mark.parametrize("around", ["{}", "key: {} and", '"{}"', "\\n{}\\n", "https://x:{}@host/"])
def test_found_in_place(secret: str, around: str) -> None:
    text = around.format(secret)
    start = text.index(secret)
    assert spans(text) == [(start, start + len(secret))]
    assert secret not in mask(text) and secret[:3] + "•••" in mask(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abcdefghij0123456789xyz", "abcdefghij0123456789xyz"),
        ('{"authorization":"Basic dXNlcjpwYXNzd29yZDEyMw=="}', "dXNlcjpwYXNzd29yZDEyMw=="),
        ('\\"Authorization\\": \\"abcdefghij0123456789xyz\\"', "abcdefghij0123456789xyz"),
        ("export MY_API_KEY=abcdef-0123456789", "abcdef-0123456789"),
        ("DB_PASSWORD='correcthorsebattery!'", "correcthorsebattery!"),
        ("X_SECRET=0123456789abcdef;", "0123456789abcdef"),
    ],
)
def test_values_by_their_name(text: str, secret: str) -> None:
    start = text.index(secret)
    assert spans(text) == [(start, start + len(secret))]


def test_a_private_key_goes_whole() -> None:
    head, foot = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"
    key = head + "\n" + "MIIEabcdefghijkl0123\n" * 4 + foot
    assert mask(f"before {key} after") == "before ---••• after"
    assert mask(f"before {head} and words") == "before ---••• and words"


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer <your token goes here please>",
        "Authorization: Bearer $TOKEN_FROM_THE_ENVIRONMENT",
        "API_KEY=${OPENAI_API_KEY_FROM_SOMEWHERE}",
        "API_KEY=<put your key here ok>",
        "API_KEY=process.env.OPENAI_API_KEY",
        "SSH_KEY=/home/dev/.ssh/id_ed25519",
        "API_TOKEN=read_token_from_file(path)",
        "COMMIT_KEY=" + "0123456789abcdef" * 2,
        "COMMIT_KEY=" + "0123456789" * 4,
        "COMMIT_KEY=" + "01234567" * 8,
        "sk-toggleable__content sk-learn sk-estimator-doc-link",
        "npm_config_registry npm_package_version hf_hub_download",
        "a task-1234567890123456 at risk-1234567890123",
        "xox-and-friends",
        "the private key header is -----BEGIN",
        "SHORT_KEY=abc123",
    ],
)
def test_left_alone(text: str) -> None:
    assert spans(text) == []
    assert mask(text) is text


@given(st.lists(st.sampled_from([*FAKES, " ", "KEY=", "Authorization: ", "-", "x", "."])).map(" ".join))
def test_masking_twice_changes_nothing(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


@pytest.mark.parametrize(
    "piece",
    ["eyJ-", "eyJaaaaaaaa.", "sk-", "KEY=", "Authorization:", "-----BEGIN " + "PRIVATE KEY-----", "-----BEGIN "],
)
def test_time_is_linear(piece: str) -> None:
    start = time.perf_counter()
    spans(piece * 100_000)
    assert time.perf_counter() - start < 5


@given(
    st.lists(st.sampled_from([*FAKES, "é", "\U0001f600", " ", "=", "TOKEN=", "Authorization: ", '"', "x", "\udc80"]))
)
def test_spans_in_bytes_are_those_of_the_text(parts: list[str]) -> None:
    """Also where a byte is no character."""
    text = "".join(parts)
    data = text.encode("utf-8", "surrogateescape")
    found = [data[start:end] for start, end in byte_spans(data)]
    assert found == [text[start:end].encode("utf-8", "surrogateescape") for start, end in spans(text)]
