"""The Celery application; its settings are the CELERY_ ones of `settings`."""

import os

from celery import Celery
from celery.signals import worker_process_init

from .embedded import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adjudication.settings")

app = Celery("adjudication")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_init.connect
def end_with_the_worker(**_: object) -> None:
    """A killed worker must not leave its pool processes behind."""
    die_with_parent()
