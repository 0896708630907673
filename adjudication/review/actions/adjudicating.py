"""Settle disagreements: a verdict with a reason, or a fresh independent round."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.template.defaultfilters import pluralize

from adjudication.errors import Refused
from adjudication.journal.actions import expose, record
from adjudication.journal.models import Exposure
from adjudication.journal.queries import exposed_objects
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_in_project, check_role
from adjudication.review.integrity import check_sound
from adjudication.review.models import OPEN_STATES, FreshRound, Item, Reopening, Verdict
from adjudication.review.queries.material import members_of
from adjudication.review.queries.queue import declared_conflict, fresh_reviewers
from adjudication.review.queries.records import (
    DECIDED,
    Seen,
    current_verdict,
    deciding,
    judgements_on,
    judgements_seen,
    took_part,
    verdicts_seen,
)
from adjudication.review.transitions import move_item
from certify_core.canonical import digest


def open_judgements(membership: Membership, item: Item, *, place: str) -> Seen:
    """Show this person the judgements they may see, and record that they were shown."""
    seen = judgements_seen(membership, item)
    if seen.judgements:
        expose(
            membership.user,
            [item],
            Exposure.Side.JUDGEMENT,
            project_id=membership.project_id,
            place=place,
        )
    return seen


def open_verdicts(
    membership: Membership, sets: Collection[UUID], *, released: Collection[UUID], place: str
) -> list[Verdict]:
    """Show this person the verdicts on ``sets`` they may see, and record that they were shown.

    ``released`` as for ``verdicts_seen``.
    """
    verdicts = verdicts_seen(membership, sets, released)
    known = set(exposed_objects(membership.user))
    items = {verdict.item_id: verdict.item for verdict in verdicts}
    expose(
        membership.user,
        [item for key, item in items.items() if key not in known],
        Exposure.Side.JUDGEMENT,
        project_id=membership.project_id,
        place=place,
    )
    return verdicts


def conflict_of(membership: Membership, item: Item) -> str:
    """Why this person may not settle ``item``; "" if nothing stands against it."""
    if took_part(membership, item):
        return "You had this set in hand as a reviewer: someone else must settle it."
    if declared_conflict(membership.user, item):
        return "You declared a conflict of interest with this set: someone else must settle it."
    return ""


def fingerprint(judgements: Iterable[UUID]) -> str:
    """Digest of the judgements someone looked at, so that a later one is noticed."""
    return digest(sorted(map(str, judgements)))


@transaction.atomic
def adjudicate(
    item: Item,
    decision: Verdict.Decision | str,
    *,
    reason: str,
    by: Membership,
    seen: str | None = None,
) -> Verdict:
    """Decide a disputed item, whatever the reviewers chose; the same decision again is kept.

    Args:
        seen: fingerprint of the judgements on which the decision rests; None skips the check
            that none came since.

    Raises:
        Refused: no adjudicator, a conflict of interest, no reason, not disputed (any more), a
            damaged member, or an amendment came in since the page was opened.
    """
    decision = Verdict.Decision(decision)
    item = _locked_for(item, by, reason)
    verdict = current_verdict(item)
    if item.state in DECIDED and verdict is not None and _is_again(verdict, decision, reason, by):
        return verdict
    _check_disputed(item)
    check_sound(members_of(item))
    rows = list(judgements_on(item))
    if seen is not None and seen != fingerprint(j.pk for j in rows):
        raise Refused("A judgement was amended since you opened this page: read it again.")
    made = Verdict.objects.create(
        item=item,
        round=item.round,
        decision=decision,
        basis=Verdict.Basis.ADJUDICATION,
        by=by.user,
        reason=reason.strip(),
        judgements=sorted(j.pk for j in deciding(rows)),
        supersedes=verdict,
    )
    move_item(item, Item.State(decision.value))
    record(f"{decision.value} by adjudication", item, actor=by.user, project_id=item.project_id)
    return made


@transaction.atomic
def ask_fresh_round(item: Item, *, reason: str, by: Membership) -> Item:
    """Bring a disputed or carried item back into review by reviewers who never had it; the same
    request again is kept.

    Raises:
        Refused: as for ``adjudicate``, or fewer than k such reviewers take part.
    """
    item = _locked_for(item, by, reason)
    asked = FreshRound.objects.filter(item=item, round=item.round, **_said(by, reason))
    if item.state in OPEN_STATES and asked.exists():
        return item
    if not may_ask_anew(item):
        _check_disputed(item)
    needed, there = item.specification.reviewers_per_item, fresh_reviewers(item)
    if there < needed:
        raise Refused(
            f"A fresh round needs {needed} reviewer{pluralize(needed)} cleared for this set who "
            f"never had it; the project has {there}. Let a lead add reviewers, or decide it "
            "yourself."
        )
    item.round += 1
    item.save(update_fields=["round"])
    FreshRound.objects.create(item=item, round=item.round, by=by.user, reason=reason.strip())
    move_item(item, Item.State.IN_REVIEW)
    record(
        "asked for a fresh round",
        item,
        actor=by.user,
        project_id=item.project_id,
        round=item.round,
    )
    return item


@transaction.atomic
def reopen(item: Item, *, reason: str, by: Membership) -> Reopening:
    """Put the verdict on a decided item in question: it waits for an adjudicator again, who
    decides anew or asks for a fresh round. What was decided and released stays as it is; the same
    request again is kept.

    Raises:
        Refused: neither lead nor adjudicator, a conflict of interest, no reason, or not decided.
    """
    item = _locked_for(item, by, reason, Role.ADJUDICATOR, Role.LEAD)
    verdict = current_verdict(item)
    known = Reopening.objects.filter(verdict=verdict, **_said(by, reason)).first()
    if known is not None and item.state == Item.State.DISPUTED:
        return known
    if item.state not in DECIDED or verdict is None:
        raise Refused("This set is not decided, so there is nothing to reopen.")
    made = Reopening.objects.create(verdict=verdict, by=by.user, reason=reason.strip())
    move_item(item, Item.State.DISPUTED)
    record("reopened", item, actor=by.user, project_id=item.project_id)
    return made


def may_ask_anew(item: Item) -> bool:
    """Whether a fresh round can be asked for: in dispute, or decided by a carried verdict."""
    if item.state == Item.State.DISPUTED:
        return True
    verdict = current_verdict(item)
    decided = item.state in {Item.State.ACCEPTED, Item.State.REJECTED}
    return decided and verdict is not None and verdict.basis == Verdict.Basis.CARRIED


def _locked_for(item: Item, by: Membership, reason: str, *roles: Role) -> Item:
    check_role(by, *(roles or (Role.ADJUDICATOR,)))
    if not reason.strip():
        raise Refused("Give the reason: it stays with the verdict.")
    locked = Item.objects.select_for_update(of=("self",)).select_related("specification")
    item = locked.get(pk=item.pk)
    check_in_project(by, item.project_id)
    if conflict := conflict_of(by, item):
        raise Refused(conflict)
    return item


def _is_again(verdict: Verdict, decision: str, reason: str, by: Membership) -> bool:
    return (verdict.decision, verdict.reason, verdict.by_id) == (
        decision,
        reason.strip(),
        by.user_id,
    )


def _said(by: Membership, reason: str) -> dict[str, Any]:
    """Who asks and why: the same of both is a second press of the button."""
    return {"by": by.user_id, "reason": reason.strip()}


def _check_disputed(item: Item) -> None:
    if item.state != Item.State.DISPUTED:
        raise Refused("This set is not in dispute any more: someone settled it or asked anew.")
