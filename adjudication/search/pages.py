"""What the search page shows, as plain values for its templates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Max
from django.urls import reverse

from adjudication.corpus.clearance import Readable, as_read, openings_of
from adjudication.corpus.models import SourceVersion
from adjudication.corpus.queries import visible_to
from adjudication.corpus.reading import window_at
from adjudication.projects.models import Membership
from adjudication.search.excerpts import Asked, Excerpt, excerpt_of
from adjudication.search.index import Hits, Index

SHOWN = 10  # hits on one page
DEEPEST = 1000  # hits that can be paged through; nobody reads further


@dataclass(frozen=True, slots=True)
class Hit:
    """A version that was found: where its words stand, and what is to know of it."""

    version: SourceVersion
    excerpt: Excerpt
    url: str
    later: int | None
    """The number of the newest version of the same source, where there is a later one."""


@dataclass(frozen=True, slots=True)
class Found:
    """One page of hits, best first."""

    page: Page[int]
    counts: Hits
    hits: list[Hit]

    @property
    def words(self) -> bool:
        """Whether more than one word was asked for, so that the two counts may differ."""
        return self.counts.every != self.counts.some


def look_up(membership: Membership, index: Index, query: str, wanted: str | None) -> Found:
    """The page ``wanted`` of what ``index`` holds for ``query``; the nearest there is."""
    counts = index.hits(query, 0, SHOWN)
    page = Paginator(range(min(counts.some, DEEPEST)), SHOWN).get_page(wanted)
    if page.number > 1:
        counts = index.hits(query, page.start_index() - 1, SHOWN)
    return Found(page, counts, _hits(membership, counts.ids, Asked.of(query)))


def _hits(membership: Membership, ids: Iterable[UUID], asked: Asked) -> list[Hit]:
    """Versions by their ids, in their order, as this member may see them now."""
    rows = visible_to(membership).filter(pk__in=list(ids))
    versions = rows.select_related("source", "invalidation").defer("snapshot").in_bulk()
    newest = _newest(versions.values())
    openings = openings_of(versions)
    held = frozenset(membership.reader_classes.all())
    slug = membership.project.slug
    return [
        _hit(slug, versions[pk], as_read(versions[pk].text, openings[pk], held), asked, newest)
        for pk in ids
        if pk in versions
    ]


def _newest(versions: Iterable[SourceVersion]) -> dict[UUID, int]:
    """For each of their sources, the number of its newest version."""
    sources = {version.source_id for version in versions}
    rows = SourceVersion.objects.filter(source__in=sources).order_by()
    return dict(rows.values_list("source").annotate(newest=Max("number")))


def _hit(
    slug: str, version: SourceVersion, read: Readable, asked: Asked, newest: dict[UUID, int]
) -> Hit:
    excerpt = excerpt_of(read.text, asked)
    window = window_at(read.text, excerpt.place)
    url = reverse("version", args=[slug, version.pk])
    last = newest[version.source_id]
    return Hit(
        version,
        excerpt,
        f"{url}?window={window.number}" if window.count > 1 else url,
        last if last > version.number else None,
    )


def choices(numbers: Iterable[int], chosen: int | None) -> list[dict[str, Any]]:
    """The frozen specifications to search under, for the form's list."""
    return [{"number": number, "chosen": number == chosen} for number in numbers]
