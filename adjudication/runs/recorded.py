"""The engine's outcomes as rows, both ways. The one place that knows their stored form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast
from uuid import UUID

from adjudication.claims.graphs import from_json
from adjudication.runs.models import Attempt, Outcome, RecordedLink, RecordedSearch
from certify_core import model as core

# --- To store --------------------------------------------------------------------------------


def search_rows(attempt: Attempt, searches: Sequence[core.Search]) -> list[RecordedSearch]:
    return [
        RecordedSearch(
            attempt=attempt,
            ordinal=ordinal,
            requirement=search.rid,
            binding=search.binding,
            query=search.query,
            round=search.round,
            versions=[UUID(uid) for uid in search.uids],
        )
        for ordinal, search in enumerate(searches, start=1)
    ]


def link_rows(attempt: Attempt, links: Sequence[core.Link]) -> list[RecordedLink]:
    return [
        RecordedLink(
            attempt=attempt,
            ordinal=ordinal,
            requirement=link.rid,
            binding=link.binding,
            version_id=UUID(link.uid),
            value=link.value,
            canonical=link.canonical,
            start=link.start,
            end=link.end,
            sentence_start=link.sentence[0],
            sentence_end=link.sentence[1],
            grade=link.grade,
            reason=link.reason,
            cue=link.cue[:120],
            rank=link.rank,
        )
        for ordinal, link in enumerate(links, start=1)
    ]


def certificate_body(certificate: core.Certificate, links: Sequence[core.Link]) -> dict[str, Any]:
    """The certificate as JSON: links by their ordinals, and nothing dropped or unpermitted."""
    ordinals = [links.index(link) + 1 for link in certificate.links]
    return asdict(certificate) | {"links": ordinals, "dropped": [], "unpermitted": []}


# --- And back --------------------------------------------------------------------------------


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
