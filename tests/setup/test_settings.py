"""Settings: from the environment, safe by themselves, loud when something is missing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.setup.conftest import ROOT

SERVERS = {
    "DATABASE_URL": "postgresql://app:secret@db.example.org:5433/certify?sslmode=require",
    "CELERY_BROKER_URL": "redis://queue.example.org:6379/0",
    "SECRET_KEY": "x" * 60 + "abcdefghij",
}
OURS = {
    *SERVERS,
    *("DATABASE_OWNER_URL", "SITE_URL", "PORT", "DEBUG", "STATEMENT_TIMEOUT", "IMPORT_LIMIT_MB"),
    *("READER_URL", "READER_KEY", "READER_MODELS"),
    *("EMBEDDINGS_URL", "EMBEDDINGS_KEY", "EMBEDDINGS_MODEL"),
    # Tests with a browser set it for their own process, which may be this one.
    "DJANGO_ALLOW_ASYNC_UNSAFE",
}
PRINT = "import json, adjudication.settings as s; print(json.dumps({}, default=str))"


def run(data: Path, command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key not in OURS}
    return subprocess.run(
        command,
        cwd=ROOT,
        env=kept | {"DATA_DIR": str(data)} | variables,
        capture_output=True,
        text=True,
    )


def read(data: Path, expression: str, *arguments: str, **variables: str):
    """Return the value of `expression` over the settings `s`, in a process of its own."""
    command = [sys.executable, "-c", PRINT.format(expression), *arguments]
    result = run(data, command, **variables)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def complaint(data: Path, *arguments: str, **variables: str) -> str:
    command = [sys.executable, "-c", "import adjudication.settings", *arguments]
    result = run(data, command, **variables)
    assert result.returncode != 0
    return result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("variables", "advice"),
    [
        ({"PORT": "http"}, "PORT must be a number"),
        ({"SITE_URL": "example.org"}, "SITE_URL must look like"),
        ({"CELERY_BROKER_URL": "redis://queue"}, "DATABASE_URL is not"),
        ({"READER_URL": "https://me:secret@models.example.org"}, "READER_URL must look like"),
        ({"READER_URL": "https://models.example.org/v1"}, "Set READER_MODELS"),
        ({"EMBEDDINGS_URL": "https://models.example.org/v1"}, "Set EMBEDDINGS_MODEL"),
        (SERVERS | {"CELERY_BROKER_URL": ""}, "Set CELERY_BROKER_URL"),
        (SERVERS | {"SECRET_KEY": ""}, "Set SECRET_KEY"),
        (SERVERS | {"DATABASE_URL": "mysql://app@db/certify"}, "DATABASE_URL is not"),
        (SERVERS | {"DATABASE_URL": "postgresql://db.example.org/"}, "must name a user"),
    ],
)
def test_wrong_setting_is_named(data: Path, variables: dict[str, str], advice: str) -> None:
    """The message says which variable is wrong and what it should be; secrets stay out of it."""
    message = complaint(data, **variables)
    assert advice in message
    assert "secret" not in message


def test_migrations_connect_as_the_owner_and_nothing_else_does(data: Path) -> None:
    """The application's role can never alter a table, whatever runs with it."""
    servers = SERVERS | {"DATABASE_OWNER_URL": "postgresql://owner:other@db.example.org/certify"}
    user = "s.DATABASES['default']['USER']"
    assert read(data, user, **servers) == "app"
    assert read(data, user, "migrate", **servers) == "owner"
    assert read(data, "s.APP_DATABASE_ROLE", "migrate", **servers) == "app"
    assert "Set DATABASE_OWNER_URL" in complaint(data, "migrate", **SERVERS)


def test_addresses_of_servers_are_taken_over_whole(data: Path) -> None:
    """Host, port and options of the address reach the database driver."""
    database = read(data, "s.DATABASES['default']", **SERVERS)
    assert (database["HOST"], database["PORT"]) == ("db.example.org", "5433")
    assert database["OPTIONS"]["sslmode"] == "require"
    assert "-c statement_timeout=5min" in database["OPTIONS"]["options"]


def test_pages_have_less_patience_than_tasks(data: Path) -> None:
    """The web server gives up on a statement after seconds, so that no page hangs."""
    source = "import adjudication.wsgi; from django.conf import settings as s; print({})"
    command = source.format("s.DATABASES['default']['OPTIONS']['options']")
    result = run(data, [sys.executable, "-c", command])
    assert "-c statement_timeout=15s" in result.stdout


def test_https_address_secures_cookies_and_transport(data: Path) -> None:
    """With an https address cookies never travel in the clear; without, they still work."""
    names = "[s.SESSION_COOKIE_NAME, s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE]"
    assert read(data, names, SITE_URL="https://desk.example.org") == ["__Host-session", True, True]
    assert read(data, names, PORT="8123") == ["session-8123", False, False]
    assert "desk.example.org" in read(data, "s.ALLOWED_HOSTS", SITE_URL="https://desk.example.org")


def test_deployment_check_finds_nothing(data: Path) -> None:
    """Django's own checklist for a deployment, warnings included."""
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    result = run(data, command, SITE_URL="https://desk.example.org", **SERVERS)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["makemigrations", "--check"],
        pytest.param(["help"], marks=pytest.mark.slow),  # goes the way of --version
    ],
)
def test_command_without_database_starts_none(data: Path, arguments: list[str]) -> None:
    """What needs no database must work where none can run, and quietly."""
    result = run(data, [sys.executable, "manage.py", *arguments])
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    assert not (data / "postgres").exists()


def test_foreign_data_directory_is_explained(place: Path) -> None:
    """Somebody else's data directory is refused in one sentence with a way out."""
    if os.geteuid() == 0:
        pytest.skip("root may enter every directory")
    place.chmod(0o500)
    assert "belongs to another user" in complaint(place / "data")
    place.chmod(0o700)


@pytest.mark.parametrize("command", ["serve", "create_project"])
def test_command_says_in_one_line_what_is_wrong(place: Path, command: str) -> None:
    """A folder that cannot be made, or a bad setting, is no fault of the program."""
    (place / "file").touch()
    under_a_file = run(place / "file" / "data", [sys.executable, "manage.py", command])
    wrong_port = run(place / "data", [sys.executable, "manage.py", command], PORT="http")
    for result, said in ((under_a_file, "cannot be used"), (wrong_port, "PORT must be a number")):
        assert result.returncode != 0
        assert result.stderr.count("\n") == 1
        assert said in result.stderr


def test_command_without_tables_says_how_to_make_them(data: Path) -> None:
    """The first command in a new folder ends with advice."""
    result = run(
        data, [sys.executable, "manage.py", "import_data", "x", "y", "--format", "musique"]
    )
    assert result.returncode != 0
    assert "manage.py migrate" in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr
