"""A real PostgreSQL and Valkey for every test, and the cast.

The tables belong to the owner's role and tests connect as the application's role, so that
privileges and triggers are those of a deployment. A test that only needs rows runs in a
transaction; one that needs committed rows gets a clone of the migrated database, because
append-only tables cannot be emptied.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.db import connections
from django.test import Client
from django.test.testcases import LiveServerThread
from psycopg import sql
from pytest_django import DjangoDbBlocker
from redis import Redis

from adjudication.accounts.models import User
from adjudication.embedded import Addresses, DataDirectory, services
from adjudication.projects.models import Project, Role
from tests.factories import add_member, make_project, make_user
from tests.kept import Shelf, builds_of, kept

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"
MIGRATED = "certify"
# What is migrated once more, since nobody may be in a database that is copied.
TEMPLATE = "certify_template"
_clones = itertools.count(1)
# Until a test asks for the services there are none, and nobody can have left a message.
_brokers: list[Redis] = []


def shared_data(path: str) -> Path:
    """A file of the public data sets; the test is skipped where they are not present."""
    found = SHARED_DATA / path
    if not found.exists():
        pytest.skip(f"the public data set file {path} is not present")
    return found


def pytest_configure() -> None:
    """Every test makes several people; a slow password hash would be most of the time."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session")
def servers() -> Iterator[Addresses]:
    """PostgreSQL with the migrated database, and Valkey, for this test process."""
    with services(settings.DATA_DIR, durable=False) as addresses:
        command = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity=0"]
        subprocess.run(command, cwd=ROOT, check=True)
        _clone(addresses, TEMPLATE, of=MIGRATED)
        socket = DataDirectory.at(settings.DATA_DIR).valkey_socket
        with Redis(unix_socket_path=str(socket)) as broker:
            _brokers.append(broker)
            yield addresses
            _brokers.remove(broker)


@pytest.fixture(autouse=True)
def _own_messages() -> None:
    """No test sees messages of another: pages and workers of an earlier one may leave some."""
    for broker in _brokers:
        broker.flushall()


@pytest.fixture(scope="session")
def django_db_setup(servers: Addresses, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """In place of pytest-django's: the database is there, migrated by its owner."""
    with django_db_blocker.unblock():
        yield
        connections.close_all()


@dataclass(frozen=True)
class CommittedDatabase:
    """A database of one test's own, and the environment in which other processes use it."""

    name: str
    environment: dict[str, str]


@pytest.fixture
def committed(
    servers: Addresses, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[CommittedDatabase]:
    """Rows written here are committed, and seen by other threads and processes."""
    name = f"{MIGRATED}_{next(_clones)}"
    connections.close_all()
    _clone(servers, name)
    connections.settings["default"]["NAME"] = name
    there = replace(
        servers,
        app=servers.app.replace(f"/{MIGRATED}?", f"/{name}?"),
        owner=servers.owner.replace(f"/{MIGRATED}?", f"/{name}?"),
    )
    with django_db_blocker.unblock():
        yield CommittedDatabase(name, environment_for(there))
        connections.close_all()
    connections.settings["default"]["NAME"] = MIGRATED
    _end_connections(servers, name)
    _as_owner(servers, "DROP DATABASE {}", name)


@pytest.fixture(scope="session")
def shelf(servers: Addresses) -> Iterator[Shelf]:
    shelf = Shelf(lambda name: _clone(servers, name), f"{MIGRATED}_kept")
    yield shelf
    shelf.close()


@pytest.fixture
def kept_scene(db: None, shelf: Shelf, request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """What the kept fixtures of this test made, by their names."""
    with shelf.scene(builds_of(request.node)) as made:
        yield made


def environment_for(addresses: Addresses) -> dict[str, str]:
    """The environment of a process that uses these servers as it would use remote ones."""
    return os.environ | {
        "DATABASE_URL": addresses.app,
        "DATABASE_OWNER_URL": addresses.owner,
        "CELERY_BROKER_URL": addresses.broker,
        "SECRET_KEY": settings.SECRET_KEY,
    }


def _end_connections(servers: Addresses, name: str) -> None:
    """End what threads and processes of a test left open; only their own role may."""
    with psycopg.connect(_beside(servers.app), autocommit=True) as application:
        application.execute(
            # The server's own helpers, such as a vacuum, make room by themselves.
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = %s AND backend_type = 'client backend'",
            [name],
        )


def _clone(servers: Addresses, name: str, of: str = TEMPLATE) -> None:
    _as_owner(servers, "CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", name, of)


def _beside(url: str) -> str:
    """The same server's maintenance database."""
    return url.replace(f"/{MIGRATED}?", "/postgres?")


def _as_owner(servers: Addresses, statement: str, *names: str) -> None:
    with psycopg.connect(_beside(servers.owner), autocommit=True) as owner:
        owner.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@pytest.fixture
def site(committed: CommittedDatabase) -> Iterator[str]:
    """The address of the application, served over real HTTP from the committed database."""
    server = LiveServerThread("localhost", StaticFilesHandler)
    server.daemon = True
    server.start()
    server.is_ready.wait()
    if server.error:
        raise server.error
    yield f"http://localhost:{server.port}"
    server.terminate()


# --- The cast --------------------------------------------------------------------------------


@kept
def project() -> Project:
    return make_project("film-study")


@dataclass(frozen=True)
class Cast:
    """People of one project, and a stranger who is in none."""

    lead: User
    rosa: User
    rui: User
    adjudicator: User
    auditor: User
    reader: User
    stranger: User


def make_cast(project: Project) -> Cast:
    """A lead, two reviewers, an adjudicator, an auditor, a reader; and a stranger."""
    cast = Cast(*map(make_user, ("lena", "rosa", "rui", "ada", "otto", "remy", "sam")))
    add_member(project, cast.lead, Role.LEAD)
    add_member(project, cast.rosa, Role.REVIEWER)
    add_member(project, cast.rui, Role.REVIEWER)
    add_member(project, cast.adjudicator, Role.ADJUDICATOR)
    add_member(project, cast.auditor, Role.AUDITOR)
    add_member(project, cast.reader, Role.READER)
    return cast


@kept
def cast(project: Project) -> Cast:
    return make_cast(project)


def client_for(user: User) -> Client:
    """A browser in which ``user`` is signed in."""
    client = Client()
    client.force_login(user)
    return client
