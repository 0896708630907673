"""Take a file in: all of it or nothing, one import into a project at a time."""

from __future__ import annotations

import hashlib
from typing import BinaryIO

from django.db import OperationalError, connection, transaction

from adjudication.append_only import one_at_a_time
from adjudication.corpus.bulk import refresh_statistics
from adjudication.corpus.models import SourceVersion
from adjudication.errors import Refused
from adjudication.imports.formats import Format
from adjudication.imports.reports import Options, Report, Watch
from adjudication.journal.actions import record
from adjudication.projects.models import Project
from certify_core.datasets.records import Problem

MANY = 1000  # new records, after which the database would plan for too few
IMPORTING = "import "
LOCK_WAIT = "60s"  # for another import into the same project
CHANGED = "The file changed after it was looked at, or while it was read. Nothing was imported."


class ProjectBusy(Refused):
    """Another import into the project goes on and does not end within a minute."""


def digest_of(file: BinaryIO) -> str:
    """SHA-256 of the whole file, which stands at its begin before and after."""
    file.seek(0)
    sha256 = hashlib.sha256()
    while block := file.read(2**20):
        sha256.update(block)
    file.seek(0)
    return sha256.hexdigest()


@transaction.atomic
def import_file(
    project: Project,
    layout: Format,
    file: BinaryIO,
    options: Options,
    watch: Watch,
    *,
    sha256: str = "",
) -> Report:
    """Store what is new in ``file``; ``sha256`` is the digest it must have, where it is known.

    Raises:
        Refused: what the format refuses, no reader class, or a file that changed since it was
            looked at or while it was read.
        ProjectBusy: another import goes on.
    """
    SourceVersion._meta.get_field("licence").clean(options.licence, None)
    if not options.reader_classes:
        raise Refused("Name at least one reader class that may inspect these sources.")
    _wait_for_other_imports(project)
    counting = _Counting(watch)
    found = digest_of(file)
    if sha256 and found != sha256:
        raise Refused(CHANGED)
    report = layout.store(project, file, options, counting)
    if digest_of(file) != found:
        raise Refused(CHANGED)
    if report.changes:
        _journal(project, layout, options, report, sha256=found, problems=counting.problems)
    if sum(count.new for count in report.counts) >= MANY:
        transaction.on_commit(refresh_statistics, robust=True)
    return report


def _journal(
    project: Project,
    layout: Format,
    options: Options,
    report: Report,
    *,
    sha256: str,
    problems: int,
) -> None:
    record(
        "imported data",
        project,
        actor=options.actor,
        project_id=project.pk,
        dataset=report.dataset,
        sha256=sha256,
        format=layout.name,
        format_version=layout.version,
        new={count.what: count.new for count in report.counts},
        problems=problems,
        reader_classes=[one.key for one in options.reader_classes],
    )


class _Counting:
    """Passes everything on and counts the problems."""

    def __init__(self, watch: Watch) -> None:
        self.progress = watch.progress
        self._watch = watch
        self.problems = 0

    def problem(self, problem: Problem) -> None:
        self.problems += 1
        self._watch.problem(problem)


def _wait_for_other_imports(project: Project) -> None:
    """One import into a project at a time; other writing goes on meanwhile.

    Its rows name the project, which nobody else may then lock as if to change its key.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [LOCK_WAIT])
        # Hashing a file of some gigabytes takes longer than the database lets others idle.
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '10min'")
    try:
        one_at_a_time(project, IMPORTING)
    except OperationalError as error:
        raise ProjectBusy(
            "Another import into this project is still going on. Nothing was imported; "
            "repeat this when it has ended."
        ) from error
