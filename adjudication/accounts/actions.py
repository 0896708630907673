"""Count tries to sign in; set passwords; make and revoke tokens for programs."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Final

from django.contrib.auth.hashers import make_password
from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from adjudication.accounts.models import SignInCount, Token, User
from adjudication.accounts.queries import digest_of
from adjudication.errors import Refused
from adjudication.journal.actions import record

TRIES: Final = 10
WINDOW: Final = 15  # minutes
TOKEN_DAYS: Final = 90

# One statement counts and answers, so that parallel guesses cannot slip past each other.
_COUNT = """
INSERT INTO accounts_signincount AS known (key, tries, since) VALUES (%(key)s, 1, now())
ON CONFLICT (key) DO UPDATE SET (tries, since) = (
    SELECT CASE WHEN over THEN 1 ELSE known.tries + 1 END,
           CASE WHEN over THEN now() ELSE known.since END
    FROM (SELECT known.since < now() - make_interval(mins => %(window)s) AS over) AS past
)
RETURNING tries
"""


def may_try(username: str, address: str) -> bool:
    """Count a try to sign in as ``username`` from ``address``; whether it is within the limit.

    Called before the password is looked at, and for names that nobody has as well, so that
    neither the answer nor its time tells which names exist.
    """
    return _count(_key(username, address)) <= TRIES


def may_fail(address: str) -> bool:
    """Count a token from ``address`` that opens nothing; whether it is within the limit."""
    return _count(_key("", address)) <= TRIES  # nobody signs in with an empty name


def _count(key: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": key, "window": WINDOW})
        tries: int = cursor.fetchone()[0]
    return tries


def forget_tries(username: str, address: str) -> None:
    """After a good sign-in the count begins anew; everybody's old counts go with it."""
    past = Q(since__lt=Now() - timedelta(minutes=WINDOW))
    SignInCount.objects.filter(past | Q(key=_key(username, address))).delete()


def _key(username: str, address: str) -> str:
    # The length in front keeps "a" + "b c" and "a b" + "c" apart.
    value = f"{len(username)} {username} {address}"
    return salted_hmac("adjudication.accounts.sign-in", value, algorithm="sha256").hexdigest()


@transaction.atomic
def choose_password(user: User, password: str, *, by_link: bool) -> None:
    """Set the password that its owner chose. Older links, other sessions and tokens end with it.

    Whoever got hold of the old one may have made tokens by it.

    Raises:
        Refused: another password was set since ``user`` was loaded, so the link is used up.
    """
    same = User.objects.filter(pk=user.pk, password=user.password)
    user.password = make_password(password)
    if not same.update(password=user.password):
        raise Refused("This password was just changed elsewhere. Ask for a new link.")
    record("chose password", user, actor=user, project_id=None, by_link=by_link)
    for token in Token.objects.filter(user=user, revoked_at__isnull=True):
        revoke_token(token, actor=user)


@transaction.atomic
def make_token(
    user: User, *, name: str, days: int = TOKEN_DAYS, actor: User | None
) -> tuple[Token, str]:
    """A token by which programs act as ``user`` for ``days``, and its secret.

    The secret is kept nowhere: whoever calls this shows it once.

    Raises:
        Refused: a closed account, or a name that another token of this person has.
    """
    if not user.is_active:
        raise Refused(f"The account of {user} is closed.")
    # Two at once are told apart by the constraint; this one gives the words.
    if Token.objects.filter(user=user, name=name, revoked_at__isnull=True).exists():
        raise Refused(f"There is a token {name!r} already. Revoke it, or choose another name.")
    secret = f"certify_{secrets.token_urlsafe(32)}"
    token = Token(
        user=user,
        name=name,
        hint=secret[:14],
        sha256=digest_of(secret),
        expires_at=Now() + timedelta(days=days),
    )
    token.clean_fields(exclude={"created_at", "expires_at", "last_used_at", "revoked_at"})
    token.save()
    token.refresh_from_db()
    record("made token", token, actor=actor, project_id=None, person=user.username, days=days)
    return token, secret


@transaction.atomic
def revoke_token(token: Token, *, actor: User) -> None:
    """End a token now and for good; once more changes nothing."""
    live = Token.objects.filter(pk=token.pk, revoked_at__isnull=True)
    if live.update(revoked_at=Now()):
        record("revoked token", token, actor=actor, project_id=None, person=token.user.username)
