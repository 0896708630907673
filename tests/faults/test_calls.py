"""Workers killed around a call: every question ends once, and no stored answer is bought again."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from adjudication import celery_app
from adjudication.projects.models import Membership
from adjudication.readers import settings as reader_settings
from adjudication.runs.actions import cancel_run, pause_run, resume_run, sweep
from adjudication.runs.models import Attempt, Outcome, ReaderAnswer, ReaderCall, Run
from adjudication.runs.queries import progress
from adjudication.runs.tasks import work_on
from bench import misbehaving
from bench.endpoint import Endpoint
from tests.conftest import CommittedDatabase, make_cast
from tests.faults.asked import (
    THREADS,
    check_bought_once,
    check_ended_once,
    environ_for,
    film_run,
    in_doubt,
    waiting_worker,
)
from tests.faults.workers import held_at, is_waited_for, wait_until

State = Attempt.State


@pytest.fixture
def endpoint(settings) -> Iterator[Endpoint]:
    with Endpoint() as server:
        settings.READER = reader_settings.read(environ_for(server))
        yield server


def let_time_pass() -> None:
    """Leases run out by the database's clock; here it need not be waited for."""
    Attempt.objects.filter(state=State.RUNNING).update(lease_until=Now() - timedelta(seconds=1))


def has_ended(run: Run) -> bool:
    sweep()
    return not progress(run).unfinished


def finish(committed: CommittedDatabase, endpoint: Endpoint, run: Run) -> None:
    """With a new worker, once the leases of the old one have run out."""
    let_time_pass()
    with waiting_worker(committed, endpoint):
        wait_until(lambda: has_ended(run), pause=0.5)
    check_ended_once(run)
    check_bought_once(endpoint, run)


@pytest.mark.slow
def test_worker_killed_with_a_call_on_its_way(committed: CommittedDatabase, endpoint: Endpoint):
    """kill -9 after sending: the call is in doubt and asked again, what was answered is not."""
    run = film_run(1)
    answered = threading.Event()
    endpoint.when(3, misbehaving.waits_for(answered), times=1)
    with waiting_worker(committed, endpoint) as working:
        endpoint.wait_for(3)
        assert in_doubt(run) == 0, "its worker still waits for it"
        assert working.kill() == -signal.SIGKILL
        answered.set()
    let_time_pass()
    assert sweep().requeued == 1
    assert in_doubt(run) == 1
    work_on(Attempt.objects.get(run=run).pk)
    check_ended_once(run)
    check_bought_once(endpoint, run)
    assert in_doubt(run) == 1
    assert sorted(endpoint.digests().values())[-2:] == [1, 2]
    assert ReaderCall.objects.filter(run=run, reuses__isnull=False).count() == 2


@pytest.mark.slow
def test_worker_killed_with_calls_of_all_threads_on_their_way(
    committed: CommittedDatabase, endpoint: Endpoint
):
    """As many calls are in doubt as there were threads, and no more."""
    run = film_run(12)
    answered = threading.Event()
    endpoint.when(lambda asked: asked.number > 9, misbehaving.waits_for(answered), THREADS)
    with waiting_worker(committed, endpoint) as working:
        endpoint.wait_for(9 + THREADS)
        working.kill()
        answered.set()
    let_time_pass()
    sweep()
    assert in_doubt(run) == THREADS
    finish(committed, endpoint, run)
    assert in_doubt(run) == THREADS


@pytest.mark.slow
@pytest.mark.parametrize("table", ["runs_readercall", "runs_readeranswer", "runs_outcome"])
def test_worker_killed_at_a_step(committed: CommittedDatabase, endpoint: Endpoint, table: str):
    """kill -9 while calls are recorded, while answers are stored, and before questions end."""
    run = film_run(8)
    with waiting_worker(committed, endpoint) as working:
        endpoint.wait_for(2)
        with held_at(committed, table) as owner:
            wait_until(lambda: is_waited_for(owner, table))
            working.kill()
    assert progress(run).unfinished
    bought = set(ReaderAnswer.objects.values_list("request_sha256", flat=True))
    finish(committed, endpoint, run)
    again = ReaderCall.objects.filter(reuses__call__request_sha256__in=bought)
    assert again.exists(), "what was stored before the kill is used after it"


@pytest.mark.slow
def test_worker_that_is_stopped_cuts_off_no_call(committed: CommittedDatabase, endpoint: Endpoint):
    """SIGTERM: what is on its way comes in, nothing more is sent, and nothing is in doubt."""
    run = film_run(12)
    answered = threading.Event()
    endpoint.when(lambda asked: asked.number > 9, misbehaving.waits_for(answered), THREADS)
    with waiting_worker(committed, endpoint) as working:
        endpoint.wait_for(9 + THREADS)
        working.process.terminate()
        wait_until(lambda: working.says("Warm shutdown"))
        answered.set()
        working.process.wait(30)
    assert len(endpoint.asked) == 9 + THREADS
    assert in_doubt(run) == 0
    assert not Attempt.objects.filter(run=run, state=State.RUNNING).exists()
    finish(committed, endpoint, run)
    assert max(endpoint.digests().values()) == 1


@pytest.mark.slow
def test_worker_that_sleeps_past_its_lease_buys_no_more(
    committed: CommittedDatabase, endpoint: Endpoint
):
    """What it waited for when it fell asleep is kept; then it sees that its questions are lost."""
    run = film_run(4)
    answered = threading.Event()
    endpoint.when(lambda asked: asked.number > THREADS, misbehaving.waits_for(answered), THREADS)
    with waiting_worker(committed, endpoint) as sleeper:
        endpoint.wait_for(2 * THREADS)
        sleeper.signal_all(signal.SIGSTOP)
        answered.set()
        finish(committed, endpoint, run)
        bought = len(endpoint.asked)
        sleeper.signal_all(signal.SIGCONT)
        wait_until(lambda: sleeper.says("what was found here is dropped"))
        wait_until(lambda: not in_doubt(run))
        assert len(endpoint.asked) == bought
    check_ended_once(run)
    check_bought_once(endpoint, run)
    assert ReaderAnswer.objects.filter(surplus=True).count() == THREADS


@pytest.mark.slow
def test_broker_wiped_in_the_middle_of_a_run(committed: CommittedDatabase, endpoint: Endpoint):
    """Every message of the queue of calls is gone; the rows are not."""
    run = film_run(12)
    endpoint.latency = 0.05
    with waiting_worker(committed, endpoint):
        endpoint.wait_for(10)
        with celery_app.connection_or_acquire() as connection:
            connection.default_channel.client.flushall()
        assert progress(run).unfinished
        wait_until(lambda: has_ended(run), pause=0.5)
    check_ended_once(run)
    check_bought_once(endpoint, run)


@pytest.mark.slow
def test_run_paused_resumed_and_cancelled_while_workers_work(
    committed: CommittedDatabase, endpoint: Endpoint
):
    """A pause lets what was begun end; a cancellation ends it at its next call."""
    run = film_run(12)
    endpoint.latency = 0.05
    lena = Membership.objects.get(user=make_cast(run.project).lead)
    with waiting_worker(committed, endpoint):
        endpoint.wait_for(6)
        pause_run(lena, run)
        wait_until(lambda: not Attempt.objects.filter(run=run, state=State.RUNNING).exists())
        certified = progress(run).certified
        assert 0 < certified < 12
        resume_run(lena, run)
        wait_until(lambda: progress(run).certified > certified)
        cancel_run(lena, run)
        wait_until(lambda: has_ended(run))
    standing = progress(run)
    assert standing.cancelled > 0
    assert standing.certified + standing.cancelled == 12
    assert Outcome.objects.filter(run=run).count() == standing.certified
    check_bought_once(endpoint, run)
