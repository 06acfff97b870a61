"""The table of settings, what is made of it, and how values are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_ls.rules.registry import RULES
from rollout_ls.workspace.settings import (
    DEFAULTS,
    MAX_PROBLEMS,
    SETTINGS,
    codes_of,
    levels_of,
    problem_message,
    read_settings,
    schema_of,
)

ROOT = Path(__file__).parent.parent


def test_nothing_said_gives_the_defaults() -> None:
    for nothing in ((), (None,), ({},), ({"rollout": {}},), ({"rollout": None},), (None, {"limits": {}})):
        assert read_settings(*nothing) == read_settings()
        assert read_settings(*nothing).settings == DEFAULTS


def test_each_row_of_the_table_stands_for_a_field_and_takes_its_default() -> None:
    for setting in SETTINGS:
        assert "default" in schema_of(setting)
        if setting.who == "client":
            continue
        found = read_settings({setting.key: setting.default})
        assert found.problems == ()
        assert found.settings == DEFAULTS
        assert not setting.words or len(setting.words) == len(get_args(setting.kind))


@pytest.mark.parametrize(
    "source",
    [
        {"limits": {"findings": 7}, "hints": {"turn": False}, "hover": {"timeZone": "utc"}},
        {"limits.findings": 7, "hints.turn": False, "hover.timeZone": "utc"},
        {"rollout": {"limits": {"findings": 7}, "hints.turn": False, "hover": {"timeZone": "utc"}}},
        {"rollout.limits.findings": 7, "rollout.hints.turn": False, "rollout": {"hover.timeZone": "utc"}},
    ],
)
def test_keys_stand_below_each_other_or_have_dots(source: dict[str, Any]) -> None:
    read = read_settings(source)
    assert read.problems == ()
    assert read.settings.limits.findings == 7
    assert read.settings.hints.turn is False
    assert read.settings.hover.time_zone == "utc"


def test_later_sources_win_and_null_says_nothing() -> None:
    first = {"limits": {"findings": 7, "symbols": 8}, "rules": {"secret": "off"}}
    read = read_settings(first, {"limits": {"findings": 9, "symbols": None}, "rules": {"bom": "hint"}})
    assert (read.settings.limits.findings, read.settings.limits.symbols) == (9, 8)
    assert dict(read.settings.rules) == {"secret": "off", "bom": "hint"}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("text", "the section `rollout` must be an object"),
        ({"nope": 1}, "`nope` is unknown"),
        ({"limits": {"nope": 1}}, "`limits.nope` is unknown"),
        ({"limits": 5}, "`limits` is unknown"),
        ({"limits": {"findings": True}}, "`limits.findings` must be a whole number from 1 to 1000000"),
        ({"limits": {"findings": "5"}}, "`limits.findings` must be a whole number from 1 to 1000000"),
        ({"limits": {"findings": 0}}, "`limits.findings` must be a whole number from 1 to 1000000"),
        ({"limits": {"findings": 5.0}}, "`limits.findings` must be a whole number from 1 to 1000000"),
        ({"hints": {"turn": 1}}, "`hints.turn` must be true or false"),
        ({"minimumSeverity": "fatal"}, "`minimumSeverity` must be one of error, warning, information, hint"),
        ({"minimumSeverity": ["hint"]}, "`minimumSeverity` must be one of error, warning, information, hint"),
        ({"rules": []}, "`rules` must be an object of codes"),
        ({"rules": {"nope": "off"}}, "`rules` names no code `nope`"),
        ({"rules": {"bom": "no"}}, "`rules.bom` must be one of error, warning, information, hint, off"),
        ({"rules": {"bom": {}}}, "`rules.bom` must be one of error, warning, information, hint, off"),
    ],
)
def test_what_cannot_be_used_is_said_and_its_default_holds(source: object, problem: str) -> None:
    read = read_settings(source)
    assert read.problems == (problem,)
    assert read.settings == DEFAULTS


def test_one_bad_value_spoils_no_other() -> None:
    read = read_settings({"limits": {"findings": "x", "symbols": 5}, "rules": {"x": "off", "bom": "off"}})
    assert read.settings.limits.symbols == 5
    assert dict(read.settings.rules) == {"bom": "off"}
    assert len(read.problems) == 2


def test_what_only_the_client_reads_is_passed_over() -> None:
    assert read_settings({"python": 5, "server": {"command": "x"}, "trace": {"server": "loud"}}).problems == ()


def test_one_message_for_all_problems_of_a_change() -> None:
    assert problem_message(()) == ""
    read = read_settings({f"k\n{number}": 1 for number in range(MAX_PROBLEMS + 3)})
    message = problem_message(read.problems)
    assert "\n" not in message
    assert "(and 3 more)" in message
    assert message.endswith("Defaults hold for these.")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from([*(one.key for one in SETTINGS), "limits", "rollout", "hints", "x"]), inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(_JSON)
def test_any_value_gives_settings(value: object) -> None:
    read = read_settings(value)
    assert 1 <= read.settings.limits.findings <= 1_000_000
    assert "\n" not in problem_message(read.problems)


def test_codes_and_their_severities() -> None:
    settings = read_settings({"rules": {"secret": "off", "bom": "hint", "unknown-field": "warning"}}).settings
    codes = codes_of(settings)
    assert set(RULES) - codes == {"secret"}
    assert set(RULES) - codes_of(DEFAULTS) == {rule.code for rule in RULES.values() if rule.default_off}
    assert dict(levels_of(settings)) == {"bom": "hint", "unknown-field": "warning"}


def test_the_extension_declares_what_the_server_reads() -> None:
    manifest = json.loads((ROOT / "client-vscode/package.json").read_text("utf-8"))
    declared = manifest["contributes"]["configuration"]["properties"]
    assert set(declared) == {f"rollout.{setting.key}" for setting in SETTINGS if setting.who != "told"}
