"""Who has which item in hand, and for how long.

Slots 1..k of an item's round are given out under a lock on its row; a unique constraint
stands behind it. All times are the database's.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role
from adjudication.review.models import OPEN_STATES, Assignment, Item
from adjudication.review.queries.queue import (
    available_to,
    cleared_items,
    declared_conflict,
    held_by,
    in_conflict,
)
from adjudication.review.transitions import move_assignment, move_item
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current_or_refuse

LEASE = timedelta(minutes=30)
CONFLICT = "You declared a conflict of interest with this set: someone else judges it."
_AT_ONCE = 50  # candidates looked at before asking again


def take_next(membership: Membership) -> Assignment | None:
    """The item in hand, or the next one for this reviewer; None if nothing waits for them.

    Items that others are locking at this moment are passed over first and waited for after,
    so that nobody is turned away while a slot is free.
    """
    check_role(membership, Role.REVIEWER)
    specification = current_or_refuse(membership.project)
    candidates = available_to(membership, specification).values_list("pk", flat=True)
    if held := _held_again(membership, specification):
        return held
    while found := list(candidates[:_AT_ONCE]):
        for wait in (False, True):
            for item_id in found:
                if taken := _take(membership, specification, item_id, wait=wait):
                    return taken
    return None


def take(membership: Membership, item_id: UUID) -> Assignment:
    """The item named, for a reviewer who chooses it.

    Raises:
        Refused: it cannot come to this person now. All reasons read the same, because most
            of them would tell what others did.
    """
    check_role(membership, Role.REVIEWER)
    specification = current_or_refuse(membership.project)
    mine = Assignment.objects.filter(reviewer=membership.user, item_id=item_id)
    mine = mine.filter(item__in=cleared_items(membership).filter(~in_conflict(membership.user)))
    if had := mine.first():
        return had
    with transaction.atomic():
        taken = _take(membership, specification, item_id, wait=True, one_at_a_time=False)
    if taken is None:
        raise Refused("This item cannot come to you now: take the next one.")
    return taken


@transaction.atomic
def _held_again(membership: Membership, specification: Specification) -> Assignment | None:
    held = held_by(membership, specification)
    return renew(held) if held else None


@transaction.atomic
def _take(
    membership: Membership,
    specification: Specification,
    item_id: UUID,
    *,
    wait: bool,
    one_at_a_time: bool = True,
) -> Assignment | None:
    # Two clicks of one person wait for each other here, and the second finds the first's item.
    Membership.objects.select_for_update().get(pk=membership.pk)
    if one_at_a_time and (held := held_by(membership, specification)):
        return held
    item = Item.objects.select_for_update(skip_locked=not wait).filter(pk=item_id).first()
    # Asked again under the lock: what the list said may have passed.
    if item is None or not available_to(membership, specification).filter(pk=item_id).exists():
        return None
    return _hold(item, membership, specification)


def _hold(item: Item, membership: Membership, specification: Specification) -> Assignment:
    slot = free_slot(item, specification)
    if slot is None:
        raise AssertionError("an available item has a free slot")
    if item.state == Item.State.PROPOSED:
        move_item(item, Item.State.IN_REVIEW)
    assignment = Assignment.objects.create(
        item=item,
        reviewer=membership.user,
        round=item.round,
        slot=slot,
        lease_until=Now() + LEASE,
    )
    _journal("took item", assignment)
    assignment.refresh_from_db()
    return assignment


def free_slot(item: Item, specification: Specification) -> int | None:
    """A slot of the locked ``item``'s round that nobody has; leases that ended give theirs up."""
    round_ = Assignment.objects.filter(item=item, round=item.round)
    _expire(round_.filter(state=Assignment.State.HELD, lease_until__lte=Now()))
    taken = set(round_.filter(state__in=["held", "sealed"]).values_list("slot", flat=True))
    slots = range(1, specification.reviewers_per_item + 1)
    return next((slot for slot in slots if slot not in taken), None)


def lock(assignment: Assignment) -> tuple[Item, Assignment]:
    """The item of ``assignment`` and then itself, locked in this order and read anew."""
    item = Item.objects.select_for_update().get(pk=assignment.item_id)
    locked = Assignment.objects.select_for_update(of=("self",)).select_related(
        "reviewer", "item__specification"
    )
    return item, locked.get(pk=assignment.pk)


def regain(item: Item, assignment: Assignment) -> bool:
    """Give a slot back to a locked assignment that lost it, if one is free in its round.

    An ended lease whose slot nobody took is simply still there.
    """
    if assignment.state == Assignment.State.HELD:
        return True
    if item.state not in OPEN_STATES or item.round != assignment.round:
        return False
    slot = free_slot(item, item.specification)
    if slot is None:
        return False
    move_assignment(assignment, Assignment.State.HELD)
    assignment.slot = slot
    assignment.save(update_fields=["state", "slot"])
    return True


@transaction.atomic
def renew(assignment: Assignment) -> Assignment:
    """Hold the item for another lease. One whose slot was given away comes back as it was."""
    item, assignment = lock(assignment)
    check_no_conflict(item, assignment)
    if assignment.state != Assignment.State.SEALED and regain(item, assignment):
        extend(assignment)
        assignment.refresh_from_db(fields=["lease_until"])
    return assignment


def extend(assignment: Assignment) -> None:
    """Activity renews the lease of an item in hand."""
    Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.HELD).update(
        lease_until=Now() + LEASE
    )


@transaction.atomic
def release(assignment: Assignment) -> Assignment:
    """Hand the item back unjudged; it does not come to this person by itself again."""
    _, assignment = lock(assignment)
    if assignment.state == Assignment.State.HELD:
        hand_back(assignment)
    return assignment


def hand_back(assignment: Assignment) -> None:
    """Release a held assignment whose item is locked."""
    move_assignment(assignment, Assignment.State.RELEASED)
    assignment.save(update_fields=["state"])
    _journal("released item", assignment)


@transaction.atomic
def take_back(assignment: Assignment, *, by: Membership) -> bool:
    """Release an item that lies in somebody's hands, for them; False if it does not any more.

    Their draft is kept. They can still seal it, as after a lease that ran out.

    Raises:
        Refused: not a lead.
    """
    check_role(by, Role.LEAD)
    _, assignment = lock(assignment)
    if assignment.state != Assignment.State.HELD:
        return False
    move_assignment(assignment, Assignment.State.RELEASED)
    assignment.save(update_fields=["state"])
    record("released item for the reviewer", assignment, actor=by.user, project_id=by.project_id)
    return True


def check_no_conflict(item: Item, assignment: Assignment) -> None:
    """Raises Refused if a locked assignment was handed back for a conflict of interest."""
    gone = assignment.state not in {Assignment.State.HELD, Assignment.State.SEALED}
    if gone and declared_conflict(assignment.reviewer, item):
        raise Refused(CONFLICT)


@transaction.atomic
def sweep() -> int:
    """End the leases that have run out; returns how many.

    Rows that someone is working on are left for the next sweep.
    """
    ended = Assignment.objects.filter(Q(state=Assignment.State.HELD), lease_until__lte=Now())
    return _expire(ended.select_for_update(skip_locked=True, of=("self",)))


def _expire(assignments: QuerySet[Assignment]) -> int:
    found = list(assignments.select_related("item", "reviewer"))
    for assignment in found:
        move_assignment(assignment, Assignment.State.EXPIRED)
        assignment.save(update_fields=["state"])
        record("lease ended", assignment, actor=None, project_id=assignment.item.project_id)
    return len(found)


def _journal(verb: str, assignment: Assignment) -> None:
    record(verb, assignment, actor=assignment.reviewer, project_id=assignment.item.project_id)
