"""Slow and obvious twins of the engine: definitions written down, for tests to compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from certify_core.model import Edge, Instance, Step


def closure(instance: Instance, context: Iterable[str]) -> frozenset[str]:
    """Apply every enabled edge until nothing changes."""
    held = set(context)
    derived = set(instance.given)
    for uid in held & instance.facts.keys():
        derived.update(instance.facts[uid])
    while True:
        fired = {e.head for e in enabled(instance, held) if set(e.tail) <= derived}
        if fired <= derived:
            return frozenset(derived)
        derived |= fired


def enabled(instance: Instance, held: set[str]) -> list[Edge]:
    """Free edges, and those of which a witness is held."""
    return [e for e in instance.edges if e.witnesses is None or held & set(e.witnesses)]


def sufficient(instance: Instance, context: Iterable[str]) -> bool:
    return set(instance.targets) <= closure(instance, context)


def minimal_sets(instance: Instance, context: Iterable[str]) -> list[tuple[str, ...]]:
    """Try every subset, small ones first; keep those that contain no kept one."""
    units = sorted(context)
    kept: list[tuple[str, ...]] = []
    for size in range(len(units) + 1):
        for members in combinations(units, size):
            if not any(set(k) <= set(members) for k in kept) and sufficient(instance, members):
                kept.append(members)
    return kept


def gaps(instance: Instance, context: Iterable[str]) -> tuple[set[str], set[str]]:
    """The open and the blocked atoms, read off their definition."""
    held = set(context)
    derived = closure(instance, held)
    edges = [e for e in enabled(instance, held) if e.head not in derived and e.head not in e.tail]
    behind = {e.head: set[str]() for e in edges}
    for edge in edges:
        behind[edge.head] |= set(edge.tail) - derived
    reach = {atom: _reach(atom, behind) for atom in {*behind, *instance.targets}}
    needed = {t for t in instance.targets if t not in derived}
    needed |= {atom for target in needed for atom in reach[target]}
    blocked = {a for a in needed if behind.get(a) and a not in reach[a]}
    return needed - blocked, blocked


def _reach(atom: str, behind: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    while more := {b for a in {atom, *found} for b in behind.get(a, ())} - found:
        found |= more
    return found


def check_derivation(instance: Instance, units: Iterable[str], steps: Iterable[Step]) -> None:
    """Fail unless every step follows from earlier ones and all targets are reached."""
    held = set(units)
    proved: set[str] = set()
    for step in steps:
        assert set(step.premises) <= proved, f"{step} uses what is not proved yet"
        assert step.unit is None or step.unit in held, f"{step} uses a unit outside the set"
        assert _justified(instance, step), f"{step} follows from nothing"
        proved.add(step.atom)
    assert set(instance.targets) <= proved


def _justified(instance: Instance, step: Step) -> bool:
    if step.edge is not None:
        (edge,) = [e for e in instance.edges if e.eid == step.edge]
        witnessed = step.unit is None if edge.witnesses is None else step.unit in edge.witnesses
        return (edge.head, edge.tail) == (step.atom, step.premises) and witnessed
    if step.unit is not None:
        return step.atom in instance.facts[step.unit] and not step.premises
    return step.atom in instance.given and not step.premises


PROPERTY = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Limits on the time of single examples would only fail on a busy machine."""

ATOMS = tuple("abcdefgh")
UNITS = tuple(f"u{number}" for number in range(6))


def tuples(values: Sequence[str], least: int, most: int) -> st.SearchStrategy[tuple[str, ...]]:
    """Some of the values, perhaps repeated."""
    return st.lists(st.sampled_from(values), min_size=least, max_size=most).map(tuple)


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Small instances with cycles, empty tails, shared witnesses, units of many facts.

    Units state the first atoms, edges yield the later ones, targets are the last: so
    several premises, sets and ways are common.
    """
    witnesses = st.none() | st.none() | tuples(UNITS, 0, 3)
    tails = tuples(ATOMS, 1, 3) | tuples(ATOMS[:6], 2, 3) | tuples(ATOMS[:5], 0, 2)
    shapes = draw(
        st.lists(st.tuples(st.sampled_from(ATOMS[3:]), tails, witnesses), min_size=4, max_size=14)
    )
    return Instance(
        targets=draw(tuples(ATOMS[5:], 1, 2)),
        given=draw(tuples(ATOMS[:6], 0, 1)),
        facts={uid: draw(tuples(ATOMS[:4], 0, 2)) for uid in UNITS},
        edges=tuple(Edge(*shape, eid=f"e{number}") for number, shape in enumerate(shapes)),
    )


contexts = st.lists(st.sampled_from(UNITS), unique=True)
