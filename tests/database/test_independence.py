"""Independence holds in the database even where an action forgot to ask."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from adjudication.accounts.models import User
from adjudication.projects.models import Project
from adjudication.review import actions
from adjudication.review.models import Assignment, Item, Judgement, Verdict
from tests.conftest import Cast
from tests.review.scenes import Scene, judge, member, open_scene

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
