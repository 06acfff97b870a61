"""Writes the pages that come from tables of the code: ``python docs/generate.py``; ``--check`` only says what is stale.

Each page has one function that makes its text; a test compares them with what is in the tree.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rollout_ls.formats.records import explain_kind, kind_names
from rollout_ls.wire.pages import kind_pages, rules_markdown
from rollout_ls.workspace.settings import settings_page, settings_schema, vscode_properties

ROOT = Path(__file__).resolve().parent.parent


def vscode_manifest() -> str:
    """client-vscode/package.json with the settings of the table; the rest stays as it is."""
    manifest = json.loads((ROOT / "client-vscode/package.json").read_text("utf-8"))
    manifest["contributes"]["configuration"]["properties"] = vscode_properties()
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def kinds() -> dict[str, Callable[[], str]]:
    """The pages of all kinds of records, a family each, and their index."""
    explained = [kind for name in kind_names() if (kind := explain_kind(name)) is not None]
    made_of = "the catalogue in server/rollout_ls/formats/codex/catalogue"
    return {f"docs/kinds/{name}": partial(noted, text, made_of) for name, text in kind_pages(explained).items()}


def rules_index() -> str:
    """The table of all rules, with links to their pages."""
    return noted(rules_markdown(linked=True), "server/rollout_ls/rules/registry.py")


def noted(page: str, made_of: str) -> str:
    """A page that says below its head what it is made of."""
    head, _, rest = page.partition("\n")
    return f"{head}\n\n<!-- Made by docs/generate.py from {made_of}: change it there. -->\n{rest}"


PAGES: dict[str, Callable[[], str]] = {
    "docs/rules/README.md": rules_index,
    **kinds(),
    "docs/settings.md": settings_page,
    "docs/settings.schema.json": settings_schema,
    "client-vscode/package.json": vscode_manifest,
}
"""What makes each page, by its path from the root of the repository."""


def stale() -> Iterator[tuple[str, str]]:
    """(path, the text it should have) of each page that is not as its table says."""
    for path, make in PAGES.items():
        page, text = ROOT / path, make()
        if not page.exists() or page.read_text("utf-8") != text:
            yield path, text


def main(words: list[str]) -> int:
    """Writes what is stale; with ``--check`` only names it and says so by the exit status."""
    found = dict(stale())
    for path, text in found.items():
        sys.stdout.write(f"{path}\n")
        if "--check" not in words:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, "utf-8")
    return 1 if found and "--check" in words else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
