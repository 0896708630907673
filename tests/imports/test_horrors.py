"""Every horror goes out in a bundle and comes back with the same bytes and offsets."""

from __future__ import annotations

from typing import Any

import pytest

from adjudication.corpus.actions import Capture, capture_version, make_span
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.times import Precision
from adjudication.projects.models import Project
from tests.factories import OBSERVED, make_project
from tests.horrors import HORRORS
from tests.imports.bundles import bundle_of, take_in

pytestmark = pytest.mark.django_db


def contents(project: Project) -> set[tuple[Any, ...]]:
    """Every version and span of a project, to the byte."""
    of_project = {"source__project": project}
    versions = SourceVersion.objects.filter(**of_project)
    spans = Span.objects.filter(version__source__project=project)
    return {
        (
            *(one.source.title, bytes(one.snapshot), one.sha256, one.text, one.encoding),
            *(one.media_type, one.observed_at, one.observed_precision, one.published),
        )
        for one in versions.select_related("source")
    } | {
        (
            *(one.version.sha256, one.start, one.end, one.byte_start, one.byte_end),
            *(one.exact, one.prefix, one.suffix, one.sha256),
        )
        for one in spans.select_related("version")
    }


def test_horrors_come_back_as_they_were(project: Project) -> None:
    """Other encodings and coarse times of capture included; a second round changes nothing."""
    precisions = list(Precision)
    for number, horror in enumerate(HORRORS):
        version = capture_version(
            project,
            Capture(
                origin="horrors",
                key=horror.key,
                title=horror.name,
                snapshot=horror.data,
                encoding=horror.encoding,
                media_type="text/markdown" if number % 3 == 0 else "text/plain",
                observed_at=OBSERVED,
                observed_precision=precisions[number % len(precisions)],
            ),
            reader_classes=list(project.reader_classes.all()),
            actor=None,
        )
        for start, end in horror.places:
            make_span(version, start, end, actor=None)
    out = bundle_of(project)
    other = make_project("other-study")
    for _ in range(2):
        _, problems = take_in(other, out)
        assert problems == []
        assert contents(other) == contents(project)
    # The first line names the project; every other is the same.
    assert bundle_of(other).split(b"\n")[1:] == out.split(b"\n")[1:]
