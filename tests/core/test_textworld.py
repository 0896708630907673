"""TextWorld: originals certified, twins abstained, and a graph without joins goes wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from certify_core.closure import Compiled
from certify_core.datasets import CLOSURES
from certify_core.datasets.records import ClosureRecord
from certify_core.evidence import all_minimal_sets, certificate, sufficient
from certify_core.model import Atom, Certificate, Edge, Instance
from tests.core.checker import check
from tests.core.datasets.samples import real


@cache
def records() -> tuple[ClosureRecord, ...]:
    return CLOSURES["textworld"](real("textworld/textworld_logs.jsonl").read_bytes())


@cache
def certified() -> tuple[tuple[Instance, Certificate], ...]:
    found = [(record.instance, certificate(Compiled.of(record.instance))) for record in records()]
    assert all(result is not None for _, result in found)
    return tuple((instance, result) for instance, result in found if result)


def shuffled(instance: Instance) -> Instance:
    """Each edge of k ≥ 2 premises as k edges of one premise: joins become choices."""
    split = [
        replace(edge, tail=(premise,), eid=f"{edge.eid} via {premise}")
        for edge in instance.edges
        for premise in edge.tail
    ]
    return replace(instance, edges=tuple(split))


def pairs(instance: Instance) -> set[tuple[Atom, Atom]]:
    """The pairwise projection: which premise touches which head."""
    return {(premise, edge.head) for edge in instance.edges for premise in edge.tail}


def touched(instance: Instance, without: str) -> set[Atom]:
    """Atoms to which some chain of single premises leads, by plain graph search."""
    edges: list[Edge] = [e for e in instance.edges if without not in (e.witnesses or ())]
    reached = set(instance.given)
    while True:
        further = {e.head for e in edges if reached & set(e.tail)} - reached
        if not further:
            return reached
        reached |= further


def test_every_original_is_certified_and_checked() -> None:
    """111 logs; the derivation is accepted by a checker that knows nothing of the engine."""
    assert len(certified()) == 111
    for instance, found in certified():
        check(instance, found.units, found.derivation)


def test_enabling_set_is_the_only_minimal_set() -> None:
    """Every interval has one producer, so the set does not depend on the pruning order."""
    for instance, found in certified():
        compiled = Compiled.of(instance)
        sets = all_minimal_sets(compiled)
        assert (sets.sets, sets.complete) == ((found.units,), True)
        assert found.core == found.units
        backwards = certificate(compiled, list(instance.facts)[::-1], limit=0)
        assert backwards is not None
        assert backwards.units == found.units


def test_every_twin_abstains() -> None:
    """Deleting any one enabling turn leaves the action without its preconditions."""
    twins = 0
    for instance, found in certified():
        compiled = Compiled.of(instance)
        for turn in found.units:
            twins += 1
            assert not sufficient(compiled, set(instance.facts) - {turn})
    print(f"\n{twins} twins of {len(certified())} logs, all abstained")
    assert twins > 5 * len(certified())


def test_turn_outside_the_enabling_set_can_be_deleted() -> None:
    """Only what enables the action is needed."""
    for instance, found in certified():
        compiled = Compiled.of(instance)
        for turn in set(instance.facts) - set(found.units):
            assert sufficient(compiled, set(instance.facts) - {turn})


def test_shuffled_graph_answers_twins_exactly_where_it_must() -> None:
    """Same pairs, no joins: it answers each original, and a twin whenever single premises reach
    all targets. A rule that sees pairs alone cannot tell the two graphs apart, so it errs on
    one of them wherever their decisions differ."""
    wrong = twins = 0
    for instance, found in certified():
        loose = shuffled(instance)
        compiled = Compiled.of(loose)
        assert pairs(loose) == pairs(instance)
        assert compiled.closure().sufficient
        for turn in found.units:
            answered = compiled.closure(set(instance.facts) - {turn}).sufficient
            assert answered == (touched(instance, turn) >= set(instance.targets))
            twins, wrong = twins + 1, wrong + answered
    print(f"\nthe shuffled graph answers {wrong} of {twins} twins")
    assert wrong > twins / 2
