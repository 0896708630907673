"""Pages of runs, for leads and auditors; whoever may judge is asked before seeing an outcome."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from adjudication.claims.models import EvidenceSet
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of
from adjudication.runs import pages, queries
from adjudication.runs.actions import expose_outcomes, retry_failed, start_run
from adjudication.runs.forms import NewRunForm
from adjudication.runs.reader_calls import calls_at, exchanges
from adjudication.runs.rules import CHECKS
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current, current_or_refuse, sees_digests

may_see = member_page(Role.LEAD, Role.AUDITOR)


@require_safe
@may_see
def runs(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The project's runs, newest first."""
    page = page_of(request, queries.runs_of(membership.project))
    context = {
        "page": page,
        "columns": pages.list_columns(membership),
        "shows_verdicts": pages.lists_verdicts(membership),
        "specification": current(membership.project),
        "may_start": membership.has(Role.LEAD),
    }
    return render(request, "runs/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def new_run(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Choose questions and entity check, and start."""
    slug = membership.project.slug
    specification = current_or_refuse(membership.project)
    form = NewRunForm(request.POST or None, specification=specification)
    if form.is_valid():
        try:
            run = start_run(
                specification,
                form.questions(),
                form.configuration(),
                request.user,
                form.cleaned_data["key"],
            )
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("run", slug, run.number)
    context = {
        "form": form,
        "specification": specification,
        "crumbs": crumbs(slug, "runs", ("New run", "")),
    }
    return render(request, "runs/new.html", context, status=422 if form.errors else 200)


@require_safe
@may_see
def run(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """One run: how far it is, what came out, and its questions."""
    found = queries.run_for(membership, number)
    chosen = request.GET.get("state", "")
    if chosen not in pages.SHOWN_STATES or membership.judges:
        chosen = ""
    page = page_of(request, queries.attempts_in(found, chosen))
    standing = pages.standing(membership, found)
    context = standing | {
        "digest": found.sha256 if sees_digests(membership, found.specification) else "",
        "page": page,
        "rows": pages.rows(membership, found, list(page.object_list)),
        "columns": pages.QUESTION_COLUMNS,
        "tabs": [] if membership.judges else pages.tabs(standing["progress"], chosen),
        "query": urlencode({"state": chosen}) if chosen else "",
        "checks": dict(CHECKS),
        "crumbs": crumbs(membership.project.slug, "runs", (f"Run {number}", "")),
    }
    return render(request, "runs/run.html", context)


@require_safe
@may_see
def run_progress(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """The moving part of a run's page; once the run has ended, the page is loaded anew."""
    found = queries.run_for(membership, number)
    standing = pages.standing(membership, found)
    response = render(request, "runs/_progress.html", standing)
    if not standing["progress"].unfinished:
        response.headers["HX-Refresh"] = "true"
    return response


@require_POST
@member_page(Role.LEAD)
def retry(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """Try the failed questions of a run again."""
    found = queries.run_for(membership, number)
    count = retry_failed(found, request.user)
    messages.success(request, f"{count} failed questions are tried again.")
    return redirect("run", membership.project.slug, number)


@require_http_methods(["GET", "HEAD", "POST"])
@may_see
def question(
    request: MemberRequest, membership: Membership, number: int, question_id: UUID
) -> HttpResponse:
    """How one question ended, with every step, link, search and call. A post agrees to be shown."""
    slug = membership.project.slug
    found = queries.run_for(membership, number)
    attempts = queries.attempts_at(found, question_id)
    outcome = next((a.outcome for a in attempts if hasattr(a, "outcome")), None)
    calls = calls_at(found, question_id)
    tells = outcome is not None or calls.exists()
    if tells and request.method == "POST":
        expose_outcomes(membership, [question_id], f"run {number}")
        return redirect("run-question", slug, number, question_id)
    context: dict[str, Any] = {
        "run": found,
        "slug": slug,
        "question": attempts[0].question,
        "tries": pages.tries(membership, found, attempts),
        "outcome": outcome,
        "asks": tells and queries.must_ask(membership, question_id),
        "crumbs": crumbs(slug, "runs", pages.run_step(slug, number), ("Question", "")),
    }
    if context["asks"]:
        template = "runs/ask.html" if outcome else "runs/question.html"
        return render(request, template, context)
    if tells:
        expose_outcomes(membership, [question_id], f"run {number}")
    if outcome is not None:
        context |= pages.told(membership, outcome, request.GET.get("searches"))
    if calls.exists() and not ("trace" in context and context["trace"].closed):
        context["exchanges"] = exchanges(membership, found, calls, request.GET.get("calls"))
    return render(request, "runs/question.html", context)


def found(
    request: MemberRequest,
    membership: Membership,
    specification: Specification,
    evidence_set: EvidenceSet,
) -> HttpResponse:
    """What runs found on the question of ``evidence_set``, for whoever the caller lets see it.

    Seeing it is not recorded as an exposure: the caller's rule shows it to all who judge.
    """
    outcome = queries.outcome_for(specification, evidence_set)
    context: dict[str, Any] = {"question": evidence_set.claim.question, "outcome": outcome}
    if outcome is not None:
        context |= pages.told(membership, outcome)
    partial: bool = request.htmx  # type: ignore[attr-defined]  # set by its middleware
    template = "runs/_found.html" if partial else "runs/found.html"
    return render(request, template, context)
