"""Minimal sets of units: sufficient, minimal, all found, within the promised effort."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core.closure import Compiled
from certify_core.evidence import (
    all_minimal_sets,
    antichain,
    certificate,
    core,
    minimal_set,
    sufficient,
)
from certify_core.gaps import completions, gaps
from certify_core.model import Edge, Instance
from tests.core import naive


def layers(width: int, depth: int) -> Instance:
    """``depth`` facts in a row, each stated by ``width`` units: ``width**depth`` sets."""
    facts = {f"u{d}.{w}": (f"f{d}",) for d in range(depth) for w in range(width)}
    return Instance(("t",), (), facts, (Edge("t", tuple(f"f{d}" for d in range(depth))),))


def tangle(depth: int) -> Instance:
    """One minimal set, but 2**n label sets on the way: all units are needed in the end."""
    facts = {f"u{d}{s}": (f"f{d}{s}",) for d in range(depth) for s in "ab"}
    ways = [Edge(f"g{d}", (f"f{d}{s}",)) for d in range(depth) for s in "ab"]
    whole = Edge("h", tuple(f"g{d}" for d in range(depth)))
    final = Edge("t", ("h", *(f"f{d}{s}" for d in range(depth) for s in "ab")))
    return Instance(("t",), (), facts, (*ways, whole, final))


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_sufficient_equals_the_naive_definition(instance, context):
    """A context suffices when every target is in its closure."""
    assert sufficient(Compiled.of(instance), context) == naive.sufficient(instance, context)


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_minimal_set_is_sufficient_and_minimal(instance, context):
    """It suffices, no member can go, and it stays within one closure per unit plus one."""
    found = minimal_set(Compiled.of(instance), context)
    assert (found is None) == (not naive.sufficient(instance, context))
    if found is not None:
        units, closures = found
        assert set(units) <= set(context)
        assert naive.sufficient(instance, units)
        for unit in units:
            assert not naive.sufficient(instance, set(units) - {unit})
        assert 1 <= closures <= len(context) + 1


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_all_minimal_sets_equal_brute_force(instance, context):
    """Neither more nor fewer than trying every subset finds, in the same order."""
    found = all_minimal_sets(Compiled.of(instance), context, limit=100, seconds=60)
    assert found.complete
    assert list(found.sets) == naive.minimal_sets(instance, context)


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_hitting_sets_equal_brute_force(instance, context):
    """The fallback of the enumeration is exact by itself."""
    compiled = Compiled.of(instance)
    sets = naive.minimal_sets(instance, context)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("certify_core.evidence.labels", lambda *_: None)
        found = all_minimal_sets(compiled, context, limit=len(sets) + 1, seconds=60)
    assert (found.complete, list(found.sets)) == (True, sets)


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_core_is_the_intersection_of_all_sets(instance, context):
    """Units in every set, and none when nothing suffices."""
    sets = naive.minimal_sets(instance, context)
    expected = set.intersection(*map(set, sets)) if sets else set()
    assert set(core(Compiled.of(instance), context)) == expected


@naive.PROPERTY
@given(naive.instances(), st.permutations(naive.UNITS))
def test_minimal_set_ignores_the_order_where_it_is_unique(instance, order):
    """With one minimal set, every pruning order ends in it, and it is the core."""
    sets = naive.minimal_sets(instance, naive.UNITS)
    if len(sets) == 1:
        found = minimal_set(Compiled.of(instance), order)
        assert found is not None
        assert found[0] == sets[0] == core(Compiled.of(instance), order)


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_certificate_can_be_checked_independently(instance, context):
    """Units, derivation, core and alternatives agree with the definitions."""
    found = certificate(Compiled.of(instance), context, limit=100, seconds=60)
    sets = naive.minimal_sets(instance, context)
    assert (found is None) == (not sets)
    if found is not None:
        naive.check_derivation(instance, found.units, found.derivation)
        assert {step.unit for step in found.derivation} - {None} == set(found.units)
        assert sorted([found.units, *found.alternatives]) == sorted(sets)
        assert found.complete


@given(st.lists(st.lists(st.sampled_from("abcde"))))
def test_antichain_keeps_exactly_the_minimal_members(family):
    """No kept set contains another; every given set contains a kept one."""
    kept = antichain(family)
    assert {frozenset(k) for k in kept} <= {frozenset(members) for members in family}
    assert not any(set(a) < set(b) for a in kept for b in kept)
    assert len(set(kept)) == len(kept)
    assert all(any(set(k) <= set(members) for k in kept) for members in family)


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_gaps_equal_the_naive_definition(instance, context):
    """Open and blocked atoms are those of the definition, sorted."""
    found = gaps(Compiled.of(instance), context)
    expected = naive.gaps(instance, context)
    assert (list(found.open), list(found.blocked)) == tuple(map(sorted, expected))


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_open_atoms_would_complete_the_targets(instance, context):
    """Were all open atoms given, the targets would follow; so would each completion."""
    missing = gaps(Compiled.of(instance), context).open
    ways = completions(instance, context, limit=100, seconds=60)
    assert bool(missing) == bool(ways.sets) == (not naive.sufficient(instance, context))
    for atoms in (missing, *ways.sets):
        given_too = Instance(
            instance.targets, (*instance.given, *atoms), instance.facts, instance.edges
        )
        assert naive.sufficient(given_too, context)
    for atoms in ways.sets:
        for spared in atoms:
            fewer = (*instance.given, *(atom for atom in atoms if atom != spared))
            smaller = Instance(instance.targets, fewer, instance.facts, instance.edges)
            assert not naive.sufficient(smaller, context)


def test_given_target_needs_no_unit():
    """A certificate may have zero units."""
    found = certificate(Compiled.of(Instance(("a",), ("a",), {"u": ("a",)})))
    assert found is not None
    assert (found.units, found.core, found.alternatives, found.closures) == ((), (), (), 1)


def test_several_targets_are_all_required():
    """One certificate covers both targets; a repeated target counts once."""
    compiled = Compiled.of(Instance(("a", "b", "a"), facts={"u": ("a",), "v": ("b",)}))
    assert minimal_set(compiled) == (("u", "v"), 3)
    assert minimal_set(compiled, ["u"]) is None


def test_unit_both_fact_and_rule_is_counted_once():
    """One unit that states a premise and witnesses the edge suffices alone."""
    instance = Instance(("a",), facts={"u": ("b",)}, edges=(Edge("a", ("b",), ("u",)),))
    assert minimal_set(Compiled.of(instance)) == (("u",), 2)


def test_pruning_keeps_one_witness_and_lists_the_others():
    """Of equal witnesses the best ranked stays; the rest are alternatives."""
    instance = Instance(
        ("a",), facts={"u": (), "v": (), "w": ()}, edges=(Edge("a", (), ("u", "v", "w")),)
    )
    found = certificate(Compiled.of(instance), ["w", "u", "v"])
    assert found is not None
    assert (found.units, found.core) == (("w",), ())
    assert found.alternatives == (("u",), ("v",))


def test_worst_ranked_unit_is_dropped_first():
    """Where either of two units could go, the worse ranked one goes."""
    edges = (Edge("t", ("a", "b")), Edge("a", (), ("u",)), Edge("b", (), ("v",)))
    swap = (Edge("a", ("b",)), Edge("b", ("a",)))
    compiled = Compiled.of(Instance(("t",), facts={"u": (), "v": ()}, edges=edges + swap))
    assert minimal_set(compiled, ["u", "v"]) == (("u",), 3)
    assert minimal_set(compiled, ["v", "u"]) == (("v",), 3)


def test_limit_cuts_the_list_and_says_so():
    """Fewer sets than exist are never called complete."""
    compiled = Compiled.of(layers(3, 3))
    assert len(all_minimal_sets(compiled, limit=27).sets) == 27
    found = all_minimal_sets(compiled, limit=5)
    assert (len(found.sets), found.complete) == (5, False)


def test_atom_that_gains_one_of_two_sets_asks_its_watchers_again():
    """A round that finds a new set beside a known one is news all the same."""
    facts = {"u": ("p",), "v": ("p", "h")}
    instance = Instance(("t",), facts=facts, edges=(Edge("h", ("p",)), Edge("t", ("h",))))
    assert all_minimal_sets(Compiled.of(instance)).sets == (("u",), ("v",))


def test_capped_labels_fall_back_to_the_tree():
    """More sets than the cap: some are listed, honestly incomplete."""
    compiled = Compiled.of(layers(3, 6))
    found = all_minimal_sets(compiled, limit=20, seconds=30)
    assert (len(found.sets), found.complete) == (20, False)
    assert all(len(units) == 6 and sufficient(compiled, units) for units in found.sets)


def test_capped_labels_do_not_spoil_completeness():
    """Too many labels on the way, one set in the end: the tree proves it the only one."""
    compiled = Compiled.of(tangle(9))
    found = all_minimal_sets(compiled, seconds=60)
    assert found.complete
    assert [len(units) for units in found.sets] == [18]


def test_spent_time_still_gives_one_set():
    """With no time at all there is one set, not called complete."""
    found = all_minimal_sets(Compiled.of(layers(3, 3)), seconds=0)
    assert (len(found.sets), found.complete) == (1, False)


def test_time_budget_is_kept():
    """A problem that would take minutes ends near its budget."""
    start = time.monotonic()
    found = all_minimal_sets(Compiled.of(layers(3, 20)), limit=10**6, seconds=0.3)
    assert not found.complete
    assert time.monotonic() - start < 5


def test_indispensable_units_are_exact_where_sets_are_too_many():
    """The core does not depend on having found all sets."""
    many = layers(3, 7)
    facts = {**many.facts, "only": ("f",)}
    tail = (*many.edges[0].tail, "f")
    assert core(Compiled.of(Instance(("t",), (), facts, (Edge("t", tail),)))) == ("only",)


def test_gap_of_a_missing_witness_is_the_head():
    """The tail holds, no unit says so: the head is what is missing."""
    instance = Instance(("t",), ("a",), {"u": ()}, (Edge("t", ("a",), ("u",)),))
    found = gaps(Compiled.of(instance), [])
    assert (found.open, found.blocked) == (("t",), ())


def test_atoms_of_an_underived_cycle_are_open():
    """Nothing else would name the reason: each only waits for the other."""
    edges = (Edge("t", ("a",)), Edge("a", ("b",)), Edge("b", ("a",)))
    found = gaps(Compiled.of(Instance(("t",), edges=edges)))
    assert (found.open, found.blocked) == (("a", "b"), ("t",))


def test_gaps_list_needed_atoms_only():
    """What no target needs is neither open nor blocked."""
    edges = (Edge("t", ("a", "g")), Edge("x", ("y",)))
    found = gaps(Compiled.of(Instance(("t",), ("g",), edges=edges)))
    assert (found.open, found.blocked) == (("a",), ("t",))


def test_completions_name_the_smallest_way_first():
    """Two ways to the target: one missing fact, or two."""
    edges = (Edge("t", ("a", "b")), Edge("t", ("c",)))
    ways = completions(Instance(("t",), edges=edges))
    assert (ways.sets, ways.complete) == ((("c",), ("a", "b")), True)
