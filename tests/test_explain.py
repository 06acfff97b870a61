"""What is told about kinds of records: the catalogue as values, as Markdown, and by ``rollout-ls explain``."""

from __future__ import annotations

import io
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from rollout_ls.cli import terminal
from rollout_ls.cli.app import main
from rollout_ls.cli.explain import kinds_called
from rollout_ls.cli.names import near
from rollout_ls.formats.codex import catalogue
from rollout_ls.formats.explanation import FieldExplained, KindExplained
from rollout_ls.formats.records import explain_kind, kind_names
from rollout_ls.rules.registry import RULES
from rollout_ls.wire.pages import anchor, kind_markdown, kind_pages, page_of_kind

NAMES = kind_names()
PAGES = Path(__file__).resolve().parent.parent / "docs" / "kinds"


def explained(name: str) -> KindExplained:
    found = explain_kind(name)
    assert found is not None
    return found


def field(kind: str, path: str) -> FieldExplained:
    return next(one for one in explained(kind).fields if one.path == path)


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs a command line in this process: (exit status, stdout, stderr)."""

    def ask(*words: str) -> tuple[int, str, str]:
        status = main(words)
        out, err = capfd.readouterr()
        return status, out, err

    return ask


# -- values
def test_everything_in_the_catalogue_is_explained() -> None:
    facts = catalogue.load()
    assert set(NAMES) == set(facts.kinds) | {f"shape/{name}" for name in facts.shapes}
    for name in NAMES:
        one = explained(name)
        assert one.name == name and one.title and one.summary
        assert all(field.meaning for field in one.fields), name
    assert explain_kind("no/such/kind") is None
    assert explain_kind("shape/") is None


def test_a_kind() -> None:
    one = explained("response_item/function_call")
    assert (one.family, one.stored, one.listed) == ("response_item", "always", True)
    assert field(one.name, "call_id").need == "required"
    assert field(one.name, "arguments").type == "string (JSON inside)"
    assert field("response_item/compaction_trigger", "metadata").retired
    assert explained("event_msg/exec_command_begin").stored == "never"
    assert not explained("event_msg/exec_command_begin").listed
    assert explained("event_msg/undo_completed").refused


def test_fields_of_inline_objects_are_listed_and_shared_ones_are_named() -> None:
    assert field("event_msg/token_count", "info.total_token_usage").shape == "shape/token_usage"
    assert field("response_item/message/user", "content").type == "array of object `message_part`"
    assert field("compacted", "latest_token_usage_record").shape == "token_usage_record"
    for name in NAMES:
        for one in explained(name).fields:
            assert not one.shape or explain_kind(one.shape) is not None


def test_shapes_tell_words_and_variants() -> None:
    assert "never" in explained("shape/approval_policy").words
    action = explained("shape/web_search_action")
    assert action.fields[0].words == tuple(variant.name for variant in action.variants)
    assert [one.path for one in action.variants[0].fields] == ["query", "queries"]
    profile = explained("shape/permission_profile")
    assert [one.summary for one in profile.variants] == [
        "object `tagged_permission_profile`",
        "object `untagged_permission_profile`",
    ]


# -- pages
def test_markdown_of_a_kind() -> None:
    text = kind_markdown(explained("response_item/function_call"))
    assert text.startswith("# Function call\n\n`response_item/function_call`\n\n")
    assert "- stored in every sort of file\n" in text
    assert "| `call_id` | string (an id that pairs records) | required | " in text
    assert "](" not in text


def test_every_row_of_a_table_has_its_cells() -> None:
    for text in kind_pages([explained(name) for name in NAMES]).values():
        rows = text.split("\n")
        for before, row in pairwise(rows):
            if row.startswith("| ") and before.startswith("|"):
                assert row.count("|") == before.count("|"), row


def test_links_between_pages_lead_somewhere() -> None:
    pages = kind_pages([explained(name) for name in NAMES])
    anchors = {
        name: {anchor(row.removeprefix("## ")) for row in text.split("\n") if row.startswith("## ")}
        for name, text in pages.items()
    }
    for name, text in pages.items():
        for page, target in re.findall(r"\]\(([\w.]*)(?:#([\w-]+))?\)", text):
            assert (page or name) in pages
            assert not target or target in anchors[page or name]
    assert page_of_kind("event_msg/item_completed/FileChange") == "item_completed"
    assert page_of_kind("event_msg/item_completed") == "event_msg"


def test_no_page_is_left_over() -> None:
    assert {path.name for path in PAGES.glob("*")} == set(kind_pages([explained(name) for name in NAMES]))


# -- the command
def test_names_that_people_type() -> None:
    assert kinds_called("function_call") == ("response_item/function_call",)
    assert kinds_called("response_item/function_call") == ("response_item/function_call",)
    assert kinds_called("compaction_summary") == ("response_item/compaction",)
    assert kinds_called("filechange") == ("event_msg/item_completed/FileChange",)
    assert kinds_called("git") == ("shape/git",)
    assert kinds_called("error") == ("event_msg/error",), "a kind goes before the shape of the same name"
    assert len(kinds_called("response_item")) > 10
    assert len(kinds_called("event_msg/item_completed/Extension")) > 2
    assert kinds_called("nothing_of_the_sort") == ()
    assert kinds_called("") == ()


def test_no_kind_hides_behind_a_code() -> None:
    assert not RULES.keys() & set(NAMES)
    assert not {name.rpartition("/")[2] for name in NAMES if not name.startswith("shape/")} & RULES.keys()


def test_explain_a_code(said: Any) -> None:
    status, out, err = said("explain", "orphan-call")
    assert (status, err) == (0, "")
    assert out.startswith("# orphan-call\n") and "## What to do" in out
    assert said("explain", "Orphan-Call")[1] == out


def test_explain_a_kind(said: Any) -> None:
    status, out, err = said("explain", "function_call")
    assert (status, err) == (0, "")
    assert out == kind_markdown(explained("response_item/function_call"))
    status, out, _ = said("explain", "event_msg")
    assert status == 0 and "| `event_msg/token_count` |" in out


def test_a_page_on_a_terminal(said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = io.StringIO()
    monkeypatch.setattr(terminal, "_is_coloured", lambda: True)
    monkeypatch.setattr(terminal, "_made", [Console(file=drawn, force_terminal=True, width=100)])
    assert said("explain", "orphan-call")[:2] == (0, "")
    text = drawn.getvalue()
    assert "What to do" in text and "##" not in text
    assert ".md" not in text and "\x1b]8" not in text, "no links that lead nowhere"


def test_what_is_not_known_is_one_line(said: Any) -> None:
    status, out, err = said("explain", "functoin_call")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1 and "did you mean function_call" in err
    status, _, err = said("explain", "a\nb\x1b[31m" + "x" * 5000)
    assert status == 2 and err.count("\n") == 1 and "\x1b" not in err and len(err) < 200


def test_near_names() -> None:
    assert near("orphn-call", RULES).startswith("; did you mean orphan-call")
    for name in ("zzzzzz", "nope", "none", "x", ""):
        assert near(name, [*RULES, *kind_names()]) == ""
    assert near("pending", RULES) == "; did you mean pending-call?"
    assert near("filechange", ["FileChange"]) == "; did you mean FileChange?"


def test_a_page_that_is_not_installed(said: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("rollout_ls.rules.pages._PACKAGE", tmp_path / "rollout_ls")
    status, out, _ = said("explain", "bad-json")
    assert status == 0 and "not installed" in out


def test_rules(said: Any) -> None:
    rows = json.loads(said("rules", "--output-format", "json")[1])
    assert [row["code"] for row in rows] == list(RULES)
    assert all(row["page"].startswith(f"# {row['code']}\n") for row in rows)
    assert [row["code"] for row in rows if not row["on_by_default"]] == ["unknown-field"]
    text = said("rules")[1]
    assert "  orphan-call         warning      A call without result\n" in text
    assert said("rules", "--output-format", "md")[1].count("\n| `") == len(RULES)
