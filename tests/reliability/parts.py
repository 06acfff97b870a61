"""Long work in parts, as many at a time as the machine has cores: only for what looks at no clock."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from scale import LONG

T = TypeVar("T")
CORES = min(8, os.cpu_count() or 1)
PARTS = CORES if LONG else 1
"""A short run goes with other tests and is done before processes have started."""


def in_parts(work: Callable[[int], T]) -> list[T]:
    """What ``work`` gives for each part, 0 to ``PARTS`` - 1, each in a process of its own. Raises what one raised."""
    if PARTS == 1:
        return [work(0)]
    with ProcessPoolExecutor(PARTS, multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(work, range(PARTS)))
