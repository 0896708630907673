"""Who has how much of a test in hand, and what waits for them: for leads, totals only.

A few questions to the database answer for everybody: people with the same clearances share
what is open to them, and what each of them already knows is taken off again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, Max, OuterRef, Q, QuerySet, When
from django.db.models.functions import Greatest, Now
from django.http import Http404

from adjudication.accounts.models import User
from adjudication.corpus.queries import by_classes
from adjudication.projects.models import Membership, Role
from adjudication.review.models import Assignment, Item, Judgement
from adjudication.review.queries.queue import (
    cleared_items,
    closed_sets,
    had_in_hand,
    known_to,
    known_to_any,
    with_free_slot,
)
from adjudication.specifications.models import Specification


@dataclass(frozen=True, slots=True)
class Workload:
    """Totals of one person; never what they answered. ``waiting`` are sets that could come to
    them now; ``last`` is when they took, saved or sealed something."""

    name: str
    active: bool
    held: int
    sealed: int
    released: int
    expired: int
    waiting: int
    last: datetime | None


def workload(specification: Specification) -> tuple[Workload, ...]:
    """Totals per reviewer of the project, by name; a removed one stays while they have any."""
    totals = {row["reviewer"]: row for row in _totals(specification)}
    sealed = dict(
        Judgement.objects.filter(item__specification=specification)
        .values_list("reviewer")
        .annotate(Max("sealed_at"))
    )
    members = Membership.objects.filter(project=specification.project_id)
    reviewers = members.filter(active=True, roles__contains=[Role.REVIEWER])
    waiting = waiting_for(specification, reviewers)
    people = (
        members.filter(Q(roles__contains=[Role.REVIEWER]) | Q(user__in=totals))
        .select_related("user")
        .order_by("user__display_name", "user__username")
    )
    return tuple(
        _workload(person, totals.get(person.user_id, {}), sealed.get(person.user_id), waiting)
        for person in people
    )


def _totals(specification: Specification) -> QuerySet[Any, Any]:
    """By reviewer. A lease that has run out counts as expired before the sweep says so."""
    runs = Q(state=Assignment.State.HELD, lease_until__gt=Now())
    ended = Q(state=Assignment.State.HELD) & ~runs
    return (
        Assignment.objects.filter(item__specification=specification)
        .values("reviewer")
        .annotate(
            held=Count("pk", filter=runs),
            sealed=Count("pk", filter=Q(state=Assignment.State.SEALED)),
            released=Count("pk", filter=Q(state=Assignment.State.RELEASED)),
            expired=Count("pk", filter=Q(state=Assignment.State.EXPIRED) | ended),
            last=Greatest(Max("held_at"), Max("draft__saved_at")),
        )
    )


def _workload(
    person: Membership,
    row: Mapping[str, Any],
    sealed_at: datetime | None,
    waiting: Mapping[UUID, int],
) -> Workload:
    times = [at for at in (row.get("last"), sealed_at) if at]
    return Workload(
        name=person.user.display_name,
        active=person.active and person.has(Role.REVIEWER),
        held=row.get("held", 0),
        sealed=row.get("sealed", 0),
        released=row.get("released", 0),
        expired=row.get("expired", 0),
        waiting=waiting.get(person.user_id, 0),
        last=max(times, default=None),
    )


def waiting_for(specification: Specification, reviewers: QuerySet[Membership]) -> dict[UUID, int]:
    """By person, how many items ``available_to`` would find for them."""
    user_of = dict(reviewers.values_list("pk", "user"))
    found: dict[UUID, int] = {}
    for classes, members in by_classes(reviewers).items():
        people = [user_of[key] for key in members]
        closed = closed_sets(classes, specification.project)
        items = with_free_slot(Item.objects.exclude(evidence_set__in=closed), specification)
        found |= dict.fromkeys(people, items.count())
        for bars in (_had(items, people), _known(items, people)):
            for person, count in bars.items():
                found[person] -= count
    return found


def _had(items: QuerySet[Item], people: Collection[UUID]) -> dict[UUID, int]:
    """By person, how many of ``items`` they had in hand before."""
    had = Assignment.objects.filter(reviewer__in=people, item__in=items)
    return dict(had.order_by().values_list("reviewer").annotate(Count("pk")))


def _known(items: QuerySet[Item], people: Collection[UUID]) -> dict[UUID, int]:
    """By person, how many of ``items`` they know otherwise than from their desk."""
    users = list(User.objects.filter(pk__in=people))
    counts = items.filter(known_to_any(people)).aggregate(
        **{
            f"of_{number}": Count("pk", filter=known_to(user) & ~had_in_hand(user))
            for number, user in enumerate(users)
        }
    )
    return {user.pk: counts[f"of_{number}"] for number, user in enumerate(users)}


def in_hand(specification: Specification) -> int:
    """How many sets of the test lie in somebody's hands."""
    return sum(row["held"] for row in _totals(specification))


def leases_of(membership: Membership, specification: Specification) -> QuerySet[Any]:
    """What is in hand now, the lease that ends first in front.

    ``cleared`` says whether this person may read the item: its claim may quote the evidence.
    """
    return (
        Assignment.objects.filter(item__specification=specification, state=Assignment.State.HELD)
        .annotate(
            cleared=Exists(cleared_items(membership).filter(pk=OuterRef("item"))),
            ended=Case(When(lease_until__lte=Now(), then=True), default=False),
        )
        .select_related("reviewer", "item__evidence_set__claim__question")
        .order_by("lease_until", "id")
    )


def lease_for(membership: Membership, assignment_id: UUID) -> Assignment:
    """An assignment in the member's project, for a lead to take back (Http404)."""
    found = (
        Assignment.objects.filter(pk=assignment_id, item__project=membership.project)
        .select_related("reviewer", "item__specification")
        .first()
    )
    if found is None:
        raise Http404("no such assignment")
    return found
