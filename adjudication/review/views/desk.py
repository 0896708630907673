"""The reviewer's desk. Every post keeps what is on the desk before it does anything else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from adjudication.claims.queries import proposer_of
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role
from adjudication.review import actions, queries
from adjudication.review.answers import Answers, MemberAnswer, from_json
from adjudication.review.dimensions import MINIMALITY
from adjudication.review.discussion import Flag, Guideline
from adjudication.review.forms import UNSENT, AnswersForm, CommentForm, FlagForm, unsent_of
from adjudication.review.models import Assignment, Draft, MemberJudgement, Minimality
from adjudication.review.pages import KEYS, desk_of, guidelines_html
from adjudication.review.queries.material import members_of
from adjudication.review.views.overview import to_next
from adjudication.review.visibility import Side


@require_safe
@member_page(Role.REVIEWER)
def desk(request: MemberRequest, membership: Membership, assignment_id: UUID) -> HttpResponse:
    """One item to judge, with what was saved of it."""
    assignment = queries.assignment_for(membership, assignment_id)
    if assignment.state == Assignment.State.SEALED:
        first = queries.sealed_by(membership).filter(assignment=assignment).get()
        return redirect("judgement", membership.project.slug, first.pk)
    actions.check_no_conflict(assignment.item, assignment)
    hidden = request.GET.get("hide", "")
    number = int(hidden) if hidden.isdecimal() and len(hidden) < 4 else None
    return _show(request, membership, assignment, saved(assignment), hidden=number)


def saved(assignment: Assignment) -> Answers:
    """The answers of the draft; none if there is no draft."""
    draft: Draft | None = getattr(assignment, "draft", None)
    return from_json(draft.answers) if draft else Answers()


def _show(
    request: HttpRequest,
    membership: Membership,
    assignment: Assignment,
    answers: Answers,
    *,
    hidden: int | None = None,
    wrong: Mapping[str, str] | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    item = assignment.item
    unsent = unsent_kept(getattr(assignment, "draft", None))
    guideline = queries.guidelines_in_force(membership.project)
    material = queries.material_of(membership, item)
    permitted = queries.permitted_sides(membership, item)
    context = {
        "assignment": assignment,
        "proposer": proposer_of(item.evidence_set) if Side.PROPOSER in permitted else "",
        "shows_machine": Side.MACHINE in permitted,
        "draft": getattr(assignment, "draft", None),
        "material": material,
        "desk": desk_of(material, answers, hidden=hidden, wrong=wrong),
        "progress": queries.progress_of(membership, item.specification),
        "wrong": wrong,
        "keys": KEYS,
        "guideline": guideline,
        "guideline_html": guidelines_html(guideline.text) if guideline else "",
        "changed": guideline is not None and guideline.at > assignment.held_at,
        "discussion": queries.own_discussion(membership, item),
        "comment": CommentForm(initial=unsent),
        "flag": FlagForm(initial=unsent),
        "unsent": unsent,
        **more,
    }
    return render(request, "review/desk.html", context, status=status)


def unsent_kept(draft: Draft | None) -> dict[str, str]:
    """What was typed for a comment or a flag and not sent, by field."""
    return {name: draft.unsent[name] for name in UNSENT if name in draft.unsent} if draft else {}


def _read(request: HttpRequest, assignment: Assignment) -> Answers:
    members = [member.pk for member in members_of(assignment.item)]
    return AnswersForm(request.POST, members=members, before=saved(assignment)).answers()


@require_POST
@member_page(Role.REVIEWER)
def draft(request: MemberRequest, membership: Membership, assignment_id: UUID) -> HttpResponse:
    """Save the draft; hide a member, or store what its removal showed."""
    assignment = queries.assignment_for(membership, assignment_id)
    answers = _read(request, assignment)
    tried, needed = request.POST.get("tried", ""), request.POST.get("removal", "")
    hide = request.POST.get("hide", "")
    if needed in MemberJudgement.Needed.values and tried.isdecimal():
        answers, hide = _measured(assignment, answers, int(tried), needed)
    actions.save_draft(assignment, answers, unsent_of(request.POST))
    if request.htmx:  # type: ignore[attr-defined]
        fresh = queries.assignment_for(membership, assignment_id)
        guideline = queries.guidelines_in_force(membership.project)
        context = {
            "assignment": fresh,
            "draft": getattr(fresh, "draft", None),
            "newer": guideline if guideline and is_unread(request, guideline) else None,
        }
        return render(request, "review/_kept.html", context)
    url = reverse("desk", args=[membership.project.slug, assignment.pk])
    return redirect(f"{url}?hide={hide}#member-{hide}" if hide else url)


def is_unread(request: HttpRequest, guideline: Guideline) -> bool:
    """Whether the desk that was posted showed other guidelines, or none."""
    return request.POST.get("guideline", str(guideline.pk)) != str(guideline.pk)


def _measured(
    assignment: Assignment, answers: Answers, tried: int, needed: str
) -> tuple[Answers, str]:
    """Store what removing one member showed; returns the number of the next one to try.

    Once all are measured, what they say about minimality is filled in.
    """
    keys = [member.pk for member in members_of(assignment.item)]
    if not 0 < tried <= len(keys):
        return answers, ""
    key = keys[tried - 1]
    answers = answers.with_member(
        key,
        MemberAnswer(needed, measured=True, admissible=answers.member(key).admissible),
    )
    left = [n for n, key in enumerate(keys, start=1) if not answers.member(key).measured]
    if left:
        return answers, str(next((n for n in left if n > tried), left[0]))
    said = {answers.member(key).needed for key in keys}
    if said == {MemberJudgement.Needed.NEEDED}:
        return answers.with_answer(MINIMALITY, Minimality.MINIMAL), ""
    if MemberJudgement.Needed.NOT_NEEDED in said:
        return answers.with_answer(MINIMALITY, Minimality.NOT_MINIMAL), ""
    return answers.with_answer(MINIMALITY, Minimality.UNSURE), ""


@require_POST
@member_page(Role.REVIEWER)
def renew(request: MemberRequest, membership: Membership, assignment_id: UUID) -> HttpResponse:
    """Hold the item for another lease."""
    assignment = queries.assignment_for(membership, assignment_id)
    actions.save_draft(assignment, _read(request, assignment), unsent_of(request.POST))
    actions.renew(assignment)
    return redirect("desk", membership.project.slug, assignment.pk)


@require_POST
@member_page(Role.REVIEWER)
def skip(request: MemberRequest, membership: Membership, assignment_id: UUID) -> HttpResponse:
    """Hand the item back and go to the next."""
    assignment = queries.assignment_for(membership, assignment_id)
    actions.save_draft(assignment, _read(request, assignment), unsent_of(request.POST))
    actions.release(assignment)
    messages.info(request, "Handed back. It counts as skipped, and your draft of it is kept.")
    return to_next(request, membership, assignment)


@require_POST
@member_page(Role.REVIEWER)
def seal(request: MemberRequest, membership: Membership, assignment_id: UUID) -> HttpResponse:
    """Seal the judgement and go to the next item. The assignment is the idempotency key."""
    assignment = queries.assignment_for(membership, assignment_id)
    answers, unsent = _read(request, assignment), unsent_of(request.POST)
    if unsent != unsent_kept(getattr(assignment, "draft", None)):
        actions.save_draft(assignment, answers, unsent)
    try:
        sealed = actions.seal(
            assignment,
            answers,
            idempotency_key=assignment.pk,
            read=request.POST.get("guideline"),
        )
    except Refused as refusal:
        # What is sealed needs no draft; what is not is kept.
        actions.save_draft(assignment, answers, unsent)
        return _not_sealed(request, membership, assignment_id, answers, refusal)
    at = timezone.localtime(sealed.sealed_at)
    messages.success(request, f"Sealed, saved {at:%H:%M} UTC.")
    return to_next(request, membership, assignment)


def _not_sealed(
    request: HttpRequest,
    membership: Membership,
    assignment_id: UUID,
    answers: Answers,
    refusal: Refused,
) -> HttpResponse:
    """The desk again with what is in the way, or a page that says why nothing can be sealed."""
    fresh = queries.assignment_for(membership, assignment_id)
    match refusal:
        case actions.GuidelinesChanged():
            return _show(request, membership, fresh, answers, unread=True, status=422)
        case actions.Incomplete(faults=faults):
            return _show(request, membership, fresh, answers, wrong=faults, status=422)
    return render(request, "review/conflict.html", {"refusal": refusal}, status=409)


@require_POST
@member_page(Role.REVIEWER)
def comment(request: MemberRequest, membership: Membership, assignment_id: UUID) -> HttpResponse:
    """Comment on the item in hand; until everyone has sealed, nobody else reads it."""
    assignment = queries.assignment_for(membership, assignment_id)
    actions.check_no_conflict(assignment.item, assignment)
    answers = _read(request, assignment)
    actions.save_draft(assignment, answers, unsent_of(request.POST))
    form = CommentForm(request.POST)
    if not form.is_valid():
        fresh = queries.assignment_for(membership, assignment_id)
        return _show(request, membership, fresh, answers, comment=form, status=422)
    actions.comment(membership, assignment.item, form.cleaned_data["comment"])
    actions.forget_unsent(assignment, "comment")
    messages.success(request, "Comment saved. Others read it once every reviewer has sealed.")
    return redirect("desk", membership.project.slug, assignment.pk)


@require_POST
@member_page(Role.REVIEWER)
def flag(request: MemberRequest, membership: Membership, assignment_id: UUID) -> HttpResponse:
    """Flag the item in hand. A conflict of interest hands it back for good."""
    assignment = queries.assignment_for(membership, assignment_id)
    answers = _read(request, assignment)
    actions.save_draft(assignment, answers, unsent_of(request.POST))
    form = FlagForm(request.POST)
    if not form.is_valid():
        fresh = queries.assignment_for(membership, assignment_id)
        return _show(request, membership, fresh, answers, flag=form, status=422)
    made = actions.flag(assignment, form.cleaned_data["flag"], form.cleaned_data["flag_words"])
    actions.forget_unsent(assignment, "flag", "flag_words")
    if made.kind == Flag.Kind.CONFLICT:
        messages.success(request, "Handed back. This set does not come to you again.")
        return to_next(request, membership, assignment)
    messages.success(
        request, "Flagged: a lead is told. The item stays with you, to be judged or skipped."
    )
    return redirect("desk", membership.project.slug, assignment.pk)
