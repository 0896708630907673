"""Release what is decided as the next annotation version, in the name of two people."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project
from adjudication.projects.queries import member_named
from adjudication.releases.actions import release
from adjudication.releases.queries import changes_in
from adjudication.releases.sealing import body_from
from adjudication.specifications.queries import current_or_refuse


class Command(ProjectCommand):
    help = "Release every decided evidence set as the next annotation version."
    by_required = True

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--approved-by",
            metavar="USERNAME",
            required=True,
            help="another lead, or an adjudicator, who approves the release",
        )

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        assert by is not None, "--by is required"
        approver = member_named(project, options["approved_by"])
        version = release(current_or_refuse(project), requested_by=by, approved_by=approver)
        counts, changes = body_from(version.body)["shown"]["counts"], changes_in(version)
        self.say(
            f"Released {project.slug}, annotation version {version.number}: "
            f"{counts['accepted']} accepted, {counts['rejected']} rejected, "
            f"{counts['awaiting']} awaiting a verdict."
        )
        self.say(f"{changes.new} new, {changes.changed} changed, {changes.unchanged} unchanged.")
        self.say(f"Digest of the version: {version.sha256}")
