"""The adjudication desk: disagreements only, and how they are settled."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of, word
from adjudication.review import actions, queries
from adjudication.review.actions.adjudicating import conflict_of, fingerprint, may_ask_anew
from adjudication.review.forms import CommentForm, FreshRoundForm, ReopeningForm, VerdictForm
from adjudication.review.models import Item
from adjudication.review.pages import comparisons
from adjudication.review.queries.records import DECIDED
from adjudication.specifications.queries import current

PLACE = "adjudication"
COLUMNS = [{"label": "Claim"}, {"label": "Question"}, {"label": "Round", "kind": "num"}]


@require_safe
@member_page(Role.ADJUDICATOR, Role.LEAD)
def adjudication(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The items on which reviewers disagree, or those that are decided."""
    decided = word(request.GET, "show") == "decided"
    listed = queries.decided_items if decided else queries.disputed_items
    specification = current(membership.project)
    items = listed(membership, specification) if specification else Item.objects.none()
    here = reverse("adjudication", args=[membership.project.slug])
    context = {
        "decided": decided,
        "page": page_of(request, items),
        "columns": COLUMNS,
        "tabs": [
            {"label": "Disagreements", "url": here, "current": not decided},
            {"label": "Decided", "url": f"{here}?show=decided", "current": decided},
        ],
    }
    return render(request, "review/disputes.html", context)


@require_safe
@member_page(Role.ADJUDICATOR, Role.LEAD)
def adjudication_item(
    request: MemberRequest, membership: Membership, item_id: UUID
) -> HttpResponse:
    """One disagreement, the judgements side by side. Opening it is recorded."""
    return _show(request, membership, queries.item_for(membership, item_id))


def _show(
    request: HttpRequest, membership: Membership, item: Item, status: int = 200, **forms: Any
) -> HttpResponse:
    if conflict := conflict_of(membership, item):
        raise Refused(conflict)
    seen = actions.open_judgements(membership, item, place=PLACE)
    discussion = queries.discussion_seen if seen.judgements else queries.own_discussion
    material = queries.material_of(membership, item)
    mark = fingerprint(one.judgement.pk for one in seen.judgements)
    adjudicates = membership.has(Role.ADJUDICATOR)
    context = {
        "item": item,
        "material": material,
        "comparisons": comparisons(seen.judgements, material.members),
        "verdicts": queries.verdicts_on(item) if seen.judgements else (),
        "settles": adjudicates and item.state == Item.State.DISPUTED,
        "asks_anew": adjudicates and may_ask_anew(item),
        "form": VerdictForm(initial={"seen": mark}),
        "fresh": FreshRoundForm(auto_id="fresh_%s"),
        "reopens": bool(seen.judgements) and item.state in DECIDED,
        "reopening": ReopeningForm(auto_id="reopening_%s"),
        "discussion": discussion(membership, item),
        "comment": CommentForm(),
        **forms,
    }
    return render(request, "review/dispute.html", context, status=status)


@require_POST
@member_page(Role.ADJUDICATOR)
def adjudicate(request: MemberRequest, membership: Membership, item_id: UUID) -> HttpResponse:
    """Decide a disagreement."""
    item = queries.item_for(membership, item_id)
    form = VerdictForm(request.POST)
    if form.is_valid():
        try:
            verdict = actions.adjudicate(item, by=membership, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, f"The set is {verdict.get_decision_display()}.")
            return redirect("adjudication", membership.project.slug)
    return _show(request, membership, item, 422, form=form)


@require_POST
@member_page(Role.ADJUDICATOR)
def fresh_round(request: MemberRequest, membership: Membership, item_id: UUID) -> HttpResponse:
    """Ask for a fresh independent round."""
    item = queries.item_for(membership, item_id)
    form = FreshRoundForm(request.POST, auto_id="fresh_%s")
    if form.is_valid():
        try:
            actions.ask_fresh_round(item, by=membership, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "Other reviewers will judge the set anew.")
            return redirect("adjudication", membership.project.slug)
    return _show(request, membership, item, 422, fresh=form)


@require_POST
@member_page(Role.ADJUDICATOR, Role.LEAD)
def comment(request: MemberRequest, membership: Membership, item_id: UUID) -> HttpResponse:
    """Comment on an item; the phase decides who reads it."""
    item = queries.item_for(membership, item_id)
    if conflict := conflict_of(membership, item):
        raise Refused(conflict)
    form = CommentForm(request.POST)
    if not form.is_valid():
        return _show(request, membership, item, 422, comment=form)
    actions.comment(membership, item, form.cleaned_data["comment"])
    messages.success(request, "Comment saved.")
    return redirect("adjudication-item", membership.project.slug, item.pk)


@require_POST
@member_page(Role.ADJUDICATOR, Role.LEAD)
def reopen(request: MemberRequest, membership: Membership, item_id: UUID) -> HttpResponse:
    """Put a verdict in question."""
    item = queries.item_for(membership, item_id)
    form = ReopeningForm(request.POST, auto_id="reopening_%s")
    if form.is_valid():
        try:
            actions.reopen(item, by=membership, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "Reopened: the set waits for an adjudicator.")
            return redirect("adjudication-item", membership.project.slug, item.pk)
    return _show(request, membership, item, 422, reopening=form)
