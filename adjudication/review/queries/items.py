"""Items and the evidence sets that could become items."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.http import Http404

from adjudication.claims.models import Claim, ClaimDecision, EvidenceMember, EvidenceSet
from adjudication.projects.models import Membership, Role
from adjudication.review.models import Item, Verdict
from adjudication.review.queries.queue import cleared_items, shown_to
from adjudication.review.queries.records import DECIDED
from adjudication.specifications.models import Specification

_OF_PROPOSAL = Q(claim__origin=Claim.Origin.CERTIFY)
OF_OPEN_PROPOSAL = _OF_PROPOSAL & Q(claim__decision__isnull=True)
OF_TURNED_DOWN = _OF_PROPOSAL & Q(
    claim__decision__decision__in=[ClaimDecision.Decision.MERGED, ClaimDecision.Decision.REFUSED]
)


def awaiting_opening(
    specification: Specification, origins: Sequence[str] = EvidenceSet.Origin.values
) -> QuerySet[EvidenceSet]:
    """Sets of the project from ``origins`` that are not yet under review for this test."""
    item = Item.objects.filter(specification=specification, evidence_set=OuterRef("pk"))
    return EvidenceSet.objects.filter(
        ~Exists(item),
        claim__question__project_id=specification.project_id,
        origin__in=origins,
    )


def reaching_outside(specification: Specification) -> Exists:
    """Whether a set has a member in a version that this test does not take in."""
    eligible = specification.eligible.filter(version=OuterRef("span__version"))
    members = EvidenceMember.objects.filter(evidence_set=OuterRef("pk"))
    return Exists(members.filter(~Exists(eligible)))


def superseded() -> Exists:
    """Whether a set's claim was replaced by another."""
    return Exists(Claim.objects.filter(supersedes=OuterRef("claim")))


def items_of(specification: Specification) -> QuerySet[Item]:
    return Item.objects.filter(specification=specification)


def disputed_items(membership: Membership, specification: Specification) -> QuerySet[Item]:
    """Disagreements that this person is cleared to read, oldest first."""
    return (
        cleared_items(membership)
        .filter(specification=specification, state=Item.State.DISPUTED)
        .select_related("evidence_set__claim__question")
        .order_by("opened_at", "id")
    )


def decided_items(membership: Membership, specification: Specification) -> QuerySet[Item]:
    """What is decided, that this person is cleared to read, the last verdict in front.

    Whoever reviews here finds only what they were shown: any other may come to them once it is
    reopened, and they must come to it unknowing.
    """
    decided = cleared_items(membership).filter(specification=specification, state__in=DECIDED)
    if membership.has(Role.REVIEWER):
        decided = decided.filter(shown_to(membership.user))
    last = Verdict.objects.filter(item=OuterRef("pk")).order_by("-decided_at")
    return (
        decided.annotate(decided_at=Subquery(last.values("decided_at")[:1]))
        .select_related("evidence_set__claim__question")
        .order_by("-decided_at", "id")
    )


def item_for(membership: Membership, item_id: UUID) -> Item:
    """An item this person is cleared to read in full; any other is as missing (Http404)."""
    found = (
        cleared_items(membership)
        .filter(pk=item_id)
        .select_related("specification", "evidence_set__claim__question")
        .first()
    )
    if found is None:
        raise Http404("no such item")
    return found
