"""`manage.py judge`: take an item as a reviewer, and seal a judgement on it."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from adjudication.errors import Refused
from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from adjudication.review import actions, queries
from adjudication.review.answers import Answers, MemberAnswer, Reason, all_accepting
from adjudication.review.dimensions import BY_KEY, DIMENSIONS, OTHER
from adjudication.review.models import Assignment, MemberJudgement
from adjudication.review.queries.material import members_of
from adjudication.specifications.queries import current_or_refuse


class Command(ProjectCommand):
    help = "Seal one reviewer's judgement on one evidence set, or list what waits for them."
    by_roles = (Role.REVIEWER,)
    by_required = True

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--list", action="store_true", help="list items that could come")
        which.add_argument("--item", type=UUID, help="judge this item")
        which.add_argument("--next", action="store_true", help="judge the next item")
        parser.add_argument(
            "--all-accept", action="store_true", help="the accepting answer to all six questions"
        )
        for dimension in DIMENSIONS:
            parser.add_argument(
                f"--{dimension.key}",
                choices=[option.key for option in dimension.options],
                help=dimension.question,
            )
        parser.add_argument(
            "--reason",
            action="append",
            default=[],
            metavar="DIMENSION=TEXT",
            help=f"why you refuse, in your own words or as one of these: {_reasons_to_choose()}",
        )
        for name, what in (("needed", "needed; all others are not"), ("inadmissible", "barred")):
            parser.add_argument(
                f"--{name}", metavar="1,2", default="", help=f"numbers of members that are {what}"
            )

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        assert by is not None
        if options["list"]:
            self._list(project, by)
            return
        answers = _answers(options)
        assignment = _assignment(by, options["item"])
        members = [member.pk for member in members_of(assignment.item)]
        answers = _with_members(answers, members, options)
        sealed = actions.seal(assignment, answers, idempotency_key=assignment.pk)
        kept = " as surplus: its place was given away" if sealed.surplus else ""
        self.say(f"Sealed judgement {sealed.pk} on item {sealed.item_id}{kept}.")

    def _list(self, project: Project, by: Membership) -> None:
        specification = current_or_refuse(project)
        items = queries.available_to(by, specification).select_related("evidence_set__claim")
        held = queries.held_by(by, specification)
        if held:
            self.say(f"{held.item_id}  in hand")
        for item in items:
            self.say(f"{item.pk}  {item.evidence_set.claim}")
        self.say(f"Items to judge now: {len(items) + bool(held)}.")


def _reasons_to_choose() -> str:
    lists = (f"{d.key}: {', '.join(choice.key for choice in d.choices)}" for d in DIMENSIONS)
    return "; ".join(lists)


def _assignment(by: Membership, item_id: UUID | None) -> Assignment:
    taken = actions.take(by, item_id) if item_id else actions.take_next(by)
    if taken is None:
        raise Refused("Nothing waits for this reviewer now.")
    return taken


def _answers(options: dict[str, Any]) -> Answers:
    given = dict(all_accepting().given) if options["all_accept"] else {}
    given |= {d.key: options[d.key] for d in DIMENSIONS if options[d.key]}
    missing = [f"--{d.key}" for d in DIMENSIONS if d.key not in given]
    if missing:
        raise Refused(
            f"Answer all six questions, or say --all-accept. Missing: {' '.join(missing)}"
        )
    return Answers(given=given, reasons=dict(map(_reason, options["reason"])))


def _reason(text: str) -> tuple[str, Reason]:
    key, _, words = text.partition("=")
    if key not in BY_KEY or not words.strip():
        raise Refused(f"Write --reason DIMENSION=TEXT with one of {', '.join(BY_KEY)}.")
    if words in {choice.key for choice in BY_KEY[key].choices}:
        return key, Reason(words)
    return key, Reason(OTHER.key, words.strip())


def _with_members(answers: Answers, members: list[UUID], options: dict[str, Any]) -> Answers:
    needed = _numbers(options["needed"], len(members))
    barred = _numbers(options["inadmissible"], len(members))

    def say(number: int) -> MemberAnswer:
        kept = "needed" if number in needed else MemberJudgement.Needed.NOT_NEEDED.value
        return MemberAnswer(kept if needed else "", admissible=number not in barred)

    said = {key: say(number) for number, key in enumerate(members, start=1)}
    return replace(answers, members=said)


def _numbers(text: str, count: int) -> set[int]:
    parts: Iterable[str] = filter(None, (part.strip() for part in text.split(",")))
    numbers = {int(part) if part.isdecimal() else 0 for part in parts}
    if any(not 0 < number <= count for number in numbers):
        raise Refused(f"Name members by their numbers, 1 to {count}, as in 1,2.")
    return numbers
