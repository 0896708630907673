"""Allowed transitions are those of the tables, in the application and nowhere else."""

from __future__ import annotations

import itertools

import pytest

from adjudication.errors import Refused
from adjudication.review.models import Assignment, Item
from adjudication.review.transitions import ASSIGNMENT, ITEM, check

ALLOWED_ITEM = {
    ("proposed", "in-review"),
    ("in-review", "accepted"),
    ("in-review", "rejected"),
    ("in-review", "disputed"),
    ("disputed", "accepted"),
    ("disputed", "rejected"),
    ("disputed", "in-review"),
    ("accepted", "disputed"),
    ("rejected", "disputed"),
    ("accepted", "in-review"),
    ("rejected", "in-review"),
}


@pytest.mark.parametrize(("before", "after"), list(itertools.product(Item.State, Item.State)))
def test_item_transition(before: Item.State, after: Item.State) -> None:
    """Every pair of states: allowed exactly as the domain says."""
    if (before.value, after.value) in ALLOWED_ITEM:
        check(ITEM, before, after)
    else:
        with pytest.raises(Refused, match=after.label):
            check(ITEM, before, after)


def test_sealed_assignment_stays_sealed() -> None:
    """There is no way back from a seal."""
    for after in Assignment.State:
        with pytest.raises(Refused):
            check(ASSIGNMENT, Assignment.State.SEALED, after)


def test_tables_name_every_state() -> None:
    """A state without a row would be a dead end by accident."""
    assert set(ITEM) == set(Item.State)
    assert set(ASSIGNMENT) == set(Assignment.State)
