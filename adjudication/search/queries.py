"""Which texts a search is over, and the index that holds exactly those.

The engine searches every eligible version of a specification. A person searches those of
them that they may read, in an index of just these: what is closed to them cannot influence
an order, a score or a count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

from django.db.models import QuerySet

from adjudication.corpus.models import SourceVersion
from adjudication.search.index import FORMAT, Index, base_of, find_or_build
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import eligible_versions
from certify_core.model import Unit

CHUNK = 1000  # versions read at once


@dataclass(frozen=True)
class Corpus:
    """The eligible versions of a specification as the search loop sees them: a ``Retriever``."""

    index: Index

    def search(self, query: str, limit: int) -> Sequence[Unit]:
        """The ``limit`` best versions for the words of ``query``, best first."""
        ids = self.index.ranked(query, limit)
        units = {unit.uid: unit for unit in units_of(SourceVersion.objects.filter(pk__in=ids))}
        return [units[uid] for uid in ids]

    def namesakes(self, title: str) -> Sequence[str]:
        """The other titles that differ only in a trailing parenthesis, sorted."""
        return sorted(self.index.titled(base_of(title)) - {title})


def corpus_of(specification: Specification) -> Corpus:
    """The corpus of a frozen specification; its index is built if nobody did before."""
    contents = _contents(specification.pk)
    units = units_of(eligible_versions(specification))
    return Corpus(find_or_build(contents.name, units, contents.count))


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in an index: its name, which says exactly that, and how many texts."""

    name: str
    count: int


@lru_cache(maxsize=64)
def _contents(specification_id: UUID) -> Contents:
    """Of everything eligible: fixed on freezing."""
    return contents_of(eligible_versions(Specification.objects.get(pk=specification_id)))


def contents_of(versions: QuerySet[SourceVersion]) -> Contents:
    """The name for an index of ``versions``: a digest of their ids and bytes, in that order.

    Equal texts of two projects are different versions: their indexes never meet.
    """
    lines, count = sha256(FORMAT.encode()), 0
    rows = versions.order_by("pk").values_list("pk", "sha256").iterator(chunk_size=10 * CHUNK)
    for pk, digest in rows:
        lines.update(f"\n{pk} {digest}".encode())
        count += 1
    return Contents(lines.hexdigest(), count)


def units_of(versions: QuerySet[SourceVersion]) -> Iterator[Unit]:
    """Versions as the engine sees them, in an order that depends on the texts first."""
    rows = versions.select_related("source").only("text", "sha256", "source__title")
    for version in rows.order_by("sha256", "pk").iterator(chunk_size=CHUNK):
        yield unit_of(version)


def unit_of(version: SourceVersion) -> Unit:
    """A version as the engine sees it."""
    return Unit(str(version.pk), version.source.title, version.text, version.sha256)
