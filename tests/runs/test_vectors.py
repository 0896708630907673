"""Runs that rank by vectors: questions wait until those are there, and end once they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from adjudication.claims.models import Question
from adjudication.errors import Refused
from adjudication.projects.models import Membership
from adjudication.runs import vectors
from adjudication.runs.actions import TASK, pause_run, retry_failed, start_run, sweep
from adjudication.runs.models import Attempt, Run
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from adjudication.search import building, embedding
from adjudication.search.models import EmbeddedCorpus
from adjudication.search.settings import EmbeddingsSettings
from adjudication.specifications.models import Specification
from bench import misbehaving
from bench.endpoint import Endpoint
from tests.conftest import Cast
from tests.runs.test_new_run_page import start

MODEL = "bag-of-words"
HYBRID = Configuration(retriever="hybrid", embeddings=MODEL)
Committing = Callable[[], AbstractContextManager[Any]]


@pytest.fixture
def endpoint(settings: LazySettings) -> Iterator[Endpoint]:
    with Endpoint() as server:
        settings.EMBEDDINGS = EmbeddingsSettings(server.url, "", MODEL)
        yield server


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """What workers were asked to do, in order."""
    asked: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(
        "adjudication.celery_app.send_task", lambda task, args, **_: asked.append((task, args))
    )
    return asked


@pytest.fixture
def committing(django_capture_on_commit_callbacks: Callable[..., Any]) -> Committing:
    """Do what follows a commit, as there is none within a test's transaction."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def run(
    specification: Specification,
    question: Question,
    endpoint: Endpoint,
    told: list[tuple[str, list[str]]],
    committing: Committing,
) -> Run:
    with committing():
        return start_run(specification, [question], HYBRID, None)


def test_form_refuses_vectors_at_their_field(
    specification: Specification,
    endpoint: Endpoint,
    lead: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A database without the extension is said where the retriever is chosen."""
    monkeypatch.setattr("adjudication.search.vectors.has_extension", lambda: False)
    response = start(lead, specification.project, retriever="dense")
    assert response.status_code == 422
    (said,) = response.context["form"].errors["retriever"]
    assert "which this database lacks" in said
    assert not Run.objects.exists()


def waiting_attempt(run: Run) -> UUID:
    return Attempt.objects.get(run=run, state=Attempt.State.QUEUED).pk


def test_questions_wait_for_vectors_and_are_announced_with_them(
    run: Run, told: list[tuple[str, list[str]]], committing: Committing
) -> None:
    """Workers hear of the texts first, of the questions once those are embedded, and no sweep
    in between hands them out in vain.
    """
    assert told == [(embedding.TASK, [str(run.specification_id), MODEL])]
    assert vectors.wait(run) == "embedding 0 of 4"
    assert sweep().published == 0
    with committing():
        building.build(run.specification, MODEL)
    assert told[1:] == [(TASK, [str(waiting_attempt(run))])]
    assert vectors.wait(run) == ""
    work_on(waiting_attempt(run))
    assert Attempt.objects.get(run=run).state == Attempt.State.CERTIFIED


def test_question_that_comes_too_early_is_put_back(run: Run) -> None:
    """It does not count as handed out: however long the vectors take, none is given up."""
    for _ in range(7):
        work_on(waiting_attempt(run))
    attempt = Attempt.objects.get(run=run)
    assert (attempt.state, attempt.deliveries, attempt.token) == ("queued", 0, None)
    assert attempt.started_at is None


def test_failed_embedding_is_the_reason_until_it_is_asked_for_again(
    run: Run, endpoint: Endpoint, told: list[tuple[str, list[str]]], committing: Committing
) -> None:
    """Nobody waits for what will not come, and retrying begins with the vectors."""
    endpoint.when(1, misbehaving.fails(401))
    with committing():
        building.build(run.specification, MODEL)
    work_on(UUID(told[-1][1][0]))
    failed = Attempt.objects.get(run=run)
    assert failed.error.startswith("Not embedded: the embeddings were refused: it refuses the key")
    del told[:]
    with committing():
        assert retry_failed(run, None) == 1
    assert [task for task, _ in told] == [embedding.TASK]
    with committing():
        building.build(run.specification, MODEL)
    work_on(waiting_attempt(run))
    assert Attempt.objects.get(run=run, number=2).state == Attempt.State.CERTIFIED


def test_run_page_says_what_its_questions_wait_for(run: Run, lead: Client) -> None:
    """Who looks on learns how far the vectors are and, in the end, what they cost."""
    address = reverse("run", args=[run.project.slug, run.number])
    assert "wait for the vectors of their corpus: embedding 0 of 4." in page(lead, address)
    building.build(run.specification, MODEL)
    work_on(waiting_attempt(run))
    shown = page(lead, address)
    assert "wait for the vectors" not in shown
    corpus = EmbeddedCorpus.objects.get()
    assert corpus.calls > 1
    assert f"{corpus.calls} calls, {corpus.tokens:,} tokens" in shown


def page(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def test_paused_run_is_not_announced_by_its_vectors(
    run: Run, told: list[tuple[str, list[str]]], cast: Cast, committing: Committing
) -> None:
    """A pause holds until a person ends it."""
    with committing():
        pause_run(Membership.objects.get(user=cast.lead), run)
        building.build(run.specification, MODEL)
    assert [task for task, _ in told] == [embedding.TASK]


def test_run_is_refused_where_vectors_cannot_be_had(
    specification: Specification, question: Question, settings: LazySettings
) -> None:
    """A lead learns it when choosing, not from failed questions."""
    settings.EMBEDDINGS = None
    with pytest.raises(Refused, match="EMBEDDINGS_URL is not set"):
        start_run(specification, [question], HYBRID, None)
    assert not Run.objects.exists()
