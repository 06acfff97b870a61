"""How work grows with its size: the exponent of a line fitted through logarithms. No clock decides, only growth.

1 is linear, 2 is quadratic. The processor's time of this thread counts, the least of several rounds, so that a busy
machine spoils little; sizes double, so that a quadratic step cannot hide.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

LINEAR = 1.35
"""Above this, work grows faster than its size, as far as one can tell by measuring."""
LEAST_SECONDS = 5e-4
"""What takes less says nothing."""


class Growth(NamedTuple):
    exponent: float
    seconds: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.exponent:.2f}"


def growth(sizes: Sequence[int], prepare: Callable[[int], Callable[[], object]], rounds: int = 4) -> Growth:
    """Fits the work that ``prepare(size)`` gives. What takes next to no time counts as 0."""
    seconds = []
    for size in sizes:
        best = math.inf
        for _ in range(rounds):
            work = prepare(size)
            gc.collect()
            gc.disable()
            began = time.thread_time()
            work()
            best = min(best, time.thread_time() - began)
            gc.enable()
        seconds.append(best)
    points = [(math.log(size), math.log(one)) for size, one in zip(sizes, seconds, strict=True) if one >= LEAST_SECONDS]
    if len(points) < 3:
        return Growth(0.0, tuple(seconds))
    return Growth(slope(*zip(*points, strict=True)), tuple(seconds))


def slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """The slope of the line of least squares."""
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
