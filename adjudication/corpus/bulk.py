"""Store many sources and spans at once, as a data set brings them.

The rows are those that ``capture_version`` and ``make_span`` write one by one, and the same
triggers check them. The caller holds the transaction and writes the journal entry.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import F, Model

from adjudication.corpus.actions import Capture
from adjudication.corpus.encodings import decode
from adjudication.corpus.models import Clearance, Source, SourceVersion, Span
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


def new_ids(number: int) -> list[UUID]:
    """Random ids in ascending order.

    Asked of the system once for all of them, since asking takes longest; in order, since rows
    that reach an index in its own order find its pages in the processor's cache.
    """
    random = os.urandom(16 * number)
    ordered = sorted(random[at : at + 16] for at in range(0, len(random), 16))
    return [UUID(bytes=one, version=4) for one in ordered]


def copy_in(model: type[Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert ``rows`` by COPY: no object per row. Triggers and constraints check as ever."""
    known = {one.name: one for one in model._meta.concrete_fields}
    fields = [known[name] for name in columns]
    types = [(one.db_type(connection) or "").partition("(")[0] for one in fields]
    names = ", ".join(connection.ops.quote_name(one.get_attname()) for one in fields)
    statement = f"COPY {model._meta.db_table} ({names}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)


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
    columns = [one.name for one in given]
    copy_in(type(rows[0]), columns, ([getattr(row, name) for name in names] for row in rows))


def known_versions(project: Project, origin: str, digests: Collection[str]) -> dict[str, UUID]:
    """Digest → id of the version, for the sources of ``origin`` that are keyed by digest."""
    found: dict[str, UUID] = {}
    versions = SourceVersion.objects.filter(
        source__project=project, source__origin=origin, sha256=F("source__key")
    )
    for chunk in chunks(digests):
        found.update(versions.filter(source__key__in=chunk).values_list("source__key", "pk"))
    return found


def add_sources(
    project: Project, captures: Iterable[Capture], *, reader_classes: Sequence[ReaderClass]
) -> dict[str, UUID]:
    """Store new sources, each with its first version. Returns key → id of the version.

    Raises:
        Refused: no reader class, or bytes that are no text.
    """
    if not reader_classes:
        raise Refused("Name at least one reader class that may inspect these sources.")
    made: dict[str, UUID] = {}
    for chunk in chunks(captures):
        chunk.sort(key=lambda one: one.key)
        versions = new_ids(len(chunk))
        _insert(project, list(zip(versions, chunk, strict=True)))
        _clear(versions, reader_classes)
        made.update(zip((one.key for one in chunk), versions, strict=True))
    return made


def _clear(versions: Sequence[UUID], reader_classes: Sequence[ReaderClass]) -> None:
    """Clear every one of ``versions`` for every one of ``reader_classes``."""
    pairs = [(version, one.pk) for version in versions for one in reader_classes]
    rows = ((pk, *pair) for pk, pair in zip(new_ids(len(pairs)), pairs, strict=True))
    copy_in(Clearance, ("id", "version", "reader_class"), rows)


def _insert(project: Project, captures: Sequence[tuple[UUID, Capture]]) -> None:
    sources = new_ids(len(captures))
    copy_in(
        Source,
        ("id", "project", "origin", "key", "title", "address"),
        (
            (source, project.pk, one.origin, one.key, one.title, one.address)
            for source, (_, one) in zip(sources, captures, strict=True)
        ),
    )
    copy_in(
        SourceVersion,
        (
            *("id", "source", "number", "snapshot", "text", "sha256", "media_type"),
            *("encoding", "observed_at", "observed_precision", "published"),
            *("effective_from", "effective_to", "licence", "authority"),
        ),
        (
            (version, source, *_content(one))
            for source, (version, one) in zip(sources, captures, strict=True)
        ),
    )


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
