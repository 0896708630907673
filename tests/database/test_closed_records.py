"""Nothing joins a record after it was made: an added row would change what people judged."""

from __future__ import annotations

import pytest
from django.db import IntegrityError

from adjudication.accounts.models import User
from adjudication.claims.actions import propose_evidence_set, record_contradiction
from adjudication.claims.models import (
    Contradiction,
    ContradictionSpan,
    EvidenceMember,
    EvidenceSet,
    EvidenceSetRule,
    InferenceRule,
)
from tests.conftest import CommittedDatabase
from tests.factories import (
    make_claim,
    make_evidence_set,
    make_project,
    make_user,
    make_version,
    span_of,
)


@pytest.fixture
def evidence_set(committed: CommittedDatabase) -> EvidenceSet:
    """A set whose transaction ended."""
    return make_evidence_set(make_claim(make_project()))


def test_member_cannot_join_a_set(evidence_set: EvidenceSet) -> None:
    """A third span would make it another route under the same verdicts."""
    version = make_version(evidence_set.claim.question.project)
    another = span_of(version, "Cedar")
    with pytest.raises(IntegrityError, match="digest is not that of its members"):
        EvidenceMember.objects.create(evidence_set=evidence_set, span=another, ordinal=3)
    assert evidence_set.members.count() == 2


def test_rule_cannot_join_a_set(evidence_set: EvidenceSet) -> None:
    """Nor may what was judged without an inference rule rest on one later."""
    project = evidence_set.claim.question.project
    rule = InferenceRule.objects.create(
        project=project, key="join", kind=InferenceRule.Kind.JOIN, statement="Two facts join."
    )
    with pytest.raises(IntegrityError, match="digest is not that of its members"):
        EvidenceSetRule.objects.create(evidence_set=evidence_set, rule=rule)


def test_set_without_its_members_cannot_be_stored(evidence_set: EvidenceSet) -> None:
    """A digest promises members; a transaction that does not bring them leaves nothing."""
    with pytest.raises(IntegrityError, match="digest is not that of its members"):
        EvidenceSet.objects.create(
            claim=evidence_set.claim, origin=EvidenceSet.Origin.PERSON, sha256="0" * 64
        )
    assert EvidenceSet.objects.count() == 1


def test_digest_of_the_database_is_that_of_the_program(evidence_set: EvidenceSet) -> None:
    """Both write one canonical form, whatever the number and order of members and rules."""
    project = evidence_set.claim.question.project
    spans = [span_of(make_version(project), "Cedar") for _ in range(12)]
    rules = [
        InferenceRule.objects.create(
            project=project, key=f"rule-{n}", kind=InferenceRule.Kind.JOIN, statement="Join."
        )
        for n in range(5)
    ]
    made = propose_evidence_set(
        evidence_set.claim, spans, origin=EvidenceSet.Origin.PERSON, author=None, rules=rules
    )
    assert made.members.count() == 12


def test_span_cannot_join_a_contradiction(committed: CommittedDatabase) -> None:
    """What was said to disagree is not added to afterwards."""
    claim = make_claim(make_project())
    person: User = make_user("rosa")
    version = make_version(claim.question.project)
    spans = [span_of(version, "Cedar"), span_of(version, "record R17")]
    conflict = record_contradiction(
        claim,
        spans[:1],
        material=True,
        treatment=Contradiction.Treatment.UNRESOLVED,
        note="They disagree.",
        by=person,
    )
    with pytest.raises(IntegrityError, match="recorded with it"):
        ContradictionSpan.objects.create(contradiction=conflict, span=spans[1])
    assert conflict.spans.count() == 1
