"""What the pages of claims show, as plain values for their templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.urls import reverse

from adjudication.claims.forms import SpansForm, as_uuid
from adjudication.claims.models import Claim
from adjudication.claims.queries import chosen, sees_proposals
from adjudication.corpus.models import Span
from adjudication.corpus.pages import member_excerpt
from adjudication.corpus.queries import Premise
from adjudication.corpus.reading import parts_of
from adjudication.corpus.staleness import rechecks
from adjudication.projects.models import Membership

QUESTION_COLUMNS = [
    {"label": "Question"},
    {"label": "Claims: its answer is"},
    {"label": "Routes", "kind": "num"},
]
SHOWS = [("", "All"), ("with-sets", "With routes"), ("proposed", "Proposed by a run")]


def tabs(membership: Membership, show: str) -> list[dict[str, Any]]:
    """The parts of the list of questions that this member may ask for."""
    return [
        {"label": label, "url": f"?show={key}" if key else "?", "current": key == show}
        for key, label in SHOWS
        if key != "proposed" or sees_proposals(membership)
    ]


def claim_step(slug: str, claim: Claim) -> tuple[str, str]:
    # Annotated by ``claims_of``: what this member may read.
    return cast(Any, claim).words, reverse("claim", args=[slug, claim.pk])


def premise_of(membership: Membership, one: Premise, number: int | None = None) -> dict[str, Any]:
    """A member for the page: its excerpt, or only that it is blocked and for whom it is not."""
    if one.span is None:
        return {"number": number, "blocked": True, "readers": one.readers}
    return member_excerpt(
        membership,
        one.span,
        one.readers,
        number,
        one.recheck,
        whole=one.whole,
        damaged=one.damaged,
    )


def to_tick(membership: Membership, form: SpansForm, spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Spans to choose from, those ticked before first, each with whether it is ticked."""
    ticked = chosen(membership, [pk for pk in map(as_uuid, form.ticked) if pk])
    keys = {span.pk for span in ticked}
    shown = [*ticked, *(span for span in spans if span.pk not in keys)]
    stale = rechecks(span.version_id for span in shown)
    return [
        {
            "span": span,
            "ticked": span.pk in keys,
            "parts": parts_of(span.words),
            "recheck": stale.get(span.version_id),
        }
        for span in shown
    ]
