"""Findings as the commands by which a GitHub workflow marks lines of files. Never prints."""

from __future__ import annotations

from rollout_ls.rules.finding import Severity
from rollout_ls.wire.report import FindingRow

COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}


def github_line(row: FindingRow) -> str:
    """One finding as one line. Columns are told only where the place is on one line: GitHub refuses them elsewhere."""
    places = {"file": row.path, "line": row.line, "endLine": row.end_line}
    if row.line == row.end_line:
        places |= {"col": row.column, "endColumn": max(row.column, row.end_column - 1)}
    properties = ",".join(f"{key}={_property(str(value))}" for key, value in places.items())
    message = f"{row.path}:{row.line}:{row.column}: {row.severity}[{row.code}] {row.message}"
    return f"::{COMMANDS[row.severity]} {properties},title={_property(f'rollout-ls {row.code}')}::{_data(message)}"


def _data(text: str) -> str:
    """Escaped as the runner unescapes it: a percent sign and line ends."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """As ``_data``, and what ends a property."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
