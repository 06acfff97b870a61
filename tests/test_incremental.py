"""A document after edits is the document opened anew: records, session, findings, outline, in three units.

The number of edit sequences is small by default; ``ROLLOUT_EDITS=10000 pytest tests/test_incremental.py`` runs as many,
and ``ROLLOUT_EDITED=FOLDER`` takes the rollouts below a folder along.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

from halves import joined
from rollout_ls.features.folding import folds
from rollout_ls.features.outline import Branch, branches, outline
from rollout_ls.features.symbol import Symbol
from rollout_ls.text import buffer as buffer_module
from rollout_ls.text.columns import Unit, column_of
from rollout_ls.text.rows import Place
from rollout_ls.wire.outline import Drawing, OutlineWriter
from rollout_ls.wire.show import show_session
from rollout_ls.workspace.document import Change, Document

FIXTURES = sorted((Path(__file__).parent.parent / "fixtures" / "sessions").glob("rollout-*.jsonl"))
EDITED = Path(os.environ["ROLLOUT_EDITED"]) if "ROLLOUT_EDITED" in os.environ else None
FILES = [*FIXTURES, *(sorted(EDITED.rglob("rollout-*.jsonl")) if EDITED is not None else ())]
SEQUENCES = int(os.environ.get("ROLLOUT_EDITS", "120"))
EDITS = 6
UNITS: tuple[Unit, ...] = ("utf-8", "utf-16", "utf-32")
PIECES = [
    *["x", '"', "{", "}", "\n", "\r\n", "\r", "\u2028", "🍵", "é", "\ud83d", "\udc35", "\x00", "\\ud83d", "call_1", ""],
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}\n',
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t9"}}\n',
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"future","n":1}}\n',
]


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def picture(document: Document) -> dict[str, Any]:
    """Everything that a document says, as plain values with rows and columns."""
    findings = document.finish()
    session, buffer = document.session(), document.buffer

    def spot(place: Place) -> tuple[int, int, int]:
        row, _, start = buffer.position_of(place.line, place.start)
        return row, start, place.end - place.start

    def symbol(one: Symbol) -> Any:
        ends = (buffer.row_of(one.first), buffer.row_of(one.last))
        children = [symbol(child) for child in one.children]
        return (one.name, one.detail, one.kind, ends, spot(one.selection), one.deprecated, children)

    return {
        "text": [line.data for line in buffer],
        "records": [[statement.kind for statement in line.reading.statements] for line in buffer],
        "findings": [
            (one.code, one.severity, spot(one.place), one.message, [(spot(r.place), r.message) for r in one.related])
            for one in findings
        ],
        "outline": [symbol(one) for one in outline(session)],
        "folds": [(buffer.row_of(one.first), buffer.row_of(one.last)) for one in folds(session)],
        "session": show_session(session, buffer),
    }


def random_change(dice: random.Random, text: bytes, unit: Unit) -> tuple[Change, bytes]:
    """A change in the client's units, and the text that it leaves."""
    spots = boundaries(text)
    start, end = sorted((dice.choice(spots), dice.choice(spots)))
    how = dice.random()
    if how < 0.35:
        end = start
    elif how < 0.8:
        end = min(end, next((spot for spot in spots if spot >= start + dice.choice((1, 5, 300))), spots[-1]))
    new = joined(encode("".join(dice.choice(PIECES) for _ in range(dice.randrange(3)))))
    if dice.random() < 0.2:
        lines = text.split(b"\n")
        new = dice.choice(lines) + b"\n"
        start = end = dice.choice([0, *(match.end() for match in re.finditer(b"\n", text))])
    change = Change(position(text, start, unit), position(text, end, unit), new)
    return change, joined(text[:start] + new + text[end:])


def boundaries(text: bytes) -> list[int]:
    """Byte offsets between characters that a client can name (not between ``\\r`` and ``\\n``)."""
    step = max(1, len(text) // 400)
    spots = [0, len(text)]
    for at in range(0, len(text), step):
        while at < len(text) and 0x80 <= text[at] < 0xC0:
            at += 1
        if text[at - 1 : at + 1] != b"\r\n":
            spots.append(at)
    spots += [match.end() for match in re.finditer(b"\n", text)]
    return sorted(set(spots))


def position(text: bytes, at: int, unit: Unit) -> tuple[int, int]:
    rows = re.split(rb"\r\n|\n|\r", text[:at])
    return len(rows) - 1, column_of(rows[-1], len(rows[-1]), unit)


@pytest.mark.parametrize("block_lines", [3, 128])
def test_edits_equal_a_document_opened_anew(block_lines: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer_module, "BLOCK_LINES", block_lines)
    for number in range(SEQUENCES):
        dice = random.Random(f"{block_lines} {number}")
        unit = UNITS[number % 3]
        text = dice.choice(FILES).read_bytes()
        if len(text) > 60_000:
            text = text[: dice.randrange(20_000, 60_000)]
        document = Document("file:///rollout-1.jsonl", 1, [text])
        document.finish()
        writer = OutlineWriter(Drawing(unit))
        for version in range(2, 2 + dice.randrange(1, EDITS)):
            changes = []
            for _ in range(dice.choice((1, 1, 1, 2))):
                change, text = random_change(dice, text, unit)
                changes.append(change)
            document.edit(changes, version, unit)
            if dice.random() < 0.5:
                document.finish()
            if dice.random() < 0.8:
                writer.write(branches(document.session()), document.buffer)
        fresh = Document("file:///rollout-1.jsonl", 1, [text])
        assert picture(document) == picture(fresh), f"sequence {number}, blocks of {block_lines}"
        assert written(writer, document) == written(OutlineWriter(Drawing(unit)), fresh), f"sequence {number}"


def written(writer: OutlineWriter, document: Document) -> bytes:
    return bytes(writer.write(branches(document.session()), document.buffer))


def test_an_edit_costs_the_outline_of_its_turn_only() -> None:
    """What was written of all other turns is used again, though their rows have moved."""
    document = Document("file:///rollout-1.jsonl", 1, [_TURNS])
    writer = OutlineWriter(Drawing("utf-8"))
    worked_out: list[str] = []

    def watched() -> list[Branch]:
        return [watch(branch) for branch in branches(document.session())]

    def watch(branch: Branch) -> Branch:
        def symbols() -> tuple[Symbol, ...]:
            found = branch.symbols()
            worked_out.extend(symbol.name for symbol in found)
            return found

        return Branch(symbols, branch.root, branch.basis)

    writer.write(watched(), document.buffer)
    assert worked_out == ["Session s", "Turn 1: question 1", "Turn 2: question 2", "Turn 3: question 3"]
    worked_out.clear()
    row = next(number for number, line in enumerate(document.buffer) if b"question 2" in line.data)
    column = document.buffer.row_text(row).index(b"question 2")
    document.edit([Change((row, column), (row, column + 8), b"wish")], 2, "utf-8")
    document.edit([Change((1, 0), (1, 0), b"\n")], 3, "utf-8")
    text = writer.write(watched(), document.buffer)
    assert worked_out == ["Session s", "Turn 2: wish 2"]
    assert bytes(text) == written(OutlineWriter(Drawing("utf-8")), document)


def _record(sort: str, payload: str) -> str:
    return f'{{"timestamp":"2026-01-01T00:00:00.000Z","type":"{sort}","payload":{{{payload}}}}}\n'


_TURNS = encode(
    _record("session_meta", '"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/","cli_version":"0.150.0"')
    + "".join(
        _record("event_msg", f'"type":"task_started","turn_id":"t{number}","model_context_window":1')
        + _record("event_msg", f'"type":"user_message","message":"question {number}"')
        + _record("event_msg", f'"type":"agent_message","message":"answer {number}"')
        + _record("event_msg", f'"type":"task_complete","turn_id":"t{number}","last_agent_message":null')
        for number in (1, 2, 3)
    )
)


def test_growing_line_by_line_equals_the_whole() -> None:
    for path in FIXTURES:
        text = path.read_bytes()
        document = Document("file:///rollout-1.jsonl", 1, [])
        for version, line in enumerate(text.split(b"\n"), 2):
            row = document.buffer.row_count - 1
            end = (row, len(document.buffer.row_text(row)))
            document.edit([Change(end, end, line + b"\n")], version, "utf-8")
            document.findings()
        rows = document.buffer.row_count
        document.edit([Change((rows - 2, 0), (rows - 1, 0), b"")], 9, "utf-8")
        whole = Document("file:///rollout-1.jsonl", 1, [b"".join(line.data for line in document.buffer)])
        assert picture(document) == picture(whole), path.name
