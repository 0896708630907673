"""Every question of a run ends once, whoever dies, repeats or comes late."""

from __future__ import annotations

import threading
from datetime import timedelta

import kombu.exceptions
import pytest
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models.functions import Now

from adjudication import celery_app
from adjudication.claims.models import EvidenceSet, Question, RequirementGraph
from adjudication.errors import Refused
from adjudication.projects.models import Project
from adjudication.runs import tasks
from adjudication.runs.actions import (
    DEAD_LETTER,
    claim_attempt,
    fail,
    finish,
    publish,
    retry_failed,
    start_run,
    sweep,
    sweeping,
)
from adjudication.runs.gateway import outcome_of
from adjudication.runs.leases import LostAttempt, renew_lease
from adjudication.runs.models import Attempt, Outcome, RecordedSearch, Run
from adjudication.runs.rules import MAX_DELIVERIES, Configuration
from adjudication.runs.tasks import work_on
from adjudication.specifications.models import Specification
from certify_core.canonical import digest
from tests.factories import make_project, make_question, make_user
from tests.runs.specified import freeze, make_film_study

State = Attempt.State


@pytest.fixture
def question(project: Project) -> Question:
    return make_film_study(project)


@pytest.fixture
def run(question: Question) -> Run:
    return start_run(freeze(question.project), [question], Configuration(), None)


@pytest.fixture
def attempt(run: Run) -> Attempt:
    return Attempt.objects.get(run=run)


def expire(attempt: Attempt) -> None:
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now() - timedelta(seconds=1))


def claimed(attempt: Attempt) -> Attempt:
    found = claim_attempt(attempt.pk)
    assert found is not None
    return found


@pytest.fixture
def hints(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the attempts that workers were told of."""
    told: list[str] = []
    monkeypatch.setattr(celery_app, "send_task", lambda _name, args, **_: told.append(args[0]))
    return told


# --- Starting


def test_start_run_over_an_unfrozen_specification_is_refused(question: Question):
    """A run searches a fixed corpus."""
    draft = Specification(project=question.project, state=Specification.State.DRAFT)
    with pytest.raises(Refused, match="Freeze"):
        start_run(draft, [question], Configuration(), None)


def test_start_run_without_or_with_foreign_questions_is_refused(question: Question):
    """Nothing is stored for a run that makes no sense."""
    specification = freeze(question.project)
    with pytest.raises(Refused, match="no question"):
        start_run(specification, [], Configuration(), None)
    with pytest.raises(Refused, match="this project"):
        start_run(specification, [make_question(make_project())], Configuration(), None)
    assert not Run.objects.exists()


def test_runs_are_numbered_within_their_project(question: Question):
    """A run is named by its number."""
    specification = freeze(question.project)
    numbers = [start_run(specification, [question], Configuration(), None).number for _ in range(3)]
    assert numbers == [1, 2, 3]


def test_start_run_with_the_broker_down_keeps_the_run(
    question: Question,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks,
):
    """The row is the outbox: a dead broker delays a run and loses nothing."""
    specification = freeze(question.project)
    asked = []

    def dead(*_: object, **__: object) -> None:
        asked.append(True)
        raise kombu.exceptions.OperationalError("nobody there")

    monkeypatch.setattr(celery_app, "send_task", dead)
    with django_capture_on_commit_callbacks(execute=True):
        run = start_run(specification, [question], Configuration(), None)
    assert asked
    assert Attempt.objects.get(run=run).state == State.QUEUED


def test_workers_are_told_after_the_commit(
    question: Question, hints: list[str], django_capture_on_commit_callbacks
):
    """A worker must not look for a row that is not there yet."""
    with django_capture_on_commit_callbacks(execute=True):
        run = start_run(freeze(question.project), [question], Configuration(), None)
        assert not hints
    assert hints == [str(Attempt.objects.get(run=run).pk)]


# --- Claiming and ending


def test_attempt_is_claimed_by_one_worker_at_a_time(attempt: Attempt):
    """A second hint for the same attempt does nothing."""
    assert claimed(attempt).deliveries == 1
    assert claim_attempt(attempt.pk) is None


def test_ended_attempt_is_not_worked_on_again(attempt: Attempt):
    """A message delivered twice has one effect."""
    work_on(attempt.pk)
    work_on(attempt.pk)
    assert Outcome.objects.count() == 1
    assert Attempt.objects.get(pk=attempt.pk).deliveries == 1


def test_worker_with_an_old_token_finishes_nothing(attempt: Attempt):
    """A worker that slept past its lease must not add to what another one found."""
    late = claimed(attempt)
    expire(attempt)
    current = claimed(attempt)
    with pytest.raises(LostAttempt), transaction.atomic():
        finish(late, outcome_of(late))
    with pytest.raises(LostAttempt), transaction.atomic():
        fail(late, "too late")
    assert not renew_lease(late)
    assert not Outcome.objects.exists()
    assert not RecordedSearch.objects.exists()
    assert not EvidenceSet.objects.exists()
    finish(current, outcome_of(current))
    assert Attempt.objects.get(pk=attempt.pk).state == State.CERTIFIED


def test_finish_that_breaks_off_leaves_nothing(attempt: Attempt, monkeypatch: pytest.MonkeyPatch):
    """Either all of an outcome is stored or none of it, and the attempt says why."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr("adjudication.runs.gateway.propose_evidence_set", broken)
    work_on(attempt.pk)
    ended = Attempt.objects.get(pk=attempt.pk)
    assert ended.state == State.FAILED
    assert ended.error == "RuntimeError: the disk is on fire"
    assert not RecordedSearch.objects.exists()
    assert not Outcome.objects.exists()


def test_poison_question_fails_by_name_and_others_proceed(question: Question):
    """One record that cannot be worked on does not stop a run."""
    poison = make_question(question.project, "poison")
    RequirementGraph.objects.create(
        question=poison, number=1, origin="test", body={}, sha256=digest({})
    )
    run = start_run(freeze(question.project), [poison, question], Configuration(), None)
    for attempt in Attempt.objects.filter(run=run):
        work_on(attempt.pk)
    assert Attempt.objects.get(run=run, question=poison).error.startswith("InvalidGraph: ")
    assert Attempt.objects.get(run=run, question=question).state == State.CERTIFIED


def test_outcome_is_stored_once_per_question_of_a_run(attempt: Attempt):
    """The last wall: the database itself refuses a second outcome."""
    work_on(attempt.pk)
    kept = Outcome.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Outcome.objects.create(
            attempt=attempt, run=kept.run, question=kept.question, kind="abstention", body={}
        )


# --- Giving up and trying again


def test_attempt_that_always_kills_its_worker_is_given_up(attempt: Attempt):
    """After five deliveries it is a dead letter: visible, and no endless loop."""
    for _ in range(MAX_DELIVERIES):
        assert claim_attempt(attempt.pk)
        expire(attempt)
    assert claim_attempt(attempt.pk) is None
    ended = Attempt.objects.get(pk=attempt.pk)
    assert (ended.state, ended.error) == (State.FAILED, DEAD_LETTER)


def test_retry_is_a_new_attempt_and_the_failure_stays(run: Run, attempt: Attempt):
    """History is kept; a double click queues one attempt."""
    fail(claimed(attempt), "ValueError: no")
    assert (retry_failed(run, None), retry_failed(run, None)) == (1, 0)
    again = Attempt.objects.get(run=run, number=2)
    work_on(again.pk)
    assert Outcome.objects.get().attempt == again
    assert Attempt.objects.get(pk=attempt.pk).error == "ValueError: no"


def test_retry_leaves_ended_questions_alone(run: Run, attempt: Attempt):
    """Only failures are retried."""
    work_on(attempt.pk)
    assert retry_failed(run, make_user("lea")) == 0


# --- Sweeping


def test_sweep_queues_again_what_a_dead_worker_held(attempt: Attempt, hints: list[str]):
    """The lease by the database's clock decides, not the broker."""
    claimed(attempt)
    expire(attempt)
    swept = sweep()
    assert (swept.requeued, swept.published) == (1, 1)
    assert hints == [str(attempt.pk)]
    assert Attempt.objects.get(pk=attempt.pk).state == State.QUEUED


def test_sweep_leaves_a_live_lease_alone(attempt: Attempt, hints: list[str]):
    """Who works is not disturbed."""
    claimed(attempt)
    assert sweep().requeued == 0
    assert hints == []


def test_sweep_gives_up_a_dead_letter(attempt: Attempt, hints: list[str]):
    """The sweeper does not hand out for ever."""
    for _ in range(MAX_DELIVERIES):
        claim_attempt(attempt.pk)
        expire(attempt)
    swept = sweep()
    assert (swept.requeued, swept.given_up) == (0, 1)
    assert Attempt.objects.get(pk=attempt.pk).error == DEAD_LETTER


def test_sweep_tells_workers_of_what_the_broker_lost(attempt: Attempt, hints: list[str]):
    """A wiped broker delays a run by one sweep."""
    assert sweep().published == 1
    assert hints == [str(attempt.pk)]


def test_sweep_publishes_nothing_while_messages_wait(
    attempt: Attempt, hints: list[str], monkeypatch: pytest.MonkeyPatch
):
    """A long queue is not flooded with copies of itself every 30 seconds."""
    monkeypatch.setattr(sweeping, "messages_waiting", lambda queue: 1)
    assert sweep().published == 0
    assert hints == []


@pytest.mark.parametrize("turn", ["first", "second"])
def test_messages_on_the_broker_are_counted(attempt: Attempt, turn: str):
    """The count is the broker's own, and what one test leaves there no other one sees."""
    assert sweeping.messages_waiting(None) == 0
    publish([attempt.pk], None)
    assert sweeping.messages_waiting(None) == 1


@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("closed")])
def test_heart_beats_on_after_the_database_was_away(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch, error: Exception
):
    """A restart of the database in a long call takes no lease: a second worker would buy what
    is on its way once more."""
    beats: list[int] = []
    enough = threading.Event()

    def renew(held: Attempt) -> bool:
        beats.append(1)
        if len(beats) == 1:
            raise error
        enough.set()
        return True

    monkeypatch.setattr(tasks, "renew_lease", renew)
    monkeypatch.setattr(tasks, "LEASE", timedelta(milliseconds=3))
    with tasks.heartbeat(attempt):
        assert enough.wait(10)
