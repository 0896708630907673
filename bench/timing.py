"""Processor time, so that other work on the machine disturbs the figures least."""

import statistics
import time
from collections.abc import Callable

Figures = dict[str, float | str | None]
"""What a measurement saw, by name; null where something it needs is not there."""


def cpu_seconds(action: Callable[[], object], loops: int = 1, runs: int = 1) -> float:
    """Return the processor seconds of one action: the median over runs of many loops."""
    return statistics.median(_run(action, loops) / loops for _ in range(runs))


def _run(action: Callable[[], object], loops: int) -> float:
    begin = time.process_time()
    for _ in range(loops):
        action()
    return time.process_time() - begin
