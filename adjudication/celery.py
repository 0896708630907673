"""The Celery application; its settings are the CELERY_ ones of `settings`."""

import logging
import os
from collections.abc import Iterable, Sequence

import kombu.exceptions
from celery import Celery
from celery.signals import worker_process_init

from .embedded import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adjudication.settings")

logger = logging.getLogger("adjudication.celery")

app = Celery("adjudication")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_init.connect
def end_with_the_worker(**_: object) -> None:
    """A killed worker must not leave its pool processes behind."""
    die_with_parent()


def tell_workers(
    task: str, calls: Iterable[Sequence[str | None]], queue: str | None = None
) -> None:
    """Ask the workers for ``task`` once for each of ``calls``, which are its arguments.

    ``queue`` names whose task it is; ``None`` for the workers of all that has no queue.

    A message is only a hint at what is stored. A broker that is down is no error: whoever
    sweeps, or looks again, tells them later.
    """
    try:
        with app.producer_or_acquire() as producer:
            for args in calls:
                app.send_task(task, args=args, producer=producer, queue=queue)
    except (kombu.exceptions.OperationalError, OSError) as error:
        logger.warning("The broker does not answer (%s); %s is asked for later.", error, task)
