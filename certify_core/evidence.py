"""Which units are enough: one minimal set, all of them, and those in every one.

A set of units is *sufficient* when every target follows with it as context. Sufficiency
only grows with the context, so a set is minimal when no single unit can be dropped.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from certify_core.closure import Closure, Compiled
from certify_core.enumeration import hitting_sets, labels
from certify_core.model import Certificate

Member = TypeVar("Member", str, tuple[str, int])
"""What evidence sets consist of: ids of units or spans, or places (page, line)."""

LABEL_CAP = 200
"""Unit sets kept per atom before enumeration changes method (measured: milliseconds)."""


@dataclass(frozen=True, slots=True)
class MinimalSets:
    """Minimal sets, smallest first, then by their members; each sorted.

    ``complete`` is true only if these are proven to be all of them.
    """

    sets: tuple[tuple[str, ...], ...]
    complete: bool


def sufficient(compiled: Compiled, context: Iterable[str] | None = None) -> bool:
    """Whether the context's units (``None``: all) yield every target."""
    return compiled.closure(context).sufficient


def minimal_set(
    compiled: Compiled, context: Iterable[str] | None = None
) -> tuple[tuple[str, ...], int] | None:
    """An inclusion-minimal sufficient part of the context, sorted, and closures used.

    The context is in order of rank, best first; the worst ranked is dropped first. One
    closure confirms, its first reasons cut out a slice, and each unit of the slice is
    tried once: at most ``len(context) + 1`` closures. ``None`` if it is insufficient.
    """
    ordered = compiled.ordered(context)
    first = compiled.close(ordered)
    if not first.sufficient:
        return None
    kept, closures = _prune(compiled, ordered, first)
    return _names(compiled, kept), closures


def core(compiled: Compiled, context: Iterable[str] | None = None) -> tuple[str, ...]:
    """The units without which the context is insufficient, sorted: those in every set.

    Exact whatever the number of sets; empty when the context is insufficient anyway.
    """
    ordered = compiled.ordered(context)
    first = compiled.close(ordered)
    if not first.sufficient:
        return ()
    return _names(compiled, _indispensable(compiled, ordered, first.support()))


def all_minimal_sets(
    compiled: Compiled,
    context: Iterable[str] | None = None,
    *,
    limit: int = 20,
    seconds: float = 1.0,
) -> MinimalSets:
    """Every inclusion-minimal sufficient part of the context, within the limits.

    Labels (antichains of bit masks per atom) are propagated first; where an atom would
    hold more than ``LABEL_CAP`` or ``limit`` sets, or half the time is spent, a
    hitting-set tree takes over. At most ``limit`` sets are returned.
    """
    ordered = compiled.ordered(context)
    everything = compiled.close(ordered)
    if not everything.sufficient:
        return MinimalSets((), True)
    start = time.monotonic()
    complete = True
    found = labels(compiled, everything, max(LABEL_CAP, limit), start + seconds / 2)
    if found is None:

        def minimal(units: list[int]) -> list[int] | None:
            closure = compiled.close(units)
            return _prune(compiled, units, closure)[0] if closure.sufficient else None

        found, complete = hitting_sets(ordered, minimal, limit, start + seconds)
    sets = sorted((_names(compiled, units) for units in found), key=_by_size)
    return MinimalSets(tuple(sets[:limit]), complete and len(sets) <= limit)


def antichain(family: Iterable[Iterable[Member]]) -> tuple[tuple[Member, ...], ...]:
    """The minimal members of a family of sets: no supersets, no repeats, smallest first."""
    minimal: list[frozenset[Member]] = []
    for members in sorted({frozenset(members) for members in family}, key=len):
        if not any(kept <= members for kept in minimal):
            minimal.append(members)
    return tuple(sorted((tuple(sorted(kept)) for kept in minimal), key=lambda m: (len(m), m)))


def certificate(
    compiled: Compiled,
    context: Iterable[str] | None = None,
    *,
    limit: int = 20,
    seconds: float = 1.0,
) -> Certificate | None:
    """A minimal sufficient set with derivation, core and alternatives; ``None`` if none.

    ``closures`` counts confirming and pruning alone, not the later derivation, core and
    alternatives. A ``limit`` of 0 looks for no alternatives.
    """
    ordered = compiled.ordered(context)
    first = compiled.close(ordered)
    if not first.sufficient:
        return None
    kept, closures = _prune(compiled, ordered, first)
    units = _names(compiled, kept)
    every = MinimalSets((), False)
    if limit:
        every = all_minimal_sets(compiled, context, limit=limit, seconds=seconds)
    return Certificate(
        units=units,
        derivation=compiled.close(kept).derivation(),
        closures=closures,
        core=_names(compiled, _indispensable(compiled, ordered, kept)),
        alternatives=tuple(found for found in every.sets if found != units),
        complete=every.complete,
    )


def _by_size(members: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    return len(members), members


def _names(compiled: Compiled, units: Iterable[int]) -> tuple[str, ...]:
    return tuple(sorted(compiled.units[unit] for unit in units))


def _prune(compiled: Compiled, ordered: list[int], first: Closure) -> tuple[list[int], int]:
    """A minimal part of a sufficient context in its order, and the closures spent."""
    support = set(first.support())
    kept = [unit for unit in ordered if unit in support]
    closures = 1
    for unit in kept[::-1]:
        fewer = [other for other in kept if other != unit]
        closures += 1
        if compiled.close(fewer).sufficient:
            kept = fewer
    return kept, closures


def _indispensable(compiled: Compiled, ordered: list[int], some: Iterable[int]) -> list[int]:
    """The units of one sufficient set that the whole context cannot do without."""
    return [
        unit
        for unit in some
        if not compiled.close([other for other in ordered if other != unit]).sufficient
    ]
