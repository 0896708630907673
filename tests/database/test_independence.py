"""Independence holds in the database even where an action forgot to ask."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from adjudication.accounts.models import User
from adjudication.projects.models import Project, Role
from adjudication.review import actions
from adjudication.review.models import Assignment, Item, Judgement, Reopening, Verdict
from tests.conftest import Cast
from tests.factories import add_member, make_user
from tests.review.carried import carry, following
from tests.review.scenes import Scene, judge, member, open_scene, refusing

ACCEPTING = {
    "entailment": "entails",
    "minimality": "minimal",
    "minimality_basis": "asserted",
    "admissibility": "admissible",
    "alternatives": "on-its-own",
    "contradiction": "none",
    "boundary": "within",
}


@pytest.fixture
def scene(project: Project, cast: Cast) -> Scene:
    return open_scene(project, cast.lead, sets=2)


def store(
    assignment: Assignment, reviewer: User, item: Item, amends: Judgement | None = None
) -> Judgement:
    """A judgement written past every action."""
    with transaction.atomic():
        return Judgement.objects.create(
            assignment=assignment,
            reviewer=reviewer,
            item=item,
            round=1,
            idempotency_key=uuid4(),
            amends=amends,
            amendment_reason="second thoughts" if amends else "",
            **ACCEPTING,
        )


def decide(item: Item, by: User) -> Verdict:
    """A verdict written past every action."""
    with transaction.atomic():
        Item.objects.filter(pk=item.pk).update(state=Item.State.ACCEPTED)
        return Verdict.objects.create(
            item=item, round=1, decision="accepted", basis="adjudication", by=by, reason="So it is."
        )


def test_nobody_adjudicates_what_they_judged(project: Project, cast: Cast, scene: Scene) -> None:
    """The judge is refused; somebody else is not."""
    judge(member(project, cast.rosa), scene.item)
    with pytest.raises(IntegrityError, match="nobody adjudicates an item they judged"):
        decide(scene.item, cast.rosa)
    assert decide(scene.item, cast.adjudicator).by == cast.adjudicator


def test_nobody_judges_what_they_adjudicated(project: Project, cast: Cast, scene: Scene) -> None:
    """Nor the other way round."""
    assignment = actions.take(member(project, cast.rosa), scene.item.pk)
    decide(scene.item, cast.rosa)
    with pytest.raises(IntegrityError, match="nobody judges an item they adjudicated"):
        store(assignment, cast.rosa, scene.item)


def test_nobody_judges_again_what_they_adjudicated_before_it_was_carried(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """A fresh round on a carried set is as far from the adjudicator of then as the first."""
    judge(member(project, cast.rosa), scene.item)
    judge(member(project, cast.rui), scene.item, refusing("entailment"))
    add_member(project, cast.adjudicator, Role.ADJUDICATOR, Role.REVIEWER)
    ada = member(project, cast.adjudicator)
    actions.adjudicate(scene.item, "accepted", reason="It is stated.", by=ada)
    later = following(project)
    carry(project, cast, scene, later)
    item = Item.objects.get(specification=later)
    fresh = [make_user(name) for name in ("nils", "nora")]
    for person in fresh:
        add_member(project, person, Role.REVIEWER)
    ole = make_user("ole")
    add_member(project, ole, Role.ADJUDICATOR)
    actions.ask_fresh_round(item, reason="Times changed.", by=member(project, ole))
    with pytest.raises(IntegrityError, match="nobody judges an item they adjudicated"):
        store(_held(item, cast.adjudicator), cast.adjudicator, item)
    assert store(_held(item, fresh[0]), fresh[0], item)


def _held(item: Item, reviewer: User) -> Assignment:
    """An assignment written past every action."""
    return Assignment.objects.create(
        item=item, reviewer=reviewer, round=2, lease_until=item.opened_at
    )


def _commit() -> None:
    """What is checked when a transaction ends is checked now."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


@pytest.mark.parametrize("state", [Item.State.ACCEPTED, Item.State.REJECTED])
def test_no_item_is_decided_without_a_verdict(scene: Scene, state: Item.State) -> None:
    """Lists and releases go by the state, so it cannot be set alone."""
    Item.objects.filter(pk=scene.item.pk).update(state=state)
    with pytest.raises(IntegrityError, match="its standing verdict says nothing"):
        _commit()


def test_state_and_standing_verdict_say_the_same(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Neither is turned round alone; together they are."""
    verdict = decide(scene.item, cast.adjudicator)
    _commit()
    Item.objects.filter(pk=scene.item.pk).update(state=Item.State.REJECTED)
    with (
        pytest.raises(IntegrityError, match="standing verdict says accepted"),
        transaction.atomic(),
    ):
        _commit()
    Reopening.objects.create(verdict=verdict, by=cast.lead, reason="Read it again.")
    Verdict.objects.create(
        item=scene.item,
        round=1,
        decision="rejected",
        basis="adjudication",
        by=cast.adjudicator,
        reason="Read again.",
        supersedes=verdict,
    )
    _commit()
    Verdict.objects.create(
        item=scene.items[1],
        round=1,
        decision="rejected",
        basis="adjudication",
        by=cast.adjudicator,
        reason="Unasked.",
    )
    with pytest.raises(IntegrityError, match="is proposed and its standing verdict says rejected"):
        _commit()


def test_a_verdict_is_put_in_doubt_on_record_alone(cast: Cast, scene: Scene) -> None:
    """Not by another verdict, not by the state, and not by half a reopening."""
    verdict = decide(scene.item, cast.adjudicator)
    _commit()
    again = {"round": 1, "decision": "accepted", "basis": "adjudication", "reason": "So it is."}
    with pytest.raises(IntegrityError, match="reopened or judged anew"), transaction.atomic():
        Verdict.objects.create(item=scene.item, by=cast.adjudicator, supersedes=verdict, **again)
    for state in (Item.State.IN_REVIEW, Item.State.PROPOSED):
        with pytest.raises(IntegrityError, match="fresh round"), transaction.atomic():
            Item.objects.filter(pk=scene.item.pk).update(state=state)
    Reopening.objects.create(verdict=verdict, by=cast.lead, reason="A later edition.")
    with pytest.raises(IntegrityError, match="leaves its item in dispute"):
        _commit()


def test_nobody_adjudicates_in_conflict_of_interest(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Declared as a reviewer, it holds for an adjudicator too."""
    actions.flag(actions.take(member(project, cast.rosa), scene.item.pk), "conflict")
    with pytest.raises(IntegrityError, match="conflict of interest"):
        decide(scene.item, cast.rosa)


def test_judgement_belongs_to_its_assignment(project: Project, cast: Cast, scene: Scene) -> None:
    """Neither another person's assignment nor another item will do."""
    assignment = actions.take(member(project, cast.rosa), scene.item.pk)
    for reviewer, item in ((cast.rui, scene.item), (cast.rosa, scene.items[1])):
        with pytest.raises(IntegrityError, match="reviewer and item of its assignment"):
            store(assignment, reviewer, item)
    assert store(assignment, cast.rosa, scene.item).reviewer == cast.rosa


def test_reviewer_amends_only_their_own(project: Project, cast: Cast, scene: Scene) -> None:
    """Somebody else's judgement cannot be replaced."""
    of_rosa = judge(member(project, cast.rosa), scene.item)
    of_rui = actions.take(member(project, cast.rui), scene.item.pk)
    with pytest.raises(IntegrityError, match="only their own judgement"):
        store(of_rui, cast.rui, scene.item, amends=of_rosa)
