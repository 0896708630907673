"""Count tries to sign in; set passwords."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.contrib.auth.hashers import make_password
from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from adjudication.accounts.models import SignInCount, User
from adjudication.errors import Refused
from adjudication.journal.actions import record

TRIES: Final = 10
WINDOW: Final = 15  # minutes

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
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": _key(username, address), "window": WINDOW})
        tries: int = cursor.fetchone()[0]
    return tries <= TRIES


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
    """Set the password that its owner chose. Older links and other sessions end with it.

    Raises:
        Refused: another password was set since ``user`` was loaded, so the link is used up.
    """
    same = User.objects.filter(pk=user.pk, password=user.password)
    user.password = make_password(password)
    if not same.update(password=user.password):
        raise Refused("This password was just changed elsewhere. Ask for a new link.")
    record("chose password", user, actor=user, project_id=None, by_link=by_link)
