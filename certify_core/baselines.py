"""What sufficiency is compared with: rules that see pairs only, plans made too early, judges.

Source: arXiv 2610.34684 section 3 (projection, tail shuffle, 2-section) and section 6.5
(committed plans). Each reading of a plan that the source leaves open is a named variant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, Protocol

from certify_core.closure import Compiled
from certify_core.drawing import draw
from certify_core.model import Atom, Edge, Instance, Unit

Pair = tuple[Atom, Atom]
Commitment = Literal["random", "first", "fewest", "reachable"]
"""Which edge a plan keeps for a head: any, the first listed, one of fewest premises, or any
whose premises could each be reached were one premise enough for every edge."""


@dataclass(frozen=True, slots=True)
class PairView:
    """All that a pairwise rule sees: what is asked, what holds, which premise touches which head.

    ``stated`` are the atoms that hold without premises; ``pairs`` go from premise to head.
    """

    targets: frozenset[Atom]
    stated: frozenset[Atom]
    pairs: frozenset[Pair]


PairwiseRule = Callable[[PairView], bool]
"""Whether the evidence suffices, judged by a view alone."""


def pair_view(instance: Instance, context: Iterable[str] | None = None) -> PairView:
    """The tail-to-head projection of what the context's units (``None``: all) enable."""
    held = set(instance.facts if context is None else context)
    edges = [e for e in instance.edges if e.witnesses is None or held & set(e.witnesses)]
    stated = {atom for uid in held & instance.facts.keys() for atom in instance.facts[uid]}
    return PairView(
        targets=frozenset(instance.targets),
        stated=frozenset({*instance.given, *stated, *(e.head for e in edges if not e.tail)}),
        pairs=frozenset((premise, edge.head) for edge in edges for premise in edge.tail),
    )


def or_reachability(view: PairView) -> bool:
    """An atom holds as soon as one premise that touches it does."""
    return _spread(view, lambda held, premises: held > 0)


def all_predecessors(view: PairView) -> bool:
    """An atom holds when every premise that touches it does."""
    return _spread(view, lambda held, premises: held == premises)


def majority(view: PairView) -> bool:
    """An atom holds when more than half of the premises that touch it do."""
    return _spread(view, lambda held, premises: 2 * held > premises)


PAIRWISE_RULES: Mapping[str, PairwiseRule] = {
    "or-reachability": or_reachability,
    "all-predecessors": all_predecessors,
    "majority": majority,
}


def tail_shuffle(instance: Instance) -> Instance:
    """Every edge of several premises as one edge per premise, with the same witnesses.

    Joins become choices while the projection stays, so a pairwise rule decides alike on
    both and errs on exactly one of them wherever their true decisions differ.
    """
    return replace(instance, edges=tuple(e for edge in instance.edges for e in _split(edge)))


def two_section(mentions: Mapping[str, Collection[str]]) -> frozenset[Pair]:
    """The pairs of names that some unit mentions together, each in ascending order.

    ``mentions`` holds per unit the atoms it states or the entities it names.
    """
    return frozenset(
        pair for names in mentions.values() for pair in combinations(sorted(set(names)), 2)
    )


def committed_plan(instance: Instance, commitment: Commitment, seed: int = 0) -> Instance:
    """The instance with one edge per head, chosen before any evidence is seen.

    What is given or stated stays. ``seed`` fixes the choices of "random" and "reachable".
    """
    by_head: dict[Atom, list[Edge]] = {}
    for edge in instance.edges:
        by_head.setdefault(edge.head, []).append(edge)
    choose = _chooser(instance, commitment, seed)
    return replace(instance, edges=tuple(choose(edges) for edges in by_head.values()))


class HolisticJudge(Protocol):
    """Looks at a whole context at once, as a model prompted for sufficiency does."""

    def suffices(self, question: str, units: Sequence[Unit]) -> bool | None:
        """The verdict, or ``None`` for a reply that cannot be read as one."""
        ...


def answers(judge: HolisticJudge, question: str, units: Sequence[Unit]) -> bool:
    """Whether a system led by the judge would answer. A reply nobody can read closes."""
    return judge.suffices(question, units) is True


def _spread(view: PairView, enough: Callable[[int, int], bool]) -> bool:
    """Whether the targets are reached when an atom follows from enough of its premises."""
    premises: dict[Atom, set[Atom]] = {}
    for premise, head in view.pairs:
        premises.setdefault(head, set()).add(premise)
    reached = set(view.stated)
    while True:
        follow = {h for h, tail in premises.items() if enough(len(tail & reached), len(tail))}
        if follow <= reached:
            return view.targets <= reached
        reached |= follow


def _split(edge: Edge) -> tuple[Edge, ...]:
    if len(edge.tail) < 2:
        return (edge,)
    return tuple(
        replace(edge, tail=(premise,), eid=None if edge.eid is None else f"{edge.eid}:{number}")
        for number, premise in enumerate(edge.tail, start=1)
    )


def _chooser(instance: Instance, commitment: Commitment, seed: int) -> Callable[[list[Edge]], Edge]:
    if commitment == "first":
        return lambda edges: edges[0]
    if commitment == "fewest":
        return lambda edges: min(edges, key=lambda edge: len(edge.tail))
    if commitment == "random":
        return lambda edges: draw(edges, seed, edges[0].head)
    within = Compiled.of(tail_shuffle(instance)).closure().atoms
    return lambda edges: draw(
        [edge for edge in edges if within.issuperset(edge.tail)] or edges, seed, edges[0].head
    )
