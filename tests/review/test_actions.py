"""Opening, assigning, sealing, amending and adjudicating keep the rules of the domain."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries

from adjudication.claims.actions import decide_claim, open_claim, propose_evidence_set
from adjudication.claims.models import Claim, ClaimDecision, EvidenceSet
from adjudication.errors import Refused
from adjudication.journal.actions import expose
from adjudication.journal.models import Entry, Exposure
from adjudication.projects.actions import add_reader_class, set_membership
from adjudication.projects.models import Membership, Project, Role
from adjudication.review import actions
from adjudication.review.actions.adjudicating import fingerprint
from adjudication.review.answers import MemberAnswer, all_accepting, answers_of
from adjudication.review.dimensions import ENTAILMENT, MINIMALITY
from adjudication.review.models import Assignment, Draft, FreshRound, Item, Judgement, Verdict
from adjudication.review.queries import adjudicated_items, current_verdict, state_counts
from adjudication.review.queries.order import waiting_for
from adjudication.review.queries.queue import fresh_reviewers
from tests.conftest import Cast
from tests.factories import (
    add_member,
    make_claim,
    make_evidence_set,
    make_question,
    make_user,
    make_version,
    span_of,
)
from tests.review.scenes import Scene, frozen, judge, member, open_scene, refusing, seal

pytestmark = pytest.mark.django_db


def end_lease(assignment: Assignment) -> None:
    """Time passes for one lease."""
    Assignment.objects.filter(pk=assignment.pk).update(
        lease_until=F("lease_until") - timedelta(hours=1)
    )


def state(item: Item) -> str:
    return Item.objects.get(pk=item.pk).state


# --- Opening ---------------------------------------------------------------------------------


def test_open_items_twice_opens_once(project: Project, cast: Cast) -> None:
    """Opening again changes nothing and says so."""
    scene = open_scene(project, cast.lead, sets=3)
    again = actions.open_items(scene.specification, EvidenceSet.objects.all(), by=scene.lead)
    assert (again.opened, again.known) == (0, 3)
    assert Item.objects.count() == 3


def test_open_items_leaves_out_claims_nobody_accepted(project: Project, cast: Cast) -> None:
    """Sets of proposed, refused, merged and superseded claims are not judged."""
    question = make_question(project)
    span = span_of(make_version(project), "Project Cedar")
    claims = {
        name: open_claim(question, value=name, origin=Claim.Origin.CERTIFY, author=None)
        for name in ("undecided", "accepted", "refused", "merged")
    }
    claims["old"] = open_claim(question, value="old", origin=Claim.Origin.REFERENCE, author=None)
    claims["new"] = open_claim(
        question,
        value="new",
        origin=Claim.Origin.PERSON,
        author=cast.lead,
        supersedes=claims["old"],
    )
    decide_claim(claims["accepted"], ClaimDecision.Decision.ACCEPTED, by=cast.lead)
    decide_claim(claims["refused"], ClaimDecision.Decision.REFUSED, by=cast.lead, reason="no")
    decide_claim(claims["merged"], ClaimDecision.Decision.MERGED, by=cast.lead, into=claims["new"])
    for claim in claims.values():
        propose_evidence_set(claim, [span], origin=EvidenceSet.Origin.CERTIFY, author=None)
    opened = actions.open_items(
        frozen(project), EvidenceSet.objects.all(), by=member(project, cast.lead)
    )
    values = set(Item.objects.values_list("evidence_set__claim__value", flat=True))
    assert values == {"accepted", "new"}
    assert (opened.undecided, opened.turned_down, opened.superseded) == (1, 2, 1)


def test_open_items_needs_a_lead(project: Project, cast: Cast) -> None:
    """Reviewers do not choose what is reviewed."""
    make_evidence_set(make_claim(project))
    with pytest.raises(Refused, match="lead"):
        actions.open_items(
            frozen(project), EvidenceSet.objects.all(), by=member(project, cast.rosa)
        )


# --- Assigning -------------------------------------------------------------------------------


def test_take_next_again_gives_the_item_in_hand(project: Project, cast: Cast) -> None:
    """A double click does not take two items."""
    open_scene(project, cast.lead, sets=3)
    rosa = member(project, cast.rosa)
    assert actions.take_next(rosa) == actions.take_next(rosa)
    assert Assignment.objects.count() == 1


def test_nobody_gets_an_item_twice_and_none_over_k(project: Project, cast: Cast) -> None:
    """Skipped and sealed items do not come back, and k reviewers are enough."""
    scene = open_scene(project, cast.lead, sets=2, reviewers=1)
    rosa, rui = member(project, cast.rosa), member(project, cast.rui)
    first = actions.take_next(rosa)
    actions.release(first)
    second = actions.take_next(rosa)
    assert second.item_id != first.item_id
    seal(second)
    assert actions.take_next(rosa) is None
    assert actions.take_next(rui).item_id == first.item_id
    assert {state(item) for item in scene.items} == {"in-review", "accepted"}


def queue_of(person: Membership, scene: Scene) -> list[UUID]:
    """Everything that waits for ``person``, in their order."""
    return [one for few in waiting_for(person, scene.specification, None) for one in few]


def test_order_is_each_reviewers_own_and_depends_on_nothing_else(
    project: Project, cast: Cast
) -> None:
    """The place of an item in a queue stays when others judge, and differs per person."""
    scene = open_scene(project, cast.lead, sets=6)
    rosa, rui = member(project, cast.rosa), member(project, cast.rui)
    before, others = queue_of(rui, scene), queue_of(rosa, scene)
    for item in scene.items[:3]:
        judge(rosa, item, refusing("entailment"))
    assert queue_of(rui, scene) == before
    assert sorted(before) == sorted(others)
    assert before != others


def test_only_people_cleared_for_every_member_are_assigned(project: Project, cast: Cast) -> None:
    """One member of a class one does not hold, and the set does not come."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    claim = make_claim(project)
    spans = [
        span_of(make_version(project, "A\nfor all"), "for all"),
        span_of(make_version(project, "B\nfor few", reader_classes=["legal"]), "for few"),
    ]
    propose_evidence_set(claim, spans, origin=EvidenceSet.Origin.PERSON, author=None)
    add_member(project, cast.rui, Role.REVIEWER, reader_classes=["public", "legal"])
    actions.open_items(frozen(project), EvidenceSet.objects.all(), by=member(project, cast.lead))
    assert actions.take_next(member(project, cast.rosa)) is None
    assert actions.take_next(member(project, cast.rui)) is not None


@pytest.mark.parametrize("shown", ["item", "evidence_set", "claim", "question"])
def test_an_exposed_person_gets_no_such_item(project: Project, cast: Cast, shown: str) -> None:
    """Whoever was shown what a machine found on the question judges none of its sets."""
    item = open_scene(project, cast.lead).item
    subject = {
        "item": item,
        "evidence_set": item.evidence_set,
        "claim": item.evidence_set.claim,
        "question": item.evidence_set.claim.question,
    }[shown]
    side = Exposure.Side.MACHINE_VERDICT
    expose(cast.rosa, [subject], side, project_id=project.pk, place="runs")
    assert actions.take_next(member(project, cast.rosa)) is None
    assert actions.take_next(member(project, cast.rui)) is not None


def test_sweep_ends_leases_and_frees_the_slot(project: Project, cast: Cast) -> None:
    """Abandoned work gives its slot up; the item does not come to the same person again."""
    open_scene(project, cast.lead, reviewers=1)
    left = actions.take_next(member(project, cast.rosa))
    assert actions.sweep() == 0
    end_lease(left)
    assert actions.sweep() == 1
    assert actions.sweep() == 0
    assert actions.take_next(member(project, cast.rosa)) is None
    assert actions.take_next(member(project, cast.rui)).slot == 1


def test_a_lease_that_ended_is_given_away_without_a_sweep(project: Project, cast: Cast) -> None:
    """Nobody waits for the sweeper."""
    open_scene(project, cast.lead, reviewers=1)
    left = actions.take_next(member(project, cast.rosa))
    end_lease(left)
    taken = actions.take_next(member(project, cast.rui))
    assert taken.slot == left.slot
    left.refresh_from_db()
    assert left.state == "expired"


def test_renewing_regains_a_free_slot_and_never_a_taken_one(project: Project, cast: Cast) -> None:
    """An ended lease comes back while its slot is free."""
    open_scene(project, cast.lead, reviewers=1)
    held = actions.take_next(member(project, cast.rosa))
    end_lease(held)
    actions.sweep()
    renewed = actions.renew(held)
    assert (renewed.state, renewed.slot) == ("held", 1)
    assert Assignment.objects.filter(pk=held.pk, lease_until__gt=Now()).exists()
    end_lease(held)
    actions.take_next(member(project, cast.rui))
    assert actions.renew(held).state == "expired"


def test_saving_a_draft_renews_the_lease_and_keeps_every_field(
    project: Project, cast: Cast
) -> None:
    """Activity is enough to stay; a draft is stored as it was given."""
    open_scene(project, cast.lead)
    held = actions.take_next(member(project, cast.rosa))
    end_lease(held)
    answers = refusing("entailment")
    draft = actions.save_draft(held, answers)
    assert draft.answers["reasons"]["entailment"]["words"] == "no entailment"
    assert Assignment.objects.filter(pk=held.pk, lease_until__gt=Now()).exists()


def test_item_had_is_not_given_again_without_clearance(project: Project, cast: Cast) -> None:
    """Naming an item one once had is no way around a clearance that was taken away."""
    item = open_scene(project, cast.lead).item
    actions.take(member(project, cast.rosa), item.pk)
    set_membership(project, cast.rosa, roles=[Role.REVIEWER], reader_classes=[], actor=None)
    with pytest.raises(Refused, match="cannot come to you"):
        actions.take(member(project, cast.rosa), item.pk)


# --- Sealing ---------------------------------------------------------------------------------


def test_two_agreeing_reviewers_accept(project: Project, cast: Cast) -> None:
    """Agreement makes a verdict by nobody that names both judgements."""
    scene = open_scene(project, cast.lead)
    first = judge(member(project, cast.rosa), scene.item)
    assert state(scene.item) == "in-review"
    second = judge(member(project, cast.rui), scene.item)
    verdict = current_verdict(scene.item)
    assert (verdict.decision, verdict.basis, verdict.by) == ("accepted", "agreement", None)
    assert set(verdict.judgements) == {first.pk, second.pk}
    assert [row.verdict for row in adjudicated_items(scene.specification)] == [verdict]
    counts = state_counts(scene.specification)
    assert (counts.open, counts.disputed) == (0, 0)


def test_refusing_on_the_same_dimension_rejects(project: Project, cast: Cast) -> None:
    """Both refuse entailment, whatever else they refuse."""
    item = open_scene(project, cast.lead).item
    judge(member(project, cast.rosa), item, refusing("entailment", "boundary"))
    judge(member(project, cast.rui), item, refusing("entailment"))
    assert current_verdict(item).decision == "rejected"


def test_a_difference_is_a_dispute_without_a_verdict(project: Project, cast: Cast) -> None:
    """A disagreement is counted and decides nothing."""
    scene = open_scene(project, cast.lead)
    judge(member(project, cast.rosa), scene.item, refusing("entailment"))
    judge(member(project, cast.rui), scene.item, refusing("boundary"))
    assert state(scene.item) == "disputed"
    assert current_verdict(scene.item) is None
    counts = state_counts(scene.specification)
    assert (counts.open, counts.disputed) == (0, 1)


def test_same_key_twice_is_one_judgement(project: Project, cast: Cast) -> None:
    """A double click or a retry returns the first; another body under the key is refused."""
    open_scene(project, cast.lead)
    held, key = actions.take_next(member(project, cast.rosa)), uuid4()
    assert seal(held, key=key) == seal(held, key=key)
    with pytest.raises(actions.AlreadySealed):
        seal(held, refusing("entailment"), key=key)
    with pytest.raises(actions.AlreadySealed):
        seal(held, key=uuid4())
    assert Judgement.objects.count() == 1


def test_one_key_seals_one_item_only(project: Project, cast: Cast) -> None:
    """A key that sealed one item cannot seal another."""
    scene = open_scene(project, cast.lead, sets=2)
    rosa, key = member(project, cast.rosa), uuid4()
    seal(actions.take(rosa, scene.items[0].pk), key=key)
    with pytest.raises(actions.AlreadySealed, match="key"):
        seal(actions.take(rosa, scene.items[1].pk), key=key)


def test_draft_after_the_seal_changes_nothing(project: Project, cast: Cast) -> None:
    """A draft that arrives late is neither an error nor an answer."""
    open_scene(project, cast.lead)
    held = actions.take_next(member(project, cast.rosa))
    actions.save_draft(held, all_accepting())
    judgement = seal(held)
    assert actions.save_draft(held, refusing("entailment")) is None
    assert Draft.objects.get().answers["given"]["entailment"] == "entails"
    assert answers_of(judgement).given["entailment"] == "entails"


def test_incomplete_answers_are_not_sealed(project: Project, cast: Cast) -> None:
    """The refusal names the dimension, and nothing is written."""
    open_scene(project, cast.lead)
    held = actions.take_next(member(project, cast.rosa))
    with pytest.raises(actions.Incomplete) as refusal:
        seal(held, all_accepting().with_answer(ENTAILMENT, ""))
    assert list(refusal.value.faults) == ["entailment"]
    assert not Judgement.objects.exists()


def test_late_work_is_kept_as_surplus(project: Project, cast: Cast) -> None:
    """The slot was given away and sealed: what comes after is kept and decides nothing."""
    item = open_scene(project, cast.lead, reviewers=1).item
    late = actions.take_next(member(project, cast.rosa))
    end_lease(late)
    judge(member(project, cast.rui), item)
    kept = seal(late, refusing("entailment"))
    assert kept.surplus
    assert state(item) == "accepted"
    assert current_verdict(item).judgements != [kept.pk]


def test_late_work_counts_while_its_slot_is_free(project: Project, cast: Cast) -> None:
    """An ended lease alone takes nothing away."""
    item = open_scene(project, cast.lead, reviewers=1).item
    late = actions.take_next(member(project, cast.rosa))
    end_lease(late)
    actions.sweep()
    assert not seal(late).surplus
    assert state(item) == "accepted"


def test_judgement_after_an_exposure_never_decides(project: Project, cast: Cast) -> None:
    """Whoever was shown a hidden side while holding the item gives the slot up on sealing."""
    item = open_scene(project, cast.lead, reviewers=1).item
    held = actions.take_next(member(project, cast.rosa))
    expose(cast.rosa, [item], Exposure.Side.MACHINE_VERDICT, project_id=project.pk, place="runs")
    assert seal(held).after_exposure
    assert state(item) == "in-review"
    judge(member(project, cast.rui), item, refusing("entailment"))
    assert current_verdict(item).decision == "rejected"


def test_sealing_writes_no_answer_into_the_journal(project: Project, cast: Cast) -> None:
    """The journal says that someone sealed, never what."""
    item = open_scene(project, cast.lead).item
    judgement = judge(member(project, cast.rosa), item, refusing("entailment"))
    entry = Entry.objects.get(object_id=judgement.pk)
    assert (entry.verb, entry.actor, entry.detail) == ("sealed judgement", cast.rosa, {})


@pytest.mark.parametrize(
    "statement", ["UPDATE review_judgement SET entailment='unsure'", "DELETE FROM review_judgement"]
)
def test_sealed_judgement_refuses_change(project: Project, cast: Cast, statement: str) -> None:
    """Raw SQL of the application's own role is refused by the database."""
    judge(member(project, cast.rosa), open_scene(project, cast.lead).item)
    with pytest.raises(DatabaseError, match=r"denied|append-only"), transaction.atomic():
        connection.cursor().execute(statement)
    assert Judgement.objects.get().entailment == "entails"


# --- Amending --------------------------------------------------------------------------------


def test_amendment_before_the_round_is_complete_replaces(project: Project, cast: Cast) -> None:
    """The last unexposed amendment decides with the second reviewer; the first stays."""
    item = open_scene(project, cast.lead).item
    first = judge(member(project, cast.rosa), item, refusing("entailment"))
    amended = actions.amend(first, all_accepting(), reason="misread", idempotency_key=uuid4())
    judge(member(project, cast.rui), item)
    verdict = current_verdict(item)
    assert verdict.decision == "accepted"
    assert amended.pk in verdict.judgements
    assert first.pk not in verdict.judgements
    assert Judgement.objects.count() == 3


def test_amendment_after_an_exposure_never_decides(project: Project, cast: Cast) -> None:
    """It is kept, marked, and the judgement before it counts."""
    item = open_scene(project, cast.lead).item
    first = judge(member(project, cast.rosa), item, refusing("entailment"))
    expose(cast.rosa, [item], Exposure.Side.MACHINE_VERDICT, project_id=project.pk, place="runs")
    amended = actions.amend(first, all_accepting(), reason="saw it", idempotency_key=uuid4())
    assert amended.after_exposure
    judge(member(project, cast.rui), item)
    assert state(item) == "disputed"


def test_amendment_of_a_decided_item_leaves_the_verdict(project: Project, cast: Cast) -> None:
    """A verdict is superseded by a verdict, never by an amendment."""
    item = open_scene(project, cast.lead).item
    first = judge(member(project, cast.rosa), item)
    judge(member(project, cast.rui), item)
    verdict = current_verdict(item)
    actions.amend(first, refusing("boundary"), reason="second thoughts", idempotency_key=uuid4())
    assert current_verdict(item) == verdict
    assert state(item) == "accepted"


def test_amending_twice_the_same_is_once(project: Project, cast: Cast) -> None:
    """A double click amends once; another amendment names the last one."""
    item = open_scene(project, cast.lead).item
    first, key = judge(member(project, cast.rosa), item), uuid4()
    amended = actions.amend(first, refusing("boundary"), reason="words", idempotency_key=key)
    again = actions.amend(first, refusing("boundary"), reason="words", idempotency_key=key)
    assert again == amended
    with pytest.raises(actions.AlreadySealed):
        actions.amend(first, all_accepting(), reason="other", idempotency_key=uuid4())
    with pytest.raises(Refused, match="why"):
        actions.amend(amended, all_accepting(), reason=" ", idempotency_key=uuid4())


def test_smaller_set_is_proposed_without_the_spare_member(project: Project, cast: Cast) -> None:
    """Whoever calls a member dispensable may propose what remains."""
    item = open_scene(project, cast.lead).item
    spare = item.evidence_set.members.last()
    answers = refusing("minimality").with_member(spare.pk, MemberAnswer("not-needed"))
    proposed = actions.propose_smaller(judge(member(project, cast.rosa), item, answers))
    kept = item.evidence_set.members.first()
    assert [m.span_id for m in proposed.members.all()] == [kept.span_id]
    assert (proposed.origin, proposed.author) == ("person", cast.rosa)


# --- Adjudicating ----------------------------------------------------------------------------


@pytest.fixture
def disputed(project: Project, cast: Cast) -> Item:
    item = open_scene(project, cast.lead).item
    judge(member(project, cast.rosa), item, refusing("entailment"))
    judge(member(project, cast.rui), item)
    return item


def test_adjudicator_decides_once(project: Project, cast: Cast, disputed: Item) -> None:
    """The verdict names the person and the reason; a double click keeps the first."""
    ada = member(project, cast.adjudicator)
    verdict = actions.adjudicate(disputed, "rejected", reason="no date", by=ada)
    again = actions.adjudicate(disputed, "rejected", reason="no date", by=ada)
    assert again == verdict
    assert (verdict.by, verdict.basis, verdict.reason) == (ada.user, "adjudication", "no date")
    with pytest.raises(Refused, match="not in dispute"):
        actions.adjudicate(disputed, "accepted", reason="other", by=ada)
    assert state(disputed) == "rejected"


def test_adjudication_needs_a_reason_and_the_role(
    project: Project, cast: Cast, disputed: Item
) -> None:
    """No silent verdicts, and none by others."""
    with pytest.raises(Refused, match="reason"):
        actions.adjudicate(disputed, "accepted", reason=" ", by=member(project, cast.adjudicator))
    with pytest.raises(Refused, match="adjudicator"):
        actions.adjudicate(disputed, "accepted", reason="r", by=member(project, cast.lead))
    assert not Verdict.objects.exists()


def test_nobody_settles_what_they_had_in_hand(project: Project, cast: Cast) -> None:
    """Neither who judged nor who only skipped the item; the database stands behind it."""
    item = open_scene(project, cast.lead).item
    extra = make_user("vera")
    add_member(project, extra, Role.REVIEWER, Role.ADJUDICATOR)
    actions.release(actions.take(member(project, extra), item.pk))
    add_member(project, cast.rosa, Role.REVIEWER, Role.ADJUDICATOR)
    judge(member(project, cast.rosa), item, refusing("entailment"))
    judge(member(project, cast.rui), item)
    for user in (cast.rosa, extra):
        with pytest.raises(Refused, match="in hand"):
            actions.adjudicate(item, "accepted", reason="mine", by=member(project, user))
    with pytest.raises(DatabaseError, match="adjudicates"), transaction.atomic():
        Verdict.objects.create(
            item=item, round=1, decision="accepted", basis="adjudication", by=cast.rosa, reason="r"
        )


def test_decision_on_judgements_that_changed_is_refused(
    project: Project, cast: Cast, disputed: Item
) -> None:
    """An amendment between reading and deciding is read first."""
    seen = fingerprint(Judgement.objects.values_list("pk", flat=True))
    first = Judgement.objects.get(reviewer=cast.rosa)
    actions.amend(first, all_accepting(), reason="misread", idempotency_key=uuid4())
    ada = member(project, cast.adjudicator)
    with pytest.raises(Refused, match="amended"):
        actions.adjudicate(disputed, "rejected", reason="r", by=ada, seen=seen)


def test_fresh_round_goes_to_others(project: Project, cast: Cast, disputed: Item) -> None:
    """Round two is judged by people who never had the item, and decides alone."""
    ada = member(project, cast.adjudicator)
    with pytest.raises(Refused, match="the project has 0"):
        actions.ask_fresh_round(disputed, reason="unclear", by=ada)
    fresh = [make_user(name) for name in ("nora", "nils")]
    for user in fresh:
        add_member(project, user, Role.REVIEWER)
    actions.ask_fresh_round(disputed, reason="unclear", by=ada)
    assert FreshRound.objects.get().reason == "unclear"
    assert actions.take_next(member(project, cast.rosa)) is None
    for user in fresh:
        judge(member(project, user), disputed)
    verdict = current_verdict(disputed)
    assert (verdict.decision, verdict.round) == ("accepted", 2)
    of_round = Judgement.objects.filter(round=2).values_list("pk", flat=True)
    assert set(verdict.judgements) == set(of_round)


def test_fresh_round_counts_only_who_may_judge(
    project: Project, cast: Cast, disputed: Item, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Who lacks clearance, was shown a hidden side or left is no fresh reviewer."""
    add_reader_class(project, key="staff", title="Staff", actor=None)
    people = {name: make_user(name) for name in ("nora", "nils", "nia", "noel")}
    for name, user in people.items():
        classes = ["staff"] if name == "nils" else ["public", "staff"]
        add_member(project, user, Role.REVIEWER, reader_classes=classes)
    Membership.objects.filter(user=people["noel"]).update(active=False)
    question = disputed.evidence_set.claim.question
    verdict = Exposure.Side.MACHINE_VERDICT
    expose(people["nia"], [question], verdict, project_id=project.pk, place="run 1")
    item = Item.objects.select_related("project").get(pk=disputed.pk)
    # The original, the people, the three combinations of classes they hold, and the count.
    with django_assert_num_queries(6):
        assert fresh_reviewers(item) == 1


def test_measured_minimality_is_stored(project: Project, cast: Cast) -> None:
    """Blind removal of every member makes the answer measured; it is stored per member."""
    item = open_scene(project, cast.lead).item
    answers = all_accepting()
    for one in item.evidence_set.members.all():
        answers = answers.with_member(one.pk, MemberAnswer("needed", measured=True))
    judgement = judge(member(project, cast.rosa), item, answers)
    assert judgement.minimality_basis == "measured"
    assert all(one.measured for one in judgement.members.all())
    assert answers_of(judgement).given[MINIMALITY.key] == "minimal"
