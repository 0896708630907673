"""What workers do with an attempt: take it, and end it once, with everything they found."""

from __future__ import annotations

import uuid
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from adjudication.journal.actions import record
from adjudication.runs.actions.starting import queue
from adjudication.runs.gateway import Found, store
from adjudication.runs.leases import LostAttempt, RunCancelled, check_held, held
from adjudication.runs.models import Attempt, RunControl
from adjudication.runs.rules import LEASE, MAX_DELIVERIES, Failure
from adjudication.runs.transitions import move
from adjudication.runs.twins import may_have_twin
from certify_core import model as core

State = Attempt.State
DEAD_LETTER = f"{Failure.GIVEN_UP}: handed to a worker {MAX_DELIVERIES} times, and none came back."


@transaction.atomic
def claim_attempt(attempt_id: UUID) -> Attempt | None:
    """Take an attempt that waits, or whose lease ran out, with a fresh token and lease.

    ``None`` if it has ended, somebody works on it, or its run is paused; if it was handed out
    too often already or its run is cancelled, that ends it.
    """
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=Now())
    attempt = unlocked().filter(free, pk=attempt_id).first()
    if attempt is None or is_over(attempt):
        return None
    if attempt.run.control.state == RunControl.State.PAUSED:
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


def unlocked() -> QuerySet[Attempt]:
    """Attempts that nobody else is claiming, ending or sweeping right now, locked."""
    rows = Attempt.objects.select_for_update(skip_locked=True, of=("self",))
    return rows.select_related("run__control")


def is_over(attempt: Attempt) -> bool:
    """End a locked attempt that nobody is to work on any more; whether it was one."""
    if attempt.run.control.state == RunControl.State.CANCELLED:
        _end_unheld(attempt, State.CANCELLED, "ended attempt")
        return True
    if attempt.deliveries < MAX_DELIVERIES:
        return False
    _end_unheld(attempt, State.FAILED, "gave up attempt", DEAD_LETTER)
    return True


def _end_unheld(attempt: Attempt, state: Attempt.State, verb: str, error: str = "") -> None:
    row = Attempt.objects.filter(pk=attempt.pk)
    move(row, state, error=error, finished_at=Now())
    record(verb, attempt, actor=None, project_id=attempt.run.project_id)


@transaction.atomic
def finish(attempt: Attempt, found: Found) -> None:
    """End the attempt with what was found, all in one transaction.

    In a run with twins, the twin of a question waits for a worker from then on. Where the run
    was cancelled meanwhile, what was found is dropped.

    Raises:
        LostAttempt: the token is an old one; nothing is written.
    """
    try:
        check_held(attempt)
    except RunCancelled:
        _end(attempt, State.CANCELLED)
        return
    _end(attempt, _state_of(found))
    kept = store(attempt, found)
    twins = attempt.run.configuration.get("twins") is not None
    if twins and kept is not None and not attempt.twin and may_have_twin(kept):
        queue(attempt.run, [Attempt(run=attempt.run, question=attempt.question, twin=True)])


def _state_of(found: Found) -> Attempt.State:
    if found.outcome is None:
        return State.DROPPED
    certified = isinstance(found.outcome.result, core.Certificate)
    return State.CERTIFIED if certified else State.ABSTAINED


@transaction.atomic
def fail(attempt: Attempt, error: str) -> None:
    """End the attempt with a named error. Raises LostAttempt as ``finish`` does."""
    _end(attempt, State.FAILED, error)


@transaction.atomic
def put_back(attempt: Attempt) -> None:
    """Let the attempt wait again, as if it had not been handed out.

    Raises LostAttempt as ``finish`` does.
    """
    deliveries = attempt.deliveries - 1
    free = {"token": None, "lease_until": None, "started_at": None, "deliveries": deliveries}
    if not move(held(attempt), State.QUEUED, **free):
        raise LostAttempt(attempt)


@transaction.atomic
def give_back_cancelled(attempt: Attempt) -> None:
    """End the attempt since its run was cancelled. Raises LostAttempt as ``finish`` does."""
    _end(attempt, State.CANCELLED)


def _end(attempt: Attempt, state: Attempt.State, error: str = "") -> None:
    if not move(held(attempt), state, error=error, finished_at=Now()):
        raise LostAttempt(attempt)
    record("ended attempt", attempt, actor=None, project_id=attempt.run.project_id)
