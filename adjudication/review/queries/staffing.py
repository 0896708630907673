"""Which open items cannot be judged by enough people, because too few are cleared."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Case, IntegerField, QuerySet, Value, When
from django.db.models.expressions import Combinable

from adjudication.corpus.queries import by_classes
from adjudication.projects.models import Membership, Role
from adjudication.review.models import OPEN_STATES, Assignment, Item
from adjudication.review.queries.items import items_of
from adjudication.review.queries.queue import TAKEN, fresh_reviewers, open_to
from adjudication.specifications.models import Specification


def short_of_reviewers(specification: Specification) -> QuerySet[Item]:
    """Open items that fewer active reviewers may read in full than must judge them."""
    needed = specification.reviewers_per_item
    items = items_of(specification).filter(state__in=OPEN_STATES)
    able: Combinable = Value(0)
    for classes, people in by_classes(_reviewers(specification)).items():
        if len(people) >= needed:
            # Most items are open to a well-staffed clearance, and need no counting of people.
            items = items.exclude(open_to(classes))
        cleared = When(open_to(classes), then=Value(len(people)))
        able += Case(cleared, default=Value(0), output_field=IntegerField())
    return items.alias(able=able).filter(able__lt=needed)


@dataclass(frozen=True, slots=True)
class Staffing:
    """How many more reviewers an item needs in its round, and how many could take it."""

    needed: int
    there: int

    @property
    def short(self) -> bool:
        return self.there < self.needed


def staffing_of(item: Item) -> Staffing:
    """What is left to do on ``item`` and who is left to do it; nothing once it is decided."""
    if item.state not in OPEN_STATES:
        return Staffing(0, 0)
    taken = Assignment.objects.filter(TAKEN, item=item, round=item.round).count()
    return Staffing(item.specification.reviewers_per_item - taken, fresh_reviewers(item))


def _reviewers(specification: Specification) -> QuerySet[Membership]:
    return Membership.objects.filter(
        project=specification.project_id, active=True, roles__contains=[Role.REVIEWER]
    )
