"""Who has how much in hand, and the leases that run: for leads, totals only."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of
from adjudication.review import actions, queries
from adjudication.specifications.queries import current

COLUMNS = [
    {"label": "Reviewer"},
    {"label": "In hand", "kind": "num"},
    {"label": "Sealed", "kind": "num"},
    {"label": "Handed back", "kind": "num"},
    {"label": "Expired", "kind": "num"},
    {"label": "Could come now", "kind": "num"},
    {"label": "Last seen at work"},
]
LEASE_COLUMNS = [
    {"label": "Set"},
    {"label": "In the hands of"},
    {"label": "Since"},
    {"label": "Lease"},
    {"label": "Release it"},
]


@require_safe
@member_page(Role.LEAD)
def workload(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Each reviewer's totals in the test in force, and what lies in whose hands."""
    slug = membership.project.slug
    specification = current(membership.project)
    context: dict[str, Any] = {
        "specification": specification,
        "crumbs": crumbs(slug, "review", ("Workload", "")),
    }
    if specification:
        queries.check_may_read_totals(membership, specification)
        context |= {
            "counts": queries.state_counts(specification),
            "rows": queries.workload(specification),
            "columns": COLUMNS,
            "page": page_of(request, queries.leases_of(membership, specification)),
            "lease_columns": LEASE_COLUMNS,
        }
    return render(request, "review/workload.html", context)


@require_POST
@member_page(Role.LEAD)
def take_back(request: MemberRequest, membership: Membership, assignment_id: UUID) -> HttpResponse:
    """Release an item for the person who has it in hand."""
    assignment = queries.lease_for(membership, assignment_id)
    queries.check_may_read_totals(membership, assignment.item.specification)
    if actions.take_back(assignment, by=membership):
        messages.success(
            request,
            f"Released for {assignment.reviewer}: the set can go to somebody else. "
            "What they typed is kept.",
        )
    else:
        messages.info(request, "It was not in hand any more.")
    return redirect("workload", membership.project.slug)
