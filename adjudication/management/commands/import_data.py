"""`manage.py import_data PROJECT PATH --format musique|hotpotqa|2wiki|passages`."""

from argparse import ArgumentParser
from io import BytesIO
from pathlib import Path
from typing import Any

from django.utils import timezone

from adjudication.errors import Refused
from adjudication.imports.actions import import_file
from adjudication.imports.formats import FORMATS, format_named
from adjudication.imports.reports import Collected, Options, Report
from adjudication.management.base import ProjectCommand
from adjudication.projects.actions import PUBLIC
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.queries import reader_classes_named
from certify_core.canonical import sha256_hex


class Command(ProjectCommand):
    help = "Import a data set's file: all of it or nothing. The same file twice changes nothing."
    by_roles = (Role.LEAD,)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="the file")
        parser.add_argument("--format", required=True, choices=sorted(FORMATS), dest="dialect")
        parser.add_argument(
            "--reader-class",
            nargs="+",
            default=[PUBLIC],
            metavar="KEY",
            dest="classes",
            help=f"who may inspect the sources; {PUBLIC} if left out",
        )
        parser.add_argument("--licence", default="", help="kept with every source")

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        data = _content(options["path"])
        watch = Collected()
        report = import_file(
            project,
            format_named(options["dialect"]),
            BytesIO(data),
            Options(
                observed_at=timezone.now(),
                reader_classes=reader_classes_named(project, options["classes"]),
                licence=options["licence"],
                actor=by.user if by else None,
            ),
            watch,
            sha256=sha256_hex(data),
        )
        self._show(report, watch)

    def _show(self, report: Report, watch: Collected) -> None:
        for count in report.counts:
            self.say(f"{count.what}: {count.new} new, {count.known} already there")
        for problem in watch.problems:
            self.say(f"not used ({problem.code}): {problem.where}: {problem.message}")
        if not report.changes:
            self.say("Nothing changed: all of this file is here already.")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from error
