"""Guidelines with what changed in them; comments beside a judgement or a dispute; flags."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from adjudication.corpus.diffing import compare, hunks_of
from adjudication.corpus.reading import parts_of
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role
from adjudication.projects.requests import page_of, posted, word
from adjudication.review import actions, queries
from adjudication.review.discussion import Flag, Guideline
from adjudication.review.forms import FlagResolutionForm, GuidelineForm
from adjudication.review.pages import guidelines_html

PLACE = "flags"
FLAG_COLUMNS = [
    {"label": "Claim"},
    {"label": "What is wrong"},
    {"label": "Flagged"},
    {"label": "State"},
]


# --- Guidelines ------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def guidelines(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The guidelines in force or any earlier version; a lead puts a new one in force."""
    if request.method == "POST":
        check_role(membership, Role.LEAD)
    known = queries.guidelines_of(membership.project)
    latest = known.first()
    form = GuidelineForm(
        posted(request),
        initial={"text": latest.text, "seen": latest.pk} if latest else {"seen": ""},
    )
    if request.method == "POST" and form.is_valid():
        try:
            made = actions.publish_guidelines(membership, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, f"Version {made.number} of the guidelines is in force.")
            return redirect("guidelines", membership.project.slug)
    shown = _asked_for(request, membership, "version", latest)
    context = {
        "latest": latest,
        "shown": shown,
        "text": guidelines_html(shown.text) if shown else "",
        "page": page_of(request, known),
        "form": form if membership.has(Role.LEAD) else None,
    }
    status = 422 if form.errors else 200
    return render(request, "review/guidelines.html", context, status=status)


def _asked_for(
    request: HttpRequest, membership: Membership, name: str, otherwise: Guideline | None
) -> Guideline | None:
    """The version that the address names, else ``otherwise``; Http404 where there is no such."""
    number = word(request.GET, name)
    if not number:
        return otherwise
    if not (number.isascii() and number.isdecimal() and len(number) < 9):
        raise Http404("no such version")
    found = queries.guidelines_of(membership.project).filter(number=int(number)).first()
    if found is None:
        raise Http404("no such version")
    return found


@require_safe
@member_page()
def guidelines_diff(request: MemberRequest, membership: Membership) -> HttpResponse:
    """What changed from one version of the guidelines to another; the last two unless named."""
    known = list(queries.guidelines_of(membership.project)[:2])
    if not known:
        raise Http404("no guidelines")
    new = _asked_for(request, membership, "to", known[0])
    old = _asked_for(request, membership, "from", known[-1])
    assert new is not None
    assert old is not None
    found = compare(old.text, new.text)
    hunks, rest = hunks_of(found.pieces)
    context = {
        "old": old,
        "new": new,
        "same": found.same,
        "hunks": [
            {
                "folded": hunk.folded,
                "pieces": [
                    {"kind": one.kind, "why": one.why, "parts": parts_of(one.text)}
                    for one in hunk.pieces
                ],
            }
            for hunk in hunks
        ],
        "rest": rest,
        "numbers": queries.guidelines_of(membership.project).values_list("number", flat=True),
    }
    return render(request, "review/guidelines_diff.html", context)


# --- Flags -----------------------------------------------------------------------------------


@require_safe
@member_page(Role.LEAD)
def flags(request: MemberRequest, membership: Membership) -> HttpResponse:
    """What reviewers flagged, those to resolve first. Seeing them is recorded."""
    page = page_of(request, queries.flags_seen(membership))
    actions.open_flags(membership, list(page.object_list), place=PLACE)
    context = {"page": page, "columns": FLAG_COLUMNS}
    return render(request, "review/flags.html", context)


@require_safe
@member_page(Role.LEAD)
def flag(request: MemberRequest, membership: Membership, flag_id: UUID) -> HttpResponse:
    """One flag with the item it is about."""
    found = queries.flag_for(membership, flag_id)
    return _show(request, membership, found, FlagResolutionForm())


def _show(
    request: HttpRequest,
    membership: Membership,
    found: Flag,
    form: FlagResolutionForm,
    status: int = 200,
) -> HttpResponse:
    actions.open_flags(membership, [found], place=PLACE)
    context: dict[str, Any] = {
        "flag": found,
        "resolution": getattr(found, "resolution", None),
        "material": queries.material_of(membership, found.item),
        "staffing": queries.staffing_of(found.item),
        "form": form,
        "crumbs": crumbs(
            membership.project.slug,
            "review",
            ("Flags", reverse("flags", args=[membership.project.slug])),
            (found.get_kind_display(), ""),
        ),
    }
    return render(request, "review/flag.html", context, status=status)


@require_POST
@member_page(Role.LEAD)
def resolve(request: MemberRequest, membership: Membership, flag_id: UUID) -> HttpResponse:
    """Say what became of a flag."""
    found = queries.flag_for(membership, flag_id)
    form = FlagResolutionForm(request.POST)
    if form.is_valid():
        try:
            actions.resolve_flag(found, by=membership, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "Resolved. The reason stays with the flag.")
            return redirect("flags", membership.project.slug)
    return _show(request, membership, found, form, 422)
