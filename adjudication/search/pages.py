"""What the search page shows, as plain values for its templates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.urls import reverse

from adjudication.corpus.clearance import Readable, as_read, openings_of
from adjudication.corpus.models import SourceVersion
from adjudication.corpus.queries import visible_to
from adjudication.corpus.reading import window_at
from adjudication.corpus.soundness import damage_of
from adjudication.corpus.staleness import Recheck, rechecks
from adjudication.projects.models import Membership
from adjudication.search.excerpts import Asked, Excerpt, excerpt_of
from adjudication.search.index import Hits, Index

SHOWN = 10  # hits on one page
DEEPEST = 1000  # hits that can be paged through; nobody reads further


@dataclass(frozen=True, slots=True)
class Hit:
    """A version that was found: where its words stand, and what is to know of it.

    A damaged one has no ``excerpt``: its words are not those that were captured.
    """

    version: SourceVersion
    excerpt: Excerpt | None
    url: str
    recheck: Recheck | None
    """Why nothing should rest on it unchecked, if so."""


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
    versions = rows.select_related("source").in_bulk()
    openings = openings_of(versions)
    held = frozenset(membership.reader_classes.all())
    again = rechecks(versions)
    hits = []
    for version in (versions[pk] for pk in ids if pk in versions):
        read = as_read(version.text, openings[version.pk], held)
        hits.append(_hit(membership.project.slug, version, read, asked, again.get(version.pk)))
    return hits


def _hit(
    slug: str, version: SourceVersion, read: Readable, asked: Asked, recheck: Recheck | None
) -> Hit:
    excerpt = excerpt_of(read.text, asked, read.blocked)
    window = window_at(read.text, excerpt.place)
    url = reverse("version", args=[slug, version.pk])
    there = f"{url}?window={window.number}" if window.count > 1 else url
    return Hit(version, None if damage_of(version) else excerpt, there, recheck)


def choices(numbers: Iterable[int], chosen: int | None) -> list[dict[str, Any]]:
    """The frozen specifications to search under, for the form's list."""
    return [{"number": number, "chosen": number == chosen} for number in numbers]
