"""Store many sources and spans at once, as a data set brings them.

The rows are those that ``capture_version`` and ``make_span`` write one by one, and the same
triggers check them. The caller holds the transaction and writes the journal entry.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count, islice
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import F, Model

from adjudication.corpus.actions import Capture
from adjudication.corpus.encodings import decode
from adjudication.corpus.models import Clearance, Source, SourceVersion, Span
from adjudication.corpus.rows import Layout
from adjudication.errors import Refused
from adjudication.projects.models import Project, ReaderClass

T = TypeVar("T")
Place = tuple[UUID, int, int]
"""A version's id and a range of code points in its text."""

CHUNK = 4_000  # rows in memory, and in one statement


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """``items`` in lists of up to ``size``."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


class Ids:
    """Random ids, each higher than those before it and near to them.

    Rows that reach an index in its own order, and close together, find its pages in the
    processor's cache. Where they lie among the ids of other batches is random: nothing of when
    a batch was made, or of what else was made, can be read from them.
    """

    def __init__(self) -> None:
        self._place = os.urandom(4)
        self._batches = count()

    def next(self, number: int) -> list[UUID]:
        """The next ``number`` ids. The system is asked once for all: asking takes longest."""
        begin = self._place + (next(self._batches) % 65_536).to_bytes(2)
        random = os.urandom(10 * number)
        rest = (random[at : at + 10] for at in range(0, len(random), 10))
        made = [UUID(bytes=begin + one, version=4) for one in rest]
        return sorted(made, key=attrgetter("int"))


def refresh_statistics() -> None:
    """Let the database count the corpus anew: until it has, it plans pages for a small one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT analyze_corpus()")


def copy_rows(rows: Sequence[Model]) -> None:
    """Insert unsaved ``rows`` of one table by COPY; what the database fills in, it fills in."""
    if not rows:
        return
    given = [one for one in rows[0]._meta.concrete_fields if not one.has_db_default()]
    names = [one.attname for one in given]
    layout = Layout(type(rows[0]), [one.name for one in given])
    layout.copy_in(layout.row([getattr(row, name) for name in names]) for row in rows)


def known_versions(project: Project, origin: str, digests: Collection[str]) -> dict[str, UUID]:
    """Digest → id of the version, for the sources of ``origin`` that are keyed by digest."""
    found: dict[str, UUID] = {}
    versions = SourceVersion.objects.filter(
        source__project=project, source__origin=origin, sha256=F("source__key")
    )
    for chunk in chunks(digests):
        found.update(versions.filter(source__key__in=chunk).values_list("source__key", "pk"))
    return found


class Prepared(NamedTuple):
    """A new source with its first version: their ids, and their rows in ``Preparation``."""

    key: str
    version: bytes
    source: bytes
    content: bytes
    clearances: bytes


class Preparation:
    """Makes the rows of new sources of a project. Asks the database nothing."""

    def __init__(self, project: Project, reader_classes: Sequence[ReaderClass]) -> None:
        """Raises Refused where no reader class could inspect the sources."""
        if not reader_classes:
            raise Refused("Name at least one reader class that may inspect these sources.")
        self._ids = Ids()
        self._project = project.pk
        self._classes = [one.pk for one in reader_classes]
        self._source = Layout(Source, ("id", "project", "origin", "key", "title", "address"))
        self._version = Layout(
            SourceVersion,
            (
                *("id", "source", "number", "snapshot", "text", "sha256", "media_type"),
                *("encoding", "observed_at", "observed_precision", "published"),
                *("effective_from", "effective_to", "licence", "authority"),
            ),
        )
        self._clearance = Layout(Clearance, ("id", "version", "reader_class"))

    def of(self, captures: Iterable[Capture]) -> list[Prepared]:
        """The rows of ``captures``, in the order in which the indexes take them best.

        Raises:
            Refused: bytes that are no text.
        """
        ordered = sorted(captures, key=lambda one: one.key)
        number, ids = len(ordered), self._ids.next
        clearances = chunks(ids(number * len(self._classes)), len(self._classes))
        return [
            self._prepared(*one)
            for one in zip(ordered, ids(number), ids(number), clearances, strict=True)
        ]

    def _prepared(self, one: Capture, source: UUID, version: UUID, ids: list[UUID]) -> Prepared:
        pairs = zip(ids, self._classes, strict=True)
        return Prepared(
            one.key,
            version.bytes,
            self._source.row((source, self._project, one.origin, one.key, one.title, one.address)),
            self._version.row((version, source, *_content(one))),
            b"".join(self._clearance.row((pk, version, readers)) for pk, readers in pairs),
        )

    def copy_in(self, prepared: Sequence[Prepared]) -> None:
        """Insert what ``of`` made, there or in another process."""
        self._source.copy_in(one.source for one in prepared)
        self._version.copy_in(one.content for one in prepared)
        self._clearance.copy_in(one.clearances for one in prepared)


def add_sources(
    project: Project, captures: Iterable[Capture], *, reader_classes: Sequence[ReaderClass]
) -> None:
    """Store new sources, each with its first version.

    Raises:
        Refused: no reader class, or bytes that are no text.
    """
    preparation = Preparation(project, reader_classes)
    for chunk in chunks(captures):
        preparation.copy_in(preparation.of(chunk))


def _content(one: Capture) -> tuple[Any, ...]:
    """The columns of a first version, after its id and its source."""
    text = decode(one.snapshot, one.media_type, one.encoding)
    file = (1, one.snapshot, text, one.sha256, one.media_type, one.encoding)
    observed = (one.observed_at, one.observed_precision.value)
    times = (one.times.published, one.times.effective_from, one.times.effective_to)
    return (*file, *observed, *times, one.licence, one.authority)


def add_spans(spans: Iterable[Span]) -> dict[Place, UUID]:
    """Store ``spans`` where they are new. Returns the id of the span at every place."""
    found: dict[Place, UUID] = {}
    for chunk in chunks(spans):
        Span.objects.bulk_create(chunk, ignore_conflicts=True)
        stored = Span.objects.filter(version__in={span.version_id for span in chunk})
        rows = stored.values_list("pk", "version_id", "start", "end")
        found.update({(version, start, end): pk for pk, version, start, end in rows})
    return found
