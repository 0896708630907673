"""Who takes part in a project: pages of its leads."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role


@require_safe
@member_page(Role.LEAD, Role.AUDITOR)
def people(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The members with their roles and clearances."""
    return render(request, "projects/people.html", {})
