"""How far people who judged alone agree on one dimension. Pure.

One mask holds for all that is counted: a set with fewer than two answers is left out of what is
observed and of what chance would give. Where nobody differs anywhere, chance explains all of it,
so that a coefficient is undefined, neither 0 nor 1. Intervals draw whole questions, since sets of
one question share its difficulties.

Jacob Cohen, "A Coefficient of Agreement for Nominal Scales", 1960; Klaus Krippendorff, "Computing
Krippendorff's Alpha-Reliability", 2011. Both are taken from counts, so that 100,000 sets and a
thousand draws of them take no longer than a page may; the tests hold them to what nltk makes of
the single answers.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

from certify_core.metrics.rates import Rate

NO_OVERLAP = "no set was judged by two"
NO_VARIANCE = "no variance: every answer is the same"
ONE_QUESTION = "all sets belong to one question"
TOO_ALIKE = "too few answers differ to draw from"
NO_SPREAD = "every draw gives the same"

RESAMPLES = 1000
SEED = 20
CLUSTERS = 250
"""Where there are more questions they are drawn in so many groups: the interval is as sound."""


@dataclass(frozen=True, slots=True)
class Rated:
    """One set: the question it belongs to, and what each person answered."""

    question: UUID
    answers: Mapping[UUID, str]


@dataclass(frozen=True, slots=True)
class Figure:
    """A coefficient, at most 1; ``value`` is None where undefined, and ``reason`` says why."""

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """Of 95 %; both ends are None where it is undefined, and ``reason`` says why."""

    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """``rate`` counts pairs of answers to the same set, and among them those that are equal."""

    sets: int
    judgements: int
    questions: int
    rate: Rate
    rate_interval: Interval
    alpha: Figure
    alpha_interval: Interval


@dataclass(frozen=True, slots=True)
class Pair:
    """Two people over the sets that both judged."""

    people: tuple[UUID, UUID]
    rate: Rate
    kappa: Figure


def agreement_of(rated: Sequence[Rated], *, missing: int = 0, pending: int = 0) -> Agreement:
    """Percent agreement and Krippendorff's alpha (nominal), with intervals by question.

    Args:
        missing: sets that nobody will judge any more, to be named beside the rate.
        pending: sets whose judgements are still to come.
    """
    shared = [one for one in rated if len(one.answers) > 1]
    clusters = _clusters(shared)
    equal, pairs, apart, *given = _sum(clusters)
    rate_interval, alpha_interval = _intervals(clusters)
    return Agreement(
        sets=len(shared),
        judgements=sum(len(one.answers) for one in shared),
        questions=len({one.question for one in shared}),
        rate=Rate(equal, int(pairs), missing, pending, "" if shared else NO_OVERLAP),
        rate_interval=rate_interval,
        alpha=_figure(_alpha(apart, given), len(shared)),
        alpha_interval=alpha_interval,
    )


def pairs_of(rated: Sequence[Rated]) -> list[Pair]:
    """Every two people who judged a set together, in the order of their ids."""
    tables: dict[tuple[UUID, UUID], Counter[tuple[str, str]]] = defaultdict(Counter)
    for one in rated:
        for (first, said), (second, answered) in combinations(sorted(one.answers.items()), 2):
            tables[first, second][said, answered] += 1
    return [_pair(people, table) for people, table in sorted(tables.items())]


def _pair(people: tuple[UUID, UUID], table: Counter[tuple[str, str]]) -> Pair:
    sets = table.total()
    equal = sum(n for (first, second), n in table.items() if first == second)
    return Pair(people, Rate(equal, sets), _figure(_kappa(table), sets))


def _kappa(table: Counter[tuple[str, str]]) -> float | None:
    """Cohen's kappa of how often each pair of answers was given; None if all are one answer."""
    sets = table.total()
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (said, answered), n in table.items():
        first[said] += n
        second[answered] += n
    by_chance = sum(n * second[answer] for answer, n in first.items())
    equal = sum(n for (said, answered), n in table.items() if said == answered)
    apart = sets * sets - by_chance
    return (sets * equal - by_chance) / apart if apart else None


def _figure(value: float | None, sets: int) -> Figure:
    if value is not None:
        return Figure(value)
    return Figure(None, NO_VARIANCE if sets else NO_OVERLAP)


# --- From counts, of all sets or of questions drawn again --------------------------------------

_Counts = tuple[float, ...]
"""What some sets add up to: pairs that are equal, pairs, the disagreement within sets as alpha
weighs it, and how often each answer was given, in one order for all."""


def _alpha(apart: float, given: Sequence[float]) -> float | None:
    """Krippendorff's alpha; None if there is but one answer."""
    whole = sum(given)
    expected = whole * whole - sum(n * n for n in given)
    return 1 - (whole - 1) * apart / expected if expected else None


def _counted(answers: Sequence[str], order: Sequence[str]) -> _Counts:
    """The counts of one set that two or more people answered."""
    tally = Counter(answers)
    people = len(answers)
    same = sum(n * n for n in tally.values())
    return (
        (same - people) // 2,
        people * (people - 1) // 2,
        (people * people - same) / (people - 1),
        *(tally[answer] for answer in order),
    )


def _clusters(shared: Sequence[Rated]) -> list[_Counts]:
    """The counts of each question, or of groups of questions where there are very many."""
    place = {question: n for n, question in enumerate(dict.fromkeys(o.question for o in shared))}
    patterns: dict[int, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for one in shared:
        patterns[place[one.question] % CLUSTERS][tuple(sorted(one.answers.values()))] += 1
    order = sorted({answer for one in shared for answer in one.answers.values()})
    # Few patterns of answers occur, each many times.
    counts = {p: _counted(p, order) for found in patterns.values() for p in found}
    return [_sum([counts[p] for p in found.elements()]) for found in patterns.values()]


def _sum(rows: Sequence[_Counts]) -> _Counts:
    return tuple(map(sum, zip(*rows, strict=True))) or (0, 0, 0)


def _intervals(clusters: Sequence[_Counts]) -> tuple[Interval, Interval]:
    """Of the rate and of alpha: percentiles over draws of as many clusters, with one seed."""
    if len(clusters) < 2:
        none = Interval(None, None, ONE_QUESTION if clusters else NO_OVERLAP)
        return none, none
    draws = random.Random(SEED)  # noqa: S311 -- the same draws at every look
    rates: list[float | None] = []
    alphas: list[float | None] = []
    for _ in range(RESAMPLES):
        equal, pairs, apart, *given = _sum(draws.choices(clusters, k=len(clusters)))
        rates.append(equal / pairs)
        alphas.append(_alpha(apart, given))
    return _percentiles(rates), _percentiles(alphas)


def _percentiles(values: Sequence[float | None]) -> Interval:
    """Undefined where one draw in twenty has no value: those left would tell too little."""
    found = sorted(value for value in values if value is not None)
    if len(found) <= 0.95 * len(values):
        return Interval(None, None, TOO_ALIKE)
    if found[0] == found[-1]:
        # Nine equal of nine are no proof that all there will be are equal.
        return Interval(None, None, NO_SPREAD)
    return Interval(found[int(0.025 * len(found))], found[int(0.975 * len(found))])
