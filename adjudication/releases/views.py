"""Pages of annotation versions: what is released, what would be next, how to check it."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership
from adjudication.releases.queries import versions_of


@member_page()
def releases(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Every released version, newest first."""
    return render(request, "releases/list.html", {"versions": versions_of(membership.project)})
