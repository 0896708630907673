"""What a lead sees of the review, and what a lead who reviews does not."""

from __future__ import annotations

from django.urls import reverse

from adjudication.claims.models import EvidenceSet
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, Role
from adjudication.review import actions
from adjudication.review.queries import items_of, short_of_reviewers
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_claim, make_evidence_set
from tests.review.scenes import frozen, member, open_scene


def overview(cast: Cast) -> str:
    return client_for(cast.lead).get(reverse("review", args=["film-study"])).content.decode()


def test_lead_is_told_of_sets_too_few_may_read(project: Project, cast: Cast) -> None:
    """A set that waits for nobody would otherwise wait for ever."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    make_evidence_set(make_claim(project), "For all to read.")
    make_evidence_set(make_claim(project), "For few to read.", reader_classes=["legal"])
    specification = frozen(project)
    actions.open_items(specification, EvidenceSet.objects.all(), by=member(project, cast.lead))
    add_member(project, cast.rosa, Role.REVIEWER, reader_classes=["legal", "public"])
    assert "too few are cleared" in overview(cast)
    assert short_of_reviewers(specification).count() == 1
    add_member(project, cast.rui, Role.REVIEWER, reader_classes=["legal", "public"])
    assert short_of_reviewers(specification).count() == 0


def test_lead_who_reviews_sees_no_totals_of_the_project(project: Project, cast: Cast) -> None:
    """They would tell what the others have sealed; opening sets stays possible."""
    open_scene(project, cast.lead)
    workload = reverse("workload", args=["film-study"])
    assert "awaiting a first reviewer" in overview(cast)
    assert workload in overview(cast)
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    page = overview(cast)
    assert "awaiting a first reviewer" not in page
    assert "Open for review" in page
    assert workload not in page


def test_lead_can_leave_out_sets_that_reach_outside(project: Project, cast: Cast) -> None:
    """Nobody's hours go to sets that the test cannot accept, unless a lead wants it so."""
    inside = make_evidence_set(make_claim(project), "Known in time.")
    specification = frozen(project)
    outside = make_evidence_set(make_claim(project), "Captured later.")
    page = overview(cast)
    assert '<span class="figure">1</span> of them has a member in a version' in page
    url = reverse("review-open", args=["film-study"])
    post = {"origins": EvidenceSet.Origin.values, "eligible_only": "on"}
    client_for(cast.lead).post(url, post)
    assert [item.evidence_set for item in items_of(specification)] == [inside]
    client_for(cast.lead).post(url, {"origins": EvidenceSet.Origin.values})
    assert {item.evidence_set for item in items_of(specification)} == {inside, outside}


def test_reviewer_is_told_where_nothing_is_open(project: Project, cast: Cast) -> None:
    """After a new specification the desk is empty: it says so, and offers nothing to press."""
    open_scene(project, cast.lead)
    desk = reverse("review", args=["film-study"])
    assert "Next item" in client_for(cast.rosa).get(desk).content.decode()
    frozen(project)
    page = client_for(cast.rosa).get(desk).content.decode()
    assert "Nothing is under review for you in specification" in page
    assert "Next item" not in page
