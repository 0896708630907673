"""What the pages of systems show, as plain values for their templates."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from adjudication.claims.pages import premise_of
from adjudication.corpus.queries import Premise
from adjudication.projects.models import Membership
from adjudication.scoring.queries import Cited, ReadClaim, ReadOutput

RUN_COLUMNS = [{"label": "System"}, {"label": "Imported"}, {"label": "Outputs", "kind": "num"}]


def output_cards(membership: Membership, outputs: list[ReadOutput]) -> list[dict[str, Any]]:
    """Each output with its claims, what they cite, and what was retrieved."""
    return [
        {
            "output": one.output,
            "withheld": one.withheld,
            "retrieved": [_place(membership, *item) for item in enumerate(one.retrieved, start=1)],
            "claims": [_claim(membership, claim) for claim in one.claims],
        }
        for one in outputs
    ]


def _claim(membership: Membership, one: ReadClaim) -> dict[str, Any]:
    return {
        "claim": one.claim,
        "matched": one.matched,
        "cited": [_place(membership, *item) for item in enumerate(one.cited, start=1)],
    }


def _place(membership: Membership, number: int, one: Cited) -> dict[str, Any]:
    if isinstance(one, Premise):
        return premise_of(membership, one, number)
    if one.version is None:
        return {"number": number, "blocked": True, "readers": one.readers}
    slug = membership.project.slug
    return {
        "number": number,
        "document": one.version,
        "readers": one.readers,
        "url": reverse("version", args=[slug, one.version.pk]),
    }
