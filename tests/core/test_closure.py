"""The closure: what follows, from what, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given

from certify_core.closure import Compiled
from certify_core.errors import InvalidInstance
from certify_core.model import Edge, Instance, Step
from tests.core import naive


def closed(instance: Instance, context: list[str] | None = None) -> frozenset[str]:
    return Compiled.of(instance).closure(context).atoms


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_closure_equals_the_naive_fixpoint(instance, context):
    """The counters find exactly what applying edges until nothing changes finds."""
    assert closed(instance, context) == naive.closure(instance, context)


@naive.PROPERTY
@given(naive.instances(), naive.contexts, naive.contexts)
def test_closure_is_monotone_in_the_context(instance, context, more):
    """More units never take an atom away."""
    assert closed(instance, context) <= closed(instance, [*context, *more])


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_closure_is_idempotent(instance, context):
    """What is derived, given as given, derives nothing new."""
    derived = closed(instance, context)
    again = Instance(instance.targets, tuple(sorted(derived)), instance.facts, instance.edges)
    assert closed(again, context) == derived


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_closure_ignores_the_order_of_its_input(instance, context):
    """Neither the order of edges nor of units decides what follows."""
    turned = Instance(
        instance.targets[::-1],
        instance.given[::-1],
        dict(reversed(instance.facts.items())),
        instance.edges[::-1],
    )
    assert closed(turned, context[::-1]) == closed(instance, context)


@naive.PROPERTY
@given(naive.instances())
def test_derivation_uses_earlier_steps_only(instance):
    """A checker that knows nothing of the engine accepts every derivation."""
    closure = Compiled.of(instance).closure()
    if closure.sufficient:
        naive.check_derivation(instance, instance.facts, closure.derivation())


def test_closure_leaves_a_cycle_underived():
    """Two atoms that only need each other do not follow."""
    instance = Instance(("a",), edges=(Edge("a", ("b",)), Edge("b", ("a",))))
    assert closed(instance) == frozenset()


def test_self_tail_edge_is_never_a_reason():
    """An atom that needs itself follows only by another edge, and by that one first."""
    loop, other = Edge("a", ("a",), eid="loop"), Edge("a", ("b",), eid="other")
    assert closed(Instance(("a",), edges=(loop,))) == frozenset()
    closure = Compiled.of(Instance(("a",), ("b",), edges=(loop, other))).closure()
    assert closure.derivation()[-1] == Step("a", "other", None, ("b",))


def test_empty_tail_fires_at_once():
    """A free edge without tail is a given atom."""
    assert closed(Instance(("a",), edges=(Edge("a"),))) == {"a"}


def test_empty_tail_with_witness_is_a_stated_fact():
    """It follows exactly when the unit is in the context."""
    instance = Instance(("a",), facts={"u": ()}, edges=(Edge("a", (), ("u",)),))
    assert closed(instance, ["u"]) == {"a"}
    assert closed(instance, []) == frozenset()


def test_empty_witness_list_never_fires():
    """No unit can enable it, so its head stays underived although the tail holds."""
    instance = Instance(("a",), ("b",), {"u": ()}, (Edge("a", ("b",), ()),))
    assert closed(instance) == {"b"}


def test_targets_missing_are_refused():
    """A problem without a target has no answer."""
    with pytest.raises(InvalidInstance, match="targets: there is no target"):
        Compiled.of(Instance(()))


def test_witness_that_is_no_unit_is_refused():
    """A misspelt witness must not silently disable its edge."""
    with pytest.raises(InvalidInstance, match="'v' is no unit"):
        Compiled.of(Instance(("a",), facts={"u": ()}, edges=(Edge("a", (), ("v",)),)))


def test_repeated_tail_atom_counts_once():
    """A premise listed twice is one premise."""
    assert "a" in closed(Instance(("a",), ("b",), edges=(Edge("a", ("b", "b")),)))


def test_repeated_edge_and_fact_change_nothing():
    """Two equal edges, and two units with equal facts, derive what one does."""
    edge = Edge("a", ("b",))
    instance = Instance(("a",), facts={"u": ("b", "b"), "v": ("b",)}, edges=(edge, edge))
    assert closed(instance) == {"a", "b"}
    assert [step.atom for step in Compiled.of(instance).closure().derivation()] == ["b", "a"]


def test_edge_with_many_witnesses_fires_once_for_the_first():
    """Two witnesses must not count as two premises; the better ranked one is named."""
    edge = Edge("a", ("b",), ("u", "v"), "e")
    instance = Instance(("a",), (), {"u": (), "v": (), "w": ("b",)}, (edge,))
    assert closed(instance, ["u", "v"]) == frozenset()
    closure = Compiled.of(instance).closure(["v", "u", "w"])
    assert closure.derivation()[-1] == Step("a", "e", "v", ("b",))


def test_first_reason_is_of_least_depth():
    """A direct edge wins over a longer way that is listed first."""
    edges = (Edge("c", ("b",)), Edge("b", ("a",)), Edge("t", ("c",)), Edge("t", ("a",), eid="x"))
    closure = Compiled.of(Instance(("t",), ("a",), edges=edges)).closure()
    assert [step.edge for step in closure.derivation()] == [None, "x"]


def test_literal_and_complement_are_both_derived():
    """Signed literals are two atoms: the engine reports both and drops neither."""
    edges = (Edge("+flies", ("bird",)), Edge("-flies", ("penguin",)))
    instance = Instance(("+flies", "-flies"), ("bird", "penguin"), edges=edges)
    assert Compiled.of(instance).closure().sufficient


def test_unknown_unit_in_the_context_states_nothing():
    """A retrieved passage without links is no fault."""
    assert closed(Instance(("a",), facts={"u": ("a",)}), ["v", "u"]) == {"a"}


def test_long_chain_is_closed_without_recursion():
    """Depth is no limit: 100,000 edges in a row."""
    count = 100_000
    edges = tuple(Edge(str(n + 1), (str(n),)) for n in range(count))
    closure = Compiled.of(Instance((str(count),), ("0",), edges=edges)).closure()
    assert len(closure.derivation()) == count + 1
