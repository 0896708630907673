"""`manage.py open_version PROJECT VERSION --reader-class staff --reason WHY --by LEAD`."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from adjudication.corpus.clearing import open_to
from adjudication.corpus.queries import version_named
from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.queries import reader_classes_named


class Command(ProjectCommand):
    help = "Open a source version to one more reader class, but for what is closed to it."
    by_roles = (Role.LEAD,)
    by_required = True

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", type=UUID, help="id of the version")
        parser.add_argument(
            "--reader-class", dest="key", required=True, metavar="KEY", help="who may read it then"
        )
        parser.add_argument("--reason", required=True, help="whoever opens the version reads it")

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        assert by is not None
        version = version_named(by, options["version"])
        (one,) = reader_classes_named(project, [options["key"]])
        open_to(version, one, reason=options["reason"], by=by)
        self.say(f"Opened {version} to {one}.")
