"""Whole runs against an endpoint: what they buy, leave behind, replay and fail with."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from adjudication.claims.actions import open_claim
from adjudication.claims.models import Claim, EvidenceSet, Question
from adjudication.readers.settings import ReaderSettings
from adjudication.runs.actions import retry_failed, start_run
from adjudication.runs.models import (
    Attempt,
    Outcome,
    ReadAnswer,
    ReaderCall,
    ReaderNote,
    RecordedLink,
    RecordedSearch,
    Run,
)
from adjudication.runs.tasks import work_on
from adjudication.specifications.models import Specification
from bench import misbehaving
from bench.answers import answer_to, asked_in
from bench.endpoint import Answering, Body, Endpoint, Exchange, well
from tests.runs.asking import MODEL, asks

State = Attempt.State


@pytest.fixture
def endpoint(settings) -> Iterator[Endpoint]:
    with Endpoint() as server:
        settings.READER = ReaderSettings(url=server.url, key="sk-secret", models=(MODEL,))
        yield server


def run_of(specification: Specification, question: Question, **choices: Any) -> Run:
    """A run over one question, worked on to its end."""
    run = start_run(specification, [question], asks(**choices), None)
    work_on(Attempt.objects.get(run=run).pk)
    return run


def error_of(run: Run) -> str:
    attempt = Attempt.objects.filter(run=run).latest("number")
    assert attempt.state == State.FAILED
    return attempt.error


def answering(text: str | None) -> Answering:
    """Whatever the question, its answer is ``text``; all else is read honestly."""

    def say(body: Body) -> str:
        asked = asked_in(body)
        return json.dumps({"answer": text}) if asked["kind"] == "answer" else answer_to(body)

    return say


def left_behind(run: Run) -> dict[str, Any]:
    """What the run found, without the ids of its own rows."""
    outcome = Outcome.objects.get(run=run)
    searches = RecordedSearch.objects.filter(attempt__run=run)
    links = RecordedLink.objects.filter(attempt__run=run)
    answers = outcome.read_answers.order_by("context")
    return {
        "graph": outcome.graph,
        "body": outcome.body,
        "searches": list(searches.values_list("requirement", "query", "round", "versions")),
        "links": list(links.values_list("requirement", "version", "value", "grade", "reason")),
        "answers": list(answers.values_list("context", "passages", "text", "correct")),
        "notes": list(
            ReaderNote.objects.filter(attempt__run=run).values_list("request_sha256", "reason")
        ),
    }


def test_question_is_certified_by_a_model_and_every_call_is_kept(
    specification: Specification, question: Question, endpoint: Endpoint
):
    """Decompose, link, answer twice: each call on record with what it was and what came back."""
    run = run_of(specification, question)
    outcome = Outcome.objects.get(run=run)
    assert outcome.body["answer"] == "Silent Fjord"
    calls = list(ReaderCall.objects.filter(run=run).select_related("answer"))
    assert [call.ordinal for call in calls] == list(range(1, len(calls) + 1))
    kinds = [call.kind for call in calls]
    assert kinds[0] == "decompose"
    assert kinds[-2:] == ["answer", "answer"]
    assert set(kinds[1:-2]) == {"link"}
    assert len(endpoint.asked) == len(calls)
    for call, asked in zip(calls, endpoint.asked, strict=True):
        assert call.request["messages"] == asked.body["messages"]
        assert call.answer.finish == "stop"
        assert call.answer.tokens_in > 0
    assert "sk-secret" not in str([call.request for call in calls])


def test_same_configuration_asks_nobody_and_finds_the_same(
    specification: Specification, question: Question, endpoint: Endpoint
):
    """The same run again is free, and so is a replay when the endpoint is gone."""
    first = run_of(specification, question)
    bought = len(endpoint.asked)
    again = run_of(specification, question)
    recorded = run_of(specification, question, reader="recorded", replays=str(first.pk))
    assert len(endpoint.asked) == bought
    assert left_behind(first) == left_behind(again) == left_behind(recorded)
    assert not ReaderCall.objects.filter(run__in=[again, recorded], reuses=None).exists()
    assert ReaderCall.objects.filter(run=recorded).count() == bought


def test_twin_is_read_by_the_model_too_and_bought_once(
    specification: Specification, question: Question, endpoint: Endpoint
):
    """Its calls are its own, no claim comes of it, and the same run again asks nobody."""
    bought = []
    for _ in range(2):
        run = run_of(specification, question, twins=7)
        twin = Attempt.objects.get(run=run, twin=True)
        assert twin.state == State.QUEUED
        work_on(twin.pk)
        twin.refresh_from_db()
        assert (twin.state, twin.made.audited) == (State.ABSTAINED, True)
        assert twin.calls.exists()
        bought.append(len(endpoint.asked))
    assert bought[0] == bought[1]
    assert EvidenceSet.objects.count() == 1
    assert not ReadAnswer.objects.filter(outcome__twin=True).exists()


def test_replay_stops_where_an_answer_is_missing(
    specification: Specification, question: Question, endpoint: Endpoint
):
    """It says so by name instead of asking, and leaves no outcome."""
    first = run_of(specification, question, budget_calls=2)
    assert error_of(first).startswith("Budget spent: 2 of 2 calls")
    replay = run_of(specification, question, reader="recorded", replays=str(first.pk))
    assert error_of(replay).startswith("No stored answer: ")
    assert len(endpoint.asked) == 2
    assert not Outcome.objects.exists()


def test_fresh_sample_buys_every_answer_anew(
    specification: Specification, question: Question, endpoint: Endpoint
):
    """To see how much a model's answers vary."""
    run_of(specification, question)
    bought = len(endpoint.asked)
    run_of(specification, question, sample=1)
    assert len(endpoint.asked) == 2 * bought


def test_endpoint_that_is_down_fails_the_question_by_name_and_a_retry_buys_the_rest(
    specification: Specification, question: Question, endpoint: Endpoint
):
    """What was bought before the failure is not bought again."""
    endpoint.when(4, misbehaving.fails(401))
    run = run_of(specification, question)
    assert error_of(run).startswith("Endpoint down: ")
    failed = ReaderCall.objects.get(failure__isnull=False)
    assert (failed.run, failed.ordinal) == (run, 4)
    assert "secret" not in failed.failure.error + error_of(run)
    retry_failed(run, None)
    work_on(Attempt.objects.get(run=run, number=2).pk)
    assert Outcome.objects.get(run=run).kind == Outcome.Kind.CERTIFICATE
    digests = endpoint.digests()
    assert sorted(digests.values()) == [1] * (len(digests) - 1) + [2]


def test_worker_that_is_asked_to_end_hands_its_question_on_between_two_calls(
    specification: Specification, question: Question, endpoint: Endpoint, monkeypatch
):
    """No call is cut off by a restart of the program, and none counts as a delivery in vain."""
    told = []

    def tell(*_: object, args: list[str], **__: object) -> None:
        told.append(args)

    def ask_to_end(exchange: Exchange) -> None:
        stopping.set()
        well(exchange)

    monkeypatch.setattr("adjudication.celery_app.send_task", tell)
    stopping = threading.Event()
    monkeypatch.setattr("adjudication.runs.calls.STOPPING", stopping)
    endpoint.when(3, ask_to_end)
    run = run_of(specification, question)
    attempt = Attempt.objects.get(run=run)
    assert (attempt.state, attempt.deliveries, attempt.token) == (State.QUEUED, 0, None)
    assert told == [[str(attempt.pk)]]
    assert ReaderCall.objects.filter(run=run, answer__isnull=False).count() == 3
    assert len(endpoint.asked) == 3
    stopping.clear()
    work_on(attempt.pk)
    assert Outcome.objects.get(run=run).kind == Outcome.Kind.CERTIFICATE
    assert max(endpoint.digests().values()) == 1


def test_worker_without_an_endpoint_says_so(
    specification: Specification, question: Question, endpoint: Endpoint, settings
):
    """The settings of one machine may lack what those of another have."""
    run = start_run(specification, [question], asks(), None)
    settings.READER = None
    work_on(Attempt.objects.get(run=run).pk)
    assert error_of(run) == "Endpoint down: this worker has no READER_URL"


def test_model_that_is_no_longer_offered_is_not_asked(
    specification: Specification, question: Question, endpoint: Endpoint, settings
):
    """The operator took it away while the run waited."""
    run = start_run(specification, [question], asks(), None)
    settings.READER = replace(settings.READER, models=("another",))
    work_on(Attempt.objects.get(run=run).pk)
    assert MODEL in error_of(run)
    assert endpoint.asked == []


# --- Answers beside a certificate


@pytest.mark.parametrize(
    ("reference", "correct"),
    [("the silent FJORD!", True), ("The Red Door", False), (None, None)],
)
def test_answer_is_read_from_the_certificate_and_from_the_pool(
    specification: Specification,
    question: Question,
    endpoint: Endpoint,
    reference: str | None,
    correct: bool | None,
):
    """Each is right or wrong by the data set's own answer, and undefined without one."""
    if reference:
        open_claim(question, value=reference, origin=Claim.Origin.REFERENCE, author=None)
    endpoint.answering = answering("Silent Fjord")
    run_of(specification, question)
    rows = ReadAnswer.objects.order_by("context")
    certificate, pool = rows
    assert (certificate.context, certificate.passages, pool.passages) == ("certificate", 4, 4)
    assert {(row.text, row.correct) for row in rows} == {("Silent Fjord", correct)}


def test_answer_that_is_not_stated_is_wrong_where_there_is_one_to_give(
    specification: Specification, question: Question, endpoint: Endpoint
):
    """Saying nothing is not right, and is told apart from having nothing to compare with."""
    open_claim(question, value="Silent Fjord", origin=Claim.Origin.REFERENCE, author=None)
    endpoint.answering = answering(None)
    run_of(specification, question)
    assert set(ReadAnswer.objects.values_list("text", "correct")) == {(None, False)}


def test_abstention_reads_no_answer(
    specification: Specification, question: Question, endpoint: Endpoint
):
    """There is no certificate to compare with; why the reader closed is kept."""
    endpoint.always(misbehaving.says("Je ne sais pas."))
    run = run_of(specification, question)
    assert Outcome.objects.get(run=run).body["open"][0]["cause"] == "no-plan"
    assert not ReadAnswer.objects.exists()
    assert not EvidenceSet.objects.exists()
    note = ReaderNote.objects.get(attempt__run=run)
    assert note.request_sha256 == ReaderCall.objects.get(run=run).request_sha256
