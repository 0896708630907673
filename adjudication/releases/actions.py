"""Ask for a release, withdraw the request, approve it: two people, one annotation version."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from django.db import connection, transaction

from adjudication.claims.models import EvidenceMember
from adjudication.errors import Refused
from adjudication.journal.actions import expose, record
from adjudication.journal.models import Exposure
from adjudication.projects.models import Membership, Project, ReaderClass
from adjudication.projects.queries import check_role
from adjudication.releases.exports import export_lines
from adjudication.releases.freezing import Frozen, frozen_items, head_body
from adjudication.releases.models import AnnotationVersion, FrozenItem, ReleaseRequest
from adjudication.releases.queries import (
    APPROVERS,
    REQUESTERS,
    Draft,
    draft_of,
    still_to_judge,
    waiting_request,
)
from adjudication.releases.sealing import item_digest, version_digest
from adjudication.review.integrity import DAMAGED, first_damaged
from adjudication.review.models import Verdict
from adjudication.review.queries import adjudicated_items
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current_or_refuse
from certify_core.canonical import canonical_bytes

if TYPE_CHECKING:
    from adjudication.accounts.models import User


@transaction.atomic
def request_release(lead: Membership) -> ReleaseRequest:
    """Ask that what is decided be released; a request that waits already is the same one.

    Raises:
        Refused: not a lead, no frozen specification, or nothing new to release.
    """
    check_role(lead, *REQUESTERS)
    _lock(lead.project)
    waiting = waiting_request(lead.project)
    if waiting is not None:
        return waiting
    specification = current_or_refuse(lead.project)
    _check_ready(draft_of(specification))
    request = ReleaseRequest.objects.create(
        project=lead.project, specification=specification, by=lead.user
    )
    record("requested release", request, actor=lead.user, project_id=lead.project_id)
    return request


@transaction.atomic
def withdraw_request(request: ReleaseRequest, *, by: Membership) -> None:
    """Take the request back. Withdrawing twice is harmless.

    Raises:
        Refused: not a lead, or the request was approved meanwhile.
    """
    check_role(by, *REQUESTERS)
    _lock(by.project)
    request.refresh_from_db()
    if request.state == ReleaseRequest.State.APPROVED:
        raise Refused("This request was approved meanwhile; a release cannot be taken back.")
    if request.state == ReleaseRequest.State.WAITING:
        _close(request, ReleaseRequest.State.WITHDRAWN)
        record("withdrew release request", request, actor=by.user, project_id=by.project_id)


@transaction.atomic
def approve_request(request: ReleaseRequest, *, by: Membership, contents: str) -> AnnotationVersion:
    """Release what ``by`` has seen: ``contents`` is the digest of the draft they were shown.

    Raises:
        Refused: the same person, no right, no longer waiting, or the contents changed.
    """
    check_role(by, *APPROVERS)
    _lock(by.project)
    request.refresh_from_db()
    if request.state != ReleaseRequest.State.WAITING:
        raise Refused(f"This request no longer waits: it is {request.get_state_display()}.")
    if request.specification != current_or_refuse(by.project):
        raise Refused("A newer specification was frozen since. Withdraw the request; ask again.")
    if draft_of(request.specification).contents != contents:
        raise Refused("Verdicts changed since you opened this page. Look at the contents again.")
    requester = Membership.objects.filter(project=by.project, user=request.by, active=True).first()
    if requester is None:
        raise Refused(f"{request.by} left the project. Withdraw the request and ask again.")
    version = release(request.specification, requested_by=requester, approved_by=by)
    _close(request, ReleaseRequest.State.APPROVED)
    return version


@transaction.atomic
def release(
    specification: Specification, *, requested_by: Membership, approved_by: Membership
) -> AnnotationVersion:
    """Freeze every decided set of ``specification`` as the next annotation version.

    Sets that still wait are counted in it, not held against it.

    Raises:
        Refused: one person alone, no right, nothing decided, nothing new, a damaged member, or
            another release of this project is being made.
    """
    _check_two_people(requested_by, approved_by)
    _lock(specification.project)
    draft = draft_of(specification)
    _check_ready(draft)
    version = _version(draft, requested_by, approved_by)
    _freeze(version, draft)
    record(
        "released annotation version",
        version,
        actor=approved_by.user,
        project_id=specification.project_id,
        number=version.number,
        sha256=version.sha256,
        requested_by=requested_by.user.username,
    )
    return version


def _check_two_people(requested_by: Membership, approved_by: Membership) -> None:
    check_role(requested_by, *REQUESTERS)
    check_role(approved_by, *APPROVERS)
    if requested_by.user_id == approved_by.user_id:
        raise Refused("A release needs two people: another lead or an adjudicator approves it.")


def _freeze(version: AnnotationVersion, draft: Draft) -> None:
    """Write every decided set of the draft under ``version``, sealed with one digest."""
    verdicts = [row.verdict for row in adjudicated_items(draft.specification)]
    _check_sound(verdicts)
    frozen = frozen_items(draft.specification, verdicts)
    head = head_body(
        draft.specification,
        number=version.number,
        parent=draft.parent.sha256 if draft.parent else None,
        counts=_counts(frozen, draft.awaiting),
    )
    items = [_item(version, number, one) for number, one in enumerate(frozen, 1)]
    version.body = canonical_bytes(head).decode()
    version.sha256 = version_digest(head, version.key, [item.sha256 for item in items])
    # The version's row closes its list of items, so they come first.
    FrozenItem.objects.bulk_create(items, batch_size=500)
    version.save()


def _check_sound(verdicts: Iterable[Verdict]) -> None:
    """Refuse to release words that are not those that were captured."""
    members = EvidenceMember.objects.filter(
        evidence_set__in=[verdict.item.evidence_set_id for verdict in verdicts]
    ).select_related("span__version")
    in_order = members.order_by("evidence_set", "ordinal").iterator(chunk_size=100)
    if member := first_damaged(in_order):
        raise Refused(
            f"Member {member.ordinal} of evidence set {member.evidence_set_id} {DAMAGED} "
            "Nothing was released."
        )


@transaction.atomic
def step_aside(membership: Membership, version: AnnotationVersion) -> int:
    """Give up judging what ``version`` decided, in order to read it; how many sets that is."""
    rows = still_to_judge(membership, version).select_related("evidence_set")
    sets = [item.evidence_set for item in rows]
    expose(
        membership.user,
        sets,
        Exposure.Side.JUDGEMENT,
        project_id=membership.project_id,
        place=str(version),
    )
    return len(sets)


def export_for(
    version: AnnotationVersion, reader_class: ReaderClass, *, actor: User | None
) -> Iterator[bytes]:
    """The lines of an export for ``reader_class``; the journal names who took it."""
    record(
        "exported annotation version",
        version,
        actor=actor,
        project_id=version.project_id,
        number=version.number,
        reader_class=reader_class.key,
    )
    return export_lines(version, reader_class.key)


def _version(draft: Draft, requested_by: Membership, approved_by: Membership) -> AnnotationVersion:
    return AnnotationVersion(
        project=draft.specification.project,
        specification=draft.specification,
        number=draft.number,
        parent=draft.parent,
        released_by=requested_by.user,
        approved_by=approved_by.user,
        key=draft.parent.key if draft.parent else secrets.token_hex(32),
    )


def _item(version: AnnotationVersion, ordinal: int, frozen: Frozen) -> FrozenItem:
    return FrozenItem(
        annotation_version=version,
        evidence_set_id=frozen.verdict.item.evidence_set_id,
        verdict=frozen.verdict,
        ordinal=ordinal,
        body=canonical_bytes(frozen.body).decode(),
        sha256=item_digest(frozen.body, version.key),
    )


def _counts(frozen: list[Frozen], awaiting: int) -> dict[str, int]:
    accepted = sum(one.verdict.decision == Verdict.Decision.ACCEPTED for one in frozen)
    return {"accepted": accepted, "rejected": len(frozen) - accepted, "awaiting": awaiting}


def _check_ready(draft: Draft) -> None:
    if not draft.total:
        raise Refused("No evidence set is decided yet; there is nothing to release.")
    if not draft.ready:
        raise Refused(f"No verdict changed since annotation version {draft.number - 1}.")


def _close(request: ReleaseRequest, state: ReleaseRequest.State) -> None:
    request.state = state
    request.save(update_fields=["state"])


def _lock(project: Project) -> None:
    """One request or release of a project at a time, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [f"release {project.pk}"]
        )
        if not cursor.fetchone()[0]:
            raise Refused("A release of this project is being made right now. Look again soon.")
