"""Judgements and verdicts as someone may see them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404

from adjudication.journal.queries import exposed_objects
from adjudication.projects.models import Membership, Role
from adjudication.review.models import Assignment, Item, Judgement, Verdict
from adjudication.review.queries.originals import originals_of, with_original
from adjudication.review.queries.queue import cleared_items
from adjudication.review.visibility import Phase, Relation, Side, Sight, may_see
from adjudication.specifications.models import Specification
from adjudication.statements import Statement
from certify_core.canonical import digest

DECIDED = (Item.State.ACCEPTED, Item.State.REJECTED)
"""In which a verdict stands that nobody put in question."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """One judgement as shown: ``letter`` stands for its author, "" where it is one's own."""

    letter: str
    judgement: Judgement
    decides: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """What one person may see of the judgements on an item."""

    sight: Sight
    judgements: tuple[Sealed, ...] = ()


def relation_to(membership: Membership, item: Item) -> Relation:
    """What this person is to ``item``; whoever had it in hand is its reviewer for good."""
    return _relation(membership, took_part=took_part(membership, item))


def _relation(membership: Membership, *, took_part: bool) -> Relation:
    if took_part:
        return Relation.REVIEWER
    for role, relation in (
        (Role.ADJUDICATOR, Relation.ADJUDICATOR),
        (Role.LEAD, Relation.LEAD),
        (Role.AUDITOR, Relation.AUDITOR),
    ):
        if membership.has(role):
            return relation
    return Relation.MEMBER


def took_part(membership: Membership, item: Item) -> bool:
    """Whether this person ever had ``item``, or its original, in hand as a reviewer."""
    return bool(_HAD(tuple(with_original(item)), membership.user_id))


_HAD = Statement(
    lambda items, reviewer: Assignment.objects.filter(
        item__in=items, reviewer=reviewer
    ).values_list("pk")[:1]
)


def phase_of(membership: Membership, item: Item) -> Phase:
    """How far ``item`` is for this person.

    A reviewer who never sealed stays before their seal while the item can be judged.
    """
    return _phase(membership, item, part=took_part(membership, item))


def _phase(membership: Membership, item: Item, *, part: bool) -> Phase:
    if item.state in DECIDED:
        return Phase.DECIDED
    sealed = bool(_SEALED(item.pk, membership.user_id))
    if part and not sealed:
        return Phase.OPEN
    if item.state == Item.State.DISPUTED:
        return Phase.ALL_SEALED
    return Phase.SEALED if sealed else Phase.OPEN


_SEALED = Statement(
    lambda item, reviewer: Judgement.objects.filter(item=item, reviewer=reviewer).values_list("pk")[
        :1
    ]
)


def permitted_by(specification: Specification) -> frozenset[Side]:
    """What this test shows reviewers before their seal, beside the evidence."""
    shown = {Side.PROPOSER: specification.shows_proposer, Side.MACHINE: specification.shows_machine}
    return frozenset(side for side, is_shown in shown.items() if is_shown)


def permitted_sides(membership: Membership, item: Item) -> frozenset[Side]:
    """What the test lets this reviewer see of ``item`` without being exposed."""
    part = took_part(membership, item)
    relation, phase = _relation(membership, took_part=part), _phase(membership, item, part=part)
    permitted = permitted_by(item.specification)
    return frozenset(
        side for side in Side if may_see(relation, phase, side, permitted) is Sight.FULL
    )


def judgements_seen(membership: Membership, item: Item) -> Seen:
    """The judgements on ``item`` that this person may see, shuffled and without names."""
    relation, phase = relation_to(membership, item), phase_of(membership, item)
    sight = may_see(relation, phase, Side.JUDGEMENTS)
    if sight in {Sight.NOTHING, Sight.TOTALS}:
        return Seen(sight)
    return Seen(sight, _shuffled(item))


def _shuffled(item: Item) -> tuple[Sealed, ...]:
    """Every judgement of the item, those of one person under one letter.

    The order depends on the item and the people alone, never on times or answers.
    """
    rows = judgements_on(item).prefetch_related("members").order_by("sealed_at")
    found = sorted(rows, key=lambda j: (j.round, _mixed(item, j.reviewer_id)))
    letters = _lettered(j.reviewer_id for j in found)
    decide = {j.pk for j in deciding(found) if j.round == item.round}
    return tuple(Sealed(letters[j.reviewer_id], j, j.pk in decide) for j in found)


def letters_on(item: Item, others: Collection[UUID]) -> dict[UUID, str]:
    """The letter of everybody who judged the item, as beside their judgement, and of ``others``."""
    judged = set(judgements_on(item).values_list("round", "reviewer"))
    in_order = sorted(judged, key=lambda one: (one[0], _mixed(item, one[1])))
    beside = sorted(others, key=lambda person: _mixed(item, person))
    return _lettered([*(person for _, person in in_order), *beside])


def _lettered(people: Iterable[UUID]) -> dict[UUID, str]:
    return {person: letter(index) for index, person in enumerate(dict.fromkeys(people))}


def judgements_on(item: Item) -> QuerySet[Judgement]:
    """Every judgement of the item, and of the one that it was carried over from."""
    return Judgement.objects.filter(item__in=with_original(item))


def _mixed(item: Item, person_id: UUID) -> str:
    return digest([str(item.pk), str(person_id)])


def letter(index: int) -> str:
    """A, B, … for people whose names are off."""
    return chr(ord("A") + index) if index < 26 else str(index + 1)


def deciding(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Those that count: no surplus, nothing after an exposure, of amendments the last."""
    counted = [j for j in judgements if not j.surplus and not j.after_exposure]
    amended = {j.amends_id for j in counted}
    return [j for j in counted if j.pk not in amended]


def sealed_by(membership: Membership) -> QuerySet[Judgement]:
    """One's own judgements, newest first, each at its latest amendment.

    ``cleared`` says whether one may still read the item: its claim may quote the evidence.
    """
    later = Judgement.objects.filter(amends=OuterRef("pk"))
    return (
        Judgement.objects.filter(reviewer=membership.user, item__project=membership.project)
        .filter(~Exists(later))
        .annotate(cleared=Exists(cleared_items(membership).filter(pk=OuterRef("item"))))
        .select_related("item__evidence_set__claim__question")
        .order_by("-sealed_at", "id")
    )


def amendment_of(judgement: Judgement) -> Judgement | None:
    """The judgement by the same person that replaces this one."""
    return Judgement.objects.filter(amends=judgement).first()


def judgement_for(membership: Membership, judgement_id: UUID) -> Judgement:
    """One's own judgement; any other is as missing (Http404)."""
    found = (
        Judgement.objects.filter(pk=judgement_id, reviewer=membership.user)
        .filter(item__in=cleared_items(membership))
        .select_related(
            "item__specification",
            "item__evidence_set__claim__question",
            "assignment__draft",
            "guideline",
        )
        .prefetch_related("members")
        .first()
    )
    if found is None:
        raise Http404("no such judgement")
    return found


# --- Verdicts --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Adjudicated:
    item: Item
    verdict: Verdict


def standing() -> QuerySet[Verdict]:
    """Verdicts that no later one supersedes."""
    return Verdict.objects.filter(~Exists(Verdict.objects.filter(supersedes=OuterRef("pk"))))


def verdicts_seen(
    membership: Membership, sets: Collection[UUID], released: Collection[UUID]
) -> list[Verdict]:
    """Every verdict on these sets that this person may see, superseded ones too, oldest first.

    ``released`` are the verdicts that are part of an annotation version. Of a decided set a
    reviewer sees the verdict once they were shown its judgements: before that they may have
    to judge, and after it they do not any more.
    """
    verdicts = (
        Verdict.objects.filter(item__evidence_set__in=sets)
        .filter(item__project=membership.project, item__state__in=DECIDED)
        .select_related(
            "item__specification",
            "item__evidence_set",
            "by",
            "carried_from__item__specification",
            "carry_over__by",
        )
        .order_by("decided_at", "id")
    )
    items = {verdict.item_id for verdict in verdicts}
    original = originals_of(items)
    judged_as = {item: {item, original.get(item, item)} for item in items}
    mine = Assignment.objects.filter(reviewer=membership.user_id)
    had = set(mine.filter(item__in=items.union(original.values())).values_list("item", flat=True))
    shown = set(exposed_objects(membership.user))
    return [
        verdict
        for verdict in verdicts
        if not (membership.has(Role.REVIEWER) and shown.isdisjoint(judged_as[verdict.item_id]))
        and _sees_verdict(
            membership,
            took_part=not had.isdisjoint(judged_as[verdict.item_id]),
            phase=Phase.RELEASED if verdict.pk in released else Phase.DECIDED,
        )
    ]


def _sees_verdict(membership: Membership, *, took_part: bool, phase: Phase) -> bool:
    relation = _relation(membership, took_part=took_part)
    sight = may_see(relation, phase, Side.JUDGEMENTS)
    return sight not in {Sight.NOTHING, Sight.TOTALS}


def current_verdict(item: Item) -> Verdict | None:
    return _CURRENT.first(item.pk)


_CURRENT = Statement(
    lambda item: (
        standing()
        .filter(item=item)
        .select_related("carried_from__item__specification", "carry_over__by")
    )
)


def verdicts_on(item: Item) -> QuerySet[Any]:
    """Every verdict on the item, the one that stands in front; ``superseded`` says which not."""
    later = Verdict.objects.filter(supersedes=OuterRef("pk"))
    return (
        Verdict.objects.filter(item=item)
        .annotate(superseded=Exists(later))
        .select_related("carried_from__item__specification", "carry_over__by", "reopening__by")
        .order_by("superseded", "-decided_at", "id")
    )


def adjudicated_items(specification: Specification) -> tuple[Adjudicated, ...]:
    """Every decided item of the test with its standing verdict, by evidence set."""
    verdicts = (
        standing()
        .filter(item__specification=specification)
        .filter(item__state__in=[Item.State.ACCEPTED, Item.State.REJECTED])
        .select_related("item__evidence_set__claim__question", "carried_from__item__specification")
        .order_by("item__evidence_set_id")
    )
    return tuple(Adjudicated(verdict.item, verdict) for verdict in verdicts)
