"""What is judged: claim, members, rules and requirements, the same for everyone who may judge.

Nothing here depends on who proposed the set, on a machine's verdict or on what anybody
answered. Records that people add beside the claim are shown as they stood when the item was
opened, so that a reviewer cannot answer the next one through them.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from adjudication.claims.actions import claim_text
from adjudication.claims.graphs import from_json
from adjudication.claims.models import (
    Claim,
    Contradiction,
    ContradictionSpan,
    EvidenceMember,
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
    members = EvidenceMember.objects.filter(evidence_set=item.evidence_set_id)
    return list(members.select_related("span__version__source"))


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
    permitted = set(item.specification.rules.values_list("pk", flat=True))
    used = list(item.evidence_set.rules.order_by("key"))
    others = item.specification.rules.exclude(pk__in=[rule.pk for rule in used]).order_by("key")
    return [
        *(RuleLine(rule, used=True, permitted=rule.pk in permitted) for rule in used),
        *(RuleLine(rule, used=False, permitted=True) for rule in others),
    ]


def _requirements(item: Item) -> list[str]:
    graph = (
        RequirementGraph.objects.filter(question=item.evidence_set.claim.question_id)
        .filter(created_at__lte=item.opened_at)
        .order_by("-number")
        .first()
    )
    return [_says(step) for step in from_json(graph.body).requirements] if graph else []


def _says(step: Requirement) -> str:
    if step.kind == "lookup":
        return step.template
    return f"{step.op}: {', '.join(step.args)}"


def _conflicts(membership: Membership, item: Item) -> list[Conflict]:
    later = Contradiction.objects.filter(supersedes=OuterRef("pk"), at__lte=item.opened_at)
    hidden = ContradictionSpan.objects.filter(
        ~may_read(membership.reader_classes.all(), "span__"), contradiction=OuterRef("pk")
    )
    found = (
        Contradiction.objects.filter(claim=item.evidence_set.claim_id, at__lte=item.opened_at)
        .filter(~Exists(later), ~Exists(hidden))
        .order_by("at", "id")
        .prefetch_related("spans__version__source")
    )
    return [Conflict(one, _excerpts(one, membership.project.slug)) for one in found]


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
