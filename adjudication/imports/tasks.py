"""What a worker does with a hint: claim the import, check or store, end the step."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from adjudication import celery_app
from adjudication.errors import Refused
from adjudication.imports import jobs, uploads
from adjudication.imports.actions import ProjectBusy, digest_of, import_file
from adjudication.imports.ahead import ReadingEnded
from adjudication.imports.formats import format_named
from adjudication.imports.models import Import
from adjudication.imports.reports import Options
from certify_core.datasets.records import Problem

logger = logging.getLogger("adjudication.imports")
State = Import.State

BEAT = 1.0  # seconds between two signs of life, and between two steps of the bar
KEPT_PROBLEMS = 100_000  # rows of one import; the rest is counted by its kind
BATCH = 2_000  # problems in one statement
LONGEST = 6 * 3600  # seconds for one file; a lost worker is found by its lease, not by this


@celery_app.task(name=jobs.TASK, time_limit=LONGEST, soft_time_limit=LONGEST - 60)
def take(import_id: str) -> None:
    work_on(UUID(import_id))


def work_on(import_id: UUID) -> None:
    """Carry an import one step on, unless somebody else has it.

    An error of the file ends it with words; where the database is away nothing can be
    written: the lease runs out and the sweeper takes over.
    """
    one = jobs.claim(import_id)
    if one is None:
        return
    try:
        _check(one) if one.state == State.CHECKING else _store(one)
    except jobs.LostImport as lost:
        logger.warning("%s; what was done here is dropped", lost)
    except ProjectBusy:
        jobs.put_back(one)
    except (OperationalError, InterfaceError):
        raise
    except Refused as refusal:
        _end(one, State.REFUSED, str(refusal))
    except ReadingEnded as ended:
        logger.warning("import %s: %s", one.pk, ended)
        _end(one, State.FAILED, str(ended))
    except Exception as error:
        logger.exception("import %s failed", one.pk)
        _end(one, State.FAILED, f"{type(error).__name__}: {error}")
    if one.state == State.IMPORTING:
        jobs.publish_next(one.project)


def _end(one: Import, state: Import.State, error: str) -> None:
    try:
        jobs.end(one, state, error=error)
    except jobs.LostImport as lost:
        logger.warning("%s; how it ended here is dropped", lost)
        return
    if state == State.REFUSED:
        uploads.forget(one.pk)


def _check(one: Import) -> None:
    with uploads.open_kept(one) as file, alive(one) as watch:
        sha256 = digest_of(file)
        report = format_named(one.format).check(one.project, file, watch)
        watch.flush()
    with transaction.atomic():
        jobs.held(one).update(sha256=sha256, problems_by_code=dict(watch.by_code))
        jobs.end_with_report(one, State.READY, report, watch.records)


def _store(one: Import) -> None:
    """All that is stored and the end of the import are one transaction."""
    options = Options(
        observed_at=timezone.now(),
        reader_classes=list(one.reader_classes.all()),
        licence=one.licence,
        actor=one.by,
    )
    layout = format_named(one.format)
    with uploads.open_kept(one) as file, transaction.atomic():
        with alive(one) as watch:
            watch.keeps_problems = False  # the check did
            report = import_file(one.project, layout, file, options, watch, sha256=one.sha256)
        jobs.end_with_report(one, State.DONE, report, watch.records)
    uploads.forget(one.pk)


class Watcher:
    """Follows an import for the page that people look at.

    Problems are stored in batches by this thread; how far the work is goes out with each
    sign of life, on the connection of the thread that gives it, so that it is seen while
    this one's transaction is still open.
    """

    def __init__(self, one: Import) -> None:
        self.keeps_problems = True
        self.by_code: Counter[str] = Counter()
        self.bytes_read = self.records = 0
        self.lost = False
        self._import = one
        self._batch: list[Problem] = []

    def progress(self, bytes_read: int, records: int) -> None:
        if self.lost:
            raise jobs.LostImport(f"import {self._import.pk} is no longer held with this token")
        self.bytes_read, self.records = bytes_read, records

    def problem(self, problem: Problem) -> None:
        if not self.keeps_problems:
            return
        self.by_code[problem.code] += 1
        if self.by_code.total() <= KEPT_PROBLEMS:
            self._batch.append(problem)
        if len(self._batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            jobs.keep_problems(self._import, batch)


@contextmanager
def alive(one: Import) -> Iterator[Watcher]:
    """Give signs of life for as long as the block takes."""
    watch = Watcher(one)
    over = threading.Event()

    def beat() -> None:
        while not watch.lost and not over.wait(BEAT):
            try:
                watch.lost = not jobs.sign_of_life(one, watch.bytes_read, watch.records)
            except DatabaseError as error:
                logger.warning("the lease of import %s was not renewed: %s", one.pk, error)
                connection.close()
        connection.close()

    thread = threading.Thread(target=beat, name=f"signs of life {one.pk}", daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()
