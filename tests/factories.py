"""Surprise-free makers of test objects, all through the application's own actions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from adjudication.accounts.models import User
from adjudication.claims.actions import open_claim, propose_evidence_set
from adjudication.claims.models import Claim, EvidenceSet, Question
from adjudication.corpus.actions import Capture, capture_version, make_span
from adjudication.corpus.models import SourceVersion, Span
from adjudication.projects.actions import create_project, set_membership
from adjudication.projects.models import Project, ReaderClass, Role
from certify_core.canonical import digest

PASSWORD = "correct horse battery staple"
OBSERVED = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
_numbers = itertools.count(1)


def make_user(username: str, **fields: object) -> User:
    return User.objects.create_user(username, PASSWORD, display_name=username.title(), **fields)


def make_project(slug: str = "") -> Project:
    slug = slug or f"project-{next(_numbers)}"
    return create_project(slug=slug, title=slug.title(), lead=None, actor=None)


def add_member(
    project: Project, user: User, *roles: Role, reader_classes: Iterable[str] = ("public",)
) -> None:
    set_membership(project, user, roles=roles, reader_classes=reader_classes, actor=None)


def make_version(
    project: Project,
    text: str = "Cedar\nProject Cedar is mapped to record R17.",
    *,
    key: str = "",
    reader_classes: Sequence[str] = ("public",),
) -> SourceVersion:
    return capture_version(
        project,
        Capture(
            origin="test",
            key=key or f"source-{next(_numbers)}",
            title=text.split("\n", 1)[0],
            snapshot=text.encode(),
            observed_at=OBSERVED,
        ),
        reader_classes=list(ReaderClass.objects.filter(project=project, key__in=reader_classes)),
        actor=None,
    )


def span_of(version: SourceVersion, quotation: str) -> Span:
    start = version.text.index(quotation)
    return make_span(version, start, start + len(quotation), actor=None, quoted=quotation)


def make_question(
    project: Project, text: str = "Who holds the rights to Cedar?", *, key: str = ""
) -> Question:
    key = key or f"question-{next(_numbers)}"
    return Question.objects.create(
        project=project, origin="test", key=key, text=text, sha256=digest({"key": key})
    )


def make_claim(project: Project, value: str = "Entity R") -> Claim:
    return open_claim(
        make_question(project), value=value, origin=Claim.Origin.REFERENCE, author=None
    )


def make_evidence_set(
    claim: Claim, *texts: str, reader_classes: Sequence[str] = ("public",)
) -> EvidenceSet:
    """A set with one whole-body member per text, each in its own source."""
    project = claim.question.project
    texts = texts or ("Cedar is mapped to record R17.", "Entity R holds the rights to R17.")
    spans = [
        span_of(make_version(project, f"Title\n{text}", reader_classes=reader_classes), text)
        for text in texts
    ]
    return propose_evidence_set(claim, spans, origin=EvidenceSet.Origin.REFERENCE, author=None)
