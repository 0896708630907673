"""What a release freezes: one body per decided evidence set, in a fixed order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Count

from adjudication.claims.models import EvidenceMember, EvidenceSetRule, InferenceRule
from adjudication.corpus.clearance import Openings, may_read_every, openings_of
from adjudication.projects.models import ReaderClass
from adjudication.releases.bodies import (
    answers_body,
    claim_body,
    excerpt_body,
    moment,
    question_body,
    reasons_body,
    rule_body,
    snapshot_body,
    verdict_body,
)
from adjudication.releases.narrowing import Keys, keys
from adjudication.releases.rules import Route, claim_readers, common
from adjudication.releases.sealing import Body, part
from adjudication.review.models import Judgement, Verdict
from adjudication.review.queries.originals import originals_of
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import eligible_versions

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Frozen:
    """A decided evidence set, ready to be stored."""

    verdict: Verdict
    body: Body


def frozen_items(specification: Specification, verdicts: Iterable[Verdict]) -> list[Frozen]:
    """The bodies of decided sets, ordered by question, claim and route.

    ``verdicts`` are the current ones, with item, set, claim and question loaded. The number
    of queries does not depend on how many there are.
    """
    ordered = sorted(verdicts, key=_place)
    rows = _load(specification, ordered)
    return [Frozen(verdict, _item_body(verdict, rows)) for verdict in ordered]


def head_body(
    specification: Specification,
    *,
    number: int,
    parent: str | None,
    counts: dict[str, int],
) -> Body:
    """The head of a version: what it follows, how much is decided and how much waits."""
    shown = {
        "project": specification.project.slug,
        "number": number,
        "parent": parent,
        "specification": {
            "number": specification.number,
            "observation_cutoff": moment(specification.observation_cutoff),
            "granularity": specification.granularity,
            "reviewers_per_item": specification.reviewers_per_item,
        },
        "counts": counts,
    }
    digests = {"sha256": specification.sha256, "corpus_sha256": specification.corpus_sha256}
    readers = _readers_of_corpus(specification)
    return {"shown": shown, "parts": {"specification": part(digests, readers)}}


@dataclass(frozen=True, slots=True)
class _Rows:
    """Everything the bodies are made of, grouped by what it belongs to."""

    classes: frozenset[str]
    members: dict[UUID, list[EvidenceMember]]
    rules: dict[UUID, list[InferenceRule]]
    openings: dict[UUID, Openings]
    judgements: dict[UUID, Judgement]
    surplus: dict[UUID, int]
    routes: dict[UUID, list[Route]]

    def route(self, verdict: Verdict) -> Route:
        members = self.members[verdict.item.evidence_set_id]
        readers = common(map(self.readers, members))
        return Route(readers, verdict.decision == Verdict.Decision.ACCEPTED)

    def readers(self, member: EvidenceMember) -> Keys:
        """The classes that may read the words of a member."""
        span = member.span
        return keys(self.openings[span.version_id].readers(span.start, span.end))

    def readers_of_whole(self, member: EvidenceMember) -> Keys:
        """The classes that may read all of a member's version, and so see its digest."""
        return keys(self.openings[member.span.version_id].whole)


def _place(verdict: Verdict) -> tuple[str, str, str, str]:
    evidence_set = verdict.item.evidence_set
    question = evidence_set.claim.question
    return question.origin, question.key, str(evidence_set.claim_id), evidence_set.sha256


def _load(specification: Specification, verdicts: Sequence[Verdict]) -> _Rows:
    sets = [verdict.item.evidence_set_id for verdict in verdicts]
    members = (
        EvidenceMember.objects.filter(evidence_set__in=sets)
        .select_related("span__version__source")
        .defer("span__version__snapshot", "span__version__text")
    )
    rules = EvidenceSetRule.objects.filter(evidence_set__in=sets).select_related("rule")
    rows = _Rows(
        classes=frozenset(
            ReaderClass.objects.filter(project=specification.project).values_list("key", flat=True)
        ),
        members=_grouped(members, lambda row: row.evidence_set_id),
        rules=_grouped_values((row.evidence_set_id, row.rule) for row in rules),
        openings=openings_of(member.span.version_id for member in members),
        judgements=_deciding(verdicts),
        surplus=_surplus(verdicts),
        routes=defaultdict(list),
    )
    for verdict in verdicts:
        rows.routes[verdict.item.evidence_set.claim_id].append(rows.route(verdict))
    return rows


def _grouped(rows: Iterable[V], key: Callable[[V], K]) -> dict[K, list[V]]:
    return _grouped_values((key(row), row) for row in rows)


def _grouped_values(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    groups: dict[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return groups


def _deciding(verdicts: Iterable[Verdict]) -> dict[UUID, Judgement]:
    named = [one for verdict in verdicts for one in verdict.judgements]
    judgements = Judgement.objects.select_related("guideline")
    return judgements.prefetch_related("members__member").in_bulk(named)


def _surplus(verdicts: Sequence[Verdict]) -> dict[UUID, int]:
    """How many judgements of each item are kept although they did not decide.

    Those of the item from which a verdict was carried over are among them.
    """
    original = originals_of(verdict.item_id for verdict in verdicts)
    judged = [*(verdict.item_id for verdict in verdicts), *original.values()]
    counted = Judgement.objects.filter(item__in=judged).values_list("item").annotate(Count("pk"))
    sealed = dict(counted)
    return {
        one.item_id: sealed.get(one.item_id, 0)
        + sealed.get(original.get(one.item_id), 0)
        - len(one.judgements)
        for one in verdicts
    }


def _readers_of_corpus(specification: Specification) -> list[str]:
    """The classes that may read every eligible version whole: its digests cover all bytes."""
    classes = ReaderClass.objects.filter(project=specification.project)
    eligible = eligible_versions(specification)
    return [one.key for one in classes.order_by("key") if may_read_every([one.pk], eligible)]


def _item_body(verdict: Verdict, rows: _Rows) -> Body:
    evidence_set = verdict.item.evidence_set
    claim = evidence_set.claim
    members = rows.members[evidence_set.pk]
    # The order of random ids: it tells neither who sealed first nor who a reviewer is.
    judgements = [rows.judgements[pk] for pk in sorted(verdict.judgements)]
    claim_open = claim_readers(rows.routes[claim.pk], rows.classes)
    parts = {"claim": part(claim_body(claim), claim_open)}
    for member in members:
        excerpt, snapshot = excerpt_body(member.span), snapshot_body(member.span)
        parts[f"member-{member.ordinal}"] = part(excerpt, rows.readers(member))
        parts[f"snapshot-{member.ordinal}"] = part(snapshot, rows.readers_of_whole(member))
    reasons = reasons_body(verdict, judgements)
    parts["reasons"] = part(reasons, claim_open & rows.route(verdict).readers)
    return {"shown": _shown(verdict, members, judgements, rows), "parts": parts}


def _shown(
    verdict: Verdict,
    members: Sequence[EvidenceMember],
    judgements: Sequence[Judgement],
    rows: _Rows,
) -> dict[str, Any]:
    """Ids, decisions and answers: nothing here depends on the words of a source."""
    evidence_set = verdict.item.evidence_set
    rules = sorted(rows.rules.get(evidence_set.pk, []), key=lambda rule: rule.key)
    return {
        "set": str(evidence_set.pk),
        "route": evidence_set.sha256,
        "question": question_body(evidence_set.claim.question),
        "claim": str(evidence_set.claim_id),
        "members": [{"ordinal": one.ordinal, "span": str(one.span_id)} for one in members],
        "rules": [rule_body(rule) for rule in rules],
        "verdict": verdict_body(verdict),
        "judgements": [answers_body(number, one) for number, one in enumerate(judgements, 1)],
        "surplus": rows.surplus[verdict.item_id],
    }
