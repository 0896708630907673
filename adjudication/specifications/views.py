"""Pages of the frozen tests of a project and of the draft of the next one."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role
from adjudication.projects.requests import page_of
from adjudication.specifications import actions, queries
from adjudication.specifications.forms import DraftForm, RuleForm
from adjudication.specifications.models import Specification
from adjudication.specifications.rules import (
    SETTINGS,
    STANDARD_RULES,
    fingerprint,
    setting_in_words,
)

COLUMNS = [
    {"label": "Specification"},
    {"label": "State"},
    {"label": "Frozen"},
    {"label": "Eligible versions", "kind": "num"},
]


@require_safe
@member_page()
def specifications(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Every specification of the project, newest first."""
    listed = queries.specifications_of(membership).annotate(versions=Count("eligible"))
    context = {
        "page": page_of(request, listed),
        "columns": COLUMNS,
        "current": queries.current(membership.project),
        "draft": queries.draft_of(membership.project),
        "may_change": membership.has(Role.LEAD),
    }
    return render(request, "specifications/list.html", context)


@require_safe
@member_page()
def specification(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """A frozen specification, with what changed since the one before."""
    frozen = queries.frozen_for(membership, number)
    before = queries.previous(frozen)
    context = {
        "specification": frozen,
        "facts": facts_of(frozen),
        "before": before,
        "differences": queries.diff(before, frozen) if before else (),
        "versions": frozen.eligible.count(),
        "digests": queries.sees_digests(membership, frozen),
        "crumbs": crumbs(membership.project.slug, "specifications", (str(frozen), "")),
    }
    return render(request, "specifications/specification.html", context)


@require_POST
@member_page(Role.LEAD)
def start(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Start the draft of the next specification, or go on with the one that is there."""
    actions.start_draft(membership.project, by=request.user)
    return redirect("specification-draft", membership.project.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def draft(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Edit the draft; what is missing before it can be frozen stands beside it."""
    found = queries.draft_of(membership.project)
    if found is None:
        return redirect("specifications", membership.project.slug)
    form = DraftForm(request.POST or None, instance=found)
    if request.method == "POST" and form.is_valid() and _saved(request, form, found):
        return redirect(_next_page(request), membership.project.slug)
    return _draft_page(request, membership, form)


def _saved(request: MemberRequest, form: DraftForm, found: Specification) -> bool:
    try:
        actions.change_draft(
            found, form.cleaned_data, by=request.user, seen=form.cleaned_data["seen"]
        )
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, "The draft is saved.")
    return True


def _next_page(request: MemberRequest) -> str:
    """Where the button that saved leads: what is typed is never lost by going on."""
    pages = {"rules": "specification-rules", "freeze": "specification-freeze"}
    return pages.get(request.POST.get("then", ""), "specification-draft")


def _draft_page(request: MemberRequest, membership: Membership, form: DraftForm) -> HttpResponse:
    # As stored: the form's instance already holds what was typed.
    stored = queries.draft_or_refuse(membership.project)
    before = queries.previous(stored)
    context = {
        "draft": stored,
        "seen": fingerprint(stored),
        "form": form,
        "missing": queries.what_is_missing(stored),
        "notes": queries.what_to_know(stored),
        "coverage": queries.coverage(stored),
        "before": before,
        "differences": queries.diff(before, stored) if before else (),
        "crumbs": crumbs(membership.project.slug, "specifications", (f"{stored}, draft", "")),
    }
    return render(request, "specifications/draft.html", context, status=422 if form.errors else 200)


@require_POST
@member_page(Role.LEAD)
def discard(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Take the draft back."""
    found = queries.draft_of(membership.project)
    if found is not None:
        actions.discard_draft(found, by=request.user, seen=request.POST.get("seen", "-"))
        messages.success(request, f"The draft of specification {found.number} is discarded.")
    return redirect("specifications", membership.project.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def rules(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The inference rules of the project; a lead adds to them."""
    form = RuleForm(request.POST or None)
    if request.method == "POST":
        check_role(membership, Role.LEAD)
        if form.is_valid() and _added(request, membership, form):
            return redirect("specification-rules", membership.project.slug)
    known = list(membership.project.inference_rules.order_by("key"))
    context = {
        "form": form,
        "rules": known,
        "offered": [rule for rule in STANDARD_RULES if rule.key not in {one.key for one in known}],
        "may_change": membership.has(Role.LEAD),
        "draft": queries.draft_of(membership.project),
        "crumbs": crumbs(membership.project.slug, "specifications", ("Inference rules", "")),
    }
    status = 422 if form.errors else 200
    return render(request, "specifications/rules.html", context, status=status)


def _added(request: MemberRequest, membership: Membership, form: RuleForm) -> bool:
    try:
        rule = actions.add_rule(membership.project, by=request.user, **form.cleaned_data)
    except Refused as refusal:
        form.add_error("key", str(refusal))
        return False
    messages.success(request, f"The rule {rule.key} is added.")
    return True


@require_POST
@member_page(Role.LEAD)
def standard_rules(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Add the rules that many projects permit."""
    actions.add_standard_rules(membership.project, by=request.user)
    messages.success(request, "The standard rules are added.")
    return redirect("specification-rules", membership.project.slug)


def facts_of(specification: Specification) -> list[dict[str, str]]:
    """The settings as terms and values; rules are listed by themselves."""
    classes = ", ".join(one.title for one in specification.reader_classes.order_by("key"))
    return [
        *(
            {"term": label, "value": setting_in_words(specification, name), "absent": "empty"}
            for name, label in SETTINGS.items()
        ),
        {"term": "Reader classes", "value": classes, "absent": "none chosen"},
    ]
