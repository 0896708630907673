"""`manage.py adjudicate`: settle a disagreement of reviewers."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.http import Http404

from adjudication.errors import Refused
from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from adjudication.review import actions, queries
from adjudication.review.models import Verdict
from adjudication.specifications.queries import current_or_refuse


class Command(ProjectCommand):
    help = "Decide an item on which the reviewers disagree, or list such items."
    by_roles = (Role.ADJUDICATOR,)
    by_required = True

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--list", action="store_true", help="list the disagreements")
        which.add_argument("--item", type=UUID, help="settle this item")
        parser.add_argument("--decision", choices=Verdict.Decision.values)
        parser.add_argument("--reason", default="", help="it stays with the verdict")

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        assert by is not None
        if options["list"]:
            self._list(project, by)
            return
        if not options["decision"]:
            raise Refused("Say --decision accepted or --decision rejected.")
        try:
            item = queries.item_for(by, options["item"])
        except Http404 as error:
            raise Refused(f"There is no item {options['item']} for this person.") from error
        verdict = actions.adjudicate(item, options["decision"], reason=options["reason"], by=by)
        self.say(f"Item {item.pk} is {verdict.get_decision_display()}: verdict {verdict.pk}.")

    def _list(self, project: Project, by: Membership) -> None:
        items = queries.disputed_items(by, current_or_refuse(project))
        for item in items:
            self.say(f"{item.pk}  round {item.round}  {item.evidence_set.claim}")
        self.say(f"Disagreements to settle: {len(items)}.")
