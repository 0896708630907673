"""What the pages of claims show, as plain values for their templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.urls import reverse

from adjudication.claims.forms import SpansForm, as_uuid
from adjudication.claims.models import Claim, Contradiction
from adjudication.claims.queries import (
    Conflict,
    Route,
    chosen,
    conflicts_of,
    requirements_of,
    routes_of,
    sees_proposals,
)
from adjudication.corpus.models import UNESTABLISHED, Span
from adjudication.corpus.pages import member_excerpt
from adjudication.corpus.queries import Premise
from adjudication.corpus.reading import parts_of
from adjudication.projects.models import Membership
from certify_core.model import Requirement

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


def claim_context(membership: Membership, claim: Claim) -> dict[str, Any]:
    """The claim, its routes, what its question requires, and what contradicts it."""
    return {
        "claim": claim,
        "facts": _facts(membership, claim),
        "routes": [_route(membership, one) for one in routes_of(membership, claim)],
        "graphs": [
            {"origin": graph.origin, "number": graph.number, "steps": list(map(_step, steps))}
            for graph, steps in requirements_of(claim.question)
        ],
        "conflicts": [_conflict(membership, one) for one in conflicts_of(membership, claim)],
    }


def _facts(membership: Membership, claim: Claim) -> list[dict[str, Any]]:
    time = "" if claim.applicable_time == UNESTABLISHED else claim.applicable_time
    if cast(Any, claim).withheld:
        return [{"term": "Applies at", "value": time, "absent": "cannot be established"}]
    facts = [
        {"term": "Also written", "value": " · ".join(claim.aliases), "absent": "in no other way"},
        {"term": "Entities", "value": " · ".join(claim.entities)},
        {"term": "Qualifiers", "value": claim.qualifiers},
        {"term": "Applies at", "value": time, "absent": "cannot be established"},
    ]
    if sees_proposals(membership):
        origin = Claim.Origin(claim.origin).label
        facts.append(
            {"term": "Origin", "value": f"{origin}, {claim.author}" if claim.author else origin}
        )
    return facts


def _route(membership: Membership, route: Route) -> dict[str, Any]:
    return {
        "route": route,
        "members": [
            premise_of(membership, one, number) for number, one in enumerate(route.members, start=1)
        ],
    }


def _conflict(membership: Membership, one: Conflict) -> dict[str, Any]:
    treatment = one.record.treatment
    open_still = treatment == Contradiction.Treatment.UNRESOLVED
    return {
        "conflict": one,
        "state": "superseded" if one.superseded else "disputed" if open_still else treatment,
        "label": treatment,
        "spans": [premise_of(membership, premise) for premise in one.spans],
    }


def premise_of(membership: Membership, one: Premise, number: int | None = None) -> dict[str, Any]:
    """A member for the page: its excerpt, or only that it is blocked and for whom it is not."""
    if one.span is None:
        return {"number": number, "blocked": True, "readers": one.readers}
    return member_excerpt(membership, one.span, one.readers, number, one.recheck, whole=one.whole)


def to_tick(membership: Membership, form: SpansForm, spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Spans to choose from, those ticked before first, each with whether it is ticked."""
    ticked = chosen(membership, [pk for pk in map(as_uuid, form.ticked) if pk])
    keys = {span.pk for span in ticked}
    return [
        {"span": span, "ticked": span.pk in keys, "parts": parts_of(span.exact)}
        for span in (*ticked, *(span for span in spans if span.pk not in keys))
    ]


def _step(one: Requirement) -> dict[str, Any]:
    """A requirement in words: what is looked up, or which step is taken over what."""
    words = one.template if one.kind == "lookup" else f"{one.op} of {', '.join(one.args)}"
    return {"kind": one.kind, "words": words, "expect": one.expect, "needs": one.deps}
