"""Change who may read a version: close it or a span of it for good, or open it to more."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from adjudication.append_only import one_at_a_time
from adjudication.corpus.clearance import in_words
from adjudication.corpus.models import Clearance, SourceVersion, Span, Tightening
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Membership, ReaderClass, Role
from adjudication.projects.queries import check_role


@transaction.atomic
def tighten(
    version: SourceVersion,
    span: Span | None,
    reader_classes: Iterable[ReaderClass],
    *,
    reason: str,
    by: Membership,
) -> list[Tightening]:
    """Close ``version``, or one ``span`` of it, to ``reader_classes`` for good.

    Raises:
        Refused: not a lead, no reason, no class, something of another project or version, or
            nothing that is still open to any of the classes.
    """
    classes = _checked(version, reader_classes, reason, by)
    if span is not None and span.version_id != version.pk:
        raise Refused("This span is not one of this version.")
    one_at_a_time(version)
    closed = Tightening.objects.filter(version=version, span=span).values("reader_class")
    still_open = ReaderClass.objects.filter(pk__in=[one.pk for one in classes])
    found = list(still_open.exclude(pk__in=closed).order_by("key"))
    if not found:
        raise Refused(f"This is closed to {in_words(classes)} already.")
    made = Tightening.objects.bulk_create(
        Tightening(version=version, span=span, reader_class=one, reason=reason, by=by.user)
        for one in found
    )
    place = {} if span is None else {"start": span.start, "end": span.end}
    _journal("closed span" if span else "closed version", version, found, reason, by, **place)
    return made


@transaction.atomic
def open_to(
    version: SourceVersion, reader_class: ReaderClass, *, reason: str, by: Membership
) -> Clearance:
    """Let ``reader_class`` read ``version``, but for the spans of it that are closed to it.

    Raises:
        Refused: not a lead, no reason, a class of another project, or one to which the version
            is open already or was closed.
    """
    _checked(version, [reader_class], reason, by)
    one_at_a_time(version)
    if Tightening.objects.filter(version=version, span=None, reader_class=reader_class).exists():
        raise Refused(
            f"This version was closed to {reader_class}. What was closed is never opened again."
        )
    if version.clearances.filter(reader_class=reader_class).exists():
        raise Refused(f"This version is open to {reader_class} already.")
    made = Clearance.objects.create(
        version=version, reader_class=reader_class, reason=reason, by=by.user
    )
    _journal("opened version", version, [reader_class], reason, by)
    return made


def _checked(
    version: SourceVersion, classes: Iterable[ReaderClass], reason: str, by: Membership
) -> list[ReaderClass]:
    check_role(by, Role.LEAD)
    chosen = list(classes)
    if not reason.strip():
        raise Refused("Say why: whoever opens this version reads it.")
    if not chosen:
        raise Refused("Name at least one reader class.")
    if {version.source.project_id, *(one.project_id for one in chosen)} != {by.project_id}:
        raise Refused("Version and reader classes must belong to the project that you lead.")
    return chosen


def _journal(
    verb: str,
    version: SourceVersion,
    classes: Iterable[ReaderClass],
    reason: str,
    by: Membership,
    **place: int,
) -> None:
    keys = [one.key for one in classes]
    record(
        verb,
        version,
        actor=by.user,
        project_id=by.project_id,
        reader_classes=keys,
        reason=reason,
        **place,
    )
