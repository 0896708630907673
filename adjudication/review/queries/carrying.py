"""Verdicts of an earlier specification: which can be carried over, and why the others cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    TextChoices,
    Value,
    When,
)

from adjudication.claims.models import EvidenceMember, EvidenceSet, EvidenceSetRule
from adjudication.errors import Refused
from adjudication.projects.models import Project
from adjudication.review.models import CarryOver, Item
from adjudication.review.queries.items import OF_TURNED_DOWN, superseded
from adjudication.specifications.models import Specification


class Fate(TextChoices):
    """What becomes of a set of an earlier specification; all but the first keep it there."""

    TAKEN = "taken", "carried over"
    UNDER_REVIEW = "under-review", "under review in the later specification already"
    UNDECIDED = "undecided", "no verdict in the earlier specification"
    REPLACED = "replaced", "its claim was superseded, merged or refused"
    INELIGIBLE = "ineligible", "a member's version is not eligible any more"
    FORBIDDEN = "forbidden", "an inference rule of the set is not permitted any more"


def fates(earlier: Specification, later: Specification) -> QuerySet[Any]:
    """Every item of ``earlier`` with its ``fate`` if verdicts were carried into ``later`` now."""
    of_set = {"evidence_set": OuterRef("evidence_set")}
    there = Item.objects.filter(specification=later, **of_set)
    replaced = EvidenceSet.objects.filter(
        OF_TURNED_DOWN | Q(superseded()), pk=OuterRef("evidence_set")
    )
    outside = EvidenceMember.objects.filter(**of_set).exclude(
        span__version__in=later.eligible.values("version")
    )
    forbidden = EvidenceSetRule.objects.filter(**of_set).exclude(rule__in=later.rules.all())
    decided = Q(state__in=[Item.State.ACCEPTED, Item.State.REJECTED])
    return Item.objects.filter(specification=earlier).annotate(
        fate=Case(
            _when(Exists(there), Fate.UNDER_REVIEW),
            _when(~decided, Fate.UNDECIDED),
            _when(Exists(replaced), Fate.REPLACED),
            _when(Exists(outside), Fate.INELIGIBLE),
            _when(Exists(forbidden), Fate.FORBIDDEN),
            default=Value(Fate.TAKEN.value),
            output_field=CharField(),
        )
    )


def _when(condition: Q | Exists, fate: Fate) -> When:
    return When(condition, then=Value(fate.value))


@dataclass(frozen=True, slots=True)
class Preview:
    """What carrying verdicts of ``earlier`` into ``later`` would do now. For leads who do not
    review: it tells which sets are decided."""

    earlier: Specification
    later: Specification
    counts: dict[Fate, int]

    @property
    def taken(self) -> int:
        return self.counts[Fate.TAKEN]

    @property
    def whole(self) -> int:
        return sum(self.counts.values())

    @property
    def lines(self) -> list[tuple[Fate, int]]:
        return [(fate, count) for fate, count in self.counts.items() if count]


def preview(earlier: Specification, later: Specification) -> Preview:
    """Every item of ``earlier`` counted exactly once."""
    rows = fates(earlier, later).order_by().values_list("fate").annotate(Count("pk"))
    found = dict(rows)
    return Preview(earlier, later, {fate: found.get(fate.value, 0) for fate in Fate})


def fates_in_order(earlier: Specification, later: Specification) -> QuerySet[Any]:
    """The items of ``earlier`` with their fates, by question and claim, whatever the fate."""
    return (
        fates(earlier, later)
        .select_related("evidence_set__claim__question")
        .order_by("evidence_set__claim__question__text", "evidence_set__sha256")
    )


def earlier_specifications(later: Specification) -> QuerySet[Specification]:
    """The frozen specifications from which verdicts can be carried into ``later``."""
    return Specification.objects.filter(
        project=later.project_id, state=Specification.State.FROZEN, number__lt=later.number
    ).order_by("-number")


def earlier_numbered(later: Specification, number: int | None) -> Specification:
    """The earlier specification ``number``, or the last one; Refused where there is none."""
    known = earlier_specifications(later)
    found = known.first() if number is None else known.filter(number=number).first()
    if found is None:
        there = ", ".join(str(one.number) for one in known) or "none"
        raise Refused(
            f"There is no such specification before {later.number} to carry over from. "
            f"Earlier ones: {there}."
        )
    return found


def carry_overs_of(project: Project) -> QuerySet[Any]:
    """What was carried over in a project, the last first, each with how many verdicts."""
    return (
        CarryOver.objects.filter(later__project=project)
        .select_related("earlier", "later", "by")
        .annotate(taken=Count("verdicts"))
        .order_by("-at", "id")
    )
