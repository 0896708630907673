"""One shape for every refusal: ``{"error": {"code", "message", "fields"}}``.

A request that cannot be read or that a field of it is wrong in is 400; what the state of the
record forbids is 409, and the same request may be right at another time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, InterfaceError, OperationalError
from psycopg.errors import UniqueViolation
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from adjudication.errors import Refused

CODES: Final = {
    400: "invalid",
    401: "unauthenticated",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    409: "refused",
    413: "too-large",
    415: "unsupported-media-type",
    429: "too-many",
    503: "unavailable",
    507: "no-room",
}
MESSAGES: Final = {
    # Whatever is missing or somebody else's: every byte the same.
    404: "There is nothing here, or nothing that you may see.",
    503: "The database does not answer just now. Nothing was changed by halves; try again.",
}
FALLBACK: Final = "This request could not be answered."
RETRY_AFTER: Final = 5  # seconds; an embedded database is back in less

Fields = Mapping[str, Sequence[str]]


class Invalid(exceptions.APIException):
    """A request that cannot be read, or fields that are wrong."""

    status_code = 400

    def __init__(self, message: str = "", fields: Fields | None = None) -> None:
        super().__init__(message or "Some fields are wrong.")
        self.fields = dict(fields or {})


class Conflict(exceptions.APIException):
    """What cannot be done as the record stands."""

    status_code = 409


class TooLarge(exceptions.APIException):
    status_code = 413


class Unavailable(exceptions.APIException):
    status_code = 503
    wait = RETRY_AFTER


def body_of(status: int, message: str = "", fields: Fields | None = None) -> dict[str, Any]:
    """The JSON of a refusal."""
    error = {
        "code": CODES.get(status, "error"),
        "message": MESSAGES.get(status) or message or FALLBACK,
        "fields": {name: list(said) for name, said in (fields or {}).items()},
    }
    return {"error": error}


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """What REST framework's views answer to ``error``; None leaves a fault of ours to the log."""
    known = _as_answer(error)
    response = exception_handler(known, context)
    if response is not None:
        detail = getattr(known, "detail", "")
        fields = known.fields if isinstance(known, Invalid) else None
        response.data = body_of(response.status_code, str(detail), fields)
    return response


def _as_answer(error: Exception) -> Exception:
    if isinstance(error, Refused):
        return Conflict(str(error))
    if isinstance(error, ValidationError):
        return Invalid(fields=_fields_of(error))
    if isinstance(error, IntegrityError) and isinstance(error.__cause__, UniqueViolation):
        return Conflict("The same was stored at this moment by another request. Ask again.")
    if isinstance(error, OperationalError | InterfaceError):
        return Unavailable()
    return error


def _fields_of(error: ValidationError) -> Fields:
    if hasattr(error, "error_dict"):
        return error.message_dict
    return {"": error.messages}
