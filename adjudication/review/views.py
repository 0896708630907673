"""Pages of review and adjudication."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role


@member_page(Role.REVIEWER, Role.LEAD)
def review(request: MemberRequest, membership: Membership) -> HttpResponse:
    """What a reviewer holds and has sealed; for a lead, how far the review is."""
    return render(request, "review/overview.html", {})


@member_page(Role.ADJUDICATOR, Role.LEAD)
def adjudication(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The items on which reviewers disagree."""
    return render(request, "review/disputes.html", {})
