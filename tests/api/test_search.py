"""Search through the API: what one may read, as the page finds it."""

from __future__ import annotations

import pytest

from adjudication.api.views import search
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from adjudication.search.actions import Building
from adjudication.specifications.actions import freeze, start_draft
from tests.api.calls import Program, error_of
from tests.conftest import Cast
from tests.factories import make_version

pytestmark = pytest.mark.django_db


def test_hits_come_best_first_with_their_words(project: Project, cast: Cast) -> None:
    """Positions are those of the text; hidden characters are themselves, not their numbers."""
    text = "Harbour\nThe \u200bharbour of Salt was built by Ada."
    best = make_version(project, text)
    make_version(project, "Other\nSalt only.")
    found = Program(cast.rosa).read("search?q=salt+harbour")
    assert (found["every_word"], found["some_word"], found["next"]) == (1, 2, None)
    first = found["items"][0]
    assert first["version"] == str(best.pk)
    assert text[first["start"] :] == first["text"]
    assert {text[a:b] for a, b in first["marks"]} == {"Harbour", "harbour", "Salt"}


def test_hits_come_in_pages_without_loss(project: Project, cast: Cast) -> None:
    for number in range(12):
        make_version(project, f"Title {number}\nSalt {number}.")
    rosa = Program(cast.rosa)
    first, second = rosa.read("search?q=salt"), rosa.read("search?q=salt&page=2")
    assert (len(first["items"]), first["next"], second["next"]) == (10, 2, None)
    assert len({one["version"] for one in first["items"] + second["items"]}) == 12
    assert rosa.read("search?q=salt&page=3")["items"] == []


def test_what_one_may_not_read_is_not_counted(project: Project, cast: Cast) -> None:
    add_reader_class(project, key="legal", title="Legal", actor=None)
    make_version(project, "Secret\nSalt.", reader_classes=["legal"])
    found = Program(cast.rosa).read("search?q=salt")
    assert found == {"items": [], "next": None, "every_word": 0, "some_word": 0}


def test_search_is_under_a_frozen_specification(project: Project, cast: Cast) -> None:
    """What came later is not in it, and a number that is none is missing."""
    make_version(project, "Title\nSalt.")
    rosa = Program(cast.rosa)
    freeze(start_draft(project, by=cast.lead), by=cast.lead)
    make_version(project, "Later\nSalt.")
    assert rosa.read("search?q=salt&specification=1")["some_word"] == 1
    error_of(rosa.get("search?q=salt&specification=2"), 404)


@pytest.mark.parametrize("query", ["", "q=", "q=+", f"q={'a' * 501}", "q=a&page=0", "q=a&size=5"])
def test_wrong_search_is_refused(project: Project, cast: Cast, query: str) -> None:
    error_of(Program(cast.rosa).get(f"search?{query}"), 400)


def test_index_on_its_way_is_told(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large index is built by a worker: come again, and how far it is."""
    monkeypatch.setattr(search, "index_for", lambda _: Building(3, 10))
    answer = Program(cast.rosa).get("search?q=salt")
    assert (answer.status_code, answer.headers["Retry-After"]) == (202, "2")
    assert answer.json() == {"building": {"done": 3, "total": 10}}
