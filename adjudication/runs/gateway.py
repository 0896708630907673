"""Between rows and the engine's values: what an attempt reads, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.conf import settings

from adjudication.claims import graphs
from adjudication.claims.actions import claim_for_answer, propose_evidence_set
from adjudication.claims.models import Claim, EvidenceSet, InferenceRule, Question
from adjudication.corpus.actions import make_span
from adjudication.corpus.models import SourceVersion
from adjudication.readers.connecting import endpoint_of
from adjudication.readers.reader import EndpointReader
from adjudication.readers.requests import Ask, EndpointDown, Note
from adjudication.runs.calls import Ledger
from adjudication.runs.excerpts import Members, members
from adjudication.runs.models import (
    Attempt,
    Outcome,
    ReadAnswer,
    ReaderNote,
    RecordedLink,
    RecordedSearch,
)
from adjudication.runs.models import Twin as TwinRow
from adjudication.runs.recorded import certificate_body, link_rows, search_rows
from adjudication.runs.rules import Configuration
from adjudication.runs.twins import Original, twin_of
from adjudication.search.queries import Corpus, unit_of, units_named
from adjudication.search.retrievers import retriever_of
from adjudication.specifications.models import Specification
from certify_core import model as core
from certify_core.grounding import read_atom
from certify_core.metrics.hotpot import match_answer
from certify_core.pattern_reader import PatternReader
from certify_core.search import certify
from certify_core.twins import NoTwin, Twin

Kind = InferenceRule.Kind
_RULE_OF_STEP: dict[core.Operation, Kind] = {
    "select-earlier": Kind.COMPARISON,
    "select-later": Kind.COMPARISON,
    "select-greater": Kind.COMPARISON,
    "select-less": Kind.COMPARISON,
    "same": Kind.COMPARISON,
    "and": Kind.JOIN,
    "or": Kind.JOIN,
    "not": Kind.JOIN,
    "intersection": Kind.JOIN,
    "difference": Kind.JOIN,
    "count": Kind.ARITHMETIC,
    "copy": Kind.IDENTITY,
}


@dataclass(frozen=True, slots=True)
class FromPassages:
    """What the reader answers to the question from passages alone; ``None``: not stated."""

    context: ReadAnswer.Context
    passages: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """What an attempt comes to: the engine's outcome, and what a model reader adds to it.

    An attempt at a twin says what that ``twin`` lost; without an ``outcome`` there is none.
    """

    outcome: core.Outcome | None
    notes: Sequence[Note] = ()
    answers: Sequence[FromPassages] = ()
    twin: Twin | NoTwin | None = None


# --- What an attempt reads -------------------------------------------------------------------


def outcome_of(attempt: Attempt) -> Found:
    """Run the engine on the attempt's question. Writes nothing but the calls of its reader.

    Raises:
        Exception: as `Ledger` does, where the reader is a model.
    """
    run = attempt.run
    configuration = Configuration.from_json(run.configuration)
    corpus = retriever_of(run.specification, configuration.retriever, configuration.embeddings)
    offline = configuration.reader == "offline"
    reader = PatternReader() if offline else _model_reader(attempt, configuration)
    if attempt.twin:
        return _of_twin(attempt, reader, corpus, configuration)
    question, graph = attempt.question.text, _latest_graph(attempt.question)
    outcome = certify(question, graph, reader, corpus, configuration.policy)
    if isinstance(reader, PatternReader):
        return Found(outcome)
    answers = _answers(question, outcome, reader)
    return Found(outcome, tuple(reader.notes), answers)


def _of_twin(
    attempt: Attempt,
    reader: PatternReader | EndpointReader,
    corpus: Corpus,
    configuration: Configuration,
) -> Found:
    """The same question and graph as the original's, over what is left of the corpus."""
    original = Original.of(attempt)
    twin = twin_of(original, reader, corpus, configuration)
    outcome = None
    if isinstance(twin, Twin):
        rest = corpus.without(twin.deleted)
        graph, policy = original.outcome.graph, configuration.policy
        outcome = certify(attempt.question.text, graph, reader, rest, policy)
    notes = () if isinstance(reader, PatternReader) else tuple(reader.notes)
    return Found(outcome, notes, twin=twin)


def _model_reader(attempt: Attempt, configuration: Configuration) -> EndpointReader:
    return EndpointReader(
        Ledger(attempt, _endpoint() if configuration.reader == "endpoint" else None),
        configuration.model,
        sample=configuration.sample,
        per_call=configuration.per_call,
    )


def _endpoint() -> Ask:
    if settings.READER is None:
        raise EndpointDown("this worker has no READER_URL")
    return endpoint_of(settings.READER)


def _answers(
    question: str, outcome: core.Outcome, reader: EndpointReader
) -> tuple[FromPassages, ...]:
    """Answers read from the certificate's passages and from all that was retrieved."""
    if not isinstance(outcome.result, core.Certificate):
        return ()
    pool = tuple(dict.fromkeys(uid for search in outcome.searches for uid in search.uids))
    contexts = {
        ReadAnswer.Context.CERTIFICATE: outcome.result.units,
        ReadAnswer.Context.POOL: pool,
    }
    units = dict(zip(pool, units_named(pool), strict=True))
    return tuple(
        FromPassages(context, len(uids), reader.answer(question, [units[uid] for uid in uids]))
        for context, uids in contexts.items()
    )


def _latest_graph(question: Question) -> core.RequirementGraph | None:
    found = question.graphs.order_by("-number").first()
    return graphs.from_json(found.body) if found else None


# --- What it leaves behind -------------------------------------------------------------------


def store(attempt: Attempt, found: Found) -> Outcome | None:
    """Keep everything that was found; a certificate proposes its claim and evidence set.

    One on a twin proposes nothing: the passages that decide its question were taken away. Call
    it inside the transaction that ends the attempt.
    """
    outcome = found.outcome
    ReaderNote.objects.bulk_create(_notes(attempt, found.notes))
    if found.twin is not None:
        _made(attempt, found.twin).save()
    if outcome is None:
        return None
    RecordedSearch.objects.bulk_create(search_rows(attempt, outcome.searches))
    RecordedLink.objects.bulk_create(link_rows(attempt, outcome.links))
    if isinstance(outcome.result, core.Abstention):
        return _keep(attempt, outcome, Outcome.Kind.ABSTENTION, asdict(outcome.result))
    if attempt.twin:
        body = certificate_body(outcome.result, outcome.links)
        return _keep(attempt, outcome, Outcome.Kind.CERTIFICATE, body)
    kept = _certified(attempt, outcome, outcome.result)
    ReadAnswer.objects.bulk_create(_read_answers(kept, found.answers))
    return kept


def _certified(attempt: Attempt, outcome: core.Outcome, certificate: core.Certificate) -> Outcome:
    assert outcome.graph is not None, "without requirements there is no certificate"
    versions = _versions(certificate.units)
    units = {uid: unit_of(version) for uid, version in versions.items()}
    spans = members(certificate, outcome.graph, units)
    needed = _rule_kinds(certificate, outcome.graph)
    rules = _permitted(attempt.run.specification, needed)
    proposed = _propose(attempt.question, certificate.answer, spans, versions, rules)
    body = certificate_body(certificate, outcome.links) | {
        "dropped": [asdict(excerpt) for excerpt in spans.dropped],
        "unpermitted": sorted(needed - {Kind(rule.kind) for rule in rules}),
    }
    return _keep(attempt, outcome, Outcome.Kind.CERTIFICATE, body, proposed)


def _propose(
    question: Question,
    answer: str,
    spans: Members,
    versions: dict[str, SourceVersion],
    rules: Sequence[InferenceRule],
) -> EvidenceSet:
    return propose_evidence_set(
        claim_for_answer(question, answer),
        [make_span(versions[one.uid], one.start, one.end, actor=None) for one in spans.kept],
        origin=EvidenceSet.Origin.CERTIFY,
        author=None,
        rules=rules,
    )


def _keep(
    attempt: Attempt,
    outcome: core.Outcome,
    kind: Outcome.Kind,
    body: dict[str, Any],
    proposed: EvidenceSet | None = None,
) -> Outcome:
    return Outcome.objects.create(
        attempt=attempt,
        run_id=attempt.run_id,
        question_id=attempt.question_id,
        twin=attempt.twin,
        kind=kind,
        graph=graphs.to_json(outcome.graph) if outcome.graph else None,
        body=body,
        claim=proposed.claim if proposed else None,
        evidence_set=proposed,
    )


def _rule_kinds(certificate: core.Certificate, graph: core.RequirementGraph) -> set[Kind]:
    """The inference rules a derivation uses: its steps, and joins of lookups on answers."""
    parts = [read_atom(step.atom) for step in certificate.derivation]
    used = [graph.requirements[part[0] - 1] for part in parts if part]
    kinds = {_RULE_OF_STEP[requirement.op] for requirement in used if requirement.op}
    if any(requirement.kind == "lookup" and requirement.deps for requirement in used):
        kinds.add(Kind.JOIN)
    return kinds


def _permitted(specification: Specification, kinds: set[Kind]) -> list[InferenceRule]:
    return list(specification.rules.filter(kind__in=kinds).order_by("key"))


def _versions(uids: Iterable[str]) -> dict[str, SourceVersion]:
    found = SourceVersion.objects.filter(pk__in=list(uids)).select_related("source")
    return {str(version.pk): version for version in found}


def _made(attempt: Attempt, twin: Twin | NoTwin) -> TwinRow:
    row = TwinRow(
        attempt=attempt,
        fact=twin.hop.text,
        value=twin.hop.value,
        deleted=[UUID(uid) for uid in twin.deleted],
        audited=bool(twin.hop.text),
    )
    if isinstance(twin, Twin):
        row.cleared = [UUID(uid) for uid in twin.cleared]
    else:
        row.dropped = twin.reason
    return row


def _notes(attempt: Attempt, notes: Sequence[Note]) -> list[ReaderNote]:
    return [
        ReaderNote(attempt=attempt, ordinal=ordinal, request_sha256=note.digest, reason=note.reason)
        for ordinal, note in enumerate(notes, start=1)
    ]


def _read_answers(outcome: Outcome, answers: Sequence[FromPassages]) -> list[ReadAnswer]:
    known = _reference_answers(outcome.question)
    return [
        ReadAnswer(
            outcome=outcome,
            context=answer.context,
            passages=answer.passages,
            text=answer.text,
            correct=_is_correct(answer.text, known),
        )
        for answer in answers
    ]


def _reference_answers(question: Question) -> list[str]:
    claims = question.claims.filter(origin=Claim.Origin.REFERENCE)
    return [known for claim in claims for known in (claim.value, *claim.aliases)]


def _is_correct(answer: str | None, known: Sequence[str]) -> bool | None:
    """Whether an answer is a reference answer; ``None`` where there is none to compare with."""
    if not known:
        return None
    return answer is not None and any(match_answer(answer, one).em for one in known)
