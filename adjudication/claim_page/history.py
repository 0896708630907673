"""What happened to a claim, in order, as far as one person may know it.

When a claim or a set came tells who brought it: what a data set holds came with its import. So
whoever may not know that is told neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from adjudication.claims.models import Claim, ClaimDecision
from adjudication.claims.queries import (
    Conflict,
    Route,
    claims_of,
    sees_origin,
    sees_proposals,
)
from adjudication.projects.models import Membership
from adjudication.review.models import Verdict


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a history, for timeline.html. ``who`` is empty for who may not know."""

    at: datetime
    what: str
    who: str = ""
    state: str = ""
    note: str = ""


def history_of(
    membership: Membership,
    claim: Claim,
    routes: Sequence[Route],
    conflicts: Sequence[Conflict],
    verdicts: Sequence[Verdict],
) -> list[Event]:
    """Oldest first. ``routes``, ``conflicts`` and ``verdicts`` are those this person may see."""
    events = [
        *(_claim_events(membership, claim) if sees_proposals(membership) else ()),
        *(_route_events(routes) if sees_origin(membership) else ()),
        *map(_of_conflict, conflicts),
        *(_of_verdict(one, names=sees_origin(membership)) for one in verdicts),
    ]
    return sorted(events, key=lambda event: event.at)


def _claim_events(membership: Membership, claim: Claim) -> Iterator[Event]:
    who = str(claim.author) if claim.author else ""
    yield Event(claim.created_at, "opened the claim" if who else "Claim opened", who)
    decision: ClaimDecision | None = getattr(claim, "decision", None)
    if decision:
        what = f"decided on the proposal: {decision.get_decision_display()}"
        # It may quote the evidence, as the claim's own words may.
        reason = "" if cast(Any, claim).withheld else decision.reason
        yield Event(decision.at, what, str(decision.by), note=reason)
    for one in claims_of(membership).filter(supersedes=claim):
        # Annotated by ``claims_of``: what this member may read.
        yield Event(one.created_at, f"Replaced by “{cast(Any, one).words}”")


def _route_events(routes: Sequence[Route]) -> Iterator[Event]:
    for route in routes:
        one = route.evidence_set
        what = f"Route {one.sha256[:8]} proposed"
        yield Event(one.created_at, what, note=route.origin)


def _of_conflict(one: Conflict) -> Event:
    record = one.record
    what = "recorded a contradiction" if one.by else "Contradiction recorded"
    state = "superseded" if one.superseded else record.get_treatment_display()
    return Event(record.at, what, one.by, state=state)


def _of_verdict(verdict: Verdict, *, names: bool) -> Event:
    item = verdict.item
    route = item.evidence_set.sha256[:8]
    return Event(
        verdict.decided_at,
        f"Route {route} decided under specification {item.specification.number}, by "
        f"{verdict.basis_in_words}",
        str(verdict.by) if names and verdict.by else "",
        state=verdict.decision,
    )
