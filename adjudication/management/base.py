"""What every command shares: a refusal is one plain line and a failing exit code."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import ProgrammingError
from psycopg.errors import UndefinedTable

from adjudication.errors import Refused
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.queries import check_role, member_named, project_named


def in_one_line(error: ValidationError) -> str:
    """What does not validate, each message after the name of its field."""
    if not hasattr(error, "error_dict"):
        return " ".join(error.messages)
    named = error.message_dict.items()
    return " ".join(f"{field}: {' '.join(messages)}" for field, messages in named)


class PlainCommand(BaseCommand):
    """A command that calls actions. Write ``act``; what it refuses becomes a CommandError."""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.act(**options)
        except Refused as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            raise CommandError(in_one_line(error)) from error
        except ProgrammingError as error:
            if not isinstance(error.__cause__, UndefinedTable):
                raise
            raise CommandError(
                "The tables are not there yet. Start the program once (make run), or make them: "
                "manage.py migrate."
            ) from error

    def act(self, **options: Any) -> None:
        raise NotImplementedError

    def say(self, line: str) -> None:
        self.stdout.write(line)


class ProjectCommand(PlainCommand):
    """A command within one project: ``manage.py NAME PROJECT [--by USERNAME]``.

    Write ``act_in(project, by, **options)``, and ``add_own_arguments`` where it takes more.
    """

    by_roles: ClassVar[tuple[Role, ...]] = ()
    """The person named by ``--by`` needs one of these; none means every member will do."""

    by_required: ClassVar[bool] = False
    """Whether the act is a person's own, which the system cannot do by itself."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="short name of the project")
        parser.add_argument(
            "--by",
            metavar="USERNAME",
            required=self.by_required,
            help="the member who does this"
            + ("" if self.by_required else "; the system by itself if left out"),
        )
        self.add_own_arguments(parser)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        """Nothing more, unless a command says so."""

    def act(self, **options: Any) -> None:
        project = project_named(options.pop("project"))
        username: str | None = options.pop("by")
        by = member_named(project, username) if username else None
        if by is not None and self.by_roles:
            check_role(by, *self.by_roles)
        self.act_in(project, by, **options)

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        raise NotImplementedError
