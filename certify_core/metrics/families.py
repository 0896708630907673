"""Families of alternative sets, and the one rule of acceptance: some complete set is there."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import TypeVar

Line = tuple[str, int]
"""A sentence that is known by place alone: its page or document, and its number from 0."""

GivenLine = tuple[str | None, int | None]
"""A place as annotated; null where the annotation names none."""

Member = TypeVar("Member", bound=Hashable)


def satisfied(family: Iterable[Collection[Member]], delivered: Iterable[Member]) -> bool:
    """Whether some set of the family is contained in what was delivered.

    Sets are alternatives, so a superset of another changes nothing, and neither do
    duplicates or anything delivered beyond a set. A set without members is no evidence.
    """
    given = frozenset(delivered)
    return any(members and given.issuperset(members) for members in family)
