"""Every feature at every place of every fixture: nothing fails."""

from __future__ import annotations

from everything import ask_at, ask_of_all
from scale import FIXTURES, LONG

from rollout_ls.workspace.document import Document

STEP = 1 if LONG else 7


def test_every_feature_at_every_position(told) -> None:  # type: ignore[no-untyped-def]
    """Every feature at every byte of every fixture."""
    asked = 0
    for path in FIXTURES:
        document = Document(path.as_uri(), 1, [path.read_bytes()])
        ask_of_all(document)
        asked += 11
        for line in document.buffer:
            for offset in range(0, line.size + 1, STEP):
                asked += ask_at(document, line, offset)
    told.say(f"{asked:,} questions, {len(FIXTURES)} files, every {'byte' if STEP == 1 else f'{STEP}th byte'}, 0 failed")
