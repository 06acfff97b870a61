"""The VS Code extension: it type-checks, its unit tests pass, and its package holds what it should and no more.

Needs npm (and its registry, the first time), and no editor: the extension in a real one is tests/e2e_vscode/.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

CLIENT = Path(__file__).parent.parent / "client-vscode"
MAX_PACKAGE_BYTES = 400_000

pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")


def npm(*args: str) -> str:
    command = [str(shutil.which("npm")), *args]
    done = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"npm {' '.join(args)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module", autouse=True)
def packages() -> None:
    """Installs what the lock file names, unless that is what is there."""
    installed = CLIENT / "node_modules" / ".package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < (CLIENT / "package-lock.json").stat().st_mtime:
        npm("ci", "--ignore-scripts", "--no-audit", "--no-fund")


@pytest.fixture(scope="module")
def vsix(packages: None, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    path = tmp_path_factory.mktemp("vsix") / "rollout-ls.vsix"
    npm("run", "package", "--", "--out", str(path))  # type-checks and bundles first
    assert path.stat().st_size < MAX_PACKAGE_BYTES
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def manifest(vsix: zipfile.ZipFile) -> dict[str, Any]:
    loaded = json.loads(vsix.read("extension/package.json"))
    assert isinstance(loaded, dict)
    return loaded


def test_unit_tests_pass() -> None:
    npm("test")


def test_package_holds_the_bundle_and_the_words_only(vsix: zipfile.ZipFile) -> None:
    names = {name.lower() for name in vsix.namelist()}
    assert names == {
        "[content_types].xml",
        "extension.vsixmanifest",
        "extension/package.json",
        "extension/readme.md",
        "extension/changelog.md",
        "extension/license.txt",
        "extension/dist/extension.js",
        "extension/dist/licenses.txt",
    }


def test_every_bundled_library_has_its_license(vsix: zipfile.ZipFile) -> None:
    licenses = vsix.read("extension/dist/LICENSES.txt").decode()
    for library in ("vscode-languageclient", "vscode-jsonrpc", "minimatch", "semver"):
        assert f"{library} " in licenses


def test_starts_for_rollouts_whatever_their_language(manifest: dict[str, Any]) -> None:
    assert set(manifest["activationEvents"]) == {
        "onLanguage:jsonl",
        "onLanguage:json",
        "onLanguage:plaintext",
        "onStartupFinished",
    }
    assert "languages" not in manifest["contributes"]


def test_no_workspace_can_choose_the_program(manifest: dict[str, Any]) -> None:
    settings = manifest["contributes"]["configuration"]["properties"]
    programs = ["rollout.python", "rollout.server.command"]
    assert [settings[name]["scope"] for name in programs] == ["machine", "machine"]
    capabilities = manifest["capabilities"]
    assert capabilities["untrustedWorkspaces"]["supported"] == "limited"
    assert sorted(capabilities["untrustedWorkspaces"]["restrictedConfigurations"]) == programs
    assert capabilities["virtualWorkspaces"]["supported"] is False


def test_names_are_the_ones_others_rely_on(manifest: dict[str, Any]) -> None:
    assert (manifest["publisher"], manifest["name"], manifest["license"]) == ("rollout-ls", "rollout-ls", "MIT")
    assert manifest["engines"]["vscode"] == "^1.91.0"
    commands = {command["command"] for command in manifest["contributes"]["commands"]}
    steps = {"nextTurn", "previousTurn", "nextFailedCall", "goToPartner", "pickTurn"}
    documents = {"readTurn", "readSession", "readRecord", "copyThreadId", "copyResumeCommand"}
    assert commands == {f"rollout.{name}" for name in {"restartServer", "showOutput", *steps, *documents}}
    bound = {binding["command"] for binding in manifest["contributes"]["keybindings"]}
    assert bound == {f"rollout.{name}" for name in steps | documents}
    assert all("rollout-" in binding["when"] for binding in manifest["contributes"]["keybindings"])


def test_packed_rollouts_have_an_editor_of_their_own(manifest: dict[str, Any]) -> None:
    (editor,) = manifest["contributes"]["customEditors"]
    assert editor["selector"] == [{"filenamePattern": "rollout-*.jsonl.zst"}]
