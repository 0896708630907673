"""What a bundle is made from, for whom, and how its records are called in it.

A key is made from what identifies its record, and from nothing that is hidden, so that two
bundles of one project call the same things alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Collate

from adjudication.claims.models import Claim, Question
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.corpus.queries import versions_in
from adjudication.projects.models import Project, ReaderClass
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import eligible_versions
from certify_core.canonical import digest

CHUNK = 200  # questions or outputs in memory at a time
BATCH = 8 * 2**20  # bytes of versions in memory at a time


@dataclass(frozen=True, slots=True)
class Scope:
    """A project, or the evidence universe of a frozen specification, for one reader class."""

    project: Project
    reader_class: ReaderClass
    specification: Specification | None = None

    @property
    def versions(self) -> QuerySet[SourceVersion]:
        if self.specification is not None:
            return eligible_versions(self.specification)
        return versions_in(self.project)


def by_identity(rows: QuerySet[Any], path: str = "") -> QuerySet[Any]:
    """In the order of origin and key as code points, which is the same in every database."""
    return rows.order_by(Collate(f"{path}origin", "C"), Collate(f"{path}key", "C"))


def source_key(source: Source) -> str:
    return _short(source.origin, source.key)


def version_key(version: SourceVersion) -> str:
    return f"{source_key(version.source)}.{version.number}"


def span_key(span: Span) -> str:
    return f"{version_key(span.version)}:{span.start}-{span.end}"


def question_key(question: Question) -> str:
    return _short(question.origin, question.key)


def claim_key(claim: Claim, question: Question) -> str:
    return f"{question_key(question)}.{_short(claim.text, claim.value)}"


def output_key(run: str, key: str) -> str:
    return f"{run}.{_short(key)}"


def _short(*parts: str) -> str:
    """80 bits of a digest: enough for any corpus, and short enough to read."""
    return digest(list(parts))[:20]
