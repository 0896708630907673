"""Which reader classes may inspect which part of a released item. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Route:
    """One decided evidence set of a claim: the classes cleared for all its members."""

    readers: frozenset[str]
    accepted: bool


def common(readers: Iterable[Set[str]]) -> frozenset[str]:
    """The classes cleared for every one of several versions."""
    every = [frozenset(one) for one in readers]
    return frozenset.intersection(*every) if every else frozenset()


def claim_readers(routes: Iterable[Route], classes: Set[str]) -> frozenset[str]:
    """The classes that may read a claim's words in a release.

    A claim may quote its evidence. A class reads it if nothing of its evidence is hidden from
    the class, or if an accepted set that the class may inspect in full supports it anyway.
    """
    every = list(routes)
    supported = {name for route in every if route.accepted for name in route.readers}
    return frozenset(
        name
        for name in classes
        if name in supported or all(name in route.readers for route in every)
    )
