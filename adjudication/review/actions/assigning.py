"""Who has which item in hand, and for how long.

Slots 1..k of an item's round are given out under a lock on its row; a unique constraint
stands behind it. All times are the database's.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_in_project, check_role
from adjudication.review.models import OPEN_STATES, Assignment, Item
from adjudication.review.queries.order import waiting_for
from adjudication.review.queries.queue import (
    cleared_items,
    declared_conflict,
    held_by,
    in_conflict,
    is_available,
    last_had,
)
from adjudication.review.transitions import move_assignment, move_item
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current_or_refuse
from adjudication.statements import Statement, insert, now

LEASE = timedelta(minutes=30)
CONFLICT = "You declared a conflict of interest with this set: someone else judges it."


def take_next(membership: Membership, after: Assignment | None = None) -> Assignment | None:
    """The item in hand, or the next one for this reviewer; None if nothing waits for them.

    Items that others are locking at this moment are passed over first and waited for after,
    so that nobody is turned away while a slot is free.

    Args:
        after: what they had last, where the caller knows it.
    """
    check_role(membership, Role.REVIEWER)
    specification = current_or_refuse(membership.project)
    last = after.item_id if after else last_had(membership, specification)
    while True:
        waits = False
        for found in waiting_for(membership, specification, last):
            waits = True
            for wait in (False, True):
                for item_id in found:
                    if taken := _take(membership, specification, item_id, wait=wait):
                        return taken
        if not waits:
            return _held_again(membership, specification)


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
    _LOCKED_MEMBER(membership.pk)
    if one_at_a_time and (held := held_by(membership, specification)):
        return renew(held)
    item = (_LOCKED_ITEM if wait else _ITEM_IF_FREE).first(item_id)
    # Asked again under the lock: what the list said may have passed.
    if item is None or not is_available(membership, specification, item_id):
        return None
    return _hold(item, membership, specification)


_LOCKED_MEMBER = Statement(
    lambda member: Membership.objects.select_for_update().filter(pk=member).values_list("pk")
)
_LOCKED_ITEM = Statement(lambda item: Item.objects.select_for_update().filter(pk=item))
_ITEM_IF_FREE = Statement(
    lambda item: Item.objects.select_for_update(skip_locked=True).filter(pk=item)
)


def _hold(item: Item, membership: Membership, specification: Specification) -> Assignment:
    slot = free_slot(item, specification)
    if slot is None:
        raise AssertionError("an available item has a free slot")
    if item.state == Item.State.PROPOSED:
        move_item(item, Item.State.IN_REVIEW)
    assignment = Assignment(
        item=item,
        reviewer=membership.user,
        round=item.round,
        slot=slot,
        lease_until=now() + LEASE,
    )
    insert(assignment)
    _journal("took item", assignment)
    return assignment


def free_slot(item: Item, specification: Specification) -> int | None:
    """A slot of the locked ``item``'s round that nobody has; leases that ended give theirs up."""
    holding = _HOLDING(item.pk, item.round)
    ended = [one for one in holding if one.ended]
    _expire(ended)
    taken = {one.slot for one in holding if one not in ended}
    slots = range(1, specification.reviewers_per_item + 1)
    return next((slot for slot in slots if slot not in taken), None)


_HOLDING: Statement[Any] = Statement(
    lambda item, round_: (
        Assignment.objects.filter(item=item, round=round_, state__in=["held", "sealed"])
        .annotate(ended=Q(state="held", lease_until__lte=Now()))
        .select_related("item", "reviewer")
    )
)


def lock(assignment: Assignment) -> tuple[Item, Assignment]:
    """The item of ``assignment`` and then itself, locked in this order and read anew."""
    [item] = _LOCKED_ITEM(assignment.item_id)
    [assignment] = _LOCKED(assignment.pk)
    # One and the same, so that what is set on either is seen on both.
    item.specification = assignment.item.specification
    assignment.item = item
    return item, assignment


_LOCKED = Statement(
    lambda assignment: (
        Assignment.objects.select_for_update(of=("self",))
        .select_related("reviewer", "item__specification")
        .filter(pk=assignment)
    )
)


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
    item, assignment = lock(assignment)
    check_in_project(by, item.project_id)
    if assignment.state != Assignment.State.HELD:
        return False
    move_assignment(assignment, Assignment.State.RELEASED)
    assignment.save(update_fields=["state"])
    record("released item for the reviewer", assignment, actor=by.user, project_id=by.project_id)
    return True


def check_no_conflict(item: Item, assignment: Assignment) -> None:
    """Raises Refused if its reviewer gave up an assignment for a conflict of interest."""
    gone = assignment.state not in {Assignment.State.HELD, Assignment.State.SEALED}
    if gone and declared_conflict(assignment.reviewer, item):
        raise Refused(CONFLICT)


@transaction.atomic
def sweep() -> int:
    """End the leases that have run out; returns how many.

    Rows that someone is working on are left for the next sweep.
    """
    ended = Assignment.objects.filter(Q(state=Assignment.State.HELD), lease_until__lte=Now())
    locked = ended.select_for_update(skip_locked=True, of=("self",))
    return _expire(locked.select_related("item", "reviewer"))


def _expire(assignments: Iterable[Assignment]) -> int:
    found = list(assignments)
    for assignment in found:
        move_assignment(assignment, Assignment.State.EXPIRED)
        assignment.save(update_fields=["state"])
        record("lease ended", assignment, actor=None, project_id=assignment.item.project_id)
    return len(found)


def _journal(verb: str, assignment: Assignment) -> None:
    record(verb, assignment, actor=assignment.reviewer, project_id=assignment.item.project_id)
