"""One's own sealed judgement: read it, amend it, and afterwards see the others'."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from adjudication.errors import Refused
from adjudication.journal.queries import is_exposed
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role
from adjudication.review import actions, queries
from adjudication.review.answers import Answers, answers_of
from adjudication.review.forms import AmendmentForm, AnswersForm, CommentForm
from adjudication.review.models import Judgement
from adjudication.review.pages import comparisons, desk_of, own_cells
from adjudication.review.queries.material import members_of
from adjudication.review.views.desk import unsent_kept
from adjudication.review.visibility import Sight

PLACE = "own judgement"


@require_safe
@member_page(Role.REVIEWER)
def judgement(request: MemberRequest, membership: Membership, judgement_id: UUID) -> HttpResponse:
    """What this person sealed."""
    own = queries.judgement_for(membership, judgement_id)
    return _show(request, membership, own, answers_of(own), AmendmentForm())


def _show(
    request: HttpRequest,
    membership: Membership,
    own: Judgement,
    answers: Answers,
    form: AmendmentForm,
    **more: Any,
) -> HttpResponse:
    material = queries.material_of(membership, own.item)
    status = more.pop("status", 200)
    context = {
        "judgement": own,
        "material": material,
        "cells": own_cells(own, material.members),
        "desk": desk_of(material, answers, wrong=more.get("wrong")),
        "form": form,
        "newer": queries.amendment_of(own),
        "offers_smaller": any(m.needed == "not-needed" for m in own.members.all()),
        "in_force": queries.guidelines_in_force(membership.project),
        "comment": CommentForm(initial=unsent_kept(getattr(own.assignment, "draft", None))),
        **_others(membership, own, material.members),
        **more,
    }
    return render(request, "review/judgement.html", context, status=status)


def _others(
    membership: Membership, own: Judgement, members: list[queries.Member]
) -> dict[str, Any]:
    """What the others answered and said once shown, else whether it may be asked for."""
    seen = queries.judgements_seen(membership, own.item)
    if seen.sight is Sight.NOTHING or not is_exposed(membership.user, own.item_id):
        discussion = queries.own_discussion(membership, own.item)
        return {"may_ask": seen.sight is not Sight.NOTHING, "discussion": discussion}
    return {
        "comparisons": comparisons(seen.judgements, members),
        "discussion": queries.discussion_seen(membership, own.item),
    }


@require_POST
@member_page(Role.REVIEWER)
def others(request: MemberRequest, membership: Membership, judgement_id: UUID) -> HttpResponse:
    """Show the others' answers from now on; recorded, since later amendments decide nothing."""
    own = queries.judgement_for(membership, judgement_id)
    actions.open_judgements(membership, own.item, place=PLACE)
    return redirect("judgement", membership.project.slug, own.pk)


@require_POST
@member_page(Role.REVIEWER)
def amend(request: MemberRequest, membership: Membership, judgement_id: UUID) -> HttpResponse:
    """Seal a new judgement in place of this one. The one amended is the idempotency key."""
    own = queries.judgement_for(membership, judgement_id)
    members = [member.pk for member in members_of(own.item)]
    answers = AnswersForm(request.POST, members=members, before=answers_of(own)).answers()
    form = AmendmentForm(request.POST)
    if not form.is_valid():
        return _show(request, membership, own, answers, form, amending=True, status=422)
    try:
        made = actions.amend(
            own,
            answers,
            reason=form.cleaned_data["reason"],
            idempotency_key=own.pk,
            read=request.POST.get("guideline"),
        )
    except actions.GuidelinesChanged:
        form.add_error(None, "The guidelines changed meanwhile. Read them, then seal again.")
        return _show(request, membership, own, answers, form, amending=True, status=422)
    except actions.Incomplete as refusal:
        more = {"amending": True, "wrong": refusal.faults}
        return _show(request, membership, own, answers, form, **more, status=422)
    except Refused as refusal:
        return render(request, "review/conflict.html", {"refusal": refusal}, status=409)
    messages.success(request, "Amended. The judgement before stays on record.")
    return redirect("judgement", membership.project.slug, made.pk)


@require_POST
@member_page(Role.REVIEWER)
def smaller(request: MemberRequest, membership: Membership, judgement_id: UUID) -> HttpResponse:
    """Propose the set without the members this person called not needed."""
    own = queries.judgement_for(membership, judgement_id)
    actions.propose_smaller(own)
    messages.success(request, "The smaller set is proposed. A lead opens it for review.")
    return redirect("judgement", membership.project.slug, own.pk)


@require_POST
@member_page(Role.REVIEWER)
def comment(request: MemberRequest, membership: Membership, judgement_id: UUID) -> HttpResponse:
    """Comment on an item that one judged; until everyone has sealed, nobody else reads it."""
    own = queries.judgement_for(membership, judgement_id)
    form = CommentForm(request.POST)
    if not form.is_valid():
        return _show(
            request, membership, own, answers_of(own), AmendmentForm(), comment=form, status=422
        )
    actions.comment(membership, own.item, form.cleaned_data["comment"])
    actions.forget_unsent(own.assignment, "comment")
    messages.success(request, "Comment saved.")
    return redirect("judgement", membership.project.slug, own.pk)
