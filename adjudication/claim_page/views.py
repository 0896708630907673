"""One claim, and the decision on a claim that a run proposed."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from adjudication.claim_page.pages import claim_context
from adjudication.claims.actions import decide_claim
from adjudication.claims.forms import DecisionForm
from adjudication.claims.models import Claim
from adjudication.claims.pages import claim_step
from adjudication.claims.queries import claim_for, sees_proposals, siblings_of
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import WRITERS, Membership, Role


@require_safe
@member_page()
def claim(request: MemberRequest, membership: Membership, claim_id: UUID) -> HttpResponse:
    """One claim: value and times, routes with their checks, contradictions, history."""
    return _show(request, membership, claim_for(membership, claim_id))


@require_POST
@member_page(Role.LEAD)
def decide(request: MemberRequest, membership: Membership, claim_id: UUID) -> HttpResponse:
    """Accept, merge or refuse a claim that a run proposed."""
    found = claim_for(membership, claim_id)
    form = DecisionForm(request.POST, claim=found)
    if form.is_valid():
        try:
            decide_claim(found, by=request.user, **form.cleaned_data)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("claim", membership.project.slug, found.pk)
    return _show(request, membership, found, form)


def _show(
    request: MemberRequest,
    membership: Membership,
    found: Claim,
    decision_form: DecisionForm | None = None,
) -> HttpResponse:
    slug = membership.project.slug
    proposed = found.origin == Claim.Origin.CERTIFY and sees_proposals(membership)
    undecided = proposed and not hasattr(found, "decision")
    context = claim_context(membership, found) | {
        "siblings": siblings_of(membership, found),
        "proposed": proposed,
        "may_write": membership.has(*WRITERS),
        "decision_form": (decision_form or DecisionForm(claim=found))
        if undecided and membership.has(Role.LEAD)
        else None,
        "crumbs": crumbs(slug, "claims", claim_step(slug, found)),
    }
    return render(request, "claims/claim.html", context, status=422 if decision_form else 200)
