"""Start runs and carry every question to exactly one end, whatever dies on the way.

The attempt's row is the outbox: it is written in the caller's transaction, and a message on
the broker is only a hint that it is there. Whoever claims it holds a token and a lease by
the database's clock; only the holder of the current token can end it, in one transaction
with everything it found.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import kombu.exceptions
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from adjudication import celery_app, tell_workers
from adjudication.claims.models import Claim, EvidenceSet, Question
from adjudication.errors import Refused
from adjudication.journal.actions import expose, record
from adjudication.journal.models import Exposure
from adjudication.journal.queries import exposed_objects
from adjudication.projects.models import Membership, Project
from adjudication.runs.gateway import store
from adjudication.runs.models import Attempt, Run, RunControl
from adjudication.runs.rules import LEASE, MAX_DELIVERIES, Configuration, code_version
from adjudication.runs.transitions import move
from adjudication.specifications.models import Specification
from certify_core import model as core
from certify_core.canonical import digest

if TYPE_CHECKING:
    from adjudication.accounts.models import User

State = Attempt.State

TASK = "adjudication.runs.certify_attempt"
DEAD_LETTER = f"Given up: handed to a worker {MAX_DELIVERIES} times, and none came back."


class LostAttempt(Exception):
    """This worker's token is no longer the attempt's: another one has it, or it has ended."""


# --- Starting --------------------------------------------------------------------------------


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
        Refused: the specification is not frozen, or there is no question of its project.
    """
    if specification.state != Specification.State.FROZEN:
        raise Refused("Freeze the specification first: a run searches its eligible versions.")
    asked = list(dict.fromkeys(questions))
    if not asked:
        raise Refused("There is no question to run over.")
    if any(question.project_id != specification.project_id for question in asked):
        raise Refused("Every question must come from this project.")
    project = Project.objects.select_for_update(no_key=True).get(pk=specification.project_id)
    if key and (known := Run.objects.filter(pk=key, project=project).first()):
        return known
    run = _numbered_run(specification, configuration, by, key or uuid.uuid4())
    queue(Attempt(run=run, question=question) for question in asked)
    record(
        "started run",
        run,
        actor=by,
        project_id=specification.project_id,
        questions=len(asked),
        configuration=run.configuration,
    )
    return run


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
        sha256=digest({"configuration": body, "specification": specification.sha256}),
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
    """Queue a new attempt for every question whose last one failed; how many there were.

    A second click finds nothing left to retry.
    """
    living = Attempt.objects.filter(run=run, question=OuterRef("question")).exclude(
        state=State.FAILED
    )
    failed = (
        Attempt.objects.filter(run=run, state=State.FAILED)
        .exclude(Exists(living))
        .values("question")
        .annotate(last=Max("number"))
        .order_by("question")
    )
    queued = queue(
        Attempt(run=run, question_id=row["question"], number=row["last"] + 1) for row in failed
    )
    if queued:
        record("retried run", run, actor=by, project_id=run.project_id, questions=queued)
    return queued


def queue(attempts: Iterable[Attempt]) -> int:
    """Store attempts and tell the workers on commit; one question has one living attempt."""
    made = Attempt.objects.bulk_create(attempts, ignore_conflicts=True)
    ids = [attempt.pk for attempt in made]
    transaction.on_commit(lambda: publish(ids))
    return len(ids)


def publish(attempts: Sequence[UUID]) -> None:
    """Tell the workers which attempts wait."""
    tell_workers(TASK, ([str(attempt_id)] for attempt_id in attempts))


# --- Showing ---------------------------------------------------------------------------------


def expose_outcomes(membership: Membership, questions: Iterable[UUID], place: str) -> None:
    """Record that this person is shown how Certify ended on ``questions``.

    It says something about every route to their claims, so it is recorded for each evidence
    set, and for the claims and questions themselves, whose later sets it concerns as well.
    """
    ids = list(questions)
    questions_shown = Question.objects.filter(pk__in=ids).order_by("id")
    claims = Claim.objects.filter(question__in=ids).order_by("id")
    sets = EvidenceSet.objects.filter(claim__question__in=ids).order_by("id")
    seen = set(exposed_objects(membership.user))
    expose(
        membership.user,
        [shown for shown in (*questions_shown, *claims, *sets) if shown.pk not in seen],
        Exposure.Side.MACHINE_VERDICT,
        project_id=membership.project_id,
        place=place,
    )


# --- Working ---------------------------------------------------------------------------------


@transaction.atomic
def claim_attempt(attempt_id: UUID) -> Attempt | None:
    """Take an attempt that waits, or whose lease ran out, with a fresh token and lease.

    ``None`` if it has ended, somebody works on it, or it was handed out too often already,
    which ends it as failed.
    """
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=Now())
    attempt = _unlocked().filter(free, pk=attempt_id).first()
    if attempt is None or _given_up(attempt):
        return None
    token = uuid.uuid4()
    move(
        Attempt.objects.filter(pk=attempt.pk),
        State.RUNNING,
        token=token,
        lease_until=Now() + LEASE,
        started_at=Now(),
        deliveries=attempt.deliveries + 1,
    )
    return Attempt.objects.select_related("run__specification", "question").get(pk=attempt.pk)


def _given_up(attempt: Attempt) -> bool:
    if attempt.deliveries < MAX_DELIVERIES:
        return False
    given_up = Attempt.objects.filter(pk=attempt.pk)
    move(given_up, State.FAILED, error=DEAD_LETTER, finished_at=Now())
    record("gave up attempt", attempt, actor=None, project_id=attempt.run.project_id)
    return True


def _unlocked() -> QuerySet[Attempt]:
    """Attempts that nobody else is claiming, ending or sweeping right now, locked."""
    rows = Attempt.objects.select_for_update(skip_locked=True, of=("self",))
    return rows.select_related("run")


def renew_lease(attempt: Attempt) -> bool:
    """A sign of life; False if the attempt is no longer this worker's."""
    return bool(_held(attempt).update(lease_until=Now() + LEASE))


@transaction.atomic
def finish(attempt: Attempt, outcome: core.Outcome) -> None:
    """End the attempt with what was found, all in one transaction.

    Raises:
        LostAttempt: the token is an old one; nothing is written.
    """
    certified = isinstance(outcome.result, core.Certificate)
    _end(attempt, State.CERTIFIED if certified else State.ABSTAINED)
    store(attempt, outcome)


@transaction.atomic
def fail(attempt: Attempt, error: str) -> None:
    """End the attempt with a named error. Raises LostAttempt as ``finish`` does."""
    _end(attempt, State.FAILED, error)


def _end(attempt: Attempt, state: Attempt.State, error: str = "") -> None:
    if not move(_held(attempt), state, error=error, finished_at=Now()):
        raise LostAttempt(f"attempt {attempt.pk} is no longer held with this token")
    record("ended attempt", attempt, actor=None, project_id=attempt.run.project_id)


def _held(attempt: Attempt) -> QuerySet[Attempt]:
    return Attempt.objects.filter(pk=attempt.pk, token=attempt.token, state=State.RUNNING)


# --- Sweeping --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep put right: attempts queued again, given up, and published again."""

    requeued: int
    given_up: int
    published: int


def sweep() -> Swept:
    """Queue again what dead workers held, and tell the workers again what the broker lost.

    While messages wait on the broker nothing is lost that would not come up later, so
    attempts are published again only once it is empty: no flood, however often this runs.
    """
    requeued, given_up = _end_expired_leases()
    lost = _unannounced()
    publish(lost)
    return Swept(requeued, given_up, len(lost))


@transaction.atomic
def _end_expired_leases() -> tuple[int, int]:
    expired = list(_unlocked().filter(state=State.RUNNING, lease_until__lt=Now()))
    given_up = {attempt.pk for attempt in expired if _given_up(attempt)}
    requeued = [attempt.pk for attempt in expired if attempt.pk not in given_up]
    move(Attempt.objects.filter(pk__in=requeued), State.QUEUED, token=None, lease_until=None)
    return len(requeued), len(given_up)


def _unannounced() -> list[UUID]:
    if _messages_waiting():
        return []
    queued = Attempt.objects.filter(state=State.QUEUED).order_by("queued_at", "id")
    return list(queued.values_list("pk", flat=True))


def _messages_waiting() -> int:
    """How many messages the workers have not fetched; none if the broker does not answer."""
    with celery_app.connection_or_acquire() as connection:
        try:
            connection.ensure_connection(max_retries=1, interval_start=0)
            channel = connection.default_channel
            return int(channel.queue_declare(celery_app.conf.task_default_queue).message_count)
        except (kombu.exceptions.OperationalError, *connection.connection_errors):
            return 0
