"""Pages of systems: which were imported, and what each answered with which citations."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of
from adjudication.scoring import queries
from adjudication.scoring.pages import RUN_COLUMNS, output_cards


@require_safe
@member_page(*queries.READERS)
def systems(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The system runs of the project."""
    queries.check_may_read(membership)
    context = {
        "page": page_of(request, queries.system_runs_of(membership)),
        "columns": RUN_COLUMNS,
        "may_import": membership.has(Role.LEAD),
    }
    return render(request, "scoring/systems.html", context)


@require_safe
@member_page(*queries.READERS)
def system(request: MemberRequest, membership: Membership, key: str) -> HttpResponse:
    """One system run: its outputs, what they cite and what was retrieved."""
    queries.check_may_read(membership)
    run = queries.system_run_for(membership, key)
    page = page_of(request, queries.outputs_of(run))
    context = {
        "run": run,
        "page": page,
        "outputs": output_cards(membership, queries.read_outputs(membership, page.object_list)),
        "crumbs": crumbs(membership.project.slug, "systems", (run.system, "")),
    }
    return render(request, "scoring/system.html", context)
