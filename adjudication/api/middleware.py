"""Below ``/api/`` every refusal is JSON, whoever made it: also where no view was reached."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from adjudication.api.errors import body_of

PREFIX = "/api/"


def json_refusals(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """A page that says no, be it of Django or of ours, becomes the shape of the API."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not request.path_info.startswith(PREFIX) or response.status_code < 400:
            return response
        if response.headers.get("Content-Type", "").startswith("application/json"):
            return response
        status = response.status_code
        answer = JsonResponse(body_of(status), status=status)
        if retry := response.headers.get("Retry-After"):
            answer.headers["Retry-After"] = retry
        return answer

    return respond
