"""Carry verdicts of an earlier specification over into the one in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import transaction

from adjudication.append_only import one_at_a_time
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role
from adjudication.review.models import CarryOver, Item, Verdict
from adjudication.review.queries.carrying import Fate, fates
from adjudication.review.queries.records import standing
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current


@transaction.atomic
def carry_over(
    earlier: Specification, later: Specification, *, by: Membership, reason: str
) -> CarryOver:
    """Take every verdict of ``earlier`` that still holds under ``later``, in one action.

    Nobody judges these sets again, unless an adjudicator asks for a fresh round. Where
    everything was taken before, the action of then is returned.

    Raises:
        Refused: not a lead, no reason, ``later`` is not in force or not later, or nothing
            can be carried over.
    """
    check_role(by, Role.LEAD)
    if not reason.strip():
        raise Refused("Give the reason: it stays with the verdicts.")
    _check_order(by, earlier, later)
    # Two leads at once: the second finds nothing left to take.
    one_at_a_time(later)
    decided = _decided(earlier, later)
    if not decided:
        done = CarryOver.objects.filter(earlier=earlier, later=later)
        before = done.order_by("-at", "id").first()
        if before is not None:
            return before
        raise Refused(
            f"Specification {earlier.number} has no verdict that can be carried over into "
            f"specification {later.number}."
        )
    made = CarryOver.objects.create(earlier=earlier, later=later, by=by.user, reason=reason.strip())
    taken = _repeat(made, decided)
    record(
        "carried verdicts over",
        made,
        actor=by.user,
        project_id=by.project_id,
        earlier=earlier.number,
        later=later.number,
        verdicts=taken,
    )
    return made


def _check_order(by: Membership, earlier: Specification, later: Specification) -> None:
    if later != current(by.project):
        raise Refused("Verdicts are carried over into the specification in force.")
    if earlier.project_id != later.project_id or earlier.number >= later.number:
        raise Refused("Verdicts are carried over from an earlier specification of the project.")


def _decided(earlier: Specification, later: Specification) -> dict[UUID, Verdict]:
    """The verdicts to take, by evidence set. Their items stay as they are until the end."""
    wanted = fates(earlier, later).filter(fate=Fate.TAKEN).values_list("pk", flat=True)
    keys = list(wanted)
    items = Item.objects.select_for_update().filter(pk__in=keys).order_by("pk")
    locked = {item.pk for item in items if item.state in (Item.State.ACCEPTED, Item.State.REJECTED)}
    verdicts = standing().filter(item__in=locked).select_related("item", "carried_from")
    return {verdict.item.evidence_set_id: verdict.carried_from or verdict for verdict in verdicts}


def _repeat(made: CarryOver, decided: Mapping[UUID, Verdict]) -> int:
    """Items under the later specification, decided from the start, with their verdicts."""
    items = [
        Item(
            project_id=made.later.project_id,
            specification=made.later,
            evidence_set_id=evidence_set,
            state=Item.State(verdict.decision),
            round=verdict.round,
        )
        for evidence_set, verdict in decided.items()
    ]
    # A set that somebody opens for review in this moment stays theirs.
    Item.objects.bulk_create(items, ignore_conflicts=True, batch_size=1000)
    kept = set(Item.objects.filter(pk__in=[one.pk for one in items]).values_list("pk", flat=True))
    verdicts = _verdicts(made, [one for one in items if one.pk in kept], decided)
    Verdict.objects.bulk_create(verdicts, batch_size=1000)
    return len(verdicts)


def _verdicts(
    made: CarryOver, items: Sequence[Item], decided: Mapping[UUID, Verdict]
) -> list[Verdict]:
    return [
        Verdict(
            item=item,
            round=original.round,
            decision=original.decision,
            basis=Verdict.Basis.CARRIED,
            reason=original.reason,
            judgements=original.judgements,
            carried_from=original,
            carry_over=made,
        )
        for item in items
        for original in [decided[item.evidence_set_id]]
    ]
