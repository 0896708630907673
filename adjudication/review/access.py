"""When a reviewer may read what runs found: where the specification shows it to every one."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from adjudication.claims.models import EvidenceSet
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role
from adjudication.review import queries
from adjudication.review.visibility import Side
from adjudication.specifications.models import Specification

View = Callable[[MemberRequest, Membership, Specification, EvidenceSet], HttpResponse]


def reviewers_where_permitted(view: View) -> Callable[..., HttpResponse]:
    """A page of the desk that shows, by ``view``, what a run found on the item's question.

    The review never reads runs; the site map puts this around a page of theirs. Where it is
    not permitted there is no such page (Http404).
    """

    @require_safe
    @member_page(Role.REVIEWER)
    def page(request: MemberRequest, membership: Membership, assignment_id: UUID) -> HttpResponse:
        item = queries.assignment_for(membership, assignment_id).item
        if Side.MACHINE not in queries.permitted_sides(membership, item):
            raise Http404("no such page")
        return view(request, membership, item.specification, item.evidence_set)

    return page
