"""What waits for whom, and the way of a new project."""

from __future__ import annotations

import pytest

from adjudication.claims.actions import claim_for_answer, decide_claim
from adjudication.claims.models import ClaimDecision, EvidenceSet
from adjudication.home import Step, steps_of, waiting_for
from adjudication.projects.actions import deactivate
from adjudication.projects.models import Membership, Project, Role
from adjudication.review.actions import open_items
from adjudication.specifications.actions import freeze, start_draft
from tests.conftest import Cast, client_for
from tests.factories import (
    add_member,
    make_claim,
    make_evidence_set,
    make_project,
    make_user,
    make_version,
)

HOME = "/p/film-study/"


def of(project: Project, username: str) -> Membership:
    return Membership.objects.get(project=project, user__username=username)


def labels(project: Project, username: str) -> list[str]:
    return [line.label for line in waiting_for(of(project, username))]


def test_lead_of_a_new_project_is_led_from_import_to_release(project: Project, cast: Cast) -> None:
    """Step by step: what is done is said, and the next one is offered."""
    browser = client_for(cast.lead)
    assert browser.get(HOME).context["next_step"].title == "Import sources and questions"
    make_evidence_set(make_claim(project))
    assert browser.get(HOME).context["next_step"].title == "Freeze a specification"
    test = freeze(start_draft(project, by=cast.lead), by=cast.lead)
    assert browser.get(HOME).context["next_step"].title == "Certify the questions"
    open_items(test, EvidenceSet.objects.all(), by=of(project, "lena"))
    done = [step.title for step in steps_of(project) if step.done]
    assert done == [
        "Import sources and questions",
        "Add people",
        "Freeze a specification",
        "Open the sets for review",
    ]


def test_people_step_counts_who_takes_part(project: Project, cast: Cast) -> None:
    """Against what the specification asks for; who left does not count."""

    def step() -> Step:
        return next(step for step in steps_of(project) if step.title == "Add people")

    assert step().done
    deactivate(of(project, "rui"), actor=cast.lead)
    assert not step().done
    assert step().text.endswith("Taking part: 1 who review, 1 who adjudicate.")


def test_only_leads_see_the_steps(project: Project, cast: Cast) -> None:
    """A reviewer has nothing to do with them."""
    for person in (cast.rosa, cast.adjudicator, cast.auditor, cast.reader):
        page = client_for(person).get(HOME)
        assert page.status_code == 200
        assert page.context["steps"] == []
        assert "From import to release" not in page.text


def test_draft_waits_for_leads_until_frozen(project: Project, cast: Cast) -> None:
    """With the way to go on."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    assert "draft of specification 1, not frozen" in labels(project, "lena")
    assert labels(project, "rosa") == []
    freeze(draft, by=cast.lead)
    assert "draft of specification 1, not frozen" not in labels(project, "lena")


def test_proposed_claims_wait_for_leads_with_a_fixed_whole(project: Project, cast: Cast) -> None:
    """Decided ones stay in the denominator; reviewers are not told that there are any."""
    question = make_claim(project).question
    first, _ = (claim_for_answer(question, value) for value in ("Entity S", "Entity T"))
    decide_claim(first, ClaimDecision.Decision.ACCEPTED, by=cast.lead)
    lines = {line.label: line for line in waiting_for(of(project, "lena"))}
    line = lines["claims that a run proposed"]
    assert (line.count, line.of) == (1, 2)
    assert "claims that a run proposed" not in labels(project, "rosa")


def test_lead_who_reviews_sees_own_totals_only(project: Project, cast: Cast) -> None:
    """The project's totals change with what others answer; a lead who only leads sees them."""
    evidence_set = make_evidence_set(make_claim(project))
    test = freeze(start_draft(project, by=cast.lead), by=cast.lead)
    open_items(test, EvidenceSet.objects.filter(pk=evidence_set.pk), by=of(project, "lena"))
    totals = {"sets awaiting another", "decided sets not released yet"}
    assert totals < set(labels(project, "lena"))
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    seen = labels(project, "lena")
    assert seen == ["claims that a run proposed", "evidence sets not judged by me"]
    assert labels(project, "rosa") == ["evidence sets not judged by me"]


def test_home_with_nothing_waiting_says_what_comes(project: Project, cast: Cast) -> None:
    """An empty place teaches."""
    page = client_for(cast.reader).get(HOME)
    assert "Nothing waits for you" in page.text
    assert "Go to releases" in page.text


def test_home_names_roles_and_clearances(project: Project, cast: Cast) -> None:
    """A person sees on which grounds they see what they see."""
    page = client_for(cast.rosa).get(HOME).text
    assert "Public" in page
    assert "reviewer" in page


def test_project_list_shows_own_projects_with_roles(project: Project, cast: Cast) -> None:
    """And no other project."""
    make_project("hidden-study")
    add_member(project, cast.rosa, Role.REVIEWER, Role.READER)
    page = client_for(cast.rosa).get("/")
    assert [card["title"] for card in page.context["cards"]] == ["Film-Study"]
    assert page.context["cards"][0]["facts"][0]["value"] == "reader, reviewer"
    assert "Hidden" not in page.text


@pytest.mark.parametrize("operator", [True, False])
def test_empty_project_list_offers_what_this_person_can_do(db: None, operator: bool) -> None:
    """Operators open a project; others are told who adds them."""
    page = client_for(make_user("nina", is_operator=operator)).get("/").text
    assert ("Open the first project" in page) is operator
    assert ("A lead of a project adds you" in page) is not operator


def test_stranger_and_wrong_method(project: Project, cast: Cast) -> None:
    """No page of this project for a stranger; home is read, never posted to."""
    assert client_for(cast.stranger).get(HOME).status_code == 404
    assert client_for(cast.lead).post(HOME).status_code == 405
