"""Reading questions and claims as a member may see them.

Until they have judged, reviewers must not learn which claims and sets a machine proposed:
origin, author and decision are given only to those who may see them, and no order depends
on them. Nor do they see what a run or another reviewer added to a claim: a certificate would
tell them which questions a machine could answer, and a smaller set beside the one they have
to judge which member its author found dispensable.

Words that rest on nothing but sources somebody may not read are withheld from them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    TextField,
    Value,
    When,
)
from django.http import Http404
from django.urls import reverse

from adjudication.claims.graphs import from_json
from adjudication.claims.models import (
    Claim,
    ClaimDecision,
    Contradiction,
    ContradictionSpan,
    EvidenceMember,
    EvidenceSet,
    InferenceRule,
    PremiseNote,
    Question,
    RequirementGraph,
)
from adjudication.claims.renewal import renewals
from adjudication.corpus.clearance import may_read
from adjudication.corpus.models import Span
from adjudication.corpus.queries import Premise, premises, spans_of
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import other_reviewers
from adjudication.projects.waiting import Waiting
from certify_core.model import Requirement

PROPOSED = Q(origin=Claim.Origin.CERTIFY)
OPEN_PROPOSAL = PROPOSED & Q(decision__isnull=True)
"""Claims that a run proposed; those of them that nobody decided."""

_WITHHELD = When(withheld=True, then=Value("withheld"))
SHOWN = 100  # spans to choose from on one page


def sees_proposals(membership: Membership) -> bool:
    """Whether this member may know which claims a run proposed.

    It takes a lead to decide them, also one who judges; an auditor who judges can do without.
    """
    return membership.has(Role.LEAD) or (membership.has(Role.AUDITOR) and not membership.judges)


def sees_origin(membership: Membership) -> bool:
    """Whether this member may know who proposed a set: nobody who may still judge it."""
    return sees_proposals(membership) and not membership.has(Role.REVIEWER)


def _by_another_reviewer(membership: Membership, author: str) -> Q:
    """Rows whose ``author`` is another reviewer, for a reviewer; for anybody else, no rows."""
    return Q(**{f"{author}__in": other_reviewers(membership).values("user")})


def sets_of(membership: Membership) -> QuerySet[EvidenceSet]:
    """The evidence sets of the project that this member may see."""
    sets = EvidenceSet.objects.filter(claim__question__project=membership.project_id)
    if membership.has(Role.REVIEWER):
        # At the desk a certificate looks like any other set; here it would be the machine's.
        sets = sets.exclude(origin=EvidenceSet.Origin.CERTIFY)
    return sets.exclude(_by_another_reviewer(membership, "author"))


def contradictions_of(membership: Membership, claim: Claim) -> QuerySet[Contradiction]:
    """What this member may see of what is recorded against ``claim``, newest first."""
    records = Contradiction.objects.filter(claim=claim)
    return records.exclude(_by_another_reviewer(membership, "by")).order_by("-at", "id")


def notes_of(membership: Membership, version_ids: Collection[UUID]) -> QuerySet[PremiseNote]:
    """What is noted on these versions, as far as this member may know it, newest first."""
    notes = PremiseNote.objects.filter(version__in=version_ids)
    return notes.exclude(_by_another_reviewer(membership, "by")).order_by("-at", "id")


def to_supersede(membership: Membership, claim: Claim) -> QuerySet[Contradiction]:
    """The records against ``claim`` that this member may replace: those they may read in full."""
    hidden = ContradictionSpan.objects.filter(
        ~may_read(membership.reader_classes.all(), "span__"), contradiction=OuterRef("pk")
    )
    return contradictions_of(membership, claim).filter(~Exists(hidden))


def claims_of(membership: Membership) -> QuerySet[Claim]:
    """Claims of the project in an order that says nothing of their origin.

    Who may not see proposals sees no claim that waits for a decision, was merged away or was
    refused: only proposals of a run are decided. ``words`` is the value as this member may
    read it, and ``withheld`` says that they may not.
    """
    claims = (
        Claim.objects.filter(question__project=membership.project)
        .select_related("question", "decision", "author")
        .annotate(routes=Count("evidence_sets", filter=Q(evidence_sets__in=sets_of(membership))))
        .annotate(withheld=_withheld(membership))
        .annotate(words=Case(_WITHHELD, default=F("value"), output_field=TextField()))
        .order_by("words", Case(_WITHHELD, default=F("text"), output_field=TextField()), "id")
    )
    if sees_proposals(membership):
        return claims
    gone = (ClaimDecision.Decision.MERGED, ClaimDecision.Decision.REFUSED)
    return claims.exclude(OPEN_PROPOSAL | Q(decision__decision__in=gone))


def _withheld(membership: Membership) -> Q:
    """Claims with routes, each of which has a member that this person may not read."""
    routes = EvidenceSet.objects.filter(claim=OuterRef("pk"))
    hidden = EvidenceMember.objects.filter(
        ~may_read(membership.reader_classes.all(), "span__"), evidence_set=OuterRef("pk")
    )
    return Q(Exists(routes)) & ~Q(Exists(routes.filter(~Exists(hidden))))


def questions_of(membership: Membership, *, words: str = "", show: str = "") -> QuerySet[Question]:
    """Questions by text, each with its ``claims``.

    ``show`` is "with-sets", "proposed" (claims that a run proposed and nobody decided, for
    those who may see proposals) or anything else for all.
    """
    questions = Question.objects.filter(project=membership.project)
    claims = Claim.objects.filter(question=OuterRef("pk"))
    if words:
        questions = questions.filter(text__icontains=words)
    if show == "with-sets":
        questions = questions.filter(Exists(claims.filter(evidence_sets__in=sets_of(membership))))
    if show == "proposed" and sees_proposals(membership):
        questions = questions.filter(Exists(claims.filter(OPEN_PROPOSAL)))
    return questions.order_by("text", "id").prefetch_related(
        Prefetch("claims", claims_of(membership), to_attr="shown")
    )


def claim_for(membership: Membership, claim_id: UUID) -> Claim:
    """One claim with its question, or Http404."""
    found = claims_of(membership).filter(pk=claim_id).first()
    if found is None:
        raise Http404("no such claim")
    return found


def siblings_of(membership: Membership, claim: Claim) -> QuerySet[Claim]:
    """The other claims of the same question."""
    return claims_of(membership).filter(question=claim.question_id).exclude(pk=claim.pk)


@dataclass(frozen=True, slots=True)
class Route:
    """An evidence set with its members in order. ``origin`` is empty for who may not know.

    ``renewed`` are the same words in later versions, where people found all that are to be
    checked again; it is empty where they did not, or where that set is among the routes.
    """

    evidence_set: EvidenceSet
    members: list[Premise]
    rules: list[InferenceRule]
    origin: str
    renewed: Sequence[Span] = ()


def routes_of(membership: Membership, claim: Claim) -> list[Route]:
    """The sets of ``claim``, in the order of their digests."""
    sets = list(
        sets_of(membership)
        .filter(claim=claim)
        .order_by("sha256")
        .select_related("author")
        .prefetch_related("rules")
    )
    members = EvidenceMember.objects.filter(evidence_set__in=sets).order_by("ordinal")
    of_set: dict[UUID, list[UUID]] = defaultdict(list)
    for set_id, span_id in members.values_list("evidence_set", "span"):
        of_set[set_id].append(span_id)
    seen = premises(membership, {span_id for ids in of_set.values() for span_id in ids})
    again = renewals(membership, [[seen[pk] for pk in of_set[one.pk]] for one in sets])
    return [
        Route(
            one,
            [seen[span_id] for span_id in of_set[one.pk]],
            sorted(one.rules.all(), key=lambda rule: rule.key),
            proposer_of(one) if sees_origin(membership) else "",
            renewed,
        )
        for one, renewed in zip(sets, again, strict=True)
    ]


def proposer_of(one: EvidenceSet) -> str:
    """Who proposed a set, in words; for those who may know."""
    label = EvidenceSet.Origin(one.origin).label
    return f"{label}, {one.author}" if one.author else label


@dataclass(frozen=True, slots=True)
class Conflict:
    """A recorded contradiction with its spans. ``by`` is empty for who may not know, and
    ``note`` for who may not read every span: it may quote them."""

    record: Contradiction
    spans: list[Premise]
    note: str
    by: str
    superseded: bool


def conflicts_of(membership: Membership, claim: Claim) -> list[Conflict]:
    """The contradictions recorded on ``claim``, newest first."""
    records = list(contradictions_of(membership, claim).select_related("by"))
    superseded = {one.supersedes_id for one in records}
    of_record: dict[UUID, list[UUID]] = defaultdict(list)
    pairs = ContradictionSpan.objects.filter(contradiction__in=records).order_by("span")
    for record_id, span_id in pairs.values_list("contradiction", "span"):
        of_record[record_id].append(span_id)
    seen = premises(membership, {span_id for ids in of_record.values() for span_id in ids})

    def conflict(one: Contradiction) -> Conflict:
        spans = [seen[span_id] for span_id in of_record[one.pk]]
        note = one.note if all(premise.span for premise in spans) else ""
        by = str(one.by) if sees_origin(membership) else ""
        return Conflict(one, spans, note, by, one.pk in superseded)

    return [conflict(one) for one in records]


def requirements_of(question: Question) -> list[tuple[RequirementGraph, tuple[Requirement, ...]]]:
    """The requirement graphs of a question, newest first, with their steps."""
    graphs = question.graphs.order_by("-number")
    return [(graph, from_json(graph.body).requirements) for graph in graphs]


def candidates(membership: Membership, claim: Claim, title: str = "") -> list[Span]:
    """Spans to choose members from: those of the question's sets, and of sources by title."""
    sets = sets_of(membership).filter(claim__question=claim.question_id)
    rests_on = EvidenceMember.objects.filter(evidence_set__in=sets)
    near = spans_of(membership).filter(pk__in=rests_on.values("span"))
    found = [*near.order_by("version__source__title", "start", "id")[:SHOWN]]
    if title:
        named = spans_of(membership).filter(version__source__title__icontains=title)
        found += named.exclude(pk__in=[span.pk for span in found]).order_by(
            "version__source__title", "version", "start", "id"
        )[:SHOWN]
    return found


def chosen(membership: Membership, span_ids: Sequence[UUID]) -> list[Span]:
    """The spans with these ids, in this order; the ones this member may not see are missing."""
    known = spans_of(membership).in_bulk(span_ids)
    return [known[pk] for pk in dict.fromkeys(span_ids) if pk in known]


def home_counts(membership: Membership) -> tuple[Waiting, ...]:
    """For leads: claims that a run proposed and nobody decided."""
    if not membership.has(Role.LEAD):
        return ()
    proposed = Claim.objects.filter(PROPOSED, question__project=membership.project)
    count = proposed.filter(OPEN_PROPOSAL).count()
    url = reverse("claims", args=[membership.project.slug]) + "?show=proposed"
    return (Waiting("claims that a run proposed", count, proposed.count(), url, "Decide on them"),)
