"""Rows written as JSON, as a release freezes them and an export shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from adjudication.claims.models import Claim, InferenceRule, Question
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.review.discussion import Guideline
from adjudication.review.models import Judgement, Verdict


def question_body(question: Question) -> dict[str, Any]:
    return {
        "id": str(question.pk),
        "origin": question.origin,
        "key": question.key,
        "text": question.text,
    }


def rule_body(rule: InferenceRule) -> dict[str, Any]:
    return {"key": rule.key, "kind": rule.kind, "statement": rule.statement}


def verdict_body(verdict: Verdict) -> dict[str, Any]:
    """A verdict without names or words; of a carried one also where people reached it."""
    body = {
        "decision": verdict.decision,
        "basis": verdict.basis,
        "round": verdict.round,
        "decided_at": moment(verdict.decided_at),
    }
    if (original := verdict.carried_from) is not None:
        body["carried_from"] = {
            "specification": original.item.specification.number,
            "basis": original.basis,
            "decided_at": moment(original.decided_at),
        }
    return body


def answers_body(number: int, judgement: Judgement) -> dict[str, Any]:
    """A judgement without name, time or words."""
    members = sorted(judgement.members.all(), key=lambda one: one.member.ordinal)
    return {
        "reviewer": number,
        "entailment": judgement.entailment,
        "minimality": judgement.minimality,
        "minimality_basis": judgement.minimality_basis,
        "admissibility": judgement.admissibility,
        "alternatives": judgement.alternatives,
        "contradiction": judgement.contradiction,
        "boundary": judgement.boundary,
        "guidelines": _guidelines(judgement.guideline),
        "members": [
            {
                "ordinal": one.member.ordinal,
                "needed": one.needed,
                "measured": one.measured,
                "admissible": one.admissible,
            }
            for one in members
        ],
    }


def _guidelines(guideline: Guideline | None) -> dict[str, Any] | None:
    """Which version of the guidelines was in force at the seal. Every member reads them."""
    return {"number": guideline.number, "sha256": guideline.sha256} if guideline else None


def claim_body(claim: Claim) -> dict[str, Any]:
    return {
        "id": str(claim.pk),
        "text": claim.text,
        "value": claim.value,
        "aliases": claim.aliases,
        "entities": claim.entities,
        "qualifiers": claim.qualifiers,
        "applicable_time": claim.applicable_time,
    }


def excerpt_body(span: Span) -> dict[str, Any]:
    return {
        "span": str(span.pk),
        "exact": span.exact,
        "start": span.start,
        "end": span.end,
        "byte_start": span.byte_start,
        "byte_end": span.byte_end,
        "sha256": span.sha256,
        "source": _source(span.version.source),
        "version": _version(span.version),
    }


def snapshot_body(span: Span) -> dict[str, Any]:
    """The digest of the whole version, from which whoever lacks a few words could guess them."""
    return {"span": str(span.pk), "sha256": span.version.sha256}


def _source(source: Source) -> dict[str, Any]:
    return {
        "id": str(source.pk),
        "title": source.title,
        "address": source.address,
        "origin": source.origin,
    }


def _version(version: SourceVersion) -> dict[str, Any]:
    return {
        "id": str(version.pk),
        "number": version.number,
        "media_type": version.media_type,
        "encoding": version.encoding,
        "observed_at": moment(version.observed_at),
        "observed_precision": version.observed_precision,
        "published": version.published,
        "effective_from": version.effective_from,
        "effective_to": version.effective_to,
    }


def reasons_body(verdict: Verdict, judgements: Sequence[Judgement]) -> dict[str, Any]:
    return {
        "set": str(verdict.item.evidence_set_id),
        "verdict": verdict.reason,
        "judgements": [
            {"reviewer": number, "reasons": one.reasons} for number, one in enumerate(judgements, 1)
        ],
    }


def moment(at: datetime) -> str:
    """ISO 8601 in UTC with microseconds, as stored."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
