"""The Celery application; its settings are the CELERY_ ones of `settings`."""

import logging
import os
import sys
from collections.abc import Iterable, Sequence

import kombu.exceptions
from celery import Celery
from celery.signals import task_postrun, task_prerun, worker_process_init
from django.db import close_old_connections

from .embedded import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adjudication.settings")

logger = logging.getLogger("adjudication.celery")

app = Celery("adjudication")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Celery would close the database's connection before and after every task, and opening one takes
# longer than many a task. It lives as it does under the web server: see CONN_MAX_AGE.
app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize


@task_prerun.connect
@task_postrun.connect
def let_old_connections_go(**_: object) -> None:
    """Between tasks, as between requests, one that is too old or broken is replaced."""
    close_old_connections()


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
