"""Words looked up in the texts that count as evidence, as far as one may read them."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from adjudication.api import bodies
from adjudication.api.errors import Invalid
from adjudication.api.reading import number
from adjudication.api.views.base import ProjectAddress
from adjudication.projects.requests import word
from adjudication.search.actions import Building, index_for
from adjudication.search.pages import DEEPEST, look_up
from adjudication.search.queries import shelf_for
from adjudication.search.views import LONGEST

AGAIN = 2  # seconds until an index that is being built is worth another look


class Search(ProjectAddress):
    parameters = ("q", "specification", "page")

    def get(self, request: Request, slug: str) -> Response:
        """Versions that hold the words ``q``, best first; 202 while their index is built."""
        query = word(request.GET, "q")
        if not query or len(query) > LONGEST:
            raise Invalid(fields={"q": [f"Give from 1 to {LONGEST} characters."]})
        page = number(request, "page", 1, least=1, most=DEEPEST)
        under = number(request, "specification", 0, least=1, most=10**8)
        index = index_for(shelf_for(self.membership, str(under or "")))
        if isinstance(index, Building):
            body = {"building": {"done": index.done, "total": index.total}}
            return Response(body, status=202, headers={"Retry-After": str(AGAIN)})
        found = look_up(self.membership, index, query, str(page))
        # Beyond the last page there is nothing; the page for people shows the last one instead.
        hits = found.hits if found.page.number == page else []
        following = page + 1 if hits and found.page.has_next() else None
        counts = {"every_word": found.counts.every, "some_word": found.counts.some}
        items = [bodies.hit(one) for one in hits]
        return Response({"items": items, "next": following, **counts})
