"""Links to choose a password, and changing one's own."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.test import Client

from adjudication.accounts.actions import choose_password
from adjudication.accounts.links import password_link
from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.actions import add_person
from tests.conftest import client_for
from tests.factories import PASSWORD, make_user

NEW = "a new long password 7"
pytestmark = pytest.mark.django_db


def invited() -> User:
    return add_person(username="nina", display_name="Nina", password=None, actor=None)


def open_link(client: Client, link: str) -> str:
    """Follow the link as a browser does; the address of the form, or "" if it is no good."""
    answer = client.get(urlsplit(link).path)
    return answer.headers["Location"] if answer.status_code == 302 else ""


def choose(client: Client, form: str, password: str = NEW) -> int:
    words = {"new_password1": password, "new_password2": password}
    return client.post(form, words).status_code


def test_invited_person_chooses_a_password_and_signs_in() -> None:
    """From a link alone, without being signed in and without mail."""
    user, browser = invited(), Client()
    form = open_link(browser, password_link(user))
    assert "nina" in browser.get(form).text
    assert choose(browser, form) == 302
    assert browser.login(username="nina", password=NEW)
    entry = Entry.objects.get(verb="chose password")
    assert (entry.actor, entry.detail) == (user, {"by_link": True})


def test_link_works_once() -> None:
    """Neither in the same browser nor in another one, nor a second link made before."""
    user, browser, thief = invited(), Client(), Client()
    first, second = password_link(user), password_link(user)
    form = open_link(browser, first)
    stolen = open_link(thief, second)
    choose(browser, form)
    assert open_link(browser, first) == ""
    assert choose(thief, stolen, "another long password 8") == 200
    user.refresh_from_db()
    assert user.check_password(NEW)


def test_two_uses_at_once_set_one_password() -> None:
    """Both loaded the account before either chose: the second is told."""
    user = invited()
    one, other = User.objects.get(pk=user.pk), User.objects.get(pk=user.pk)
    choose_password(one, NEW, by_link=True)
    with pytest.raises(Refused, match="just changed elsewhere"):
        choose_password(other, "another long password 8", by_link=True)
    user.refresh_from_db()
    assert user.check_password(NEW)


def test_link_ends_with_signing_in_and_after_a_week(monkeypatch: pytest.MonkeyPatch) -> None:
    """Good on the seventh day, not on the eighth; not after the person signed in."""
    user = make_user("rosa")
    link = password_link(user)
    for days, good in ((6.9, True), (7.1, False)):
        later = datetime.now() + timedelta(days=days)
        monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda self, at=later: at)
        assert bool(open_link(Client(), link)) is good
    monkeypatch.undo()
    client_for(user)
    assert open_link(Client(), link) == ""


def test_spoilt_or_foreign_link_opens_nothing() -> None:
    """A changed token, another person's id, nonsense: the same page, no fault."""
    user, other = invited(), make_user("rosa")
    path = urlsplit(password_link(user)).path
    theirs = urlsplit(password_link(other)).path.split("/")
    mine = path.split("/")
    swapped = "/".join([*mine[:2], theirs[2], *mine[3:]])
    for wrong in (path[:-3] + "x/", swapped, "/password/zzzz/aaa-bbb/", "/password/MQ/new/"):
        answer = Client().get(wrong)
        assert answer.status_code == 200
        assert "no longer good" in answer.text


def test_closed_account_cannot_be_opened_by_a_link() -> None:
    """A link made before the account was closed ends with it."""
    user = invited()
    link = password_link(user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert open_link(Client(), link) == ""


def test_weak_password_is_refused_and_the_link_stays_good() -> None:
    """The person can try again."""
    user, browser = invited(), Client()
    form = open_link(browser, password_link(user))
    assert (
        "too short" in browser.post(form, {"new_password1": "short", "new_password2": "short"}).text
    )
    assert choose(browser, form) == 302


def test_own_password_is_changed_and_other_sessions_end() -> None:
    """This browser stays signed in, every other one is asked again."""
    user = make_user("rosa")
    here, there = Client(), Client()
    for browser in (here, there):
        browser.login(username="rosa", password=PASSWORD)
    words = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert here.post("/password/", words).headers["Location"] == "/"
    assert here.get("/").status_code == 200
    assert there.get("/").status_code == 302
    user.refresh_from_db()
    assert user.check_password(NEW)


def test_own_password_needs_the_old_one() -> None:
    """An unattended browser is not enough."""
    browser = client_for(make_user("rosa"))
    words = {"old_password": "guess", "new_password1": NEW, "new_password2": NEW}
    answer = browser.post("/password/", words)
    assert answer.status_code == 422
    assert "old_password" in answer.context["form"].errors
    assert not Entry.objects.filter(verb="chose password").exists()


def test_own_password_page_needs_signing_in() -> None:
    """A stranger is led to the sign-in page."""
    assert Client().get("/password/").headers["Location"].startswith("/sign-in/")
