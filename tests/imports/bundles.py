"""Bundles in and out of projects, for tests."""

from __future__ import annotations

from io import BytesIO

from django.utils import timezone

from adjudication.imports.actions import import_file
from adjudication.imports.bundle.export import bundle_lines
from adjudication.imports.bundle.scope import Scope
from adjudication.imports.formats import FORMATS
from adjudication.imports.reports import Collected, Options, Report
from adjudication.projects.models import Project
from adjudication.specifications.models import Specification
from certify_core.canonical import sha256_hex
from certify_core.datasets.records import Problem


def take_in(project: Project, data: bytes, name: str = "bundle") -> tuple[Report, list[Problem]]:
    """Import a file of the format ``name``, its sources open to the class public."""
    watch = Collected()
    options = Options(timezone.now(), list(project.reader_classes.filter(key="public")))
    report = import_file(
        project, FORMATS[name], BytesIO(data), options, watch, sha256=sha256_hex(data)
    )
    return report, watch.problems


def look_at(project: Project, data: bytes, name: str = "bundle") -> tuple[Report, list[Problem]]:
    watch = Collected()
    return FORMATS[name].check(project, BytesIO(data), watch), watch.problems


def bundle_of(
    project: Project, to: str = "public", specification: Specification | None = None
) -> bytes:
    reader_class = project.reader_classes.get(key=to)
    return b"".join(bundle_lines(Scope(project, reader_class, specification), actor=None))


def counts(report: Report) -> dict[str, tuple[int, int]]:
    return {count.what: (count.new, count.known) for count in report.counts}
