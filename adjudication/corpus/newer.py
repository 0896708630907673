"""A later version of a source, and where people found the same words again in it."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.http import Http404

from adjudication.corpus.models import Source, SourceVersion, Span, Successor
from adjudication.corpus.queries import spans_of, visible_to
from adjudication.projects.models import Membership


def version_numbered(membership: Membership, source: Source, number: int) -> SourceVersion:
    """The version ``number`` of a source, if this member may read it (Http404)."""
    versions = visible_to(membership).filter(source=source, number=number)
    found = versions.defer("snapshot").first()
    if found is None:
        raise Http404("no such source version")
    return found


def newest_for(membership: Membership, version: SourceVersion) -> SourceVersion | None:
    """The newest later version of the same source that this member may read, if any.

    Its bytes and text, which can be long, are loaded when they are asked for.
    """
    later = visible_to(membership).filter(source=version.source_id, number__gt=version.number)
    later = later.select_related("source").defer("snapshot", "text")
    return later.order_by("-number").first()


def successors_of(membership: Membership, span_ids: Collection[UUID]) -> dict[UUID, Span]:
    """Span → the span with its words in the latest version, as people confirmed and as this
    member may read; spans without one are missing."""
    pairs = Successor.objects.filter(span__in=span_ids).values_list("span", "successor")
    spans = spans_of(membership).in_bulk([successor for _, successor in pairs])
    readable = [(span, spans[successor]) for span, successor in pairs if successor in spans]
    return dict(sorted(readable, key=lambda pair: pair[1].version.number))
