"""Reads the page of a rule from the installed package. The only place of the command line that does."""

from __future__ import annotations

from rollout_ls.rules.pages import page_path


def rule_page(code: str) -> str:
    """The Markdown of a code's page; empty where there is none, or it was not installed."""
    path = page_path(code)
    if path is None:
        return ""
    try:
        return path.read_text("utf-8")
    except OSError:
        return ""
