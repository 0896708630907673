"""A server that lacks the extension for vectors: everything but dense search works there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from adjudication.embedded import Addresses
from tests.conftest import MIGRATED, ROOT, environment_for

pytestmark = pytest.mark.slow  # every migration is run once more
BARE = "certify_bare"

_WORK = """
import django; django.setup()
from adjudication.errors import Refused
from adjudication.search.retrievers import retriever_of
from tests.factories import make_project, make_version
from tests.runs.specified import FILMS, freeze
project = make_project()
for text in FILMS:
    make_version(project, text)
specification = freeze(project)
print(retriever_of(specification, "bm25").search("Silent Fjord", 1)[0].title)
try:
    retriever_of(specification, "hybrid", "bag")
except Refused as refusal:
    print(refusal)
"""


@pytest.fixture
def bare(servers: Addresses) -> Iterator[dict[str, str]]:
    """The environment of a process whose database has no extension but the language."""
    owner = servers.owner.replace(f"/{MIGRATED}?", "/postgres?")
    there = replace(
        servers,
        app=servers.app.replace(f"/{MIGRATED}?", f"/{BARE}?"),
        owner=servers.owner.replace(f"/{MIGRATED}?", f"/{BARE}?"),
    )
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {BARE} TEMPLATE template0")
    with psycopg.connect(there.owner, autocommit=True) as connection:
        connection.execute((ROOT / "adjudication/embedded/grants.sql").read_text())
    yield environment_for(there) | {
        "DJANGO_SETTINGS_MODULE": "adjudication.settings",
        "EMBEDDINGS_URL": "http://127.0.0.1:9/v1",
        "EMBEDDINGS_MODEL": "bag",
    }
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {BARE} WITH (FORCE)")


def test_server_without_the_extension_migrates_and_searches(bare: dict[str, str]) -> None:
    """Dense search is refused in plain words; migrations and BM25 do not need it."""
    migrate = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity=0"]
    subprocess.run(migrate, cwd=ROOT, env=bare, check=True)
    worked = subprocess.run(
        [sys.executable, "-c", _WORK],
        cwd=ROOT,
        env=bare,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found, refusal = worked.stdout.splitlines()
    assert found == "Silent Fjord"
    assert "extension “vector”, which this database lacks" in refusal
