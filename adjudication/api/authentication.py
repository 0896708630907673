"""Programs sign in with a token; scripts of our own pages with their session."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from adjudication.accounts.actions import WINDOW, may_fail
from adjudication.accounts.models import User
from adjudication.accounts.queries import holder_of


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer …``. A token that opens nothing is counted against its sender."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        user = holder_of(secret.strip())
        if user is not None:
            return user, None
        if not may_fail(str(request.META.get("REMOTE_ADDR", ""))):
            raise Throttled(wait=WINDOW * 60)
        raise AuthenticationFailed("This token is unknown, has ended or was revoked.")

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
