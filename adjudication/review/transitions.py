"""Which state may follow which: one table per kind, checked here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from django.db.models import TextChoices

from adjudication.errors import Refused
from adjudication.review.models import Assignment, Item
from adjudication.statements import update

State = TypeVar("State", bound=TextChoices)

_I = Item.State
_A = Assignment.State

ITEM: Mapping[Item.State, frozenset[Item.State]] = {
    _I.PROPOSED: frozenset({_I.IN_REVIEW}),
    # A fresh round brings a disputed item back into review.
    _I.IN_REVIEW: frozenset({_I.ACCEPTED, _I.REJECTED, _I.DISPUTED}),
    _I.DISPUTED: frozenset({_I.ACCEPTED, _I.REJECTED, _I.IN_REVIEW}),
    # What was decided can be reopened; a set whose verdict was carried over can be put to fresh
    # reviewers at once. Superseded is a verdict, never its item, which has the one that stands.
    _I.ACCEPTED: frozenset({_I.DISPUTED, _I.IN_REVIEW}),
    _I.REJECTED: frozenset({_I.DISPUTED, _I.IN_REVIEW}),
}

# Late work seals what was released or expired, and so does taking a free slot again.
ASSIGNMENT: Mapping[Assignment.State, frozenset[Assignment.State]] = {
    _A.HELD: frozenset({_A.SEALED, _A.RELEASED, _A.EXPIRED}),
    _A.RELEASED: frozenset({_A.HELD, _A.SEALED}),
    _A.EXPIRED: frozenset({_A.HELD, _A.SEALED}),
    _A.SEALED: frozenset(),
}


def check(table: Mapping[State, frozenset[State]], before: State, after: State) -> None:
    """Raises Refused, naming both states, if ``after`` may not follow ``before``."""
    if after not in table[before]:
        raise Refused(f"What is {before.label} cannot become {after.label}.")


def move_item(item: Item, state: Item.State) -> None:
    """Set and save the state of a locked ``item``."""
    check(ITEM, Item.State(item.state), state)
    item.state = state
    update(item, "state")


def move_assignment(assignment: Assignment, state: Assignment.State) -> None:
    """Set the state of an assignment whose item is locked; the caller saves."""
    check(ASSIGNMENT, Assignment.State(assignment.state), state)
    assignment.state = state
