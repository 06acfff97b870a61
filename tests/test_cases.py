"""What a check finds in each of the cases, and that nothing an editor would be asked about them fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rollout_ls.features.folding import folds
from rollout_ls.features.hover import hover
from rollout_ls.features.outline import outline
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.workspace.document import Document

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "cases"
FINDINGS: dict[str, list[list[object]]] = json.loads((FOLDER / "findings.json").read_text("utf-8"))


def test_every_case_has_findings_told() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.jsonl")) == sorted(FINDINGS)


@pytest.mark.parametrize("name", FINDINGS)
def test_a_case_gives_what_it_should(name: str) -> None:
    opened = Document(f"file:///{name}", 1, [(FOLDER / name).read_bytes()], on_disk=True)
    found = opened.finish()
    rows = []
    for one in found:
        row, _, _ = opened.buffer.position_of(one.place.line, one.place.start)
        rows.append([row + 1, one.code, one.severity])
    assert sorted(rows) == FINDINGS[name]  # type: ignore[type-var]
    session = opened.session()
    assert outline(session) is not None and folds(session) is not None
    for line in opened.buffer:
        for offset in range(0, max(1, line.end), 97):
            shown = hover(session, line, offset, Surroundings())
            assert shown is None or shown.text
