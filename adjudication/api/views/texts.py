"""The exact text of a version, and exact spans of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response

from adjudication.api import bodies
from adjudication.api.errors import Invalid
from adjudication.api.paging import PAGING, part
from adjudication.api.reading import given, number, one_of
from adjudication.api.views.base import ProjectAddress
from adjudication.corpus.actions import make_span_as
from adjudication.corpus.clearance import Readable, readable
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.pages import integrity_of
from adjudication.corpus.queries import premises, spans_of, version_for
from adjudication.corpus.units import Unit, code_points, splits_character
from adjudication.errors import Refused
from adjudication.projects.models import WRITERS

UNITS = [str(unit) for unit in Unit]
FARTHEST = 10**10


class Text(ProjectAddress):
    parameters = ("start", "end", "unit")

    def get(self, request: Request, slug: str, version_id: UUID) -> Response:
        """``text[start:end]``, all of it if neither is given; U+0000 for each blocked character."""
        found = version_for(self.membership, version_id)
        seen = readable(self.membership, found)
        unit = one_of(request, "unit", UNITS, Unit.CODE_POINTS)
        places = {"start": 0, "end": len(found.text)}
        for name in [name for name in places if name in request.GET]:
            place = number(request, name, 0, least=0, most=FARTHEST)
            places[name] = _place(found, seen, name, place, unit)
        start, end = places["start"], places["end"]
        if end < start:
            raise Invalid(fields={"end": ["This is before the start."]})
        blocked = [one for one in seen.blocked if one.start < end and start < one.end]
        return Response(
            {
                "version": str(found.pk),
                "integrity": integrity_of(found),
                "length": len(found.text),
                "start": start,
                "end": end,
                "text": seen.text[start:end],
                "blocked": [
                    {"start": one.start, "end": one.end, "readers": one.readers} for one in blocked
                ],
            }
        )


class Spans(ProjectAddress):
    roles = {"POST": WRITERS}
    parameters = PAGING

    def get(self, request: Request, slug: str, version_id: UUID) -> Response:
        """The spans of a version that one may read, by where they begin."""
        found = version_for(self.membership, version_id)
        whole = readable(self.membership, found).whole
        spans = spans_of(self.membership).filter(version=found)

        def shown(rows: list[Span]) -> list[bodies.Body]:
            return [bodies.span(one, whole=whole) for one in rows]

        return Response(part(request, spans, ("start", "end", "id"), shown))

    def post(self, request: Request, slug: str, version_id: UUID) -> Response:
        """Make the span at these positions, if the quoted words stand exactly there."""
        found = version_for(self.membership, version_id)
        seen = readable(self.membership, found)
        values = given(request, {"start": int, "end": int, "unit": str, "exact": str})
        if missing := sorted({"start", "end", "exact"} - values.keys()):
            raise Invalid(fields={name: ["This is needed."] for name in missing})
        start, end = _range(found, seen, values)
        before = found.spans.filter(start=start, end=end).exists()
        try:
            made = make_span_as(self.membership, found, start, end, quoted=values["exact"])
        except Refused as error:
            raise Invalid(fields={"exact": [str(error)]}) from error
        body = bodies.span(made, whole=seen.whole) | {"warnings": _warnings(seen, start, end)}
        return Response(body, status=200 if before else 201)


class OneSpan(ProjectAddress):
    def get(self, request: Request, slug: str, span_id: UUID) -> Response:
        """A span that one may read."""
        found = premises(self.membership, [span_id]).get(span_id)
        if found is None or found.span is None:
            raise Http404
        return Response(bodies.span(found.span, whole=found.whole))


def _range(version: SourceVersion, seen: Readable, values: dict[str, Any]) -> tuple[int, int]:
    """The positions that were given, in code points."""
    unit = values.get("unit", Unit.CODE_POINTS)
    if unit not in UNITS:
        raise Invalid(fields={"unit": [f"This must be one of {', '.join(UNITS)}."]})
    start, end = (_place(version, seen, name, values[name], unit) for name in ("start", "end"))
    if end <= start:
        raise Invalid(fields={"end": ["A span holds at least one character."]})
    return start, end


def _place(version: SourceVersion, seen: Readable, name: str, place: int, unit: str) -> int:
    if not seen.whole and unit != Unit.CODE_POINTS:
        # Other positions would tell how wide the characters of the blocked part are.
        message = f"A part is blocked for you: give positions in {Unit.CODE_POINTS}."
        raise Invalid(fields={"unit": [message]})
    try:
        return code_points(version.text, place, Unit(unit), version.encoding)
    except Refused as error:
        raise Invalid(fields={name: [str(error)]}) from error


def _warnings(seen: Readable, start: int, end: int) -> list[str]:
    """What is allowed and still worth a look."""
    edges = {"start": start, "end": end}
    return [
        f"The {name} splits what people see as one character, at position {place}."
        for name, place in edges.items()
        if splits_character(seen.text, place)
    ]
