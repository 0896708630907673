"""What the API says of each record, as JSON. Every key is written out; nothing else leaks in.

Keys of sources are left out: those of uploads and data sets hold a digest of the whole text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from django.conf import settings

from adjudication.claims.models import Claim, InferenceRule, PremiseNote, Question
from adjudication.claims.queries import Conflict, Route, sees_proposals
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.pages import integrity_of
from adjudication.corpus.queries import Line, Listed, Premise
from adjudication.corpus.reading import BLOCKED, Part
from adjudication.corpus.staleness import Recheck, rechecks
from adjudication.imports.models import Import, ImportProblem
from adjudication.imports.pages import counts
from adjudication.projects.models import Membership
from adjudication.search.pages import Hit
from adjudication.specifications.models import Specification

Body = dict[str, Any]


def moment(at: datetime | None) -> str | None:
    """ISO 8601 in UTC, to the microsecond where there are any."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at else None


# --- Project -----------------------------------------------------------------------------------


def project(membership: Membership) -> Body:
    """The project as its member has a part in it."""
    return {
        "slug": membership.project.slug,
        "title": membership.project.title,
        "description": membership.project.description,
        "roles": sorted(membership.roles),
        "cleared_for": sorted(one.key for one in membership.reader_classes.all()),
        "reader_classes": [
            {"key": one.key, "title": one.title}
            for one in sorted(membership.project.reader_classes.all(), key=lambda one: one.key)
        ],
    }


def rule(one: InferenceRule) -> Body:
    return {"key": one.key, "kind": one.kind, "statement": one.statement}


# --- Corpus ------------------------------------------------------------------------------------


def source(one: Listed) -> Body:
    return {
        "id": str(one.source.pk),
        "origin": one.source.origin,
        "title": one.source.title,
        "address": one.source.address,
        "versions": one.versions,
        "spans": one.spans,
    }


def lines(found: Sequence[Line]) -> list[Body]:
    """The versions of a source; of a blocked one only that it exists and who may read it."""
    stale = rechecks(one.version.pk for one in found if one.version)
    return [
        version(one.version, one.readers, stale.get(one.version.pk), whole=one.whole)
        if one.version
        else {"number": one.number, "blocked": True, "readers": one.readers}
        for one in found
    ]


def recheck(one: Recheck | None) -> Body | None:
    """Why what rests on a version is to be checked again, if it is."""
    if one is None:
        return None
    return {
        "newest_version": one.newest or None,
        "withdrawn_at": moment(one.withdrawn_at),
        "reason": one.reason,
    }


def version(one: SourceVersion, readers: str, stale: Recheck | None, *, whole: bool) -> Body:
    """Everything but the text.

    ``whole`` says whether the reader may read all of it: else its digest, and how many bytes it
    has, would tell something of the rest.
    """
    return {
        "id": str(one.pk),
        "source": str(one.source_id),
        "number": one.number,
        "blocked": False,
        "whole": whole,
        "readers": readers,
        "media_type": one.media_type,
        "encoding": one.encoding,
        "length": len(one.text),
        "bytes": len(one.snapshot) if whole else None,
        "sha256": one.sha256 if whole else None,
        "integrity": integrity_of(one),
        "observed": {"at": moment(one.observed_at), "precision": one.observed_precision},
        "published": one.published,
        "effective_from": one.effective_from,
        "effective_to": one.effective_to,
        "licence": one.licence,
        "authority": one.authority,
        "recheck": recheck(stale),
    }


def span(one: Span, *, whole: bool) -> Body:
    """``whole`` as with versions: byte positions tell how many bytes stand before."""
    return {
        "id": str(one.pk),
        "version": str(one.version_id),
        "start": one.start,
        "end": one.end,
        "byte_start": one.byte_start if whole else None,
        "byte_end": one.byte_end if whole else None,
        "exact": one.exact if one.is_as_cut else None,
        "sha256": one.sha256,
    }


def note(one: PremiseNote) -> Body:
    return {
        "id": str(one.pk),
        "authority": one.authority,
        "basis": one.basis,
        "open_dispute": one.open_dispute,
        "by": str(one.by),
        "at": moment(one.at),
    }


# --- Claims ------------------------------------------------------------------------------------


def question(membership: Membership, one: Question) -> Body:
    """A question of ``questions_of``, with the claims that this member may see."""
    return {
        "id": str(one.pk),
        "text": one.text,
        "claims": [claim_line(membership, claim) for claim in cast(Any, one).shown],
    }


def claim_line(membership: Membership, one: Claim) -> Body:
    """A claim of ``claims_of``. ``value`` is withheld where all it rests on is blocked."""
    said = cast(Any, one)
    body: Body = {
        "id": str(one.pk),
        "value": None if said.withheld else one.value,
        "withheld": said.withheld,
        "evidence_sets": said.routes,
    }
    if sees_proposals(membership):
        decision = getattr(one, "decision", None)
        body |= {"origin": one.origin, "decision": decision.decision if decision else None}
    return body


def claim(membership: Membership, one: Claim) -> Body:
    """A claim with its question and everything that qualifies it."""
    shown = not cast(Any, one).withheld
    return claim_line(membership, one) | {
        "question": {"id": str(one.question_id), "text": one.question.text},
        "aliases": one.aliases if shown else None,
        "entities": one.entities if shown else None,
        "qualifiers": one.qualifiers if shown else None,
        "applicable_time": one.applicable_time,
    }


def premise(one: Premise) -> Body:
    """A span that something rests on; of a blocked one only who may read it."""
    shown = None
    if one.span is not None:
        integrity = {"integrity": "damaged" if one.damaged else "intact"}
        shown = span(one.span, whole=one.whole) | integrity
    return {
        "blocked": shown is None,
        "readers": one.readers,
        "span": shown,
        "recheck": recheck(one.recheck),
    }


def evidence_set(one: Route) -> Body:
    """Who proposed it is left out wherever it may not be known."""
    body: Body = {
        "id": str(one.evidence_set.pk),
        "claim": str(one.evidence_set.claim_id),
        "sha256": one.evidence_set.sha256,
        "members": [premise(member) for member in one.members],
        "rules": [rule.key for rule in one.rules],
    }
    return body | ({"origin": one.origin} if one.origin else {})


def contradiction(one: Conflict, shown: Mapping[UUID, Conflict]) -> Body:
    """``shown`` are the records that the reader sees: no other one is named."""
    record = one.record
    before = record.supersedes_id if record.supersedes_id in shown else None
    body: Body = {
        "id": str(record.pk),
        "claim": str(record.claim_id),
        "material": record.material,
        "treatment": record.treatment,
        "note": one.note or None,
        "at": moment(record.at),
        "supersedes": str(before) if before else None,
        "superseded": one.superseded,
        "spans": [premise(member) for member in one.spans],
    }
    return body | ({"by": one.by} if one.by else {})


# --- Specifications ----------------------------------------------------------------------------


def specification_line(one: Specification) -> Body:
    return {
        "number": one.number,
        "state": one.state,
        "frozen_at": moment(one.frozen_at),
    }


def specification(one: Specification, *, digests: bool) -> Body:
    """``body`` is the canonical JSON, byte for byte what ``sha256`` digests.

    It holds a digest of the corpus: both are withheld from who may not read all of that, and
    ``settings`` is the rest.
    """
    settings: Body = json.loads(one.body)
    del settings["corpus_sha256"]
    return specification_line(one) | {
        "settings": settings,
        "sha256": one.sha256 if digests else None,
        "body": one.body if digests else None,
    }


# --- Search ------------------------------------------------------------------------------------


def hit(one: Hit) -> Body:
    """A version that was found, with the part of its text that shows most of the words.

    Of a damaged one there is no ``text``: its words are not those that were captured.
    """
    parts = one.excerpt.parts if one.excerpt else []
    return {
        "version": str(one.version.pk),
        "source": str(one.version.source_id),
        "title": one.version.source.title,
        "number": one.version.number,
        "recheck": recheck(one.recheck),
        "damaged": one.excerpt is None,
        "start": one.excerpt.start if one.excerpt else None,
        "text": "".join(map(_as_read, parts)) if one.excerpt else None,
        "marks": [[part.start, part.end] for part in parts if part.within],
    }


def _as_read(part: Part) -> str:
    """The characters of a part, for which the page writes a number or a name."""
    if part.kind == "blocked":
        return BLOCKED * (part.end - part.start)
    return chr(int(part.text[2:], 16)) if part.kind == "unseen" else part.text


# --- Imports -----------------------------------------------------------------------------------


def import_line(membership: Membership, one: Import) -> Body:
    """An import in the list of the project; what it holds only for who sent it."""
    if one.by_id == membership.user_id:
        return import_whole(one)
    return _import(one)


def import_whole(one: Import) -> Body:
    """One's own import: how much is here, how far the present step is, and what was found."""
    return _import(one) | {
        "received": one.received,
        "piece_limit": settings.PIECE_LIMIT,
        "sha256": one.sha256 or None,
        "bytes_read": one.bytes_read,
        "records": one.records,
        "dataset": one.dataset,
        "counts": [{"what": one.what, "new": one.new, "known": one.known} for one in counts(one)],
        "problems": one.problems_by_code,
        "error": one.error,
    }


def _import(one: Import) -> Body:
    return {
        "id": str(one.pk),
        "by": str(one.by),
        "name": one.name,
        "size": one.size,
        "format": one.format,
        "format_version": one.format_version,
        "state": one.state,
        "created_at": moment(one.created_at),
        "finished_at": moment(one.finished_at),
    }


def problem(one: ImportProblem) -> Body:
    return {"code": one.code, "where": one.where, "message": one.message}
