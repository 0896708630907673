"""Store many questions at once, each with its reference claim, its sets and its graph.

The rows are those that the single actions write. The caller holds the transaction and
writes the journal entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from uuid import UUID

from django.core.exceptions import ValidationError

from adjudication.claims.actions import claim_text
from adjudication.claims.graphs import to_json
from adjudication.claims.models import (
    Claim,
    EvidenceMember,
    EvidenceSet,
    Question,
    RequirementGraph,
)
from adjudication.claims.rules import route_digest
from adjudication.corpus.bulk import chunks
from adjudication.errors import Refused
from adjudication.projects.models import Project
from certify_core.canonical import digest
from certify_core.datasets.records import QuestionRecord

Sets = Callable[[QuestionRecord], Iterable[Sequence[UUID]]]
"""The ids of the members' spans, for every reference set of a record."""


def add_questions(
    project: Project, records: Iterable[QuestionRecord], digests: dict[str, str], sets: Sets
) -> None:
    """Store new questions. ``digests`` gives the digest of each record's content by its key."""
    for chunk in chunks(records):
        questions = [new_question(project, one, digests[one.key]) for one in chunk]
        claims = [_reference(*pair) for pair in zip(questions, chunk, strict=True)]
        Question.objects.bulk_create(questions)
        Claim.objects.bulk_create(claims)
        add_sets(
            (claim, one)
            for claim, record in zip(claims, chunk, strict=True)
            for one in sets(record)
        )
        RequirementGraph.objects.bulk_create(
            graph
            for question, record in zip(questions, chunk, strict=True)
            for graph in _graphs(question, record)
        )


def new_question(project: Project, one: QuestionRecord, content: str) -> Question:
    """The question of a record, not yet stored. Refused where a field cannot hold it."""
    question = Question(
        project=project,
        origin=one.dataset,
        key=one.key,
        sha256=content,
        text=one.text,
        kind=one.kind,
    )
    try:
        question.clean_fields(exclude=["project"])
    except ValidationError as error:
        raise Refused(f"Question {one.key[:80]}: {' '.join(error.messages)}") from error
    return question


def _reference(question: Question, one: QuestionRecord) -> Claim:
    return Claim(
        question=question,
        text=one.claim or claim_text(question, one.answer),
        value=one.answer,
        aliases=list(one.aliases),
        origin=Claim.Origin.REFERENCE,
    )


def add_sets(proposals: Iterable[tuple[Claim, Sequence[UUID]]]) -> int:
    """Store the sets of members that their claim does not have yet. Returns how many.

    One set per claim and route: a route that is listed twice is stored once.
    """
    added = 0
    for chunk in chunks(proposals):
        routes = {(claim.pk, route_digest(members)): members for claim, members in chunk}
        here = EvidenceSet.objects.filter(claim__in={claim for claim, _ in routes})
        for known in here.values_list("claim", "sha256"):
            routes.pop(known, None)
        _insert_sets(routes)
        added += len(routes)
    return added


def _insert_sets(routes: Mapping[tuple[UUID, str], Sequence[UUID]]) -> None:
    made = {
        EvidenceSet(claim_id=claim_id, sha256=sha256, origin=EvidenceSet.Origin.REFERENCE): members
        for (claim_id, sha256), members in routes.items()
    }
    EvidenceSet.objects.bulk_create(made)
    EvidenceMember.objects.bulk_create(
        EvidenceMember(evidence_set=one, span_id=span_id, ordinal=ordinal)
        for one, members in made.items()
        for ordinal, span_id in enumerate(members, start=1)
    )


def _graphs(question: Question, one: QuestionRecord) -> list[RequirementGraph]:
    if one.graph is None:
        return []
    body = to_json(one.graph)
    return [
        RequirementGraph(
            question=question, number=1, origin=one.dataset, body=body, sha256=digest(body)
        )
    ]
