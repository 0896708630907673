"""Start runs: attempts wait in the database, and workers are told that they do."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from adjudication import tell_workers
from adjudication.claims.models import Question
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Project
from adjudication.runs import vectors
from adjudication.runs.models import Attempt, Run, RunControl
from adjudication.runs.rules import CALLS, Configuration, code_version
from adjudication.specifications.models import Specification
from certify_core.canonical import digest

if TYPE_CHECKING:
    from adjudication.accounts.models import User

State = Attempt.State

TASK = "adjudication.runs.certify_attempt"


@transaction.atomic
def start_run(
    specification: Specification,
    questions: Iterable[Question],
    configuration: Configuration,
    by: User | None,
    key: UUID | None = None,
) -> Run:
    """Queue one attempt per question; workers are told once this is committed.

    ``key`` is the run's id where the caller chose one: the same key again starts nothing.

    Raises:
        Refused: the specification is not frozen, there is no question of its project, or the
            reader or the retriever cannot be had: no endpoint with this model, no such run to
            replay; or the key started a run that differs.
    """
    if specification.state != Specification.State.FROZEN:
        raise Refused("Freeze the specification first: a run searches its eligible versions.")
    asked = list(dict.fromkeys(questions))
    if not asked:
        raise Refused("There is no question to run over.")
    if any(question.project_id != specification.project_id for question in asked):
        raise Refused("Every question must come from this project.")
    _check_reader(configuration, specification)
    vectors.check_possible(configuration)
    Project.objects.select_for_update(no_key=True).get(pk=specification.project_id)
    if key and (known := Run.objects.filter(pk=key).first()):
        _check_same(known, specification, configuration, asked)
        return known
    run = _numbered_run(specification, configuration, by, key or uuid.uuid4())
    vectors.ask_for(run)
    queue(run, (Attempt(run=run, question=question) for question in asked))
    record(
        "started run",
        run,
        actor=by,
        project_id=specification.project_id,
        questions=len(asked),
        configuration=run.configuration,
    )
    return run


def _digest(configuration: dict[str, Any], specification: Specification) -> str:
    return digest({"configuration": configuration, "specification": specification.sha256})


def _check_same(
    run: Run, specification: Specification, configuration: Configuration, asked: Sequence[Question]
) -> None:
    """Refuse to take ``run`` for what is asked for now.

    It may ask more questions: those left without an outcome are fewer once some have ended.
    """
    if run.project_id != specification.project_id:
        raise Refused("This form was used already. Open a new one.")
    asks = set(Attempt.objects.filter(run=run).values_list("question", flat=True))
    same = run.sha256 == _digest(configuration.to_json(), specification)
    if not same or not asks.issuperset(question.pk for question in asked):
        raise Refused(
            f"This form started run {run.number} already, with other choices. "
            "Open a new form to start another run."
        )


def _check_reader(configuration: Configuration, specification: Specification) -> None:
    if configuration.reader == "endpoint":
        models = settings.READER.models if settings.READER else ()
        if configuration.model not in models:
            known = ", ".join(models) or "none, since READER_URL is not set"
            raise Refused(f"The model {configuration.model!r} is not among those here: {known}.")
    if configuration.replays is not None:
        replayed = Run.objects.filter(
            pk=configuration.replays, project=specification.project_id
        ).first()
        if replayed is None:
            raise Refused("The run to replay is not in this project.")
        configuration.check_replays(replayed.pk, replayed.configuration, str(replayed))


def _numbered_run(
    specification: Specification, configuration: Configuration, by: User | None, key: UUID
) -> Run:
    runs = Run.objects.filter(project=specification.project_id)
    body = configuration.to_json()
    run = Run.objects.create(
        pk=key,
        project_id=specification.project_id,
        specification=specification,
        number=(runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        configuration=body,
        sha256=_digest(body, specification),
        code_version=code_version(),
        started_by=by,
    )
    RunControl.objects.create(
        run=run,
        budget_calls=configuration.budget_calls,
        budget_tokens=configuration.budget_tokens,
    )
    return run


@transaction.atomic
def retry_failed(run: Run, by: User | None) -> int:
    """Queue a new attempt for every question, and twin, whose last one failed; how many they were.

    A second click finds nothing left to retry.

    Raises:
        Refused: the run was cancelled, or needs vectors that cannot be had.
    """
    if RunControl.objects.get(run=run).state == RunControl.State.CANCELLED:
        raise Refused(f"Run {run.number} was cancelled. Start a new run over its questions.")
    vectors.ask_for(run)
    living = Attempt.objects.filter(
        run=run, question=OuterRef("question"), twin=OuterRef("twin")
    ).exclude(state=State.FAILED)
    failed = (
        Attempt.objects.filter(run=run, state=State.FAILED)
        .exclude(Exists(living))
        .values("question", "twin")
        .annotate(last=Max("number"))
        .order_by("twin", "question")
    )
    queued = queue(
        run,
        (
            Attempt(run=run, question_id=row["question"], twin=row["twin"], number=row["last"] + 1)
            for row in failed
        ),
    )
    if queued:
        record("retried run", run, actor=by, project_id=run.project_id, questions=queued)
    return queued


def queue(run: Run, attempts: Iterable[Attempt]) -> int:
    """Store attempts and tell the workers on commit; one question has one living attempt.

    Attempts that wait for vectors are announced once these are there.
    """
    made = Attempt.objects.bulk_create(attempts, ignore_conflicts=True)
    ids = [attempt.pk for attempt in made]
    where = queue_of(run)
    transaction.on_commit(lambda: None if vectors.wait(run) else publish(ids, where))
    return len(ids)


def queue_of(run: Run) -> str | None:
    """The queue on which workers are told of the run's attempts; ``None`` for the usual one."""
    return CALLS if run.configuration["reader"] == "endpoint" else None


def publish(attempts: Sequence[UUID], where: str | None) -> None:
    """Tell the workers which attempts wait."""
    tell_workers(TASK, ([str(attempt_id)] for attempt_id in attempts), where)
