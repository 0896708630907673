"""Pages of the corpus."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.corpus.queries import sources_of
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership

PAGE = 50


@require_safe
@member_page()
def sources(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The sources this member may read, by title."""
    page = Paginator(sources_of(membership), PAGE).get_page(request.GET.get("page"))
    return render(request, "corpus/sources.html", {"page": page})
