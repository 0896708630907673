"""What holds for every page: headers, forms that can be read, refusals in words."""

from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponseBadRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template import loader
from psycopg.errors import UniqueViolation

from adjudication.errors import Refused

FORM = "application/x-www-form-urlencoded"


def response_headers(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Forbid foreign content, and keep what a signed-in person sees out of every cache."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return respond


def readable_forms(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Refuse a form that is not UTF-8: Django would put U+FFFD for what it cannot read, unasked.

    Not the forms that carry a file, which are read as they come in; what they hold as text
    is for their own fields to check.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        if request.content_type == FORM and not _readable(request):
            # Not raised: Django's own page for it reads the form once more, and fails.
            return HttpResponseBadRequest(loader.get_template("400.html").render())
        return get_response(request)

    return respond


def _readable(request: HttpRequest) -> bool:
    try:
        unquote_to_bytes(request.body).decode()
    except UnicodeDecodeError:
        return False
    return (request.encoding or "utf-8").lower() in {"utf-8", "utf8"}


class RefusalPages:
    """Show a refusal as a page with its reason instead of a fault of the server.

    A row that was made twice at one moment is a refusal too: the first one stands.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        if isinstance(error, Refused):
            return render(request, "403.html", {"exception": str(error)}, status=403)
        if isinstance(error, IntegrityError) and isinstance(error.__cause__, UniqueViolation):
            return render(request, "409.html", status=409)
        return None
