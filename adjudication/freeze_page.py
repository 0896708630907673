"""The page that fixes a specification for good.

It says what ends with the test in force, and so stands above the apps that hold its sets.
"""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_http_methods

from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.review.queries import in_hand, state_counts
from adjudication.specifications import actions, queries
from adjudication.specifications.models import Specification
from adjudication.specifications.rules import fingerprint
from adjudication.specifications.views import facts_of


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def freeze(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Show what would be fixed for good and what ends with it, then fix it."""
    found = queries.draft_of(membership.project)
    if found is None:
        # A second press of the button finds the draft frozen already.
        return redirect("specifications", membership.project.slug)
    refusal = ""
    if request.method == "POST":
        try:
            frozen = actions.freeze(found, by=request.user, seen=request.POST.get("seen", "-"))
        except Refused as error:
            refusal = str(error)
        else:
            messages.success(request, f"Specification {frozen.number} is frozen.")
            return redirect("specification", membership.project.slug, frozen.number)
    context = {
        "draft": found,
        "facts": facts_of(found),
        "seen": fingerprint(found),
        "refusal": refusal,
        "missing": queries.what_is_missing(found),
        "notes": queries.what_to_know(found),
        "ends": _told(membership),
        "coverage": queries.coverage(found),
        "crumbs": crumbs(membership.project.slug, "specifications", ("Freeze", "")),
    }
    return render(request, "specifications/freeze.html", context, status=422 if refusal else 200)


def _told(membership: Membership) -> str:
    test = queries.current(membership.project)
    if test is None:
        return ""
    if membership.has(Role.REVIEWER):
        # How many wait, and whether any does, would tell a reviewer what others have done.
        return (
            f"Reviewing under specification {test.number} ends. Sets that still wait there come "
            "to nobody any more. How many wait is kept from you, since you review."
        )
    return what_ends(test)


def what_ends(test: Specification) -> str:
    """What nobody finishes once a later specification than ``test`` is in force; "" if nothing
    waits."""
    counts = state_counts(test)
    if not counts.open + counts.disputed:
        return ""
    held = in_hand(test)
    still = (
        f" {held} of them {pluralize(held, 'is,are')} in somebody’s hands, who can still seal."
        if held
        else ""
    )
    return (
        f"Reviewing under specification {test.number} ends with {counts.open} "
        f"set{pluralize(counts.open)} waiting for a judgement and {counts.disputed} for "
        "adjudication: they come to nobody any more, and have to be judged anew under the next "
        f"specification.{still}"
    )
