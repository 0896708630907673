"""Pages of the frozen tests of a project and of the draft of the next one."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership


@require_safe
@member_page()
def specifications(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Every specification of the project, newest first."""
    return render(request, "specifications/list.html", {})
