"""The search page: what is found, what is said of it, and that clearance is all one learns by."""

from __future__ import annotations

import re
import time

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from adjudication import celery_app
from adjudication.corpus.actions import invalidate
from adjudication.corpus.models import SourceVersion, Tightening
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Membership, Project, ReaderClass, Role
from adjudication.search import actions, index
from adjudication.search.queries import Contents, Shelf, corpus_of
from adjudication.search.tasks import build_index
from certify_core.model import Unit
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_project, make_user, make_version, span_of
from tests.runs.specified import freeze

ADDRESS = "/p/film-study/corpus/search/"


@pytest.fixture
def reader(cast: Cast) -> Client:
    return client_for(cast.reader)


def found(client: Client, query: str, **further: str | int) -> str:
    response = client.get(ADDRESS, {"q": query, **further})
    assert response.status_code == 200
    return response.content.decode()


def titles(page: str) -> list[str]:
    return re.findall(r"<h2><a href=[^>]*><bdi>(.*?)</bdi>", page)


def member(user: object, project: Project) -> Membership:
    return Membership.objects.select_related("project", "user").get(user=user, project=project)


def test_words_lead_to_their_version_and_are_marked(project: Project, reader: Client):
    """The best first, each with its place."""
    version = make_version(project, "Cedar\nProject Cedar is mapped to record R17.")
    make_version(project, "Birch\nNo record.")
    page = found(reader, "record R17")
    assert titles(page) == ["Cedar", "Birch"]
    assert f"/corpus/versions/{version.pk}/" in page
    assert "<mark>R17</mark>" in page
    assert ">1</span> version holds every word" in page


def test_frozen_universe_is_searched_and_another_one_on_demand(project: Project, reader: Client):
    """A later version is no evidence under an earlier specification."""
    make_version(project, "Cedar\nA tree.")
    freeze(project)
    make_version(project, "Alder\nA tree too.")
    assert titles(found(reader, "tree")) == ["Cedar"]
    freeze(project)
    assert sorted(titles(found(reader, "tree"))) == ["Alder", "Cedar"]
    assert titles(found(reader, "tree", specification=1)) == ["Cedar"]


@pytest.mark.parametrize("number", ["3", "x", "-1", "9" * 40])
def test_unknown_specification_is_no_page(project: Project, reader: Client, number: str):
    """Nor is another project's."""
    make_version(project)
    freeze(project)
    assert reader.get(ADDRESS, {"q": "x", "specification": number}).status_code == 404


@pytest.mark.parametrize("query", ["\0", '"', "<script>alert(1)</script>", "a" * 5000, "🧪" * 900])
def test_any_query_gets_a_page(project: Project, reader: Client, query: str):
    """Whatever is typed is words, shown back as words."""
    make_version(project)
    assert "<script>alert" not in found(reader, query)


def test_empty_places_say_what_to_do(project: Project, reader: Client):
    """Before a search and after one without a hit."""
    make_version(project)
    assert "Nothing is frozen yet" in reader.get(ADDRESS).content.decode()
    assert "No version you may read holds" in found(reader, "zirconium")


def test_later_and_withdrawn_versions_are_marked(project: Project, cast: Cast, reader: Client):
    """Whoever finds an old version is told before relying on it."""
    old = make_version(project, "Cedar\nA tree.", key="cedar")
    make_version(project, "Cedar\nA conifer.", key="cedar")
    assert "Version 2 of this source exists" in found(reader, "tree")
    assert "re-check" not in found(reader, "conifer")
    invalidate(old, reason="misread", by=member(cast.lead, project))
    assert "misread" in found(reader, "tree")


def test_pages_show_every_hit_once(project: Project, reader: Client):
    """Counts and pages agree."""
    for number in range(23):
        make_version(project, f"Tree {number}\nA tree.")
    pages = [found(reader, "tree", page=page) for page in (1, 2, 3)]
    assert [len(titles(page)) for page in pages] == [10, 10, 3]
    assert len({title for page in pages for title in titles(page)}) == 23
    assert titles(found(reader, "tree", page="99")) == titles(pages[2])


def test_strangers_get_no_page(project: Project, cast: Cast):
    assert client_for(cast.stranger).get(ADDRESS).status_code == 404


# --- Clearance -----------------------------------------------------------------------------------


@pytest.fixture
def legal(project: Project) -> ReaderClass:
    return add_reader_class(project, key="legal", title="Legal", actor=None)


def test_closed_texts_change_nothing_of_what_is_found(
    project: Project, legal: ReaderClass, cast: Cast, reader: Client
):
    """Neither order, scores nor counts: rare words stay rare, however often they stand there.

    Over all texts "vat" would be common and "tree" rare, which would turn the order round.
    """
    make_version(project, "One\nvat vat and more.")
    make_version(project, "Two\ntree and more.")
    for number in range(3):
        make_version(project, f"Tree {number}\nA tree with leaves, long to read about.")
    before = found(reader, "vat tree")
    for number in range(40):
        make_version(project, f"Secret {number}\nvat vat", reader_classes=["legal"])
    assert titles(found(reader, "vat tree")) == titles(before)
    assert re.findall(r"figure\">\d+<", found(reader, "vat tree")) == re.findall(
        r"figure\">\d+<", before
    )
    add_member(project, make_user("lou"), Role.READER, reader_classes=["public", "legal"])
    lou = Client()
    lou.force_login(Membership.objects.get(user__username="lou").user)
    assert ">45</span> at least one" in found(lou, "vat tree")


def test_blocked_words_are_neither_found_nor_shown(
    project: Project, cast: Cast, legal: ReaderClass, reader: Client
):
    """A range closed to a class is not in the index that its members search."""
    version = make_version(
        project, "Cedar\nThe price is 900 crowns. Paid in May.", reader_classes=["public", "legal"]
    )
    freeze(project)
    assert titles(found(reader, "crowns"))
    tighten(version, "900 crowns", cast)
    assert not titles(found(reader, "crowns"))
    page = found(reader, "price paid")
    assert titles(page) == ["Cedar"]
    assert "900" not in page
    assert "only Legal may read this" in page
    add_member(project, make_user("lou"), Role.READER, reader_classes=["legal"])
    assert titles(found(client_for(Membership.objects.get(user__username="lou").user), "crowns"))


def tighten(version: SourceVersion, words: str, cast: Cast) -> None:
    Tightening.objects.create(
        version=version,
        span=span_of(version, words),
        reader_class=ReaderClass.objects.get(project=version.source.project, key="public"),
        reason="a secret",
        by=cast.lead,
    )


def test_order_of_equal_hits_does_not_depend_on_blocked_words(cast: Cast, legal: ReaderClass):
    """Ties are broken by what one may read, so other blocked words give the same page."""
    orders = []
    for number, secrets in enumerate((["red", "blue"], ["blue", "red"])):
        project = make_project(f"world-{number}")
        add_reader_class(project, key="legal", title="Legal", actor=None)
        add_member(project, cast.reader, Role.READER)
        for title, secret in zip(("One", "Two"), secrets, strict=True):
            classes = ["public", "legal"]
            version = make_version(project, f"{title}\ntree {secret}.", reader_classes=classes)
            tighten(version, secret, cast)
        shelf = Shelf(member(cast.reader, project), None)
        orders.append([unit.title for unit in shelf.units()])
    assert orders[0] == orders[1]


def test_index_never_holds_more_than_its_name_says(
    project: Project,
    cast: Cast,
    legal: ReaderClass,
    reader: Client,
    monkeypatch: pytest.MonkeyPatch,
):
    """What is opened to one person while an index is built is not found in it by another.

    Both share the index as long as they may read the same.
    """
    add_member(project, make_user("lou"), Role.READER, reader_classes=["public", "legal"])
    lou = Shelf(Membership.objects.get(user__username="lou"), None)
    make_version(project, "Cedar\nA tree.")
    named = Shelf.contents

    def meanwhile(shelf: Shelf) -> Contents:
        contents = named(shelf)
        if not project.sources.filter(title="Secret").exists():
            make_version(project, "Secret\nzirconium", reader_classes=["legal"])
        return contents

    monkeypatch.setattr(Shelf, "contents", meanwhile)
    assert actions.build(lou).hits("zirconium tree", 0, 9).some == 2
    assert ">1</span> at least one" in found(reader, "zirconium tree")
    assert not titles(found(reader, "zirconium"))


def test_cleared_for_everything_shares_the_index_of_runs(project: Project, cast: Cast):
    """No second index where nothing is closed."""
    make_version(project)
    specification = freeze(project)
    corpus_of(specification)
    shelf = Shelf(member(cast.reader, project), specification)
    assert index.find(shelf.contents().name) is not None


def test_clearance_is_not_read_version_by_version_each_time(
    project: Project, reader: Client, django_assert_max_num_queries: DjangoAssertNumQueries
):
    """What is in a frozen universe is counted once, not for every request."""
    make_version(project)
    freeze(project)
    found(reader, "record")
    with django_assert_max_num_queries(14) as asked:
        found(reader, "record")
    assert not [one for one in asked.captured_queries if "DECLARE" in one["sql"]]


# --- Large corpora -------------------------------------------------------------------------------


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> list[list[object]]:
    """Every corpus counts as large, and what workers are asked for is collected."""
    asked: list[list[object]] = []
    monkeypatch.setattr(actions, "AT_ONCE", 0)
    monkeypatch.setattr(
        celery_app, "send_task", lambda name, args, **_: asked.append([name, *args])
    )
    return asked


def test_large_corpus_is_indexed_by_a_worker(
    project: Project, reader: Client, unhurried: list[list[object]]
):
    """The page says so at once, asks once, and finds once the worker is done."""
    make_version(project)
    freeze(project)
    page = found(reader, "R17")
    assert "The index is being built" in page
    found(reader, "R17")
    [[name, *arguments]] = unhurried
    assert name == build_index.name
    build_index(*arguments)
    assert titles(found(reader, "R17")) == ["Cedar"]


def test_worker_that_never_began_is_asked_again(
    project: Project, reader: Client, unhurried: list[list[object]], monkeypatch: pytest.MonkeyPatch
):
    """A message that the broker lost delays the index, and does not prevent it."""
    make_version(project)
    found(reader, "R17")
    monkeypatch.setattr(actions, "PATIENCE", 0.0)
    time.sleep(0.01)
    found(reader, "R17")
    assert len(unhurried) == 2


def test_page_says_how_far_the_builder_is(
    project: Project, cast: Cast, reader: Client, unhurried: list[list[object]]
):
    """Whoever waits sees that something moves."""
    make_version(project)
    name = Shelf(member(cast.reader, project), None).contents().name
    index.folder().mkdir(parents=True, exist_ok=True)
    with index._only_builder(name) as lock:
        units = index._counting(iter([Unit("1", "Cedar", "A tree.")]), lock, 7)
        next(units)
        assert index.progress(name) == (0, 7)
        assert "texts read" in found(reader, "R17")
    assert not unhurried
