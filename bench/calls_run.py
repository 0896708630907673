"""A run of `bench.calls` over the database of this process's environment."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count

from adjudication import celery_app
from adjudication.claims.models import Question
from adjudication.corpus.actions import Capture
from adjudication.corpus.bulk import add_sources, refresh_statistics
from adjudication.embedded import DataDirectory
from adjudication.management.commands.serve import workers
from adjudication.projects.actions import create_project
from adjudication.projects.models import Project
from adjudication.runs.actions import start_run
from adjudication.runs.models import Attempt, Outcome, ReaderCall, RecordedSearch, Run
from adjudication.runs.queries import progress
from adjudication.runs.rules import CALLS, Configuration
from adjudication.search.queries import corpus_of
from adjudication.specifications.actions import add_standard_rules, freeze, start_draft
from adjudication.specifications.models import Specification
from bench.certify import is_right
from bench.films import Asked, study
from bench.processes import cpu_under, parent_of
from certify_core.canonical import digest, sha256_hex

PAUSE = 0.1  # seconds between looks at how far a run is


def worker_command() -> list[str]:
    """How `manage.py serve` starts the worker that waits for a model."""
    started = {child.name: child for child in workers(DataDirectory.at(settings.DATA_DIR))}
    return list(started[CALLS].command)


def wait_for_workers(number: str) -> None:
    while len(celery_app.control.ping(timeout=1)) < int(number):
        pass


def prepare(slug: str, questions: str) -> None:
    """A project with the invented study, frozen, and its index built."""
    invented = study(int(questions))
    project = create_project(slug=slug, title=slug, lead=None, actor=None)
    add_standard_rules(project, by=None)
    now = datetime.now(UTC)
    captures = (
        Capture("bench", sha256_hex(text.encode()), text.split("\n")[0], text.encode(), now)
        for text in invented.passages
    )
    with transaction.atomic():
        add_sources(project, captures, reader_classes=list(project.reader_classes.all()))
        Question.objects.bulk_create(_questions(project, invented.questions))
    refresh_statistics()
    frozen = freeze(start_draft(project, by=None), by=None)
    corpus_of(frozen)


def _questions(project: Project, asked: Iterable[Asked]) -> Iterable[Question]:
    for number, one in enumerate(asked):
        sha256 = digest({"text": one.text})
        yield Question(
            project=project, origin="bench", key=str(number), sha256=sha256, text=one.text
        )


def run(slug: str, model: str, per_call: str) -> dict[str, object]:
    """Run over all questions of the project, and return what it took and what came of it."""
    specification = Specification.objects.get(project__slug=slug, state="frozen")
    questions = list(Question.objects.filter(project__slug=slug))
    configuration = Configuration(reader="endpoint", model=model, per_call=int(per_call))
    before = _database_cpu()
    begin = time.monotonic()
    started = start_run(specification, questions, configuration, None)
    while progress(started).unfinished:
        time.sleep(PAUSE)
    seconds = time.monotonic() - begin
    return {
        "per_call": int(per_call),
        "wall_s": seconds,
        "database_cpu_s": _database_cpu() - before,
        **_came_of(started, {one.text: one.answer for one in study(len(questions)).questions}),
    }


def _came_of(run: Run, answers: dict[str, str]) -> dict[str, object]:
    outcomes = Outcome.objects.filter(run=run).values_list("question__text", "body")
    calls = ReaderCall.objects.filter(run=run, reuses=None)
    per_question = calls.values("attempt").annotate(n=Count("pk")).values_list("n", flat=True)
    errors = Attempt.objects.filter(run=run).exclude(error="").values_list("error", flat=True)
    searched = RecordedSearch.objects.filter(attempt__run=run).values_list("versions", flat=True)
    return {
        "right": sum(is_right(body.get("answer", ""), [answers[q]]) for q, body in outcomes),
        "links": sum(map(len, searched)),
        "bought": calls.count(),
        "kinds": dict(Counter(calls.values_list("kind", flat=True))),
        "most_calls_of_a_question": max(per_question.order_by("-n"), default=0),
        "errors": dict(Counter(errors).most_common(3)),
    }


def _database_cpu() -> float:
    """Of the server with all its processes."""
    connection.ensure_connection()
    return cpu_under(parent_of(connection.connection.info.backend_pid))
