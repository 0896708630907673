"""Counts: a reviewer's own, a lead's of the project, and what waits on the home page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse

from adjudication.corpus.clearance import Classes
from adjudication.journal.models import Entry
from adjudication.projects.models import Membership, Role
from adjudication.projects.waiting import Waiting
from adjudication.review.models import OPEN_STATES, Assignment, Item
from adjudication.review.queries.discussion import flags_seen, unresolved
from adjudication.review.queries.items import disputed_items, items_of
from adjudication.review.queries.originals import is_still_carried, was_left_standing
from adjudication.review.queries.queue import cleared_for, conflict_sets, in_conflict
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current
from adjudication.statements import Statement


@dataclass(frozen=True, slots=True)
class Progress:
    """One reviewer's own totals. ``of`` counts every item of the test this person is cleared
    for, whatever became of it, so that it tells nothing about what others did; but for sets
    whose verdict was carried over, which come to nobody. ``aside`` are those of them with which
    this person declared a conflict of interest; they are not among the skipped."""

    sealed: int
    skipped: int
    aside: int
    of: int

    @property
    def left(self) -> int:
        return self.of - self.sealed - self.skipped - self.aside


def progress_of(membership: Membership, specification: Specification) -> Progress:
    sealed, skipped = _MINE.first(membership.user_id, specification.pk) or (0, 0)
    asked = (membership.project_id, membership.class_ids, specification.pk)
    # Few are aside, and mostly none: they are looked for by their sets, not among all items.
    conflicts = tuple(_CONFLICTS(membership.user_id))
    return Progress(sealed, skipped, len(_ASIDE(*asked, conflicts)), _whole(*asked))


def _mine(person: UUID, specification: UUID) -> QuerySet[Any, tuple[int, int]]:
    aside = Q(item__in=Item.objects.filter(in_conflict(person)))
    skipped = Q(state__in=["released", "expired"]) & ~aside
    return (
        Assignment.objects.filter(reviewer=person, item__specification=specification)
        .order_by()
        .values("reviewer")
        .annotate(sealed=Count("pk", filter=Q(state="sealed")), skipped=Count("pk", filter=skipped))
        .values_list("sealed", "skipped")
    )


def _theirs(project: UUID, classes: Classes, specification: UUID) -> QuerySet[Item, UUID]:
    """What somebody with ``classes`` could judge, whatever became of it."""
    cleared = cleared_for(project, classes).filter(~was_left_standing())
    return cleared.filter(specification=specification).values_list("pk", flat=True)


_MINE = Statement(_mine)
_CONFLICTS = Statement(conflict_sets)
_ASIDE = Statement(
    lambda project, classes, specification, sets: _theirs(project, classes, specification).filter(
        evidence_set__in=sets
    )
)

# How many there are of a large test, for people with the same classes, as of a number of changes.
_counted: dict[tuple[UUID, tuple[UUID, ...]], tuple[int, int]] = {}
_LARGE = 1_000
CHANGES = (
    "opened review",
    "carried verdicts over",
    "asked for a fresh round",
    "opened version",
    "closed version",
    "closed span",
)
"""In the journal: what alone changes how many items somebody could judge."""


def _whole(project: UUID, classes: tuple[UUID, ...], specification: UUID) -> int:
    """How many items ``_theirs`` are. Those of a large test are counted anew after a change."""
    changes = _CHANGES.first(project, CHANGES) or 0
    before, number = _counted.get((specification, classes), (-1, 0))
    if before != changes:
        number = _theirs(project, classes, specification).count()
        if number >= _LARGE:
            _counted[specification, classes] = changes, number
    return number


_CHANGES = Statement(
    lambda project, verbs: (
        Entry.objects.filter(project_id=project, verb__in=verbs)
        .order_by()
        .values("project_id")
        .annotate(n=Count("pk"))
        .values_list("n", flat=True)
    )
)


@dataclass(frozen=True, slots=True)
class StateCounts:
    """Every item of a test exactly once; for leads. Those whose verdict was carried over from
    an earlier test count apart, accepted or rejected."""

    awaiting_first: int
    awaiting_further: int
    disputed: int
    accepted: int
    rejected: int
    carried: int

    @property
    def whole(self) -> int:
        return self.open + self.disputed + self.accepted + self.rejected + self.carried

    @property
    def open(self) -> int:
        return self.awaiting_first + self.awaiting_further


def state_counts(specification: Specification) -> StateCounts:
    counts = (
        items_of(specification)
        .annotate(sealed=Coalesce(Subquery(_sealed_slots()), 0), left=is_still_carried())
        .aggregate(
            awaiting_first=Count("pk", filter=Q(state__in=OPEN_STATES, sealed=0)),
            awaiting_further=Count("pk", filter=Q(state__in=OPEN_STATES, sealed__gt=0)),
            disputed=Count("pk", filter=Q(state=Item.State.DISPUTED)),
            accepted=Count("pk", filter=Q(state=Item.State.ACCEPTED, left=False)),
            rejected=Count("pk", filter=Q(state=Item.State.REJECTED, left=False)),
            carried=Count("pk", filter=Q(left=True)),
        )
    )
    return StateCounts(**counts)


def _sealed_slots() -> QuerySet[Assignment, Any]:
    return (
        Assignment.objects.filter(item=OuterRef("pk"), round=OuterRef("round"))
        .filter(state=Assignment.State.SEALED, slot__isnull=False)
        .order_by()
        .values("item")
        .annotate(n=Count("pk"))
        .values("n")
    )


def home_counts(membership: Membership) -> tuple[Waiting, ...]:
    """What waits for this member in review and adjudication, by their roles."""
    specification = current(membership.project)
    if specification is None:
        return ()
    lines: list[Waiting] = []
    if membership.has(Role.REVIEWER):
        lines.append(_to_judge(membership, specification))
    if membership.has(Role.ADJUDICATOR):
        lines.append(_to_adjudicate(membership, specification))
    # Of a lead who also reviews, the project's totals would tell what others answered.
    if membership.has(Role.LEAD) and not membership.has(Role.REVIEWER):
        lines += _of_project(membership, specification)
        lines.append(_to_resolve(membership))
    return tuple(lines)


def _to_judge(membership: Membership, specification: Specification) -> Waiting:
    """Own totals alone: how many could come now would tell what others have done."""
    mine = progress_of(membership, specification)
    url = reverse("review", args=[membership.project.slug])
    return Waiting("evidence sets not judged by me", mine.left, mine.of, url, "Go to my desk")


def _to_adjudicate(membership: Membership, specification: Specification) -> Waiting:
    count = disputed_items(membership, specification).count()
    url = reverse("adjudication", args=[membership.project.slug])
    return Waiting("disagreements to adjudicate", count, None, url, "Adjudicate")


def _to_resolve(membership: Membership) -> Waiting:
    count = unresolved(flags_seen(membership)).count()
    url = reverse("flags", args=[membership.project.slug])
    return Waiting("flags to resolve", count, None, url, "See the flags")


def _of_project(membership: Membership, specification: Specification) -> list[Waiting]:
    counts = state_counts(specification)
    url = reverse("review", args=[membership.project.slug])
    return [
        Waiting("sets awaiting a first reviewer", counts.awaiting_first, counts.whole, url, "See"),
        Waiting("sets awaiting another", counts.awaiting_further, counts.whole, url, "See"),
        Waiting("sets awaiting adjudication", counts.disputed, counts.whole, url, "See"),
    ]
