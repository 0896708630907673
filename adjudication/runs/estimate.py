"""What a run would buy before it is started: calls, tokens and cost, each from low to high.

Where the project has asked the same model the same way before, those questions are the measure;
else the schedule bounds what a question can ask. What is stored already costs nothing, so a run
over questions that were asked before comes out below.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import fmean, stdev

from django.db.models import Avg, Count, F, Sum
from django.db.models.functions import Coalesce, Length

from adjudication.claims.graphs import from_json
from adjudication.claims.models import Question, RequirementGraph
from adjudication.corpus.models import SourceVersion
from adjudication.readers.settings import ReaderSettings
from adjudication.runs.models import ReadAnswer, ReaderCall
from adjudication.runs.rules import Configuration
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import eligible_versions

ENOUGH = 20
"""So many questions must have been measured before they say more than the schedule does."""

NEWEST = 2000  # questions measured, at most
SAMPLED = 500  # passages whose length stands for all
DEVIATIONS = 2.0  # on either side: about 19 in 20 runs end between

MOST_LOOKUPS = 4
"""Lookups of a question without requirements yet: as many as the longest forms need."""

# Rough on purpose: servers count tokens differently, and prompts differ by kind.
PROMPT_TOKENS = (300, 1500)
LETTERS_IN_A_TOKEN = (6, 3)
ANSWER_TOKENS = (5, 100)


@dataclass(frozen=True, slots=True)
class Demand:
    """What one question asked for, bought or stored. Tokens are ``None`` where not reported."""

    calls: int
    tokens_in: int | None
    tokens_out: int | None


@dataclass(frozen=True, slots=True)
class Bounds:
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """``measured`` questions stand behind it; 0 where it is what the schedule allows.

    Tokens are ``None`` where the endpoint did not report them; ``cost`` also where there are no
    prices.
    """

    calls: Bounds
    tokens_in: Bounds | None
    tokens_out: Bounds | None
    measured: int = 0

    def cost(self, reader: ReaderSettings) -> tuple[Decimal, Decimal] | None:
        """From low to high, at the prices of ``reader``."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        low = reader.cost(self.tokens_in.low, self.tokens_out.low)
        high = reader.cost(self.tokens_in.high, self.tokens_out.high)
        return None if low is None or high is None else (low, high)


NOTHING = Estimate(Bounds(0, 0), Bounds(0, 0), Bounds(0, 0))


# --- Pure ------------------------------------------------------------------------------------


def from_measured(questions: int, measured: Sequence[Demand]) -> Estimate:
    """What ``questions`` like the measured ones come to; there are two of these at least."""
    tokens_in = [one.tokens_in for one in measured if one.tokens_in is not None]
    tokens_out = [one.tokens_out for one in measured if one.tokens_out is not None]
    reported = len(tokens_in) == len(tokens_out) == len(measured)
    return Estimate(
        calls=_total(questions, [one.calls for one in measured]),
        tokens_in=_total(questions, tokens_in) if reported else None,
        tokens_out=_total(questions, tokens_out) if reported else None,
        measured=len(measured),
    )


def with_twins(originals: Estimate) -> Estimate:
    """Where each question may have a twin, which asks for as much again, or have none.

    The few passages that are read for what they might restate are not counted.
    """
    return replace(
        originals,
        calls=_twice_at_most(originals.calls),
        tokens_in=originals.tokens_in and _twice_at_most(originals.tokens_in),
        tokens_out=originals.tokens_out and _twice_at_most(originals.tokens_out),
    )


def _twice_at_most(bounds: Bounds) -> Bounds:
    return Bounds(bounds.low, 2 * bounds.high)


def _total(questions: int, counts: Sequence[int]) -> Bounds:
    """The sum over further questions: spread among these, and doubt about their mean."""
    mean, spread = fmean(counts), stdev(counts)
    doubt = DEVIATIONS * spread * math.sqrt(questions + questions**2 / len(counts))
    middle = questions * mean
    return Bounds(max(0, math.floor(middle - doubt)), math.ceil(middle + doubt))


def from_schedule(
    lookups: Sequence[int | None], configuration: Configuration, letters: float
) -> Estimate:
    """What the schedule allows.

    Args:
        lookups: of each question; ``None`` where the reader is to find its requirements.
        letters: of a passage on average.

    At the least a question has no plan, or its first lookup is all it can do. At the most every
    lookup goes through all its rounds, and each is asked for one value: a lookup that follows
    several values is asked once for each, and then there are more.
    """
    most = sum(_most_calls(one, configuration) for one in lookups)
    calls = Bounds(len(lookups), most)
    passages = configuration.per_call * letters
    low, high = PROMPT_TOKENS
    return Estimate(
        calls=calls,
        tokens_in=Bounds(
            calls.low * low, math.ceil(calls.high * (high + passages / LETTERS_IN_A_TOKEN[1]))
        ),
        tokens_out=Bounds(
            calls.low * ANSWER_TOKENS[0],
            calls.high * ANSWER_TOKENS[1] * configuration.per_call,
        ),
    )


def _most_calls(lookups: int | None, configuration: Configuration) -> int:
    planning = 1 if lookups is None else 0
    policy = configuration.policy
    rounds = sum(math.ceil(size / configuration.per_call) for size in policy.schedule)
    second = policy.verifications if policy.check in ("verify", "anchor-or-verify") else 0
    asked = MOST_LOOKUPS if lookups is None else lookups
    return planning + asked * (rounds + second) + len(ReadAnswer.Context)


# --- From the project ------------------------------------------------------------------------


def estimate(
    specification: Specification, questions: Sequence[Question], configuration: Configuration
) -> Estimate:
    """What a run over ``questions`` would buy, and over their twins where it has some."""
    if configuration.reader != "endpoint":
        return NOTHING
    measured = demands(specification, configuration)
    if len(measured) >= ENOUGH:
        found = from_measured(len(questions), measured)
    else:
        found = from_schedule(_lookups(questions), configuration, _letters(specification))
    return found if configuration.twins is None else with_twins(found)


def demands(specification: Specification, configuration: Configuration) -> list[Demand]:
    """Questions that ended in the project's runs with the same model and size of calls.

    Those that a worker died over are left out: they asked for some things twice.
    """
    calls = ReaderCall.objects.filter(
        run__project=specification.project_id,
        run__configuration__reader="endpoint",
        run__configuration__model=configuration.model,
        run__configuration__per_call=configuration.per_call,
        attempt__outcome__isnull=False,
        attempt__twin=False,
        attempt__deliveries=1,
    )
    tokens_in = Coalesce("answer__tokens_in", "reuses__tokens_in")
    tokens_out = Coalesce("answer__tokens_out", "reuses__tokens_out")
    rows = (
        calls.order_by()
        .values("attempt")
        .annotate(
            calls=Count("pk"),
            sent=Sum(tokens_in),
            received=Sum(tokens_out),
            told_in=Count(tokens_in),
            told_out=Count(tokens_out),
            at=F("attempt__outcome__at"),
        )
        .order_by("-at", "attempt")[:NEWEST]
    )
    return [
        Demand(
            row["calls"],
            row["sent"] if row["told_in"] == row["calls"] else None,
            row["received"] if row["told_out"] == row["calls"] else None,
        )
        for row in rows
    ]


def _lookups(questions: Sequence[Question]) -> list[int | None]:
    """Lookups of each question's newest requirements; ``None`` where it has none."""
    newest = (
        RequirementGraph.objects.filter(question__in=questions)
        .order_by("question", "-number")
        .distinct("question")
    )
    known = {one.question_id: _count_lookups(one) for one in newest}
    return [known.get(question.pk) for question in questions]


def _count_lookups(graph: RequirementGraph) -> int:
    requirements = from_json(graph.body).requirements
    return sum(requirement.kind == "lookup" for requirement in requirements)


def _letters(specification: Specification) -> float:
    """The average length of a passage; ids are drawn at random, so the first are a fair sample."""
    sample = eligible_versions(specification).order_by("pk").values("pk")[:SAMPLED]
    found = SourceVersion.objects.filter(pk__in=sample).aggregate(mean=Avg(Length("text")))
    return float(found["mean"] or 0.0)
