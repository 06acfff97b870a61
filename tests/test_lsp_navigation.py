"""Where definition leads beyond the document, and how it is said to clients that take less."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from rollout_ls.features.target import File, Jump, Thread
from rollout_ls.lsp.targets import Outside, file_below, find_outside, links_within
from rollout_ls.lsp.uris import meaning_of, path_of
from rollout_ls.lsp.uris import uri_of as address_of
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.rows import Place
from rollout_ls.wire.lsp import LocationLink
from rollout_ls.wire.positions import NOWHERE
from rollout_ls.workspace.threads import Threads
from wire_client import Wire, uri_of

SESSIONS = Path(__file__).parent.parent / "fixtures" / "sessions"
PARENT = re.compile(r'"(?:forked_from_id|parent_thread_id)":"([0-9a-f-]{36})"')


def child_of_a_thread() -> tuple[Path, str, int, int]:
    """A fixture whose header names a thread of which a fixture is there: (path, id, line, column in the id)."""
    for path in sorted(SESSIONS.glob("rollout-*.jsonl")):
        text = path.read_bytes().decode("utf-8", "replace")
        for found in PARENT.finditer(text.split("\n", 1)[0]):
            if any(found[1] in other.name for other in SESSIONS.iterdir() if other != path):
                return path, found[1], 0, found.start(1) + 2
    raise LookupError("no fixture of a forked thread")


@pytest.mark.parametrize("links", [True, False])
def test_a_threads_id_leads_to_its_file(links: bool) -> None:
    path, thread, line, column = child_of_a_thread()
    capabilities: dict[str, Any] = {"textDocument": {"definition": {"linkSupport": links}}}
    with Wire(capabilities=capabilities) as wire:
        wire.open(uri_of(path), path.read_text())
        place = {"textDocument": {"uri": uri_of(path)}, "position": {"line": line, "character": column}}
        (target,) = wire.result("textDocument/definition", place)
        assert thread in target["targetUri" if links else "uri"]
        start = {"line": 0, "character": 0}
        assert target["targetRange" if links else "range"]["start"] == start
        if links:
            origin = target["originSelectionRange"]
            assert origin["start"]["character"] <= column <= origin["end"]["character"]
        assert wire.end() == 0


def test_plain_text_for_who_takes_no_markdown() -> None:
    path, _, line, column = child_of_a_thread()
    with Wire(capabilities={}) as wire:
        wire.open(uri_of(path), path.read_text())
        place = {"textDocument": {"uri": uri_of(path)}, "position": {"line": line, "character": column}}
        hover = wire.result("textDocument/hover", place)
        assert hover["contents"]["kind"] == "plaintext"
        assert "**" not in hover["contents"]["value"]
        symbols = wire.result("textDocument/documentSymbol", {"textDocument": {"uri": uri_of(path)}})
        assert all("location" in symbol and "children" not in symbol for symbol in symbols)


def test_only_what_is_there_is_a_target(tmp_path: Path) -> None:
    buffer = Buffer([b"0123456789\n"])
    origin = Place(next(iter(buffer)), 2, 5)
    jumps = [Jump(origin, Thread("nobody")), Jump(origin, File(str(tmp_path / "a"))), Jump(origin, origin)]
    links, leaves = links_within(jumps, "file:///x", buffer, "utf-16")
    assert leaves
    assert [type(link) for link in links] == [Outside, Outside, LocationLink]
    (tmp_path / "a").write_text("")
    document = str(tmp_path / "x.jsonl")
    assert find_outside(links, document, [], Threads()) == [links[2]]
    assert find_outside(links, None, [str(tmp_path)], Threads()) == [
        LocationLink(address_of(str(tmp_path / "a")), NOWHERE, NOWHERE, links[0].origin),  # type: ignore[union-attr]
        links[2],
    ]


def test_no_file_outside_of_the_workspace_is_a_target(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "in2"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "f").write_text("")
    (inside / "link").symlink_to(outside / "f")
    (inside / "here").symlink_to(inside / "f")
    os.mkfifo(inside / "pipe")
    folders = [str(inside)]
    assert file_below(str(inside / "f"), folders) == str((inside / "f").resolve())
    assert file_below(str(inside / "here"), folders) == str((inside / "f").resolve())
    for path in (outside / "f", inside / "link", inside / "pipe", inside, inside / ".." / "in2" / "f", inside / "no"):
        assert file_below(str(path), folders) is None
    for text in ("f", "", "\\\\host\\share\\f", "//host/share/f", "/dev/null", str(inside / "f") + "\0", "x" * 9000):
        assert file_below(text, folders) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///c%3A/x", "file:///C:/x"),
        ("file:///C:/x", "file:///c:/x"),
        ("file:///a%20b/%C3%A9", "file:///a b/é"),
        ("FILE:///a", "file:///a"),
        ("file://localhost/a", "file:///a"),
        ("untitled:a%20b", "untitled:a b"),
    ],
)
def test_spellings_of_one_uri_mean_the_same(one: str, other: str) -> None:
    assert meaning_of(one) == meaning_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("file:///a", "file:///A"), ("file:///a", "untitled:/a"), ("rollout:///a", "file:///a"), ("a", "b")],
)
def test_different_uris_do_not(one: str, other: str) -> None:
    assert meaning_of(one) != meaning_of(other)


@pytest.mark.skipif(os.name == "nt", reason="paths of this system")
@pytest.mark.parametrize("path", ["/a/b c/é😀.jsonl", "/a/100%/#?.jsonl", "/a/\udcff.jsonl", "/a;b/[c]"])
def test_a_path_comes_back_from_its_uri(path: str) -> None:
    assert path_of(address_of(path)) == path
    assert path_of(Path("/a/b c").as_uri()) == "/a/b c"


@pytest.mark.parametrize(
    "uri", ["", "untitled:x", "file://host/share/x", "http://[", "file:///a%00b", "\ud800:", "file:x"]
)
def test_what_is_no_file_of_this_host_has_no_path(uri: str) -> None:
    assert path_of(uri) is None
