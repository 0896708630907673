"""Pages of questions and claims."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.claims.models import Question
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership

PAGE = 50


@require_safe
@member_page()
def claims(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The questions of the project."""
    questions = Question.objects.filter(project=membership.project).order_by("text", "id")
    page = Paginator(questions, PAGE).get_page(request.GET.get("page"))
    return render(request, "claims/claims.html", {"page": page})
