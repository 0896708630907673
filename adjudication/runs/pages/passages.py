"""The passages of a search as one reads them: the sentence that states a value, in context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from adjudication.corpus.models import SourceVersion
from adjudication.corpus.queries import FEW
from adjudication.corpus.reading import Mark, Part, parts_of, window_at
from adjudication.corpus.soundness import damage_of
from adjudication.runs.models import RecordedLink
from adjudication.runs.pages.trace import Hit, LookedUp

AROUND = 120  # code points shown before and after a sentence
NUDGE = 24  # an excerpt begins and ends at a space, if one is that near


@dataclass(frozen=True, slots=True)
class Quote:
    """Where a link was read: its sentence marked, and in it the value.

    A damaged version has no ``parts``: its words are not those that were captured.
    """

    parts: list[Part]
    cut_before: bool
    cut_after: bool
    url: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit with its quote, where it states a value and one may read it."""

    hit: Hit
    url: str
    quote: Quote | None


@dataclass(frozen=True, slots=True)
class Round:
    number: int
    passages: list[Passage]


@dataclass(frozen=True, slots=True)
class Lookup:
    """A lookup for the page; one that stayed without a value is shown unfolded."""

    found: LookedUp
    rounds: list[Round]
    unanswered: bool


def passages_of(slug: str, lookups: Sequence[LookedUp]) -> list[Lookup]:
    """The rounds of these lookups. Every version quoted is read once."""
    quotes = _quotes(slug, [link for lookup in lookups for link in lookup.links])
    return [
        Lookup(
            lookup,
            [
                Round(number, [_passage(slug, hit, quotes) for hit in hits])
                for number, hits in enumerate(lookup.rounds, start=1)
            ],
            not lookup.accepted,
        )
        for lookup in lookups
    ]


def _passage(slug: str, hit: Hit, quotes: Mapping[UUID, Quote]) -> Passage:
    quote = quotes[hit.link.pk] if hit.link else None
    return Passage(hit, reverse("version", args=[slug, hit.version_id]), quote)


def _quotes(slug: str, links: Sequence[RecordedLink]) -> dict[UUID, Quote]:
    """The quote of each link, by the link's id."""
    quoted = SourceVersion.objects.filter(pk__in={link.version_id for link in links})
    quoted = quoted.select_related("source")
    return {
        link.pk: _quote(slug, link, version, damaged)
        for version in quoted.iterator(chunk_size=FEW)
        for damaged in [damage_of(version) is not None]
        for link in links
        if link.version_id == version.pk
    }


def _quote(slug: str, link: RecordedLink, version: SourceVersion, damaged: bool) -> Quote:
    text, line = version.text, f"{version.source.title}\n"
    body = len(line) if text.startswith(line) else 0
    # The title stands above the quote, so it is not quoted once more unless the value is in it.
    first = body if link.sentence_start >= body else 0
    start, end = _around(text, first, link.sentence_start, link.sentence_end)
    marks = [
        Mark(link.sentence_start, link.sentence_end),
        Mark(link.start, link.end, chosen=True),
    ]
    window = window_at(text, link.sentence_start)
    url = reverse("version", args=[slug, version.pk])
    return Quote(
        parts=[] if damaged else parts_of(text, marks, start=start, end=end),
        cut_before=start > first,
        cut_after=end < len(text),
        url=f"{url}?window={window.number}" if window.count > 1 else url,
    )


def _around(text: str, first: int, start: int, end: int) -> tuple[int, int]:
    """The range ``start``–``end`` with some context from ``first`` on, from space to space."""
    before, after = max(first, start - AROUND), min(len(text), end + AROUND)
    if before > first:
        space = text.find(" ", before, min(before + NUDGE, start))
        before = space + 1 if space >= 0 else before
    if after < len(text):
        space = text.rfind(" ", max(after - NUDGE, end), after)
        after = space if space >= 0 else after
    return before, after
