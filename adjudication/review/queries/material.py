"""What is judged: claim, members, rules and requirements, the same for everyone who may judge.

Nothing here depends on who proposed the set, on a machine's verdict or on what anybody
answered. Records that people add beside the claim are shown as they stood when the item was
opened, so that a reviewer cannot answer the next one through them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from adjudication.claims.actions import claim_text
from adjudication.claims.graphs import from_json
from adjudication.claims.models import (
    Claim,
    Contradiction,
    ContradictionSpan,
    EvidenceMember,
    EvidenceSetRule,
    InferenceRule,
    PremiseNote,
    Question,
    RequirementGraph,
)
from adjudication.corpus.clearance import may_read
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.pages import in_context
from adjudication.corpus.queries import Premise, premises
from adjudication.corpus.reading import Part, parts_of
from adjudication.corpus.soundness import is_sound
from adjudication.corpus.staleness import Recheck, rechecks
from adjudication.projects.models import Membership
from adjudication.review.models import Item
from adjudication.specifications.admissibility import Checks, effective_in_words, partial_in_words
from adjudication.specifications.checks import checks_of
from adjudication.specifications.models import Specification
from adjudication.statements import Statement
from certify_core.model import Requirement


@dataclass(frozen=True, slots=True)
class Member:
    """One excerpt with what its admissibility rests on. A damaged one has no ``parts``.

    ``digest`` is that of the version, empty for who may not read all of it.
    """

    member: EvidenceMember
    parts: list[Part]
    context_url: str
    readers: str
    digest: str
    checks: Checks
    recheck: Recheck | None
    sound: bool

    @property
    def number(self) -> int:
        return self.member.ordinal

    @property
    def version(self) -> SourceVersion:
        return self.member.span.version

    @property
    def published(self) -> str:
        return partial_in_words(self.version.published)

    @property
    def effective(self) -> str:
        """When its statement applies, in words."""
        return effective_in_words(self.version.effective_from, self.version.effective_to)


@dataclass(frozen=True, slots=True)
class RuleLine:
    rule: InferenceRule
    used: bool
    permitted: bool


@dataclass(frozen=True, slots=True)
class ConflictExcerpt:
    """A span of a contradiction, as it is shown."""

    span: Span
    parts: list[Part]
    context_url: str
    recheck: Recheck | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A contradiction on record, with its excerpts."""

    contradiction: Contradiction
    excerpts: list[ConflictExcerpt]


@dataclass(frozen=True, slots=True)
class Material:
    item: Item
    question: Question
    claim: Claim
    members: list[Member]
    rules: list[RuleLine]
    requirements: list[str]
    conflicts: list[Conflict]

    @property
    def applicable_time(self) -> str:
        return partial_in_words(self.claim.applicable_time)

    @property
    def restates(self) -> bool:
        """Whether the claim only says that its value answers the question."""
        return self.claim.text == claim_text(self.question, self.claim.value)

    @property
    def sound(self) -> bool:
        return all(member.sound for member in self.members)


def material_of(membership: Membership, item: Item) -> Material:
    """Everything a judgement on ``item`` rests on, for someone cleared for its members."""
    claim = item.evidence_set.claim
    return Material(
        item=item,
        question=claim.question,
        claim=claim,
        members=_members(membership, item),
        rules=_rules(item),
        requirements=_requirements(item),
        conflicts=_conflicts(membership, item),
    )


def members_of(item: Item) -> list[EvidenceMember]:
    """The members in order, with their versions and sources."""
    return _MEMBERS(item.evidence_set_id)


_MEMBERS = Statement(
    lambda evidence_set: EvidenceMember.objects.filter(evidence_set=evidence_set).select_related(
        "span__version__source"
    )
)


def _members(membership: Membership, item: Item) -> list[Member]:
    members = members_of(item)
    seen = premises(membership, [member.span_id for member in members])
    checks = checks_of(
        item.specification,
        item.evidence_set.claim,
        [member.span for member in members],
        PremiseNote.objects.filter(at__lte=item.opened_at),
    )
    slug = membership.project.slug
    return [
        _member(
            member,
            slug,
            seen[member.span_id],
            checks=checks[member.span_id],
        )
        for member in members
    ]


def _member(member: EvidenceMember, slug: str, seen: Premise, *, checks: Checks) -> Member:
    return Member(
        member=member,
        parts=[] if seen.damaged else parts_of(member.span.exact),
        context_url=in_context(slug, member.span),
        readers=seen.readers,
        digest=member.span.version.sha256 if seen.whole else "",
        checks=checks,
        recheck=seen.recheck,
        sound=not seen.damaged,
    )


def _rules(item: Item) -> list[RuleLine]:
    """The rules the set uses, then the others that the test permits."""
    permitted = _PERMITTED(item.specification_id)
    used = _USED(item.evidence_set_id)
    return [
        *(RuleLine(rule, used=True, permitted=rule in permitted) for rule in used),
        *(RuleLine(rule, used=False, permitted=True) for rule in permitted if rule not in used),
    ]


_PERMITTED = Statement(
    lambda specification: InferenceRule.objects.filter(
        pk__in=Specification.rules.through.objects.filter(specification=specification).values(
            "inferencerule"
        )
    ).order_by("key")
)
_USED = Statement(
    lambda evidence_set: InferenceRule.objects.filter(
        pk__in=EvidenceSetRule.objects.filter(evidence_set=evidence_set).values("rule")
    ).order_by("key")
)


def _requirements(item: Item) -> list[str]:
    graph = _GRAPH.first(item.evidence_set.claim.question_id, item.pk)
    return [_says(step) for step in from_json(graph.body).requirements] if graph else []


def _opened(item: UUID) -> QuerySet[Item, datetime]:
    """When the item was opened: only what is no younger is shown beside it."""
    return Item.objects.filter(pk=item).values_list("opened_at", flat=True)


_GRAPH = Statement(
    lambda question, item: RequirementGraph.objects.filter(
        question=question, created_at__lte=_opened(item)
    ).order_by("-number")[:1]
)


def _says(step: Requirement) -> str:
    if step.kind == "lookup":
        return step.template
    return f"{step.op}: {', '.join(step.args)}"


def _conflicts(membership: Membership, item: Item) -> list[Conflict]:
    found = _CONFLICTS(item.evidence_set.claim_id, item.pk, membership.class_ids)
    return [Conflict(one, _excerpts(one, membership.project.slug)) for one in found]


def _conflicts_on(claim: UUID, item: UUID, classes: tuple[UUID, ...]) -> QuerySet[Contradiction]:
    later = Contradiction.objects.filter(supersedes=OuterRef("pk"), at__lte=_opened(item))
    hidden = ContradictionSpan.objects.filter(
        ~may_read(classes, "span__"), contradiction=OuterRef("pk")
    )
    return (
        Contradiction.objects.filter(claim=claim, at__lte=_opened(item))
        .filter(~Exists(later), ~Exists(hidden))
        .order_by("at", "id")
        .prefetch_related("spans__version__source")
    )


_CONFLICTS = Statement(_conflicts_on)


def _excerpts(contradiction: Contradiction, slug: str) -> list[ConflictExcerpt]:
    spans = list(contradiction.spans.all())
    stale = rechecks(span.version_id for span in spans)
    return [
        ConflictExcerpt(
            span,
            parts_of(span.exact) if is_sound(span) else [],
            in_context(slug, span),
            stale.get(span.version_id),
        )
        for span in spans
    ]
