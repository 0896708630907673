"""Items whose verdict was carried over: what people did on the set before still counts for them.

A carried item repeats a verdict that was reached on an earlier item of the same set. Whoever
had that one in hand, decided it or was shown its hidden side stands to the carried item as to
the original.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from adjudication.accounts.models import User
from adjudication.review.models import FreshRound, Item, Verdict
from adjudication.statements import Statement


def originals_of(item_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """For each of these items that was carried over, the item on which people decided."""
    return dict(_ORIGINALS(tuple(set(item_ids))))


_ORIGINALS = Statement(
    lambda items: Verdict.objects.filter(item__in=items, carried_from__isnull=False).values_list(
        "item", "carried_from__item"
    )
)


def with_original(item: Item) -> list[UUID]:
    """The item, and the one that it was carried over from."""
    return [item.pk, *originals_of([item.pk]).values()]


def is_carried() -> Exists:
    """On items: whether their verdict was carried over, whatever became of it since."""
    return Exists(Verdict.objects.filter(item=OuterRef("pk"), carried_from__isnull=False))


def was_left_standing() -> Q:
    """On items: carried over, and never put to fresh reviewers since."""
    return Q(is_carried()) & ~Q(Exists(FreshRound.objects.filter(item=OuterRef("pk"))))


def is_still_carried() -> Q:
    """On items: carried over, and neither judged anew nor reopened since."""
    reopened = Verdict.objects.filter(item=OuterRef("pk"), reopening__isnull=False)
    return was_left_standing() & ~Q(Exists(reopened))


def had_original(person: User | UUID) -> QuerySet[Verdict]:
    """Carried verdicts on an item whose original ``person`` had in hand or decided."""
    mine = Q(carried_from__item__assignments__reviewer=person) | Q(carried_from__by=person)
    return Verdict.objects.filter(mine)
