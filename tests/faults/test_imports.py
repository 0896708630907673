"""A worker killed in the middle of an import: it is done again, once, and nothing is doubled."""

from __future__ import annotations

import signal
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from adjudication import celery_app
from adjudication.claims.models import EvidenceSet, Question
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.imports import jobs
from adjudication.imports.models import Import
from adjudication.journal.models import Entry
from tests.claims.samples import json_lines, musique_record
from tests.conftest import CommittedDatabase, make_cast
from tests.factories import make_project
from tests.faults.workers import held_at, is_waited_for, wait_until, worker
from tests.imports.conftest import sent

pytestmark = pytest.mark.slow
State = Import.State
QUESTIONS = 30
DATA = json_lines(*(musique_record(f"2hop__{n}") for n in range(QUESTIONS)))

STEPS = {
    "corpus_sourceversion": "storing passages",
    "claims_evidenceset": "storing questions",
    "journal_entry": "ending",
}


@pytest.fixture
def waiting(committed: CommittedDatabase) -> Import:
    """A file that is wholly here and waits to be checked."""
    project = make_project()
    return sent(project, make_cast(project), DATA)


def state_of(one: Import) -> str:
    one.refresh_from_db()
    return one.state


def let_time_pass() -> None:
    """Leases run out by the database's clock; here it need not be waited for."""
    held = Import.objects.filter(token__isnull=False)
    held.update(lease_until=Now() - timedelta(seconds=1))


def carried_on(one: Import, state: Import.State) -> bool:
    """What the sweeper does again and again, until the import has come to ``state``."""
    jobs.sweep()
    return state_of(one) == state


@pytest.mark.parametrize("table", STEPS, ids=STEPS.values())
def test_worker_killed_in_the_middle_of_an_import(
    committed: CommittedDatabase, waiting: Import, table: str
) -> None:
    """kill -9 while passages, questions or the last entry are stored; another one does it all."""
    celery_app.control.purge()
    with worker(committed) as working:
        wait_until(lambda: carried_on(waiting, State.READY), pause=1)
        with held_at(committed, table) as owner:
            assert jobs.confirm(waiting)
            wait_until(lambda: is_waited_for(owner, table))
            assert working.kill() == -signal.SIGKILL
        assert state_of(waiting) == State.IMPORTING
        assert not Source.objects.exists()
    let_time_pass()
    with worker(committed):
        wait_until(lambda: carried_on(waiting, State.DONE), pause=1)
    assert waiting.deliveries == 2
    assert (Source.objects.count(), SourceVersion.objects.count(), Span.objects.count()) == (
        3,
        3,
        2,
    )
    assert (Question.objects.count(), EvidenceSet.objects.count()) == (QUESTIONS, QUESTIONS)
    assert Entry.objects.filter(verb="imported data").count() == 1


def test_worker_killed_in_the_middle_of_a_check(
    committed: CommittedDatabase, waiting: Import
) -> None:
    """Another one checks from the beginning, and lists every problem once."""
    celery_app.control.purge()
    with held_at(committed, "claims_question") as owner, worker(committed) as working:
        jobs.publish([waiting.pk])
        wait_until(lambda: is_waited_for(owner, "claims_question"))
        assert working.kill() == -signal.SIGKILL
    let_time_pass()
    with worker(committed):
        wait_until(lambda: carried_on(waiting, State.READY), pause=1)
    assert ["questions", QUESTIONS, 0] in waiting.counts
