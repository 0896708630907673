"""Sources, versions and spans of a bundle, a few megabytes in memory at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from django.db.models import F, Func, IntegerField, QuerySet

from adjudication.corpus.bulk import chunks
from adjudication.corpus.clearance import Openings, openings_of
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.soundness import damage_of
from adjudication.errors import Refused
from adjudication.imports.bundle.scope import (
    BATCH,
    Scope,
    by_identity,
    source_key,
    span_key,
    version_key,
)
from adjudication.projects.models import ReaderClass
from adjudication.releases.bodies import moment
from certify_core.canonical import sha256_hex
from certify_core.datasets import bundle

ROWS = 1_000  # versions in memory at a time, where they are short


def corpus_records(scope: Scope) -> Iterator[bundle.Record]:
    """Each source with its versions and their spans; then what is withheld with its source.

    Raises:
        Refused: a version or span is damaged.
    """
    hidden: list[bundle.Withheld] = []
    for batch in _batches(scope.versions):
        openings = openings_of(one.pk for of_source in batch for one in of_source)
        shown = []
        for of_source in batch:
            if any(scope.reader_class in openings[one.pk].whole for one in of_source):
                shown.append(of_source)
            else:
                hidden += [_withheld(one.pk, openings, None) for one in of_source]
        yield from _sources(shown, openings, scope.reader_class)
    # In the order of random ids: that of their names would tell something of these.
    yield from sorted(hidden, key=lambda one: one.id)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A version before it is loaded, and how many bytes it has."""

    pk: UUID
    size: int


def _batches(versions: QuerySet[SourceVersion]) -> Iterator[list[list[_Listed]]]:
    """The versions of every source, in the order of the bundle, some sources at a time."""
    size = Func(F("snapshot"), function="octet_length", output_field=IntegerField())
    ordered = by_identity(versions, "source__")
    rows = ordered.order_by(*ordered.query.order_by, "number").values_list("source", "pk", size)
    of_source = (
        [_Listed(pk, size) for _, pk, size in group]
        for _, group in groupby(rows.iterator(chunk_size=ROWS), key=itemgetter(0))
    )
    return chunks(of_source, ROWS)


def _sources(
    batch: list[list[_Listed]], openings: dict[UUID, Openings], to: ReaderClass
) -> Iterator[bundle.Record]:
    """The records of some sources, of each of which ``to`` may read at least one version."""
    last = None
    for ids in _by_size(one for of_source in batch for one in of_source):
        for version, spans in _versions(ids, openings, to):
            if version.source_id != last:
                last = version.source_id
                yield _source(version)
            if spans is None:
                yield _withheld(version.pk, openings, source_key(version.source))
                continue
            yield _version(version, openings[version.pk])
            yield from (_span(span, version) for span in spans)


def _by_size(versions: Iterable[_Listed]) -> Iterator[list[UUID]]:
    """Their ids, as many at a time as ``BATCH`` bytes hold."""
    batch: list[UUID] = []
    total = 0
    for one in versions:
        batch.append(one.pk)
        total += one.size
        if total >= BATCH:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def _versions(
    ids: list[UUID], openings: dict[UUID, Openings], to: ReaderClass
) -> Iterator[tuple[SourceVersion, list[Span] | None]]:
    """These versions in order with their spans; with None where the class may not read all."""
    found = SourceVersion.objects.select_related("source", "invalidation").in_bulk(ids)
    spans: dict[UUID, list[Span]] = defaultdict(list)
    for span in Span.objects.filter(version__in=ids).order_by("start", "end"):
        span.version = found[span.version_id]
        spans[span.version_id].append(span)
    for pk in ids:
        yield found[pk], spans[pk] if to in openings[pk].whole else None


def _source(version: SourceVersion) -> bundle.Source:
    one = version.source
    return bundle.Source(source_key(one), one.origin, one.key, one.title, one.address)


def _version(one: SourceVersion, openings: Openings) -> bundle.Version:
    if damage_of(one) is not None:
        raise Refused(f"{one} is damaged: its digest is not that of its bytes.")
    invalidation = getattr(one, "invalidation", None)
    return bundle.Version(
        key=version_key(one),
        source=source_key(one.source),
        number=one.number,
        snapshot=bytes(one.snapshot),
        encoding=one.encoding,
        media_type=one.media_type,
        sha256=one.sha256,
        observed_at=moment(one.observed_at),
        observed_precision=one.observed_precision,
        published=one.published,
        effective_from=one.effective_from,
        effective_to=one.effective_to,
        licence=one.licence,
        authority=one.authority,
        # A class that may read only a part here must not be given the whole elsewhere.
        reader_classes=tuple(sorted(to.key for to in openings.whole)),
        invalidation=invalidation
        and bundle.Invalidation(moment(invalidation.at), invalidation.reason),
    )


def _span(span: Span, version: SourceVersion) -> bundle.Span:
    exact = version.text[span.start : span.end]
    if exact != span.exact or sha256_hex(exact.encode()) != span.sha256:
        raise Refused(f"The span {span.pk} is damaged: its words are not those of its version.")
    return bundle.Span(
        key=span_key(span),
        version=version_key(version),
        start=span.start,
        end=span.end,
        byte_start=span.byte_start,
        byte_end=span.byte_end,
        exact=span.exact,
        sha256=span.sha256,
    )


def _withheld(pk: UUID, openings: dict[UUID, Openings], of: str | None) -> bundle.Withheld:
    return withheld("version", pk, of, openings[pk].whole)


def withheld(
    kind: str, pk: object, of: str | None, readers: frozenset[ReaderClass] | set[ReaderClass]
) -> bundle.Withheld:
    """That something exists and is not in the file, and which classes may read it."""
    return bundle.Withheld(kind, str(pk), of, tuple(sorted(one.key for one in readers)))
