"""Unanswerable twins: the same question over a corpus that no longer states one of its facts.

Source: arXiv 2610.34684 section 5 and appendix B. A hop is drawn with a fixed seed, every
unit that states its fact is deleted, and the rest is searched for restatements until none
is confirmed. A twin in which another way to the answer survives would be answerable, so
it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from certify_core.closure import Compiled
from certify_core.drawing import draw
from certify_core.evidence import all_minimal_sets
from certify_core.folding import fold
from certify_core.grounding import ConflictPolicy, ground, read_atom
from certify_core.linking import informative_tokens
from certify_core.model import (
    Atom,
    Certificate,
    Instance,
    Link,
    Outcome,
    RequirementGraph,
    Step,
    Unit,
)
from certify_core.protocols import Reader, Retriever
from certify_core.reasoning import Operand, exclusive

LARGEST_DELETION = 4
"""Units deleted per twin at most; the source reports one to four."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One fact a certificate rests on.

    ``text`` is the requirement with its values filled in, ``value`` what was found for it
    and ``subject`` the title of the unit that was found to say so. The texts are empty
    where units have no text; then there is nothing to search for restatements either.
    """

    atom: Atom
    text: str = ""
    value: str = ""
    subject: str = ""


class Corpus(Retriever, Protocol):
    """A retriever whose units can be deleted."""

    def without(self, uids: Iterable[str]) -> Retriever:
        """The corpus with exactly these units deleted; lower ranks move up."""
        ...


Confirm = Callable[[Hop, Unit], bool]
"""Whether a unit states the hop's fact, as a reader or a person decides."""


@dataclass(frozen=True, slots=True)
class Audit:
    """How restatements are looked for: the first ``depth`` ranks of two queries a round.

    A twin that would need more than ``most`` deletions is given up.
    """

    corpus: Corpus
    confirm: Confirm
    depth: int = 20
    most: int = LARGEST_DELETION


@dataclass(frozen=True, slots=True)
class Twin:
    """What to delete so that abstaining is right.

    ``deleted`` lists the statements known beforehand, then the restatements as found;
    ``cleared`` the candidates that were looked at and do not state the fact. Whether a
    model knows the answer by heart needs that model: ``memory_checked`` says if one was
    asked.
    """

    hop: Hop
    deleted: tuple[str, ...]
    cleared: tuple[str, ...] = ()
    audited: bool = False
    memory_checked: bool = False


@dataclass(frozen=True, slots=True)
class NoTwin:
    """Why a hop gives no twin.

    No unit states the fact; more units state it than may be deleted; or the target is
    still reached, by the minimal sets in ``survivors`` (some of them, smallest first).
    """

    hop: Hop
    reason: Literal["nothing-states-it", "too-many-statements", "answer-survives"]
    deleted: tuple[str, ...] = ()
    survivors: tuple[tuple[str, ...], ...] = ()


def twin_of(
    instance: Instance, hops: Sequence[Hop], seed: int, key: str, audit: Audit | None = None
) -> Twin | NoTwin:
    """The twin of one question, at a hop that the seed and the question's key fix.

    Raises:
        IndexError: there are no hops.
    """
    return twin_at(instance, draw(hops, seed, key), audit)


def twin_at(instance: Instance, hop: Hop, audit: Audit | None = None) -> Twin | NoTwin:
    """The twin that deletes every statement of the hop's fact.

    Without an audit the instance must list all that its units state, as logs and formal
    theories do. The deleted units hit every minimal set exactly if nothing suffices
    without them, so one closure decides.
    """
    deleted = statements(instance, hop.atom)
    if not deleted:
        return NoTwin(hop, "nothing-states-it")
    cleared: tuple[str, ...] = ()
    if audit is not None:
        deleted, cleared = _audited(hop, deleted, audit)
        if len(deleted) > audit.most:
            return NoTwin(hop, "too-many-statements", deleted)
    remaining = [uid for uid in instance.facts if uid not in deleted]
    survivors = all_minimal_sets(Compiled.of(instance), remaining).sets
    if survivors:
        return NoTwin(hop, "answer-survives", deleted, survivors)
    return Twin(hop, deleted, cleared, audited=audit is not None)


def statements(instance: Instance, atom: Atom) -> tuple[str, ...]:
    """The units that state the atom or witness an edge that yields it, sorted."""
    stating = {uid for uid, atoms in instance.facts.items() if atom in atoms}
    edges = (edge for edge in instance.edges if edge.head == atom)
    return tuple(sorted(stating.union(*(edge.witnesses or () for edge in edges))))


def stated_hops(derivation: Iterable[Step]) -> tuple[Hop, ...]:
    """The facts of a derivation that a unit states or witnesses, in its order, without texts."""
    return tuple(Hop(step.atom) for step in derivation if step.unit is not None)


def hops(outcome: Outcome, units: Mapping[str, Unit]) -> tuple[Hop, ...]:
    """The looked-up facts of a certified question, in the order of its derivation.

    Empty for an abstention, which has no twin. ``units`` by id holds at least those of
    the certificate.
    """
    if not isinstance(outcome.result, Certificate):
        return ()
    queries = {(search.rid, search.binding): search.query for search in outcome.searches}
    return tuple(
        Hop(step.atom, queries[link.rid, link.binding], link.value, units[link.uid].title)
        for step in outcome.result.derivation
        if (link := _link_of(step, outcome.result.links)) is not None
    )


def answer_instance(outcome: Outcome, conflict: ConflictPolicy = "strict") -> Instance:
    """The closure problem "any answer follows" over all links of a certified question.

    ``conflict`` is the policy the outcome was found under.

    Raises:
        ValueError: the question was not certified, so it has no answer to take away.
    """
    if outcome.graph is None or not isinstance(outcome.result, Certificate):
        raise ValueError("only a certified question has a twin")
    grounding = ground(outcome.graph, outcome.links, conflict)
    return grounding.instance(grounding.answers)


def confirmed_by(reader: Reader, graph: RequirementGraph) -> Confirm:
    """A confirmation by reading: the unit gives a value that may be the hop's.

    A coarser or longer form of the value counts, since a twin must not state it at all.
    """

    def confirm(hop: Hop, unit: Unit) -> bool:
        parts = read_atom(hop.atom)
        if parts is None:
            return False
        requirement = graph.requirements[parts[0] - 1]
        (reading,) = reader.link(requirement, hop.text, (unit,))
        if reading is None:
            return False
        kind = requirement.expect
        known = Operand(parts[2], hop.value, kind)
        return not exclusive(known, Operand(reading.canonical, reading.value, kind))

    return confirm


def candidates(hop: Hop, corpus: Retriever, depth: int) -> tuple[Unit, ...]:
    """Units in which the words of value and subject meet, as two searches rank them."""
    words = {*fold(hop.value).split(), *informative_tokens(hop.subject)}
    queries = (hop.text, f"{hop.text} {hop.value}")
    found = {unit.uid: unit for query in queries for unit in corpus.search(query, depth)}
    return tuple(unit for unit in found.values() if words.issubset(fold(unit.text).split()))


def _audited(
    hop: Hop, deleted: tuple[str, ...], audit: Audit
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All units to delete, and the candidates cleared, once a round confirms nothing new.

    Each deletion lets lower ranks move up, so the search is repeated. It stops early when
    more is to be deleted than may be.
    """
    cleared: dict[str, None] = {}
    while len(deleted) <= audit.most:
        found = candidates(hop, audit.corpus.without(deleted), audit.depth)
        asked = [unit for unit in found if unit.uid not in cleared]
        stating = tuple(unit.uid for unit in asked if audit.confirm(hop, unit))
        cleared.update((unit.uid, None) for unit in asked if unit.uid not in stating)
        if not stating:
            break
        deleted += stating
    return deleted, tuple(cleared)


def _link_of(step: Step, links: Sequence[Link]) -> Link | None:
    """The link that a derivation's step stands for; ``None`` for a step without unit."""
    parts = read_atom(step.atom)
    if step.unit is None or parts is None:
        return None
    rid, behind, value = parts
    return next(
        link
        for link in links
        if (link.rid, link.uid, link.canonical) == (rid, step.unit, value)
        and set(link.binding) <= set(behind)
    )
