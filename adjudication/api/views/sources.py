"""Sources and their versions: listed, read, captured, invalidated, noted."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.http import HttpResponse
from rest_framework.exceptions import PermissionDenied
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from adjudication.api import bodies
from adjudication.api.errors import Conflict, Invalid
from adjudication.api.paging import PAGING, part
from adjudication.api.reading import FORM_PARSERS, Kinds, as_form, by_key, checked, given
from adjudication.api.views.base import ProjectAddress
from adjudication.claims.actions import note_premise
from adjudication.claims.forms import PremiseForm
from adjudication.claims.queries import notes_of
from adjudication.corpus.actions import capture_version, invalidate
from adjudication.corpus.clearance import readable
from adjudication.corpus.forms import CaptureForm, InvalidationForm
from adjudication.corpus.models import Source, SourceVersion
from adjudication.corpus.pages import integrity_of
from adjudication.corpus.queries import (
    is_captured,
    lines_of,
    listed,
    readers_of,
    source_for,
    sources_of,
    version_for,
    visible_to,
)
from adjudication.corpus.staleness import rechecks
from adjudication.projects.models import WRITERS, Membership, Role
from adjudication.projects.requests import word

OF_A_VERSION: Kinds = {
    "text": str,
    "base64": str,
    "encoding": str,
    "media_type": str,
    "observed_at": str,
    "unestablished": bool,
    "published": str,
    "effective_from": str,
    "effective_to": str,
    "licence": str,
    "authority": str,
    "reader_classes": list,
}
OF_A_SOURCE: Kinds = {"title": str, "address": str, **OF_A_VERSION}


class Sources(ProjectAddress):
    roles = {"POST": (Role.LEAD,)}
    parameters = PAGING | {"title"}
    parser_classes = FORM_PARSERS

    def get(self, request: Request, slug: str) -> Response:
        """The sources that one may read, by title; those whose title holds ``title``."""
        found = sources_of(self.membership, word(request.GET, "title"))
        return Response(part(request, found, ("title", "id"), self._bodies))

    def _bodies(self, rows: list[Source]) -> list[bodies.Body]:
        return [bodies.source(one) for one in listed(self.membership, rows)]

    def post(self, request: Request, slug: str) -> Response:
        """Capture a text as a new source; the same text under the same title is one source."""
        return captured(request, self.membership, None)


class OneSource(ProjectAddress):
    def get(self, request: Request, slug: str, source_id: UUID) -> Response:
        """A source with all its versions, the newest first."""
        found = source_for(self.membership, source_id)
        (counted,) = listed(self.membership, [found])
        lines = bodies.lines(lines_of(self.membership, found))
        return Response(bodies.source(counted) | {"versions": lines})


class Versions(ProjectAddress):
    roles = {"POST": (Role.LEAD,)}
    parser_classes = FORM_PARSERS

    def post(self, request: Request, slug: str, source_id: UUID) -> Response:
        """Capture the next version of a source; the same bytes again change nothing."""
        return captured(request, self.membership, source_for(self.membership, source_id))


def captured(request: Request, membership: Membership, source: Source | None) -> Response:
    """Store what the request brings, checked by the form of the page."""
    values = given(request, OF_A_SOURCE if source is None else OF_A_VERSION)
    values.setdefault("media_type", "text/plain")
    name, file = _file_of(request, values)
    form = CaptureForm(as_form(values), {"file": file}, project=membership.project, source=source)
    by_key(form, "reader_classes")
    capture = checked(form, file=name).capture()
    before = is_captured(
        membership.project, capture.origin, capture.key, capture.sha256, capture.encoding
    )
    made = capture_version(
        membership.project,
        capture,
        reader_classes=list(form.cleaned_data["reader_classes"]),
        actor=membership.user,
    )
    return Response(_as_seen(membership, made), status=200 if before else 201)


def _file_of(request: Request, values: dict[str, Any]) -> tuple[str, UploadedFile[bytes]]:
    """The bytes to store, taken out of ``values``, and the field that they came in."""
    files = request.FILES
    sent = [name for name, those in files.lists() for _ in those]
    ways = [name for name in ("text", "base64") if name in values] + sent
    if unknown := sorted(set(files) - {"file"}):
        raise Invalid(fields={unknown[0]: ["There is no such field."]})
    if len(ways) != 1:
        raise Invalid(fields={(ways or ["text"])[0]: ["Give text, base64 or a file: one of them."]})
    name = ways[0]
    if name == "file":
        return name, files["file"]
    if name == "text":
        if values.get("encoding", "utf-8") != "utf-8":
            raise Invalid(fields={"encoding": ["A text is stored as UTF-8. Send bytes as base64."]})
        return name, SimpleUploadedFile("text", values.pop(name).encode())
    try:
        return name, SimpleUploadedFile("bytes", base64.b64decode(values.pop(name), validate=True))
    except (binascii.Error, ValueError):
        raise Invalid(fields={name: ["This is not base64."]}) from None


def _as_seen(membership: Membership, made: SourceVersion) -> bodies.Body:
    """A version that was stored; its number alone where one's own clearance does not open it."""
    if not visible_to(membership).filter(pk=made.pk).exists():
        readers = readers_of([made.pk])[made.pk]
        return {"number": made.number, "blocked": True, "readers": readers}
    return _body(membership, version_for(membership, made.pk))


def _body(membership: Membership, found: SourceVersion) -> bodies.Body:
    whole = readable(membership, found).whole
    stale = rechecks([found.pk]).get(found.pk)
    return bodies.version(found, readers_of([found.pk])[found.pk], stale, whole=whole)


class OneVersion(ProjectAddress):
    def get(self, request: Request, slug: str, version_id: UUID) -> Response:
        """A version without its text: times, digest, state, who may read it."""
        return Response(_body(self.membership, version_for(self.membership, version_id)))


class AnyAccept(BaseContentNegotiation):
    """For an address that answers with bytes: whatever is accepted, refusals are JSON."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(
        self, request: Any, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class Snapshot(ProjectAddress):
    content_negotiation_class = AnyAccept

    def get(self, request: Request, slug: str, version_id: UUID) -> HttpResponse:
        """The bytes as captured, to be kept and not to be shown."""
        found = version_for(self.membership, version_id)
        if not readable(self.membership, found).whole:
            raise PermissionDenied("A part of this version is blocked for you.")
        if integrity_of(found) != "intact":
            raise Conflict("Bytes, text and digest no longer belong together.")
        answer = HttpResponse(bytes(found.snapshot), content_type="application/octet-stream")
        answer.headers["Content-Disposition"] = f'attachment; filename="{found.sha256}"'
        answer.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
        return answer


class Notes(ProjectAddress):
    roles = {"POST": WRITERS}

    def get(self, request: Request, slug: str, version_id: UUID) -> Response:
        """The notes that one may see on whether a version should be believed."""
        found = version_for(self.membership, version_id)
        notes = notes_of(self.membership, [found.pk]).select_related("by")
        return Response({"items": [bodies.note(one) for one in notes], "next": None})

    def post(self, request: Request, slug: str, version_id: UUID) -> Response:
        """Add a note; one's last one once more changes nothing."""
        found = version_for(self.membership, version_id)
        kinds: Kinds = {"authority": str, "basis": str, "open_dispute": bool}
        form = checked(PremiseForm(as_form(given(request, kinds))))
        made = note_premise(found, by=self.person, **form.cleaned_data)
        return Response(bodies.note(made), status=201)


class Invalidation(ProjectAddress):
    roles = {"POST": (Role.LEAD,)}

    def post(self, request: Request, slug: str, version_id: UUID) -> Response:
        """Record that a version is no longer to be used; for another reason it is refused."""
        found = version_for(self.membership, version_id)
        form = checked(InvalidationForm(as_form(given(request, {"reason": str}))))
        made = invalidate(found, reason=form.cleaned_data["reason"], by=self.membership)
        return Response({"at": bodies.moment(made.at), "reason": made.reason}, status=201)
