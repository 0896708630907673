"""What seeing how a question ended costs those who may have to judge it."""

from __future__ import annotations

from django.test import Client
from pytest_django.fixtures import Settings

from adjudication.claims.models import Question
from adjudication.journal.models import Exposure
from adjudication.journal.queries import is_exposed
from adjudication.projects.models import Role
from adjudication.runs.actions import start_run
from adjudication.runs.models import Outcome, RunControl
from adjudication.specifications.models import Specification
from tests.conftest import Cast
from tests.factories import add_member, make_evidence_set
from tests.runs.asking import READER, asks
from tests.runs.browsing import address, pages


def test_lead_who_looks_is_recorded_as_exposed(
    ended: Outcome, question: Question, cast: Cast, lead: Client
):
    """A lead may look at once; the journal keeps that they did."""
    lead.get(address("run-question", question.project, 1, question.pk))
    assert is_exposed(cast.lead, ended.evidence_set_id)
    exposure = Exposure.objects.get(object_id=ended.evidence_set_id)
    assert (exposure.side, exposure.place) == ("machine-verdict", "run 1")
    assert is_exposed(cast.lead, ended.claim_id), "its later sets are concerned as well"


def test_list_of_outcomes_is_an_exposure_too(
    ended: Outcome, question: Question, cast: Cast, lead: Client
):
    """The word "certified" beside a question is the machine's verdict."""
    lead.get(address("run", question.project, 1))
    assert is_exposed(cast.lead, ended.evidence_set_id)


def test_judging_lead_is_asked_before_seeing_an_outcome(
    ended: Outcome, question: Question, cast: Cast, judging_lead: Client
):
    """Looking costs the item; nobody pays by accident."""
    page = address("run-question", question.project, 1, question.pk)
    asked = judging_lead.get(page).content.decode()
    assert "Before you look" in asked
    for hidden in ("Silent Fjord is a 1933", "Ghent", "certified", "anchored"):
        assert hidden not in asked
    assert not is_exposed(cast.lead, ended.evidence_set_id)
    assert judging_lead.post(page).url == page
    assert is_exposed(cast.lead, ended.evidence_set_id)
    assert "Certified answer" in judging_lead.get(page).content.decode()


def test_judging_lead_is_not_told_how_much_a_run_bought(
    specification: Specification,
    question: Question,
    cast: Cast,
    lead: Client,
    settings: Settings,
):
    """A question that was certified took two calls more: its answer was read."""
    settings.READER = READER
    run = start_run(specification, [question], asks(budget_calls=50, budget_tokens=9000), None)
    RunControl.objects.filter(run=run).update(calls=17, tokens=4242)
    page, spent = address("run-budget", run.project, run.number), ("17 of 50", "4,242 of 9,000")
    told = lead.get(page).content.decode()
    assert all(words in told for words in spent)
    add_member(run.project, cast.lead, Role.LEAD, Role.REVIEWER)
    told = lead.get(page).content.decode()
    assert "Calls in all" in told
    assert not any(words in told for words in spent)


def test_judging_lead_sees_no_outcome_in_the_list(
    ended: Outcome, question: Question, cast: Cast, judging_lead: Client
):
    """Neither state, cause nor filter tells how a question ended."""
    page = judging_lead.get(address("run", question.project, 1))
    assert "hidden from you" in page.content.decode()
    assert "badge-certified" not in page.content.decode()
    filtered = judging_lead.get(address("run", question.project, 1) + "?state=abstained")
    assert question.text in filtered.content.decode()
    assert not is_exposed(cast.lead, ended.evidence_set_id)


def test_judging_lead_sees_no_count_of_outcomes(
    ended: Outcome, question: Question, judging_lead: Client
):
    """Of a run over one question, a count is its outcome: only how many ended is shown."""
    for page in pages(ended.run, question)[:3]:
        shown = judging_lead.get(page).content.decode()
        for telling in ("Certificates", "Abstentions", "reference answer", "abstained"):
            assert telling not in shown, page
    assert (
        "questions ended" in judging_lead.get(address("run", question.project, 1)).content.decode()
    )


def test_sets_proposed_after_looking_are_exposed_on_the_next_look(
    ended: Outcome, question: Question, cast: Cast, lead: Client
):
    """What is known of a question reaches its later sets as well."""
    page = address("run-question", question.project, 1, question.pk)
    lead.get(page)
    later = make_evidence_set(ended.claim)
    lead.get(page)
    assert is_exposed(cast.lead, later.pk)
