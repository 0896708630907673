"""Workers killed at a named step, and a wiped broker: every question still ends once."""

from __future__ import annotations

import signal
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Count, Min
from django.db.models.functions import Now

from adjudication import celery_app
from adjudication.claims.models import EvidenceSet
from adjudication.runs.actions import start_run, sweep
from adjudication.runs.models import Attempt, Outcome, RecordedSearch, Run
from adjudication.runs.queries import progress
from adjudication.runs.rules import Configuration
from tests.conftest import CommittedDatabase
from tests.factories import make_project, make_question, make_version
from tests.faults.workers import held_at, is_waited_for, wait_until, worker
from tests.runs.specified import BIRTHS, EARLIER, FILMS, freeze

pytestmark = pytest.mark.slow
State = Attempt.State
QUESTIONS = 12

STEPS = {
    "runs_attempt": "claiming",
    "corpus_sourceversion": "searching",
    "claims_claim": "proposing",
    "runs_outcome": "storing",
}


@pytest.fixture
def run(committed: CommittedDatabase) -> Run:
    """A run that certifies every question, told to nobody yet."""
    project = make_project()
    for text in (*FILMS, *BIRTHS):
        make_version(project, text)
    questions = [make_question(project, EARLIER) for _ in range(QUESTIONS)]
    return start_run(freeze(project), questions, Configuration(), None)


def let_time_pass() -> None:
    """Leases run out by the database's clock; here it need not be waited for."""
    Attempt.objects.filter(state=State.RUNNING).update(lease_until=Now() - timedelta(seconds=1))


def has_ended(run: Run) -> bool:
    """What the sweeper does again and again, until nothing is left to do."""
    sweep()
    return not progress(run).unfinished


def finish_with_a_new_worker(database: CommittedDatabase, run: Run) -> None:
    let_time_pass()
    with worker(database):
        wait_until(lambda: has_ended(run), pause=1)


def check_ended_once(run: Run) -> None:
    """Nothing lost, nothing doubled."""
    assert progress(run).certified == QUESTIONS
    assert Outcome.objects.filter(run=run).count() == QUESTIONS
    assert EvidenceSet.objects.count() == QUESTIONS
    per_question = Outcome.objects.values("question").annotate(n=Count("pk"))
    assert {row["n"] for row in per_question} == {1}
    searched = RecordedSearch.objects.values("attempt").annotate(n=Count("pk"))
    assert len({row["n"] for row in searched}) == 1


@pytest.mark.parametrize("table", STEPS, ids=STEPS.values())
def test_worker_killed_at_a_step(committed: CommittedDatabase, run: Run, table: str):
    """kill -9 of the worker while it claims, searches, proposes or stores."""
    with worker(committed) as working:
        with held_at(committed, table) as owner:
            wait_until(lambda: is_waited_for(owner, table))
            assert working.kill() == -signal.SIGKILL
        assert progress(run).unfinished
    finish_with_a_new_worker(committed, run)
    check_ended_once(run)


@pytest.mark.parametrize("table", ["corpus_sourceversion", "runs_outcome"])
def test_pool_process_killed_at_a_step(committed: CommittedDatabase, run: Run, table: str):
    """The worker lives on with new processes; what the old ones held comes up again."""
    with worker(committed) as working:
        with held_at(committed, table) as owner:
            wait_until(lambda: is_waited_for(owner, table))
            assert working.kill_pool()
        wait_until(lambda: not Attempt.objects.filter(state=State.QUEUED).exists())
        assert Attempt.objects.filter(state=State.RUNNING).exists()
        let_time_pass()
        wait_until(lambda: has_ended(run), pause=1)
    check_ended_once(run)


def test_worker_keeps_its_connections_from_task_to_task(committed: CommittedDatabase, run: Run):
    """Opening one takes two processes as long as a small question takes."""
    with worker(committed):
        wait_until(lambda: has_ended(run), pause=0.2)
        ended = Attempt.objects.filter(run=run).aggregate(first=Min("finished_at"))["first"]
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND backend_start < %s AND query_start > %s",
                [ended, ended],
            )
            (kept,) = cursor.fetchone()
    assert kept


def test_broker_wiped_in_the_middle_of_a_run(committed: CommittedDatabase, run: Run):
    """Every message is gone; the rows are not."""
    with held_at(committed, "runs_outcome") as owner, worker(committed) as working:
        wait_until(lambda: is_waited_for(owner, "runs_outcome"))
        assert celery_app.control.purge()
        working.kill()
    assert progress(run).unfinished == QUESTIONS
    finish_with_a_new_worker(committed, run)
    check_ended_once(run)


def test_worker_that_sleeps_past_its_lease(committed: CommittedDatabase, run: Run):
    """Its work is done by another one; when it wakes, what it found is dropped."""
    with worker(committed) as sleeper:
        with held_at(committed, "corpus_sourceversion") as owner:
            wait_until(lambda: is_waited_for(owner, "corpus_sourceversion"))
            sleeper.signal_all(signal.SIGSTOP)
        asleep = set(Attempt.objects.filter(state=State.RUNNING).values_list("pk", flat=True))
        assert asleep
        finish_with_a_new_worker(committed, run)
        sleeper.signal_all(signal.SIGCONT)
        wait_until(lambda: sleeper.says("what was found here is dropped"))
        check_ended_once(run)
        ended = Attempt.objects.filter(pk__in=asleep)
        assert {attempt.deliveries for attempt in ended} == {2}
