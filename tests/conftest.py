"""Options of the test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-markers",
        action="store_true",
        help="write the answers that come out into tests/markers instead of comparing them",
    )
