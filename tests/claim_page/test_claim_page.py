"""The page of one claim: what stands beside its premises, and its history by reader."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from adjudication.accounts.models import User
from adjudication.claims.actions import (
    note_premise,
    open_claim,
    propose_evidence_set,
    record_contradiction,
)
from adjudication.claims.models import Claim, Contradiction, EvidenceSet
from adjudication.corpus.actions import Capture, Times, capture_version, invalidate
from adjudication.journal.models import Exposure
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, Role
from adjudication.review.actions import open_judgements
from adjudication.review.models import FreshRound, Item
from adjudication.review.queries import unexposed
from adjudication.specifications.actions import freeze, start_draft
from tests.conftest import Cast, client_for
from tests.factories import OBSERVED, add_member, make_claim, make_evidence_set, span_of
from tests.releases.decided import decide, decided_set, member, open_item, released, specified


def page(person: User, claim: Claim) -> str:
    answer = client_for(person).get(f"/p/film-study/claims/{claim.pk}/")
    assert answer.status_code == 200
    return str(answer.text)


def claim_of(evidence_set: EvidenceSet) -> Claim:
    return evidence_set.claim


# --- Beside the premises ------------------------------------------------------------------------


def test_checks_stand_beside_each_member(project: Project, cast: Cast) -> None:
    """In words, under the test in force; without one, that nothing is checked is said."""
    claim = make_claim(project)
    evidence_set = make_evidence_set(claim)
    assert "nothing is checked" in page(cast.reader, claim)
    freeze(start_draft(project, by=None), by=None)
    invalidate(
        evidence_set.members.all()[0].span.version,
        reason="wrong scan",
        by=member(project, cast.lead),
    )
    found = page(cast.reader, claim)
    assert found.count('class="checks"') == 2
    assert "one of the versions of the specification" in found
    assert "no longer to be used since" in found
    assert "when the claim applies cannot be established" in found


def test_blocked_member_has_neither_checks_nor_notes(project: Project, cast: Cast) -> None:
    """Of what one may not read, nothing is told but that it is blocked."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    claim = make_claim(project)
    hidden = make_evidence_set(claim, "Hidden words.", reader_classes=["legal"])
    version = hidden.members.get().span.version
    note_premise(version, authority="Ministry", basis="Seal", open_dispute=True, by=cast.lead)
    specified(project)
    found = page(cast.reader, claim)
    assert "blocked for you" in found
    for secret in ("Ministry", 'class="checks"', "open dispute", 'class="times"'):
        assert secret not in found


def test_note_of_another_reviewer_is_not_for_a_reviewer(project: Project, cast: Cast) -> None:
    """What Rosa thinks of a source would tell how she answers; a lead's note is for all."""
    claim = make_claim(project)
    version = make_evidence_set(claim).members.all()[0].span.version
    said: dict[str, Any] = {"basis": "Seal", "open_dispute": False}
    note_premise(version, authority="By Rosa", by=cast.rosa, **said)
    note_premise(version, authority="By Lena", by=cast.lead, **said)
    assert "By Rosa" not in page(cast.rui, claim)
    assert "By Lena" in page(cast.rui, claim)
    for person in (cast.rosa, cast.lead, cast.reader):
        assert "By Rosa" in page(person, claim)
    assert f"by {cast.rosa}" in page(cast.lead, claim)
    assert f"by {cast.lead}" not in page(cast.reader, claim)


def test_superseded_contradiction_is_folded(project: Project, cast: Cast) -> None:
    """The record that stands is open on the page; the one it replaced can be unfolded."""
    claim = make_claim(project)
    span = make_evidence_set(claim).members.all()[0].span
    first = record_contradiction(
        claim,
        [span],
        material=True,
        treatment=Contradiction.Treatment.UNRESOLVED,
        note="Another date.",
        by=cast.lead,
    )
    record_contradiction(
        claim,
        [span],
        material=True,
        treatment=Contradiction.Treatment.RESOLVED,
        note="Settled by the register.",
        by=cast.lead,
        supersedes=first,
    )
    found = page(cast.reader, claim)
    folded = found.index("superseded record")
    assert found.index("Settled by the register.") < folded < found.index("Another date.")


def test_times_are_a_picture_and_the_same_as_a_table(project: Project, cast: Cast) -> None:
    """Every stated time is in the table, in words where nobody can establish it."""
    claim = make_claim(project)
    version = capture_version(
        project,
        Capture(
            origin="test",
            key="k",
            title="Tariff T3",
            snapshot=b"Tariff T3 is 4 %.",
            observed_at=OBSERVED,
            times=Times(published="2025-11", effective_from="2026-01-01"),
        ),
        reader_classes=list(project.reader_classes.all()),
        actor=None,
    )
    propose_evidence_set(
        claim, [span_of(version, "4 %")], origin=EvidenceSet.Origin.REFERENCE, author=None
    )
    found = page(cast.reader, claim)
    assert '<svg role="img"' in found
    for words in ("published 2025-11", "observed 2026-01-05", "its end cannot be established"):
        assert words in found
    for cell in (">2025-11<", ">2026-01-01<", ">cannot be established<"):
        assert cell in found


# --- History ------------------------------------------------------------------------------------


def verdict_shown(person: User, claim: Claim) -> bool:
    found = page(person, claim)
    assert ("badge-accepted" in found) == ("decided under specification" in found)
    return "decided under specification" in found


def test_verdict_is_shown_by_the_table_of_who_sees_what(project: Project, cast: Cast) -> None:
    """Leads and adjudicators once decided, auditors once released, readers never."""
    claim = claim_of(decided_set(project, [cast.rosa, cast.rui]))
    shown = {"lead": True, "adjudicator": True, "auditor": False, "reader": False}
    for who, is_shown in shown.items():
        assert verdict_shown(getattr(cast, who), claim) is is_shown, who
    released(project, cast.lead, cast.adjudicator)
    for who, is_shown in (shown | {"auditor": True}).items():
        assert verdict_shown(getattr(cast, who), claim) is is_shown, who


def test_reviewer_sees_a_verdict_only_after_the_judgements(project: Project, cast: Cast) -> None:
    """Until Rosa asked for the others' answers, the claim page tells her nothing of them."""
    evidence_set = decided_set(project, [cast.rosa, cast.rui])
    claim = claim_of(evidence_set)
    assert not verdict_shown(cast.rosa, claim)
    item = Item.objects.get()
    open_judgements(member(project, cast.rosa), item, place="own judgement")
    assert verdict_shown(cast.rosa, claim)
    assert not verdict_shown(cast.rui, claim)


@pytest.mark.parametrize("also", [Role.LEAD, Role.ADJUDICATOR, Role.AUDITOR])
def test_other_roles_do_not_show_a_reviewer_a_verdict(
    project: Project, cast: Cast, also: Role
) -> None:
    """Who may still have to judge the set again learns nothing by a second role."""
    claim = claim_of(decided_set(project, [cast.rosa, cast.rui]))
    add_member(project, cast.reader, Role.REVIEWER, also)
    assert not verdict_shown(cast.reader, claim)


def test_undecided_set_shows_no_verdict_of_before(project: Project, cast: Cast) -> None:
    """While a set is under review again, what was decided is not on the page."""
    evidence_set = make_evidence_set(make_claim(project))
    item = open_item(evidence_set)
    decide(item, [cast.rosa, cast.rui])
    FreshRound.objects.create(item=item, round=2, by=cast.adjudicator, reason="Doubt.")
    Item.objects.update(state=Item.State.IN_REVIEW, round=2)
    assert not verdict_shown(cast.lead, claim_of(evidence_set))


def test_seeing_a_verdict_is_recorded_once(project: Project, cast: Cast) -> None:
    """A lead who reads it and becomes a reviewer later does not judge that set."""
    claim = claim_of(decided_set(project, [cast.rosa, cast.rui]))
    assert verdict_shown(cast.lead, claim)
    assert verdict_shown(cast.lead, claim)
    shown = Exposure.objects.get(person=cast.lead)
    assert (shown.object_id, shown.place) == (Item.objects.get().pk, "claim page")
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    assert not unexposed(member(project, cast.lead)).exists()


def test_history_does_not_tell_a_reviewer_what_came_when(project: Project, cast: Cast) -> None:
    """The day of a claim or route would tell an import from a run."""
    claim = make_claim(project)
    make_evidence_set(claim)
    open_claim(
        claim.question,
        value="Entity R2",
        origin=Claim.Origin.PERSON,
        author=cast.lead,
        supersedes=claim,
    )
    history = page(cast.lead, claim)
    assert all(word in history for word in ("Claim opened", "proposed", "Replaced by “Entity R2”"))
    for person in (cast.rosa, cast.adjudicator, cast.reader):
        assert "Nothing that you may be told of." in page(person, claim)


def test_page_asks_as_much_for_one_verdict_as_for_many(project: Project, cast: Cast) -> None:
    """Routes, checks, notes and verdicts are read together."""
    claim = make_claim(project)
    counts: list[int] = []
    for _ in range(3):
        evidence_set = decided_set(
            project, [cast.rosa, cast.rui], f"Words {len(counts)}.", claim=claim
        )
        version = evidence_set.members.get().span.version
        note_premise(version, authority="A", basis="B", open_dispute=False, by=cast.lead)
        page(cast.lead, claim)  # records what is shown for the first time
        with CaptureQueriesContext(connection) as queries:
            page(cast.lead, claim)
        counts.append(len(queries))
    assert counts[0] == counts[1] == counts[2]
