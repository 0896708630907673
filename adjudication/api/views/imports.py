"""Files on their way in: announced, sent in pieces or whole, checked, confirmed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from adjudication.api import bodies
from adjudication.api.errors import Conflict, Invalid, TooLarge, body_of
from adjudication.api.paging import PAGING, part
from adjudication.api.reading import FORM_PARSERS, Kinds, as_form, by_key, checked, given, number
from adjudication.api.views.base import ProjectAddress
from adjudication.imports import jobs
from adjudication.imports.forms import AnnouncementForm, ImportForm
from adjudication.imports.models import Import, ImportProblem
from adjudication.imports.queries import imports_of, own_import, problems_of
from adjudication.imports.uploads import DiskFull, WrongOffset, receive
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import word

CHOICES: Kinds = {"format": str, "licence": str, "reader_classes": list}
ANNOUNCED: Kinds = {"name": str, "size": int, "mark": str, **CHOICES}
LEAD = (Role.LEAD,)
OFFSET = "Upload-Offset"
FARTHEST = 10**15


class PieceParser(BaseParser):
    """Bytes as they come, up to the length of one piece."""

    media_type = "application/octet-stream"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, bytes]:
        data = stream.read(settings.PIECE_LIMIT + 1)
        if len(data) > settings.PIECE_LIMIT:
            raise TooLarge(f"A piece has at most {settings.PIECE_LIMIT} bytes.")
        return {"piece": data}


class NoRoom(APIException):
    status_code = 507


class Imports(ProjectAddress):
    roles = {"GET": LEAD, "POST": LEAD}
    parameters = PAGING
    parser_classes = FORM_PARSERS

    def get(self, request: Request, slug: str) -> Response:
        """The imports of the project, the newest first; one's own with what they hold."""
        order = ("-created_at", "id")
        return Response(part(request, imports_of(self.membership), order, self._bodies))

    def _bodies(self, rows: list[Import]) -> list[bodies.Body]:
        return [bodies.import_line(self.membership, one) for one in rows]

    def post(self, request: Request, slug: str) -> Response:
        """Announce a file that comes in pieces, or send a small one whole, as a form."""
        one = _whole(request, self.membership) if request.FILES else self._announced(request)
        return _told(self.membership, one.pk, 201)

    def _announced(self, request: Request) -> Import:
        form = AnnouncementForm(as_form(given(request, ANNOUNCED)), project=self.membership.project)
        by_key(form, "reader_classes")
        return jobs.begin(self.membership.project, self.person, checked(form).announced())


def _whole(request: Request, membership: Membership) -> Import:
    if set(request.FILES) != {"file"} or len(request.FILES.getlist("file")) > 1:
        raise Invalid(fields={"file": ["One file, in this field."]})
    form = ImportForm(as_form(given(request, CHOICES)), request.FILES, project=membership.project)
    by_key(form, "reader_classes")
    sent = checked(form).whole()
    with transaction.atomic():
        one = jobs.begin(membership.project, membership.user, sent)
        receive(one.pk, 0, form.cleaned_data["file"].chunks())
    jobs.begin_check(one)
    return one


class OneImport(ProjectAddress):
    roles = {"GET": LEAD, "DELETE": LEAD}

    def get(self, request: Request, slug: str, import_id: UUID) -> Response:
        """How far one of one's own imports is, and what it holds."""
        return _told(self.membership, import_id, 200)

    def delete(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Give up a file that is being sent, or waits to be confirmed."""
        one = own_import(self.membership, import_id)
        if not jobs.discard(one) and one.state != Import.State.DISCARDED:
            raise Conflict(f"This file is {one.get_state_display()}: too late to discard it.")
        return _told(self.membership, import_id, 200)


class Pieces(ProjectAddress):
    roles = {"PUT": LEAD}
    parameters = ("offset",)
    parser_classes = (PieceParser,)

    def put(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Add the body from ``offset`` on; with the last piece the file goes to be checked."""
        one = own_import(self.membership, import_id)
        if "offset" not in request.GET:
            raise Invalid(fields={"offset": ["This is needed."]})
        offset = number(request, "offset", 0, least=0, most=FARTHEST)
        try:
            one = receive(one.pk, offset, [dict(request.data).get("piece", b"")])
        except WrongOffset as wrong:
            said = {"offset": [f"The next piece begins at byte {wrong.received}."]}
            headers = {OFFSET: str(wrong.received)}
            return Response(body_of(409, str(wrong), said), status=409, headers=headers)
        except DiskFull as full:
            raise NoRoom(str(full)) from full
        if one.is_whole:
            jobs.begin_check(one)
        return _told(self.membership, import_id, 200)


class Confirmation(ProjectAddress):
    roles = {"POST": LEAD}

    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Import a file that was checked; once more changes nothing."""
        one = own_import(self.membership, import_id)
        given(request, {})
        if not jobs.confirm(one) and one.state not in (Import.State.IMPORTING, Import.State.DONE):
            raise Conflict(f"This file is {one.get_state_display()}, not to be confirmed.")
        return _told(self.membership, import_id, 200)


class Retry(ProjectAddress):
    roles = {"POST": LEAD}

    def post(self, request: Request, slug: str, import_id: UUID) -> Response:
        """Check a file again whose import failed, as long as it is kept."""
        one = own_import(self.membership, import_id)
        given(request, {})
        if not jobs.try_again(one) and not one.is_working:
            raise Conflict(f"This file is {one.get_state_display()}: nothing to try again.")
        return _told(self.membership, import_id, 200)


class Problems(ProjectAddress):
    roles = {"GET": LEAD}
    parameters = PAGING | {"code"}

    def get(self, request: Request, slug: str, import_id: UUID) -> Response:
        """What of the file is not used, in its order; of one kind, if ``code`` says which."""
        one = own_import(self.membership, import_id)
        found = problems_of(one, word(request.GET, "code"))
        return Response(part(request, found, ("id",), _problems))


def _problems(rows: list[ImportProblem]) -> list[bodies.Body]:
    return [bodies.problem(one) for one in rows]


def _told(membership: Membership, import_id: UUID, status: int) -> Response:
    one = own_import(membership, import_id)
    headers = {OFFSET: str(one.received)}
    return Response(bodies.import_whole(one), status=status, headers=headers)
