"""Which file a thread's id leads to, and where is looked for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rollout_ls.workspace import threads
from rollout_ls.workspace.threads import Threads, roots_of

ONE = "0199aaaa-0000-7000-8000-000000000001"
TWO = "0199aaaa-0000-7000-8000-000000000002"


def put(folder: Path, thread: str, second: int = 0, ending: str = ".jsonl") -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"rollout-2026-02-03T10-00-{second:02}-{thread}{ending}"
    path.write_bytes(b"")
    return str(path)


def test_a_thread_is_found_beside_the_document(tmp_path: Path) -> None:
    here, there = put(tmp_path, ONE), put(tmp_path, TWO, 5)
    put(tmp_path / "below", "0199aaaa-0000-7000-8000-000000000003")
    found = Threads()
    assert found.find(here, TWO) == there
    assert found.find(here, TWO.upper()) == there
    assert found.find(here, "0199aaaa-0000-7000-8000-000000000003") is None


def test_the_whole_tree_of_a_home_is_looked_through(tmp_path: Path) -> None:
    here = put(tmp_path / "sessions" / "2026" / "02" / "03", ONE)
    other_day = put(tmp_path / "sessions" / "2025" / "12" / "31", TWO)
    archived = put(tmp_path / "archived_sessions", "arch", ending=".jsonl.zst")
    found = Threads()
    assert found.find(here, TWO) == other_day
    assert found.find(here, "arch") == archived
    assert found.find(archived, ONE) == here


@pytest.mark.parametrize(
    ("names", "wanted", "chosen"),
    [
        ([(ONE, 0, ".jsonl"), (ONE, 0, ".jsonl.zst")], ONE, 0),
        ([(ONE, 9, ".jsonl.zst"), (ONE, 0, ".jsonl")], ONE, 1),
        ([(f"{ONE}_{TWO}", 9, ".jsonl"), (ONE, 0, ".jsonl")], ONE, 1),
        ([(f"{ONE}_{TWO}", 9, ".jsonl")], ONE, 0),
        ([(f"{ONE}_{TWO}", 9, ".jsonl")], TWO, 0),
        ([(ONE, 3, ".jsonl"), (ONE, 7, ".jsonl")], ONE, 1),
    ],
)
def test_of_several_files_the_best_is_taken(
    tmp_path: Path, names: list[tuple[str, int, str]], wanted: str, chosen: int
) -> None:
    paths = [put(tmp_path, *name) for name in names]
    assert Threads().find(str(tmp_path / "x.jsonl"), wanted) == paths[chosen]


def test_names_are_compared_not_made_into_paths(tmp_path: Path) -> None:
    put(tmp_path / "a", ONE)
    put(tmp_path, TWO)
    found = Threads()
    for name in ("", ".", "..", f"../a/rollout-2026-02-03T10-00-00-{ONE}", f"a/{ONE}", "*", "\0", "x" * 10_000):
        assert found.find(str(tmp_path / "x.jsonl"), name) is None


def test_nothing_is_looked_for_outside_of_open_folders(tmp_path: Path) -> None:
    day, other_day = tmp_path / "sessions" / "2026" / "02" / "03", tmp_path / "sessions" / "2025" / "12" / "31"
    here, there, archived = put(day, ONE), put(other_day, TWO), put(tmp_path / "archived_sessions", "arch")
    beside = put(day, "beside")
    for folders, seen in (
        ([], {there, archived, beside}),
        ([str(tmp_path)], {there, archived, beside}),
        ([str(tmp_path / "sessions")], {there, beside}),
        ([str(tmp_path / "sessions" / "2026")], {beside}),
        ([str(day)], {beside}),
        ([str(day), str(other_day)], {there, beside}),
        ([str(day), str(tmp_path / "archived_sessions")], {archived, beside}),
        ([str(tmp_path / "elsewhere")], {there, archived, beside}),
    ):
        found = Threads()
        assert {found.find(here, one, folders) for one in (TWO, "arch", "beside")} - {None} == seen, folders


@pytest.mark.skipif(os.name == "nt", reason="needs a right to make links there")
def test_a_link_must_lead_to_a_rollout(tmp_path: Path) -> None:
    rollout = put(tmp_path / "elsewhere", TWO)
    (tmp_path / "secret").write_text("")
    here = put(tmp_path / "home", ONE)
    for name, target in ((TWO, rollout), ("odd", str(tmp_path / "secret")), ("gone", str(tmp_path / "gone"))):
        (tmp_path / "home" / f"rollout-2026-02-03T10-00-00-{name}.jsonl").symlink_to(target)
    found = Threads()
    assert [found.find(here, one) is not None for one in (TWO, "odd", "gone")] == [True, False, False]


@pytest.mark.skipif(os.name == "nt", reason="needs a right to make links there")
def test_linked_folders_are_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere", TWO)
    here = put(tmp_path / "home" / "sessions" / "2026" / "02" / "03", ONE)
    (tmp_path / "home" / "sessions" / "2025").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (tmp_path / "home" / "sessions" / "loop").symlink_to(tmp_path / "home", target_is_directory=True)
    assert Threads().find(here, TWO) is None


def test_what_was_found_is_kept_for_a_while(tmp_path: Path) -> None:
    now = 100.0
    found = Threads(lambda: now)
    here = put(tmp_path, ONE)
    assert found.find(here, TWO) is None
    there = put(tmp_path, TWO)
    assert found.find(here, TWO) is None
    found.forget()
    assert found.find(here, TWO) == there
    os.remove(there)
    assert found.find(here, TWO) == there
    now += threads.FRESH_SECONDS + 1
    assert found.find(here, TWO) is None


def test_the_number_of_names_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MAX_ENTRIES", 10)
    here = put(tmp_path, ONE)
    others = [f"other-{second}" for second in range(30)]
    for name in others:
        put(tmp_path, name)
    found = Threads()
    assert 9 <= sum(found.find(here, name) is not None for name in others) <= 10


def test_a_folder_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    assert Threads().find(str(tmp_path / "no" / "such" / "x.jsonl"), ONE) is None
    assert roots_of(os.path.join(os.sep, "sessions", "2026", "02", "03", "x")) == (
        os.path.join(os.sep, "sessions"),
        os.path.join(os.sep, "archived_sessions"),
    )
