"""Tokens: those of a person, and who acts by one."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from adjudication.accounts.models import Token, User

NOTED_EVERY = timedelta(minutes=1)
"""How often the use of a token is written down: more would be a write for every read."""


def digest_of(secret: str) -> str:
    """What is kept of a token's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def tokens_of(user: User) -> QuerySet[Token]:
    """The tokens of a person that were not revoked, ended ones too, newest first."""
    return Token.objects.filter(user=user, revoked_at__isnull=True).order_by("-created_at", "id")


def holder_of(secret: str) -> User | None:
    """Who acts by the token with this ``secret``; nobody where it is unknown, ended or revoked,
    or the account is closed. Notes the use."""
    live = Token.objects.filter(
        sha256=digest_of(secret),
        revoked_at__isnull=True,
        expires_at__gt=Now(),
        user__is_active=True,
    )
    token = live.select_related("user").first()
    if token is None:
        return None
    unnoted = Q(last_used_at__isnull=True) | Q(last_used_at__lt=Now() - NOTED_EVERY)
    Token.objects.filter(unnoted, pk=token.pk).update(last_used_at=Now())
    return token.user
