"""`manage.py export_bundle PROJECT FILE --reader-class public [--specification N]`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from adjudication.errors import Refused
from adjudication.imports.bundle.export import bundle_lines
from adjudication.imports.bundle.scope import Scope
from adjudication.management.base import ProjectCommand
from adjudication.projects.actions import PUBLIC
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.queries import reader_classes_named
from adjudication.releases.exports import write_file
from adjudication.specifications.models import Specification


class Command(ProjectCommand):
    help = "Write a project's evidence to one file, as far as a reader class may inspect it."
    by_roles = (Role.LEAD,)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="FILE")
        parser.add_argument("--reader-class", default=PUBLIC, metavar="KEY")
        parser.add_argument(
            "--specification",
            type=int,
            metavar="N",
            help="only the versions that are eligible under it, and what rests on them",
        )

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        (reader_class,) = reader_classes_named(project, [options["reader_class"]])
        specification = _specification(project, options["specification"])
        scope = Scope(project, reader_class, specification)
        written = write_file(options["path"], bundle_lines(scope, actor=by.user if by else None))
        self.say(
            f"{'Wrote' if written else 'Already there, with the same bytes:'} {options['path']}"
            f" ({project.slug}, reader class {reader_class.key})."
        )


def _specification(project: Project, number: int | None) -> Specification | None:
    if number is None:
        return None
    frozen = Specification.objects.filter(project=project, state=Specification.State.FROZEN)
    found = frozen.filter(number=number).first()
    if found is None:
        raise Refused(f"{project.slug!r} has no frozen specification {number}.")
    return found
