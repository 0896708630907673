"""How the twin of a question ended and what it lost, as somebody may read it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import reverse

from adjudication.corpus.clearance import may_read_whole
from adjudication.corpus.queries import visible_to
from adjudication.projects.models import Membership
from adjudication.runs import queries
from adjudication.runs.models import Attempt, Outcome, Run, Twin
from adjudication.runs.pages.trace import Trace


def twin_of(membership: Membership, run: Run, question_id: UUID) -> dict[str, Any] | None:
    """How the twin of a question ended and what it lost; ``None`` where the run has none."""
    attempt = queries.latest_attempts(run, twin=True).filter(question=question_id).first()
    if attempt is None:
        return None
    asked = attempt.state in (Attempt.State.CERTIFIED, Attempt.State.ABSTAINED)
    return {"attempt": attempt, "asked": asked} | lost(membership, attempt)


def lost(membership: Membership, attempt: Attempt) -> dict[str, Any]:
    """What an attempt at a twin took away, as far as this member may read it.

    The fact, and which passages state it, follow from what the run found on the question: they
    are told to whom that is told, and of passages only those that this member may read.
    """
    made = Twin.objects.filter(attempt=attempt).first()
    if made is None:
        return {"made": None}
    original = Outcome.objects.get(run=attempt.run_id, question=attempt.question_id, twin=False)
    if Trace.of(membership, original).closed:
        return {"made": made, "readable": False}
    whole = may_read_whole(membership.reader_classes.all())
    rows = visible_to(membership).filter(whole, pk__in=made.deleted).select_related("source")
    slug = membership.project.slug
    passages = [
        (reverse("version", args=[slug, row.pk]), row.source.title)
        for row in rows.only("source__title").order_by("source__title", "pk")
    ]
    return {"made": made, "readable": True, "passages": passages}
