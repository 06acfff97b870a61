"""Every feature at every place of every fixture: nothing fails."""

from __future__ import annotations

from everything import OF_ALL, ask_at, ask_of_all
from parts import PARTS, in_parts
from scale import FIXTURES, LONG

from rollout_ls.workspace.document import Document

STEP = 1 if LONG else 7


def test_every_feature_at_every_position(told) -> None:  # type: ignore[no-untyped-def]
    """Every feature at every byte of every fixture."""
    asked = sum(in_parts(asked_of))
    places = "every byte" if STEP == 1 else f"every {STEP}th byte"
    told.say(f"{asked:,} questions, {len(FIXTURES)} files, {places}, 0 failed", "none failed")


def asked_of(part: int) -> int:
    """The number of questions about one part of all lines."""
    asked = 0
    for path in FIXTURES:
        document = Document(path.as_uri(), 1, [path.read_bytes()])
        ask_of_all(document)
        asked += OF_ALL if part == 0 else 0
        for number, line in enumerate(document.buffer):
            if number % PARTS == part:
                asked += sum(ask_at(document, line, offset) for offset in range(0, line.size + 1, STEP))
    return asked
