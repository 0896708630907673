"""What the page of a claim shows, as plain values for its templates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from adjudication.claim_page.history import history_of
from adjudication.claim_page.timeline import Dated, draw
from adjudication.claims.models import Claim, Contradiction, PremiseNote
from adjudication.claims.pages import premise_of
from adjudication.claims.queries import (
    Conflict,
    Route,
    conflicts_of,
    notes_of,
    requirements_of,
    routes_of,
    sees_origin,
    sees_proposals,
)
from adjudication.corpus.models import Span
from adjudication.corpus.queries import Premise
from adjudication.corpus.times import UNESTABLISHED
from adjudication.projects.models import Membership
from adjudication.releases.queries import released_verdicts
from adjudication.review.actions import open_verdicts
from adjudication.review.models import Verdict
from adjudication.specifications.admissibility import Checks
from adjudication.specifications.checks import checks_of
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current
from certify_core.model import Requirement

PLACE = "claim page"
TIME_COLUMNS = [
    {"label": "Source"},
    {"label": "Observed"},
    {"label": "Published"},
    {"label": "In effect from"},
    {"label": "In effect to"},
]


@dataclass(frozen=True, slots=True)
class _Beside:
    """What stands beside the premises: checks by span, notes by version."""

    checks: Mapping[UUID, Checks]
    notes: Mapping[UUID, Sequence[PremiseNote]]


def claim_context(membership: Membership, claim: Claim) -> dict[str, Any]:
    """The claim, its routes with what is on record beside them, what contradicts it, and how
    it came so far."""
    test = current(membership.project)
    routes = routes_of(membership, claim)
    conflicts = conflicts_of(membership, claim)
    spans = _readable(routes)
    notes = notes_of(membership, {span.version_id for span in spans})
    beside = _Beside(
        checks_of(test, claim, spans, notes) if test else {},
        _by_version(notes.select_related("by").order_by("-at", "id")),
    )
    sets = [one.evidence_set.pk for one in routes]
    verdicts = open_verdicts(membership, sets, released=released_verdicts(sets), place=PLACE)
    last = {one.item.evidence_set_id: one for one in verdicts}
    return {
        "claim": claim,
        "specification": test,
        "facts": _facts(membership, claim),
        "routes": [
            _route(membership, one, beside, last.get(one.evidence_set.pk)) for one in routes
        ],
        "graphs": [
            {"origin": graph.origin, "number": graph.number, "steps": list(map(_step, steps))}
            for graph, steps in requirements_of(claim.question)
        ],
        "conflicts": [
            _conflict(membership, one, beside) for one in conflicts if not one.superseded
        ],
        "superseded": [_conflict(membership, one, beside) for one in conflicts if one.superseded],
        "names_people": sees_origin(membership),
        "history": history_of(membership, claim, routes, conflicts, verdicts),
        "replaced": claim.successors.exists(),
    } | _times(claim, spans, test)


def _readable(routes: Sequence[Route]) -> list[Span]:
    """The members' spans that this person may read, each once, in the order of the page."""
    found = (one.span for route in routes for one in route.members if one.span)
    return list({span.pk: span for span in found}.values())


def _by_version(notes: Iterable[PremiseNote]) -> dict[UUID, list[PremiseNote]]:
    of_version: dict[UUID, list[PremiseNote]] = defaultdict(list)
    for note in notes:
        of_version[note.version_id].append(note)
    return of_version


def _facts(membership: Membership, claim: Claim) -> list[dict[str, Any]]:
    time = "" if claim.applicable_time == UNESTABLISHED else claim.applicable_time
    if cast(Any, claim).withheld:
        return [{"term": "Applies at", "value": time, "absent": "cannot be established"}]
    facts = [
        {"term": "Also written", "value": " · ".join(claim.aliases), "absent": "in no other way"},
        {"term": "Entities", "value": " · ".join(claim.entities)},
        {"term": "Qualifiers", "value": claim.qualifiers},
        {"term": "Applies at", "value": time, "absent": "cannot be established"},
    ]
    if sees_proposals(membership):
        origin = Claim.Origin(claim.origin).label
        facts.append(
            {"term": "Origin", "value": f"{origin}, {claim.author}" if claim.author else origin}
        )
    return facts


def _route(
    membership: Membership, route: Route, beside: _Beside, verdict: Verdict | None
) -> dict[str, Any]:
    return {
        "route": route,
        "verdict": verdict,
        "members": [
            _premise(membership, one, beside, number)
            for number, one in enumerate(route.members, start=1)
        ],
    }


def _premise(
    membership: Membership, one: Premise, beside: _Beside, number: int | None = None
) -> dict[str, Any]:
    """A premise with its checks and notes; of a blocked one nothing but that it is."""
    shown = premise_of(membership, one, number)
    if one.span is None:
        return shown
    return shown | {
        "checks": beside.checks.get(one.span.pk),
        "notes": beside.notes.get(one.span.version_id, ()),
    }


def _conflict(membership: Membership, one: Conflict, beside: _Beside) -> dict[str, Any]:
    treatment = one.record.treatment
    open_still = treatment == Contradiction.Treatment.UNRESOLVED
    return {
        "conflict": one,
        "state": "superseded" if one.superseded else "disputed" if open_still else treatment,
        "label": treatment,
        "spans": [_premise(membership, premise, beside) for premise in one.spans],
    }


def _step(one: Requirement) -> dict[str, Any]:
    """A requirement in words: what is looked up, or which step is taken over what."""
    words = one.template if one.kind == "lookup" else f"{one.op} of {', '.join(one.args)}"
    return {"kind": one.kind, "words": words, "expect": one.expect, "needs": one.deps}


def _times(claim: Claim, spans: Sequence[Span], test: Specification | None) -> dict[str, Any]:
    """The times of every version that a readable member rests on: a picture, and its table."""
    versions = list({span.version_id: span.version for span in spans}.values())
    dated = [
        Dated(one.source.title, one.observed, one.published, one.effective_from, one.effective_to)
        for one in versions
    ]
    cutoff = test.observation_cutoff if test else None
    return {
        "dated": dated,
        "time_columns": TIME_COLUMNS,
        "picture": draw(dated, applies_at=claim.applicable_time, cutoff=cutoff),
    }
