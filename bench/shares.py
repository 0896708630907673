"""Shares counted over questions, with intervals that treat a question as one draw."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache

RESAMPLES = 1000
SEED = 20

Count = tuple[int, int]
"""What one question adds to a share's numerator and to its denominator."""

Statistic = Callable[[Sequence[int]], float | None]
"""A figure of the questions at these positions, which may repeat; ``None`` if undefined."""


def share(counts: Sequence[Count]) -> dict[str, object]:
    """Numerator, denominator, per cent, and the 95 % interval of a cluster bootstrap."""
    everyone = range(len(counts))
    return {
        "numerator": sum(counts[i][0] for i in everyone),
        "denominator": sum(counts[i][1] for i in everyone),
        **interval(lambda chosen: ratio(counts, chosen), len(counts)),
    }


def ratio(counts: Sequence[Count], chosen: Sequence[int]) -> float | None:
    denominator = sum(counts[i][1] for i in chosen)
    return sum(counts[i][0] for i in chosen) / denominator if denominator else None


def interval(statistic: Statistic, questions: int) -> dict[str, object]:
    """The statistic in per cent with its interval; null where it is undefined.

    Every statistic of equally many questions meets the same draws, so that differences of
    two are paired.
    """
    drawn = sorted(v for chosen in draws(questions) if (v := statistic(chosen)) is not None)
    value = statistic(range(questions))
    if value is None:
        return {"percent": None, "low": None, "high": None}
    low, high = drawn[int(0.025 * len(drawn))], drawn[int(0.975 * len(drawn))]
    return {
        name: round(100 * v, 1) for name, v in (("percent", value), ("low", low), ("high", high))
    }


@cache
def draws(questions: int) -> tuple[tuple[int, ...], ...]:
    """The positions of every resample, fixed by the seed and the number of questions."""
    generator = random.Random(SEED)
    everyone = range(questions)
    return tuple(tuple(generator.choices(everyone, k=questions)) for _ in range(RESAMPLES))
