"""Pages of runs, for leads and auditors; whoever may judge is asked before seeing an outcome."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from adjudication.claims.models import EvidenceMember, EvidenceSet
from adjudication.corpus.soundness import is_sound
from adjudication.corpus.staleness import Recheck, rechecks
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of
from adjudication.runs import queries
from adjudication.runs.actions import expose_outcomes, retry_failed, start_run
from adjudication.runs.forms import NewRunForm
from adjudication.runs.models import Attempt, Outcome, Run
from adjudication.runs.picture import draw
from adjudication.runs.rules import CAUSES, CHECKS, in_words
from adjudication.runs.trace import Trace
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current, current_or_refuse, sees_digests

SHOWN_STATES = ("certified", "abstained", "failed", "unfinished")
LIST_COLUMNS = [
    {"label": "Run"},
    {"label": "Started"},
    {"label": "Entity check"},
    {"label": "Questions", "kind": "num"},
    {"label": "Certificates", "kind": "num"},
    {"label": "Abstentions", "kind": "num"},
    {"label": "Failures", "kind": "num"},
    {"label": "Unfinished", "kind": "num"},
]
VERDICT_COLUMNS = ("Certificates", "Abstentions")
QUESTION_COLUMNS = [{"label": "Question"}, {"label": "Outcome"}, {"label": "Why"}]
LINK_COLUMNS = [
    {"label": "Value"},
    {"label": "Step", "kind": "num"},
    {"label": "Passage"},
    {"label": "Link"},
    {"label": "Reason"},
    {"label": "Rank", "kind": "num"},
]
may_see = member_page(Role.LEAD, Role.AUDITOR)


@require_safe
@may_see
def runs(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The project's runs, newest first."""
    page = page_of(request, queries.runs_of(membership.project))
    context = {
        "page": page,
        "columns": _list_columns(membership),
        "shows_verdicts": _lists_verdicts(membership),
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
    if chosen not in SHOWN_STATES or membership.judges:
        chosen = ""
    page = page_of(request, queries.attempts_in(found, chosen))
    standing = _standing(membership, found)
    context = standing | {
        "digest": found.sha256 if sees_digests(membership, found.specification) else "",
        "page": page,
        "rows": _rows(membership, found, list(page.object_list)),
        "columns": QUESTION_COLUMNS,
        "tabs": [] if membership.judges else _tabs(standing["progress"], chosen),
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
    standing = _standing(membership, found)
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
    """How one question ended, with every step, link and search. A post agrees to be shown."""
    slug = membership.project.slug
    found = queries.run_for(membership, number)
    attempts = queries.attempts_at(found, question_id)
    outcome = next((a.outcome for a in attempts if hasattr(a, "outcome")), None)
    context: dict[str, Any] = {
        "run": found,
        "question": attempts[0].question,
        "attempts": attempts,
        "outcome": outcome,
        "crumbs": crumbs(slug, "runs", _run_step(slug, number), ("Question", "")),
    }
    if outcome is None:
        return render(request, "runs/question.html", context)
    if request.method != "POST" and queries.must_ask(membership, question_id):
        return render(request, "runs/ask.html", context)
    expose_outcomes(membership, [question_id], f"run {number}")
    if request.method == "POST":
        return redirect("run-question", slug, number, question_id)
    context |= _told(membership, outcome)
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
        context |= _told(membership, outcome)
    partial: bool = request.htmx  # type: ignore[attr-defined]  # set by its middleware
    template = "runs/_found.html" if partial else "runs/found.html"
    return render(request, template, context)


# --- What the pages hold ---------------------------------------------------------------------


def _told(membership: Membership, outcome: Outcome) -> dict[str, Any]:
    """How a question ended: certificate or abstention, steps, links and searches."""
    trace = Trace.of(membership, outcome)
    slug = membership.project.slug
    return {
        "trace": trace,
        "picture": None if trace.closed else draw(trace),
        "members": _members(slug, list(queries.members_of(outcome))),
        "link_columns": LINK_COLUMNS,
        "slug": slug,
    }


def _list_columns(membership: Membership) -> list[dict[str, str]]:
    """Without what tells how questions ended, for who may have to judge them."""
    hidden = () if _lists_verdicts(membership) else VERDICT_COLUMNS
    return [column for column in LIST_COLUMNS if column["label"] not in hidden]


def _lists_verdicts(membership: Membership) -> bool:
    """The list spans specifications released and not, so an auditor opens a run to see more."""
    return membership.has(Role.LEAD) and not membership.judges


def _standing(membership: Membership, run: Run) -> dict[str, Any]:
    """How far a run is; how its questions ended only for who need not judge them."""
    progress = queries.progress(run)
    moving = progress.unfinished > 0
    return {
        "run": run,
        "progress": progress,
        "rate": f"{progress.rate:.1f} per second" if progress.rate else "",
        "left": f"about {in_words(progress.left)} left" if moving and progress.left else "",
        "took": in_words(progress.elapsed) if progress.elapsed and not moving else "",
        "may_retry": progress.failed and membership.has(Role.LEAD),
        "slug": membership.project.slug,
    } | ({} if membership.judges else _verdicts(run))


def _verdicts(run: Run) -> dict[str, Any]:
    """What tells how questions ended, be it of all of them together."""
    return {
        "shows_verdicts": True,
        "agreeing": queries.agreeing(run),
        "causes": [(CAUSES[cause], count) for cause, count in queries.causes(run).items()],
    }


def _rows(membership: Membership, run: Run, attempts: list[Attempt]) -> list[dict[str, Any]]:
    """Questions with their outcomes, as far as this person may be shown them unasked."""
    ended = [a.question_id for a in attempts if a.state in ("certified", "abstained")]
    shown = queries.open_questions(membership, ended)
    expose_outcomes(membership, shown, f"list of run {run.number}")
    causes = {key: CAUSES[cause] for key, cause in queries.first_causes(run, shown).items()}
    return [
        {
            "attempt": attempt,
            "url": reverse(
                "run-question", args=[membership.project.slug, run.number, attempt.question_id]
            ),
            "hidden": attempt.question_id in set(ended) - shown,
            "why": attempt.error or causes.get(attempt.question_id, ""),
        }
        for attempt in attempts
    ]


def _members(slug: str, members: list[EvidenceMember]) -> list[dict[str, Any]]:
    stale = rechecks(member.span.version_id for member in members)
    return [_member(slug, member, stale.get(member.span.version_id)) for member in members]


def _member(slug: str, member: EvidenceMember, recheck: Recheck | None) -> dict[str, Any]:
    """A member for the component of an excerpt."""
    version = member.span.version
    damaged = not is_sound(member.span)
    url = reverse("version", args=[slug, version.pk])
    return {
        "number": member.ordinal,
        "title": version.source.title,
        "text": "" if damaged else member.span.exact,
        "damaged": damaged,
        "version": version.sha256,
        "observed": version.observed,
        "recheck": recheck,
        "url": f"{url}?{urlencode({'span': str(member.span_id)})}",
    }


def _tabs(progress: queries.Progress, chosen: str) -> list[dict[str, Any]]:
    counts = {"": progress.questions} | {s: getattr(progress, s) for s in SHOWN_STATES}
    return [
        {
            "label": (state or "all").capitalize(),
            "url": f"?state={state}" if state else "?",
            "current": state == chosen,
            "count": count,
        }
        for state, count in counts.items()
    ]


def _run_step(slug: str, number: int) -> tuple[str, str]:
    return f"Run {number}", reverse("run", args=[slug, number])
