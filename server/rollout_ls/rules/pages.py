"""Where the page of a code stands: ``docs/rules`` of the checkout, ``rollout_ls/docs/rules`` of an installed wheel.

Says the path only. Whether the file is there, and what is in it, is for whoever may read the disk.
"""

from __future__ import annotations

from pathlib import Path

from rollout_ls.rules.registry import RULES

_PACKAGE = Path(__file__).resolve().parent.parent
_CHECKOUT_FOLDER = "server"
"""In a checkout the package stands in this folder, and the pages beside it; a wheel has them inside the package."""


def pages_folder() -> Path:
    """The folder of all pages."""
    docs = _PACKAGE.parent.parent / "docs" if _PACKAGE.parent.name == _CHECKOUT_FOLDER else _PACKAGE / "docs"
    return docs / "rules"


def page_path(code: str) -> Path | None:
    """The path of a code's page; None for a code that is none."""
    return pages_folder() / f"{code}.md" if code in RULES else None
