"""Which judgements are compared, who may read how they agree, and what the page says."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from adjudication.projects.models import Project, Role
from adjudication.review import actions
from adjudication.review.answers import all_accepting
from adjudication.review.dimensions import ENTAILMENT
from adjudication.review.models import Judgement
from adjudication.review.queries import measured
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_user
from tests.releases.decided import released
from tests.review.scenes import Scene, judge, member, open_scene, refusing

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(project: Project, cast: Cast) -> Scene:
    """Four sets: accepted by both, refused by one, sealed by one, untouched."""
    scene = open_scene(project, cast.lead, sets=4)
    rosa, rui = member(project, cast.rosa), member(project, cast.rui)
    judge(rosa, scene.items[0])
    judge(rui, scene.items[0])
    judge(rosa, scene.items[1])
    judge(rui, scene.items[1], refusing("entailment"))
    judge(rosa, scene.items[2], refusing("entailment"))
    return scene


def address(number: int = 1) -> str:
    return reverse("agreement", args=["film-study", number])


def page(viewer: Client) -> str:
    response = viewer.get(address())
    assert response.status_code == 200
    return " ".join(response.text.split())


def test_sets_count_once_all_first_judgements_are_sealed(scene: Scene) -> None:
    """The third set's one judgement is in no figure; every set is counted somewhere."""
    found = measured(scene.specification)
    entailment = dict(found.first)[ENTAILMENT]
    assert (found.compared, found.sets.open, found.sets.disputed, found.sets.whole) == (2, 2, 1, 4)
    assert (entailment.rate.numerator, entailment.rate.denominator) == (1, 2)
    assert (entailment.rate.pending, entailment.rate.missing) == (2, 0)
    assert (entailment.sets, entailment.judgements, entailment.questions) == (2, 4, 2)


def test_page_gives_counts_with_each_rate_and_what_is_undefined(scene: Scene, cast: Cast) -> None:
    """Nobody differed on the boundary: its alpha says so instead of a number."""
    shown = page(client_for(cast.lead))
    assert '<span class="figure">1</span> of <span class="figure">2</span>' in shown
    assert "50.0 %" in shown
    assert "2 pending" in shown
    assert "undefined: no variance: every answer is the same" in shown
    assert "nan" not in shown.lower().split()
    assert "awaiting adjudication" in shown


def test_reviewers_are_letters_until_every_set_is_judged(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Who agreed with whom is named when nobody can be led by it any more."""
    lead = client_for(cast.lead)
    early = page(lead)
    assert "Rosa" not in early
    assert "<bdi>A</bdi> and <bdi>B</bdi>" in early
    rosa, rui = member(project, cast.rosa), member(project, cast.rui)
    judge(rui, scene.items[2])
    judge(rosa, scene.items[3])
    judge(rui, scene.items[3])
    assert "<bdi>Rosa</bdi> and <bdi>Rui</bdi>" in page(lead)


def test_an_amendment_is_agreement_after_discussion(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Rui saw Rosa's answer and gave in: the first figure stays, another stands beside it."""
    lead, rui = client_for(cast.lead), member(project, cast.rui)
    before = measured(scene.specification)
    assert (before.changed, before.last) == (0, ())
    assert "No set was amended or judged again" in page(lead)
    refused = Judgement.objects.get(item=scene.items[1], reviewer=cast.rui)
    actions.open_judgements(rui, scene.items[1], place="test")
    actions.amend(refused, all_accepting(), reason="I had overlooked it.", idempotency_key=uuid4())
    after = measured(scene.specification)
    assert (after.first, after.people) == (before.first, before.people)
    assert after.changed == 1
    assert dict(after.last)[ENTAILMENT].rate.numerator == 2
    assert "After discussion" in page(lead)


def test_a_fresh_round_does_not_touch_first_agreement(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Two others judge the disputed set alone; while one is missing the first round stands."""
    fresh = [make_user("ulla"), make_user("vito")]
    for user in fresh:
        add_member(project, user, Role.REVIEWER)
    ada = member(project, cast.adjudicator)
    actions.ask_fresh_round(scene.items[1], reason="Unclear.", by=ada)
    before = measured(scene.specification)
    assert dict(before.first)[ENTAILMENT].rate.pending == 2
    judge(member(project, fresh[0]), scene.items[1])
    assert measured(scene.specification) == before
    judge(member(project, fresh[1]), scene.items[1])
    after = measured(scene.specification)
    assert (after.first, after.changed) == (before.first, 1)
    assert dict(after.last)[ENTAILMENT].rate.numerator == 2


def test_late_and_exposed_judgements_are_set_aside(project: Project, cast: Cast) -> None:
    """A surplus judgement, and one by somebody who had seen, are in no figure and are counted."""
    scene = open_scene(project, cast.lead, sets=1)
    ulla = make_user("ulla")
    add_member(project, ulla, Role.REVIEWER)
    late = actions.take(member(project, ulla), scene.item.pk)
    actions.release(late)
    judge(member(project, cast.rosa), scene.item)
    judge(member(project, cast.rui), scene.item)
    before = measured(scene.specification)
    actions.seal(late, refusing("entailment"), idempotency_key=uuid4())
    after = measured(scene.specification)
    assert (after.first, after.people) == (before.first, before.people)
    assert (before.set_aside, after.set_aside) == (0, 1)


def test_whoever_may_still_judge_there_reads_no_totals(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """A lead who reviews waits until no set of the test can come to them."""
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    lead = client_for(cast.lead)
    refused = lead.get(address())
    assert refused.status_code == 403
    assert "may still come to you" in refused.text
    rui = member(project, cast.rui)
    judge(rui, scene.items[2])
    judge(member(project, cast.lead), scene.items[3])
    assert lead.get(address()).status_code == 403
    actions.adjudicate(
        scene.items[1], "accepted", reason="It does.", by=member(project, cast.adjudicator)
    )
    actions.adjudicate(
        scene.items[2], "accepted", reason="It does.", by=member(project, cast.adjudicator)
    )
    assert lead.get(address()).status_code == 200


def test_reviewers_adjudicators_and_readers_find_no_such_page(scene: Scene, cast: Cast) -> None:
    for user, status in (
        (cast.rosa, 403),
        (cast.adjudicator, 403),
        (cast.reader, 403),
        (cast.stranger, 404),
    ):
        assert client_for(user).get(address()).status_code == status
    assert client_for(cast.lead).post(address()).status_code == 405
    assert client_for(cast.lead).get(address(9)).status_code == 404


def test_auditor_reads_it_after_the_release(project: Project, cast: Cast, scene: Scene) -> None:
    """As they read everything of the record."""
    auditor = client_for(cast.auditor)
    assert auditor.get(address()).status_code == 403
    released(project, cast.lead, cast.adjudicator)
    assert "Agreement" in page(auditor)


def test_lone_reviewers_have_nothing_to_compare(project: Project, cast: Cast) -> None:
    """One reviewer per set: the page says so and shows no empty table."""
    scene = open_scene(project, cast.lead, reviewers=1)
    judge(member(project, cast.rosa), scene.item)
    shown = page(client_for(cast.lead))
    assert "nothing to compare" in shown
    assert "<table" not in shown
