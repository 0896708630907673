"""The estimate of a run that is not started yet, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.conf import settings

from adjudication.projects.models import Membership
from adjudication.runs.estimate import Bounds, estimate
from adjudication.runs.forms import NewRunForm
from adjudication.runs.rules import Configuration
from adjudication.runs.spending import money
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import sees_digests


def estimate_of(
    membership: Membership, form: NewRunForm, specification: Specification
) -> dict[str, Any]:
    """What a run as entered would come to, or what the form lacks before that can be said.

    Tokens are for who may read the whole corpus, as they tell how long its passages are.
    """
    if not form.is_valid():
        return {"lacks": [error for errors in form.errors.values() for error in errors]}
    configuration: Configuration = form.cleaned_data["configuration"]
    questions = list(form.questions())
    if configuration.reader != "endpoint":
        return {"questions": len(questions), "free": True}
    reader = settings.READER
    assert reader is not None, "without an endpoint the form offers no model of one"
    found = estimate(specification, questions, configuration)
    whole = sees_digests(membership, specification)
    if not whole:
        found = replace(found, tokens_in=None, tokens_out=None)
    cost = dict.fromkeys(found.cost(reader) or ())
    return {
        "questions": len(questions),
        "calls": _between(found.calls),
        "tokens_in": _between(found.tokens_in),
        "tokens_out": _between(found.tokens_out),
        "cost": " to ".join(money(one, reader.currency) for one in cost),
        "measured": found.measured,
        "withheld": not whole,
        "short": _is_short(found.calls, configuration.budget_calls)
        or _is_short(_sum(found.tokens_in, found.tokens_out), configuration.budget_tokens),
    }


def _between(bounds: Bounds | None) -> str:
    if bounds is None:
        return ""
    return " to ".join(f"{one:,}" for one in dict.fromkeys((bounds.low, bounds.high)))


def _sum(one: Bounds | None, other: Bounds | None) -> Bounds | None:
    return Bounds(one.low + other.low, one.high + other.high) if one and other else None


def _is_short(bounds: Bounds | None, budget: int | None) -> bool:
    """Whether a budget may be spent before every question has ended."""
    return bounds is not None and budget is not None and budget < bounds.high
