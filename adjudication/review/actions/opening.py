"""Open proposed evidence sets for review."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from adjudication.claims.models import EvidenceSet
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role
from adjudication.review.models import Item
from adjudication.review.queries.items import OF_OPEN_PROPOSAL, OF_TURNED_DOWN, superseded
from adjudication.specifications.models import Specification


@dataclass(frozen=True, slots=True)
class Opened:
    """What became of the sets: opened, open before, or left out and why."""

    opened: int
    known: int
    undecided: int
    turned_down: int
    superseded: int

    def in_words(self) -> str:
        """Every set counted; a reason to leave some out is named where it held."""
        parts = [f"Opened for review: {self.opened}."]
        for count, why in (
            (self.known, "Open before"),
            (self.undecided, "Left out, of proposed claims nobody decided"),
            (self.turned_down, "Left out, of refused or merged claims"),
            (self.superseded, "Left out, of superseded claims"),
        ):
            if count:
                parts.append(f"{why}: {count}.")
        return " ".join(parts)


@transaction.atomic
def open_items(
    specification: Specification, evidence_sets: QuerySet[EvidenceSet], *, by: Membership
) -> Opened:
    """Put ``evidence_sets`` under review; the same sets again change nothing.

    Left out are sets of claims that a run proposed and nobody accepted, and of claims that
    others replaced.

    Raises:
        Refused: not a lead, or the specification is not frozen.
    """
    check_role(by, Role.LEAD)
    if specification.state != Specification.State.FROZEN:
        raise Refused("Freeze the specification first: it says how sets are judged.")
    sets = evidence_sets.filter(claim__question__project=by.project)
    left_out = {
        "undecided": sets.filter(OF_OPEN_PROPOSAL),
        "turned_down": sets.filter(OF_TURNED_DOWN),
        "superseded": sets.filter(superseded()).exclude(OF_OPEN_PROPOSAL | OF_TURNED_DOWN),
    }
    wanted = sets.exclude(OF_OPEN_PROPOSAL | OF_TURNED_DOWN).exclude(superseded())
    whole = wanted.count()
    made = _open(specification, wanted)
    if made:
        record("opened review", specification, actor=by.user, project_id=by.project_id, items=made)
    return Opened(made, whole - made, **{why: some.count() for why, some in left_out.items()})


def _open(specification: Specification, wanted: QuerySet[EvidenceSet]) -> int:
    before = Item.objects.filter(specification=specification).count()
    Item.objects.bulk_create(
        [
            Item(
                project_id=specification.project_id,
                specification=specification,
                evidence_set_id=key,
            )
            for key in wanted.order_by("id").values_list("pk", flat=True)
        ],
        ignore_conflicts=True,
        batch_size=1000,
    )
    return Item.objects.filter(specification=specification).count() - before
