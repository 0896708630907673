"""Headers that every response carries, whichever view made it."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase


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
