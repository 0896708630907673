"""A small released version, and one with hidden members."""

from __future__ import annotations

import pytest

from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from adjudication.releases.exports import export_lines
from adjudication.releases.models import AnnotationVersion
from tests.conftest import Cast
from tests.kept import kept
from tests.releases.decided import decided_set, released


@kept
def version(project: Project, cast: Cast) -> AnnotationVersion:
    """Two accepted sets and one that an adjudicator rejected."""
    for _ in range(2):
        decided_set(project, [cast.rosa, cast.rui])
    decided_set(project, [cast.rosa, cast.rui], accepted=False, by=cast.adjudicator)
    return released(project, cast.lead, cast.adjudicator)


@kept
def export(version: AnnotationVersion) -> bytes:
    return b"".join(export_lines(version, "public"))


@pytest.fixture
def staff(project: Project) -> str:
    """A second reader class, which nobody of the cast holds."""
    return add_reader_class(project, key="staff", title="Staff", actor=None).key
