"""Capture versions and cut spans. Nothing is fetched and nothing is normalised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from adjudication.append_only import one_at_a_time
from adjudication.corpus.clearance import readable
from adjudication.corpus.encodings import UTF_8, decode
from adjudication.corpus.models import (
    Clearance,
    Invalidation,
    Source,
    SourceVersion,
    Span,
    Successor,
)
from adjudication.corpus.rules import check_quotation, extent_of
from adjudication.corpus.soundness import damage_of
from adjudication.corpus.times import UNESTABLISHED, Precision
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import WRITERS, Membership, Project, ReaderClass, Role
from adjudication.projects.queries import check_in_project, check_role
from certify_core.canonical import sha256_hex

if TYPE_CHECKING:
    from adjudication.accounts.models import User


@dataclass(frozen=True, slots=True)
class Times:
    """When a version was published and when its statement applies."""

    published: str = UNESTABLISHED
    effective_from: str = UNESTABLISHED
    effective_to: str = UNESTABLISHED


@dataclass(frozen=True, slots=True)
class Capture:
    """Bytes as captured, before they are stored.

    ``observed_at`` is the latest moment that ``observed_precision`` allows.
    """

    origin: str
    key: str
    title: str
    snapshot: bytes
    observed_at: datetime
    media_type: str = "text/plain"
    encoding: str = UTF_8
    address: str = ""
    licence: str = ""
    authority: str = ""
    times: Times = field(default_factory=Times)
    observed_precision: Precision = Precision.MOMENT

    @property
    def sha256(self) -> str:
        return sha256_hex(self.snapshot)


@transaction.atomic
def capture_version(
    project: Project,
    capture: Capture,
    *,
    reader_classes: Sequence[ReaderClass],
    actor: User | None,
) -> SourceVersion:
    """Store a version of the source ``(origin, key)``; the same bytes again change nothing.

    Raises:
        Refused: unreadable bytes, no reader class, or a value that does not validate.
    """
    if not reader_classes:
        raise Refused("Name at least one reader class that may inspect this version.")
    source, _ = Source.objects.get_or_create(
        project=project,
        origin=capture.origin,
        key=capture.key,
        defaults={"title": capture.title, "address": capture.address},
    )
    one_at_a_time(source)
    known = source.versions.filter(sha256=capture.sha256, encoding=capture.encoding).first()
    if known is not None:
        return known
    version = _next_version(source, capture)
    version.full_clean()
    version.save()
    _clear(version, reader_classes)
    record("captured version", version, actor=actor, project_id=project.pk, sha256=version.sha256)
    return version


def _next_version(source: Source, capture: Capture) -> SourceVersion:
    return SourceVersion(
        source=source,
        number=(source.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        text=decode(capture.snapshot, capture.media_type, capture.encoding),
        snapshot=capture.snapshot,
        sha256=capture.sha256,
        media_type=capture.media_type,
        encoding=capture.encoding,
        observed_at=capture.observed_at,
        observed_precision=capture.observed_precision,
        published=capture.times.published,
        effective_from=capture.times.effective_from,
        effective_to=capture.times.effective_to,
        licence=capture.licence,
        authority=capture.authority,
    )


def _clear(version: SourceVersion, reader_classes: Iterable[ReaderClass]) -> None:
    Clearance.objects.bulk_create(
        [Clearance(version=version, reader_class=one) for one in reader_classes],
        ignore_conflicts=True,
    )


@transaction.atomic
def make_span(
    version: SourceVersion, start: int, end: int, *, actor: User | None, quoted: str | None = None
) -> Span:
    """The span at ``start``–``end`` (code points) of ``version``, made once.

    The journal names the person who made it; a run's spans belong to what the run records.

    Raises:
        Refused: a damaged version, outside the text, or ``quoted`` is not what stands there.
    """
    if damage_of(version) is not None:
        raise Refused("This version is damaged: nothing can be cut from it.")
    if quoted is not None:
        check_quotation(version.text, start, end, quoted)
    span = cut_span(version.pk, version.text, start, end, version.encoding)
    Span.objects.bulk_create([span], ignore_conflicts=True)
    stored = Span.objects.get(version=version, start=start, end=end)
    stored.version = version  # so that nobody reads the whole text again to know whose it is
    if actor is not None and stored.pk == span.pk:
        record("cut span", stored, actor=actor, project_id=version.source.project_id)
    return stored


def make_span_as(
    member: Membership, version: SourceVersion, start: int, end: int, *, quoted: str | None = None
) -> Span:
    """``make_span`` by a member, who must be cleared for every character of it.

    Raises:
        Refused: as ``make_span``, or a character of the range is blocked for them.
    """
    readable(member, version).check(start, end)
    return make_span(version, start, end, actor=member.user, quoted=quoted)


def cut_span(version_id: UUID, text: str, start: int, end: int, encoding: str = UTF_8) -> Span:
    """An unsaved span of the version ``version_id``: its ``text``, of bytes in ``encoding``."""
    extent = extent_of(text, start, end, encoding)
    return Span(
        version_id=version_id,
        start=extent.start,
        end=extent.end,
        byte_start=extent.byte_start,
        byte_end=extent.byte_end,
        exact=extent.exact,
        prefix=extent.prefix,
        suffix=extent.suffix,
        sha256=sha256_hex(extent.exact.encode()),
    )


@transaction.atomic
def confirm_successor(span: Span, version: SourceVersion, start: int, *, by: Membership) -> Span:
    """Make the span at ``start`` of ``version``, whose words are those of ``span`` again.

    What rests on ``span`` stays where it is.

    Raises:
        Refused: somebody who adds no spans here, not a later version of the same source, or
            other words stand there.
    """
    _check_may(by, version, *WRITERS)
    old = span.version
    if version.source_id != old.source_id or version.number <= old.number:
        raise Refused("Choose a later version of the same source.")
    made = make_span(version, start, start + len(span.exact), actor=by.user, quoted=span.exact)
    pair, new = Successor.objects.get_or_create(span=span, successor=made, defaults={"by": by.user})
    if new:
        record(
            "found the same words again",
            pair,
            actor=by.user,
            project_id=old.source.project_id,
            span=str(span.pk),
            successor=str(made.pk),
        )
    return made


@transaction.atomic
def invalidate(version: SourceVersion, *, reason: str, by: Membership) -> Invalidation:
    """Record that ``version`` is no longer available for use, from now on.

    Raises:
        Refused: not a lead, no reason, or invalidated before for another one.
    """
    _check_may(by, version, Role.LEAD)
    if not reason.strip():
        raise Refused("Say why this version is no longer to be used.")
    one_at_a_time(version)
    known = Invalidation.objects.filter(version=version).first()
    if known is not None and known.reason == reason:
        return known
    if known is not None:
        raise Refused("This version was invalidated before.")
    invalidation = Invalidation.objects.create(version=version, reason=reason)
    record("invalidated version", version, actor=by.user, project_id=by.project_id)
    return invalidation


def _check_may(by: Membership, version: SourceVersion, *roles: Role) -> None:
    check_role(by, *roles)
    check_in_project(by, version.source.project_id)
