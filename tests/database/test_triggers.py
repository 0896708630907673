"""Rules that hold in the database, whatever code path tries to get around them."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from adjudication.corpus.actions import cut_span
from adjudication.corpus.models import SourceVersion
from adjudication.projects.models import Project
from tests.factories import OBSERVED, make_version


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("exact", "cedar"),
        ("start", 1),
        ("byte_start", 1),
        ("sha256", "0" * 64),
    ],
)
def test_span_that_is_not_where_it_says_cannot_be_stored(
    project: Project, field: str, value: object
) -> None:
    """Words, code points, bytes and digest of a span must agree with its version."""
    version = make_version(project, "🧪 Cedar\nR17")
    span = cut_span(version.pk, version.text, 0, 7)
    setattr(span, field, value)
    with pytest.raises(IntegrityError), transaction.atomic():
        span.save()


def test_span_after_an_emoji_counts_code_points(project: Project) -> None:
    """Offsets are code points, not UTF-16 units or bytes."""
    version = make_version(project, "🧪 Larkspur owns vat 9")
    span = cut_span(version.pk, version.text, 16, 21)
    span.save()
    assert (span.exact, span.byte_start, span.byte_end) == ("vat 9", 19, 24)


def test_version_with_another_digest_cannot_be_stored(project: Project) -> None:
    """A version's digest is that of its bytes."""
    source = make_version(project).source
    with pytest.raises(IntegrityError), transaction.atomic():
        SourceVersion.objects.create(
            source=source,
            number=2,
            snapshot=b"other",
            sha256="0" * 64,
            media_type="text/plain",
            text="other",
            observed_at=OBSERVED,
        )
