"""Reading annotation versions and what the next one would hold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.http import Http404
from django.urls import reverse

from adjudication.errors import Refused
from adjudication.projects.models import Membership, Project, ReaderClass, Role
from adjudication.projects.waiting import Waiting
from adjudication.releases.models import AnnotationVersion, FrozenItem, ReleaseRequest
from adjudication.review.models import WITHOUT_VERDICT, Item, Verdict
from adjudication.review.queries import adjudicated_items, may_still_judge
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current
from certify_core.canonical import digest

REQUESTERS = (Role.LEAD,)
APPROVERS = (Role.LEAD, Role.ADJUDICATOR)
"""A release needs two people: a lead asks; another lead, or an adjudicator, approves."""


def versions_of(project: Project) -> QuerySet[AnnotationVersion]:
    """Released versions, newest first."""
    return (
        AnnotationVersion.objects.filter(project=project)
        .select_related("specification", "released_by", "approved_by", "parent")
        .order_by("-number")
    )


def version_numbered(project: Project, number: int) -> AnnotationVersion:
    """For commands: one released version, or Refused with the numbers there are."""
    found = versions_of(project).filter(number=number).first()
    if found is None:
        last = versions_of(project).count()
        known = f"The last one is {last}." if last else "Nothing is released yet."
        raise Refused(f"{project.slug!r} has no annotation version {number}. {known}")
    return found


def version_for(membership: Membership, number: int) -> AnnotationVersion:
    """A released version of the member's project (Http404 where there is none)."""
    found = versions_of(membership.project).filter(number=number).first()
    if found is None:
        raise Http404("no such annotation version")
    return found


def reader_class_for(membership: Membership, key: str) -> ReaderClass:
    """A class that the member holds; any other is as missing (Http404)."""
    found = membership.reader_classes.filter(key=key).first()
    if found is None:
        raise Http404("no such export")
    return found


def reader_class_named(project: Project, key: str) -> ReaderClass:
    """For commands: a reader class of the project, or Refused with the known ones."""
    found = project.reader_classes.filter(key=key).first()
    if found is None:
        known = ", ".join(project.reader_classes.order_by("key").values_list("key", flat=True))
        raise Refused(f"No reader class {key!r} in {project.slug!r}. Known: {known}.")
    return found


def items_of(version: AnnotationVersion) -> QuerySet[FrozenItem]:
    return version.items.select_related("verdict").order_by("ordinal")


def released_verdicts(sets: Collection[UUID]) -> set[UUID]:
    """Those verdicts on these evidence sets that are part of an annotation version."""
    items = FrozenItem.objects.filter(evidence_set__in=sets)
    return set(items.values_list("verdict", flat=True))


def item_for(version: AnnotationVersion, ordinal: int) -> FrozenItem:
    """One item of a version that this member may read (Http404 where there is none)."""
    found = items_of(version).filter(ordinal=ordinal).first()
    if found is None:
        raise Http404("no such item")
    return found


def still_to_judge(membership: Membership, version: AnnotationVersion) -> QuerySet[Item]:
    """Sets of the version that are under review again and may yet come to this reviewer.

    What was decided about them before is a hidden side: an independent first judgement of
    them is not made by someone who has read it.
    """
    in_version = version.items.values("evidence_set")
    return may_still_judge(membership).filter(evidence_set__in=in_version)


def check_may_read(membership: Membership, version: AnnotationVersion) -> None:
    """Raises Refused while decided sets of ``version`` may still come to this reviewer."""
    if waiting := still_to_judge(membership, version).count():
        raise Refused(
            f"{waiting} {'set' if waiting == 1 else 'sets'} of {version} may still come to you "
            "for judgement. Judge them first, or open the version and step aside."
        )


# --- The next version ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Changes:
    """How many decided sets differ from an earlier version, and how."""

    new: int
    changed: int
    unchanged: int
    gone: int

    @property
    def any(self) -> bool:
        return bool(self.new or self.changed or self.gone)


@dataclass(frozen=True, slots=True)
class Draft:
    """What a release would hold now. ``contents`` digests its verdicts, to notice a change."""

    specification: Specification
    parent: AnnotationVersion | None
    accepted: int
    rejected: int
    awaiting: int
    changes: Changes
    contents: str

    @property
    def number(self) -> int:
        return self.parent.number + 1 if self.parent else 1

    @property
    def total(self) -> int:
        return self.accepted + self.rejected

    @property
    def ready(self) -> bool:
        """Whether there is something to release that the parent does not hold already."""
        same_test = self.parent and self.parent.specification_id == self.specification.pk
        return bool(self.total and (self.changes.any or not same_test))


def draft_of(specification: Specification) -> Draft:
    """What would be released now under ``specification``."""
    rows = adjudicated_items(specification)
    verdicts = {row.item.evidence_set_id: _reached(row.verdict) for row in rows}
    accepted = sum(row.verdict.decision == Verdict.Decision.ACCEPTED for row in rows)
    parent = versions_of(specification.project).first()
    return Draft(
        specification=specification,
        parent=parent,
        accepted=accepted,
        rejected=len(rows) - accepted,
        awaiting=awaiting(specification),
        changes=_changes(verdicts, _verdicts_of(parent)),
        contents=digest([str(specification.pk), *sorted(str(row.verdict.pk) for row in rows)]),
    )


def keeps_contents(membership: Membership, specification: Specification) -> bool:
    """Whether sets of the test may still come to this person for judgement, so that they may not
    know what others decided there."""
    return may_still_judge(membership).filter(specification=specification).exists()


def awaiting(specification: Specification) -> int:
    """Sets under review that no verdict decides yet, in whatever state: one number.

    How many of them are disputed would tell reviewers about each other's judgements.
    """
    return Item.objects.filter(specification=specification, state__in=WITHOUT_VERDICT).count()


def changes_in(version: AnnotationVersion) -> Changes:
    """How a released version differs from its parent."""
    return _changes(_verdicts_of(version), _verdicts_of(version.parent))


def _verdicts_of(version: AnnotationVersion | None) -> dict[UUID, UUID]:
    if version is None:
        return {}
    reached = Coalesce("verdict__carried_from", "verdict")
    return dict(version.items.values_list("evidence_set", reached))


def _reached(verdict: Verdict) -> UUID:
    """The verdict that people reached: carried over, it is still the same."""
    return verdict.carried_from_id or verdict.pk


def _changes(now: dict[UUID, UUID], before: dict[UUID, UUID]) -> Changes:
    kept = now.keys() & before.keys()
    unchanged = sum(now[one] == before[one] for one in kept)
    return Changes(
        new=len(now) - len(kept),
        changed=len(kept) - unchanged,
        unchanged=unchanged,
        gone=len(before) - len(kept),
    )


def waiting_request(project: Project) -> ReleaseRequest | None:
    """The request that waits for a second person, if any."""
    return (
        ReleaseRequest.objects.filter(project=project, state=ReleaseRequest.State.WAITING)
        .select_related("by", "specification")
        .first()
    )


def home_counts(membership: Membership) -> tuple[Waiting, ...]:
    """What waits for this member: a request to approve; decided sets to release."""
    url = reverse("releases", args=[membership.project.slug])
    request = waiting_request(membership.project)
    if request is not None and may_approve(membership, request):
        return (Waiting("release to approve", 1, None, url, "Look at it"),)
    specification = current(membership.project)
    if request is not None or specification is None or not membership.has(*REQUESTERS):
        return ()
    if membership.has(Role.REVIEWER):
        # How many sets are decided would tell a lead who also reviews what others answered.
        return ()
    changes = draft_of(specification).changes
    unreleased = changes.new + changes.changed
    return (Waiting("decided sets not released yet", unreleased, None, url, "Ask for a release"),)


def may_approve(membership: Membership, request: ReleaseRequest) -> bool:
    return membership.has(*APPROVERS) and membership.user_id != request.by_id
