"""Verdicts of an earlier specification, carried over into the one in force."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from adjudication.claims.actions import decide_claim, open_claim, propose_evidence_set
from adjudication.claims.models import Claim, ClaimDecision, EvidenceSet
from adjudication.corpus.actions import invalidate
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.models import Project, Role
from adjudication.review import actions
from adjudication.review.models import CarryOver, Item, Judgement, Verdict
from adjudication.review.queries import Fate, fates_in_order, preview
from adjudication.review.queries.records import current_verdict
from adjudication.specifications.actions import add_rule
from adjudication.specifications.models import Specification
from tests.conftest import Cast, CommittedDatabase, client_for, make_cast
from tests.factories import (
    add_member,
    make_claim,
    make_project,
    make_user,
)
from tests.releases.decided import decide, open_item
from tests.review.carried import carry, decided, following
from tests.review.scenes import judge, member, open_scene, refusing

PAGE = "/p/film-study/review/carry-over/"


# --- What is taken ------------------------------------------------------------------------------


def test_verdict_is_repeated_with_its_judgements(project: Project, cast: Cast) -> None:
    """Same set, decision, judgements and reason; nobody judges again, and it is on record."""
    scene = decided(project, cast)
    later = following(project)
    made = carry(project, cast, scene, later)
    (verdict,) = made.verdicts.all()
    original = current_verdict(scene.item)
    assert verdict.carried_from == original
    assert (verdict.basis, verdict.decision) == ("carried", "accepted")
    assert verdict.judgements == original.judgements
    assert verdict.item.specification == later
    assert verdict.item.state == Item.State.ACCEPTED
    assert Judgement.objects.count() == 2
    entry = Entry.objects.get(verb="carried verdicts over")
    assert (entry.actor, entry.detail["verdicts"]) == (cast.lead, 1)
    scene.item.refresh_from_db()
    assert scene.item.state == Item.State.ACCEPTED, "the earlier record stays"


def test_again_changes_nothing_and_later_verdicts_follow(project: Project, cast: Cast) -> None:
    """A second press finds the first; a verdict reached since is taken by another action."""
    scene = open_scene(project, cast.lead, sets=2)
    for person in (cast.rosa, cast.rui):
        judge(member(project, person), scene.items[0])
    judge(member(project, cast.rosa), scene.items[1])
    judge(member(project, cast.rui), scene.items[1], refusing("entailment"))
    later = following(project)
    first = carry(project, cast, scene, later)
    assert carry(project, cast, scene, later) == first
    actions.adjudicate(
        Item.objects.get(pk=scene.items[1].pk),
        "rejected",
        reason="A step is missing.",
        by=member(project, cast.adjudicator),
    )
    second = carry(project, cast, scene, later)
    assert second != first
    (verdict,) = second.verdicts.all()
    assert (verdict.decision, verdict.reason) == ("rejected", "A step is missing.")


def test_verdict_is_carried_on_from_where_people_reached_it(project: Project, cast: Cast) -> None:
    """Over two specifications it still names the verdict of the first."""
    scene = decided(project, cast)
    original = current_verdict(scene.item)
    second = following(project)
    carry(project, cast, scene, second)
    third = following(project)
    made = actions.carry_over(second, third, by=member(project, cast.lead), reason="Still.")
    (verdict,) = made.verdicts.all()
    assert verdict.carried_from == original
    assert verdict.basis_in_words == (
        "agreement of the reviewers, carried over from specification 1"
    )


def test_each_reason_to_leave_a_set_out(project: Project, cast: Cast) -> None:
    """Undecided, forbidden rule, lost version, replaced claim, under review there: in words."""
    rule = add_rule(project, key="sum", kind="arithmetic", statement="Add.", by=None)
    scene = decided(project, cast)
    claim = make_claim(project, value="With rule")
    spans = [one.span for one in scene.item.evidence_set.members.all()]
    propose_evidence_set(claim, spans, origin=EvidenceSet.Origin.PERSON, author=None, rules=[rule])
    actions.open_items(scene.specification, EvidenceSet.objects.all(), by=scene.lead)
    ruled = Item.objects.get(evidence_set__claim=claim)
    earlier = scene.specification
    with_rule = following(project)
    assert fate(with_rule, ruled) == Fate.UNDECIDED
    decide(ruled, [cast.rosa, cast.rui])
    assert fate(with_rule, ruled) == Fate.TAKEN

    narrow = following(project, rules=[])
    assert fate(narrow, ruled) == Fate.FORBIDDEN
    assert fate(narrow, scene.item) == Fate.TAKEN

    invalidate(spans[0].version, reason="wrong scan", by=member(project, cast.lead))
    lost = following(project, observation_cutoff=timezone.now())
    assert fate(lost, scene.item) == Fate.INELIGIBLE

    open_claim(
        scene.item.evidence_set.claim.question,
        value="Entity 0 of the north",
        origin=Claim.Origin.PERSON,
        author=cast.lead,
        supersedes=scene.item.evidence_set.claim,
    )
    assert fate(narrow, scene.item) == Fate.REPLACED

    Item.objects.create(project=project, specification=narrow, evidence_set=scene.item.evidence_set)
    assert fate(narrow, scene.item) == Fate.UNDER_REVIEW
    assert preview(earlier, narrow).whole == 2, "every item counts once"


@pytest.mark.parametrize("decision", ["accepted", "merged", "refused"])
def test_proposed_claim_is_carried_only_if_accepted(
    project: Project, cast: Cast, decision: str
) -> None:
    """A claim that was turned down since has no verdict to keep."""
    scene = decided(project, cast)
    claim = scene.item.evidence_set.claim
    proposed = open_claim(
        claim.question, value="Entity Q", origin=Claim.Origin.CERTIFY, author=None
    )
    spans = [one.span for one in scene.item.evidence_set.members.all()]
    one = propose_evidence_set(proposed, spans, origin=EvidenceSet.Origin.CERTIFY, author=None)
    item = open_item(one)
    decide(item, [cast.rosa, cast.rui])
    into = claim if decision == "merged" else None
    decide_claim(proposed, ClaimDecision.Decision(decision), by=cast.lead, into=into, reason="So.")
    later = following(project)
    assert fate(later, item) == (Fate.TAKEN if decision == "accepted" else Fate.REPLACED)


def fate(later: Specification, item: Item) -> str:
    return str(fates_in_order(item.specification, later).get(pk=item.pk).fate)


def test_set_under_review_stays_with_its_reviewers(project: Project, cast: Cast) -> None:
    """What was opened under the new test is judged there; an earlier verdict does not end it."""
    scene = decided(project, cast, sets=2)
    later = following(project)
    actions.open_items(
        later, EvidenceSet.objects.filter(pk=scene.item.evidence_set_id), by=scene.lead
    )
    made = carry(project, cast, scene, later)
    assert [one.item.evidence_set_id for one in made.verdicts.all()] == [
        scene.items[1].evidence_set_id
    ]
    assert Item.objects.get(specification=later, evidence_set=scene.item.evidence_set).state == (
        Item.State.PROPOSED
    )


@pytest.mark.parametrize("who", ["rosa", "adjudicator", "auditor", "reader"])
def test_only_leads_carry_over(project: Project, cast: Cast, who: str) -> None:
    scene = decided(project, cast)
    later = following(project)
    with pytest.raises(Refused, match="role lead"):
        actions.carry_over(
            scene.specification, later, by=member(project, getattr(cast, who)), reason="Mine."
        )
    assert client_for(getattr(cast, who)).get(PAGE).status_code == 403
    assert client_for(cast.stranger).get(PAGE).status_code == 404


def test_refused_without_reason_order_or_verdict(project: Project, cast: Cast) -> None:
    """Each in words, and nothing is written."""
    scene = open_scene(project, cast.lead)
    later = following(project)
    with pytest.raises(Refused, match="no verdict that can be carried over"):
        carry(project, cast, scene, later)
    with pytest.raises(Refused, match="Give the reason"):
        actions.carry_over(scene.specification, later, by=scene.lead, reason=" ")
    with pytest.raises(Refused, match="in force"):
        actions.carry_over(later, scene.specification, by=scene.lead, reason="Back.")
    with pytest.raises(Refused, match="earlier specification"):
        actions.carry_over(later, later, by=scene.lead, reason="Same.")
    assert not CarryOver.objects.exists()


def test_two_leads_at_once_are_one_action(committed: CommittedDatabase) -> None:
    """The second finds that everything is taken, and gets the first's record."""
    project = make_project("film-study")
    cast = make_cast(project)
    other = make_user("lea")
    add_member(project, other, Role.LEAD)
    scene = decided(project, cast, sets=2)
    later = following(project)
    start = Barrier(2)

    def act(lead: Any) -> CarryOver:
        try:
            by = member(project, lead)
            start.wait()
            return actions.carry_over(scene.specification, later, by=by, reason="Same sources.")
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert len(set(pool.map(act, [cast.lead, other]))) == 1
    assert Verdict.objects.filter(basis="carried").count() == 2


# --- The database keeps it ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"decision": "rejected"},
        {"judgements": []},
        {"reason": "Another."},
        {"carry_over": None},
        {"carried_from": None},
        {"basis": "agreement"},
    ],
)
def test_carried_verdict_that_is_not_the_original_cannot_be_stored(
    project: Project, cast: Cast, change: dict[str, Any]
) -> None:
    """Whatever code path tries: a carried verdict repeats one that people reached."""
    scene = decided(project, cast)
    later = following(project)
    original = current_verdict(scene.item)
    made = CarryOver.objects.create(
        earlier=scene.specification, later=later, by=cast.lead, reason="Same."
    )
    item = Item.objects.create(
        project=project,
        specification=later,
        evidence_set=scene.item.evidence_set,
        state=Item.State.ACCEPTED,
    )
    values = {
        "item": item,
        "round": 1,
        "decision": "accepted",
        "basis": "carried",
        "judgements": original.judgements,
        "carried_from": original,
        "carry_over": made,
    }
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.create(**values | change)
    Verdict.objects.create(**values)


def test_carried_verdict_is_of_the_same_set(project: Project, cast: Cast) -> None:
    """Nor can it be laid on another set, or carried from a carried one."""
    scene = decided(project, cast, sets=2)
    later = following(project)
    (carried, _) = carry(project, cast, scene, later).verdicts.order_by("item__evidence_set")
    third = following(project)
    made = CarryOver.objects.create(earlier=later, later=third, by=cast.lead, reason="On.")
    other = next(one for one in scene.items if one.evidence_set_id != carried.item.evidence_set_id)
    for evidence_set, source in (
        (other.evidence_set, carried.carried_from),
        (carried.item.evidence_set, carried),
    ):
        item = Item.objects.create(project=project, specification=third, evidence_set=evidence_set)
        with pytest.raises(IntegrityError), transaction.atomic():
            Verdict.objects.create(
                item=item,
                round=1,
                decision="accepted",
                basis="carried",
                judgements=source.judgements,
                carried_from=source,
                carry_over=made,
            )
    with pytest.raises(IntegrityError), transaction.atomic():
        CarryOver.objects.create(
            earlier=third, later=scene.specification, by=cast.lead, reason="Back."
        )
