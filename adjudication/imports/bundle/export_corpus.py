"""Sources, versions and spans of a bundle, a few megabytes in memory at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from uuid import UUID

from django.db.models import Exists, F, Func, IntegerField, OuterRef, QuerySet

from adjudication.corpus.clearance import Openings, openings_of
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.rules import is_intact
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
    listed = Exists(scope.open_versions.filter(source=OuterRef("source")))
    last = None
    for ids in _batches(by_identity(scope.versions.filter(listed), "source__")):
        openings = openings_of(ids)
        for version, spans in _versions(ids, openings, scope.reader_class):
            if version.source_id != last:
                last = version.source_id
                yield _source(version)
            if spans is None:
                yield _withheld(version.pk, openings, source_key(version.source))
                continue
            yield _version(version, openings[version.pk])
            yield from (_span(span, version) for span in spans)
    # In the order of random ids: that of their names would tell something of these.
    for ids in _batches(scope.versions.exclude(listed).order_by("pk")):
        openings = openings_of(ids)
        yield from (_withheld(pk, openings, None) for pk in ids)


def _batches(versions: QuerySet[SourceVersion]) -> Iterator[list[UUID]]:
    """The ids of ``versions`` in order, as many at a time as ``BATCH`` bytes hold."""
    size = Func(F("snapshot"), function="octet_length", output_field=IntegerField())
    ordered = versions.order_by(*versions.query.order_by, "number")
    batch: list[UUID] = []
    total = 0
    for pk, length in ordered.values_list("pk", size).iterator():
        batch.append(pk)
        total += length
        if total >= BATCH or len(batch) >= ROWS:
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
    snapshot = bytes(one.snapshot)
    if not is_intact(snapshot, one.text, one.sha256, one.encoding):
        raise Refused(f"{one} is damaged: its digest is not that of its bytes.")
    invalidation = getattr(one, "invalidation", None)
    return bundle.Version(
        key=version_key(one),
        source=source_key(one.source),
        number=one.number,
        snapshot=snapshot,
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
