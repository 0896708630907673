"""The first page after signing in, and the first page of a project."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from adjudication.accounts.models import User
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership
from adjudication.projects.queries import memberships_of


def projects(request: HttpRequest) -> HttpResponse:
    """The projects this person takes part in."""
    user = cast(User, request.user)
    return render(request, "projects/list.html", {"memberships": memberships_of(user)})


@member_page()
def project_home(request: MemberRequest, membership: Membership) -> HttpResponse:
    """What waits for this person here."""
    return render(request, "projects/home.html", {})
