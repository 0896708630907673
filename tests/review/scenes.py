"""A project with a frozen test and sets under review, made through the actions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from adjudication.accounts.models import User
from adjudication.claims.models import EvidenceSet
from adjudication.projects.models import Membership, Project
from adjudication.projects.queries import member_named
from adjudication.review import actions
from adjudication.review.answers import Answers, Reason, all_accepting
from adjudication.review.dimensions import BY_KEY, Stance
from adjudication.review.models import Assignment, Item, Judgement
from adjudication.specifications.actions import freeze, start_draft
from adjudication.specifications.models import Specification
from tests.factories import make_claim, make_evidence_set


def frozen(project: Project, *, reviewers: int = 2) -> Specification:
    """A frozen specification over the versions captured so far."""
    draft = start_draft(project, by=None)
    Specification.objects.filter(pk=draft.pk).update(reviewers_per_item=reviewers)
    draft.refresh_from_db()
    return freeze(draft, by=None)


def member(project: Project, user: User) -> Membership:
    return member_named(project, user.username)


@dataclass(frozen=True)
class Scene:
    specification: Specification
    lead: Membership
    items: list[Item]

    @property
    def item(self) -> Item:
        return self.items[0]


def open_scene(project: Project, lead: User, *, sets: int = 1, reviewers: int = 2) -> Scene:
    """``sets`` evidence sets of two members each, frozen and open for review."""
    for number in range(sets):
        make_evidence_set(
            make_claim(project, value=f"Entity {number}"),
            f"Cedar {number} is mapped to record R{number}.",
            f"Entity {number} holds the rights to R{number}.",
        )
    specification = frozen(project, reviewers=reviewers)
    by = member(project, lead)
    actions.open_items(specification, EvidenceSet.objects.all(), by=by)
    items = list(
        Item.objects.filter(specification=specification).order_by("evidence_set__claim__value")
    )
    return Scene(specification, by, items)


def refusing(*keys: str) -> Answers:
    """Accepting answers, but for these dimensions, refused for another reason.

    Not for minimality and admissibility, which also name a member.
    """
    answers = all_accepting()
    for key in keys:
        dimension = BY_KEY[key]
        refuse = next(o.key for o in dimension.options if o.stance is Stance.REFUSES)
        answers = answers.with_answer(dimension, refuse)
    return replace(answers, reasons={key: Reason("other", f"no {key}") for key in keys})


def judge(person: Membership, item: Item, answers: Answers | None = None) -> Judgement:
    """Take ``item`` and seal it."""
    return seal(actions.take(person, item.pk), answers)


def seal(
    assignment: Assignment, answers: Answers | None = None, key: UUID | None = None
) -> Judgement:
    return actions.seal(assignment, answers or all_accepting(), idempotency_key=key or uuid4())
