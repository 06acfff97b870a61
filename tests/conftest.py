"""Options of the test run, and where it takes place."""

from __future__ import annotations

import os

import pytest

IN_CI = os.environ.get("CI", "").lower() in ("1", "true")
"""There a test that cannot be run is a failed one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-markers",
        action="store_true",
        help="write the answers that come out into tests/markers instead of comparing them",
    )
