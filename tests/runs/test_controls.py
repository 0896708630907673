"""Pause, resume, cancel and raise the budget of a run on its way: leads only, each recorded."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.db.models.functions import Now

from adjudication.claims.models import EvidenceSet, Question
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.models import Membership, Project
from adjudication.runs.actions import (
    cancel_run,
    claim_attempt,
    pause_run,
    raise_budget,
    resume_run,
    retry_failed,
    start_run,
    sweep,
)
from adjudication.runs.calls import Ledger
from adjudication.runs.models import Attempt, Outcome, ReaderCall, Run, RunControl
from adjudication.runs.queries import progress
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import carry_to_its_end, work_on
from adjudication.specifications.models import Specification
from tests.conftest import Cast
from tests.factories import make_project, make_question
from tests.runs.asking import READER, Endpoint, asks, claimed, request

State = Attempt.State


@pytest.fixture(autouse=True)
def _endpoint_is_set(settings) -> None:
    settings.READER = READER


@pytest.fixture
def lena(cast: Cast) -> Membership:
    return Membership.objects.get(user=cast.lead)


@pytest.fixture
def run(specification: Specification, question: Question) -> Run:
    """Three questions that wait."""
    questions = [question, *(make_question(question.project, question.text) for _ in range(2))]
    return start_run(specification, questions, Configuration(), None)


@pytest.fixture
def hints(monkeypatch: pytest.MonkeyPatch) -> list[tuple[UUID, str | None]]:
    """Which attempts workers were told of, and on which queue."""
    told: list[tuple[UUID, str | None]] = []
    monkeypatch.setattr(
        "adjudication.celery_app.send_task",
        lambda _name, args, queue, **_: told.append((UUID(args[0]), queue)),
    )
    return told


def ids(run: Run) -> list[UUID]:
    waiting = Attempt.objects.filter(run=run).order_by("queued_at", "id")
    return list(waiting.values_list("pk", flat=True))


def verbs(run: Run) -> list[str]:
    return list(
        Entry.objects.filter(object_id=run.pk).order_by("at").values_list("verb", flat=True)
    )


def states(run: Run) -> list[str]:
    return sorted(Attempt.objects.filter(run=run).values_list("state", flat=True))


# --- Who, and how often


@pytest.mark.parametrize("act", [pause_run, resume_run, cancel_run, raise_budget])
def test_only_leads_of_the_project_control_a_run(act, run: Run, cast: Cast, lena: Membership):
    """The action asks, whatever page or command calls it."""
    for person in (cast.rosa, cast.adjudicator, cast.auditor, cast.reader):
        with pytest.raises(Refused, match="role lead"):
            act(Membership.objects.get(user=person), run)
    lena.project = make_project("elsewhere")
    with pytest.raises(Refused, match="another project"):
        act(lena, run)
    assert RunControl.objects.get(run=run).state == RunControl.State.OPEN


def test_second_click_changes_and_records_nothing(run: Run, lena: Membership):
    """Each control says what the run is to be, not what to flip."""
    for act in (pause_run, resume_run, cancel_run):
        act(lena, run)
        act(lena, run)
    assert verbs(run) == ["started run", "paused run", "resumed run", "cancelled run"]
    assert set(Entry.objects.filter(verb="paused run").values_list("actor", flat=True)) == {
        lena.user_id
    }


# --- Pause and resume


def test_paused_run_hands_out_no_question(run: Run, lena: Membership, hints):
    """Neither to a worker with a message nor by the sweeper; no delivery is counted for it."""
    pause_run(lena, run)
    for attempt_id in ids(run):
        work_on(attempt_id)
    assert sweep().published == 0
    assert hints == []
    assert states(run) == ["queued"] * 3
    assert set(Attempt.objects.values_list("deliveries", flat=True)) == {0}


def test_question_that_is_worked_on_ends_although_its_run_is_paused(run: Run, lena: Membership):
    """Nothing that was begun is thrown away."""
    attempt = claim_attempt(ids(run)[0])
    pause_run(lena, run)
    carry_to_its_end(attempt)
    assert states(run) == ["certified", "queued", "queued"]


def test_resumed_run_is_published_again(
    run: Run, lena: Membership, hints, django_capture_on_commit_callbacks
):
    """The messages of before are gone: workers that saw a paused run dropped them."""
    pause_run(lena, run)
    with django_capture_on_commit_callbacks(execute=True):
        resume_run(lena, run)
    assert hints == [(attempt_id, None) for attempt_id in ids(run)]
    work_on(ids(run)[0])
    assert states(run) == ["certified", "queued", "queued"]


def test_run_that_has_ended_is_neither_paused_nor_cancelled(run: Run, lena: Membership):
    """There is nothing left to hold back, and the page says so."""
    for attempt_id in ids(run):
        work_on(attempt_id)
    for act in (pause_run, cancel_run):
        with pytest.raises(Refused, match="has ended"):
            act(lena, run)


# --- Cancel


def test_cancelled_run_ends_what_waits_and_keeps_what_ended(run: Run, lena: Membership):
    """Every question has an end, and what was found before stays."""
    work_on(ids(run)[0])
    assert cancel_run(lena, run) == 2
    assert states(run) == ["cancelled", "cancelled", "certified"]
    standing = progress(run)
    assert (standing.unfinished, standing.failed, standing.cancelled) == (0, 0, 2)
    assert Outcome.objects.count() == 1


def test_what_is_worked_on_when_a_run_is_cancelled_is_dropped(run: Run, lena: Membership):
    """No evidence set appears after somebody said that none should."""
    attempt = claim_attempt(ids(run)[0])
    cancel_run(lena, run)
    carry_to_its_end(attempt)
    assert states(run) == ["cancelled"] * 3
    assert not Outcome.objects.exists()
    assert not EvidenceSet.objects.exists()


def test_cancelled_run_sends_no_further_call(
    specification: Specification, question: Question, lena: Membership, monkeypatch
):
    """Money stops flowing at the next call, not at the end of the question."""
    (attempt,) = claimed(start_run(specification, [question], asks(), None))
    endpoint = Endpoint(meanwhile=lambda: cancel_run(lena, attempt.run))

    def two_calls(_attempt: Attempt) -> None:
        ledger = Ledger(attempt, endpoint)
        ledger(request("one"))
        ledger(request("two"))

    monkeypatch.setattr("adjudication.runs.tasks.outcome_of", two_calls)
    carry_to_its_end(attempt)
    assert ReaderCall.objects.count() == len(endpoint.asked) == 1
    assert states(attempt.run) == ["cancelled"]


@pytest.mark.parametrize("end", ["claim", "sweep"])
def test_worker_that_died_before_a_cancellation_leaves_no_question_open(
    run: Run, lena: Membership, end: str
):
    """Whoever finds the attempt first ends it: a late message, or the sweeper."""
    attempt = claim_attempt(ids(run)[0])
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now() - timedelta(seconds=1))
    cancel_run(lena, run)
    assert claim_attempt(attempt.pk) is None if end == "claim" else sweep().requeued == 0
    assert states(run) == ["cancelled"] * 3


def test_cancelled_run_is_not_taken_up_again(run: Run, lena: Membership):
    """A new run is as cheap, since every answer is stored."""
    cancel_run(lena, run)
    with pytest.raises(Refused, match="was cancelled"):
        resume_run(lena, run)
    with pytest.raises(Refused, match="was cancelled"):
        retry_failed(run, lena.user)


# --- Budget


def test_failed_questions_go_on_once_the_budget_was_raised(
    specification: Specification, question: Question, lena: Membership, monkeypatch
):
    """A spent budget is a failure with a name; what was bought until then is not bought again."""
    run = start_run(specification, [question], asks(budget_calls=1), None)
    endpoint = Endpoint()

    def two_calls(attempt: Attempt) -> None:
        ledger = Ledger(attempt, endpoint)
        ledger(request("one"))
        ledger(request("two"))
        raise ValueError("far enough")

    monkeypatch.setattr("adjudication.runs.tasks.outcome_of", two_calls)
    work_on(ids(run)[0])
    assert Attempt.objects.get(run=run).error.startswith("Budget spent: 1 of 1 calls")
    raise_budget(lena, run, calls=2)
    raise_budget(lena, run, calls=2)
    assert verbs(run)[-1] == "raised budget"
    assert Entry.objects.get(verb="raised budget").detail == {"budget_calls": 2}
    retry_failed(run, lena.user)
    work_on(Attempt.objects.get(run=run, number=2).pk)
    assert [one.messages[0].content for one in endpoint.asked] == ["one", "two"]
    assert Attempt.objects.get(run=run, number=2).error == "ValueError: far enough"


def test_budget_is_only_raised(specification: Specification, question: Question, lena: Membership):
    """A smaller one would call spent what was allowed, and one without a budget needs none."""
    run = start_run(specification, [question], asks(budget_calls=10), None)
    with pytest.raises(Refused, match="may buy 10 calls already"):
        raise_budget(lena, run, calls=9)
    with pytest.raises(Refused, match="no budget of tokens"):
        raise_budget(lena, run, calls=20, tokens=5)
    assert RunControl.objects.get(run=run).budget_calls == 10


# --- Starting with a model


def test_run_that_asks_an_endpoint_goes_to_the_queue_of_calls(
    specification: Specification,
    question: Question,
    hints,
    django_capture_on_commit_callbacks,
):
    """Workers that wait are threads; those that compute are processes."""
    with django_capture_on_commit_callbacks(execute=True):
        asking = start_run(specification, [question], asks(), None)
        offline = start_run(specification, [question], Configuration(), None)
    expected = [(ids(asking)[0], "calls"), (ids(offline)[0], None)]
    assert hints == expected
    assert sweep().published == 2
    assert sorted(hints[2:]) == sorted(expected)


def test_model_that_is_not_on_offer_is_refused(
    specification: Specification, question: Question, settings
):
    """A lead chooses among the operator's models and names no other."""
    with pytest.raises(Refused, match="'large' is not among those here: small"):
        start_run(specification, [question], asks(model="large"), None)
    settings.READER = None
    with pytest.raises(Refused, match="READER_URL is not set"):
        start_run(specification, [question], asks(), None)


def test_replay_needs_a_run_of_this_project_that_asked_the_same(
    project: Project, specification: Specification, question: Question
):
    """Other choices would make other requests, to which there are no answers."""
    asked = start_run(specification, [question], asks(per_call=3), None)
    offline = start_run(specification, [question], Configuration(), None)

    def replay(run: Run | Project, **choices) -> Run:
        configuration = asks(reader="recorded", replays=str(run.pk), **choices)
        return start_run(specification, [question], configuration, None)

    with pytest.raises(Refused, match="its 3 passages"):
        replay(asked)
    with pytest.raises(Refused, match="asked no endpoint"):
        replay(offline)
    with pytest.raises(Refused, match="not in this project"):
        replay(project)
    assert replay(asked, per_call=3).configuration["replays"] == str(asked.pk)
