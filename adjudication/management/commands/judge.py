"""`manage.py judge`: take an item as a reviewer, read it, and seal a judgement on it."""

from __future__ import annotations

import textwrap
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from adjudication.corpus.reading import Part, parts_of
from adjudication.errors import Refused
from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from adjudication.review import actions, queries
from adjudication.review.answers import Answers, MemberAnswer, Reason, all_accepting
from adjudication.review.dimensions import BY_KEY, DIMENSIONS, OTHER
from adjudication.review.models import Assignment, Item, MemberJudgement
from adjudication.review.queries.material import Material, members_of
from adjudication.specifications.queries import current_or_refuse


class Command(ProjectCommand):
    help = (
        "Seal one reviewer's judgement on one evidence set; without an answer, show the set. "
        "Or list what waits for them."
    )
    by_roles = (Role.REVIEWER,)
    by_required = True

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--list", action="store_true", help="list items that could come")
        which.add_argument("--item", type=UUID, help="judge this item, or show it")
        which.add_argument("--next", action="store_true", help="judge the next item, or show it")
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
        if not _answered(options):
            self._show(by, _assignment(by, options["item"]).item)
            return
        answers = _answers(options)
        assignment = _assignment(by, options["item"])
        members = [member.pk for member in members_of(assignment.item)]
        answers = _with_members(answers, members, options)
        sealed = actions.seal(assignment, answers, idempotency_key=assignment.pk)
        kept = " as surplus: its place was given away" if sealed.surplus else ""
        self.say(f"Sealed judgement {sealed.pk} on item {sealed.item_id}{kept}.")

    def _show(self, by: Membership, item: Item) -> None:
        """What the judgement rests on, as on the desk."""
        self.say(f"Item {item.pk}")
        for line in _lines(queries.material_of(by, item)):
            self.say(line)
        self.say("To seal, name it again with an answer to each of the six questions (--help).")

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


def _answered(options: dict[str, Any]) -> bool:
    """Whether anything of a judgement was said."""
    said = ("all_accept", "reason", "needed", "inadmissible", *(d.key for d in DIMENSIONS))
    return any(options[name] for name in said)


def _lines(material: Material) -> Iterator[str]:
    yield f"Question: {_visible(material.question.text)}"
    yield f"Claim: {_visible(material.claim.text)}"
    yield f"Applies at: {material.applicable_time}"
    for member in material.members:
        yield f"Member {member.number}: {_visible(member.version.source.title)}"
        yield _quoted(member.parts)
    for line in material.rules:
        used = "used" if line.permitted else "used, not permitted"
        yield f"Rule, {used if line.used else 'permitted'}: {_visible(line.rule.statement)}"
    for step, requirement in enumerate(material.requirements, start=1):
        yield f"Needs {step}: {_visible(requirement)}"
    for conflict in material.conflicts:
        found = conflict.contradiction
        weight = "material" if found.material else "immaterial"
        yield f"Contradiction, {weight}, {found.get_treatment_display()}: {_visible(found.note)}"
        for excerpt in conflict.excerpts:
            yield _quoted(excerpt.parts)


def _quoted(parts: Sequence[Part]) -> str:
    """The words of an excerpt; one that is damaged has none."""
    words = "".join(part.text for part in parts) or "damaged, so it is not shown"
    return textwrap.indent(words, "  ")


def _visible(text: str) -> str:
    """With characters that mislead named by their numbers: a terminal would obey some."""
    return "".join(part.text for part in parts_of(text))


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
