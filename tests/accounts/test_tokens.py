"""Tokens by which programs act as a person: made, shown once, used, ended."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection

from adjudication.accounts.actions import choose_password, make_token, revoke_token
from adjudication.accounts.models import Token, User
from adjudication.accounts.queries import holder_of
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from tests.conftest import client_for
from tests.factories import make_user

pytestmark = pytest.mark.django_db

TOKENS = "/tokens/"
FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')


def ended(token: Token) -> None:
    """As if its time had passed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE accounts_token SET created_at = now() - interval '2 days',"
            " expires_at = now() - interval '1 second' WHERE id = %s",
            [token.pk],
        )


def used_at_minute(minutes_ago: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE accounts_token SET last_used_at = now() - make_interval(mins => %s)",
            [minutes_ago],
        )


def test_secret_is_shown_once_and_kept_nowhere() -> None:
    """Neither the table nor the journal nor a later page holds it; its digest opens nothing."""
    rosa = make_user("rosa")
    browser = client_for(rosa)
    page = browser.post(TOKENS, {"name": "nightly import", "days": "30"})
    secret = re.search(r"certify_[\w-]{43}", page.text)[0]
    token = Token.objects.get()
    assert (token.name, (token.expires_at - token.created_at).days) == ("nightly import", 30)
    assert secret[14:] not in str(Token.objects.values().get())
    assert secret[14:] not in str(list(Entry.objects.values()))
    again = browser.get(TOKENS).text
    assert token.hint in again
    assert secret not in again
    assert holder_of(secret) == rosa
    assert holder_of(token.sha256) is None
    entry = Entry.objects.get(verb="made token")
    assert (entry.actor, entry.object_id) == (rosa, token.pk)


def test_token_ends_with_time_revoking_a_closed_account_and_a_new_password() -> None:
    """Each of the four ways, from the next request on."""
    rosa = make_user("rosa")
    made = [make_token(rosa, name=str(n), actor=rosa) for n in range(3)]
    assert all(holder_of(secret) == rosa for _, secret in made)
    ended(made[0][0])
    assert holder_of(made[0][1]) is None
    revoke_token(made[1][0], actor=rosa)
    assert holder_of(made[1][1]) is None
    User.objects.filter(pk=rosa.pk).update(is_active=False)
    assert holder_of(made[2][1]) is None
    User.objects.filter(pk=rosa.pk).update(is_active=True)
    assert holder_of(made[2][1]) == rosa
    choose_password(rosa, "another long password 8", by_link=True)
    assert holder_of(made[2][1]) is None


def test_use_is_noted_at_most_once_a_minute() -> None:
    """Reading by a program must not write at every request."""
    rosa = make_user("rosa")
    token, secret = make_token(rosa, name="script", actor=rosa)
    assert token.last_used_at is None
    holder_of(secret)
    first = Token.objects.get().last_used_at
    assert first is not None
    holder_of(secret)
    assert Token.objects.get().last_used_at == first
    used_at_minute(2)
    holder_of(secret)
    assert Token.objects.get().last_used_at > first


def test_one_sees_and_revokes_ones_own_only() -> None:
    """Another's token and a missing one give the same answer, and nothing ends."""
    rosa, rui = make_user("rosa"), make_user("rui")
    token, secret = make_token(rui, name="a token of Rui", actor=rui)
    browser = client_for(rosa)
    assert "a token of Rui" not in browser.get(TOKENS).text
    theirs = browser.post(f"{TOKENS}{token.pk}/revoke/")
    missing = browser.post(f"{TOKENS}{rosa.pk}/revoke/")
    assert theirs.status_code == missing.status_code == 404
    assert FORM_TOKEN.sub("", theirs.text) == FORM_TOKEN.sub("", missing.text)
    assert holder_of(secret) == rui
    assert client_for(rui).post(f"{TOKENS}{token.pk}/revoke/").status_code == 302
    assert holder_of(secret) is None
    assert Entry.objects.filter(verb="revoked token", actor=rui).count() == 1


def test_a_name_is_taken_until_its_token_is_revoked() -> None:
    """A double click makes one token, and two of one name can never be mixed up."""
    rosa = make_user("rosa")
    browser = client_for(rosa)
    words = {"name": "script", "days": "90"}
    assert browser.post(TOKENS, words).status_code == 200
    answer = browser.post(TOKENS, words)
    assert answer.status_code == 422
    assert "already" in answer.context["form"].errors["name"][0]
    revoke_token(Token.objects.get(), actor=rosa)
    assert browser.post(TOKENS, words).status_code == 200


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"name": "", "days": "90"}, "name"),
        ({"name": "a\u202eb", "days": "90"}, "name"),
        ({"name": "script", "days": "100000"}, "days"),
        ({"name": "script", "days": ""}, "days"),
    ],
)
def test_wrong_token_is_named_at_its_field(words: dict[str, str], field: str) -> None:
    answer = client_for(make_user("rosa")).post(TOKENS, words)
    assert answer.status_code == 422
    assert field in answer.context["form"].errors
    assert not Token.objects.exists()


def test_database_keeps_digests_only() -> None:
    """A secret in place of its digest is refused by the table itself."""
    rosa = make_user("rosa")
    token, secret = make_token(rosa, name="script", actor=rosa)
    with pytest.raises(IntegrityError, match="token_keeps_a_digest"):
        Token.objects.filter(pk=token.pk).update(sha256=secret)


def test_command_prints_the_secret_alone() -> None:
    """So that a shell can keep it in a variable; the words go to the other stream."""
    rosa, out, err = make_user("rosa"), StringIO(), StringIO()
    call_command("make_token", "rosa", name="server", days=7, stdout=out, stderr=err)
    assert holder_of(out.getvalue().strip()) == rosa
    assert "Rosa acts by this token" in err.getvalue()
    with pytest.raises(CommandError, match="already"):
        call_command("make_token", "rosa", name="server", stdout=out, stderr=err)


def test_closed_account_gets_no_token() -> None:
    closed = make_user("closed", is_active=False)
    with pytest.raises(Refused, match="closed"):
        make_token(closed, name="script", actor=None)
