"""Reading runs: how far they are, how each question ended."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from adjudication.projects.models import Membership
from adjudication.runs.models import Attempt, Run

State = Attempt.State


def _ended(state: str) -> Count:
    return Count("attempts", filter=Q(attempts__state=state))


def runs_of(membership: Membership) -> QuerySet[Run]:
    """The project's runs, newest first, each with its counts of questions by state."""
    return (
        Run.objects.filter(project=membership.project)
        .select_related("specification", "started_by")
        .annotate(
            questions=Count("attempts__question", distinct=True),
            certified=_ended(State.CERTIFIED),
            abstained=_ended(State.ABSTAINED),
        )
        .order_by("-number")
    )
