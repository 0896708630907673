"""What a reviewer answers: pure values, their JSON, and what makes them complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from adjudication.review.dimensions import (
    ADMISSIBILITY,
    DIMENSIONS,
    MINIMALITY,
    OTHER,
    Dimension,
    Stance,
)
from adjudication.review.models import Admissibility, Judgement, MemberJudgement, Minimality

Needed = MemberJudgement.Needed


WORDS = 2000
"""Characters of a reason that can be sealed. A draft keeps more, so that nothing is lost."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a reviewer refused: one choice of the dimension's list, and their own words."""

    choice: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class MemberAnswer:
    """``needed`` is "" while the reviewer has said nothing about this member alone."""

    needed: str = ""
    measured: bool = False
    admissible: bool = True


@dataclass(frozen=True, slots=True)
class Answers:
    """Six answers by dimension key, reasons by dimension key, and what was said per member.

    Of a draft any part may be missing; ``faults`` says what still is.
    """

    given: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, Reason] = field(default_factory=dict)
    members: Mapping[UUID, MemberAnswer] = field(default_factory=dict)

    def member(self, member_id: UUID) -> MemberAnswer:
        return self.members.get(member_id, MemberAnswer())

    def stance(self, dimension: Dimension) -> Stance:
        return dimension.stance(self.given[dimension.key])

    def with_member(self, member_id: UUID, answer: MemberAnswer) -> Answers:
        return replace(self, members={**self.members, member_id: answer})

    def with_answer(self, dimension: Dimension, answer: str) -> Answers:
        return replace(self, given={**self.given, dimension.key: answer})


def all_accepting() -> Answers:
    """The accepting answer to each question."""
    return Answers(given={dimension.key: dimension.accepting for dimension in DIMENSIONS})


def to_json(answers: Answers) -> dict[str, Any]:
    return {
        "given": dict(answers.given),
        "reasons": reasons_to_json(answers.reasons),
        "members": {
            str(key): {
                "needed": member.needed,
                "measured": member.measured,
                "admissible": member.admissible,
            }
            for key, member in answers.members.items()
        },
    }


def from_json(body: Mapping[str, Any]) -> Answers:
    """The answers that ``to_json`` wrote; of an empty object, none."""
    return Answers(
        given=body.get("given", {}),
        reasons=reasons_from_json(body.get("reasons", {})),
        members={UUID(k): MemberAnswer(**v) for k, v in body.get("members", {}).items()},
    )


def reasons_to_json(reasons: Mapping[str, Reason]) -> dict[str, dict[str, str]]:
    return {key: {"choice": r.choice, "words": r.words} for key, r in reasons.items()}


def reasons_from_json(body: Mapping[str, Mapping[str, str]]) -> dict[str, Reason]:
    return {key: Reason(**reason) for key, reason in body.items()}


def faults(answers: Answers, members: Sequence[UUID]) -> dict[str, str]:
    """What keeps ``answers`` from being sealed, by dimension key; empty if nothing does.

    Args:
        members: ids of the set's members, in order.
    """
    found: dict[str, str] = {}
    for dimension in DIMENSIONS:
        if fault := _fault(dimension, answers):
            found[dimension.key] = fault
    for key, fault in (
        (MINIMALITY.key, _minimality_fault(answers, members)),
        (ADMISSIBILITY.key, _admissibility_fault(answers, members)),
    ):
        if fault:
            found.setdefault(key, fault)
    return found


def _fault(dimension: Dimension, answers: Answers) -> str:
    given = answers.given.get(dimension.key, "")
    if given not in {option.key for option in dimension.options}:
        return "Choose an answer."
    if dimension.stance(given) is not Stance.REFUSES:
        return ""
    reason = answers.reasons.get(dimension.key, Reason())
    if reason.choice not in {choice.key for choice in dimension.choices}:
        return "You refuse: choose the reason."
    if reason.choice == OTHER.key and not reason.words.strip():
        return "You refuse for another reason: say which."
    if len(reason.words) > WORDS:
        return f"Your words have {len(reason.words)} characters; shorten them to {WORDS}."
    return ""


def _minimality_fault(answers: Answers, members: Sequence[UUID]) -> str:
    given = answers.given.get(MINIMALITY.key)
    spare = [n for n, key in _numbered(members) if answers.member(key).needed == Needed.NOT_NEEDED]
    if given == Minimality.MINIMAL and spare:
        return f"You marked member {spare[0]} as not needed, so the set is not minimal."
    if given == Minimality.NOT_MINIMAL and not spare:
        return "Mark the member that is not needed."
    return ""


def _admissibility_fault(answers: Answers, members: Sequence[UUID]) -> str:
    given = answers.given.get(ADMISSIBILITY.key)
    barred = [n for n, key in _numbered(members) if not answers.member(key).admissible]
    if given == Admissibility.ADMISSIBLE and barred:
        return f"You marked member {barred[0]} as not admissible, so the set is not."
    if given == Admissibility.NOT_ADMISSIBLE and not barred:
        return "Mark the member that is not admissible."
    return ""


def _numbered(members: Sequence[UUID]) -> list[tuple[int, UUID]]:
    return list(enumerate(members, start=1))


def completed(answers: Answers, members: Sequence[UUID]) -> Answers:
    """The answers as they are sealed: reasons of refusals only, and every member answered.

    Whoever calls the set minimal asserts that each member is needed; about a member of any
    other set nothing is known unless it was said.
    """
    minimal = answers.given[MINIMALITY.key] == Minimality.MINIMAL
    unsaid = Needed.NEEDED if minimal else Needed.UNSURE
    said = {key: answers.member(key) for key in members}
    return Answers(
        given={dimension.key: answers.given[dimension.key] for dimension in DIMENSIONS},
        reasons={
            dimension.key: answers.reasons[dimension.key]
            for dimension in DIMENSIONS
            if answers.stance(dimension) is Stance.REFUSES
        },
        members={key: replace(m, needed=m.needed or unsaid) for key, m in said.items()},
    )


def basis(answers: Answers) -> Judgement.Basis:
    """Measured if blind removal was tried on every member."""
    measured = answers.members and all(member.measured for member in answers.members.values())
    return Judgement.Basis.MEASURED if measured else Judgement.Basis.ASSERTED


def answers_of(judgement: Judgement) -> Answers:
    """A sealed judgement as answers. Reads its ``members``; prefetch them for lists."""
    return Answers(
        given={dimension.key: getattr(judgement, dimension.key) for dimension in DIMENSIONS},
        reasons=reasons_from_json(judgement.reasons),
        members={
            member.member_id: MemberAnswer(member.needed, member.measured, member.admissible)
            for member in judgement.members.all()
        },
    )
