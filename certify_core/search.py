"""The search loop: ask the corpus for each open lookup until the answer is derived.

Certify as in arXiv 2610.34684 section 4. No reader decides when to stop: closure does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from certify_core.certificate import decide, open_lookups
from certify_core.grounding import ConflictPolicy, Lookup
from certify_core.linking import DEFAULT_RULES, Anchoring, Rules, anchoring
from certify_core.model import (
    Abstention,
    Binding,
    Certificate,
    Grade,
    Link,
    OpenRequirement,
    Outcome,
    RequirementGraph,
    Search,
    Unit,
)
from certify_core.protocols import Reader, Reading, Reporter, Retriever, Silent

_SILENT = Silent()
Check = Literal["off", "anchor", "verify", "anchor-or-verify"]


@dataclass(frozen=True, slots=True)
class Policy:
    """How to search. Every choice the source leaves open is a named switch.

    ``schedule``: sizes of the rank windows of a lookup (5, 5, 10: ranks 0-5, 5-10, 10-20).
    ``check``: the mode of the entity check. ``verifications``: how many unanchored passages
    per lookup the reader is asked about. ``stop_on``: whether only an accepted link ends a
    lookup's rounds or any link. ``conflict``: what two accepted values of one lookup mean.
    ``rules``: switches of anchoring. ``limit`` and ``seconds`` bound the search for
    alternative evidence sets.
    """

    schedule: tuple[int, ...] = (5, 5, 10)
    check: Check = "anchor"
    verifications: int = 2
    stop_on: Literal["accepted", "any"] = "accepted"
    conflict: ConflictPolicy = "strict"
    rules: Rules = DEFAULT_RULES
    limit: int = 20
    seconds: float = 1.0


def certify(
    question: str,
    graph: RequirementGraph | None,
    reader: Reader,
    retriever: Retriever,
    policy: Policy,
    reporter: Reporter = _SILENT,
) -> Outcome:
    """Search until the question's answer is certified or nothing is left to ask.

    Args:
        graph: the question's requirements; ``None`` lets the reader decompose it.

    Returns:
        A certificate or an abstention, with every search and link in the order made.
        Equal inputs give equal outcomes.
    """
    plan = graph or reader.decompose(question)
    if plan is None:
        return Outcome(Abstention((OpenRequirement(0, question, "no-plan"),)), None)
    return _Run(plan, reader, retriever, policy, reporter).outcome()


@dataclass(slots=True)
class _Run:
    graph: RequirementGraph
    reader: Reader
    retriever: Retriever
    policy: Policy
    reporter: Reporter
    links: list[Link] = field(default_factory=list)
    searches: list[Search] = field(default_factory=list)
    asked: set[tuple[int, Binding]] = field(default_factory=set)

    def outcome(self) -> Outcome:
        result = self._decide()
        while isinstance(result, Abstention) and (lookup := self._next()) is not None:
            result = self._ask(lookup, result)
        return Outcome(result, self.graph, tuple(self.links), tuple(self.searches))

    def _decide(self) -> Certificate | Abstention:
        policy = self.policy
        return decide(
            self.graph,
            self.links,
            self.searches,
            policy.conflict,
            limit=policy.limit,
            seconds=policy.seconds,
        )

    def _next(self) -> Lookup | None:
        """The first open lookup, in dependency order, that was not asked yet."""
        lookups = open_lookups(self.graph, self.links, self.policy.conflict)
        return next((o for o in lookups if (o.requirement.rid, o.binding) not in self.asked), None)

    def _ask(self, lookup: Lookup, result: Certificate | Abstention) -> Certificate | Abstention:
        """Rounds of one lookup; closure runs after each."""
        self.asked.add((lookup.requirement.rid, lookup.binding))
        judge = _Judge(lookup, self.reader, self.retriever, self.policy)
        for number, (first, units) in enumerate(self._rounds(lookup.text), start=1):
            self._record(lookup, number, units)
            links = judge.links(units, first)
            self._add(links)
            result = self._decide()
            if isinstance(result, Certificate) or self._stops(links):
                break
        return result

    def _rounds(self, query: str) -> Iterator[tuple[int, Sequence[Unit]]]:
        """Successive rank windows, each with its first rank, until the ranking ends."""
        ranked = self.retriever.search(query, sum(self.policy.schedule))
        first = 0
        for size in self.policy.schedule:
            yield first, ranked[first : first + size]
            first += size
            if first >= len(ranked):
                return

    def _record(self, lookup: Lookup, number: int, units: Sequence[Unit]) -> None:
        uids = tuple(unit.uid for unit in units)
        rid, binding = lookup.requirement.rid, lookup.binding
        search = Search(rid, binding, lookup.text, number, uids)
        self.searches.append(search)
        self.reporter.searched(search)

    def _add(self, links: Sequence[Link]) -> None:
        self.links.extend(links)
        for link in links:
            self.reporter.linked(link)

    def _stops(self, links: Sequence[Link]) -> bool:
        return any(link.accepted or self.policy.stop_on == "any" for link in links)


@dataclass(frozen=True, slots=True)
class _Read:
    """A unit in which the reader found a value, with the entity check's first look."""

    unit: Unit
    rank: int
    reading: Reading
    anchor: Anchoring


@dataclass(slots=True)
class _Judge:
    """Reads and grades the passages of one lookup, each passage once."""

    lookup: Lookup
    reader: Reader
    retriever: Retriever
    policy: Policy
    budget: int = field(init=False)
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.budget = self.policy.verifications

    def links(self, units: Sequence[Unit], first: int) -> list[Link]:
        """The links of one round in rank order; ``first`` is the rank of the first unit."""
        read = self._read(units, first)
        anchored = self.policy.check != "verify" and any(r.anchor.holds for r in read)
        return [self._link(r, *self._grade(r, anchored)) for r in read]

    def _read(self, units: Sequence[Unit], first: int) -> list[_Read]:
        """The units of a window in which a value is found, those not read before."""
        fresh: dict[str, tuple[int, Unit]] = {}
        for rank, unit in enumerate(units, start=first):
            if unit.uid not in self.seen:
                fresh.setdefault(unit.uid, (rank, unit))
        self.seen.update(fresh)
        if not fresh:
            return []
        asked = [unit for _, unit in fresh.values()]
        found = self.reader.link(self.lookup.requirement, self.lookup.text, asked)
        return [
            _Read(unit, rank, reading, self._anchoring(unit, reading))
            for (rank, unit), reading in zip(fresh.values(), found, strict=True)
            if reading is not None
        ]

    def _anchoring(self, unit: Unit, reading: Reading) -> Anchoring:
        namesakes = self.retriever.namesakes(unit.title)
        return anchoring(self.lookup.text, unit, namesakes, self.policy.rules, reading.subject)

    def _grade(self, read: _Read, anchored: bool) -> tuple[Grade, str]:
        """The grade and its reason; ``anchored``: the round has an anchored passage."""
        why = read.anchor.reason
        if read.anchor.holds and self.policy.check != "verify":
            return "anchored", why
        if self.policy.check == "off":
            return "verified", f"not checked; {why}"
        if self.policy.check == "anchor":
            return "rejected", why
        if anchored or self.budget <= 0:
            return "rejected", f"{why}; not asked about again"
        return self._verified(read)

    def _verified(self, read: _Read) -> tuple[Grade, str]:
        self.budget -= 1
        requirement, text = self.lookup.requirement, self.lookup.text
        if not self.reader.verify(requirement, text, read.unit, read.reading):
            return "rejected", f"{read.anchor.reason}; a second reading did not confirm it"
        self.budget = 0
        return "verified", f"{read.anchor.reason}; a second reading confirmed it"

    def _link(self, read: _Read, grade: Grade, reason: str) -> Link:
        found = read.reading
        return Link(
            rid=self.lookup.requirement.rid,
            binding=self.lookup.binding,
            uid=read.unit.uid,
            value=found.value,
            canonical=found.canonical,
            start=found.start,
            end=found.end,
            sentence=found.sentence,
            grade=grade,
            reason=reason,
            cue=found.cue,
            rank=read.rank,
        )
