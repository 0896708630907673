"""Write an annotation version to a file, as far as a reader class may inspect it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from adjudication.management.base import ProjectCommand
from adjudication.projects.actions import PUBLIC
from adjudication.projects.models import Membership, Project
from adjudication.releases.actions import export_for
from adjudication.releases.exports import write_file
from adjudication.releases.queries import reader_class_named, version_numbered


class Command(ProjectCommand):
    help = "Write an annotation version to a file of JSON lines."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        # Here --version names an annotation version, not that of the framework.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--version", dest="number", type=int, required=True, metavar="N")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        parser.add_argument("--reader-class", default=PUBLIC, metavar="KEY")

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        version = version_numbered(project, options["number"])
        reader_class = reader_class_named(project, options["reader_class"])
        lines = export_for(version, reader_class, actor=by.user if by else None)
        written = write_file(options["out"], lines)
        self.say(
            f"{'Wrote' if written else 'Already there, with the same bytes:'} {options['out']}"
            f" ({version.project.slug}, {version}, reader class {reader_class.key})."
        )
        self.say(f"Digest of the version: {version.sha256}")
