"""Which texts a search is over, and the index that holds exactly those.

The engine searches every eligible version of a specification. A person searches those of
them that they may read, in an index of just these: what is closed to them cannot influence
an order, a score or a count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Protocol
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404

from adjudication.append_only import hold_still
from adjudication.corpus.clearance import Openings, as_read, changes_in, openings_of
from adjudication.corpus.inventory import inventory_of
from adjudication.corpus.models import SourceVersion, Tightening
from adjudication.corpus.queries import visible_to
from adjudication.projects.models import Membership, ReaderClass
from adjudication.search.index import FORMAT, Index, find_or_build
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import (
    current,
    eligible_versions,
    frozen_for,
    specifications_of,
)
from certify_core.canonical import digest
from certify_core.model import Unit
from certify_core.regions import namesake_base

CHUNK = 1000  # versions read at once


class Ranking(Protocol):
    """An order of the versions of one corpus for a query: equal queries, equal orders."""

    def ranked(self, query: str, limit: int) -> list[str]:
        """Ids of the ``limit`` best versions for ``query``, best first."""
        ...


@dataclass(frozen=True)
class Corpus:
    """The eligible versions of a specification as the search loop sees them: a ``Retriever``.

    ``ranking`` decides the order. Titles are looked up in ``index`` whatever does.
    """

    index: Index
    ranking: Ranking

    def search(self, query: str, limit: int) -> Sequence[Unit]:
        """The ``limit`` best versions for ``query``, best first."""
        ids = self.ranking.ranked(query, limit)
        return units_named(ids)

    def namesakes(self, title: str) -> Sequence[str]:
        """The other titles that differ only in a trailing parenthesis or region, sorted."""
        return sorted(self.index.titled(namesake_base(title)) - {title})

    def without(self, uids: Iterable[str]) -> Remainder:
        """The corpus with these versions deleted; lower ranks move up."""
        return Remainder(self, frozenset(uids))


@dataclass(frozen=True)
class Remainder:
    """A corpus as if it did not have the versions ``deleted``: a ``Retriever``."""

    corpus: Corpus
    deleted: frozenset[str]

    def search(self, query: str, limit: int) -> Sequence[Unit]:
        found = self.corpus.search(query, limit + len(self.deleted))
        return [unit for unit in found if unit.uid not in self.deleted][:limit]

    def namesakes(self, title: str) -> Sequence[str]:
        titles = self.corpus.index.titled(namesake_base(title), self.deleted)
        return sorted(titles - {title})


def corpus_of(specification: Specification) -> Corpus:
    """The corpus of a frozen specification, ranked by its words.

    Its index is built if nobody did before.
    """
    contents = contents_under(specification)
    units = units_of(eligible_versions(specification))
    index = find_or_build(contents.name, units, contents.count)
    return Corpus(index, index)


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in an index: its name, which says exactly that, and how many texts."""

    name: str
    count: int


def contents_under(specification: Specification) -> Contents:
    """What the index of a frozen specification holds."""
    return _contents(specification.pk)


@lru_cache(maxsize=64)
def _contents(specification_id: UUID) -> Contents:
    """Of everything eligible: fixed on freezing."""
    return contents_of(eligible_versions(Specification.objects.get(pk=specification_id)))


def contents_of(
    versions: QuerySet[SourceVersion], closed: Mapping[UUID, str] = MappingProxyType({})
) -> Contents:
    """The name for an index of ``versions``: a digest of their ids, bytes and what is closed.

    Equal texts of two projects are different versions: their indexes never meet.
    """
    whole = inventory_of(versions)
    blocked = sorted(f"{pk}{ranges}" for pk, ranges in closed.items())
    return Contents(digest([FORMAT, whole.sha256, blocked]), whole.count)


# --- As far as somebody may read -----------------------------------------------------------------


class Changed(Exception):
    """What somebody may read changed after the index of it was named."""


@dataclass(frozen=True)
class Shelf:
    """What one person searches: the readable part of a specification's universe.

    Before anything is frozen, the readable part of the project as it is now.
    """

    membership: Membership
    specification: Specification | None

    @property
    def versions(self) -> QuerySet[SourceVersion]:
        readable = visible_to(self.membership)
        if self.specification is None:
            return readable
        return readable.filter(pk__in=self.specification.eligible.values("version"))

    def contents(self) -> Contents:
        """What an index of this shelf is named by.

        Under a frozen specification it changes with clearance alone. How often that changed is
        read first, so what is remembered is never older than the number it is remembered by.
        """
        if self.specification is None:
            return self._contents()
        state = self.specification.pk, self._held, changes_in(self.membership.project)
        if (known := _known.get(state)) is None:
            known = _known[state] = self._contents()
            while len(_known) > _KNOWN:
                _known.pop(next(iter(_known)), None)
        return known

    def units_named(self, name: str) -> Iterator[Unit]:
        """``units``, as of one moment, in which they are what an index called ``name`` holds.

        Others with other reader classes may share that index: what was opened to this person
        since it was named must not come into it.

        Raises:
            Changed: they are no longer that.
        """
        with transaction.atomic():
            hold_still()
            if self._contents().name != name:
                raise Changed(name)
            yield from self.units()

    def units(self) -> Iterator[Unit]:
        """The versions as this person may read them, without what is blocked for them.

        Those with a blocked range come last, by what is left of them: where they stand must not
        depend on the words that are blocked.
        """
        closed = self._closed()
        yield from units_of(self.versions.exclude(pk__in=closed))
        read = (
            replace(unit, text=as_read(unit.text, closed[UUID(unit.uid)], self._held).text)
            for unit in units_of(self.versions.filter(pk__in=closed))
        )
        yield from sorted(read, key=lambda unit: (unit.text, unit.uid))

    def _contents(self) -> Contents:
        closed = {pk: _ranges(one, self._held) for pk, one in self._closed().items()}
        return contents_of(self.versions, closed)

    @cached_property
    def _held(self) -> frozenset[ReaderClass]:
        return frozenset(self.membership.reader_classes.all())

    def _closed(self) -> dict[UUID, Openings]:
        """The versions of which something is blocked for this person."""
        tightened = Tightening.objects.filter(
            span__isnull=False, version__source__project=self.membership.project
        )
        found = openings_of(tightened.order_by().values_list("version", flat=True).distinct())
        return {pk: one for pk, one in found.items() if not one.whole_to(self._held)}


def _ranges(openings: Openings, held: Collection[ReaderClass]) -> str:
    """What of a version is closed to somebody who holds the classes ``held``."""
    last = max(one.end for one in openings.closings)
    stretches = openings.stretches(last)
    return "".join(f" {start}-{end}" for start, end, to in stretches if to.isdisjoint(held))


_known: dict[tuple[UUID, frozenset[ReaderClass], int], Contents] = {}
"""What shelves hold: by specification, reader classes, and changes of clearance so far."""
_KNOWN = 256


def shelf_for(membership: Membership, number: str) -> Shelf:
    """What this member searches: under the specification ``number``, or the newest frozen one.

    Raises:
        Http404: no such frozen specification in the project.
    """
    if not number:
        return Shelf(membership, current(membership.project))
    if not number.isdecimal() or len(number) > 9:
        raise Http404("no such specification")
    return Shelf(membership, frozen_for(membership, int(number)))


def numbers_of(membership: Membership) -> list[int]:
    """The numbers of the project's frozen specifications, newest first."""
    frozen = specifications_of(membership).filter(state=Specification.State.FROZEN)
    return list(frozen.values_list("number", flat=True))


def units_of(versions: QuerySet[SourceVersion]) -> Iterator[Unit]:
    """Versions as the engine sees them, in an order that depends on the texts first."""
    rows = versions.select_related("source").only("text", "sha256", "source__title")
    for version in rows.order_by("sha256", "pk").iterator(chunk_size=CHUNK):
        yield unit_of(version)


def units_named(ids: Sequence[str]) -> list[Unit]:
    """The versions with these ids as the engine sees them, in this order; for a few of them.

    One round trip, and no record for each: searches are what a run does most.
    """
    found = SourceVersion.objects.filter(pk__in=ids)
    rows = found.values_list("pk", "source__title", "text", "sha256")
    units = {str(pk): Unit(str(pk), title, text, sha256) for pk, title, text, sha256 in rows}
    return [units[uid] for uid in ids]


def unit_of(version: SourceVersion) -> Unit:
    """A version as the engine sees it."""
    return Unit(str(version.pk), version.source.title, version.text, version.sha256)
