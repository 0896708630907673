"""Twins of a run's questions: which fact one loses, and in which passages it is stated.

What the reference sets of the data name decides, where there are any, else the certificate that
the run found. The fact is drawn with the run's seed, so that the same run has the same twins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from adjudication.claims.models import EvidenceMember, EvidenceSet
from adjudication.runs.models import Attempt, Outcome
from adjudication.runs.recorded import core_outcome
from adjudication.runs.rules import Configuration
from adjudication.search.queries import Corpus, units_named
from certify_core import model as core
from certify_core.drawing import draw
from certify_core.grounding import atom_of
from certify_core.protocols import Reader
from certify_core.twins import (
    Audit,
    Hop,
    NoTwin,
    Twin,
    answer_instance,
    confirmed_by,
    hops,
    twin_at,
)

ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Original:
    """How a question ended in the run, and the graph that its twin is asked with as well."""

    row: Outcome
    outcome: core.Outcome

    @classmethod
    def of(cls, attempt: Attempt) -> Original:
        """For an attempt at a twin, which waits until its question has ended."""
        row = Outcome.objects.get(run=attempt.run_id, question=attempt.question_id, twin=False)
        return cls(row, core_outcome(row))


def may_have_twin(outcome: Outcome) -> bool:
    """Whether it is known, once a question has ended, what its twin could lose."""
    return outcome.kind == Outcome.Kind.CERTIFICATE or bool(_families(outcome))


def twin_of(
    original: Original, reader: Reader, corpus: Corpus, configuration: Configuration
) -> Twin | NoTwin:
    """The twin that the run's seed draws, or why it is none."""
    instance, facts = _problem(original, configuration)
    assert configuration.twins is not None, "the run has no twins"
    hop = draw(facts, configuration.twins, original.row.question.key)
    graph = original.outcome.graph
    audit = Audit(corpus, confirmed_by(reader, graph)) if hop.text and graph else None
    return twin_at(instance, hop, audit)


def _problem(
    original: Original, configuration: Configuration
) -> tuple[core.Instance, tuple[Hop, ...]]:
    """The question as a closure over what is known to state its facts, and those facts."""
    if families := _families(original.row):
        return _of_references(families, original)
    assert isinstance(original.outcome.result, core.Certificate), "nothing tells what it lost"
    units = _units(original.outcome.result.units)
    facts = _once(hops(original.outcome, units))
    return answer_instance(original.outcome, configuration.conflict), facts


def _families(outcome: Outcome) -> list[tuple[str, ...]]:
    """The passages of each reference set of the question that the run could find whole."""
    members = EvidenceMember.objects.filter(
        evidence_set__claim__question=outcome.question_id,
        evidence_set__origin=EvidenceSet.Origin.REFERENCE,
    )
    found: dict[UUID, dict[str, None]] = {}
    rows = members.order_by("evidence_set__created_at", "evidence_set", "ordinal")
    for family, version in rows.values_list("evidence_set", "span__version"):
        found.setdefault(family, {})[str(version)] = None
    uids = {UUID(uid) for family in found.values() for uid in family}
    eligible = outcome.run.specification.eligible.filter(version__in=uids)
    there = {str(pk) for pk in eligible.values_list("version", flat=True)}
    return [tuple(family) for family in found.values() if there.issuperset(family)]


def _of_references(
    families: list[tuple[str, ...]], original: Original
) -> tuple[core.Instance, tuple[Hop, ...]]:
    gold = tuple(dict.fromkeys(uid for family in families for uid in family))
    units = _units(gold)
    known = _read(original.outcome, units)
    facts = {uid: known.get(uid, Hop(uid, subject=units[uid].title)) for uid in gold}
    edges = (core.Edge(ANSWER, tuple(facts[uid].atom for uid in family)) for family in families)
    instance = core.Instance(
        targets=(ANSWER,),
        facts={uid: (hop.atom,) for uid, hop in facts.items()},
        edges=tuple(edges),
    )
    return instance, _once(facts.values())


def _read(outcome: core.Outcome, units: Mapping[str, core.Unit]) -> dict[str, Hop]:
    """The fact that each passage was first found to state."""
    queries = {(search.rid, search.binding): search.query for search in outcome.searches}
    found: dict[str, Hop] = {}
    for link in outcome.links:
        if link.accepted and link.uid in units:
            atom = atom_of(link.rid, link.binding, link.canonical)
            query = queries[link.rid, link.binding]
            found.setdefault(link.uid, Hop(atom, query, link.value, units[link.uid].title))
    return found


def _once(facts: Iterable[Hop]) -> tuple[Hop, ...]:
    """Each fact once, however many passages state it."""
    found: dict[core.Atom, Hop] = {}
    for hop in facts:
        found.setdefault(hop.atom, hop)
    return tuple(found.values())


def _units(uids: tuple[str, ...]) -> dict[str, core.Unit]:
    return dict(zip(uids, units_named(uids), strict=True))
