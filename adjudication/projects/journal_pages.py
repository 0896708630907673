"""The journal's pages. They live here because a membership opens them; the journal is below."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role


@require_safe
@member_page(Role.LEAD, Role.AUDITOR)
def journal(request: MemberRequest, membership: Membership) -> HttpResponse:
    """What happened in this project, newest first."""
    return render(request, "journal/entries.html", {})
