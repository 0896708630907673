"""Pages of runs, for leads and auditors; whoever may judge is asked before seeing an outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from adjudication.accounts.models import User
from adjudication.claims.models import EvidenceSet
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of, posted, word
from adjudication.runs import queries
from adjudication.runs.actions import (
    cancel_run,
    expose_outcomes,
    pause_run,
    raise_budget,
    resume_run,
    retry_failed,
    start_run,
)
from adjudication.runs.forms import BudgetForm, NewRunForm
from adjudication.runs.models import Run
from adjudication.runs.pages.calls import calls_at, exchanges
from adjudication.runs.pages.estimating import estimate_of
from adjudication.runs.pages.question import told, tries
from adjudication.runs.pages.runs import (
    QUESTION_COLUMNS,
    SHOWN_STATES,
    list_columns,
    listed,
    lists_verdicts,
    rows,
    run_step,
    tabs,
)
from adjudication.runs.pages.standing import (
    budgets_told,
    choices_of,
    reading_of,
    standing,
    twins_of,
)
from adjudication.runs.pages.twins import lost, twin_of
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
        "rows": listed(page.object_list),
        "columns": list_columns(membership),
        "shows_verdicts": lists_verdicts(membership),
        "specification": current(membership.project),
        "may_start": membership.has(Role.LEAD),
    }
    return render(request, "runs/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def new_run(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Choose questions and how they are read and searched, see what it comes to, and start.

    The buttons "find" and "estimate" start nothing.
    """
    slug = membership.project.slug
    specification = current_or_refuse(membership.project)
    finding, estimating = "find" in request.POST, "estimate" in request.POST
    entered = _entered(request, finding)
    form = NewRunForm(entered, specification=specification, finding=finding)
    if not finding and not estimating and form.is_valid():
        try:
            run = _started(form, specification, request.user)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("run", slug, run.number)
    estimated = form.is_bound and not finding
    context = {
        "form": form,
        "specification": specification,
        "estimate": estimate_of(membership, form, specification) if estimated else None,
        "crumbs": crumbs(slug, "runs", ("New run", "")),
    }
    if estimating and request.htmx:  # type: ignore[attr-defined]  # set by its middleware
        return render(request, "runs/_estimate.html", context)
    return render(request, "runs/new.html", context, status=422 if form.errors else 200)


def _entered(request: MemberRequest, finding: bool) -> QueryDict | None:
    """What the form was sent with; who looks for questions wants to choose among them."""
    sent = posted(request)
    if sent is not None and finding and word(sent, "words"):
        sent = sent.copy()
        sent["which"] = "chosen"
    return sent


def _started(form: NewRunForm, specification: Specification, by: User) -> Run:
    chosen, key = form.cleaned_data["configuration"], form.cleaned_data["key"]
    return start_run(specification, form.questions(), chosen, by, key)


@require_safe
@may_see
def run(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """One run: how far it is, what came out, and its questions."""
    found = queries.run_for(membership, number)
    chosen = request.GET.get("state", "")
    if chosen not in SHOWN_STATES or membership.judges:
        chosen = ""
    page = page_of(request, queries.attempts_in(found, chosen))
    context = standing(membership, found) | reading_of(membership, found)
    context |= twins_of(membership, found, moving=context["progress"].moving)
    context |= {
        "digest": found.sha256 if sees_digests(membership, found.specification) else "",
        "page": page,
        "rows": rows(membership, found, list(page.object_list)),
        "columns": QUESTION_COLUMNS,
        "tabs": [] if membership.judges else tabs(context["progress"], chosen),
        "query": urlencode({"state": chosen}) if chosen else "",
        "choices": choices_of(found),
        "crumbs": crumbs(membership.project.slug, "runs", (f"Run {number}", "")),
    }
    return render(request, "runs/run.html", context)


@require_safe
@may_see
def run_progress(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """The moving part of a run's page, for a page that shows it already.

    ``?said=`` is the part of the run that was last read aloud there: another one is said once.
    """
    found = queries.run_for(membership, number)
    context = standing(membership, found)
    context["polled"] = True
    context["says"] = request.GET.get("said") != str(context["part"])
    return render(request, "runs/_progress.html", context)


# --- What a lead changes about a run ---------------------------------------------------------


@require_POST
@member_page(Role.LEAD)
def retry(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """Try the failed questions of a run again."""

    def change(found: Run) -> str:
        count = retry_failed(found, request.user)
        if not count:
            return "Nothing waits to be tried again."
        return (
            f"{count} failed question{pluralize(count)} {pluralize(count, 'is,are')} tried again."
        )

    return _changed(request, membership, number, change)


@require_POST
@member_page(Role.LEAD)
def pause(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """Hand out no more questions of a run."""

    def change(found: Run) -> str:
        pause_run(membership, found)
        return "Paused. Questions that a worker has begun end as usual; no other is begun."

    return _changed(request, membership, number, change)


@require_POST
@member_page(Role.LEAD)
def resume(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """Let a paused run go on."""

    def change(found: Run) -> str:
        resume_run(membership, found)
        return "The run goes on."

    return _changed(request, membership, number, change)


@require_POST
@member_page(Role.LEAD)
def cancel(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """End a run for good."""

    def change(found: Run) -> str:
        count = cancel_run(membership, found)
        waiting = f"{count} waiting question{pluralize(count)} ended with it"
        return f"Cancelled: {waiting}. What had ended before stays."

    return _changed(request, membership, number, change)


def _changed(
    request: MemberRequest, membership: Membership, number: int, change: Callable[[Run], str]
) -> HttpResponse:
    """Back to the run's page with what was done, or with why it was not."""
    found = queries.run_for(membership, number)
    try:
        messages.success(request, change(found))
    except Refused as error:
        messages.error(request, str(error))
    return redirect("run", membership.project.slug, number)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def budget(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """Let a run buy more than was set at its start."""
    slug = membership.project.slug
    found = queries.run_for(membership, number)
    told = budgets_told(membership, found)
    form = BudgetForm(posted(request), control=found.control, told=told)
    if form.is_valid():
        try:
            raise_budget(membership, found, **form.cleaned_data)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The budget is raised. Failed questions can be tried again.")
            return redirect("run", slug, number)
    context = {
        "run": found,
        "form": form,
        "crumbs": crumbs(slug, "runs", run_step(slug, number), ("Budget", "")),
    }
    return render(request, "runs/budget.html", context, status=422 if form.errors else 200)


# --- One question ----------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@may_see
def question(
    request: MemberRequest,
    membership: Membership,
    number: int,
    question_id: UUID,
    *,
    twin: bool = False,
) -> HttpResponse:
    """How one question, or its ``twin``, ended, with every step, link, search and call.

    A post agrees to be shown.
    """
    slug = membership.project.slug
    found = queries.run_for(membership, number)
    attempts = queries.attempts_at(found, question_id, twin=twin)
    outcome = next((a.outcome for a in attempts if hasattr(a, "outcome")), None)
    calls = calls_at(found, question_id, twin=twin)
    tells = outcome is not None or twin or calls.exists()
    if tells and request.method == "POST":
        expose_outcomes(membership, [question_id], f"run {number}")
        return redirect("run-twin" if twin else "run-question", slug, number, question_id)
    context: dict[str, Any] = {
        "run": found,
        "slug": slug,
        "question": attempts[0].question,
        "tries": tries(membership, found, attempts),
        "outcome": outcome,
        "asks": tells and queries.must_ask(membership, question_id),
        "crumbs": crumbs(
            slug, "runs", run_step(slug, number), ("Twin" if twin else "Question", "")
        ),
    }
    if context["asks"]:
        template = "runs/ask.html" if outcome or twin else "runs/question.html"
        return render(request, template, context)
    if tells:
        expose_outcomes(membership, [question_id], f"run {number}")
    if outcome is not None:
        context |= told(membership, outcome, request.GET.get("searches"))
    if twin:
        context["lost"] = lost(membership, attempts[0])
    elif outcome is not None and not context["trace"].closed:
        context["twin"] = twin_of(membership, found, question_id)
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
        context |= told(membership, outcome)
    partial: bool = request.htmx  # type: ignore[attr-defined]  # set by its middleware
    template = "runs/_found.html" if partial else "runs/found.html"
    return render(request, template, context)
