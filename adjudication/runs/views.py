"""Pages of runs: for leads and auditors."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role
from adjudication.runs import queries

PAGE = 50
may_see = member_page(Role.LEAD, Role.AUDITOR)


@require_safe
@may_see
def runs(request: MemberRequest, membership: Membership) -> HttpResponse:
    page = Paginator(queries.runs_of(membership), PAGE).get_page(request.GET.get("page"))
    return render(request, "runs/list.html", {"page": page})
