"""What dead workers held, and what the broker lost."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import kombu.exceptions
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from adjudication import celery_app
from adjudication.runs import vectors
from adjudication.runs.actions.starting import publish, queue_of
from adjudication.runs.actions.working import is_over, unlocked
from adjudication.runs.models import Attempt, RunControl
from adjudication.runs.rules import CALLS
from adjudication.runs.transitions import move

State = Attempt.State


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep put right: attempts queued again, ended for good, and published again."""

    requeued: int
    given_up: int
    published: int


def sweep() -> Swept:
    """Queue again what dead workers held, and tell the workers again what the broker lost.

    While messages wait on a queue nothing of it is lost that would not come up later, so
    attempts are published again only once it is empty: no flood, however often this runs.
    Attempts that wait for vectors are left alone.
    """
    requeued, given_up = _end_expired_leases()
    published = sum(_publish_unannounced(queue) for queue in (None, CALLS))
    return Swept(requeued, given_up, published)


@transaction.atomic
def _end_expired_leases() -> tuple[int, int]:
    expired = list(unlocked().filter(state=State.RUNNING, lease_until__lt=Now()))
    given_up = {attempt.pk for attempt in expired if is_over(attempt)}
    requeued = [attempt.pk for attempt in expired if attempt.pk not in given_up]
    move(Attempt.objects.filter(pk__in=requeued), State.QUEUED, token=None, lease_until=None)
    return len(requeued), len(given_up)


def _publish_unannounced(queue: str | None) -> int:
    lost = [] if messages_waiting(queue) else _waiting_for(queue)
    publish(lost, queue)
    return len(lost)


def _waiting_for(queue: str | None) -> list[UUID]:
    asks_endpoint = Q(run__configuration__reader="endpoint")
    queued = _queued().filter(asks_endpoint if queue == CALLS else ~asks_endpoint)
    return list(queued.exclude(run__in=vectors.waiting()).values_list("pk", flat=True))


def _queued() -> QuerySet[Attempt]:
    """What waits and is not held back by a pause, in the order to hand it out."""
    queued = Attempt.objects.filter(state=State.QUEUED)
    paused = RunControl.State.PAUSED
    return queued.exclude(run__control__state=paused).order_by("queued_at", "id")


def announce_embedded(model: str, **_: object) -> None:
    """Tell workers of the questions that waited for vectors of ``model`` and wait no more."""
    for run in vectors.with_questions_left(model):
        if not vectors.wait(run):
            publish(list(_queued().filter(run=run).values_list("pk", flat=True)), queue_of(run))


def messages_waiting(queue: str | None) -> int:
    """How many messages the workers have not fetched; none if the broker does not answer."""
    name = queue or celery_app.conf.task_default_queue
    with celery_app.connection_or_acquire() as connection:
        try:
            connection.ensure_connection(max_retries=1, interval_start=0)
            return int(connection.default_channel.queue_declare(name).message_count)
        except (kombu.exceptions.OperationalError, *connection.connection_errors):
            return 0
