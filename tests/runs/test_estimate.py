"""What a run would buy: from the project's own questions where it has enough, else bounds."""

from __future__ import annotations

import random
from decimal import Decimal
from statistics import fmean
from typing import Any

import pytest

from adjudication.claims.models import Question
from adjudication.readers.requests import Reply
from adjudication.readers.settings import ReaderSettings
from adjudication.runs.calls import Ledger
from adjudication.runs.estimate import (
    ENOUGH,
    NOTHING,
    Bounds,
    Demand,
    demands,
    estimate,
    from_measured,
    from_schedule,
)
from adjudication.runs.gateway import Found
from adjudication.runs.models import Attempt
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import finish
from adjudication.specifications.models import Specification
from certify_core import model as core
from certify_core.model import Requirement
from tests.factories import make_question
from tests.runs.asking import READER, Endpoint, asks, claimed_in, request
from tests.runs.specified import give_graph

PRICED = ReaderSettings(
    "http://127.0.0.1:9/v1",
    key="",
    models=("small",),
    price_in=Decimal(2),
    price_out=Decimal(10),
    currency="EUR",
)


@pytest.fixture(autouse=True)
def _endpoint_is_set(settings) -> None:
    settings.READER = READER


# --- Measured


def test_equal_questions_leave_no_doubt():
    """Twenty questions of ten calls each: another hundred ask a thousand times."""
    found = from_measured(100, [Demand(10, 2000, 30)] * 20)
    assert found.calls == Bounds(1000, 1000)
    assert (found.tokens_in, found.tokens_out) == (Bounds(200_000, 200_000), Bounds(3000, 3000))
    assert found.measured == 20
    assert found.cost(PRICED) == (Decimal("0.43"), Decimal("0.43"))


def test_measured_bounds_hold_what_comes_in_19_of_20_runs():
    """Runs drawn from the same questions end between the bounds about as often as promised."""
    draw = random.Random(7)
    ended_between = 0
    for _ in range(400):
        past = [Demand(draw.choice((2, 9, 10, 22)), 1, 1) for _ in range(30)]
        coming = sum(draw.choice((2, 9, 10, 22)) for _ in range(50))
        bounds = from_measured(50, past).calls
        ended_between += bounds.low <= coming <= bounds.high
    assert 0.91 <= ended_between / 400 <= 0.98


def test_more_measured_questions_narrow_the_bounds():
    """And they stay around the mean."""
    past = [Demand(calls, 1, 1) for calls in (5, 10, 15)] * 10
    few, many = from_measured(1000, past).calls, from_measured(1000, past * 30).calls
    assert few.low < many.low < 1000 * fmean((5, 10, 15)) < many.high < few.high


def test_tokens_that_were_not_always_reported_are_unknown():
    """Adding up those that were would be too little, and a cost from them a promise."""
    found = from_measured(10, [Demand(10, 2000, 30)] * 20 + [Demand(10, None, 30)])
    assert (found.tokens_in, found.tokens_out, found.cost(PRICED)) == (None, None, None)
    assert found.calls.high >= 100


# --- Scheduled


@pytest.mark.parametrize(
    ("lookups", "choices", "calls"),
    [
        # 5/5/10 in calls of five: four calls a lookup, and two answers at the end.
        ([2], {}, Bounds(1, 10)),
        ([2], {"per_call": 1}, Bounds(1, 42)),
        ([2], {"check": "verify"}, Bounds(1, 14)),
        # Without requirements: one call for them, and as many lookups as the longest form.
        ([None, 2], {}, Bounds(2, 1 + 16 + 2 + 10)),
        ([], {}, Bounds(0, 0)),
    ],
)
def test_schedule_bounds_the_calls(
    lookups: list[int | None], choices: dict[str, Any], calls: Bounds
):
    """Every round of every lookup at the most, one call a question at the least."""
    assert from_schedule(lookups, asks(**choices), 400.0).calls == calls


def test_schedule_counts_the_words_of_passages():
    """Longer passages cost more, at the most; at the least nothing is found to read."""
    short, long = (from_schedule([2], asks(), letters) for letters in (100.0, 2000.0))
    assert short.tokens_in.low == long.tokens_in.low
    assert short.tokens_in.high < long.tokens_in.high
    low, high = long.cost(PRICED)
    assert 0 < low < high
    assert long.cost(READER) is None, "without prices there is no cost"


# --- From the project


def ended(attempt: Attempt, asked: int, reply: Reply) -> None:
    """A question that asked so often and came to nothing."""
    ledger = Ledger(attempt, Endpoint(reply))
    for number in range(asked):
        ledger(request(f"{attempt.question.text} {number}"))
    abstention = core.Abstention((core.OpenRequirement(0, "?", "no-plan"),))
    finish(attempt, Found(core.Outcome(abstention, None)))


def test_questions_of_the_project_are_measured_by_what_they_asked(
    specification: Specification, question: Question
):
    """A stored answer counts as asked for: new questions would have to buy it."""
    for _ in range(2):
        (attempt,) = claimed_in(specification, [question])
        ended(attempt, 3, Reply("null", "stop", 100, 7, 0.1))
    (other,) = claimed_in(specification, [question], per_call=1)
    ended(other, 9, Reply("null", "stop", None, 7, 0.1))
    assert demands(specification, asks()) == [Demand(3, 300, 21)] * 2
    assert demands(specification, asks(per_call=1)) == [Demand(9, None, 63)]
    Attempt.objects.filter(pk=other.pk).update(deliveries=2)
    assert demands(specification, asks(per_call=1)) == []


def test_estimate_takes_the_schedule_until_enough_was_measured(
    specification: Specification, question: Question
):
    """A handful of questions says less than what the schedule allows."""
    asked = [question, make_question(question.project, "Where was Carl Holm born?")]
    give_graph(asked[1], Requirement(1, "lookup", "Where was Carl Holm born?"))
    planned = estimate(specification, asked, asks())
    assert (planned.measured, planned.calls) == (0, Bounds(2, 1 + 16 + 2 + 4 + 2))
    many = [make_question(question.project, f"Question {number}") for number in range(ENOUGH)]
    for attempt in claimed_in(specification, many):
        ended(attempt, 3, Reply("null", "stop", 100, 7, 0.1))
    measured = estimate(specification, asked, asks())
    assert (measured.measured, measured.calls) == (ENOUGH, Bounds(6, 6))
    assert estimate(specification, asked, asks(sample=4)) == measured


@pytest.mark.parametrize("configuration", [Configuration(), asks(reader="recorded", replays="x")])
def test_reader_that_buys_nothing_costs_nothing(
    specification: Specification, question: Question, configuration: Configuration
):
    """Offline and recorded readers ask no endpoint."""
    assert estimate(specification, [question], configuration) == NOTHING
