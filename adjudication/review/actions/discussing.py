"""What people say beside the judgements: guidelines, comments, flags and what became of them."""

from __future__ import annotations

import hashlib

from django.db import transaction

from adjudication.append_only import one_at_a_time
from adjudication.errors import Refused
from adjudication.journal.actions import expose, record
from adjudication.journal.models import Exposure
from adjudication.journal.queries import exposed_objects
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_in_project, check_role
from adjudication.review.actions.assigning import hand_back, lock
from adjudication.review.discussion import (
    GUIDELINE_LENGTH,
    Comment,
    Flag,
    FlagResolution,
    Guideline,
)
from adjudication.review.models import Assignment, Item
from adjudication.review.queries.discussion import guidelines_in_force
from adjudication.review.queries.records import relation_to


@transaction.atomic
def publish_guidelines(
    by: Membership, text: str, *, reason: str, seen: str | None = None
) -> Guideline:
    """Put a new version of the project's guidelines in force; the same again is kept.

    Args:
        seen: id of the version that was changed, "" for none; None skips the check that no
            other came since.

    Raises:
        Refused: not a lead, no text or too long a one, no reason, nothing changed, or another
            version came since.
    """
    check_role(by, Role.LEAD)
    if not text.strip() or not reason.strip():
        raise Refused("Guidelines need a text, and the reason for changing them.")
    if "\0" in text or len(text) > GUIDELINE_LENGTH:
        raise Refused(f"Guidelines are text of at most {GUIDELINE_LENGTH} characters, without NUL.")
    one_at_a_time(by.project, "guidelines")
    before = guidelines_in_force(by.project)
    if before is not None and before.text == text:
        if (before.by_id, before.reason) == (by.user_id, reason.strip()):
            return before
        raise Refused(f"Nothing changed: version {before.number} says the same.")
    if before is not None and seen is not None and seen != str(before.pk):
        raise Refused(
            f"Version {before.number} came in force since you opened this page. "
            "Read what it changed, then change that one."
        )
    made = Guideline.objects.create(
        project=by.project,
        number=before.number + 1 if before else 1,
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        reason=reason.strip(),
        by=by.user,
    )
    record("changed guidelines", made, actor=by.user, project_id=by.project_id, version=made.number)
    return made


@transaction.atomic
def comment(by: Membership, item: Item, text: str) -> Comment:
    """Add words to an item; the same words by the same person again are kept.

    Who reads them when is for ``visibility`` to say.

    Raises:
        Refused: no words, or this person neither had the item in hand nor adjudicates or leads.
    """
    check_in_project(by, item.project_id)
    relation = relation_to(by, item).value
    if relation not in Comment.Capacity.values:
        raise Refused("Reviewers of this set, adjudicators and leads comment on it.")
    if not (text := text.strip()):
        raise Refused("Write the comment first.")
    # Two clicks at one moment: the second finds the first's words.
    one_at_a_time(item, f"comment {by.user_id} ")
    if known := Comment.objects.filter(item=item, by=by.user, text=text).first():
        return known
    made = Comment.objects.create(item=item, by=by.user, capacity=relation, text=text)
    record("commented", made, actor=by.user, project_id=item.project_id)
    return made


@transaction.atomic
def flag(assignment: Assignment, kind: Flag.Kind | str, words: str = "") -> Flag:
    """Say that something is wrong with an item; the same flag again is kept.

    The item stays in hand, and is to be judged or skipped as before. Only a conflict of
    interest hands it back, under every specification, and it never comes to this person again.

    Raises:
        Refused: sealed before, or another reason without words.
    """
    kind, words = Flag.Kind(kind), words.strip()
    if kind is Flag.Kind.OTHER and not words:
        raise Refused("Say what is wrong.")
    if kind is Flag.Kind.CONFLICT:
        # Taking an item waits here, and so do all the places where the set may be in hand.
        membership = Membership.objects.select_for_update()
        membership.get(project=assignment.item.project_id, user=assignment.reviewer_id)
        of_set = Item.objects.filter(evidence_set=assignment.item.evidence_set_id)
        list(of_set.select_for_update().order_by("pk"))
    item, assignment = lock(assignment)
    if assignment.state == Assignment.State.SEALED:
        raise Refused("You sealed this item: comment on it beside your judgement.")
    of_same = Flag.objects.filter(item=item, by=assignment.reviewer, kind=kind, words=words)
    if known := of_same.first():
        return known
    made = Flag.objects.create(item=item, by=assignment.reviewer, kind=kind, words=words)
    record("flagged item", made, actor=assignment.reviewer, project_id=item.project_id)
    if kind is Flag.Kind.CONFLICT:
        held = Assignment.objects.filter(
            reviewer=assignment.reviewer,
            item__evidence_set=item.evidence_set_id,
            state=Assignment.State.HELD,
        )
        for one in held.select_related("item", "reviewer"):
            hand_back(one)
    return made


def open_flags(membership: Membership, flags: list[Flag], *, place: str) -> list[Flag]:
    """Show a lead these flags, and record that they were shown."""
    known = set(exposed_objects(membership.user))
    expose(
        membership.user,
        {one.item_id: one.item for one in flags if one.item_id not in known}.values(),
        Exposure.Side.JUDGEMENT,
        project_id=membership.project_id,
        place=place,
    )
    return flags


@transaction.atomic
def resolve_flag(flag: Flag, *, reason: str, by: Membership) -> FlagResolution:
    """Say what became of a flag; the same again is kept.

    Raises:
        Refused: not a lead, no reason, or somebody resolved it before.
    """
    check_role(by, Role.LEAD)
    if not (reason := reason.strip()):
        raise Refused("Say what became of it: the reason stays with the flag.")
    check_in_project(by, flag.item.project_id)
    one_at_a_time(flag)
    if known := FlagResolution.objects.filter(flag=flag).first():
        if (known.by_id, known.reason) == (by.user_id, reason):
            return known
        raise Refused("Somebody resolved this flag before.")
    made = FlagResolution.objects.create(flag=flag, by=by.user, reason=reason)
    record("resolved flag", made, actor=by.user, project_id=by.project_id)
    return made
