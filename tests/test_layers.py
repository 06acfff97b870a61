"""The house keeps its shape: imports point to lower layers only, and the core runs without the protocol libraries."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "server" / "rollout_ls"
LAYERS = {
    "text": 0,
    "jsonl": 1,
    "formats": 2,
    "projection": 3,
    "rules": 4,
    "features": 4,
    "workspace": 5,
    "wire": 5,
    "lsp": 6,
    "cli": 6,
    "__main__": 7,
    "__init__": -1,
}
"""The layer of each package, as the design numbers them. The same number twice: these do not know each other."""


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield parts[0], path


def imported(path: Path) -> Iterator[str]:
    """Names of the modules that a file imports, also inside functions and for type checking."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides its layer"
            yield node.module or ""
            if node.module == "rollout_ls":
                yield from (f"rollout_ls.{alias.name}" for alias in node.names)


def test_imports_point_to_lower_layers() -> None:
    wrong = []
    for package, path in modules():
        for name in imported(path):
            if not name.startswith("rollout_ls."):
                continue
            target = name.split(".")[1]
            if target.startswith("__"):
                continue
            if target != package and LAYERS[target] >= LAYERS[package]:
                wrong.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert wrong == []


@pytest.mark.parametrize(
    ("library", "packages"),
    [
        ("pygls", {"lsp"}),
        ("lsprotocol", {"lsp"}),
        ("click", {"cli"}),
        ("rich", {"cli"}),
        ("cattrs", {"lsp", "workspace"}),
    ],
)
def test_a_library_stays_in_its_layer(library: str, packages: set[str]) -> None:
    found = {package for package, path in modules() if any(name.split(".")[0] == library for name in imported(path))}
    assert found <= packages


def test_only_the_door_knows_the_codex_format() -> None:
    """What stands above ``formats`` reaches a format through ``formats.records`` alone."""
    known = [
        str(path.relative_to(PACKAGE))
        for package, path in modules()
        if package != "formats" and any(name.startswith("rollout_ls.formats.codex") for name in imported(path))
    ]
    assert known == []


def test_lines_are_never_split_by_str() -> None:
    """``splitlines`` also cuts at U+2028, U+0085 and form feeds, which stand raw in real records."""
    users = [str(path) for _, path in modules() if ".splitlines(" in path.read_text(encoding="utf-8")]
    assert users == []


def test_only_the_command_line_prints() -> None:
    printers = [
        str(path.relative_to(PACKAGE))
        for package, path in modules()
        if package != "cli"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert printers == []


def test_the_core_imports_without_the_protocol_libraries() -> None:
    names = [
        "rollout_ls." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for package, path in modules()
        if LAYERS[package] < 6 and package != "__init__"
    ]
    script = (
        "import sys\n"
        "for name in ('pygls', 'lsprotocol'):\n"
        "    sys.modules[name] = None\n"
        "import importlib\n"
        f"for name in {names!r}:\n"
        "    importlib.import_module(name.removesuffix('.__init__'))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
