"""Reading checks, and what somebody may learn of a fault."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from adjudication.corpus.clearance import may_read_whole
from adjudication.corpus.models import SourceVersion
from adjudication.corpus.queries import visible_to
from adjudication.integrity.checks import KINDS
from adjudication.integrity.models import Check, Fault
from adjudication.projects.models import Membership


def checks_of(membership: Membership) -> QuerySet[Check]:
    """Every check of the member's project, newest first."""
    checks = Check.objects.filter(project=membership.project).select_related("by")
    return checks.order_by("-asked_at", "-id")


def check_for(membership: Membership, check_id: str) -> Check:
    """One check of the member's project, however long ago (Http404)."""
    try:
        return get_object_or_404(checks_of(membership), pk=UUID(check_id))
    except ValueError:
        raise Http404("no such check") from None


def counts_of(check: Check) -> list[tuple[str, int]]:
    """How many records of each kind there were, in the order in which they are checked."""
    return [(kind.name, check.counted[kind.name]) for kind in KINDS if kind.name in check.counted]


@dataclass(frozen=True, slots=True)
class ReadFault:
    """A fault as somebody may see it.

    ``version`` is where one may look, if one may open it. ``digests`` says whether one may read
    all of it: a short range that is blocked could be guessed from a digest.
    """

    fault: Fault
    version: SourceVersion | None
    digests: bool


def read_faults(membership: Membership, faults: Iterable[Fault]) -> list[ReadFault]:
    """The faults of one page as this member may see them."""
    shown = list(faults)
    ids = {fault.version_id for fault in shown if fault.version_id}
    visible = visible_to(membership).filter(pk__in=ids)
    whole = set(_whole(membership, visible).values_list("pk", flat=True))
    versions = visible.select_related("source").defer("snapshot", "text").in_bulk()
    return [
        ReadFault(
            fault,
            versions.get(fault.version_id) if fault.version_id else None,
            fault.version_id is None or fault.version_id in whole,
        )
        for fault in shown
    ]


def _whole(membership: Membership, versions: QuerySet[SourceVersion]) -> QuerySet[SourceVersion]:
    return versions.filter(may_read_whole(membership.reader_classes.all()))
