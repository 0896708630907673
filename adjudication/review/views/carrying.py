"""Carry verdicts of an earlier specification over into the one in force."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of, posted, word
from adjudication.review import actions, queries
from adjudication.review.forms import CarryOverForm
from adjudication.review.models import Item
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current_or_refuse, diff

COLUMNS = [{"label": "Claim"}, {"label": "Verdict"}, {"label": "What becomes of it"}]


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def carry_over(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Show what would be taken and what not, and take it.

    Of a lead who also reviews, the list and its counts would tell what others decided: they
    carry over without seeing them.
    """
    later = current_or_refuse(membership.project)
    chosen = word(request.GET, "from")
    number = int(chosen) if chosen.isdecimal() and len(chosen) < 9 else None
    try:
        earlier = queries.earlier_numbered(later, number)
    except Refused as refusal:
        raise Http404(str(refusal)) from refusal
    form = CarryOverForm(posted(request))
    if form.is_valid():
        try:
            made = actions.carry_over(earlier, later, by=membership, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            said = "Carried over."
            if not membership.has(Role.REVIEWER):
                taken = made.verdicts.count()
                said = f"Carried over: {taken} verdict{pluralize(taken)}."
            messages.success(request, said)
            return redirect("review", membership.project.slug)
    return _show(request, membership, earlier, later, form)


def _show(
    request: HttpRequest,
    membership: Membership,
    earlier: Specification,
    later: Specification,
    form: CarryOverForm,
) -> HttpResponse:
    context: dict[str, Any] = {
        "earlier": earlier,
        "later": later,
        "others": queries.earlier_specifications(later).exclude(pk=earlier.pk),
        "differences": diff(earlier, later),
        "form": form,
        "done": _done(membership, later),
        "crumbs": crumbs(membership.project.slug, "review", ("Carry verdicts over", "")),
    }
    if not membership.has(Role.REVIEWER):
        page = page_of(request, queries.fates_in_order(earlier, later))
        context |= {
            "preview": queries.preview(earlier, later),
            "page": page,
            "rows": _rows(membership, list(page.object_list)),
            "columns": COLUMNS,
            "query": urlencode({"from": earlier.number}),
        }
    return render(request, "review/carry_over.html", context, status=422 if form.errors else 200)


def _done(membership: Membership, later: Specification) -> list[dict[str, Any]]:
    """What was carried into ``later`` before, for timeline.html."""
    counts = not membership.has(Role.REVIEWER)
    return [
        {
            "at": one.at,
            "who": str(one.by),
            "what": f"carried {_verdicts(one.taken if counts else None)} over from {one.earlier}",
            "note": one.reason,
        }
        for one in queries.carry_overs_of(membership.project).filter(later=later)
    ]


def _verdicts(count: int | None) -> str:
    return "verdicts" if count is None else f"{count} verdict{pluralize(count)}"


def _rows(membership: Membership, items: list[Any]) -> list[dict[str, Any]]:
    """Items with their fates; the words of a claim only where every member is open."""
    keys = [item.pk for item in items]
    readable = set(
        queries.cleared_items(membership).filter(pk__in=keys).values_list("pk", flat=True)
    )
    decided = {Item.State.ACCEPTED, Item.State.REJECTED}
    return [
        {
            "item": item,
            "readable": item.pk in readable,
            "verdict": item.get_state_display() if item.state in decided else "",
            "taken": item.fate == queries.Fate.TAKEN,
            "fate": queries.Fate(item.fate).label,
        }
        for item in items
    ]
