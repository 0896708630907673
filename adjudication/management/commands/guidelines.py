"""`manage.py guidelines`: read the guidelines of a project, or put a new version in force."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from adjudication.errors import Refused
from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from adjudication.review import actions, queries


class Command(ProjectCommand):
    help = "Show the guidelines in force, or put the text of a file in force in their place."
    by_roles = (Role.LEAD,)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--file", type=Path, help="Markdown in UTF-8; needs --by and --reason")
        parser.add_argument("--reason", default="", help="why they change; it stays with them")

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        if options["file"]:
            self._publish(by, options["file"], options["reason"])
            return
        latest = queries.guidelines_in_force(project)
        self.say(latest.text if latest else "No guidelines are in force.")

    def _publish(self, by: Membership | None, path: Path, reason: str) -> None:
        if by is None:
            raise Refused("Say who changes them: --by USERNAME.")
        try:
            text = path.read_text(encoding="utf-8").strip("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(f"{path} cannot be read as UTF-8: {error}") from error
        made = actions.publish_guidelines(by, text, reason=reason)
        self.say(f"Version {made.number} of the guidelines is in force.")
