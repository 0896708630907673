"""The records behind the checks of ``admissibility``, read for many premises at once."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC
from uuid import UUID

from django.db.models import QuerySet

from adjudication.claims.models import Claim, PremiseNote
from adjudication.corpus.clearance import Openings, openings_of
from adjudication.corpus.models import Invalidation, Span
from adjudication.projects.models import ReaderClass
from adjudication.specifications.admissibility import Checks, OnRecord, check
from adjudication.specifications.models import EligibleVersion, Specification
from adjudication.statements import Statement


def checks_of(
    specification: Specification,
    claim: Claim,
    spans: Collection[Span],
    notes: QuerySet[PremiseNote],
) -> dict[UUID, Checks]:
    """What can be looked up about each of these premises of ``claim``, by its span.

    The caller gives only spans (with their versions) and premise ``notes`` that the person
    who reads the checks may know. The number of queries does not depend on how many.
    """
    versions = {span.version_id for span in spans}
    eligible = set(_ELIGIBLE(specification.pk, tuple(versions)))
    openings = openings_of(versions)
    classes = _CLASSES(specification.pk)
    withdrawn = _withdrawn(versions)
    disputed = _disputed(notes.filter(version__in=versions))

    def premise(span: Span) -> OnRecord:
        version = span.version
        readers, barred = _cleared(openings[version.pk], span, classes)
        return OnRecord(
            eligible=version.pk in eligible,
            observed=version.observed,
            cutoff=specification.observation_cutoff.astimezone(UTC),
            effective_from=version.effective_from,
            effective_to=version.effective_to,
            applies_at=claim.applicable_time,
            readers=readers,
            barred=barred,
            withdrawn=withdrawn.get(version.pk, ""),
            published=version.published,
            licence=version.licence,
            authority=version.authority,
            disputed=version.pk in disputed,
        )

    return {span.pk: check(premise(span), specification.source_policy) for span in spans}


def _cleared(
    openings: Openings, span: Span, classes: list[ReaderClass]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    may = openings.readers(span.start, span.end)
    return (
        tuple(one.title for one in classes if one in may),
        tuple(one.title for one in classes if one not in may),
    )


def _withdrawn(versions: Collection[UUID]) -> dict[UUID, str]:
    return {
        one.version_id: f"{one.at.astimezone(UTC):%Y-%m-%d}"
        for one in _INVALIDATIONS(tuple(versions))
    }


_ELIGIBLE = Statement(
    lambda specification, versions: EligibleVersion.objects.filter(
        specification=specification, version__in=versions
    ).values_list("version", flat=True)
)
_CLASSES = Statement(
    lambda specification: ReaderClass.objects.filter(
        pk__in=Specification.reader_classes.through.objects.filter(
            specification=specification
        ).values("readerclass")
    ).order_by("title")
)
_INVALIDATIONS = Statement(lambda versions: Invalidation.objects.filter(version__in=versions))


def _disputed(notes: QuerySet[PremiseNote]) -> set[UUID]:
    """The versions whose last note leaves a dispute open: a later note can close it."""
    last = {one.version_id: one for one in notes.order_by("at", "id")}
    return {version for version, note in last.items() if note.open_dispute}
