"""Which open items cannot be judged by enough people, because too few are cleared."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from adjudication.claims.models import EvidenceMember
from adjudication.corpus.models import Clearance
from adjudication.projects.models import Membership, Role
from adjudication.review.models import OPEN_STATES, Item
from adjudication.review.queries.items import items_of
from adjudication.specifications.models import Specification


def short_of_reviewers(specification: Specification) -> QuerySet[Item]:
    """Open items with a member that fewer active reviewers may read than must judge it."""
    needed = specification.reviewers_per_item
    short = (
        EvidenceMember.objects.filter(evidence_set=OuterRef("evidence_set"))
        # Most versions are open to a well-staffed class, and need no counting of people.
        .filter(~Exists(_staffed_clearance(specification)))
        .annotate(able=Coalesce(Subquery(_able(specification)), 0))
        .filter(able__lt=needed)
    )
    return items_of(specification).filter(Exists(short), state__in=OPEN_STATES)


def _reviewers(specification: Specification) -> QuerySet[Membership]:
    return Membership.objects.filter(
        project=specification.project_id, active=True, roles__contains=[Role.REVIEWER]
    )


def _staffed_clearance(specification: Specification) -> QuerySet[Clearance]:
    staffed = (
        _reviewers(specification)
        .values("reader_classes")
        .annotate(n=Count("pk"))
        .filter(n__gte=specification.reviewers_per_item)
        .values("reader_classes")
    )
    return Clearance.objects.filter(version=OuterRef("span__version"), reader_class__in=staffed)


def _able(specification: Specification) -> QuerySet[Membership, Any]:
    """How many active reviewers may read a member's version."""
    classes = Clearance.objects.filter(version=OuterRef(OuterRef("span__version")))
    return (
        _reviewers(specification)
        .filter(reader_classes__in=classes.values("reader_class"))
        .order_by()
        .values("project")
        .annotate(n=Count("pk", distinct=True))
        .values("n")
    )
