"""``manage.py certify``: the same actions from the command line."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from adjudication import celery_app
from adjudication.claims.models import Question
from adjudication.projects.models import Project
from adjudication.runs.actions import claim_attempt, fail, start_run
from adjudication.runs.models import Attempt, Run
from adjudication.runs.rules import Configuration
from adjudication.search.settings import EmbeddingsSettings
from tests.conftest import ROOT, Cast, CommittedDatabase
from tests.factories import make_project, make_question
from tests.runs.asking import MODEL, READER, asks
from tests.runs.specified import freeze, make_film_study

ASKS_THE_BROKER = "test_certify_without_a_worker_says_that_the_questions_wait"


@pytest.fixture(autouse=True)
def nobody_answers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker is there; it takes a second to find that out, which one test does."""
    if request.node.originalname != ASKS_THE_BROKER:
        monkeypatch.setattr(celery_app.control, "ping", lambda **_: [])


@pytest.fixture
def question(project: Project) -> Question:
    question = make_film_study(project)
    freeze(project)
    return question


def certify(project: Project, *arguments: str) -> str:
    out = StringIO()
    call_command("certify", project.slug, *arguments, stdout=out)
    return out.getvalue()


def test_certify_without_a_worker_says_that_the_questions_wait(question: Question, cast: Cast):
    """Nobody is left to wonder why nothing happens."""
    said = certify(question.project, "--by", "lena", "--check", "verify")
    assert "Run 1 over 1 question under specification 1." in said
    assert "No worker answers" in said
    run = Run.objects.get()
    assert (run.started_by, run.configuration["check"]) == (cast.lead, "verify")
    assert Attempt.objects.get().state == Attempt.State.QUEUED


def test_certify_refuses_a_retriever_that_cannot_be_had(question: Question):
    """The command says what is missing, and starts nothing."""
    with pytest.raises(CommandError, match="EMBEDDINGS_URL is not set"):
        certify(question.project, "--retriever", "hybrid")
    assert not Run.objects.exists()


def test_certify_reads_with_a_model_or_replays_a_run(question: Question, settings):
    """All that decides what is asked, and how much of it, can be said; nonsense starts nothing."""
    settings.READER = READER
    certify(question.project, "--model", MODEL, "--per-call", "3", "--budget-calls", "40")
    asked = Run.objects.get().configuration
    assert (asked["reader"], asked["model"], asked["per_call"]) == ("endpoint", MODEL, 3)
    assert (asked["budget_calls"], asked["budget_tokens"]) == (40, None)
    certify(question.project, "--replay", "1")
    replay = Run.objects.get(number=2).configuration
    assert (replay["reader"], replay["model"], replay["per_call"]) == ("recorded", MODEL, 3)
    for arguments, said in (
        (("--replay", "9"), "no run 9"),
        (("--replay", "2"), "run 2 asked no endpoint"),
        (("--replay", "1", "--model", MODEL), "not both"),
        (("--model", "another"), "not among those here"),
        (("--budget-calls", "40"), "budget goes with an endpoint"),
        (("--replay", "1", "--budget-calls", "40"), "budget goes with an endpoint"),
    ):
        with pytest.raises(CommandError, match=said):
            certify(question.project, *arguments)
    assert Run.objects.count() == 2


def test_certify_replays_the_search_of_a_run_too(question: Question, settings: Settings):
    """Another search would find passages for which no answer is stored; what is said counts."""
    settings.READER = READER
    settings.EMBEDDINGS = EmbeddingsSettings("http://127.0.0.1:9/v1", "", "e5")
    search = {"retriever": "dense", "embeddings": "e5", "check": "verify", "stop_on": "any"}
    specification = question.project.specifications.get()
    start_run(specification, [question], asks(**search, budget_calls=9), None)
    certify(question.project, "--replay", "1")
    replay = Configuration.from_json(Run.objects.get(number=2).configuration)
    assert {name: getattr(replay, name) for name in search} == search
    assert replay.budget_calls is None
    certify(question.project, "--replay", "1", "--check", "off", "--retriever", "bm25")
    replay = Configuration.from_json(Run.objects.get(number=3).configuration)
    assert [getattr(replay, name) for name in search] == ["bm25", "", "off", "any"]
    with pytest.raises(CommandError, match="take its model"):
        certify(question.project, "--replay", "1", "--sample", "3")


def test_certify_takes_the_first_questions(question: Question):
    """--limit is a trial over a part."""
    for number in range(3):
        make_question(question.project, f"{number}?")
    certify(question.project, "--limit", "2")
    assert Attempt.objects.count() == 2


def test_certify_retries_the_failed_questions_of_a_run(question: Question):
    """The same run goes on; no second run starts."""
    certify(question.project)
    attempt = claim_attempt(Attempt.objects.get().pk)
    assert attempt
    fail(attempt, "ValueError: no")
    assert "1 failed question is tried again" in certify(question.project, "--retry", "1")
    assert Run.objects.count() == 1
    assert Attempt.objects.count() == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--limit", "0"], "from 1 on"),
        (["--retry", "7"], "no run 7"),
        (["--by", "rosa"], "needs the role lead"),
        (["--by", "nobody"], "not an active member"),
        (["--check", "maybe"], "invalid choice"),
    ],
)
def test_certify_refuses_in_one_line(
    question: Question, cast: Cast, arguments: list[str], reason: str
):
    """A wrong argument starts nothing and says what is wrong."""
    with pytest.raises(CommandError, match=reason):
        certify(question.project, *arguments)
    assert not Run.objects.exists()


def test_certify_without_a_specification_is_refused(project: Project):
    """A run needs a frozen corpus."""
    with pytest.raises(CommandError, match="Freeze a specification"):
        certify(project)


@pytest.mark.slow
def test_certify_waits_with_a_worker_of_its_own(committed: CommittedDatabase):
    """On a machine where nothing else runs, one command brings the outcomes."""
    project = make_project()
    make_film_study(project)
    make_question(project, "What does it all mean?")
    freeze(project)
    done = subprocess.run(
        [sys.executable, "manage.py", "certify", project.slug, "--wait"],
        cwd=ROOT,
        env=committed.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    for line in (
        "one runs for the length of this command",
        "2 of 2 ended",
        "Certificates: 1 (0 equal to a reference answer)",
        "Abstentions: 1",
        "  1 the reader has no plan for the question",
        "Failures: 0",
    ):
        assert line in done.stdout
