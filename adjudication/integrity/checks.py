"""Hash everything again: for each kind of record with a digest, what differs, in batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Length

from adjudication.claims.models import (
    EvidenceMember,
    EvidenceSet,
    EvidenceSetRule,
    RequirementGraph,
)
from adjudication.claims.rules import route_digest
from adjudication.corpus.bulk import chunks
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.queries import versions_in
from adjudication.corpus.soundness import Damage, as_captured, damage_of, damages_of
from adjudication.projects.models import Project
from adjudication.releases.models import AnnotationVersion, FrozenItem
from adjudication.releases.sealing import body_from, item_digest, version_digest
from adjudication.runs.models import Run
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import corpus_digest
from adjudication.specifications.rules import settings_of
from certify_core.canonical import canonical_bytes, digest, sha256_hex
from certify_core.errors import InvalidJson

ROWS = 500  # in memory at once
BYTES = 16 * 2**20  # of snapshots in memory at once; a larger one is read alone


@dataclass(frozen=True, slots=True)
class Differs:
    """A record that differs. ``place`` says where it is, without words of evidence."""

    kind: str
    object_id: UUID
    place: str
    damage: Damage
    version_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Some records that were hashed again, and those of them that differ."""

    checked: int
    differs: list[Differs]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of record: how many a project has, and how they are looked at."""

    name: str
    rows: Callable[[Project], QuerySet[Any]]
    look: Callable[[QuerySet[Any]], Iterator[Batch]]

    def count(self, project: Project) -> int:
        return self.rows(project).count()

    def check(self, project: Project) -> Iterator[Batch]:
        return self.look(self.rows(project))


# --- Sources -------------------------------------------------------------------------------------


def _look_at_versions(versions: QuerySet[SourceVersion]) -> Iterator[Batch]:
    for ids in _batches(versions):
        read = SourceVersion.objects.filter(pk__in=ids).order_by("pk")
        found = ((version, damage_of(version)) for version in read)
        differs = [
            Differs("source version", one.pk, _version_place(one), damage, one.pk)
            for one, damage in found
            if damage
        ]
        yield Batch(len(ids), differs)


def _batches(versions: QuerySet[SourceVersion]) -> Iterator[list[UUID]]:
    """Ids of versions, few enough at a time for their bytes to fit into memory."""
    ids: list[UUID] = []
    size = 0
    sizes = versions.order_by("pk").values_list("pk", Length("snapshot"))
    for pk, length in sizes.iterator(chunk_size=10_000):
        if ids and (len(ids) == ROWS or size + length > BYTES):
            yield ids
            ids, size = [], 0
        ids.append(pk)
        size += length
    if ids:
        yield ids


def _version_place(version: SourceVersion) -> str:
    return f"version {version.number} of source {version.source_id}"


def _look_at_spans(spans: QuerySet[Span]) -> Iterator[Batch]:
    """By version, since each is compared with the text that it is an excerpt of."""
    cited = SourceVersion.objects.filter(pk__in=spans.order_by().values("version"))
    for ids in _batches(cited):
        versions = {
            one.pk: (*as_captured(one), one.encoding)
            for one in SourceVersion.objects.filter(pk__in=ids)
        }
        for chunk in chunks(
            Span.objects.filter(version__in=ids).order_by("pk").iterator(ROWS), ROWS
        ):
            differs = [
                Differs("span", span.pk, _span_place(span), damage, span.version_id)
                for span in chunk
                for damage in damages_of(span, *versions[span.version_id])
            ]
            yield Batch(len(chunk), differs)


def _span_place(span: Span) -> str:
    return f"characters {span.start}–{span.end} of version {span.version_id}"


# --- Questions and routes ------------------------------------------------------------------------


def _look_at_graphs(graphs: QuerySet[RequirementGraph]) -> Iterator[Batch]:
    for chunk in chunks(graphs.order_by("pk").iterator(ROWS), ROWS):
        found = ((one, _compared("body", one.sha256, digest(one.body))) for one in chunk)
        yield Batch(
            len(chunk),
            [
                Differs("requirement graph", one.pk, f"question {one.question_id}", damage)
                for one, damage in found
                if damage
            ],
        )


def _look_at_sets(sets: QuerySet[EvidenceSet]) -> Iterator[Batch]:
    for chunk in chunks(sets.order_by("pk").iterator(ROWS), ROWS):
        members = _grouped(EvidenceMember.objects.filter(evidence_set__in=chunk), "span")
        rules = _grouped(EvidenceSetRule.objects.filter(evidence_set__in=chunk), "rule")
        found = (
            (one, _compared("route", one.sha256, route_digest(members[one.pk], rules[one.pk])))
            for one in chunk
        )
        yield Batch(
            len(chunk),
            [
                Differs("evidence set", one.pk, f"claim {one.claim_id}", damage)
                for one, damage in found
                if damage
            ],
        )


def _grouped(rows: QuerySet[Any], what: str) -> dict[UUID, list[UUID]]:
    of_set: dict[UUID, list[UUID]] = defaultdict(list)
    for set_id, one in rows.order_by().values_list("evidence_set", what):
        of_set[set_id].append(one)
    return of_set


# --- Tests and runs ------------------------------------------------------------------------------


def _look_at_specifications(frozen: QuerySet[Specification]) -> Iterator[Batch]:
    for one in frozen.order_by("number"):
        damages = _damages_of_specification(one)
        place = f"specification {one.number}"
        yield Batch(1, [Differs("specification", one.pk, place, damage) for damage in damages])


def _damages_of_specification(one: Specification) -> Iterator[Damage]:
    if damage := _compared("body", one.sha256, sha256_hex(one.body.encode())):
        yield damage
    else:
        yield from _damaged_settings(one, body_from(one.body))
    if damage := _compared("corpus", one.corpus_sha256, corpus_digest(one)):
        yield damage


def _damaged_settings(one: Specification, body: dict[str, Any]) -> Iterator[Damage]:
    """Settings beside the body that do not say what it says; later ones are not in it."""
    for name, value in settings_of(one).items():
        if name in body and (damage := _compared(name, digest(body[name]), digest(value))):
            yield damage


def _look_at_runs(runs: QuerySet[Run]) -> Iterator[Batch]:
    for one in runs.select_related("specification").order_by("number"):
        settings = {"configuration": one.configuration, "specification": one.specification.sha256}
        damage = _compared("configuration", one.sha256, digest(settings))
        place = f"run {one.number}"
        yield Batch(1, [Differs("run", one.pk, place, damage)] if damage else [])


# --- Releases ------------------------------------------------------------------------------------


def _look_at_items(items: QuerySet[FrozenItem]) -> Iterator[Batch]:
    rows = items.select_related("annotation_version").order_by("annotation_version", "ordinal")
    for chunk in chunks(rows.iterator(ROWS), ROWS):
        found = ((one, _damage_of_item(one)) for one in chunk)
        yield Batch(
            len(chunk),
            [
                Differs(
                    "released item",
                    one.pk,
                    f"item {one.ordinal} of {one.annotation_version}",
                    damage,
                )
                for one, damage in found
                if damage
            ],
        )


def _damage_of_item(item: FrozenItem) -> Damage | None:
    key = item.annotation_version.key
    return _compared("body", item.sha256, _sealed(item.body, lambda body: item_digest(body, key)))


def _look_at_versions_released(versions: QuerySet[AnnotationVersion]) -> Iterator[Batch]:
    """Each with the digests of its items as they are stored; the items are checked apart."""
    for one in versions.order_by("number"):
        items = list(one.items.order_by("ordinal").values_list("sha256", flat=True))
        found = _sealed(one.body, _head_digest(one, items))
        damage = _compared("head and items", one.sha256, found)
        yield Batch(1, [Differs("annotation version", one.pk, str(one), damage)] if damage else [])


def _head_digest(one: AnnotationVersion, items: list[str]) -> Callable[[dict[str, Any]], str]:
    return lambda body: version_digest(body, one.key, items)


def _sealed(text: str, digest_of: Callable[[dict[str, Any]], str]) -> str:
    """The digest of a stored body, or words where it is no body any more."""
    try:
        body = body_from(text)
        if canonical_bytes(body) != text.encode():
            return "not in canonical form"
        return digest_of(body)
    except (InvalidJson, KeyError, TypeError, ValueError, AttributeError):
        return "not readable"


# --- Everything ----------------------------------------------------------------------------------


KINDS: Sequence[Kind] = (
    Kind("source versions", versions_in, _look_at_versions),
    Kind(
        "spans",
        lambda project: Span.objects.filter(version__source__project=project),
        _look_at_spans,
    ),
    Kind(
        "requirement graphs",
        lambda project: RequirementGraph.objects.filter(question__project=project),
        _look_at_graphs,
    ),
    Kind(
        "evidence sets",
        lambda project: EvidenceSet.objects.filter(claim__question__project=project),
        _look_at_sets,
    ),
    Kind(
        "specifications",
        lambda project: Specification.objects.filter(
            project=project, state=Specification.State.FROZEN
        ),
        _look_at_specifications,
    ),
    Kind("runs", lambda project: Run.objects.filter(project=project), _look_at_runs),
    Kind(
        "released items",
        lambda project: FrozenItem.objects.filter(annotation_version__project=project),
        _look_at_items,
    ),
    Kind(
        "annotation versions",
        lambda project: AnnotationVersion.objects.filter(project=project),
        _look_at_versions_released,
    ),
)
"""Every kind of record that has a digest, in the order of the data's way."""


def _compared(part: str, stored: str, found: str) -> Damage | None:
    return None if stored == found else Damage(part, stored, found)
