"""`manage.py carry_over PROJECT`: take earlier verdicts into the specification in force."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.template.defaultfilters import pluralize

from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from adjudication.review.actions import carry_over
from adjudication.review.queries import Fate, earlier_numbered, preview
from adjudication.specifications.queries import current_or_refuse


class Command(ProjectCommand):
    help = (
        "Carry verdicts of an earlier specification over into the one in force: those whose "
        "versions, claim and rules still hold. What is not taken is counted with the reason."
    )
    by_roles = (Role.LEAD,)
    by_required = True

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--from", dest="number", type=int, metavar="N", help="by default the one before"
        )
        parser.add_argument("--reason", default="", help="stays with the verdicts")
        parser.add_argument("--dry-run", action="store_true", help="only count, change nothing")

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        assert by is not None, "required by the parser"
        later = current_or_refuse(project)
        earlier = earlier_numbered(later, options["number"])
        shown = preview(earlier, later)
        if not options["dry_run"]:
            made = carry_over(earlier, later, by=by, reason=options["reason"])
            count = made.verdicts.count()
            self.say(
                f"Carried over from specification {earlier.number} into {later.number}: "
                f"{count} verdict{pluralize(count)}."
            )
        for fate, count in shown.lines:
            taken = "Would be carried over" if fate is Fate.TAKEN else f"Not taken, {fate.label}"
            if options["dry_run"] or fate is not Fate.TAKEN:
                self.say(f"{taken}: {count}")
