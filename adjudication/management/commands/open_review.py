"""`manage.py open_review`: put proposed evidence sets under review."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from adjudication.claims.models import EvidenceSet
from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from adjudication.review import actions, queries
from adjudication.specifications.queries import current_or_refuse


class Command(ProjectCommand):
    help = "Open the proposed evidence sets of a project for review."
    by_roles = (Role.LEAD,)
    by_required = True

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--origin",
            action="append",
            choices=EvidenceSet.Origin.values,
            help="open sets of this origin only; may be given several times",
        )

        parser.add_argument(
            "--eligible-only",
            action="store_true",
            help="without sets that have a member in a version which does not count",
        )

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        assert by is not None
        specification = current_or_refuse(project)
        origins = options["origin"] or EvidenceSet.Origin.values
        sets = queries.awaiting_opening(specification, origins)
        if options["eligible_only"]:
            sets = sets.exclude(queries.reaching_outside(specification))
        opened = actions.open_items(specification, sets, by=by)
        self.say(opened.in_words())
        self.say(f"Sets under review in all: {queries.state_counts(specification).whole}.")
