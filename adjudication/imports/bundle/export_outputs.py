"""What systems answered, in a bundle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Collate

from adjudication.corpus.bulk import chunks
from adjudication.corpus.clearance import openings_of
from adjudication.corpus.models import SourceVersion
from adjudication.imports.bundle.export_claims import GONE, readable_claims
from adjudication.imports.bundle.export_corpus import withheld
from adjudication.imports.bundle.scope import (
    CHUNK,
    Scope,
    claim_key,
    output_key,
    question_key,
    span_key,
    version_key,
)
from adjudication.projects.models import ReaderClass
from adjudication.scoring.models import Citation, Output, OutputClaim, PlaceOf, Retrieved, SystemRun
from certify_core.datasets import bundle

P = TypeVar("P", bound=PlaceOf)


def output_records(scope: Scope) -> Iterator[bundle.Record]:
    """Each run with its outputs; then those that rest on what the class may not read."""
    for run in SystemRun.objects.filter(project=scope.project).order_by("key"):
        yield bundle.SystemRun(run.key, run.system, run.note)
        outputs = run.outputs.select_related("question")
        closed: list[UUID] = []
        in_order = outputs.order_by(Collate("key", "C"))
        for chunk in chunks(in_order.iterator(chunk_size=CHUNK), CHUNK):
            material = _Material(scope, chunk)
            for output in chunk:
                if not material.inside(output):
                    continue
                if scope.reader_class in material.readers(output):
                    yield from material.records(run, output)
                else:
                    closed.append(output.pk)
        # In the order of random ids: that of their own keys would tell something of these.
        for pks in chunks(sorted(closed), CHUNK):
            material = _Material(scope, list(outputs.filter(pk__in=pks).order_by("pk")))
            for output in material.outputs:
                yield withheld("output", output.pk, run.key, material.readers(output))


class _Material:
    """What belongs to a few outputs, loaded in a few queries."""

    def __init__(self, scope: Scope, outputs: Sequence[Output]) -> None:
        self.outputs = outputs
        self._retrieved: dict[UUID, list[Retrieved]] = defaultdict(list)
        for place in _with_places(Retrieved.objects.filter(output__in=outputs)):
            self._retrieved[place.output_id].append(place)
        self._claims: dict[UUID, list[OutputClaim]] = defaultdict(list)
        claims = OutputClaim.objects.filter(output__in=outputs).select_related("claim__decision")
        for claim in claims.order_by("ordinal"):
            self._claims[claim.output_id].append(claim)
        self._citations: dict[UUID, list[Citation]] = defaultdict(list)
        cited = Citation.objects.filter(output_claim__output__in=outputs)
        for citation in _with_places(cited):
            self._citations[citation.output_claim_id].append(citation)
        versions = {_version(place).pk for one in outputs for place in self._places(one)}
        self._inside = set(scope.versions.filter(pk__in=versions).values_list("pk", flat=True))
        self._openings = openings_of(versions)
        self._classes = set(scope.project.reader_classes.all())
        matched = [one.claim_id for of in self._claims.values() for one in of if one.claim_id]
        self._readable = readable_claims(scope, matched)
        self._to = scope.reader_class

    def _places(self, output: Output) -> Iterator[PlaceOf]:
        yield from self._retrieved[output.pk]
        for claim in self._claims[output.pk]:
            yield from self._citations[claim.pk]

    def inside(self, output: Output) -> bool:
        """Whether everything it retrieved and cites lies in the scope."""
        return all(_version(place).pk in self._inside for place in self._places(output))

    def readers(self, output: Output) -> set[ReaderClass]:
        """The classes that may read all that the output rests on, and so the output."""
        readers = set(self._classes)
        for place in self._places(output):
            readers &= self._openings[_version(place).pk].whole
        if any(self._hides(one) for one in self._claims[output.pk]):
            readers.discard(self._to)
        return readers

    def _hides(self, one: OutputClaim) -> bool:
        """Whether it says the same as a claim whose words the class may not read."""
        return one.claim_id is not None and one.claim_id not in self._readable

    def records(self, run: SystemRun, output: Output) -> Iterator[bundle.Record]:
        key = output_key(run.key, output.key)
        retrieved = tuple(map(_place, self._retrieved[output.pk]))
        question = question_key(output.question)
        yield bundle.Output(key, run.key, output.key, question, output.text, retrieved)
        for one in self._claims[output.pk]:
            own = f"{key}.{one.ordinal}"
            matched = _matched(one, output)
            yield bundle.OutputClaim(own, key, one.text, one.start, one.end, matched)
            for order, citation in enumerate(self._citations[one.pk], start=1):
                place = _place(citation)
                yield bundle.Citation(own, order, place.span, place.version)


def _matched(one: OutputClaim, output: Output) -> str | None:
    """The key of the claim it is matched with, unless that was merged or refused since."""
    if one.claim is None:
        return None
    decision = getattr(one.claim, "decision", None)
    if decision is not None and decision.decision in GONE:
        return None
    return claim_key(one.claim, output.question)


def _with_places(places: QuerySet[P]) -> QuerySet[P]:
    """In order, each with the source of its span or version, and without the texts."""
    texts = [f"{path}version__{name}" for path in ("", "span__") for name in ("snapshot", "text")]
    loaded = places.select_related("span__version__source", "version__source")
    return loaded.defer(*texts).order_by("ordinal")


def _version(place: PlaceOf) -> SourceVersion:
    version = place.span.version if place.span else place.version
    assert version is not None, "the database keeps one of the two"
    return version


def _place(place: PlaceOf) -> bundle.Place:
    if place.span is not None:
        return bundle.Place(span_key(place.span), None)
    return bundle.Place(None, version_key(_version(place)))
