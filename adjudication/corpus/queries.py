"""Reading the corpus as a member may. What that is, ``clearance`` decides.

Pages, search, exports and the API read versions from ``visible_to``, spans from ``spans_of``
and texts as ``clearance.readable`` gives them, and nowhere else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.db.models.functions import Left
from django.http import Http404

from adjudication.corpus.clearance import (
    Classes,
    in_words,
    may_open,
    may_read,
    openings_of,
)
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.corpus.soundness import damaged_in
from adjudication.corpus.staleness import Recheck, rechecks
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Project
from adjudication.statements import Statement

FEW = 20  # versions in memory at once, with their bytes and texts


def visible_to(membership: Membership) -> QuerySet[SourceVersion]:
    """Versions of the project that this member may open; some of their text may be blocked."""
    return versions_in(membership.project).filter(may_open(membership.reader_classes.all()))


def may_read_all(project: Project, span_ids: Collection[UUID]) -> QuerySet[Membership]:
    """Active members who may read every one of these spans."""
    members = Membership.objects.filter(project=project, active=True)
    able = [
        pk
        for classes, pks in by_classes(members).items()
        if not Span.objects.filter(~may_read(classes), pk__in=span_ids).exists()
        for pk in pks
    ]
    return Membership.objects.filter(pk__in=able)


def by_classes(members: QuerySet[Membership]) -> dict[frozenset[UUID], list[UUID]]:
    """These members by the reader classes they hold: who holds the same may read the same."""
    held: dict[UUID, set[UUID]] = defaultdict(set)
    for pk, reader_class in members.values_list("pk", "reader_classes"):
        held[pk].update([reader_class] if reader_class else [])
    groups: dict[frozenset[UUID], list[UUID]] = defaultdict(list)
    for pk, classes in held.items():
        groups[frozenset(classes)].append(pk)
    return groups


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


def version_named(membership: Membership, version_id: UUID) -> SourceVersion:
    """For commands: a version that the member may open, or Refused."""
    try:
        return version_for(membership, version_id)
    except Http404 as error:
        raise Refused(f"{membership.user} may open no version {version_id}.") from error


def span_named(membership: Membership, version: SourceVersion, span_id: UUID) -> Span:
    """For commands: a span of ``version`` that the member may read, or Refused."""
    found = spans_of(membership).filter(version=version, pk=span_id).first()
    if found is None:
        raise Refused(f"{membership.user} may read no span {span_id} of this version.")
    return found


def spans_of(membership: Membership) -> QuerySet[Span]:
    """Spans this member may read, with version (not its text) and source.

    What stands around a span may be blocked: its stored prefix and suffix are not loaded.
    """
    return _spans(membership.project_id, membership.reader_classes.all())


def _spans(project: UUID, classes: Classes) -> QuerySet[Span]:
    return (
        Span.objects.filter(may_read(classes), version__source__project=project)
        .select_related("version__source")
        .defer("prefix", "suffix", "version__snapshot", "version__text")
    )


@dataclass(frozen=True, slots=True)
class Premise:
    """A span that something rests on. A blocked one has no ``span``: only who may read it.

    ``whole`` says whether one may read all of its version, and so see the version's digest: a
    short blocked range could be guessed from it. ``recheck`` says why the span is to be checked
    again, if it is, and ``damaged`` that it is not what was captured: its words are not shown.
    """

    readers: str
    span: Span | None
    whole: bool
    recheck: Recheck | None = None
    damaged: bool = False


def premises(membership: Membership, span_ids: Collection[UUID]) -> dict[UUID, Premise]:
    """Each of these spans of the project, as this member may see it."""
    spans = _PLACES(membership.project_id, tuple(span_ids))
    asked = tuple(span.pk for span in spans)
    # As they are now: whoever holds the membership for long may lose a class meanwhile.
    held = frozenset(membership.reader_classes.all())
    classes = tuple(sorted(one.pk for one in held))
    shown = {span.pk: span for span in _SHOWN(membership.project_id, classes, asked)}
    openings = openings_of(span.version_id for span in spans)
    stale = rechecks(span.version_id for span in shown.values())
    damaged = _damaged(shown.values())

    def premise(span: Span) -> Premise:
        of_version = openings[span.version_id]
        readers = in_words(of_version.readers(span.start, span.end))
        recheck = stale.get(span.version_id) if span.pk in shown else None
        whole = of_version.whole_to(held)
        return Premise(readers, shown.get(span.pk), whole, recheck, span.pk in damaged)

    return {span.pk: premise(span) for span in spans}


_PLACES = Statement(
    lambda project, spans: Span.objects.filter(pk__in=spans, version__source__project=project).only(
        "version", "start", "end"
    )
)
_SHOWN = Statement(lambda project, classes, spans: _spans(project, classes).filter(pk__in=spans))


def _damaged(spans: Iterable[Span]) -> set[UUID]:
    """Those of ``spans`` that are not what was captured. Every version is read once."""
    of_version: dict[UUID, list[Span]] = defaultdict(list)
    for span in _WHOLE(tuple(one.pk for one in spans)):
        of_version[span.version_id].append(span)
    versions = tuple(of_version)
    return {
        span.pk
        for start in range(0, len(versions), FEW)
        for version in _VERSIONS(versions[start : start + FEW])
        for span in damaged_in(version, of_version[version.pk])
    }


_VERSIONS = Statement(lambda versions: SourceVersion.objects.filter(pk__in=versions))
_WHOLE = Statement(lambda spans: Span.objects.filter(pk__in=spans))


def sources_of(membership: Membership, title: str = "") -> QuerySet[Source]:
    """Sources with a visible version, by title; those whose title holds ``title``."""
    # As ``visible_to`` has it; that a version is of its source's project is not asked again.
    readable = SourceVersion.objects.filter(
        may_open(membership.reader_classes.all()), source=OuterRef("pk")
    )
    sources = Source.objects.filter(Exists(readable), project=membership.project)
    if title:
        sources = sources.filter(title__icontains=title)
    return sources.order_by(Left("title", 200), "id")


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
    spans = spans_of(membership).filter(version__source__in=shown)
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
    number and the classes that would open it. ``whole`` as with premises."""

    number: int
    readers: str
    version: SourceVersion | None
    whole: bool


def lines_of(membership: Membership, source: Source) -> list[Line]:
    """Every version of ``source``, newest first."""
    shown = {
        version.pk: version
        for version in visible_to(membership).filter(source=source).select_related("invalidation")
    }
    every = source.versions.order_by("-number").values_list("pk", "number")
    openings = openings_of(pk for pk, _ in every)
    held = frozenset(membership.reader_classes.all())
    return [
        Line(number, in_words(openings[pk].classes), shown.get(pk), openings[pk].whole_to(held))
        for pk, number in every
    ]


def readers_of(version_ids: Iterable[UUID]) -> dict[UUID, str]:
    """For each version, the titles of the reader classes that may open it."""
    return {pk: in_words(one.classes) for pk, one in openings_of(version_ids).items()}


def versions_in(project: Project) -> QuerySet[SourceVersion]:
    """Every version of a project, whoever may read it. For actions, never for pages."""
    return SourceVersion.objects.filter(source__project=project)


def is_captured(project: Project, origin: str, key: str, sha256: str, encoding: str) -> bool:
    """Whether the source ``(origin, key)`` already has a version of these bytes, read so."""
    of_source = versions_in(project).filter(source__origin=origin, source__key=key)
    return of_source.filter(sha256=sha256, encoding=encoding).exists()
