"""Ask for a check, carry it out, and end what a dead worker left behind."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from adjudication import tell_workers
from adjudication.append_only import one_at_a_time
from adjudication.errors import Refused
from adjudication.integrity.checks import KINDS, Batch
from adjudication.integrity.models import Check, Fault
from adjudication.journal.actions import record
from adjudication.projects.models import Project

if TYPE_CHECKING:
    from adjudication.accounts.models import User


TASK = "adjudication.integrity.check"
PULSE = 1.0  # seconds between two signs of life
SILENCE = timedelta(minutes=5)  # of a check whose worker is taken for dead
WAIT = timedelta(minutes=1)  # until a check that nobody began is announced again
State = Check.State

Watch = Callable[[Check], None]


@transaction.atomic
def ask_for_check(project: Project, *, by: User | None) -> Check:
    """The check of ``project`` that is on its way; a new one if there is none."""
    one_at_a_time(project)
    known = _unfinished(project).first()
    if known is not None:
        return known
    check = Check.objects.create(project=project, by=by)
    record("asked for integrity check", check, actor=by, project_id=project.pk)
    transaction.on_commit(lambda: announce(check.pk))
    return check


def _unfinished(project: Project) -> QuerySet[Check]:
    return Check.objects.filter(project=project, state__in=[State.QUEUED, State.RUNNING])


def announce(check_id: UUID) -> None:
    """Tell the workers that a check waits."""
    tell_workers(TASK, [[str(check_id)]])


def check_now(project: Project, *, by: User | None, watch: Watch | None = None) -> Check:
    """Check ``project`` here and now; ``watch`` is told how far it is.

    Raises:
        Refused: a worker is at it already.
    """
    with transaction.atomic():
        one_at_a_time(project)
        if _unfinished(project).exists():
            raise Refused(f"{project} is being checked by a worker already; its page says how far.")
        check = Check.objects.create(project=project, by=by)
    carry_out(check.pk, watch)
    check.refresh_from_db()
    return check


def carry_out(check_id: UUID, watch: Watch | None = None) -> None:
    """Do the check, unless somebody has begun it. Faults are stored as they are found."""
    begun = Check.objects.filter(pk=check_id, state=State.QUEUED).update(
        state=State.RUNNING, started_at=Now(), alive_at=Now()
    )
    if not begun:
        return
    check = Check.objects.select_related("project").get(pk=check_id)
    try:
        _count(check)
        for batch in _pulsing(check, watch):
            _keep(check, batch)
    except BaseException:
        _end(check, State.INTERRUPTED)
        raise
    _end(check, State.ENDED)


def _count(check: Check) -> None:
    check.counted = {kind.name: kind.count(check.project) for kind in KINDS}
    check.total = sum(check.counted.values())
    check.save(update_fields=["counted", "total"])


def _pulsing(check: Check, watch: Watch | None) -> Iterator[Batch]:
    """All batches, with a sign of life every second."""
    last = 0.0
    for kind in KINDS:
        for batch in kind.check(check.project):
            yield batch
            if time.monotonic() - last < PULSE:
                continue
            last = time.monotonic()
            figures = {"checked": check.checked, "faults": check.faults}
            Check.objects.filter(pk=check.pk, state=State.RUNNING).update(alive_at=Now(), **figures)
            if watch is not None:
                watch(check)


def _keep(check: Check, batch: Batch) -> None:
    Fault.objects.bulk_create(
        Fault(
            check_run=check,
            ordinal=check.faults + number,
            kind=one.kind,
            object_id=one.object_id,
            version_id=one.version_id,
            place=one.place,
            part=one.damage.part,
            stored=one.damage.stored,
            found=one.damage.found,
        )
        for number, one in enumerate(batch.differs, start=1)
    )
    check.faults += len(batch.differs)
    check.checked += batch.checked


@transaction.atomic
def _end(check: Check, state: Check.State) -> None:
    ended = Check.objects.filter(pk=check.pk, state=State.RUNNING).update(
        state=state, finished_at=Now(), checked=check.checked, faults=check.faults
    )
    if ended and state == State.ENDED:
        record(
            "checked integrity",
            check,
            actor=check.by,
            project_id=check.project_id,
            records=check.checked,
            faults=check.faults,
        )


def sweep() -> None:
    """End checks whose worker died, and announce again those that nobody began."""
    silent = Check.objects.filter(state=State.RUNNING, alive_at__lt=Now() - SILENCE)
    silent.update(state=State.INTERRUPTED, finished_at=Now())
    waiting = Check.objects.filter(state=State.QUEUED, asked_at__lt=Now() - WAIT)
    for check_id in waiting.values_list("pk", flat=True):
        announce(check_id)
