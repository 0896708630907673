"""Headers that every response carries, whichever view made it."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from adjudication.errors import Refused


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


class RefusalPages:
    """Show a refusal as a page with its reason instead of a fault of the server."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        if not isinstance(error, Refused):
            return None
        return render(request, "403.html", {"exception": str(error)}, status=403)
