"""Runs that ask an endpoint, workers that wait for it, and what must be true afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db.models import F, Q

from adjudication.claims.models import EvidenceSet
from adjudication.runs.actions import start_run
from adjudication.runs.models import Attempt, Outcome, ReaderAnswer, ReaderCall, RecordedSearch, Run
from adjudication.runs.queries import progress
from bench.endpoint import Endpoint
from bench.films import study
from certify_core.canonical import digest
from tests.conftest import CommittedDatabase
from tests.factories import make_project, make_question, make_version
from tests.faults.workers import Worker, worker
from tests.runs.asking import MODEL, asks
from tests.runs.specified import freeze

THREADS = 4


def environ_for(endpoint: Endpoint) -> dict[str, str]:
    """The settings with which a process asks ``endpoint``."""
    return {
        "READER_URL": endpoint.url,
        "READER_MODELS": MODEL,
        "READER_CALLS_AT_ONCE": str(THREADS),
        "READER_TIMEOUT": "20",
    }


def film_run(questions: int) -> Run:
    """A run over invented questions, all of which have a certificate."""
    made, project = study(questions), make_project()
    for text in made.passages:
        make_version(project, text)
    asked = [make_question(project, question.text) for question in made.questions]
    return start_run(freeze(project), asked, asks(), None)


@contextmanager
def waiting_worker(database: CommittedDatabase, endpoint: Endpoint) -> Iterator[Worker]:
    """A worker of threads, as `serve` starts it."""
    arguments = "--queues=calls", "--pool=threads", f"--concurrency={THREADS}"
    with worker(database, *arguments, environ=environ_for(endpoint)) as working:
        yield working


def in_doubt(run: Run) -> int:
    """Calls that were sent, of which nobody knows how they ended."""
    held = Q(attempt__state=Attempt.State.RUNNING, attempt__token=F("token"))
    calls = ReaderCall.objects.filter(run=run, reuses=None, answer=None, failure=None)
    return calls.exclude(held).count()


def check_ended_once(run: Run) -> None:
    """Nothing lost, nothing doubled: no question, no set, no search."""
    standing = progress(run)
    assert standing.certified == standing.questions
    outcomes = Outcome.objects.filter(run=run)
    assert outcomes.values("question").distinct().count() == outcomes.count() == standing.questions
    sets = EvidenceSet.objects.filter(claim__question__project=run.project_id)
    assert sets.count() == standing.questions
    rounds = RecordedSearch.objects.filter(attempt__run=run)
    assert not rounds.exclude(attempt__in=outcomes.values("attempt")).exists()


def check_bought_once(endpoint: Endpoint, run: Run) -> None:
    """By the server's own count: no stored answer was bought again, and no call went unrecorded."""
    check_against(endpoint, records_of(run))


def records_of(run: Run) -> dict[str, Any]:
    """What the database knows of the run's calls, as JSON."""
    sent = list(ReaderCall.objects.filter(run=run, reuses=None).order_by("sent_at"))
    counting = ReaderAnswer.objects.filter(call__run=run, surplus=False)
    stored = {answer.request_sha256: answer.answered_at for answer in counting}
    return {
        "sent": [_digest(call.request) for call in sent],
        "sent_though_stored": sum(call.sent_at > stored[call.request_sha256] for call in sent),
        "stored": len(stored),
        "surplus": ReaderAnswer.objects.filter(call__run=run, surplus=True).count(),
        "failed": ReaderCall.objects.filter(run=run, failure__isnull=False).count(),
        "in_doubt": in_doubt(run),
    }


def check_against(endpoint: Endpoint, records: Mapping[str, Any]) -> None:
    """What the server was asked is what was recorded.

    A worker that dies between recording a call and sending it leaves one that the server never
    saw; it is in doubt like any other that was cut off.
    """
    asked = Counter(_digest(one.body) for one in endpoint.asked)
    recorded = Counter(records["sent"])
    assert not asked - recorded
    assert (recorded - asked).total() <= records["in_doubt"]
    assert records["sent_though_stored"] == 0
    ends = ("stored", "surplus", "failed", "in_doubt")
    assert len(records["sent"]) == sum(records[end] for end in ends)


def _digest(body: Mapping[str, object]) -> str:
    return digest(body["messages"])
