"""How far the reviewers of a test agree."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.review import queries
from adjudication.review.dimensions import DIMENSIONS
from adjudication.review.figures import people_of, rows_of
from adjudication.specifications.queries import frozen_for

COLUMNS = [
    {"label": "Question"},
    {"label": "Pairs of answers that are equal (95 %)"},
    {"label": "Krippendorff’s alpha (95 %)"},
]
PEOPLE_COLUMNS = [
    {"label": "Two reviewers"},
    {"label": "Sets", "kind": "num"},
    *({"label": dimension.label, "kind": "num"} for dimension in DIMENSIONS),
]


@require_safe
@member_page(Role.LEAD, Role.AUDITOR)
def agreement(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """The agreement under specification ``number``, for whoever may know its totals."""
    specification = frozen_for(membership, number)
    queries.check_may_read_totals(membership, specification)
    found = queries.measured(specification)
    slug = membership.project.slug
    there = reverse("specification", args=[slug, number])
    context = {
        "specification": specification,
        "crumbs": crumbs(
            slug, "specifications", (str(specification).capitalize(), there), ("Agreement", "")
        ),
        "found": found,
        "rows": rows_of(found.first),
        "columns": COLUMNS,
        "people": people_of(found),
        "people_columns": PEOPLE_COLUMNS,
        "later": rows_of(found.last),
    }
    return render(request, "review/agreement.html", context)
