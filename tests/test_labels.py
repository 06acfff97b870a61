"""A label found the quick way is the label of the record's content."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollout_ls.formats.records import content_of, label_of
from rollout_ls.workspace.document import Document

SESSIONS = sorted((Path(__file__).parent.parent / "fixtures" / "sessions").glob("rollout-*.jsonl"))


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem[8:24])
def test_quick_labels_are_those_of_the_content(path: Path) -> None:
    document = Document(path.as_uri(), 1, [path.read_bytes()])
    document.session()
    for line in document.buffer:
        for statement in line.reading.statements:
            assert label_of(line.data, statement) == content_of(line.data, statement).label, statement.kind
