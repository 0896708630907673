"""Rules that see pairs only err where they must; early plans miss what closure finds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core.baselines import (
    PAIRWISE_RULES,
    PairView,
    PairwiseRule,
    answers,
    committed_plan,
    pair_view,
    tail_shuffle,
    two_section,
)
from certify_core.closure import Compiled
from certify_core.datasets import CLOSURES
from certify_core.evidence import sufficient
from certify_core.model import Edge, Instance, Unit
from tests.core import naive
from tests.core.datasets.samples import real

JOIN = Instance(("t",), ("a",), {"u": ("b",)}, (Edge("t", ("a", "b"), eid="join"),))
CHAIN = Instance(("t",), ("a",), edges=(Edge("b", ("a",)), Edge("t", ("b",))))


def suffices(instance: Instance, context: Sequence[str] | None = None) -> bool:
    return sufficient(Compiled.of(instance), context)


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_tail_shuffle_leaves_the_projection_unchanged(instance, context):
    """The two graphs are one to whoever sees pairs, in every context."""
    assert pair_view(tail_shuffle(instance), context) == pair_view(instance, context)


@naive.PROPERTY
@given(naive.instances(), naive.contexts)
def test_tail_shuffle_only_adds_what_follows(instance, context):
    """Choices are weaker than joins: all that followed still does."""
    shuffled = Compiled.of(tail_shuffle(instance)).closure(context).atoms
    assert shuffled >= naive.closure(instance, context)
    assert all(len(edge.tail) <= 1 for edge in tail_shuffle(instance).edges)


views = st.builds(pair_view, naive.instances(), naive.contexts)
any_rule: st.SearchStrategy[PairwiseRule] = st.sampled_from([
    *PAIRWISE_RULES.values(),
    lambda view: len(view.pairs) % 2 == 0,
    lambda view: bool(view.targets & view.stated),
])  # fmt: skip


@naive.PROPERTY
@given(naive.instances(), naive.contexts, any_rule)
def test_pairwise_rule_errs_once_where_a_pair_differs(instance, context, rule):
    """Any function of the view decides both alike, so it is wrong on exactly one of them."""
    pair = instance, tail_shuffle(instance)
    labels = [naive.sufficient(one, context) for one in pair]
    wrong = [
        rule(pair_view(one, context)) != label for one, label in zip(pair, labels, strict=True)
    ]
    assert wrong.count(True) == 1 if labels[0] != labels[1] else wrong[0] == wrong[1]


def test_pairs_with_differing_labels_exist():
    """The property above is not empty: a join short of one premise becomes a choice."""
    assert (suffices(JOIN, []), suffices(tail_shuffle(JOIN), [])) == (False, True)


def reached(view: PairView, needed: str) -> set[str]:
    """The three rules read off their definitions, one atom at a time."""
    held = set(view.stated)
    while True:
        for head in {head for _, head in view.pairs} - held:
            tail = [premise for premise, other in view.pairs if other == head]
            share = sum(premise in held for premise in tail) / len(tail)
            wanted = {"or-reachability": share > 0, "all-predecessors": share == 1}
            if wanted.get(needed, share > 0.5):
                held.add(head)
                break
        else:
            return held


@naive.PROPERTY
@given(views, st.sampled_from(sorted(PAIRWISE_RULES)))
def test_pairwise_rules_equal_their_definitions(view, name):
    """One premise, every premise, more than half of them."""
    assert PAIRWISE_RULES[name](view) == (view.targets <= reached(view, name))


@pytest.mark.parametrize(
    ("instance", "context", "verdicts"),
    [
        (JOIN, ["u"], (True, True, True)),
        (JOIN, [], (True, False, False)),
        (CHAIN, [], (True, True, True)),
        (Instance(("t",), ("a",), edges=(Edge("t", ("a",)), Edge("t", ("b",)))), [],
         (True, False, False)),
        (Instance(("t",), ("a", "c"), edges=(Edge("t", ("a", "b", "c")),)), [],
         (True, False, True)),
        (Instance(("t",), edges=(Edge("t", ("t",)),)), [], (False, False, False)),
    ],
)  # fmt: skip
def test_pairwise_rules_on_single_cases(instance, context, verdicts):
    """A join, a chain, a choice, a majority, a circle: as each rule must say."""
    view = pair_view(instance, context)
    assert tuple(rule(view) for rule in PAIRWISE_RULES.values()) == verdicts


def test_view_counts_what_the_context_states_and_enables():
    """A witnessed edge without tail is a stated fact; without its witness it is nothing."""
    edges = (Edge("a", (), ("u",)), Edge("t", ("a",), ("v",)))
    instance = Instance(("t",), ("g",), {"u": (), "v": ("f",)}, edges)
    assert pair_view(instance, ["u"]) == PairView(frozenset("t"), frozenset("ga"), frozenset())
    assert pair_view(instance).pairs == {("a", "t")}
    assert pair_view(instance, ["v", "unknown"]).stated == {"g", "f"}


def test_deletion_can_leave_the_two_section_unchanged():
    """Three passages still name every pair of the three; none still says who owned what where."""
    named = {
        "album": ("Ada", "Fenmill"),
        "sale": ("Fenmill", "Orra"),
        "visit": ("Ada", "Orra"),
        "deed": ("Orra", "Ada", "Fenmill"),
    }
    instance = Instance(("t",), facts=dict.fromkeys(named, ()), edges=(Edge("t", (), ("deed",)),))
    left = {uid: names for uid, names in named.items() if uid != "deed"}
    assert two_section(left) == two_section(named)
    assert (suffices(instance), suffices(instance, list(left))) == (True, False)
    assert two_section({"deed": named["deed"]}) == {
        ("Ada", "Fenmill"),
        ("Ada", "Orra"),
        ("Fenmill", "Orra"),
    }


EITHER = Instance(
    ("t",),
    ("a",),
    edges=(
        Edge("t", ("a", "x"), eid="two"),
        Edge("t", ("x",), eid="dead"),
        Edge("t", ("a", "b", "c"), eid="wide"),
        Edge("b", ("a",), eid="b"),
        Edge("c", ("a",), eid="c"),
    ),
)


def kept(instance: Instance, *plan) -> list[str | None]:
    return [edge.eid for edge in committed_plan(instance, *plan).edges]


def test_committed_plan_keeps_one_edge_per_head():
    """The first listed, the one of fewest premises, or only one that could ever fire."""
    assert kept(EITHER, "first") == ["two", "b", "c"]
    assert kept(EITHER, "fewest") == ["dead", "b", "c"]
    assert {kept(EITHER, "reachable", seed)[0] for seed in range(20)} == {"wide"}
    assert {kept(EITHER, "random", seed)[0] for seed in range(40)} == {"two", "dead", "wide"}


def test_reachable_plan_falls_back_to_any_edge():
    """A head without a reachable body keeps an edge; it cannot follow anyway."""
    dead = Instance(("t",), edges=(Edge("t", ("x",), eid="x"), Edge("t", ("y",), eid="y")))
    assert {kept(dead, "reachable", seed)[0] for seed in range(20)} == {"x", "y"}


@naive.PROPERTY
@given(
    naive.instances(),
    naive.contexts,
    st.sampled_from(["random", "first", "fewest", "reachable"]),
    st.integers(0, 5),
)
def test_committed_plan_never_proves_more(instance, context, commitment, seed):
    """It keeps some edges of the instance, one per head, and the same ones every time."""
    plan = committed_plan(instance, commitment, seed)
    assert set(plan.edges) <= set(instance.edges)
    assert sorted(e.head for e in plan.edges) == sorted({e.head for e in instance.edges})
    assert plan == committed_plan(instance, commitment, seed)
    assert naive.closure(plan, context) <= naive.closure(instance, context)


def test_committed_plans_miss_provable_questions():
    """ProofWriter, 400 provable questions: closure misses none, every early plan misses many;
    the better a plan looks ahead, the fewer."""
    records = CLOSURES["proofwriter"](real("proofwriter/logicllm_dev.json").read_bytes())
    provable = [r.instance if r.label == "true" else r.denial for r in records
                if r.label != "unknown"]  # fmt: skip
    missed = {
        commitment: sum(not suffices(committed_plan(i, commitment, 1)) for i in provable if i)
        for commitment in ("random", "first", "fewest", "reachable")
    }
    print(f"\nof {len(provable)} provable questions committed plans miss {missed}")
    assert all(suffices(instance) for instance in provable if instance)
    assert missed["random"] > missed["reachable"] > 0
    assert missed["first"] > missed["fewest"] > missed["reachable"]


class Sure:
    """A judge with one fixed verdict."""

    def __init__(self, verdict: bool | None) -> None:
        self.verdict = verdict

    def suffices(self, question: str, units: Sequence[Unit]) -> bool | None:
        return self.verdict


@pytest.mark.parametrize(("verdict", "answered"), [(True, True), (False, False), (None, False)])
def test_unreadable_verdict_of_a_judge_closes(verdict, answered):
    """Doubt never answers."""
    assert answers(Sure(verdict), "Who?", ()) is answered
