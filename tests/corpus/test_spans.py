"""Making a span: the exact characters of the source, or a refusal that says what differs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.pages import in_context
from adjudication.journal.models import Entry
from adjudication.projects.models import Project
from tests.conftest import Cast, client_for
from tests.corpus.browsing import address, page
from tests.factories import make_version, span_of

CRLF = "T\n🧪 Vat 8\r\nVat 9 Vat 8\u00a0end"


def cut(client: Client, version: SourceVersion, **data: object) -> Any:
    return client.post(address("cut-span", version.pk), {"occurrence": 1} | data)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"quoted": "Vat 8\r\nVat 9"}, (4, 16)),
        ({"quoted": "Vat 8", "occurrence": 2}, (17, 22)),
        ({"start": 4, "end": 9}, (4, 9)),
        ({"start": 2, "end": 9, "selected": json.dumps("🧪 Vat 8")}, (2, 9)),
    ],
)
def test_span_is_made_without_moving(
    project: Project, lead: Client, data: dict[str, object], place: tuple[int, int]
) -> None:
    """By quotation, by positions, by selection: the exact characters of the source."""
    version = make_version(project, CRLF)
    response = cut(lead, version, **data)
    span = Span.objects.get()
    assert (span.start, span.end) == place
    assert span.exact == CRLF[slice(*place)]
    assert response.headers["Location"] == in_context(project.slug, span)
    cut(lead, version, **data)
    assert Span.objects.count() == 1


def test_journal_names_who_cut_a_span_once(project: Project, cast: Cast, lead: Client) -> None:
    """Whoever cuts the same words again made nothing; a run's spans stand with the run."""
    version = make_version(project, CRLF)
    for client in (lead, lead, client_for(cast.rosa)):
        cut(client, version, start=4, end=9)
    span_of(version, "end")
    entry = Entry.objects.get(verb="cut span")
    made = Span.objects.get(start=4)
    assert (entry.actor, entry.object_id, entry.project_id) == (cast.lead, made.pk, project.pk)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"quoted": "Vat 8 end"}, "has U+000D, the quotation U+0020"),
        ({"quoted": "Vat 8", "occurrence": 9}, "there is no 9"),
        ({"start": 4, "end": 999}, "not inside the text"),
        ({"start": 9, "end": 4}, "not inside the text"),
        ({"start": 4}, "Give both positions"),
        ({"start": 4, "end": 9, "quoted": "Vat 8"}, "one of the two"),
        ({"start": 4, "end": 9, "selected": json.dumps("Vat 9")}, "differ at position 8"),
        ({"start": 4, "end": 9, "selected": "{"}, "could not be read"),
        ({}, "Quote the words"),
    ],
)
def test_span_that_does_not_stand_there_is_refused(
    project: Project, lead: Client, data: dict[str, object], said: str
) -> None:
    """The form says what differs, keeps what was typed, and no span is made."""
    response = cut(lead, make_version(project, CRLF), **data)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert not Span.objects.exists()


def test_span_that_splits_a_character_is_made_and_warned_of(project: Project, lead: Client) -> None:
    """A letter without its accent is exact code points, and rarely what was meant."""
    version = make_version(project, "T\nZoe\u0308 Vale")
    url = address("cut-span", version.pk)
    split = lead.post(url, {"occurrence": 1, "start": 2, "end": 5}, follow=True)
    assert "ends inside of what people see as one character" in split.content.decode()
    whole = lead.post(url, {"occurrence": 1, "start": 2, "end": 6}, follow=True)
    assert "inside of what people see" not in whole.content.decode()


@pytest.mark.parametrize("who", ["auditor", "reader"])
def test_readers_make_no_spans(project: Project, cast: Cast, who: str) -> None:
    """They are shown no form, and a post is refused."""
    version, client = make_version(project), client_for(getattr(cast, who))
    assert "Make a span" not in page(client, address("version", version.pk))
    assert cut(client, version, quoted="R17").status_code == 403
