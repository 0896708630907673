"""What a run with twins comes to: right on the questions, silent on their twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from django.db.models import Count, Exists, OuterRef

from adjudication.claims.models import Claim
from adjudication.runs import queries
from adjudication.runs.lengths import length_only_auroc
from adjudication.runs.models import Attempt, Run, Twin
from certify_core.metrics import decisions
from certify_core.metrics.decisions import Decision
from certify_core.metrics.rates import Gap, Rate

State = Attempt.State
ENDS: dict[str, Literal["answered", "abstained"] | Gap] = {
    State.CERTIFIED: "answered",
    State.ABSTAINED: "abstained",
    State.FAILED: "missing",
    State.CANCELLED: "missing",
    State.QUEUED: "pending",
    State.RUNNING: "pending",
}
"""What an attempt says about how its question was decided; a dropped one says nothing."""

RATES: tuple[tuple[str, str, Callable[[Sequence[Decision]], Rate]], ...] = (
    (
        "Decision accuracy",
        "the mean of the originals’ share right and the twins’ share not answered; "
        "half by always abstaining",
        decisions.decision_accuracy,
    ),
    ("Twins answered", "wrong every time: the fact is gone", decisions.twin_answer_rate),
    ("Coverage", "originals answered", decisions.coverage),
    ("Right of those answered (SAcc)", "of the originals", decisions.selective_accuracy),
    (
        "Abstentions that are right",
        "precision: those on twins, of all",
        decisions.abstention_precision,
    ),
)


def decisions_of(run: Run) -> list[Decision]:
    """What the run did with each question and with each twin that was not dropped."""
    reference = Claim.objects.filter(question=OuterRef("question"), origin=Claim.Origin.REFERENCE)
    fields = ("question", "twin", "state", "outcome__claim__origin", "comparable")
    originals, twins = (
        queries.latest_attempts(run, twin=twin)
        .annotate(comparable=Exists(reference))
        .values_list(*fields)
        for twin in (False, True)
    )
    return [
        Decision(str(question), twin, ENDS[state], _is_right(state, origin, comparable))
        for question, twin, state, origin, comparable in (*originals, *twins)
        if state != State.DROPPED
    ]


def _is_right(state: str, origin: str | None, comparable: bool) -> bool | None:
    """``None`` where there is no answer, or no reference answer to compare it with."""
    if state != State.CERTIFIED or not comparable:
        return None
    return origin == Claim.Origin.REFERENCE


def twin_summary(run: Run, *, moving: bool) -> dict[str, Any] | None:
    """What the page of a run shows of its twins; ``None`` for a run without."""
    if run.configuration.get("twins") is None:
        return None
    found = decisions_of(run)
    made = Twin.objects.filter(attempt__run=run)
    dropped = made.exclude(dropped="").values_list("dropped").annotate(count=Count("pk"))
    return {
        "seed": run.configuration["twins"],
        "asked": sum(one.twin for one in found),
        "rates": [*(_rate(found, *one) for one in RATES), *([] if moving else [_length(run)])],
        "dropped": [
            (Twin.Dropped(reason).label, count)
            for reason, count in dropped.order_by("-count", "dropped")
        ],
        "unaudited": made.filter(dropped="", audited=False).count(),
    }


def _rate(
    found: Sequence[Decision], label: str, meaning: str, measure: Callable[..., Rate]
) -> dict[str, Any]:
    rate = measure(found)
    row = {"label": label, "meaning": meaning, "rate": rate, "value": _percent(rate)}
    if measure is decisions.decision_accuracy:
        # Its numerator and denominator are products that nobody counted.
        right, answered = decisions.accuracy(found), decisions.twin_answer_rate(found)
        left = answered.denominator - answered.missing - answered.pending
        row["counts"] = (
            f"{right.numerator:g} of {right.denominator} originals right, "
            f"{left - answered.numerator:g} of {answered.denominator} twins not answered"
        )
    return row


def _percent(rate: Rate) -> str:
    return "" if rate.value is None else f"{100 * rate.value:.1f} %"


def _length(run: Run) -> dict[str, Any]:
    """Of the questions whose twin has ended, and of these twins."""
    twins = queries.ended(run, twin=True)
    originals = queries.ended(run).filter(question__in=twins.values("question"))
    rate = length_only_auroc(originals, twins)
    return {
        "label": "Length alone (AUROC)",
        "meaning": "how well the length of what was retrieved tells originals from twins; "
        "0.5 is not at all",
        "rate": rate,
        "value": "" if rate.value is None else f"{rate.value:.2f}",
        "counts": f"{originals.count()} originals, {twins.count()} twins",
    }
