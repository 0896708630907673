"""From accepted links to a closure problem: every value of every requirement an atom.

A lookup with an accepted value is an edge from the atoms it depends on, witnessed by the
passages that state the value; a reasoning step is a free edge. Several values of one
lookup go separate ways: an atom names the values of all the requirements behind it, so
values of different ways never meet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

from certify_core.canonical import canonical_bytes
from certify_core.errors import Undecidable
from certify_core.model import (
    Atom,
    Binding,
    Edge,
    Instance,
    Link,
    OpenRequirement,
    Requirement,
    RequirementGraph,
)
from certify_core.reasoning import Operand, apply, exclusive

ConflictPolicy = Literal["strict", "lenient"]
"""What two values mean that cannot both be true: abstain, or keep the best ranked."""

_Key = tuple[int, Binding]


@dataclass(frozen=True, slots=True)
class Lookup:
    """A question to the corpus: a lookup with the values it depends on filled in."""

    requirement: Requirement
    binding: Binding
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a requirement under values of all the requirements behind it."""

    rid: int
    behind: Binding
    operand: Operand

    @property
    def atom(self) -> Atom:
        return atom_of(self.rid, self.behind, self.operand.value)

    @property
    def route(self) -> dict[int, str]:
        return {**dict(self.behind), self.rid: self.operand.value}


@dataclass(frozen=True, slots=True)
class Grounding:
    """What the links give: facts by requirement, edges, and what is open or blocked.

    ``witnessed`` finds the links an edge stands for by edge id and unit. ``context``
    lists the units with an accepted link, best rank first, ties by id.
    """

    graph: RequirementGraph
    facts: dict[int, tuple[Fact, ...]]
    edges: tuple[Edge, ...]
    context: tuple[str, ...]
    witnessed: dict[tuple[str, str], tuple[Link, ...]]
    lookups: tuple[Lookup, ...]
    failures: tuple[OpenRequirement, ...]
    blocked: tuple[OpenRequirement, ...]
    notes: tuple[str, ...]

    @property
    def answers(self) -> tuple[Fact, ...]:
        """Facts of the final requirement, best ranked first."""
        return self.facts[self.graph.final.rid]

    def instance(self, answers: Sequence[Fact]) -> Instance:
        """The closure problem whose one target is reached from any of these answers."""
        goal = canonical_bytes(["answer", *sorted({a.operand.value for a in answers})]).decode()
        final = tuple(
            Edge(goal, (atom,), eid=f"answer.{number}")
            for number, atom in enumerate(sorted({answer.atom for answer in answers}), start=1)
        )
        units = dict.fromkeys(self.context, ())
        return Instance(targets=(goal,), facts=units, edges=self.edges + final)


def atom_of(rid: int, behind: Binding, value: str) -> Atom:
    """The atom "requirement ``rid`` has ``value``, given the values behind it"."""
    return canonical_bytes([rid, [list(pair) for pair in behind], value]).decode("utf-8")


def read_atom(atom: Atom) -> tuple[int, Binding, str] | None:
    """The parts of an atom; ``None`` for the goal, which belongs to no requirement."""
    parts = json.loads(atom)
    if parts[0] == "answer":
        return None
    rid, behind, value = parts
    return rid, tuple((dep, text) for dep, text in behind), value


def ground(
    graph: RequirementGraph, links: Sequence[Link], policy: ConflictPolicy = "strict"
) -> Grounding:
    """Ground the requirements the final one rests on, in their order.

    Rejected links give nothing. Dates and numbers of one lookup that exclude each other
    are a conflict: strictly the lookup has no value then, leniently the best ranked one.
    """
    grounder = _Grounder(graph, policy, _by_key(links))
    for requirement in graph.requirements:
        if requirement.rid in relevant(graph):
            grounder.add(requirement)
    return grounder.grounding(links)


def relevant(graph: RequirementGraph) -> frozenset[int]:
    """The final requirement and all behind it."""
    found = {graph.final.rid}
    for requirement in reversed(graph.requirements):
        if requirement.rid in found:
            found.update(requirement.deps)
    return frozenset(found)


def _by_key(links: Sequence[Link]) -> dict[_Key, list[Link]]:
    """Accepted links of every lookup, best rank first, ties by unit."""
    result: dict[_Key, list[Link]] = {}
    for link in sorted(links, key=lambda link: (link.rank, link.uid)):
        if link.accepted:
            result.setdefault((link.rid, link.binding), []).append(link)
    return result


@dataclass(slots=True)
class _Grounder:
    graph: RequirementGraph
    policy: ConflictPolicy
    links: dict[_Key, list[Link]]
    facts: dict[int, tuple[Fact, ...]] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    witnessed: dict[tuple[str, str], tuple[Link, ...]] = field(default_factory=dict)
    lookups: dict[_Key, Lookup] = field(default_factory=dict)
    failures: dict[tuple[int, str], OpenRequirement] = field(default_factory=dict)
    blocked: list[OpenRequirement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, requirement: Requirement) -> None:
        ground = self._looked_up if requirement.kind == "lookup" else self._reasoned
        ways = list(self._ways(requirement))
        self.facts[requirement.rid] = tuple(
            fact for way in ways for fact in ground(requirement, way)
        )
        if not ways:
            self.blocked.append(self._waiting(requirement))

    def grounding(self, links: Sequence[Link]) -> Grounding:
        ranks: dict[str, int] = {}
        for link in links:
            if link.accepted:
                ranks[link.uid] = min(link.rank, ranks.get(link.uid, link.rank))
        return Grounding(
            graph=self.graph,
            facts=self.facts,
            edges=tuple(self.edges),
            context=tuple(sorted(ranks, key=lambda uid: (ranks[uid], uid))),
            witnessed=self.witnessed,
            lookups=tuple(self.lookups.values()),
            failures=tuple(self.failures.values()),
            blocked=tuple(self.blocked),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _ways(self, requirement: Requirement) -> Iterator[tuple[Fact, ...]]:
        """One fact per dependency, such that all agree on the requirements behind them."""
        for way in product(*(self.facts[dep] for dep in requirement.deps)):
            if _merged(way) is not None:
                yield way

    def _looked_up(self, requirement: Requirement, way: tuple[Fact, ...]) -> Iterator[Fact]:
        key = requirement.rid, tuple((fact.rid, fact.operand.value) for fact in way)
        text = _filled(requirement, way)
        links = self._settled(requirement, text, self.links.get(key, []))
        if key not in self.links:
            self.lookups[key] = Lookup(requirement, key[1], text)
        for value in dict.fromkeys(link.canonical for link in links):
            stating = [link for link in links if link.canonical == value]
            operand = Operand(value, stating[0].value, requirement.expect)
            yield self._fact(requirement, way, operand, stating)

    def _reasoned(self, requirement: Requirement, way: tuple[Fact, ...]) -> Iterator[Fact]:
        values = {f"#{fact.rid}": fact.operand for fact in way}
        operands = [values.get(arg) or Operand(arg, arg) for arg in requirement.args]
        assert requirement.op is not None
        try:
            result = apply(requirement.op, operands)
        except Undecidable as failure:
            text = _filled(requirement, way)
            self.failures[requirement.rid, text + failure.problem] = OpenRequirement(
                requirement.rid, text, "operation-failed", detail=failure.problem
            )
            return
        yield self._fact(requirement, way, result, None)

    def _fact(
        self,
        requirement: Requirement,
        way: tuple[Fact, ...],
        operand: Operand,
        links: Sequence[Link] | None,
    ) -> Fact:
        behind = tuple(sorted((_merged(way) or {}).items()))
        fact = Fact(requirement.rid, behind, operand)
        witnesses = None if links is None else tuple(link.uid for link in links)
        eid = f"{requirement.rid}.{len(self.edges) + 1}"
        self.edges.append(Edge(fact.atom, tuple(f.atom for f in way), witnesses, eid))
        for uid in witnesses or ():
            self.witnessed[eid, uid] = tuple(link for link in links or () if link.uid == uid)
        return fact

    def _settled(self, requirement: Requirement, text: str, links: list[Link]) -> list[Link]:
        """The links whose values stand under the policy."""
        if requirement.expect not in ("date", "number") or not links:
            return links
        operands = [Operand(link.canonical, link.value, requirement.expect) for link in links]
        if not any(exclusive(a, b) for i, a in enumerate(operands) for b in operands[:i]):
            return links
        said = ", ".join(dict.fromkeys(link.value for link in links))
        if self.policy == "strict":
            uids = tuple(dict.fromkeys(link.uid for link in links))
            conflict = OpenRequirement(requirement.rid, text, "conflict", uids, said)
            self.failures[requirement.rid, text] = conflict
            return []
        self.notes.append(f"{text} Conflicting values: {said}. Kept: {links[0].value}.")
        best = operands[0]
        return [link for link, o in zip(links, operands, strict=True) if not exclusive(best, o)]

    def _waiting(self, requirement: Requirement) -> OpenRequirement:
        """A requirement without inputs, with those values filled in that are known."""
        known = [self.facts[dep][0] for dep in requirement.deps if len(self.facts[dep]) == 1]
        waits = ", ".join(f"#{dep}" for dep in requirement.deps if not self.facts[dep])
        detail = f"waits for {waits}" if waits else "its inputs do not fit together"
        text = _filled(requirement, known)
        return OpenRequirement(requirement.rid, text, "blocked", detail=detail)


def _merged(way: Sequence[Fact]) -> dict[int, str] | None:
    """The values of all requirements behind these facts, or ``None`` if two disagree."""
    merged: dict[int, str] = {}
    for fact in way:
        for rid, value in fact.route.items():
            if merged.setdefault(rid, value) != value:
                return None
    return merged


def _filled(requirement: Requirement, way: Sequence[Fact]) -> str:
    return requirement.filled({fact.rid: fact.operand.shown for fact in way})
