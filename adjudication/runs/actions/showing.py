"""Showing how Certify ended, which is recorded."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from adjudication.claims.models import Claim, EvidenceSet, Question
from adjudication.journal.actions import expose
from adjudication.journal.models import Exposure
from adjudication.journal.queries import exposed_objects
from adjudication.projects.models import Membership


def expose_outcomes(membership: Membership, questions: Iterable[UUID], place: str) -> None:
    """Record that this person is shown how Certify ended on ``questions``.

    It says something about every route to their claims, so it is recorded for each evidence
    set, and for the claims and questions themselves, whose later sets it concerns as well.
    """
    ids = list(questions)
    questions_shown = Question.objects.filter(pk__in=ids).order_by("id")
    claims = Claim.objects.filter(question__in=ids).order_by("id")
    sets = EvidenceSet.objects.filter(claim__question__in=ids).order_by("id")
    seen = set(exposed_objects(membership.user))
    expose(
        membership.user,
        [shown for shown in (*questions_shown, *claims, *sets) if shown.pk not in seen],
        Exposure.Side.MACHINE_VERDICT,
        project_id=membership.project_id,
        place=place,
    )
