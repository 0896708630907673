"""`manage.py set_member PROJECT USERNAME --roles lead,reviewer [--classes public]`."""

from argparse import ArgumentParser
from typing import Any

from adjudication.errors import Refused
from adjudication.management.base import ProjectCommand
from adjudication.projects.actions import PUBLIC, set_membership
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.queries import person_named


def listed(text: str) -> list[str]:
    """The words of a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


class Command(ProjectCommand):
    help = "Give a person exactly these roles and clearances in a project."
    by_roles = (Role.LEAD,)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="whom")
        parser.add_argument(
            "--roles",
            type=listed,
            required=True,
            help=f"with commas between them: {', '.join(Role.values)}",
        )
        parser.add_argument(
            "--classes",
            type=listed,
            default=[PUBLIC],
            help="reader classes they are cleared for, with commas between them (public)",
        )

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        person, roles = person_named(options["username"]), options["roles"]
        if unknown := sorted(set(roles) - set(Role.values)):
            raise Refused(
                f"No role is called {', '.join(unknown)}. Roles: {', '.join(Role.values)}."
            )
        made = set_membership(
            project,
            person,
            roles=roles,
            reader_classes=options["classes"],
            actor=by.user if by else None,
        )
        classes = ", ".join(sorted(set(options["classes"]))) or "nothing"
        self.say(f"{person} is {', '.join(made.roles)} in {project.slug}, cleared for {classes}.")
