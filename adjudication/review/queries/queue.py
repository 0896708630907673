"""Which items may come to a reviewer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias
from uuid import UUID

from django.db.models import (
    Count,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
)
from django.db.models.functions import Cast, Coalesce, Left, Now
from django.http import Http404

from adjudication.accounts.models import User
from adjudication.claims.models import EvidenceMember
from adjudication.corpus.clearance import Classes, may_read
from adjudication.corpus.models import Span
from adjudication.corpus.queries import may_read_all
from adjudication.journal.models import Exposure
from adjudication.journal.queries import exposed_objects, exposed_to_any
from adjudication.projects.models import Membership, Project, Role
from adjudication.review.discussion import Flag
from adjudication.review.models import (
    OPEN_STATES,
    QUEUE_DIGITS,
    WITHOUT_VERDICT,
    Assignment,
    Item,
    Judgement,
    Verdict,
)
from adjudication.review.queries.originals import had_original, with_original
from adjudication.specifications.models import Specification
from adjudication.statements import Statement

Person: TypeAlias = User | UUID

TAKEN = Q(slot__isnull=False) & (Q(state="sealed") | Q(state="held", lease_until__gt=Now()))
"""On assignments: those whose slot is sealed or under a running lease."""


def cleared_items(membership: Membership) -> QuerySet[Item]:
    """Items of the project whose every member this person is cleared for."""
    return cleared_for(membership.project_id, membership.reader_classes.all())


def cleared_for(project: UUID, classes: Classes) -> QuerySet[Item]:
    return Item.objects.filter(open_to(classes), project=project)


def open_to(classes: Classes) -> Q:
    """On items: those whose every member somebody with ``classes`` may read."""
    hidden = EvidenceMember.objects.filter(
        ~may_read(classes, "span__"), evidence_set=OuterRef("evidence_set")
    )
    return ~Q(Exists(hidden))


def closed_sets(classes: Classes, project: Project) -> QuerySet[EvidenceMember, UUID]:
    """Ids of the evidence sets of which somebody with ``classes`` may not read every member.

    As ``open_to``, but asked once of every span rather than of each set: for lists and counts.
    """
    hidden = Span.objects.filter(~may_read(classes), version__source__project=project)
    return EvidenceMember.objects.filter(span__in=hidden).values_list("evidence_set", flat=True)


def available_to(membership: Membership, specification: Specification) -> QuerySet[Item]:
    """Items this reviewer could take now: a slot is free, and they come to it unknowing."""
    return _available(
        membership.project_id,
        membership.user_id,
        membership.reader_classes.all(),
        specification.pk,
        specification.reviewers_per_item,
    )


def _available(
    project: UUID, person: UUID, classes: Classes, specification: UUID, asked: int
) -> QuerySet[Item]:
    # The project is that of the test: were the items asked for it, the database might go through
    # all that are open in it, by the index for that, instead of those in a few buckets.
    cleared = Item.objects.filter(open_to(classes), specification__project=project)
    open_now = _with_free_slot(cleared, specification, asked)
    return open_now.exclude(barred_to(person))


def with_free_slot(items: QuerySet[Item], specification: Specification) -> QuerySet[Item]:
    """Those of ``items`` that wait for another reviewer under ``specification``."""
    return _with_free_slot(items, specification.pk, specification.reviewers_per_item)


def _with_free_slot(items: QuerySet[Item], specification: UUID, asked: int) -> QuerySet[Item]:
    return (
        items.filter(specification=specification, state__in=OPEN_STATES)
        .alias(taken=Coalesce(Subquery(_slots_taken()), 0))
        .filter(taken__lt=asked)
    )


def barred_to(person: Person) -> Q:
    """On items: those that ``person`` had in hand, or would not come to unknowing."""
    return had_in_hand(person) | known_to(person)


def had_in_hand(person: Person) -> Q:
    return Q(Exists(Assignment.objects.filter(item=OuterRef("pk"), reviewer=person)))


def known_to(person: Person) -> Q:
    """On items: those that ``person`` decided, was shown or stood aside from, as far as that is
    told by more than an assignment. Whatever is added here, ``known_to_any`` must find too."""
    decided = Verdict.objects.filter(item=OuterRef("pk"), by=person)
    before = had_original(person).filter(item=OuterRef("pk"))
    return Q(Exists(decided)) | Q(Exists(before)) | in_conflict(person) | shown_to(person)


def known_to_any(people: Collection[UUID]) -> Q:
    """On items: every one that is ``known_to`` one of ``people``, and perhaps some more."""
    shown = exposed_to_any(people)
    verdicts = Verdict.objects.filter(Q(by__in=people) | Q(carried_from__isnull=False))
    conflicts = Flag.objects.filter(by__in=people, kind=Flag.Kind.CONFLICT)
    return (
        Q(pk__in=verdicts.values("item"))
        | Q(evidence_set__in=conflicts.values("item__evidence_set"))
        | _is_or_rests_on(shown)
    )


def in_conflict(person: Person) -> Q:
    """On items: those of a set with which ``person`` declared a conflict of interest."""
    return Q(evidence_set__in=conflict_sets(person))


def conflict_sets(person: Person) -> QuerySet[Flag, UUID]:
    """Ids of the sets with which ``person`` declared a conflict of interest."""
    declared = Flag.objects.filter(by=person, kind=Flag.Kind.CONFLICT)
    return declared.values_list("item__evidence_set", flat=True)


def declared_conflict(person: User, item: Item) -> bool:
    """Whether ``person`` declared a conflict of interest with the set of ``item``."""
    return Item.objects.filter(in_conflict(person), pk=item.pk).exists()


def shown_to(person: Person | OuterRef) -> Q:
    """Items of which ``person`` was shown a hidden side: of it, its set, claim or question."""
    shown = exposed_objects(person)
    # One query deeper, so what refers to the outer query has one more step to go.
    deeper = OuterRef(person) if isinstance(person, OuterRef) else person
    carried = Verdict.objects.filter(carried_from__item__in=exposed_objects(deeper))
    return Q(pk__in=carried.values("item")) | _is_or_rests_on(shown)


def _is_or_rests_on(objects: QuerySet[Exposure, UUID]) -> Q:
    """On items: those that are one of ``objects``, or whose set, claim or question is."""
    return (
        Q(pk__in=objects)
        | Q(evidence_set__in=objects)
        | Q(evidence_set__claim__in=objects)
        | Q(evidence_set__claim__question__in=objects)
    )


def was_shown(person: User, item: Item) -> bool:
    """Whether ``person`` was shown a hidden side of ``item``."""
    return bool(_SHOWN(person.pk, item.pk))


_SHOWN = Statement(lambda person, item: _ids(Item.objects.filter(shown_to(person), pk=item)))


def unexposed(membership: Membership) -> QuerySet[Item]:
    """Cleared items of which this person has been shown no hidden side."""
    return _unexposed(membership.project_id, membership.user_id, membership.reader_classes.all())


def _unexposed(project: UUID, person: UUID, classes: Classes) -> QuerySet[Item]:
    return cleared_for(project, classes).exclude(shown_to(person))


def may_still_judge(membership: Membership) -> QuerySet[Item]:
    """Items without a verdict that may yet come to this person for a first judgement."""
    if not membership.has(Role.REVIEWER):
        return Item.objects.none()
    mine = Judgement.objects.filter(item=OuterRef("pk"), reviewer=membership.user_id)
    before = had_original(membership.user).filter(item=OuterRef("pk"))
    return (
        unexposed(membership)
        .filter(state__in=WITHOUT_VERDICT)
        .filter(~Exists(mine), ~Exists(before), ~in_conflict(membership.user))
    )


def _slots_taken() -> QuerySet[Assignment, Any]:
    return (
        Assignment.objects.filter(TAKEN, item=OuterRef("pk"), round=OuterRef("round"))
        .order_by()
        .values("item")
        .annotate(n=Count("pk"))
        .values("n")
    )


def _ids(items: QuerySet[Item]) -> QuerySet[Item, UUID]:
    return items.values_list("pk", flat=True)


def is_available(membership: Membership, specification: Specification, item_id: UUID) -> bool:
    """Whether ``available_to`` holds the item at this moment."""
    return bool(_AVAILABLE(*_asked_for(membership, specification), item_id))


def _asked_for(membership: Membership, specification: Specification) -> tuple[Any, ...]:
    return (
        membership.project_id,
        membership.user_id,
        membership.class_ids,
        specification.pk,
        specification.reviewers_per_item,
    )


_AVAILABLE = Statement(
    lambda project, person, classes, specification, asked, item: _ids(
        _available(project, person, classes, specification, asked).filter(pk=item)
    )
)


def available_in(
    membership: Membership, specification: Specification, buckets: tuple[str, ...] | None
) -> list[UUID]:
    """Those of ``available_to`` whose ids begin with one of these digits, or all; in no order."""
    return _AVAILABLE_IN(*_asked_for(membership, specification), buckets)


def _within(items: QuerySet[Item], buckets: tuple[str, ...] | None) -> QuerySet[Item]:
    if buckets is None:
        return items
    digits = Left(Cast("pk", TextField()), QUEUE_DIGITS)
    return items.alias(bucket=digits).filter(bucket__in=buckets)


_AVAILABLE_IN = Statement(
    lambda project, person, classes, specification, asked, buckets: _ids(
        _within(_available(project, person, classes, specification, asked), buckets)
    )
)


def held_by(membership: Membership, specification: Specification) -> Assignment | None:
    """The item this person has in hand, if it may still be judged by them."""
    return _HELD.first(
        membership.project_id, membership.user_id, membership.class_ids, specification.pk
    )


_HELD = Statement(
    lambda project, person, classes, specification: (
        Assignment.objects.filter(reviewer=person, state=Assignment.State.HELD)
        .filter(item__in=_unexposed(project, person, classes), item__specification=specification)
        .select_related("item")
        .order_by("held_at", "id")[:1]
    )
)


def last_had(membership: Membership, specification: Specification) -> UUID | None:
    """The item that came last to this person, whatever became of it."""
    return _LAST.first(membership.user_id, specification.pk)


_LAST = Statement(
    lambda person, specification: (
        Assignment.objects.filter(reviewer=person, item__specification=specification)
        .order_by("-held_at", "id")
        .values_list("item", flat=True)[:1]
    )
)


def assignment_for(membership: Membership, assignment_id: UUID) -> Assignment:
    """One's own assignment of a set one is cleared for; any other is as missing (Http404)."""
    found = _OWN.first(
        membership.project_id, membership.user_id, membership.class_ids, assignment_id
    )
    if found is None:
        raise Http404("no such assignment")
    return found


_OWN = Statement(
    lambda project, person, classes, assignment: (
        Assignment.objects.filter(pk=assignment, reviewer=person)
        .filter(item__in=cleared_for(project, classes))
        .select_related(
            "item__specification", "item__evidence_set__claim__question", "reviewer", "draft"
        )
    )
)


def fresh_reviewers(item: Item) -> int:
    """How many active reviewers could judge ``item`` in a round of others."""
    items = with_original(item)
    had = Assignment.objects.filter(item__in=items).values("reviewer")
    decided = Verdict.objects.filter(item__in=items, by__isnull=False).values("by")
    conflicts = Flag.objects.filter(
        kind=Flag.Kind.CONFLICT, item__evidence_set=item.evidence_set_id
    )
    members = EvidenceMember.objects.filter(evidence_set=item.evidence_set_id)
    shown = Item.objects.filter(shown_to(OuterRef(OuterRef("user"))), pk=item.pk)
    return (
        may_read_all(item.project, members.values_list("span", flat=True))
        .filter(~Exists(shown), roles__contains=[Role.REVIEWER])
        .exclude(user__in=had)
        .exclude(user__in=decided)
        .exclude(user__in=conflicts.values("by"))
        .count()
    )
