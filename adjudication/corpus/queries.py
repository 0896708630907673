"""Reading the corpus. ``visible_to`` is the one answer to "may this person read that"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import Http404

from adjudication.corpus.models import Clearance, Source, SourceVersion, Span
from adjudication.projects.models import Membership, Project


def visible_to(membership: Membership) -> QuerySet[SourceVersion]:
    """Versions of the project that this member's clearance lets them read."""
    held = membership.reader_classes.all()
    clearance = Clearance.objects.filter(version=OuterRef("pk"), reader_class__in=held)
    return versions_in(membership.project).filter(Exists(clearance))


def may_read_all(project: Project, version_ids: Collection[UUID]) -> QuerySet[Membership]:
    """Active members whose clearance lets them read every one of these versions."""
    held = Membership.reader_classes.through.objects.filter(
        membership=OuterRef(OuterRef(OuterRef("pk")))
    )
    clearance = Clearance.objects.filter(
        version=OuterRef("pk"), reader_class__in=held.values("readerclass")
    )
    closed = SourceVersion.objects.filter(~Exists(clearance), pk__in=version_ids)
    return Membership.objects.filter(~Exists(closed), project=project, active=True)


def version_for(membership: Membership, version_id: UUID) -> SourceVersion:
    """One visible version with its source; a hidden one is as missing (Http404)."""
    found = (
        visible_to(membership)
        .filter(pk=version_id)
        .select_related("source", "invalidation")
        .first()
    )
    if found is None:
        raise Http404("no such source version")
    return found


def spans_of(membership: Membership) -> QuerySet[Span]:
    """Spans of the versions this member may read, with version (not its text) and source."""
    return (
        Span.objects.filter(version__in=visible_to(membership))
        .select_related("version__source")
        .defer("version__snapshot", "version__text")
    )


@dataclass(frozen=True, slots=True)
class Premise:
    """A span that something rests on. A blocked one has no ``span``: only who may read it."""

    readers: str
    span: Span | None


def premises(membership: Membership, span_ids: Collection[UUID]) -> dict[UUID, Premise]:
    """Each of these spans of the project, as this member may see it."""
    versions = dict(
        Span.objects.filter(pk__in=span_ids, version__source__project=membership.project)
        .order_by()
        .values_list("pk", "version")
    )
    readable = spans_of(membership).in_bulk(versions)
    readers = readers_of(versions.values())
    return {
        pk: Premise(readers.get(version, ""), readable.get(pk)) for pk, version in versions.items()
    }


def sources_of(membership: Membership, title: str = "") -> QuerySet[Source]:
    """Sources with a visible version, by title; those whose title holds ``title``."""
    readable = visible_to(membership).filter(source=OuterRef("pk"))
    sources = Source.objects.filter(Exists(readable), project=membership.project)
    if title:
        sources = sources.filter(title__icontains=title)
    return sources.order_by("title", "id")


@dataclass(frozen=True, slots=True)
class Listed:
    """A source in a list, with how many of its versions and their spans one may read."""

    source: Source
    versions: int
    spans: int


def listed(membership: Membership, sources: Iterable[Source]) -> list[Listed]:
    """The few ``sources`` of one page, counted in two queries whatever the corpus holds."""
    shown = list(sources)
    versions = visible_to(membership).filter(source__in=shown)
    spans = Span.objects.filter(version__in=versions)
    version_counts = _counted(versions.values_list("source"))
    span_counts = _counted(spans.values_list("version__source"))
    return [Listed(one, version_counts.get(one.pk, 0), span_counts.get(one.pk, 0)) for one in shown]


def _counted(rows: QuerySet[Any, Any]) -> dict[UUID, int]:
    """How many rows each source has, of rows reduced to their source."""
    return dict(rows.order_by().annotate(n=Count("pk")))


def source_for(membership: Membership, source_id: UUID) -> Source:
    """One source with a visible version, or Http404."""
    found = sources_of(membership).filter(pk=source_id).first()
    if found is None:
        raise Http404("no such source")
    return found


@dataclass(frozen=True, slots=True)
class Line:
    """A version in the list of its source. A blocked one has no ``version``: only its
    number and the classes that would open it."""

    number: int
    readers: str
    version: SourceVersion | None


def lines_of(membership: Membership, source: Source) -> list[Line]:
    """Every version of ``source``, newest first."""
    readable = {
        version.pk: version
        for version in visible_to(membership)
        .filter(source=source)
        .select_related("invalidation")
        .prefetch_related("notes__by")
    }
    every = source.versions.order_by("-number").values_list("pk", "number")
    readers = readers_of(pk for pk, _ in every)
    return [Line(number, readers[pk], readable.get(pk)) for pk, number in every]


def readers_of(version_ids: Iterable[UUID]) -> dict[UUID, str]:
    """For each version, the titles of the reader classes that may inspect it."""
    titles: dict[UUID, list[str]] = defaultdict(list)
    clearances = Clearance.objects.filter(version__in=set(version_ids))
    for pk, title in clearances.order_by("reader_class__title").values_list(
        "version", "reader_class__title"
    ):
        titles[pk].append(title)
    return {pk: ", ".join(of) for pk, of in titles.items()}


def versions_in(project: Project) -> QuerySet[SourceVersion]:
    """Every version of a project, whoever may read it. For actions, never for pages."""
    return SourceVersion.objects.filter(source__project=project)


def is_captured(project: Project, origin: str, key: str, sha256: str, encoding: str) -> bool:
    """Whether the source ``(origin, key)`` already has a version of these bytes, read so."""
    of_source = versions_in(project).filter(source__origin=origin, source__key=key)
    return of_source.filter(sha256=sha256, encoding=encoding).exists()
