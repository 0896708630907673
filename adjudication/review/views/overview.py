"""The review of a project: a reviewer's own page, and a lead's counts."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from adjudication.claims.models import EvidenceSet
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of
from adjudication.review import actions, queries
from adjudication.review.forms import OpeningForm
from adjudication.review.models import Assignment
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current, current_or_refuse

SEALED_COLUMNS = [{"label": "Claim"}, {"label": "My answers"}, {"label": "Sealed"}]


@require_safe
@member_page(Role.REVIEWER, Role.LEAD)
def review(request: MemberRequest, membership: Membership) -> HttpResponse:
    """What a reviewer holds and has sealed; for a lead, how far the review is."""
    specification = current(membership.project)
    if specification is None:
        return render(request, "review/overview.html", {})
    context: dict[str, Any] = {"specification": specification}
    if membership.has(Role.REVIEWER):
        context |= _own(request, membership, specification)
    if membership.has(Role.LEAD):
        form = OpeningForm(initial={"origins": EvidenceSet.Origin.values, "eligible_only": True})
        context |= _whole(membership, specification, form)
    return render(request, "review/overview.html", context)


def _own(
    request: HttpRequest, membership: Membership, specification: Specification
) -> dict[str, Any]:
    sealed = page_of(request, queries.sealed_by(membership))
    return {
        "progress": queries.progress_of(membership, specification),
        "held": queries.held_by(membership, specification),
        "page": sealed,
        "sealed_columns": SEALED_COLUMNS,
    }


def _whole(
    membership: Membership, specification: Specification, form: OpeningForm
) -> dict[str, Any]:
    unopened = queries.awaiting_opening(specification)
    opening = {
        "opening": form,
        "unopened": unopened.count(),
        "outside": unopened.filter(queries.reaching_outside(specification)).count(),
        "carries": queries.earlier_specifications(specification).exists(),
    }
    if membership.has(Role.REVIEWER):
        # Totals of the project would tell a reviewer what others have done.
        return opening
    return opening | {
        "counts": queries.state_counts(specification),
        "short": queries.short_of_reviewers(specification).count(),
    }


@require_POST
@member_page(Role.LEAD)
def open_items(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Open the proposed sets of the chosen kinds for review."""
    specification = current_or_refuse(membership.project)
    form = OpeningForm(request.POST)
    if not form.is_valid():
        context = {"specification": specification} | _whole(membership, specification, form)
        return render(request, "review/overview.html", context, status=422)
    sets = queries.awaiting_opening(specification, form.cleaned_data["origins"])
    if form.cleaned_data["eligible_only"]:
        sets = sets.exclude(queries.reaching_outside(specification))
    opened = actions.open_items(specification, sets, by=membership)
    messages.success(request, opened.in_words())
    return redirect("review", membership.project.slug)


@require_POST
@member_page(Role.REVIEWER)
def take_next(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The item in hand, or the next one."""
    return to_next(request, membership)


def to_next(
    request: HttpRequest, membership: Membership, after: Assignment | None = None
) -> HttpResponse:
    """Go to the next item's desk, or home to the review if nothing waits."""
    slug = membership.project.slug
    taken = actions.take_next(membership, after)
    if taken is None:
        messages.info(request, "Nothing waits for you now.")
        return redirect("review", slug)
    return redirect("desk", slug, taken.pk)
