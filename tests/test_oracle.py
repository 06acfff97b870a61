"""The findings held against the real reader of Codex: each line that it drops carries one, each error is confirmed.

Skipped where that program is not there. The version is pinned: where a newer one disagrees, the catalogue learns since
or until when, and the rules stay as they are.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import codex_samples as make
import oracle
from rollout_ls.formats.codex.catalogue import Kind
from rollout_ls.rules.finding import Finding
from rollout_ls.workspace.document import Document

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
FILES = sorted([*(FIXTURES / "sessions").iterdir(), *(FIXTURES / "cases").glob("*.jsonl")])
HEADER = json.dumps(
    {
        "timestamp": "2026-02-03T10:00:00.000Z",
        "type": "session_meta",
        "payload": {
            "id": make.UUID,
            "timestamp": "2026-02-03T10:00:00.000Z",
            "cwd": "/w",
            "originator": "codex_cli_rs",
            "cli_version": "0.142.0",
            "source": "cli",
            "model_provider": "openai",
        },
    }
).encode()
MUTANTS_OF_A_KIND = 400

EXEMPT: dict[str, tuple[str, str]] = {
    "bad-utf8": ("", "a legacy file is refused as a whole for it, so no line is judged by itself"),
    "shape": (
        "must be a string, found a number|must be an object, found an array",
        "its decoder also takes the number of a variant for its word, and a row of values for an object, when they "
        "happen to fit: then it keeps the record for something that nobody wrote",
    ),
}
"""Errors that the reader need not confirm: the code, of which messages, and why an error stays one."""
GHOST = b'"ghost_snapshot"'
"""Hidden commits: dropped without a word, with all that stands beside them."""

PROGRAM = oracle.find_program()
ABSENT = oracle.why_absent(PROGRAM)
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)


@pytest.fixture(scope="module")
def reader() -> Iterator[oracle.Reader]:
    assert PROGRAM is not None
    with oracle.Reader(PROGRAM) as running:
        yield running


def findings_by_line(data: bytes) -> dict[int, list[Finding]]:
    """The findings of a file, by the number of its line (ends are ``\\n`` alone), from 0."""
    opened = Document("file:///rollout.jsonl", 1, [data], on_disk=True)
    numbers = {id(line): number for number, line in enumerate(opened.buffer)}
    found: dict[int, list[Finding]] = {}
    for one in opened.finish():
        found.setdefault(numbers.get(id(one.place.line), 0), []).append(one)
    return found


def judged(reader: oracle.Reader, lines: list[bytes]) -> dict[int, str]:
    """What is dropped, also where the bytes of some lines make the reader give up."""
    try:
        return reader.dropped(lines)
    except UnicodeError:
        verdicts: dict[int, str] = {}
        for number, line in enumerate(lines):
            try:
                alone = reader.dropped([line])
            except UnicodeError:
                alone = {0: "not UTF-8"}
            verdicts.update((number, reason) for reason in alone.values())
        return verdicts


def is_exempt(finding: Finding) -> bool:
    if finding.code not in EXEMPT:
        return False
    return re.search(EXEMPT[finding.code][0], finding.message) is not None


def is_told(line: bytes) -> bool:
    """Whether a line alone carries a finding: in its file it may be the second one of a group."""
    return 1 in findings_by_line(HEADER + b"\n" + line + b"\n") or bool(findings_by_line(line + b"\n"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem[:27]}")
def test_a_file_is_judged_as_the_reader_does(reader: oracle.Reader, path: Path) -> None:
    data = path.read_bytes()
    lines = data.split(b"\n")
    found = findings_by_line(data)
    dropped = judged(reader, lines)
    unsaid = [number for number in dropped if number not in found and lines[number].strip()]
    silent = [number + 1 for number in unsaid if not is_told(lines[number])]
    assert silent == [], "dropped by the reader without a finding"
    errors = {
        number: [one for one in of_line if one.severity == "error" and not is_exempt(one)]
        for number, of_line in found.items()
    }
    doubtful = {number: of_line for number, of_line in errors.items() if of_line and number not in dropped}
    if not doubtful:
        return
    assert PROGRAM is not None
    with oracle.Reader(PROGRAM) as fresh:
        fate = fresh.fate(path.name, data)
    if fate.read is not None or fate.resumed is not None:
        return
    unconfirmed = [(number + 1, of_line) for number, of_line in doubtful.items() if number not in fate.skipped]
    assert unconfirmed == [], "errors that the reader does not confirm"


# -- mutants
def mutants(kind: Kind, chance: random.Random) -> Iterator[bytes]:
    """Records of a kind with one thing changed: gone, null, of another type, a strange value, a key more."""
    whole = list(make.legal(kind))
    for record in whole:
        yield encoded(record)
    spots = [(record, path) for record in whole for path in make.places(record) if path != ("timestamp",)]
    for record, path in chance.sample(spots, min(len(spots), MUTANTS_OF_A_KIND)):
        how = chance.randrange(4)
        if how == 0:
            yield encoded(make.without(record, path))
        elif how == 1:
            yield encoded(make.put(record, path, None))
        else:
            yield encoded(make.put(record, path, chance.choice(make.MANGLED)))


def encoded(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("kind", make.kinds(), ids=lambda kind: kind.name)
def test_mutants_of_a_kind_are_judged_as_the_reader_does(reader: oracle.Reader, kind: Kind) -> None:
    hold(reader, list(mutants(kind, random.Random(kind.name))))


def hold(reader: oracle.Reader, lines: list[bytes]) -> None:
    """Each line that is dropped carries a finding, each error of one line is confirmed."""
    dropped = judged(reader, lines)
    silent, unconfirmed = [], []
    for number, line in enumerate(lines):
        found = findings_by_line(HEADER + b"\n" + line + b"\n").get(1, [])
        if number in dropped and not found:
            silent.append((line, dropped[number]))
        errors = [f"{one.code}: {one.message}" for one in found if one.severity == "error" and not is_exempt(one)]
        if errors and number not in dropped and GHOST not in line:
            unconfirmed.append((line, errors))
    assert silent == [], "dropped by the reader without a finding"
    assert unconfirmed == [], "errors that the reader does not confirm"


# -- damage
MESSAGE = (
    b'{"timestamp":"2026-02-03T10:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user",'
    b'"content":[{"type":"input_text","text":"Gr\xc3\xbc\xc3\x9fe, tea"}]}}'
)
USAGE = (
    b'{"timestamp":"2026-02-03T10:00:00.000Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t",'
    b'"started_at":1770000000,"model_context_window":1000}}'
)
WORLD = b'{"timestamp":"2026-02-03T10:00:00.000Z","type":"world_state","payload":{"full":true,"state":{"a":1}}}'
NUMBERS = (
    b"1.5 -1 1e3 1E400 -0 01 +1 .5 NaN Infinity 9223372036854775807 9223372036854775808 18446744073709551615 "
    b"18446744073709551616 -9223372036854775808 -9223372036854775809 170141183460469231731687303715884105727 "
    b"340282366920938463463374607431768211455 340282366920938463463374607431768211456 "
    b"-170141183460469231731687303715884105729 " + b"9" * 60 + b" " + b"9" * 400
).split(b" ")


TEXTS = (*(rb"\ud800 \udc00 \ud83d\ude00 \ud83d\u0020\ude00 \q \u12".split(b" ")), b"\\")


def damaged() -> Iterator[bytes]:
    for record in (MESSAGE, USAGE, WORLD):
        spots = range(0, len(record), 11)
        yield from (record[:cut] for cut in range(1, len(record), 7))
        yield from (record[:at] + byte + record[at + 1 :] for at in spots for byte in (b"\0", b"}", b'"'))
        yield from (record + record, record + b" " + record, record[30:] + record)
        yield from (b"\0" * 5 + record, record + b"\0" * 9, b"\xef\xbb\xbf" + record)
        yield from (b" \t" + record + b" ", record.replace(b",", b",\r"), record + b"\r", record[:-1])
        yield record.replace(b'"payload":', b'"payload":{},"payload":')
        yield record.replace(b'"type":', b'"type":"zz","type":', 1)
        yield record.replace(b'{"timestamp"', b'{"ordinal":5,"ordinal":6,"timestamp"')
        yield record[:-1] + b',"more":1,"more":2}'
        for number in NUMBERS:
            yield record.replace(b'{"timestamp"', b'{"ordinal":' + number + b',"timestamp"')
            yield record[:-1] + b',"more":' + number + b"}"
            yield record[:-2] + b',"more":[' + number + b"]}}"
    for number in NUMBERS:
        yield USAGE.replace(b"1000", number)
        yield USAGE.replace(b"1770000000", number)
        yield WORLD.replace(b'"a":1', b'"a":' + number)
    for text in (*TEXTS, b"\t", b"\x7f"):
        yield MESSAGE.replace(b"tea", text)
        yield MESSAGE[:-1] + b',"more":"' + text + b'"}'
    for levels in (100, 122, 123, 124, 125, 126, 127, 128, 129, 200):
        yield MESSAGE[:-2] + b',"more":' + b"[" * levels + b"]" * levels + b"}}"
        yield WORLD.replace(b'"a":1', b'"a":' + b'{"b":' * levels + b"1" + b"}" * levels)
        yield MESSAGE[:-1] + b',"more":' + b"[" * levels + b"]" * levels + b"}"
    yield from (b"null", b"5", b'"x"', b"[]", b"{}", b"true", b"{", b"[" + MESSAGE + b"]")


def test_damaged_lines_are_judged_as_the_reader_does(reader: oracle.Reader) -> None:
    hold(reader, list(damaged()))
