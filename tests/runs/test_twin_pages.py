"""Twins on the pages of a run: beside their questions, counted apart, and never told too early."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from adjudication.claims.models import Question
from adjudication.journal.models import Exposure
from adjudication.projects.models import Project
from adjudication.runs.actions import claim_attempt, fail, finish, start_run
from adjudication.runs.gateway import outcome_of
from adjudication.runs.models import Attempt, Run, Twin
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from adjudication.specifications.models import Specification
from certify_core.twins import Twin as CoreTwin
from tests.conftest import Cast, client_for
from tests.factories import make_question, make_version
from tests.runs.called import answered, sent
from tests.runs.specified import BIRTHPLACE, BIRTHS, FILMS, freeze


@pytest.fixture
def twinned(specification: Specification, question: Question) -> Run:
    """A run whose question and twin have ended."""
    return carried(specification, question)


def carried(specification: Specification, question: Question) -> Run:
    run = start_run(specification, [question], Configuration(twins=7), None)
    for twin in (False, True):
        work_on(Attempt.objects.get(run=run, twin=twin).pk)
    return run


def page(client: Client, name: str, run: Run, *args: object) -> str:
    response = client.get(reverse(name, args=[run.project.slug, run.number, *args]))
    assert response.status_code == 200
    return response.content.decode()


def test_run_page_sums_up_questions_and_twins(twinned: Run, lead: Client) -> None:
    """Every figure with its counts; what is undefined says why."""
    shown = " ".join(page(lead, "run", twinned).split())
    assert "Questions and their twins" in shown
    assert "0 of 1 originals right, 1 of 1 twins not answered" in shown
    assert "1 originals, 1 twins" in shown
    assert "drawn with seed 7" in shown
    assert "nothing in the denominator is decided" in shown
    assert shown.count(">Certificates<") == 1


def test_run_page_without_twins_has_no_summary(run: Run, lead: Client) -> None:
    """A run that asked none says nothing of them."""
    assert "Questions and their twins" not in page(lead, "run", run)


def test_page_moves_until_the_last_twin_has_ended(
    specification: Specification, question: Question, lead: Client
) -> None:
    """The questions have ended, the run has not; a lead can still pause it."""
    run = start_run(specification, [question], Configuration(twins=7), None)
    work_on(Attempt.objects.get().pk)
    shown = page(lead, "run", run)
    assert "every 2s" in shown
    assert "twin of the questions on the way" in shown
    assert reverse("run-pause", args=[run.project.slug, run.number]) in shown
    assert "AUROC" not in shown


def test_failed_twin_is_named_and_can_be_tried_again(
    specification: Specification, question: Question, lead: Client
) -> None:
    """No question failed, and yet something waits for a lead: how much, and why."""
    run = start_run(specification, [question], Configuration(twins=7), None)
    work_on(Attempt.objects.get().pk)
    fail(claim_attempt(Attempt.objects.get(twin=True).pk), "Endpoint down: 429")
    shown = page(lead, "run", run)
    assert "Try 1 failed again" in shown
    assert "twin: <bdi>Endpoint down</bdi>" in shown
    assert "Why questions failed" not in shown


def test_question_page_has_its_twin_beside_it(
    twinned: Run, question: Question, lead: Client
) -> None:
    """What it lost, and how it ended; every step is a page away."""
    shown = page(lead, "run-question", twinned, question.pk)
    made = Twin.objects.get()
    (lost,) = made.deleted
    assert "Abstained, as is right" in shown
    assert made.fact in shown
    assert reverse("version", args=[twinned.project.slug, lost]) in shown
    address = reverse("run-twin", args=[twinned.project.slug, twinned.number, question.pk])
    assert address in shown
    steps = page(lead, "run-twin", twinned, question.pk)
    assert "Abstaining is right" in steps
    assert "Proposed evidence set" not in steps


def test_question_without_twin_has_no_page_of_one(
    run: Run, question: Question, lead: Client
) -> None:
    """There is nothing to show."""
    response = lead.get(reverse("run-twin", args=[run.project.slug, run.number, question.pk]))
    assert response.status_code == 404


def test_twin_tells_who_may_judge_nothing_unasked(
    twinned: Run, question: Question, judging_lead: Client, cast: Cast
) -> None:
    """What a twin lost is a link that the machine found: seeing it costs blindness, once agreed."""
    made = Twin.objects.get()
    shown = page(judging_lead, "run-twin", twinned, question.pk)
    assert made.fact not in shown
    assert made.value not in shown
    assert "Before you look" in shown
    assert not Exposure.objects.filter(person=cast.lead).exists()
    assert "Questions and their twins" not in page(judging_lead, "run", twinned)
    address = reverse("run-twin", args=[twinned.project.slug, twinned.number, question.pk])
    assert judging_lead.post(address).headers["Location"] == address
    assert made.fact in page(judging_lead, "run-twin", twinned, question.pk)


@pytest.mark.parametrize("closed", [FILMS[0], BIRTHS[0]])
def test_fact_from_a_closed_passage_is_withheld(
    project: Project, lead: Client, closed: str
) -> None:
    """Nor is told which passages state it: their titles may be what the closed one says."""
    project.reader_classes.create(key="legal", title="Legal")
    for text in (FILMS[0], BIRTHS[0]):
        classes = ["legal"] if text == closed else ["public"]
        make_version(project, text, reader_classes=classes)
    question = make_question(project, BIRTHPLACE)
    run = carried(freeze(project), question)
    assert Twin.objects.get().fact
    for name in ("run-question", "run-twin"):
        shown = page(lead, name, run, question.pk)
        assert "Ghent" not in shown
        assert closed == BIRTHS[0] or "Anna Berg" not in shown
    assert "withheld" in page(lead, "run-twin", run, question.pk)


def test_reviewers_have_no_page_of_a_twin(twinned: Run, question: Question, cast: Cast) -> None:
    """As of every question of a run."""
    address = reverse("run-twin", args=[twinned.project.slug, twinned.number, question.pk])
    assert client_for(cast.rosa).get(address).status_code == 403


def test_calls_of_a_twin_are_for_who_may_read_all_that_it_was_asked_about(
    project: Project, specification: Specification, question: Question, lead: Client
) -> None:
    """Also what was looked at as a possible restatement, and found by no search of the twin."""
    project.reader_classes.create(key="legal", title="Legal")
    closed = make_version(project, "Quagga\nQuagga zebra.", reader_classes=["legal"])
    run = start_run(freeze(project), [question], Configuration(twins=7), None)
    work_on(Attempt.objects.get(run=run).pk)
    attempt = claim_attempt(Attempt.objects.get(run=run, twin=True).pk)
    answered(sent(attempt, "Quagga zebra"), "what the zebra said")
    found = outcome_of(attempt)
    assert isinstance(found.twin, CoreTwin)
    finish(attempt, replace(found, twin=replace(found.twin, cleared=(str(closed.pk),))))
    shown = page(lead, "run-twin", run, question.pk)
    assert "Quagga" not in shown
    assert "zebra" not in shown
    assert "zebra" not in page(lead, "run-question", run, question.pk)
    project.memberships.get(user__username="lena").reader_classes.add(
        project.reader_classes.get(key="legal")
    )
    assert "what the zebra said" in page(lead, "run-twin", run, question.pk)
    assert "zebra" not in page(lead, "run-question", run, question.pk)
