"""The integrity page: the last check of a project, what differed, and a new one on demand."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from adjudication.corpus.pages import corpus_tabs
from adjudication.integrity.actions import ask_for_check
from adjudication.integrity.queries import check_for, checks_of, counts_of, read_faults
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of, word

EARLIER = 10  # checks listed beside the one that is shown
FAULT_COLUMNS = [
    {"label": "Record"},
    {"label": "Where"},
    {"label": "What differs"},
    {"label": "Stored"},
    {"label": "Found"},
]
may_see = member_page(Role.LEAD, Role.AUDITOR)


@require_safe
@may_see
def integrity(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The newest check, or the one in ``?check=``, with its faults."""
    checks = list(checks_of(membership)[:EARLIER])
    wanted = word(request.GET, "check")
    shown = check_for(membership, wanted) if wanted else next(iter(checks), None)
    context: dict[str, Any] = {
        "check": shown,
        "checks": checks,
        "columns": FAULT_COLUMNS,
        "tabs": corpus_tabs(membership, "integrity"),
        "crumbs": crumbs(membership.project.slug, "sources", ("Integrity", "")),
    }
    if shown is not None:
        page = page_of(request, shown.found.all())
        context |= {
            "counts": counts_of(shown),
            "page": page,
            "rows": read_faults(membership, page),
            "query": urlencode({"check": str(shown.pk)}),
        }
    return render(request, "integrity/integrity.html", context)


@require_POST
@may_see
def check(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Ask a worker to hash everything again; one that is on its way is the same one."""
    ask_for_check(membership.project, by=request.user)
    return redirect("integrity", membership.project.slug)
