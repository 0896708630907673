"""The search page: words looked up in the texts that count as evidence."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from adjudication.corpus.pages import corpus_tabs
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership
from adjudication.projects.requests import word
from adjudication.search.actions import Building, index_for
from adjudication.search.pages import DEEPEST, choices, look_up
from adjudication.search.queries import Shelf, numbers_of, shelf_for

LONGEST = 500  # code points of a query; a whole page pasted by mistake is cut


@require_safe
@member_page()
def search(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Versions this member may read that hold the words of ``?q=``, best first."""
    query = word(request.GET, "q")[:LONGEST]
    shelf = shelf_for(membership, word(request.GET, "specification"))
    under = shelf.specification.number if shelf.specification else None
    context: dict[str, Any] = {
        "query": query,
        "under": under,
        "choices": choices(numbers_of(membership), under),
        "tabs": corpus_tabs(membership, "search"),
        "crumbs": crumbs(membership.project.slug, "sources", ("Search", "")),
        "address": urlencode({"q": query} | ({"specification": under} if under else {})),
        "deepest": DEEPEST,
    }
    if query:
        context |= _looked_up(shelf, query, request.GET.get("page"))
    return render(request, "search/search.html", context)


def _looked_up(shelf: Shelf, query: str, page: str | None) -> dict[str, Any]:
    index = index_for(shelf)
    if isinstance(index, Building):
        return {"building": index}
    return {"found": look_up(shelf.membership, index, query, page)}
