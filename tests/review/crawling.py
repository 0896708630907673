"""A project crawled as one person in two worlds, of which one holds a secret more.

Every address of the project is asked, with every id there is to try.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from uuid import UUID

from django.db import transaction
from django.db.models import Model
from django.test import Client
from django.urls import URLPattern

from adjudication.api import urls as api
from adjudication.claims.models import Claim, EvidenceSet, Question
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.imports.models import Import
from adjudication.projects.models import Membership
from adjudication.review.discussion import Flag
from adjudication.review.models import Assignment, Item, Judgement
from adjudication.urls import project_pages

TOKEN = re.compile(rb'name="(?:csrfmiddlewaretoken|key)" value="[^"]+"')
NOWHERE = UUID(int=7)
API = "/api/"
KINDS: dict[str, type[Model]] = {
    "assignment": Assignment,
    "claim": Claim,
    "flag": Flag,
    "import": Import,
    "item": Item,
    "judgement": Judgement,
    "member": Membership,
    "question": Question,
    "set": EvidenceSet,
    "source": Source,
    "span": Span,
    "version": SourceVersion,
}
"""What the ids in addresses are of, by the name an address gives them."""

Answer = tuple[int, bytes, tuple[tuple[str, str], ...]]


def addresses(under: str) -> Iterator[str]:
    """Every address of the project that begins with ``under``, with ids of the kind it names."""
    for pattern in project_pages:
        assert isinstance(pattern, URLPattern)
        if str(pattern.pattern).startswith(under):
            yield from filled("/p/film-study/" + str(pattern.pattern))
    for query in ("?page=2", "?page=x", "?q=entailment", "?state=disputed", "?hide=1"):
        yield "/p/film-study/review/" + query
    if under in {"", API}:
        yield from api_addresses()


def api_addresses() -> Iterator[str]:
    """Every address of the API in the project, and its lists narrowed."""
    here = "/api/v1/projects/film-study/"
    for pattern in api.urlpatterns:
        assert isinstance(pattern, URLPattern)
        yield from filled("/api/v1/" + str(pattern.pattern).replace("<slug:slug>", "film-study"))
    for name in ("source", "question"):
        for value in ids_of(name):
            yield f"{here}{name}s?size=1&after={value}"
    yield from (f"{here}sources?title=T", f"{here}questions?words=Cedar", f"{here}search?q=R17")
    yield from (f"{here}questions?show={show}" for show in ("with-sets", "proposed"))


def filled(pattern: str) -> Iterator[str]:
    """``pattern`` with every id to try in the place of the one it takes, if it takes any."""
    plain = re.sub(r"<(int|slug|str):[^>]+>", "1", pattern)
    name = re.search(r"<uuid:(\w+)_id>", plain)
    for value in ids_of(name[1]) if name else [NOWHERE]:
        yield re.sub(r"<uuid:[^>]+>", str(value), plain)


def ids_of(name: str) -> list[UUID]:
    """Two of the kind an address names so (of the review all, the secret too), and nothing's."""
    kind = KINDS[name]
    keys = kind._default_manager.order_by("pk").values_list("pk", flat=True)
    of_review = kind in {Assignment, Flag, Item, Judgement}
    return [NOWHERE, *(keys if of_review else keys[:2])]


def crawl(client: Client, urls: list[str]) -> dict[str, Answer]:
    found = {}
    for url in urls:
        response = client.get(url)
        body = TOKEN.sub(b"", b"".join(response))
        found[url] = (response.status_code, body, tuple(sorted(response.headers.items())))
    return found


def differing(viewer: Client, *plants: Callable[[], object], under: str = "") -> list[str]:
    """The addresses that answer ``viewer`` otherwise once one of ``plants`` was called.

    The database is put back after each, and both crawls ask for the secret's own ids.
    """
    worlds = [_planted(viewer, plant, under) for plant in plants]
    plain = crawl(viewer, list(dict.fromkeys(url for world in worlds for url in world)))
    return [url for world in worlds for url in world if plain[url] != world[url]]


def _planted(viewer: Client, plant: Callable[[], object], under: str) -> dict[str, Answer]:
    with transaction.atomic():
        plant()
        found = crawl(viewer, list(addresses(under)))
        transaction.set_rollback(True)
    return found
