"""Rules, questions, graphs, claims and evidence sets of a bundle.

Nothing in it says how a set was judged. Claims that a person merged or refused are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from adjudication.claims.graphs import from_json
from adjudication.claims.models import (
    Claim,
    ClaimDecision,
    EvidenceMember,
    EvidenceSet,
    EvidenceSetRule,
    InferenceRule,
    Question,
    RequirementGraph,
)
from adjudication.corpus.bulk import chunks
from adjudication.corpus.clearance import may_read, openings_of
from adjudication.corpus.models import Span
from adjudication.imports.bundle.export_corpus import withheld
from adjudication.imports.bundle.scope import (
    CHUNK,
    Scope,
    by_identity,
    claim_key,
    question_key,
    span_key,
)
from adjudication.projects.models import ReaderClass
from certify_core.datasets import bundle

GONE = (ClaimDecision.Decision.MERGED, ClaimDecision.Decision.REFUSED)


def claim_records(scope: Scope) -> Iterator[bundle.Record]:
    """The rules, then each question with its graphs, its claims and their sets."""
    for rule in InferenceRule.objects.filter(project=scope.project).order_by("key"):
        yield bundle.Rule(rule.key, rule.kind, rule.statement)
    questions = by_identity(Question.objects.filter(project=scope.project))
    for chunk in chunks(questions.iterator(chunk_size=CHUNK), CHUNK):
        material = _Material(scope, chunk)
        for question in chunk:
            yield _question(question)
            yield from map(_graph, material.graphs[question.pk])
            yield from material.claims_of(question)


def readable_claims(scope: Scope, claims: Iterable[UUID]) -> set[UUID]:
    """Those of ``claims`` whose words the class may read.

    A claim may quote its evidence: it is open if it rests on nothing yet, or if the class may
    read every member of one of its sets.
    """
    wanted = set(claims)
    sets = EvidenceSet.objects.filter(claim__in=wanted)
    closed = EvidenceMember.objects.exclude(may_read([scope.reader_class], "span__"))
    hidden = set(closed.filter(evidence_set__in=sets).values_list("evidence_set", flat=True))
    resting: dict[UUID, list[bool]] = defaultdict(list)
    for claim, pk in sets.values_list("claim", "pk"):
        resting[claim].append(pk not in hidden)
    return {claim for claim in wanted if not resting[claim] or any(resting[claim])}


def _question(one: Question) -> bundle.Question:
    return bundle.Question(question_key(one), one.origin, one.key, one.text, one.kind)


def _graph(one: RequirementGraph) -> bundle.Graph:
    steps = from_json(one.body).requirements
    return bundle.Graph(question_key(one.question), one.number, one.origin, steps)


class _Material:
    """What belongs to a few questions, loaded in a few queries."""

    def __init__(self, scope: Scope, questions: Sequence[Question]) -> None:
        self.graphs: dict[UUID, list[RequirementGraph]] = defaultdict(list)
        graphs = RequirementGraph.objects.filter(question__in=questions).order_by("number")
        for graph in graphs.select_related("question"):
            self.graphs[graph.question_id].append(graph)
        self._claims: dict[UUID, list[Claim]] = defaultdict(list)
        claims = Claim.objects.filter(question__in=questions)
        for claim in claims.exclude(decision__decision__in=GONE):
            self._claims[claim.question_id].append(claim)
        every = [claim.pk for of in self._claims.values() for claim in of]
        self._readable = readable_claims(scope, every)
        self._sets = _Sets(scope, every)

    def claims_of(self, question: Question) -> Iterator[bundle.Record]:
        """The claims that may be read, each after what it supersedes; then the withheld."""
        shown = [one for one in self._claims[question.pk] if one.pk in self._readable]
        for claim in _in_succession(shown):
            key = claim_key(claim, question)
            yield _claim(claim, question, shown)
            yield from self._sets.records(claim, key)
        closed = [one for one in self._claims[question.pk] if one.pk not in self._readable]
        for claim in sorted(closed, key=lambda one: one.pk):
            readers = self._sets.readers_of(claim)
            yield withheld("claim", claim.pk, question_key(question), readers)


def _claim(one: Claim, question: Question, shown: Sequence[Claim]) -> bundle.Claim:
    before = next((other for other in shown if other.pk == one.supersedes_id), None)
    return bundle.Claim(
        key=claim_key(one, question),
        question=question_key(question),
        text=one.text,
        value=one.value,
        aliases=tuple(one.aliases),
        entities=tuple(one.entities),
        qualifiers=one.qualifiers,
        applicable_time=one.applicable_time,
        origin=one.origin,
        supersedes=claim_key(before, question) if before else None,
    )


def _in_succession(claims: Sequence[Claim]) -> list[Claim]:
    """By how many of ``claims`` each supersedes in turn, then by their words."""
    known = {one.pk: one for one in claims}

    def depth(one: Claim) -> int:
        before = known.get(one.supersedes_id) if one.supersedes_id else None
        return 1 + depth(before) if before else 0

    return sorted(claims, key=lambda one: (depth(one), one.text, one.value))


class _Sets:
    """The evidence sets of some claims that lie in the scope."""

    def __init__(self, scope: Scope, claims: Sequence[UUID]) -> None:
        sets = EvidenceSet.objects.filter(claim__in=claims)
        self._members: dict[UUID, list[Span]] = defaultdict(list)
        members = EvidenceMember.objects.filter(evidence_set__in=sets).order_by("ordinal")
        for member in members.select_related("span__version__source").defer(
            "span__version__snapshot", "span__version__text"
        ):
            self._members[member.evidence_set_id].append(member.span)
        self._rules: dict[UUID, list[str]] = defaultdict(list)
        rules = EvidenceSetRule.objects.filter(evidence_set__in=sets).order_by("rule__key")
        for pk, key in rules.values_list("evidence_set", "rule__key"):
            self._rules[pk].append(key)
        versions = {span.version_id for spans in self._members.values() for span in spans}
        inside = set(scope.versions.filter(pk__in=versions).values_list("pk", flat=True))
        self._openings = openings_of(versions)
        self._to = scope.reader_class
        self._of: dict[UUID, list[EvidenceSet]] = defaultdict(list)
        for one in sets:
            if all(span.version_id in inside for span in self._members[one.pk]):
                self._of[one.claim_id].append(one)

    def records(self, claim: Claim, key: str) -> Iterator[bundle.Record]:
        """The sets of ``claim`` by what they say; then those with a withheld member."""
        shown, closed = [], []
        for one in self._of[claim.pk]:
            readers = self._readers(one)
            if self._to in readers:
                members = tuple(map(span_key, self._members[one.pk]))
                shown.append(
                    bundle.EvidenceSet(key, members, tuple(self._rules[one.pk]), one.origin)
                )
            else:
                closed.append(withheld("evidence-set", one.pk, key, readers))
        yield from sorted(shown, key=lambda one: (one.members, one.rules))
        yield from sorted(closed, key=lambda one: one.id)

    def readers_of(self, claim: Claim) -> set[ReaderClass]:
        """The classes that may read all of some set of ``claim``."""
        return {to for one in self._of[claim.pk] for to in self._readers(one)}

    def _readers(self, one: EvidenceSet) -> set[ReaderClass]:
        """The classes that may read every member's version to the last character."""
        versions = {span.version_id for span in self._members[one.pk]}
        return set.intersection(*(set(self._openings[pk].whole) for pk in versions))
