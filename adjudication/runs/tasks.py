"""What a worker does with a hint: claim the attempt, certify, end it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from celery.signals import worker_shutting_down
from django.db import DatabaseError, InterfaceError, OperationalError, connection

from adjudication import celery_app
from adjudication.readers.requests import BudgetSpent, EndpointDown
from adjudication.runs.actions import (
    TASK,
    claim_attempt,
    fail,
    finish,
    give_back_cancelled,
    publish,
    put_back,
    queue_of,
)
from adjudication.runs.calls import STOPPING, NoStoredAnswer, WorkerStops
from adjudication.runs.gateway import outcome_of
from adjudication.runs.leases import LostAttempt, RunCancelled, renew_lease
from adjudication.runs.models import Attempt
from adjudication.runs.rules import LEASE, Failure
from adjudication.search.embedding import NotEmbedded, NotReady
from adjudication.search.embeddings import NoVectors

logger = logging.getLogger("adjudication.runs")

EXPECTED: dict[type[Exception], Failure] = {
    BudgetSpent: Failure.BUDGET_SPENT,
    EndpointDown: Failure.ENDPOINT_DOWN,
    NoStoredAnswer: Failure.NO_STORED_ANSWER,
    NotEmbedded: Failure.NOT_EMBEDDED,
    NoVectors: Failure.NO_VECTOR,
}


@worker_shutting_down.connect
def send_no_more_calls(**_: object) -> None:
    """A call that is cut off is paid for in vain, so questions are handed on between two."""
    STOPPING.set()


@celery_app.task(name=TASK)
def certify_attempt(attempt_id: str) -> None:
    work_on(UUID(attempt_id))


def work_on(attempt_id: UUID) -> None:
    """Carry an attempt to its end, unless somebody else has it.

    An error of the question ends it with the error's name, and others proceed. Where the
    database is away nothing can be written: the lease runs out and the sweeper takes over.
    """
    attempt = claim_attempt(attempt_id)
    if attempt is None:
        return
    with heartbeat(attempt):
        try:
            carry_to_its_end(attempt)
        except LostAttempt as lost:
            logger.warning("%s; what was found here is dropped", lost)


def carry_to_its_end(attempt: Attempt) -> None:
    """Raises LostAttempt where somebody else has the attempt by now."""
    try:
        finish(attempt, outcome_of(attempt))
    except RunCancelled:
        give_back_cancelled(attempt)
    except NotReady as way:
        logger.info("attempt %s waits: %s", attempt.pk, way)
        put_back(attempt)
    except WorkerStops:
        put_back(attempt)
        publish([attempt.pk], queue_of(attempt.run))
    except (LostAttempt, OperationalError, InterfaceError):
        raise
    except tuple(EXPECTED) as error:
        logger.warning("attempt %s: %s", attempt.pk, error)
        fail(attempt, f"{EXPECTED[type(error)]}: {error}")
    except Exception as error:
        logger.exception("attempt %s failed", attempt.pk)
        fail(attempt, f"{type(error).__name__}: {error}")


@contextmanager
def heartbeat(attempt: Attempt) -> Iterator[None]:
    """Renew the lease at a third of its length, for as long as the block takes."""
    over = threading.Event()

    def beat() -> None:
        try:
            while not over.wait(LEASE.total_seconds() / 3) and _still_held(attempt):
                pass
        finally:
            connection.close()

    thread = threading.Thread(target=beat, name=f"heartbeat {attempt.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _still_held(attempt: Attempt) -> bool:
    """Renew the lease. A database that is away for a moment takes it from nobody."""
    try:
        return renew_lease(attempt)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("the lease of attempt %s was not renewed yet: %s", attempt.pk, error)
        connection.close()  # the next beat opens another
        return True
