"""Broken records of every sort through every feature: nothing fails. What slow ones cost is in ``test_growth``."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from typing import Any

from everything import ask_at, ask_of_all
from parts import PARTS, in_parts
from scale import FIXTURES, SEED, pick

from rollout_ls.text.columns import Unit
from rollout_ls.workspace.document import Document

RECORDS = pick(20_000, 1_000_000)
BATCH = 60
UNITS: tuple[Unit, ...] = ("utf-8", "utf-16", "utf-32")
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 1e300, 10**30, -(10**400), "", "x", "\u2028", "\ud83d", "\x00", "`" * 9, [], {}),
    *([None], {"": None}, [[[]]], {"type": "function_call"}, "call_1", "2026-99-99T99:99:99Z", "<script>", "\x1b[31m"),
    *("sk-" + "a" * 48, "/etc/passwd", "\\\\host\\share", "file:///etc/passwd", "https://x.example/" + "y" * 300),
    *(["a"] * 40, {"type": "message", "content": {}}, "exit code: 0\nOutput:\n", '{"command":["ls"]}', "{", "\ud83c"),
]
BYTES = [
    *(b"", b"\x00", b"\xff", b"\xed\xa0\xbd", b"\r", b"\n", b'"', b"\\", b"{", b"}", b"[", b",", b":"),
    b"\xe2\x80\xa8",
]
LINES = [line for path in FIXTURES if path.suffix == ".jsonl" for line in path.read_bytes().split(b"\n") if line]


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


PARSED = [record for record in map(_parsed, LINES) if record is not None]


def _payload(record: dict[str, Any]) -> dict[str, Any]:
    found = record.get("payload")
    return found if isinstance(found, dict) else {}


KEYS = sorted({key for record in PARSED for key in (*record, *_payload(record))})


def test_mutated_records_through_every_feature(told) -> None:  # type: ignore[no-untyped-def]
    """Mutated records through every feature."""
    done, asked, sent = map(sum, zip(*in_parts(tried), strict=True))
    told.say(
        f"{done:,} records, {asked:,} questions at places, {sent >> 20} MiB of answers, 0 failed (seed {SEED})",
        "none failed",
    )


def tried(part: int) -> tuple[int, int, int]:
    """(records, questions at places, bytes of answers) of one part of all batches."""
    done = asked = sent = 0
    for number in range(part, math.ceil(RECORDS / BATCH), PARTS):
        dice = random.Random(SEED * 1_000_003 + number)
        data = b"".join(mutated(dice) + b"\n" for _ in range(BATCH))
        unit = UNITS[number % 3]
        try:
            document = Document("file:///rollout-x.jsonl", 1, [data], on_disk=number % 2 == 0)
            sent += ask_of_all(document, unit)
            lines = list(document.buffer)
            for line in dice.sample(lines, min(20, len(lines))):
                asked += ask_at(document, line, dice.randrange(line.size + 1), unit)
        except Exception as error:
            raise AssertionError(f"batch {number} of seed {SEED}") from error
        done += BATCH
    return done, asked, sent


# -- how a record is spoilt
def mutated(dice: random.Random) -> bytes:
    """A record with one to three things wrong with it, or none."""
    line = dice.choice(LINES)
    if dice.random() < 0.55:
        record = _copy(dice.choice(PARSED))
        for _ in range(dice.choice((1, 1, 2, 3))):
            record = dice.choice(TREES)(dice, record)
        line = json.dumps(record, ensure_ascii=dice.random() < 0.5).encode("utf-8", "surrogatepass")
        if dice.random() < 0.8:
            return line
    for _ in range(dice.choice((1, 1, 2, 4))):
        line = dice.choice(TEXTS)(dice, line)
    return line


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _holders(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        pairs = list(one.items()) if isinstance(one, dict) else list(enumerate(one)) if isinstance(one, list) else []
        found += [(one, key) for key, _ in pairs]
        waiting += [inner for _, inner in pairs]
    return found


def _some_value(dice: random.Random, record: Any) -> Any:
    holders = _holders(record)
    if holders:
        holder, key = dice.choice(holders)
        holder[key] = _copy(dice.choice(VALUES))
    return record


def _no_value(dice: random.Random, record: Any) -> Any:
    holders = [(one, key) for one, key in _holders(record) if isinstance(one, dict)]
    if holders:
        holder, key = dice.choice(holders)
        del holder[key]
    return record


def _new_key(dice: random.Random, record: Any) -> Any:
    holders = [one for one, _ in _holders(record) if isinstance(one, dict)]
    if holders:
        dice.choice(holders)[dice.choice(KEYS)] = _copy(dice.choice(VALUES))
    return record


def _moved_value(dice: random.Random, record: Any) -> Any:
    holders, others = _holders(record), _holders(dice.choice(PARSED))
    if holders and others:
        holder, key = dice.choice(holders)
        other, there = dice.choice(others)
        holder[key] = _copy(other[there])
    return record


def _other_kind(dice: random.Random, record: Any) -> Any:
    other = dice.choice(PARSED)
    if isinstance(record, dict) and dice.random() < 0.5:
        record["type"] = other.get("type")
    elif isinstance(record, dict) and _payload(record):
        record["payload"]["type"] = _payload(other).get("type")
    return record


def _wrapped(dice: random.Random, record: Any) -> Any:
    depth = dice.choice((1, 5, 150))
    for _ in range(depth):
        record = [record] if dice.random() < 0.5 else {"payload": record}
    return record


TREES: list[Callable[[random.Random, Any], Any]] = [
    *(_some_value, _some_value, _some_value, _no_value, _new_key, _moved_value, _other_kind, _wrapped)
]


def _cut(dice: random.Random, line: bytes) -> bytes:
    return line[: dice.randrange(len(line) + 1)]


def _headless(dice: random.Random, line: bytes) -> bytes:
    return line[dice.randrange(len(line) + 1) :]


def _put_in(dice: random.Random, line: bytes) -> bytes:
    at = dice.randrange(len(line) + 1)
    return line[:at] + dice.choice(BYTES) + line[at + dice.randrange(3) :]


def _joined(dice: random.Random, line: bytes) -> bytes:
    return line + dice.choice((b"", b" ", b",")) + dice.choice(LINES)


def _twice(dice: random.Random, line: bytes) -> bytes:
    one, other = sorted((dice.randrange(len(line) + 1), dice.randrange(len(line) + 1)))
    return line[:other] + line[one:]


def _flipped(dice: random.Random, line: bytes) -> bytes:
    if not line:
        return line
    at = dice.randrange(len(line))
    return line[:at] + bytes((dice.randrange(256),)) + line[at + 1 :]


TEXTS: list[Callable[[random.Random, bytes], bytes]] = [_cut, _headless, _put_in, _put_in, _joined, _twice, _flipped]
