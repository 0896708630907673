"""What a lead sees of who has how much in hand, and an item that lies with somebody."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from adjudication.claims.models import EvidenceSet
from adjudication.journal.actions import expose
from adjudication.journal.models import Entry, Exposure
from adjudication.projects.actions import add_reader_class, deactivate
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.queries import member_named
from adjudication.review import actions
from adjudication.review.models import Assignment, Item
from adjudication.review.queries import Workload, available_to, workload
from adjudication.review.queries.workload import waiting_for
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_claim, make_evidence_set, make_user
from tests.review.carried import carry, decided, following
from tests.review.scenes import Scene, judge, member, open_scene, refusing, seal

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(project: Project, cast: Cast) -> Scene:
    """Five sets: Rosa sealed one, handed one back and has one in hand."""
    scene = open_scene(project, cast.lead, sets=5)
    rosa = member(project, cast.rosa)
    judge(rosa, scene.items[0])
    actions.release(actions.take(rosa, scene.items[1].pk))
    actions.take(rosa, scene.items[2].pk)
    return scene


def address(assignment: Assignment | None = None) -> str:
    if assignment is None:
        return reverse("workload", args=["film-study"])
    return reverse("workload-release", args=["film-study", assignment.pk])


def of(scene: Scene, name: str) -> Workload:
    return next(row for row in workload(scene.specification) if row.name == name)


def held(scene: Scene) -> Assignment:
    return Assignment.objects.get(item=scene.items[2])


def test_each_state_counts_apart(scene: Scene, cast: Cast) -> None:
    """What was handed back is not what ran out, and neither is done."""
    rosa, rui = of(scene, "Rosa"), of(scene, "Rui")
    assert (rosa.held, rosa.sealed, rosa.released, rosa.expired) == (1, 1, 1, 0)
    assert (rosa.waiting, rui.waiting) == (2, 5)
    assert (rui.held, rui.sealed, rui.last) == (0, 0, None)
    assert rosa.last is not None


def test_a_lease_that_ran_out_is_not_in_hand(scene: Scene) -> None:
    """Also before the sweep has said so, and as the queue takes it."""
    Assignment.objects.filter(pk=held(scene).pk).update(lease_until=Now() - timedelta(minutes=1))
    before = of(scene, "Rosa")
    assert (before.held, before.expired) == (0, 1)
    actions.sweep()
    assert of(scene, "Rosa") == before


def test_what_could_come_is_what_the_queue_would_give(project: Project, cast: Cast) -> None:
    """The counts of a few queries are those that the queue finds person by person, whatever
    keeps a set from one of them or from all."""
    first = decided(project, cast, sets=2)
    add_reader_class(project, key="legal", title="Legal", actor=None)
    for name, classes in (
        ("ulla", ["public", "legal"]),
        ("vito", ["public"]),
        ("wim", ["public"]),
        ("xenia", ["public"]),
        ("yara", []),
    ):
        add_member(project, make_user(name), Role.REVIEWER, reader_classes=classes)
    make_evidence_set(make_claim(project), "For few.", reader_classes=["legal"])
    for number in range(5):
        make_evidence_set(make_claim(project), f"Known as K{number}.")
    later = following(project)
    carry(project, cast, first, later)
    lead = member(project, cast.lead)
    actions.open_items(later, EvidenceSet.objects.all(), by=lead)
    items = Item.objects.filter(specification=later)
    carried = items.filter(state=Item.State.ACCEPTED).first()
    actions.ask_fresh_round(carried, reason="Look again.", by=member(project, cast.adjudicator))
    fresh = items.filter(evidence_set__members__span__exact__startswith="Known as")
    use_up(project, list(fresh.order_by("pk")))
    reviewers = Membership.objects.filter(project=project, roles__contains=[Role.REVIEWER])
    slow = {one.user_id: available_to(one, later).count() for one in reviewers}
    assert waiting_for(later, reviewers) == slow
    assert len(set(slow.values())) > 3


def use_up(project: Project, items: Sequence[Item]) -> None:
    """Every way in which a set stops coming to one person, or to all."""
    ulla, vito, wim, xenia = (member_named(project, n) for n in ("ulla", "vito", "wim", "xenia"))
    one, two, three, four, five = items
    judge(vito, one)
    judge(wim, one, refusing("entailment"))
    judge(ulla, two)
    actions.take(vito, two.pk)
    actions.release(actions.take(wim, three.pk))
    for person, thing in (
        (xenia, three),
        (xenia, three.evidence_set),
        (wim, four.evidence_set.claim),
        (vito, five.evidence_set.claim.question),
    ):
        side = Exposure.Side.JUDGEMENT
        expose(person.user, [thing], side, project_id=project.pk, place="test")
    actions.flag(actions.take(ulla, four.pk), "conflict", "A friend wrote it.")


def test_queries_do_not_grow_with_people_or_sets(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Ten more reviewers with the same clearance cost no further question."""

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            workload(scene.specification)
        return len(queries)

    before = asked()
    for number in range(10):
        user = make_user(f"more-{number}")
        add_member(project, user, Role.REVIEWER)
        if number < 2:
            judge(member(project, user), scene.items[3 + number])
    assert asked() == before <= 9


def test_lead_releases_what_somebody_has_in_hand(scene: Scene, cast: Cast) -> None:
    """One press, on record with the lead's name; the set can go to others."""
    lead, lease = client_for(cast.lead), held(scene)
    page = lead.get(address()).text
    assert scene.items[2].evidence_set.claim.text in page
    response = lead.post(address(lease), follow=True)
    assert "Released for Rosa" in response.text
    lease.refresh_from_db()
    assert lease.state == Assignment.State.RELEASED
    entry = Entry.objects.get(verb="released item for the reviewer")
    assert (entry.actor, entry.object_id) == (cast.lead, lease.pk)
    assert "not in hand any more" in lead.post(address(lease), follow=True).text
    assert Entry.objects.filter(verb="released item for the reviewer").count() == 1


def test_what_was_released_for_somebody_can_still_be_sealed(scene: Scene) -> None:
    """Nobody's work is lost: with the slot still free it counts, and the lead took nothing."""
    lease = held(scene)
    assert actions.take_back(lease, by=scene.lead)
    assert not seal(lease, key=uuid4()).surplus


def test_only_a_lead_of_the_project_releases(scene: Scene, cast: Cast) -> None:
    for user, status in ((cast.rosa, 403), (cast.auditor, 403), (cast.stranger, 404)):
        assert client_for(user).post(address(held(scene))).status_code == status
        assert client_for(user).get(address()).status_code == status
    lead = client_for(cast.lead)
    assert lead.post(reverse("workload-release", args=["film-study", uuid4()])).status_code == 404
    assert lead.get(address(held(scene))).status_code == 405
    assert held(scene).state == Assignment.State.HELD


def test_lead_who_may_judge_sees_no_totals_of_others(
    project: Project, cast: Cast, scene: Scene
) -> None:
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    lead = client_for(cast.lead)
    assert lead.get(address()).status_code == 403
    assert lead.post(address(held(scene))).status_code == 403
    assert held(scene).state == Assignment.State.HELD


def test_removing_a_person_mid_item_strands_nothing(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """What she sealed counts, what she held goes to another once released or ended, and the
    lead still sees both under her name."""
    deactivate(member(project, cast.rosa), actor=cast.lead)
    row = of(scene, "Rosa")
    assert (row.active, row.held, row.sealed, row.waiting) == (False, 1, 1, 0)
    ulla = make_user("ulla")
    add_member(project, ulla, Role.REVIEWER)
    assert actions.take_back(held(scene), by=scene.lead)
    for name in (cast.rui, ulla):
        judge(member(project, name), scene.items[2])
    judge(member(project, cast.rui), scene.items[0])
    for number in (0, 2):
        scene.items[number].refresh_from_db()
        assert scene.items[number].state == "accepted"


def test_a_set_the_lead_may_not_read_is_named_by_its_question(project: Project, cast: Cast) -> None:
    """A claim may quote what is blocked for whoever looks at the leases."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    make_evidence_set(make_claim(project, value="The Secret Buyer"), reader_classes=["legal"])
    scene = open_scene(project, cast.lead, sets=0)
    add_member(project, cast.rosa, Role.REVIEWER, reader_classes=["legal"])
    actions.take(member(project, cast.rosa), scene.item.pk)
    page = client_for(cast.lead).get(address()).text
    assert "blocked for you" in page
    assert "The Secret Buyer" not in page
