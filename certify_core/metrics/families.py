"""The one rule of acceptance: some complete set of the family was delivered."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import TypeVar

Member = TypeVar("Member", bound=Hashable)


def satisfied(family: Iterable[Collection[Member]], delivered: Iterable[Member]) -> bool:
    """Whether some set of the family is contained in what was delivered.

    Sets are alternatives, so a superset of another changes nothing, and neither do
    duplicates or anything delivered beyond a set. A set without members is no evidence.
    """
    given = frozenset(delivered)
    return any(members and given.issuperset(members) for members in family)
