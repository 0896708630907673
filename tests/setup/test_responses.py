"""What every answer carries, and what is answered while the database is away."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from adjudication.projects import actions
from adjudication.projects.models import Project
from tests.conftest import CommittedDatabase, client_for
from tests.factories import make_project, make_user


@contextmanager
def database_away() -> Iterator[None]:
    """Every connection fails, as while the server restarts."""
    connection.close()
    host = connection.settings_dict["HOST"]
    connection.settings_dict["HOST"] = "/nonexistent"
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["HOST"] = host


def test_page_forbids_foreign_content_frames_and_caches(db: None) -> None:
    """No script from elsewhere runs, no site frames a page, and no cache keeps one."""
    headers = Client().get("/healthz").headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "://" not in policy
    assert headers["Cache-Control"] == "private, no-store"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_static_file_may_be_cached() -> None:
    """Style sheets and scripts are the same for everybody, so browsers may keep them."""
    response = Client().get("/static/css/base.css")
    assert response.status_code == 200
    assert "public" in response.headers["Cache-Control"]
    response.close()


def test_outage_is_told_and_passes(committed: CommittedDatabase) -> None:
    """While the database is away pages say "try again", not "broken", and then work unaided."""
    client = client_for(make_user("rosa"))
    client.raise_request_exception = False
    assert client.get("/healthz").status_code == 200
    with database_away():
        assert client.get("/healthz").status_code == 503
        page = client.get("/")
        assert page.status_code == 503
        assert page.headers["Retry-After"] == "5"
        assert "The database cannot answer" in page.content.decode()
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("claimed", ["http", "https"])
def test_forwarded_headers_are_ignored(claimed: str) -> None:
    """Only SITE_URL says whether the site is https; a client's headers say nothing."""
    from adjudication.wsgi import application

    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": "/sign-in/",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "8000",
        "HTTP_HOST": "localhost",
        "HTTP_X_FORWARDED_PROTO": claimed,
        "HTTP_X_FORWARDED_HOST": "elsewhere.example.org",
        "wsgi.url_scheme": claimed,
        "wsgi.input": io.BytesIO(),
    }
    answer: list[Any] = []
    list(application(environ, lambda status, headers: answer.extend([status, dict(headers)])))
    status, headers = answer
    assert status == "200 OK"
    assert "Strict-Transport-Security" not in headers
    assert environ["wsgi.url_scheme"] == "http"


def test_foreign_host_name_is_refused() -> None:
    """A forged Host cannot plant a foreign address into a page."""
    assert Client().get("/sign-in/", headers={"host": "elsewhere.example.org"}).status_code == 400


def test_form_that_is_not_utf8_is_refused() -> None:
    """What cannot be read would be stored as U+FFFD; a wrong character set breaks every page."""
    form = "application/x-www-form-urlencoded"
    for body, kind in ((b"username=a%ff", form), (b"username=a", f"{form}; charset=latin-1")):
        # As browsers meet it: the check for forgery reads the form as well.
        client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        assert client.post("/sign-in/", body, content_type=kind).status_code == 400


def test_row_made_twice_at_one_moment_is_told(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A double click whose first half is stored in between gets a reason, not a fault of ours."""

    def made_in_between(**_: object) -> None:
        with transaction.atomic():
            make_project("vats")
            Project.objects.create(slug="vats", title="Vats")

    monkeypatch.setattr(actions, "create_project", made_in_between)
    operator = client_for(make_user("olga", is_operator=True))
    second = operator.post("/projects/new/", {"slug": "vats", "title": "Vats"})
    assert second.status_code == 409
    assert b"made twice" in second.content
