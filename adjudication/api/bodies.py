"""What the API says of each record, as JSON. Every key is written out; nothing else leaks in.

Keys of sources are left out: those of uploads and data sets hold a digest of the whole text.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from adjudication.claims.models import Claim, InferenceRule, PremiseNote, Question
from adjudication.claims.queries import Conflict, Route, sees_proposals
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.pages import integrity_of
from adjudication.corpus.queries import Line, Listed, Premise
from adjudication.projects.models import Membership
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
        "cleared_for": [one.key for one in membership.reader_classes.order_by("key")],
        "reader_classes": [
            {"key": one.key, "title": one.title}
            for one in membership.project.reader_classes.order_by("key")
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


def line(one: Line) -> Body:
    """A version of a source; of a blocked one only that it exists and who may read it."""
    if one.version is None:
        return {"number": one.number, "blocked": True, "readers": one.readers}
    return version(one.version, one.readers, whole=one.whole)


def version(one: SourceVersion, readers: str, *, whole: bool) -> Body:
    """Everything but the text; ``invalidation`` should be loaded.

    ``whole`` says whether the reader may read all of it: else its digest, and how many bytes it
    has, would tell something of the rest.
    """
    gone = getattr(one, "invalidation", None)
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
        "invalidated": {"at": moment(gone.at), "reason": gone.reason} if gone else None,
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
        "exact": one.exact,
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
    shown = span(one.span, whole=one.whole) if one.span else None
    return {"blocked": one.span is None, "readers": one.readers, "span": shown}


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


def specification_line(one: Specification, *, digests: bool) -> Body:
    """``digests`` says whether one may see those that cover the whole corpus."""
    return {
        "number": one.number,
        "state": one.state,
        "frozen_at": moment(one.frozen_at),
        "sha256": (digests and one.sha256) or None,
        "corpus_sha256": (digests and one.corpus_sha256) or None,
    }


def specification(one: Specification, *, digests: bool) -> Body:
    """``body`` is the canonical JSON, byte for byte what ``sha256`` digests; it holds the digest
    of the corpus."""
    return specification_line(one, digests=digests) | {"body": one.body if digests else None}
