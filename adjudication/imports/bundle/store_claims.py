"""Rules, questions, graphs, claims and evidence sets of a bundle, as rows.

Who proposed a set is kept as the file says it; nobody has judged it here.
"""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from adjudication.claims.graphs import to_json
from adjudication.claims.models import (
    Claim,
    EvidenceMember,
    EvidenceSet,
    EvidenceSetRule,
    InferenceRule,
    Question,
    RequirementGraph,
)
from adjudication.claims.rules import route_digest
from adjudication.imports.bundle.intake import FULL, Intake, Kinds, quoted, refused, same_or_refuse
from certify_core.canonical import digest
from certify_core.datasets import bundle
from certify_core.model import RequirementGraph as Steps

_Waiting = list[tuple[str, Any]]
"""Records that wait to be stored, each with its line."""


class _Queue:
    """Records of some kinds that wait to be stored together."""

    kinds: ClassVar[Kinds] = ()

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._waiting: _Waiting = []

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= FULL

    def take(self, where: str, record: Any) -> None:
        self._waiting.append((where, record))

    def flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._store(waiting)

    def _store(self, waiting: _Waiting) -> None:
        raise NotImplementedError

    def _id(self, kind: type[bundle.Record], key: str) -> UUID:
        return self._intake.ids[kind][key]


class RuleStage(_Queue):
    kinds: ClassVar[Kinds] = (bundle.Rule,)

    def _store(self, waiting: _Waiting) -> None:
        project = self._intake.project
        here = {row.key: row for row in InferenceRule.objects.filter(project=project)}
        for where, one in waiting:
            given = {"kind": one.kind, "statement": one.statement}
            row = here.get(one.key)
            if row is not None:
                same_or_refuse(where, f"rule {one.key!r}", given, row)
            else:
                row = InferenceRule.objects.create(project=project, key=one.key, **given)
            self._intake.keep(one, row.pk, new=one.key not in here)


class QuestionStage(_Queue):
    kinds: ClassVar[Kinds] = (bundle.Question,)

    def _store(self, waiting: _Waiting) -> None:
        project = self._intake.project
        here = {
            (row.origin, row.key): row
            for row in Question.objects.filter(
                project=project,
                origin__in={one.origin for _, one in waiting},
                key__in={one.id for _, one in waiting},
            )
        }
        rows = []
        for where, one in waiting:
            given = {"text": one.text, "kind": one.kind}
            row = here.get((one.origin, one.id))
            if row is not None:
                same_or_refuse(where, f"question {one.id!r} of {one.origin!r}", given, row)
            else:
                row = Question(
                    project=project, origin=one.origin, key=one.id, sha256=digest(given), **given
                )
                rows.append(row)
            self._intake.keep(one, row.pk, new=(one.origin, one.id) not in here)
        Question.objects.bulk_create(rows)


class GraphStage(_Queue):
    kinds: ClassVar[Kinds] = (bundle.Graph,)

    def _store(self, waiting: _Waiting) -> None:
        ids = [self._id(bundle.Question, one.question) for _, one in waiting]
        here = {
            (row.question_id, row.number): row.sha256
            for row in RequirementGraph.objects.filter(question__in=ids)
        }
        same = {(question, sha256) for (question, _), sha256 in here.items()}
        rows = []
        for (where, one), question in zip(waiting, ids, strict=True):
            body = to_json(Steps(one.requirements))
            sha256 = digest(body)
            new = (question, sha256) not in same
            self._intake.count(one, new=new)
            if not new:
                continue
            if (question, one.number) in here:
                name = f"requirement graph {one.number} of the question {one.question!r}"
                raise refused(where, f"{name} is here already with other steps")
            rows.append(
                RequirementGraph(
                    question_id=question,
                    number=one.number,
                    origin=one.origin,
                    body=body,
                    sha256=sha256,
                )
            )
        RequirementGraph.objects.bulk_create(rows)


class ClaimStage(_Queue):
    kinds: ClassVar[Kinds] = (bundle.Claim,)

    def _store(self, waiting: _Waiting) -> None:
        ids = {self._id(bundle.Question, one.question) for _, one in waiting}
        here = {
            (row.question_id, row.text, row.value): row
            for row in Claim.objects.filter(question__in=ids)
        }
        rows = []
        for where, one in waiting:
            question = self._id(bundle.Question, one.question)
            given = {
                "aliases": list(one.aliases),
                "entities": list(one.entities),
                "qualifiers": one.qualifiers,
                "applicable_time": one.applicable_time,
            }
            row = here.get((question, one.text, one.value))
            if row is not None:
                same_or_refuse(where, f"the claim {quoted(one.text)}", given, row)
                self._intake.keep(one, row.pk, new=False)
                continue
            row = Claim(
                question_id=question,
                text=one.text,
                value=one.value,
                origin=one.origin,
                supersedes_id=self._id(bundle.Claim, one.supersedes) if one.supersedes else None,
                **given,
            )
            rows.append(row)
            self._intake.keep(one, row.pk, new=True)
        Claim.objects.bulk_create(rows)


class SetStage(_Queue):
    kinds: ClassVar[Kinds] = (bundle.EvidenceSet,)

    def _store(self, waiting: _Waiting) -> None:
        ids = {self._id(bundle.Claim, one.claim) for _, one in waiting}
        here = set(EvidenceSet.objects.filter(claim__in=ids).values_list("claim", "sha256"))
        sets, members, rules = [], [], []
        for _, one in waiting:
            spans = [self._id(bundle.Span, key) for key in one.members]
            by = [self._id(bundle.Rule, key) for key in one.rules]
            claim, sha256 = self._id(bundle.Claim, one.claim), route_digest(spans, by)
            new = (claim, sha256) not in here
            self._intake.count(one, new=new)
            if not new:
                continue
            row = EvidenceSet(claim_id=claim, sha256=sha256, origin=one.origin)
            sets.append(row)
            members += [
                EvidenceMember(evidence_set=row, span_id=span, ordinal=ordinal)
                for ordinal, span in enumerate(spans, start=1)
            ]
            rules += [EvidenceSetRule(evidence_set=row, rule_id=rule) for rule in by]
        EvidenceSet.objects.bulk_create(sets)
        EvidenceMember.objects.bulk_create(members)
        EvidenceSetRule.objects.bulk_create(rules)
