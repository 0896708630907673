"""Decided evidence sets to release, stored as the review stores them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from adjudication.accounts.models import User
from adjudication.claims.models import Claim, EvidenceSet
from adjudication.projects.models import Membership, Project
from adjudication.releases.actions import release
from adjudication.releases.models import AnnotationVersion
from adjudication.review.models import Assignment, Item, Judgement, MemberJudgement, Verdict
from adjudication.specifications.actions import freeze, start_draft
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current
from tests.factories import make_claim, make_evidence_set


def specified(project: Project) -> Specification:
    """The specification in force; the first one is frozen here."""
    return current(project) or freeze(start_draft(project, by=None), by=None)


def open_item(evidence_set: EvidenceSet, state: Item.State = Item.State.IN_REVIEW) -> Item:
    project = evidence_set.claim.question.project
    return Item.objects.create(
        project=project, specification=specified(project), evidence_set=evidence_set, state=state
    )


def judge(item: Item, reviewer: User, **answers: object) -> Judgement:
    """A sealed judgement of ``reviewer``, accepting unless ``answers`` say otherwise."""
    taken = Assignment.objects.filter(item=item).count()
    assignment = Assignment.objects.create(
        item=item,
        reviewer=reviewer,
        round=item.round,
        slot=taken + 1,
        state=Assignment.State.SEALED,
        lease_until=timezone.now() + timedelta(minutes=30),
    )
    accepting = {
        "entailment": "entails",
        "minimality": "minimal",
        "minimality_basis": "asserted",
        "admissibility": "admissible",
        "alternatives": "not-applicable",
        "contradiction": "none",
        "boundary": "within",
    }
    judgement = Judgement.objects.create(
        item=item,
        assignment=assignment,
        reviewer=reviewer,
        round=item.round,
        idempotency_key=uuid.uuid4(),
        **(accepting | answers),
    )
    MemberJudgement.objects.bulk_create(
        MemberJudgement(judgement=judgement, member=member, needed="needed")
        for member in item.evidence_set.members.all()
    )
    return judgement


@transaction.atomic
def decide(
    item: Item, reviewers: Sequence[User], *, accepted: bool = True, by: User | None = None
) -> Verdict:
    """Two judgements and the verdict: by agreement, or by the adjudicator ``by``."""
    refusing = {
        "entailment": "does-not",
        "reasons": {"entailment": {"choice": "missing-step", "words": "It lacks."}},
    }
    words = {} if accepted else refusing
    judgements = [judge(item, reviewer, **words) for reviewer in reviewers]
    item.state = Item.State.ACCEPTED if accepted else Item.State.REJECTED
    item.save()
    return Verdict.objects.create(
        item=item,
        round=item.round,
        decision="accepted" if accepted else "rejected",
        basis="adjudication" if by else "agreement",
        by=by,
        reason="The second member settles it." if by else "",
        judgements=[judgement.pk for judgement in judgements],
    )


def decided_set(
    project: Project,
    reviewers: Sequence[User],
    *texts: str,
    claim: Claim | None = None,
    accepted: bool = True,
    reader_classes: Sequence[str] = ("public",),
    by: User | None = None,
) -> EvidenceSet:
    """An evidence set that two reviewers judged and that has a verdict."""
    claim = claim or make_claim(project)
    evidence_set = make_evidence_set(claim, *texts, reader_classes=reader_classes)
    decide(open_item(evidence_set), reviewers, accepted=accepted, by=by)
    return evidence_set


def member(project: Project, user: User) -> Membership:
    return Membership.objects.get(project=project, user=user)


def released(project: Project, lead: User, approver: User) -> AnnotationVersion:
    return release(
        specified(project),
        requested_by=member(project, lead),
        approved_by=member(project, approver),
    )
