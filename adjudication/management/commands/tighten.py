"""`manage.py tighten PROJECT VERSION --reader-class public --reason WHY --by LEAD [--span ID]`."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from adjudication.corpus.clearing import tighten
from adjudication.corpus.queries import span_named, version_named
from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.queries import reader_classes_named


class Command(ProjectCommand):
    help = "Close a source version, or one span of it, to reader classes. Never taken back."
    by_roles = (Role.LEAD,)
    by_required = True

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", type=UUID, help="id of the version")
        parser.add_argument(
            "--reader-class",
            nargs="+",
            required=True,
            metavar="KEY",
            dest="classes",
            help="who may no longer read it",
        )
        parser.add_argument("--span", type=UUID, help="only this span of it, by id")
        parser.add_argument("--reason", required=True, help="whoever opens the version reads it")

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        assert by is not None
        version = version_named(by, options["version"])
        span = span_named(by, version, options["span"]) if options["span"] else None
        classes = reader_classes_named(project, options["classes"])
        made = tighten(version, span, classes, reason=options["reason"], by=by)
        what = f"characters {span.start}–{span.end} of {version}" if span else str(version)
        self.say(f"Closed {what} to {', '.join(str(one.reader_class) for one in made)}.")
