"""What the demo's reviewers have sealed before you come: one set agreed on, one in dispute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import uuid4

from adjudication.accounts.models import User
from adjudication.claims.models import EvidenceSet
from adjudication.projects.models import Membership
from adjudication.review.actions import open_items, seal, take
from adjudication.review.answers import Answers, Reason, all_accepting
from adjudication.review.dimensions import CONTRADICTION
from adjudication.review.models import ContradictionAnswer, Item
from adjudication.specifications.models import Specification

AGREED = "birch-b"
DISPUTED = "cypress-c"


def judge_the_ledger(
    specification: Specification,
    sets: Mapping[str, Sequence[EvidenceSet]],
    people: Mapping[str, User],
) -> None:
    """Open every set for review, and seal two judgements each on the first sets of two cases."""
    members = {
        membership.user_id: membership
        for membership in Membership.objects.filter(project=specification.project)
    }
    lead, rosa, rui = (members[people[name].pk] for name in ("lena", "rosa", "rui"))
    keys = [made.pk for case in sets.values() for made in case]
    open_items(specification, EvidenceSet.objects.filter(pk__in=keys), by=lead)
    accepting = all_accepting()
    _judge(specification, sets[AGREED][0], {rosa: accepting, rui: accepting})
    _judge(specification, sets[DISPUTED][0], {rosa: accepting, rui: _sees_a_contradiction()})


def _judge(
    specification: Specification,
    evidence_set: EvidenceSet,
    answers: Mapping[Membership, Answers],
) -> None:
    item = Item.objects.get(specification=specification, evidence_set=evidence_set)
    for reviewer, given in answers.items():
        seal(take(reviewer, item.pk), given, idempotency_key=uuid4())


def _sees_a_contradiction() -> Answers:
    answers = all_accepting().with_answer(CONTRADICTION, ContradictionAnswer.MATERIAL)
    words = "The newsletter of the Ferry Guild gives another day, and nobody has settled it."
    return Answers(
        given=answers.given,
        reasons={CONTRADICTION.key: Reason(choice="other", words=words)},
        members=answers.members,
    )
