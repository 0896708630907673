"""What a run and a person wait for, over the database of this process's environment."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

from django.conf import settings
from django.db import transaction
from django.test import Client

from adjudication.accounts.models import User
from adjudication.corpus.actions import Capture
from adjudication.corpus.bulk import add_sources, refresh_statistics
from adjudication.projects.actions import create_project, set_membership
from adjudication.projects.models import ReaderClass, Role
from adjudication.search.queries import corpus_of
from adjudication.specifications.actions import freeze, start_draft
from adjudication.specifications.models import Specification
from bench.search import QUERIES, TOP, percentiles, queries
from certify_core.model import Unit

SLUG = "bench"
PAGES = 100  # pages fetched of each kind


def measure(units: Sequence[Unit]) -> dict[str, object]:
    """Return milliseconds for the engine's retrieval with its texts, and for whole pages."""
    settings.ALLOWED_HOSTS = ["*"]
    client = reader_of(units)
    words = queries(units)
    begin = time.perf_counter()
    first = client.get(f"/p/{SLUG}/corpus/search/", {"q": words[0]})
    waited = time.perf_counter() - begin
    if first.status_code != 200:
        raise SystemExit(f"the search page answers {first.status_code}")
    return {
        "passages": len(units),
        "first_page_s": round(waited, 2),
        **engine(words),
        **percentiles(
            "search_page",
            lambda q: client.get(f"/p/{SLUG}/corpus/search/", {"q": q}),
            words[:PAGES],
        ),
        **percentiles("sources_page", lambda _: client.get(f"/p/{SLUG}/corpus/"), words[:PAGES]),
    }


def reader_of(units: Sequence[Unit]) -> Client:
    """Store ``units``, freeze them, and sign in somebody who may read all of them."""
    person = User.objects.create_user("lena", "a password of no account", display_name="Lena")
    project = create_project(slug=SLUG, title="Bench", lead=None, actor=None)
    set_membership(project, person, roles=[Role.LEAD], reader_classes=["public"], actor=None)
    now = datetime.now(UTC)
    captures = (
        Capture("bench", one.uid, one.title, one.text.encode(), observed_at=now) for one in units
    )
    public = ReaderClass.objects.filter(project=project, key="public")
    with transaction.atomic():
        add_sources(project, captures, reader_classes=list(public))
    refresh_statistics()
    freeze(start_draft(project, by=person), by=person)
    client = Client()
    client.force_login(person)
    return client


def engine(words: Sequence[str]) -> dict[str, float]:
    specification = Specification.objects.get()
    ask = corpus_of(specification)
    return percentiles("engine_retrieval", lambda query: ask.search(query, TOP), words[:QUERIES])
