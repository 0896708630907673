"""Every way in which an endpoint lets a run down, up to the words on the question's page.

``docs/readers.md`` has the table that these tests hold to.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import closing

import pytest
from django.test import Client

from adjudication.claims.models import Question
from adjudication.readers.endpoint import ModelEndpoint
from adjudication.readers.settings import ReaderSettings
from adjudication.runs import gateway
from adjudication.runs.actions import start_run
from adjudication.runs.models import (
    Attempt,
    Outcome,
    ReaderAnswer,
    ReaderCall,
    ReaderFailure,
    Run,
)
from adjudication.runs.tasks import work_on
from adjudication.specifications.models import Specification
from bench import misbehaving
from bench.endpoint import Endpoint
from tests.readers.clocks import Waiting
from tests.runs.asking import MODEL, asks
from tests.runs.browsing import address

KEY = "sk-hush-hush"


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with Endpoint() as running:
        yield running


@pytest.fixture(autouse=True)
def _endpoint_is_set(settings, monkeypatch, server: Endpoint) -> Iterator[None]:
    """The workers' endpoint is ``server``; waiting for it takes no time."""
    settings.READER = ReaderSettings(url=server.url, key=KEY, models=(MODEL,), timeout=20.0)
    with closing(ModelEndpoint(settings.READER, Waiting().clock)) as endpoint:
        monkeypatch.setattr(gateway, "endpoint_of", lambda chosen: endpoint)
        yield


def worked_on(specification: Specification, question: Question, **choices: object) -> Run:
    run = start_run(specification, [question], asks(**choices), None)
    work_on(Attempt.objects.get(run=run).pk)
    return run


def words_of(run: Run, question: Question, lead: Client) -> str:
    page = lead.get(address("run-question", run.project, run.number, question.pk))
    assert page.status_code == 200
    words = html.unescape(re.sub(r"<[^>]+>", " ", page.content.decode()))
    assert KEY not in words
    return " ".join(words.split())


def test_batches_cost_fewer_calls_for_the_same_certificate(specification, question, server) -> None:
    """Protects batching: it saves calls and changes no certificate."""
    one = worked_on(specification, question, per_call=1)
    unbatched = len(server.asked)
    five = worked_on(specification, question, per_call=5)
    assert len(server.asked) - unbatched < unbatched / 2
    bodies = [Outcome.objects.get(run=run).body for run in (one, five)]
    assert bodies[0]["units"] == bodies[1]["units"]


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (misbehaving.another_language, "not JSON"),
        (misbehaving.wrong_schema, "wrong schema"),
        (misbehaving.refuses, "refused: the model declined"),
        (misbehaving.truncates, "truncated"),
        (misbehaving.is_huge(), "longer than a reply may be"),
    ],
)
def test_answers_that_do_not_serve_close(
    specification, question, server, lead, behaviour, words
) -> None:
    """Protects certificates: no plan comes of such an answer, and the page says which and why."""
    server.always(behaviour)
    run = worked_on(specification, question)
    outcome = Outcome.objects.get(run=run)
    assert outcome.kind == "abstention"
    assert outcome.body["open"][0]["cause"] == "no-plan"
    assert len(server.asked) == 1
    assert ReaderAnswer.objects.filter(call__run=run).count() == 1
    assert words in words_of(run, question, lead)


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (misbehaving.html, "it answered with a web page"),
        (misbehaving.half_json, "it answered with broken JSON"),
        (misbehaving.has_no_choices, "JSON that is no chat completion"),
        (misbehaving.fails(500), "it answers with status 500"),
        (misbehaving.fails(401), "it refuses the key"),
        (misbehaving.too_many("3600"), "too many requests (429)"),
        (misbehaving.cuts, "no connection, or it was lost"),
        (misbehaving.redirects("http://127.0.0.1:9/v1"), "it redirects elsewhere (307)"),
    ],
)
def test_no_answer_fails_the_question_by_name(
    specification, question, server, lead, behaviour, words
) -> None:
    """Protects outages from looking like missing evidence; nothing counts as answered."""
    server.always(behaviour)
    run = worked_on(specification, question)
    attempt = Attempt.objects.get(run=run)
    assert attempt.state == Attempt.State.FAILED
    assert attempt.error.startswith("Endpoint down: ")
    assert ReaderFailure.objects.get(call__run=run).error in attempt.error
    assert not ReaderAnswer.objects.filter(call__run=run).exists()
    assert words in words_of(run, question, lead)


def test_hanging_endpoint_fails_the_question_by_name(
    specification, question, server, lead, monkeypatch
) -> None:
    """Protects workers from a server that takes requests and answers none."""
    server.always(misbehaving.hangs)
    hasty = ReaderSettings(url=server.url, key=KEY, models=(MODEL,), timeout=0.05)
    with closing(ModelEndpoint(hasty, Waiting().clock)) as endpoint:
        monkeypatch.setattr(gateway, "endpoint_of", lambda chosen: endpoint)
        run = worked_on(specification, question)
    assert "Endpoint down: no answer within 0.05 s; tried 1" in words_of(run, question, lead)


def test_minute_of_429_delays_and_changes_nothing(specification, question, server) -> None:
    """Protects a run from a rate limit in its middle."""
    server.when(lambda asked: 3 <= asked.number < 9, misbehaving.too_many())
    run = worked_on(specification, question)
    assert Outcome.objects.get(run=run).body["answer"] == "Silent Fjord"
    assert ReaderCall.objects.filter(run=run).count() == len(server.asked) - 6
