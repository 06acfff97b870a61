"""Findings as SARIF 2.1.0, the format of code scanners (OASIS, 2020), written piece by piece.

Lines and columns from 1, columns in UTF-16 units, ends not included, as in ``report``. Files below the folder that the
check ran in are named from there on; nothing else tells where on the disk it is. Never decides which findings there
are, never prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import msgspec

from rollout_ls.rules.finding import Severity
from rollout_ls.rules.registry import RULES, Rule
from rollout_ls.wire.report import FindingRow

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "%SRCROOT%"
"""The name of the folder that relative addresses begin at, as code hosts know it."""

Level = Literal["error", "warning", "note"]
LEVELS: dict[Severity, Level] = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}
"""SARIF knows no hints; the severity itself stands in the result's properties."""

_INDEX = {code: number for number, code in enumerate(RULES)}


class Artifact(msgspec.Struct, frozen=True):
    """The address of a file: a URI reference, ``relative`` to the folder that the check ran in or absolute."""

    uri: str
    relative: bool


def sarif(
    rows: Iterable[FindingRow],
    artifact_of: Callable[[str], Artifact],
    version: str,
    pages: Callable[[str], str],
    ending: Callable[[], tuple[list[str], dict[str, Any] | None]],
) -> Iterator[bytes]:
    """A log with one run. ``pages`` gives the text of a code's page, empty where there is none.

    ``ending`` is asked once all rows are written: what could not be read (a line each), and further properties of the
    run.
    """
    driver = {
        "name": "rollout-ls",
        "semanticVersion": version,
        "rules": [_rule(rule, pages(rule.code)) for rule in RULES.values()],
    }
    head = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "originalUriBaseIds": {BASE: {"description": {"text": "The folder that the check ran in."}}},
    }
    yield b'{"$schema":' + _encode(SCHEMA) + b',"version":"2.1.0","runs":[' + _encode(head)[:-1] + b',"results":[\n'
    before = b""
    for row in rows:
        yield before + _encode(_result(row, artifact_of(row.path)))
        before = b",\n"
    problems, properties = ending()
    tail: dict[str, Any] = {"invocations": [_invocation(problems)]}
    if properties is not None:
        tail["properties"] = properties
    yield b"]," + _encode(tail)[1:] + b"]}\n"


def _rule(rule: Rule, page: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.code.split("-")),
        "shortDescription": {"text": f"{rule.title}."},
        "defaultConfiguration": {"level": LEVELS[rule.severity], "enabled": not rule.default_off},
        "properties": {"severity": rule.severity, "pass": rule.when},
    }
    if page:
        made["help"] = {"text": page, "markdown": page}
    return made


def _result(row: FindingRow, artifact: Artifact) -> dict[str, Any]:
    region = {
        "startLine": row.line,
        "startColumn": row.column,
        "endLine": row.end_line,
        "endColumn": row.end_column,
    }
    made: dict[str, Any] = {
        "ruleId": row.code,
        "level": LEVELS[row.severity],
        "message": {"text": row.message},
        "locations": [_location(artifact, region)],
        "properties": {"severity": row.severity, "byte": row.byte},
    }
    if row.code in _INDEX:
        made["ruleIndex"] = _INDEX[row.code]
    if row.related:
        made["relatedLocations"] = [
            {
                "id": number,
                **_location(artifact, {"startLine": one.line, "startColumn": one.column}),
                "message": {"text": one.message},
            }
            for number, one in enumerate(row.related, 1)
        ]
    return made


def _location(artifact: Artifact, region: dict[str, int]) -> dict[str, Any]:
    address = {"uri": artifact.uri, "uriBaseId": BASE} if artifact.relative else {"uri": artifact.uri}
    return {"physicalLocation": {"artifactLocation": address, "region": region}}


def _invocation(problems: list[str]) -> dict[str, Any]:
    if not problems:
        return {"executionSuccessful": True}
    notes = [{"level": "error", "message": {"text": problem}} for problem in problems]
    return {"executionSuccessful": False, "toolExecutionNotifications": notes}


def _encode(value: Any) -> bytes:
    return msgspec.json.encode(value)
