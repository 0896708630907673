"""Sources, versions and spans of a bundle, as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.utils import timezone

from adjudication.corpus.bulk import Place, add_spans, copy_rows
from adjudication.corpus.clearance import in_words, openings_of
from adjudication.corpus.encodings import decode
from adjudication.corpus.models import Clearance, Invalidation, Source, SourceVersion, Span
from adjudication.corpus.rules import CONTEXT
from adjudication.corpus.times import ends_before_it_begins
from adjudication.errors import Refused
from adjudication.imports.bundle.intake import Intake, Kinds, quoted, refused, same_or_refuse
from adjudication.projects.models import ReaderClass
from certify_core.datasets import bundle
from certify_core.datasets.records import Problem

BATCH = 8 * 2**20  # bytes of versions that wait to be stored together
ROWS = 8_000  # versions and spans that do so


@dataclass(frozen=True, slots=True)
class _Read:
    """A version as read, with its source and its text."""

    where: str
    record: bundle.Version
    source: bundle.Source
    text: str

    @property
    def name(self) -> str:
        return f"version {self.record.number} of {quoted(self.source.title)}"

    def columns(self) -> dict[str, Any]:
        """What of the record is a column of its row, beside number, bytes and text."""
        one = self.record
        return {
            "sha256": one.sha256,
            "encoding": one.encoding,
            "media_type": one.media_type,
            "observed_at": datetime.fromisoformat(one.observed_at),
            "observed_precision": one.observed_precision,
            "published": one.published,
            "effective_from": one.effective_from,
            "effective_to": one.effective_to,
            "licence": one.licence,
            "authority": one.authority,
        }


class CorpusStage:
    kinds: ClassVar[Kinds] = (bundle.Source, bundle.Version, bundle.Span)

    def __init__(self, intake: Intake, called: Mapping[str, ReaderClass]) -> None:
        self._intake = intake
        self._now = timezone.now()
        own = {one.key: one for one in intake.project.reader_classes.all()}
        self._classes = {**called, **own}
        self._sources: list[tuple[str, bundle.Source]] = []
        self._versions: list[_Read] = []
        self._spans: list[tuple[_Read, bundle.Span]] = []
        self._size = 0
        self._last_source: bundle.Source
        self._last_version: _Read
        # Ids of what waits or may still be named, by key; and of versions that were here before.
        self._source_ids: dict[str, UUID] = {}
        self._known: set[UUID] = set()

    @property
    def is_full(self) -> bool:
        return self._size >= BATCH or len(self._versions) + len(self._spans) >= ROWS

    def take(self, where: str, record: Any) -> None:
        match record:
            case bundle.Source():
                self._last_source = record
                self._sources.append((where, record))
            case bundle.Version():
                self._check_classes(where, record)
                self._check_times(where, record)
                text = _text(where, record)
                self._last_version = _Read(where, record, self._last_source, text)
                self._versions.append(self._last_version)
                self._size += len(record.snapshot)
            case bundle.Span():
                self._spans.append((self._last_version, record))
                self._size += len(record.exact)

    def flush(self) -> None:
        self._store_sources()
        self._store_versions()
        self._store_spans()
        self._sources, self._versions, self._spans, self._size = [], [], [], 0
        # More versions may follow of the last source alone.
        last = list(self._source_ids.items())[-1:]
        self._source_ids = dict(last)

    def _check_classes(self, where: str, one: bundle.Version) -> None:
        """Never open to a class that the file does not name, and so never silently to all."""
        if unknown := sorted(set(one.reader_classes) - self._classes.keys()):
            raise refused(
                where,
                f"reader_classes: this project has no reader class {', '.join(unknown)}; "
                "add it under People first, or import by command with --call",
            )

    def _check_times(self, where: str, one: bundle.Version) -> None:
        """What a person could not capture, a file cannot bring in."""
        if datetime.fromisoformat(one.observed_at) > self._now:
            raise refused(where, f"observed_at: {one.observed_at} is in the future")
        if one.invalidation and datetime.fromisoformat(one.invalidation.at) > self._now:
            raise refused(where, f"invalidation: {one.invalidation.at} is in the future")
        if ends_before_it_begins(one.effective_from, one.effective_to):
            raise refused(where, "effective_to: this is before effective_from")

    def _store_sources(self) -> None:
        here = {
            (row.origin, row.key): row
            for row in Source.objects.filter(
                project=self._intake.project,
                origin__in={one.origin for _, one in self._sources},
                key__in={one.id for _, one in self._sources},
            )
        }
        rows = []
        for where, one in self._sources:
            given = {"title": one.title, "address": one.address}
            row = here.get((one.origin, one.id))
            if row is not None:
                same_or_refuse(where, f"source {one.id!r} of {one.origin!r}", given, row)
            else:
                row = Source(project=self._intake.project, origin=one.origin, key=one.id, **given)
                rows.append(row)
            self._source_ids[one.key] = row.pk
            self._intake.count(one, new=(one.origin, one.id) not in here)
        copy_rows(rows)

    def _store_versions(self) -> None:
        here: dict[tuple[UUID, int], SourceVersion] = {}
        bytes_here: dict[tuple[UUID, str, str], int] = {}
        ids = {self._source_ids[one.record.source] for one in self._versions}
        versions = SourceVersion.objects.filter(source__in=ids).defer("snapshot", "text")
        for row in versions.select_related("invalidation"):
            here[row.source_id, row.number] = row
            bytes_here[row.source_id, row.sha256, row.encoding] = row.number
        openings = openings_of(row.pk for row in here.values())
        made = []
        for one in self._versions:
            source = self._source_ids[one.record.source]
            known = here.get((source, one.record.number))
            if known is not None:
                same_or_refuse(one.where, one.name, one.columns(), known)
                self._known.add(known.pk)
                self._intake.keep(one.record, known.pk, new=False)
                self._invalidate_known(one, known)
                self._compare_readers(one, openings[known.pk].whole)
                continue
            if number := bytes_here.get((source, one.record.sha256, one.record.encoding)):
                raise refused(one.where, f"{one.name} is here already as version {number}")
            made.append((one, self._row(one, source)))
        self._insert(made)

    def _row(self, one: _Read, source: UUID) -> SourceVersion:
        row = SourceVersion(
            source_id=source,
            number=one.record.number,
            snapshot=one.record.snapshot,
            text=one.text,
            **one.columns(),
        )
        self._intake.keep(one.record, row.pk, new=True)
        return row

    def _insert(self, made: list[tuple[_Read, SourceVersion]]) -> None:
        copy_rows([row for _, row in made])
        copy_rows(
            [
                Clearance(version_id=row.pk, reader_class_id=to)
                for one, row in made
                for to in {self._classes[key].pk for key in one.record.reader_classes}
            ]
        )
        Invalidation.objects.bulk_create(
            _invalidation(one.record.invalidation, row)
            for one, row in made
            if one.record.invalidation
        )

    def _invalidate_known(self, one: _Read, row: SourceVersion) -> None:
        """A withdrawal that is only in the file is recorded; one that is here stays."""
        given = one.record.invalidation
        known = getattr(row, "invalidation", None)
        if given is None or (known is not None and known.reason == given.reason):
            return
        if known is None:
            _invalidation(given, row).save()
            return
        message = f"{one.name} was withdrawn here for another reason, which stays"
        self._intake.watch.problem(Problem(one.where, "withdrawn-otherwise", message))

    def _compare_readers(self, one: _Read, readers: frozenset[ReaderClass]) -> None:
        """Who may read what is here already stays; that more may than the file says is told."""
        more = readers - {self._classes[key] for key in one.record.reader_classes}
        if more:
            message = f"{one.name} is open here to {in_words(more)} too, which stays"
            self._intake.watch.problem(Problem(one.where, "open-to-more", message))

    def _store_spans(self) -> None:
        """Spans of new versions are new; others may stand here already."""
        ids = self._intake.ids[bundle.Version]
        fresh, others = [], []
        for read, one in self._spans:
            row = _row(ids[one.version], read, one)
            if row.version_id in self._known:
                others.append((one, row))
            else:
                fresh.append(row)
                self._intake.keep(one, row.pk, new=True)
        copy_rows(fresh)
        before = self._places_here({row.version_id for _, row in others})
        found = add_spans(row for _, row in others)
        for one, row in others:
            place = (row.version_id, row.start, row.end)
            self._intake.keep(one, found[place], new=place not in before)

    def _places_here(self, versions: set[UUID]) -> set[Place]:
        spans = Span.objects.filter(version__in=versions)
        return set(spans.values_list("version", "start", "end"))


def _text(where: str, one: bundle.Version) -> str:
    try:
        return decode(one.snapshot, one.media_type, one.encoding)
    except Refused as error:
        raise refused(where, str(error).removesuffix(".")) from error


def _row(version: UUID, read: _Read, one: bundle.Span) -> Span:
    """The parser compared words, bytes and digest with the text; the database does so again."""
    return Span(
        version_id=version,
        start=one.start,
        end=one.end,
        byte_start=one.byte_start,
        byte_end=one.byte_end,
        exact=one.exact,
        prefix=read.text[max(0, one.start - CONTEXT) : one.start],
        suffix=read.text[one.end : one.end + CONTEXT],
        sha256=one.sha256,
    )


def _invalidation(given: bundle.Invalidation, row: SourceVersion) -> Invalidation:
    return Invalidation(version=row, at=datetime.fromisoformat(given.at), reason=given.reason)
