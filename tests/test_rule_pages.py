"""The pages of the rules: one a code, true to the registry, and each example has what it is an example of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rollout_ls.lsp.findings import code_page
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.rules.pages import page_path, pages_folder
from rollout_ls.rules.registry import FAMILIES, RULES
from rollout_ls.workspace.document import Document

ROOT = Path(__file__).resolve().parent.parent
HEADER = (
    b'{"timestamp":"2026-03-02T10:00:00.000Z","type":"session_meta","payload":{"id":"019ca1f0-5b7c-7d33-9a41-2f6be08c1d77",'
    b'"timestamp":"2026-03-02T10:00:00.000Z","cwd":"/home/ana/shop","originator":"codex_cli_rs","cli_version":"0.106.0"}}\n'
)
WITHOUT_HEADER = {"nothing-recognised", "wrong-format"}
"""Codes of files that are no rollouts, so that their example needs none."""
_FENCE = re.compile(r"^```(\w+)( whole)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(code: str) -> str:
    path = page_path(code)
    assert path is not None
    return path.read_text("utf-8")


def findings(data: bytes) -> dict[str, str]:
    """Codes with severities of a text, those off by default too."""
    document = Document("file:///x/rollout.jsonl", 1, [data], on_disk=True)
    document.surroundings = Surroundings(codes=frozenset(RULES))
    return {finding.code: finding.severity for finding in document.finish()}


@pytest.mark.parametrize("code", RULES)
def test_every_code_has_a_page_of_the_same_making(code: str) -> None:
    text, rule = page(code), RULES[code]
    rows = text.split("\n")
    assert rows[:3] == [f"# {code}", "", f"**{rule.title}.**"]
    assert rows[4].startswith(f"Severity: **{rule.severity}**")
    assert f"Pass: {rule.when}" in text
    assert ("off by default" in text) == rule.default_off
    heads = [row for row in rows if row.startswith("## ")]
    assert heads == ["## What it means for you", "## Example", "## What to do", "## Related"]
    assert 20 <= len(rows) <= 42
    assert max(map(len, _FENCE.sub("", text).split("\n"))) <= 120


@pytest.mark.parametrize("code", RULES)
def test_links_lead_to_other_codes(code: str) -> None:
    links = re.findall(r"\[([^]]+)\]\(([^)]+)\)", _FENCE.sub("", page(code)))
    assert links
    for name, target in links:
        assert target == f"{name}.md" and name in RULES and name != code


@pytest.mark.parametrize("code", RULES)
def test_an_example_has_its_finding(code: str) -> None:
    ((language, whole, example),) = _FENCE.findall(page(code))
    if language != "jsonl":
        assert language == "text"
        return
    data = example.encode("utf-8")
    if code in ("truncated-tail", "no-final-newline"):
        data = data.rstrip(b"\n")
    found = findings(data if whole or code in WITHOUT_HEADER else HEADER + data)
    severity = RULES[code].severity
    assert found.get(code) == severity
    worse = {one for one, level in found.items() if level in ("error", "warning")} - {code}
    assert not worse, "an example shows one thing"


def test_no_page_is_left_over() -> None:
    assert {path.stem for path in pages_folder().glob("*.md")} == {*RULES, "README"}


def test_families_hold_every_rule_once() -> None:
    assert [rule.code for rules in FAMILIES.values() for rule in rules] == list(RULES)


def test_a_page_is_where_the_package_says() -> None:
    assert page_path("bad-json") == ROOT / "docs" / "rules" / "bad-json.md"
    assert page_path("no-such-code") is None
    assert page_path("../README") is None


def test_the_server_gives_the_same_page() -> None:
    address = code_page("bad-json")
    assert address is not None and address.startswith("file:///") and address.endswith("/docs/rules/bad-json.md")
    assert code_page("no-such-code") is None


def test_the_wheel_takes_the_pages_along() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '"docs/rules" = "rollout_ls/docs/rules"' in text
