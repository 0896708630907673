"""Signing in, and how often it may be tried."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from adjudication.accounts.actions import TRIES, forget_tries, may_try
from adjudication.accounts.models import SignInCount
from tests.conftest import client_for
from tests.factories import PASSWORD, make_user

SIGN_IN = "/sign-in/"


def try_to(client: Client, username: str, password: str, address: str = "10.0.0.1") -> str:
    """The words of the answer, without the token that differs each time."""
    answer = client.post(SIGN_IN, {"username": username, "password": password}, REMOTE_ADDR=address)
    if answer.status_code == 302:
        return "signed in"
    return answer.text.split("<h2>Not signed in</h2>")[1].split("</div>")[0]


@pytest.mark.django_db
def test_unknown_name_wrong_password_and_closed_account_look_the_same(client: Client) -> None:
    """The answer does not tell which names exist."""
    make_user("rosa")
    make_user("closed", is_active=False)
    answers = {
        try_to(client, "nobody", PASSWORD),
        try_to(client, "rosa", "wrong"),
        try_to(client, "closed", PASSWORD),
    }
    assert len(answers) == 1
    assert "do not belong together" in answers.pop()
    assert try_to(client, "rosa", PASSWORD) == "signed in"


@pytest.mark.django_db
@pytest.mark.parametrize("username", ["rosa", "nobody"])
def test_tries_beyond_the_limit_are_refused_even_with_the_right_password(
    client: Client, username: str
) -> None:
    """Known and unknown names alike; another address or name is not affected."""
    make_user("rosa")
    make_user("rui")
    for _ in range(TRIES):
        assert "do not belong together" in try_to(client, username, "wrong")
    assert "Wait 15 minutes" in try_to(client, username, PASSWORD)
    assert try_to(client, "rui", PASSWORD) == "signed in"
    assert try_to(Client(), "rosa", PASSWORD, address="10.0.0.2") == "signed in"


@pytest.mark.django_db
def test_count_begins_anew_after_success_and_after_the_window() -> None:
    """A person who mistypes now and then is never locked out."""
    for _ in range(TRIES):
        assert may_try("rosa", "10.0.0.1")
    assert not may_try("rosa", "10.0.0.1")
    forget_tries("rosa", "10.0.0.1")
    for _ in range(TRIES):
        assert may_try("rosa", "10.0.0.1")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_signincount SET since = now() - interval '16 minutes'")
    assert may_try("rosa", "10.0.0.1")
    assert SignInCount.objects.get().tries == 1


@pytest.mark.django_db
def test_old_counts_of_others_are_forgotten() -> None:
    """The table does not grow with every name that somebody once typed."""
    may_try("somebody", "10.0.0.9")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_signincount SET since = now() - interval '16 minutes'")
    may_try("rosa", "10.0.0.1")
    may_try("rui", "10.0.0.1")
    forget_tries("rosa", "10.0.0.1")
    assert SignInCount.objects.count() == 1


@pytest.mark.django_db
def test_counts_hold_neither_name_nor_address() -> None:
    """People type passwords into the field for the name."""
    may_try("correct-horse", "10.0.0.1")
    assert "horse" not in SignInCount.objects.get().key
    assert "10.0" not in SignInCount.objects.get().key


def test_signing_out_ends_the_session_and_asks_anew(db: None) -> None:
    """The button on every page leads to the sign-in, and the way back is closed."""
    client = client_for(make_user("olga"))
    assert client.post("/sign-out/").headers["Location"] == "/sign-in/"
    assert client.get("/").headers["Location"].startswith("/sign-in/")
