"""A decided set is put in question: on record, superseding nothing by itself, blind as before."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from adjudication.claims.models import EvidenceSet
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.models import Project, Role
from adjudication.releases.queries import draft_of
from adjudication.review import actions
from adjudication.review.models import FreshRound, Item, Reopening, Verdict
from adjudication.review.queries import current_verdict, state_counts, verdicts_on
from adjudication.review.queries.queue import available_to
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_claim, make_evidence_set, make_project, make_user
from tests.releases.decided import released
from tests.review.carried import carry, decided, following
from tests.review.scenes import Scene, judge, member, refusing

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(project: Project, cast: Cast) -> Scene:
    """One set that both reviewers accepted."""
    return decided(project, cast)


def address(name: str, item: Item) -> str:
    return reverse(name, args=["film-study", item.pk])


def reopened(scene: Scene, cast: Cast) -> Item:
    actions.reopen(scene.item, reason="A later edition says otherwise.", by=scene.lead)
    scene.item.refresh_from_db()
    return scene.item


def test_another_verdict_supersedes_and_both_stay_visible(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """The reason, who reopened it and the verdict of then stand beside the new one."""
    item = reopened(scene, cast)
    assert item.state == Item.State.DISPUTED
    before = current_verdict(item)
    assert before.decision == "accepted"
    url = address("adjudication-item", item)
    assert "<h1>Reopened set</h1>" in client_for(cast.adjudicator).get(url).text
    ada = member(project, cast.adjudicator)
    made = actions.adjudicate(item, "rejected", reason="The edition holds.", by=ada)
    assert made.supersedes == before
    assert list(verdicts_on(item)) == [made, before]
    page = client_for(cast.adjudicator).get(address("adjudication-item", item)).text
    for said in ("Earlier verdict", "A later edition says otherwise.", "The edition holds."):
        assert said in page
    assert Entry.objects.get(verb="reopened").actor == cast.lead


def test_the_same_decision_again_is_a_new_verdict(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """An adjudicator who confirms what was in question leaves it decided, in the same words."""
    item, ada = reopened(scene, cast), member(project, cast.adjudicator)
    first = actions.adjudicate(item, "accepted", reason="It holds.", by=ada)
    actions.reopen(item, reason="Sure?", by=ada)
    second = actions.adjudicate(item, "accepted", reason="It holds.", by=ada)
    assert second.supersedes == first
    item.refresh_from_db()
    assert item.state == Item.State.ACCEPTED
    assert actions.adjudicate(item, "accepted", reason="It holds.", by=ada) == second


def test_fresh_reviewers_judge_a_reopened_set_blind(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Neither of the first two gets it; the two others decide, and supersede."""
    item, ada = reopened(scene, cast), member(project, cast.adjudicator)
    fresh = [make_user("ulla"), make_user("vito")]
    for user in fresh:
        add_member(project, user, Role.REVIEWER)
    actions.ask_fresh_round(item, reason="Others should look.", by=ada)
    assert not available_to(member(project, cast.rosa), scene.specification).exists()
    for user in fresh:
        judge(member(project, user), item, refusing("entailment"))
    verdict = current_verdict(item)
    assert (verdict.decision, verdict.round) == ("rejected", 2)
    assert verdict.supersedes.decision == "accepted"


def test_a_released_version_stays_and_the_next_one_differs(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """While the set waits it is in no draft; what was released keeps every byte."""
    first = released(project, cast.lead, cast.adjudicator)
    bodies = list(first.items.values_list("body", "sha256"))
    item, ada = reopened(scene, cast), member(project, cast.adjudicator)
    draft = draft_of(scene.specification)
    assert (draft.total, draft.awaiting, draft.changes.gone) == (0, 1, 1)
    actions.adjudicate(item, "rejected", reason="The edition holds.", by=ada)
    second = released(project, cast.lead, cast.adjudicator)
    assert list(first.items.values_list("body", "sha256")) == bodies
    assert second.items.get().sha256 != first.items.get().sha256
    assert second.items.get().verdict.supersedes == first.items.get().verdict


def test_reopening_needs_a_reason_a_role_and_a_verdict(
    project: Project, cast: Cast, scene: Scene
) -> None:
    item = scene.item
    with pytest.raises(Refused, match="reason"):
        actions.reopen(item, reason=" ", by=scene.lead)
    with pytest.raises(Refused):
        actions.reopen(item, reason="No.", by=member(project, cast.auditor))
    actions.reopen(item, reason="Once.", by=scene.lead)
    with pytest.raises(Refused, match="not decided"):
        actions.reopen(item, reason="Twice.", by=scene.lead)
    assert Reopening.objects.count() == 1


def test_second_press_of_a_button_changes_nothing(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Reopening and asking for a fresh round twice with one reason is doing it once."""
    for name in ("ulla", "uwe"):
        add_member(project, make_user(name), Role.REVIEWER)
    ada = client_for(cast.adjudicator)
    for what in ("reopen", "fresh-round"):
        for _ in range(2):
            answer = ada.post(address(what, scene.item), {"reason": "A later edition."})
            assert answer.status_code == 302
    scene.item.refresh_from_db()
    assert (scene.item.state, scene.item.round) == (Item.State.IN_REVIEW, 2)
    assert (Reopening.objects.count(), FreshRound.objects.count()) == (1, 1)
    other = {"reason": "Another one."}
    assert ada.post(address("reopen", scene.item), other).status_code == 422


def test_lead_of_another_project_changes_nothing_here(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Whatever page or command calls an action with a membership of elsewhere."""
    elsewhere = make_project()
    add_member(elsewhere, cast.stranger, Role.LEAD, Role.ADJUDICATOR)
    by = member(elsewhere, cast.stranger)
    make_evidence_set(make_claim(project))
    actions.open_items(scene.specification, EvidenceSet.objects.all(), by=scene.lead)
    held = actions.take_next(member(project, cast.rosa))
    flag = actions.flag(held, "broken-excerpt")
    for act in (
        lambda: actions.reopen(scene.item, reason="Mine.", by=by),
        lambda: actions.adjudicate(scene.item, "rejected", reason="Mine.", by=by),
        lambda: actions.ask_fresh_round(scene.item, reason="Mine.", by=by),
        lambda: actions.comment(by, scene.item, "Mine."),
        lambda: actions.resolve_flag(flag, reason="Mine.", by=by),
        lambda: actions.take_back(held, by=by),
    ):
        with pytest.raises(Refused, match="another project"):
            act()


def test_nobody_reopens_what_they_judged(project: Project, cast: Cast, scene: Scene) -> None:
    """Also not around the action: the database refuses it."""
    add_member(project, cast.rosa, Role.REVIEWER, Role.LEAD)
    with pytest.raises(Refused, match="in hand"):
        actions.reopen(scene.item, reason="I was right.", by=member(project, cast.rosa))
    verdict = current_verdict(scene.item)
    with pytest.raises(IntegrityError, match="nobody reopens"), transaction.atomic():
        Reopening.objects.create(verdict=verdict, by=cast.rosa, reason="I was right.")


def test_database_keeps_the_chain(project: Project, cast: Cast) -> None:
    """No dispute after a verdict without a reopening, none of a verdict that is superseded, and
    no verdict over one of another item."""
    scene = decided(project, cast, sets=2)
    one, two = scene.items
    with pytest.raises(IntegrityError, match="nobody reopened"), transaction.atomic():
        Item.objects.filter(pk=one.pk).update(state=Item.State.DISPUTED)
    old = current_verdict(one)
    actions.reopen(one, reason="Look again.", by=scene.lead)
    ada = member(project, cast.adjudicator)
    actions.adjudicate(one, "rejected", reason="No.", by=ada)
    with pytest.raises(IntegrityError, match="stands"), transaction.atomic():
        Reopening.objects.create(verdict=old, by=cast.lead, reason="Again.")
    with pytest.raises(IntegrityError, match="on the same item"), transaction.atomic():
        Verdict.objects.create(
            item=one,
            round=1,
            decision="accepted",
            basis="adjudication",
            by=cast.adjudicator,
            reason="Mixed up.",
            supersedes=current_verdict(two),
        )


def test_a_carried_verdict_can_be_reopened_and_counts_once(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """It is in dispute then, and no longer among those carried over."""
    later = following(project)
    carry(project, cast, scene, later)
    item = Item.objects.get(specification=later)
    actions.reopen(item, reason="Does it still?", by=scene.lead)
    counts = state_counts(later)
    assert (counts.carried, counts.disputed, counts.whole) == (0, 1, 1)
    ada = member(project, cast.adjudicator)
    actions.adjudicate(item, "accepted", reason="It does.", by=ada)
    counts = state_counts(later)
    assert (counts.carried, counts.accepted, counts.whole) == (0, 1, 1)


def test_lead_finds_reads_and_reopens_a_decided_set(cast: Cast, scene: Scene) -> None:
    """From the list, by a form; without a reason the page says so and nothing changed."""
    lead = client_for(cast.lead)
    listed = lead.get(reverse("adjudication", args=["film-study"]) + "?show=decided").text
    assert address("adjudication-item", scene.item) in listed
    assert "Reopen" in lead.get(address("adjudication-item", scene.item)).text
    assert lead.post(address("reopen", scene.item), {"reason": ""}).status_code == 422
    assert not Reopening.objects.exists()
    answer = lead.post(address("reopen", scene.item), {"reason": "A new source."}, follow=True)
    assert "waits for an adjudicator" in answer.text
    assert "A new source." in answer.text
    assert lead.post(address("reopen", scene.item), {"reason": "Again."}).status_code == 422


def test_who_reviews_finds_only_what_they_were_shown(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """A set decided by others may come to them once reopened: the list does not tell of it."""
    add_member(project, cast.adjudicator, Role.REVIEWER, Role.ADJUDICATOR)
    ada = client_for(cast.adjudicator)
    listed = reverse("adjudication", args=["film-study"]) + "?show=decided"
    assert "Nothing decided yet" in ada.get(listed).text
    ada.get(address("adjudication-item", scene.item))
    assert address("adjudication-item", scene.item) in ada.get(listed).text
