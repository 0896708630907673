"""`manage.py sweep`: put right what was lost between the database and the task queue."""

import logging
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand
from django.db import close_old_connections, connection

from adjudication.imports import jobs as imports
from adjudication.integrity import actions as integrity
from adjudication.review import actions as review
from adjudication.runs import actions as runs
from adjudication.search import actions as search

logger = logging.getLogger("adjudication.sweep")

INTERVAL = 30.0
LOCK = "hashtext('adjudication.sweep')"


class Command(BaseCommand):
    help = "Every 30 seconds, publish again what waits too long and end what has expired."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="sweep once, then end")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        if once:
            sweep()
            return
        while True:
            sweep_and_carry_on()
            time.sleep(INTERVAL)


def sweep_and_carry_on() -> None:
    """Sweep once; a failure is logged, since the next round may succeed."""
    close_old_connections()
    try:
        sweep()
    except Exception:
        logger.exception("This sweep failed; the next one is in %.0f s", INTERVAL)


def sweep() -> None:
    """Sweep whatever waits or is left over, unless another sweeper is at it."""
    with only_sweeper() as alone:
        if alone:
            runs.sweep()
            review.sweep()
            search.sweep()
            integrity.sweep()
            imports.sweep()


@contextmanager
def only_sweeper() -> Iterator[bool]:
    """Yield whether this process holds the lock of all sweepers on this database."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_try_advisory_lock({LOCK})")
        alone = bool(cursor.fetchone()[0])
    try:
        yield alone
    finally:
        if alone and connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT pg_advisory_unlock({LOCK})")
