"""`manage.py freeze PROJECT`: fix the test and its evidence universe."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from adjudication.freeze_page import what_ends
from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from adjudication.specifications.actions import change_draft, freeze, start_draft
from adjudication.specifications.models import Demand, Specification
from adjudication.specifications.queries import current, what_to_know
from adjudication.specifications.rules import NAMES


def moment(text: str) -> datetime:
    """A moment in ISO 8601, in UTC where it names no zone, or "now"."""
    if text == "now":
        return timezone.now()
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None:
        raise ArgumentTypeError(f"{text!r} is not a moment such as 2026-01-05T12:00:00Z, or now")
    return found if timezone.is_aware(found) else found.replace(tzinfo=UTC)


class Command(ProjectCommand):
    help = (
        "Freeze the draft of a specification; without one, start it (the first with defaults, "
        "a later one as a copy of the last frozen)."
    )
    by_roles = (Role.LEAD,)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        setting = parser.add_argument_group("settings, where they should differ from the draft")
        setting.add_argument("--reviewers", dest="reviewers_per_item", type=int, metavar="N")
        setting.add_argument("--cutoff", dest="observation_cutoff", type=moment, metavar="ISO|now")
        setting.add_argument("--boundary", dest="corpus_boundary", metavar="TEXT")
        setting.add_argument("--population", metavar="TEXT")
        setting.add_argument("--answerability", dest="answerability_policy", metavar="TEXT")
        setting.add_argument("--consequential", dest="consequential_policy", metavar="TEXT")
        setting.add_argument("--granularity", choices=Specification.Granularity.values)
        setting.add_argument(
            "--origins", nargs="*", metavar="ORIGIN", help="data sets or uploads; none: all"
        )
        setting.add_argument(
            "--demands",
            dest="source_policy",
            nargs="*",
            choices=Demand.values,
            metavar="DEMAND",
            help=f"of the source policy: {', '.join(Demand.values)}; none: no demand",
        )
        for option, name in (("proposer", "shows_proposer"), ("links", "shows_machine")):
            setting.add_argument(
                f"--show-{option}",
                dest=name,
                action=BooleanOptionalAction,
                help=f"{NAMES[name][0].lower()}{NAMES[name][1:]}",
            )

    @transaction.atomic
    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        person = by.user if by else None
        draft = start_draft(project, by=person)
        given = {name: value for name, value in options.items() if value is not None}
        draft = change_draft(draft, given, by=person)
        notes = what_to_know(draft)
        if (test := current(project)) and (ends := what_ends(test)):
            notes.append(ends)
        frozen = freeze(draft, by=person)
        self.say(f"Specification {frozen.number} of {project.slug} is frozen.")
        self.say(f"digest {frozen.sha256}")
        self.say(f"eligible source versions: {frozen.eligible.count()}")
        for note in notes:
            self.say(f"Note: {note}")
