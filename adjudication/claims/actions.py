"""Open claims, propose routes, decide on claims that runs proposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import transaction

from adjudication.append_only import one_at_a_time
from adjudication.claims.graphs import to_json
from adjudication.claims.models import (
    Claim,
    ClaimDecision,
    Contradiction,
    ContradictionSpan,
    EvidenceMember,
    EvidenceSet,
    EvidenceSetRule,
    InferenceRule,
    PremiseNote,
    Question,
    RequirementGraph,
)
from adjudication.claims.rules import route_digest, same_value
from adjudication.corpus.models import SourceVersion, Span
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role
from certify_core import model as core
from certify_core.canonical import digest

if TYPE_CHECKING:
    from adjudication.accounts.models import User


def claim_text(question: Question, value: str) -> str:
    """The assertion that ``value`` answers ``question``: the atomic claim of an answer."""
    return f"{question.text} — {value}"


@transaction.atomic
def open_claim(
    question: Question,
    *,
    value: str,
    origin: Claim.Origin,
    author: User | None,
    text: str = "",
    aliases: Sequence[str] = (),
    entities: Sequence[str] = (),
    supersedes: Claim | None = None,
) -> Claim:
    """The claim that ``value`` answers ``question``, made once."""
    claim, made = Claim.objects.get_or_create(
        question=question,
        text=text or claim_text(question, value),
        value=value,
        defaults={
            "origin": origin,
            "author": author,
            "aliases": list(aliases),
            "entities": list(entities),
            "supersedes": supersedes,
        },
    )
    if made:
        record("opened claim", claim, actor=author, project_id=question.project_id, origin=origin)
    return claim


@transaction.atomic
def claim_for_answer(question: Question, value: str) -> Claim:
    """The claim a certificate's answer makes.

    An answer equal to a claim of the question belongs to it; any other opens a proposed
    claim, so that a set never attaches to a claim with another value.
    """
    for claim in question.claims.order_by("created_at", "id"):
        if any(same_value(value, known) for known in (claim.value, *claim.aliases)):
            return claim
    return open_claim(question, value=value, origin=Claim.Origin.CERTIFY, author=None)


@transaction.atomic
def decide_claim(
    claim: Claim,
    decision: ClaimDecision.Decision,
    *,
    by: User,
    into: Claim | None = None,
    reason: str = "",
) -> ClaimDecision:
    """Accept, merge or refuse a claim that a run proposed.

    Raises:
        Refused: not a proposed claim, decided before, or merged into another question's.
    """
    if claim.origin != Claim.Origin.CERTIFY:
        raise Refused("Only claims that a run proposed are decided.")
    one_at_a_time(claim)
    known = ClaimDecision.objects.filter(claim=claim).first()
    if known is not None and (known.decision, known.into, known.by) == (decision, into, by):
        return known
    if known is not None:
        raise Refused("This claim was decided before.")
    if into is not None and (into.question_id != claim.question_id or into == claim):
        raise Refused("A claim is merged into another claim of the same question.")
    if decision == ClaimDecision.Decision.REFUSED and not reason.strip():
        raise Refused("Say why this is not a claim of the question.")
    made = ClaimDecision.objects.create(
        claim=claim, decision=decision, into=into, by=by, reason=reason
    )
    record(
        "decided claim", claim, actor=by, project_id=claim.question.project_id, decision=decision
    )
    return made


@transaction.atomic
def give_requirements(
    membership: Membership, question: Question, graph: core.RequirementGraph
) -> RequirementGraph:
    """Let later runs look for what ``graph`` says that the question needs.

    The same requirements once more change nothing.

    Raises:
        Refused: not a lead of the question's project, or the question had these requirements
            before others: they stay where they are.
    """
    check_role(membership, Role.LEAD)
    if membership.project_id != question.project_id:
        raise Refused("This question is of another project.")
    one_at_a_time(question)
    body = to_json(graph)
    sha256 = digest(body)
    earlier = list(question.graphs.order_by("number"))
    if earlier and earlier[-1].sha256 == sha256:
        return earlier[-1]
    last = earlier[-1].number if earlier else 0
    if same := [one.number for one in earlier if one.sha256 == sha256]:
        raise Refused(f"These are its requirements {same[0]}; {last} came after them.")
    made = RequirementGraph.objects.create(
        question=question,
        number=last + 1,
        origin="person",
        author=membership.user,
        body=body,
        sha256=sha256,
    )
    record("gave requirements", made, actor=membership.user, project_id=question.project_id)
    return made


@transaction.atomic
def propose_evidence_set(
    claim: Claim,
    spans: Sequence[Span],
    *,
    origin: EvidenceSet.Origin,
    author: User | None,
    rules: Sequence[InferenceRule] = (),
) -> EvidenceSet:
    """Propose that ``spans`` jointly entail ``claim`` under ``rules``; one route, one set.

    Raises:
        Refused: no member, a member twice, or a member of another project.
    """
    if not spans:
        raise Refused("An evidence set has at least one member.")
    if len({span.pk for span in spans}) < len(spans):
        raise Refused("A span can be a member of a set only once.")
    project_id = claim.question.project_id
    if any(span.version.source.project_id != project_id for span in spans):
        raise Refused("Every member must come from this project.")
    evidence_set, made = EvidenceSet.objects.get_or_create(
        claim=claim,
        sha256=route_digest((span.pk for span in spans), (rule.pk for rule in rules)),
        defaults={"origin": origin, "author": author},
    )
    if made:
        _fill(evidence_set, spans, rules)
        record(
            "proposed evidence set",
            evidence_set,
            actor=author,
            project_id=project_id,
            origin=origin,
            members=len(spans),
        )
    return evidence_set


def _fill(evidence_set: EvidenceSet, spans: Sequence[Span], rules: Sequence[InferenceRule]) -> None:
    EvidenceMember.objects.bulk_create(
        EvidenceMember(evidence_set=evidence_set, span=span, ordinal=ordinal)
        for ordinal, span in enumerate(spans, start=1)
    )
    EvidenceSetRule.objects.bulk_create(
        EvidenceSetRule(evidence_set=evidence_set, rule=rule) for rule in rules
    )


@transaction.atomic
def record_contradiction(
    claim: Claim,
    spans: Sequence[Span],
    *,
    material: bool,
    treatment: Contradiction.Treatment,
    note: str,
    by: User,
    supersedes: Contradiction | None = None,
) -> Contradiction:
    """Record conflicting evidence on ``claim`` and how it is treated.

    Raises:
        Refused: no note, or ``supersedes`` has been superseded by another record.
    """
    if not note.strip():
        raise Refused("Say what disagrees, and why it is treated so.")
    one_at_a_time(claim)
    said = (material, treatment, note, by.pk, {span.pk for span in spans})
    if (same := _recorded_before(claim, said, by, supersedes)) is not None:
        return same
    made = Contradiction.objects.create(
        claim=claim,
        material=material,
        treatment=treatment,
        note=note,
        by=by,
        supersedes=supersedes,
    )
    ContradictionSpan.objects.bulk_create(
        ContradictionSpan(contradiction=made, span=span) for span in spans
    )
    record(
        "recorded contradiction",
        claim,
        actor=by,
        project_id=claim.question.project_id,
        treatment=treatment,
    )
    return made


def _recorded_before(
    claim: Claim, said: tuple[object, ...], by: User, supersedes: Contradiction | None
) -> Contradiction | None:
    """One's last record in the same place, if it says the same."""
    records = claim.contradictions.filter(supersedes=supersedes)
    if supersedes is None:
        # Each person's own: what another recorded meanwhile is nothing that they repeat.
        records = records.filter(by=by)
    last = records.order_by("-at", "id").first()
    if last is None or _states(last) == said:
        return last
    if supersedes is not None:
        raise Refused("That record was superseded before. Supersede the newer one.")
    return None


def _states(one: Contradiction) -> tuple[object, ...]:
    spans = set(one.spans.values_list("pk", flat=True))
    return one.material, one.treatment, one.note, one.by_id, spans


@transaction.atomic
def note_premise(
    version: SourceVersion, *, authority: str, basis: str, open_dispute: bool, by: User
) -> PremiseNote:
    """Record whether what ``version`` states should be believed.

    One's own last note once more changes nothing.
    """
    one_at_a_time(version)
    last = version.notes.filter(by=by).order_by("-at", "id").first()
    said = (authority, basis, open_dispute)
    if last is not None and (last.authority, last.basis, last.open_dispute) == said:
        return last
    made = PremiseNote.objects.create(
        version=version, authority=authority, basis=basis, open_dispute=open_dispute, by=by
    )
    record("noted premise", made, actor=by, project_id=version.source.project_id)
    return made
