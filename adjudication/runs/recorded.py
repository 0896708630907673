"""Stored outcomes as the engine's values again, for what is computed from them later."""

from __future__ import annotations

from typing import Any, cast

from adjudication.claims.graphs import from_json
from adjudication.runs.models import Outcome, RecordedLink, RecordedSearch
from certify_core import model as core


def core_outcome(outcome: Outcome) -> core.Outcome:
    """What the engine returned when the question ended."""
    links = tuple(map(_link, RecordedLink.objects.filter(attempt=outcome.attempt_id)))
    searches = RecordedSearch.objects.filter(attempt=outcome.attempt_id)
    certified = outcome.kind == Outcome.Kind.CERTIFICATE
    return core.Outcome(
        _certificate(outcome.body, links) if certified else _abstention(outcome.body),
        from_json(outcome.graph) if outcome.graph else None,
        links,
        tuple(map(_search, searches)),
    )


def _certificate(body: dict[str, Any], links: tuple[core.Link, ...]) -> core.Certificate:
    steps = (step | {"premises": tuple(step["premises"])} for step in body["derivation"])
    return core.Certificate(
        units=tuple(body["units"]),
        derivation=tuple(core.Step(**step) for step in steps),
        closures=body["closures"],
        core=tuple(body["core"]),
        alternatives=tuple(map(tuple, body["alternatives"])),
        complete=body["complete"],
        answer=body["answer"],
        links=tuple(links[ordinal - 1] for ordinal in body["links"]),
        notes=tuple(body["notes"]),
    )


def _abstention(body: dict[str, Any]) -> core.Abstention:
    return core.Abstention(_requirements(body["open"]), _requirements(body["blocked"]))


def _requirements(rows: list[dict[str, Any]]) -> tuple[core.OpenRequirement, ...]:
    return tuple(core.OpenRequirement(**row | {"uids": tuple(row["uids"])}) for row in rows)


def _link(row: RecordedLink) -> core.Link:
    return core.Link(
        rid=row.requirement,
        binding=_binding(row.binding),
        uid=str(row.version_id),
        value=row.value,
        canonical=row.canonical,
        start=row.start,
        end=row.end,
        sentence=(row.sentence_start, row.sentence_end),
        grade=cast("core.Grade", row.grade),
        reason=row.reason,
        cue=row.cue,
        rank=row.rank,
    )


def _search(row: RecordedSearch) -> core.Search:
    uids = tuple(map(str, row.versions))
    return core.Search(row.requirement, _binding(row.binding), row.query, row.round, uids)


def _binding(stored: list[list[Any]]) -> core.Binding:
    return tuple((number, value) for number, value in stored)
