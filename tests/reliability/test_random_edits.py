"""Random edits through the real server against a model as naive as can be, in the three units of columns.

The model is one Python string. After each batch of edits the server must hold the same bytes (it tells a checksum), and
from time to time say the same of them as of the same text opened anew.
"""

from __future__ import annotations

import random
import re
import zlib
from functools import partial
from typing import Any

import pytest
from parts import PARTS, in_parts
from scale import FIXTURES, SEED, pick

from wire_client import PULLING, Wire

EDITS = pick(2_000, 100_000)
UNITS = ("utf-8", "utf-16", "utf-32")
LONGEST = 12_000
COMPARED_EVERY = 120
PIECES = [
    *("x", '"', "{", "}", "\n", "\r\n", "\r", "\u2028", "\x85", "\x0c", "🍵", "é", "\ud83d", "\udc35", "\x00", "\\"),
    *("\\ud83d", "call_1", "漢字", "e\u0301", "\u200d", ',"type":"message"', "\n\n\n", "🍵🍵é"),
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}\n',
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t9"}}\n',
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"agent_message","message":"🍵"}}\n',
]
STARTS = [path.read_bytes().decode("utf-8", "replace") for path in FIXTURES if path.suffix == ".jsonl"]


class Model:
    """The text as a string; rows and columns are worked out anew each time."""

    def __init__(self, text: str, unit: str) -> None:
        self.text = text
        self._unit = unit

    def rows(self) -> list[tuple[int, int]]:
        """(start, end without its line end) of each row."""
        found, start = [], 0
        for match in re.finditer("\r\n|\n|\r", self.text):
            found.append((start, match.start()))
            start = match.end()
        return [*found, (start, len(self.text))]

    def width(self, start: int, end: int) -> int:
        part = self.text[start:end]
        if self._unit == "utf-32":
            return len(part)
        if self._unit == "utf-16":
            return len(part.encode("utf-16-le", "surrogatepass")) // 2
        return len(part.encode("utf-8", "surrogatepass"))

    def change(self, dice: random.Random) -> dict[str, Any]:
        """A random edit in the client's terms; it is made here too."""
        new = wired("".join(dice.choice(PIECES) for _ in range(dice.choice((0, 1, 1, 1, 2, 3)))))
        if len(self.text) > LONGEST or dice.random() < 0.002:
            self.text = wired(dice.choice(STARTS)[: dice.randrange(LONGEST // 2)])
            return {"text": self.text}
        rows = self.rows()
        at = dice.randrange(len(rows))
        start = self._in_row(dice, rows[at])
        how = dice.random()
        if how < 0.4:
            other, end = at, start
        elif how < 0.85:
            other = at
            end = min(rows[at][1], start + dice.choice((1, 2, 5, 40)))
        else:
            other = min(len(rows) - 1, at + dice.choice((0, 1, 1, 2, 5)))
            end = max(start, self._in_row(dice, rows[other]))
        first = {"line": at, "character": self.width(rows[at][0], start)}
        last = {"line": other, "character": self.width(rows[other][0], end)}
        if end == rows[other][1] and dice.random() < 0.1:
            last["character"] += dice.choice((1, 1000, 10**9))  # beyond its end is the end of a row
        if end == len(self.text) and dice.random() < 0.1:
            last = {"line": len(rows) + dice.choice((1, 50)), "character": dice.choice((0, 5))}
        ends = [first, last]
        if dice.random() < 0.05:
            ends.reverse()
        self.text = wired(self.text[:start] + new + self.text[end:])
        return {"range": {"start": ends[0], "end": ends[1]}, "text": new}

    @staticmethod
    def _in_row(dice: random.Random, row: tuple[int, int]) -> int:
        return dice.choice((row[0], row[1], dice.randint(*row), dice.randint(*row)))

    def bytes(self) -> bytes:
        return self.text.encode("utf-8", "surrogatepass")


def wired(text: str) -> str:
    """A text as it comes out of JSON: halves of a pair that stand together are one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize("unit", UNITS)
def test_random_edits(told, unit: str) -> None:  # type: ignore[no-untyped-def]
    """Random edits against a naive model."""
    done, batches, compared = map(sum, zip(*in_parts(partial(edited, unit)), strict=True))
    told.say(
        f"{done:,} edits in {batches:,} messages, 0 differences; {compared} times compared with it opened anew",
        "no difference",
    )


def edited(unit: str, part: int) -> tuple[int, int, int]:
    """(edits, messages, comparisons) of one server and its model."""
    capabilities = {**PULLING, "general": {"positionEncodings": [unit]}}
    dice = random.Random(f"{SEED} {unit} {part}")
    done = batches = compared = 0
    with Wire(capabilities=capabilities) as wire:
        model = Model(wired(STARTS[0])[:4000], unit)
        wire.open("file:///edited.jsonl", model.text)
        while done * 3 * PARTS < EDITS:
            batches += 1
            changes = [model.change(dice) for _ in range(dice.choice((1, 1, 2, 5)))]
            done += len(changes)
            wire.change("file:///edited.jsonl", batches + 1, *changes)
            held = documents_of(wire)["file:///edited.jsonl"]
            data = model.bytes()
            told = f"batch {batches} of seed {SEED}, part {part} of {PARTS}"
            assert (held["bytes"], held["crc32"]) == (len(data), zlib.crc32(data)), told
            if batches % COMPARED_EVERY == 0:
                compared += 1
                compare(wire, model.text, batches)
            if batches % 1000 == 0:
                wire.heard.clear()
        assert wire.end() == 0
        assert b"Traceback" not in wire.log
    return done, batches, compared


def documents_of(wire: Wire) -> dict[str, Any]:
    status = wire.result("rollout/status", {"checksums": True})
    return {one["uri"]: one for one in status["documents"]}


def compare(wire: Wire, text: str, batch: int) -> None:
    """What is said of the edited text is what is said of it when it is opened."""
    wire.open("file:///opened.jsonl", text)
    for method in ("documentSymbol", "foldingRange", "codeLens", "semanticTokens/full"):
        edited, opened = (
            wire.result(f"textDocument/{method}", {"textDocument": {"uri": f"file:///{name}.jsonl"}})
            for name in ("edited", "opened")
        )
        assert plain(edited) == plain(opened), f"{method} after batch {batch}"
    wire.notify("textDocument/didClose", {"textDocument": {"uri": "file:///opened.jsonl"}})


def plain(answer: Any) -> Any:
    """An answer without what names its document."""
    if isinstance(answer, list):
        return [plain(one) for one in answer]
    if isinstance(answer, dict):
        return {key: plain(value) for key, value in answer.items() if key not in ("data", "resultId", "uri")}
    return answer
