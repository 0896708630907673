"""Carry every file to exactly one end, whatever dies on the way.

Begun by a person, checked by a worker, confirmed by the person, imported by a worker. Only
the holder of the current token can end a step, in one transaction with all that it stored.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from adjudication import tell_workers
from adjudication.errors import Refused
from adjudication.imports import uploads
from adjudication.imports.formats import Format
from adjudication.imports.models import Import, ImportProblem
from adjudication.imports.queries import waits_for_another
from adjudication.imports.reports import Report
from adjudication.imports.transitions import WORK, move
from adjudication.projects.models import Project, ReaderClass
from certify_core.datasets.records import Problem
from certify_core.errors import legible

if TYPE_CHECKING:
    from adjudication.accounts.models import User

State = Import.State

TASK = "adjudication.imports.take"
LEASE = timedelta(seconds=60)
"""How long a worker holds an import without a sign of life."""
MAX_DELIVERIES = 5
KEPT = timedelta(days=1)
"""How long the bytes of a file are kept that nobody goes on with."""
DEAD_LETTER = f"Given up: handed to a worker {MAX_DELIVERIES} times, and none came back."


class LostImport(Exception):
    """This worker's token is no longer the import's: another one has it, or it has ended."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a person says about a file that they send."""

    name: str
    size: int
    layout: Format
    reader_classes: Sequence[ReaderClass]
    licence: str = ""
    mark: str = ""


# --- A person's steps ------------------------------------------------------------------------


@transaction.atomic
def begin(project: Project, by: User, sent: Sent) -> Import:
    """Announce a file. One that was announced before and not sent to its end goes on.

    Raises:
        Refused: nothing to send, or nobody would be allowed to inspect it.
    """
    if sent.size <= 0:
        raise Refused("The file is empty.")
    if not sent.reader_classes:
        raise Refused("Name at least one reader class that may inspect these sources.")
    begun = Import.objects.filter(
        project=project,
        by=by,
        state=State.RECEIVING,
        mark=sent.mark,
        name=sent.name,
        size=sent.size,
    )
    one = (begun.select_for_update().first() if sent.mark else None) or Import(
        project=project, by=by, mark=sent.mark, name=sent.name, size=sent.size
    )
    one.format, one.format_version = sent.layout.name, sent.layout.version
    one.licence = sent.licence
    one.save()
    one.reader_classes.set(sent.reader_classes)
    return one


def begin_check(one: Import) -> bool:
    """Hand a file that is wholly here to the workers, to be checked; once only."""
    return _hand_over(one, State.RECEIVING, State.CHECKING)


def confirm(one: Import) -> bool:
    """Hand a checked file to the workers, to be imported; a second click changes nothing."""
    return _hand_over(one, State.READY, State.IMPORTING)


def try_again(one: Import) -> bool:
    """Check a file again whose import failed, as long as it is kept.

    Raises:
        Refused: the file is gone.
    """
    if not uploads.is_kept(one):
        raise Refused(uploads.GONE)
    return _hand_over(one, State.FAILED, State.CHECKING)


def _hand_over(one: Import, before: Import.State, after: Import.State) -> bool:
    whole = Import.objects.filter(pk=one.pk, state=before, received=F("size"))
    unread = {"started_at": None, "finished_at": None, "bytes_read": 0, "records": 0}
    with transaction.atomic():
        moved = move(whole, after, **_unheld(), **unread, deliveries=0, error="")
        if moved:
            transaction.on_commit(lambda: publish([one.pk]))
    return bool(moved)


def discard(one: Import) -> bool:
    """Give up a file that is being sent or waits to be confirmed."""
    moved = move(Import.objects.filter(pk=one.pk), State.DISCARDED, finished_at=Now())
    if moved:
        uploads.forget(one.pk)
    return bool(moved)


def publish(imports: Sequence[UUID]) -> None:
    """Tell the workers which imports wait."""
    tell_workers(TASK, ([str(import_id)] for import_id in imports))


# --- A worker's steps ------------------------------------------------------------------------


def claim(import_id: UUID) -> Import | None:
    """Take an import that waits, or whose lease ran out, with a fresh token and lease.

    ``None`` if it has ended, somebody works on it, another import into its project goes on,
    or it was handed out too often already, which ends it as failed.
    """
    try:
        with transaction.atomic():
            return _claim(import_id)
    except IntegrityError:
        # Another import into the project was claimed at this moment: this one waits.
        return None


def _claim(import_id: UUID) -> Import | None:
    one = _free().filter(pk=import_id).first()
    if one is None or _given_up(one) or waits_for_another(one):
        return None
    move(
        Import.objects.filter(pk=one.pk),
        State(one.state),
        token=uuid.uuid4(),
        lease_until=Now() + LEASE,
        started_at=Now(),
        deliveries=one.deliveries + 1,
        bytes_read=0,
        records=0,
    )
    if one.state == State.CHECKING:
        ImportProblem.objects.filter(of=one).delete()
        Import.objects.filter(pk=one.pk).update(problems_by_code={}, counts=[])
    return Import.objects.select_related("project", "by").get(pk=one.pk)


def _free() -> QuerySet[Import]:
    """Imports a worker may take that nobody else is claiming, ending or sweeping, locked."""
    unheld = Q(token__isnull=True) | Q(lease_until__lt=Now())
    waiting = Import.objects.filter(unheld, state__in=WORK)
    return waiting.select_for_update(skip_locked=True)


def _given_up(one: Import) -> bool:
    if one.deliveries < MAX_DELIVERIES:
        return False
    move(Import.objects.filter(pk=one.pk), State.FAILED, **_ended(DEAD_LETTER))
    return True


def held(one: Import) -> QuerySet[Import]:
    """The import, as long as this worker's token is the current one."""
    return Import.objects.filter(pk=one.pk, token=one.token, state=one.state)


def sign_of_life(one: Import, bytes_read: int, records: int) -> bool:
    """Say how far the work is and renew the lease; False if it is no longer this worker's."""
    return bool(held(one).update(lease_until=Now() + LEASE, bytes_read=bytes_read, records=records))


@transaction.atomic
def keep_problems(one: Import, problems: Sequence[Problem]) -> None:
    """Store problems of a check. Raises LostImport where another worker has it."""
    if not held(one).update(lease_until=Now() + LEASE):
        raise LostImport(f"import {one.pk} is no longer held with this token")
    ImportProblem.objects.bulk_create(
        ImportProblem(of=one, code=p.code, where=legible(p.where), message=legible(p.message))
        for p in problems
    )


def end(one: Import, state: Import.State, *, error: str = "", **fields: object) -> None:
    """End this worker's step. Raises LostImport with an old token; nothing is written then."""
    if not move(held(one), state, **_ended(error), **fields):
        raise LostImport(f"import {one.pk} is no longer held with this token")


def end_with_report(one: Import, state: Import.State, report: Report, records: int) -> None:
    """End a step in which ``records`` were read, all that the file holds."""
    counts = [list(asdict(count).values()) for count in report.counts]
    end(one, state, dataset=report.dataset, counts=counts, bytes_read=one.size, records=records)


def put_back(one: Import) -> None:
    """Let another import into the project come first; the sweeper hands this one out again."""
    move(held(one), State(one.state), **_unheld(), deliveries=one.deliveries - 1)


def publish_next(project: Project) -> None:
    """Tell the workers what waited for an import into ``project`` to end."""
    waiting = Import.objects.filter(project=project, state=State.IMPORTING, token__isnull=True)
    publish(list(waiting.order_by("touched_at", "id").values_list("pk", flat=True)))


def _unheld() -> dict[str, object]:
    return {"token": None, "lease_until": None}


def _ended(error: str) -> dict[str, object]:
    return {**_unheld(), "error": legible(error), "finished_at": Now()}


# --- Sweeping --------------------------------------------------------------------------------


def sweep() -> None:
    """Hand out again what dead workers held or the broker lost, and forget old files."""
    _let_go_of_dead_workers()
    waiting = Import.objects.filter(state__in=WORK, token__isnull=True)
    publish(list(waiting.order_by("touched_at", "id").values_list("pk", flat=True)))
    _give_up_the_old()
    _forget_the_ended()


@transaction.atomic
def _let_go_of_dead_workers() -> None:
    for one in _free().filter(token__isnull=False):
        if not _given_up(one):
            move(Import.objects.filter(pk=one.pk), State(one.state), **_unheld())


def _give_up_the_old() -> None:
    """Files that nobody went on with for a day: half sent, or never confirmed."""
    old = Import.objects.filter(touched_at__lt=Now() - KEPT)
    gone = old.filter(state__in=[State.RECEIVING, State.READY])
    move(gone, State.FAILED, **_ended("Nobody went on with it for a day. Upload it again."))


def _forget_the_ended() -> None:
    """Only what a person may still go on with keeps its bytes."""
    needed = Q(state__in=[State.RECEIVING, State.READY, *WORK])
    recent = Q(state=State.FAILED, touched_at__gte=Now() - KEPT)
    kept = uploads.kept_ids()
    wanted = set(Import.objects.filter(needed | recent, pk__in=kept).values_list("pk", flat=True))
    for import_id in kept:
        if import_id not in wanted:
            uploads.forget(import_id)
