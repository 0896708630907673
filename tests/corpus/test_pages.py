"""Pages of the corpus: what each role sees and may do, and how exact a made span is."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from adjudication.claims.actions import note_premise
from adjudication.corpus.actions import make_span
from adjudication.corpus.pages import in_context
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from tests.conftest import Cast, client_for
from tests.corpus.browsing import address, page
from tests.factories import make_version, span_of

HOSTILE = "<script>alert(1)</script> <i hx-get='/x'>\u202e evil\u200b 🧪 \u2028end"


# --- Lists and addresses -----------------------------------------------------------------------


def test_sources_are_found_by_title(project: Project, lead: Client) -> None:
    """Letters count in either case; a title without them is not listed."""
    make_version(project, "Cedar\nA tree.")
    make_version(project, "Birch\nA tree.")
    found = page(lead, address("sources") + "?title=cED")
    assert "Cedar" in found
    assert "Birch" not in found


def test_empty_corpus_says_what_to_do(lead: Client, cast: Cast) -> None:
    """A lead is led to the import; others are told who can."""
    assert address("import-data") in page(lead, address("sources"))
    assert address("import-data") not in page(client_for(cast.reader), address("sources"))


def test_source_list_asks_a_fixed_number_of_queries(project: Project, lead: Client) -> None:
    """Three sources cost as much as one."""
    span_of(make_version(project), "R17")
    with CaptureQueriesContext(
        connection,
    ) as one:
        page(lead, address("sources"))
    for _ in range(2):
        span_of(make_version(project), "R17")
    with CaptureQueriesContext(connection) as three:
        page(lead, address("sources"))
    assert len(one) == len(three)


def test_source_page_asks_a_fixed_number_of_queries(
    project: Project, cast: Cast, lead: Client
) -> None:
    """Versions and their notes are loaded together."""
    sizes = []
    for n in (1, 2):
        for _ in range(n):
            version = make_version(project, f"T\n{uuid4()}", key="s")
            note_premise(version, authority="A", basis="B", open_dispute=False, by=cast.lead)
        with CaptureQueriesContext(connection) as queries:
            page(lead, address("source", version.source_id))
        sizes.append(len(queries))
    assert sizes[0] == sizes[1]


def test_empty_form_has_no_errors(project: Project, lead: Client) -> None:
    """Nothing is wrong before anything was sent."""
    version = make_version(project)
    for url in (
        address("capture-source"),
        address("capture-version", version.source_id),
        address("import-data"),
        address("premise-notes", version.pk),
    ):
        assert "errorlist" not in page(lead, url)


@pytest.mark.parametrize("name", ["sources", "source", "version", "capture-source"])
def test_stranger_finds_nothing(project: Project, cast: Cast, name: str) -> None:
    """Not even that the project exists."""
    version = make_version(project)
    args = {"source": [version.source_id], "version": [version.pk]}.get(name, [])
    page(client_for(cast.stranger), address(name, *args), 404)


@pytest.mark.parametrize("name", ["source", "version", "capture-version", "cut-span"])
def test_unknown_id_is_missing(lead: Client, cast: Cast, name: str) -> None:
    """An id of nothing is 404, for reading and for writing."""
    respond = lead.post if name == "cut-span" else lead.get
    assert respond(address(name, uuid4())).status_code == 404


@pytest.mark.parametrize(
    ("name", "method"),
    [("sources", "post"), ("version", "post"), ("cut-span", "get"), ("invalidate-version", "get")],
)
def test_wrong_method_is_refused(project: Project, lead: Client, name: str, method: str) -> None:
    """Reading never writes."""
    args = [] if name == "sources" else [make_version(project).pk]
    assert getattr(lead, method)(address(name, *args)).status_code == 405


def test_query_with_nul_is_answered(lead: Client) -> None:
    """What a database cannot take in an address is not a fault of the server."""
    page(lead, address("sources") + "?title=%00a&page=x")


# --- Clearance ---------------------------------------------------------------------------------


def test_version_that_clearance_does_not_open_is_missing(
    project: Project, lead: Client, cast: Cast
) -> None:
    """By its address, and by those of its source and its span form."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    version = make_version(project, "Secret\nwords", reader_classes=["legal"])
    for url in (address("version", version.pk), address("source", version.source_id)):
        page(lead, url, 404)
    assert lead.post(address("cut-span", version.pk), {"quoted": "words"}).status_code == 404
    assert "Secret" not in page(lead, address("sources"))


def test_blocked_version_is_listed_with_its_readers_only(project: Project, lead: Client) -> None:
    """That it exists and who may read it, and nothing else about it."""
    add_reader_class(project, key="legal", title="Counsel", actor=None)
    open_one = make_version(project, "Cedar\nfirst", key="s")
    blocked = make_version(project, "Cedar\nsecond", key="s", reader_classes=["legal"])
    found = page(lead, address("source", open_one.source_id))
    assert "Readers: Counsel." in found
    assert str(blocked.pk) not in found
    assert blocked.sha256[:8] not in found


# --- A version's text --------------------------------------------------------------------------


def test_hostile_text_is_shown_and_does_nothing(project: Project, lead: Client) -> None:
    """Markup is text, a direction override is named, htmx is off around it."""
    found = page(lead, address("version", make_version(project, f"T\n{HOSTILE}").pk))
    assert "<script>alert" not in found
    assert "<i hx-get" not in found
    assert "\u202e" not in found
    assert "U+202E" in found
    assert 'class="evidence-text reading" dir="auto" hx-disable' in found


def test_span_in_the_address_is_marked_where_it_stands(project: Project, lead: Client) -> None:
    """The fragment of the address is the id of exactly that mark."""
    version = make_version(project, "T\nVat 8 is sealed. Vat 9 is sealed.")
    other, span = span_of(version, "Vat 8 is sealed"), span_of(version, "Vat 9 is sealed")
    found = page(lead, in_context(project.slug, span))
    assert f'<mark class="chosen" id="span-{span.pk}" tabindex="-1"><span data-at="19">' in found
    assert f'id="span-{other.pk}"' not in found


def test_span_far_into_a_long_text_opens_its_part(project: Project, lead: Client) -> None:
    """One window is sent, the one that holds the span."""
    version = make_version(project, "T\n" + "word " * 30_000 + "needle " + "word " * 100)
    found = page(lead, in_context(project.slug, span_of(version, "needle")))
    assert ">needle</span></mark>" in found
    assert len(found) < 60_000
    assert ">needle</span></mark>" not in page(lead, address("version", version.pk))


@pytest.mark.parametrize("span", ["x", "0b0e0e0e-0000-4000-8000-000000000000", "\0"])
def test_span_of_something_else_is_missing(project: Project, lead: Client, span: str) -> None:
    """A link to a span that is not here must not open some other place."""
    version = make_version(project)
    assert lead.get(address("version", version.pk), {"span": span}).status_code == 404


@pytest.mark.parametrize("number", ["0", "-1", "x", "9" * 5000, "²"])
def test_window_of_any_name_shows_a_part(project: Project, lead: Client, number: str) -> None:
    """A mistyped number is no fault."""
    url = address("version", make_version(project).pk)
    assert lead.get(url, {"window": number}).status_code == 200


def test_hidden_characters_are_shown_on_demand(project: Project, lead: Client) -> None:
    """The window and the span stay; a link works without script."""
    text = "T\r\nVat\u00a08 is\u200b sealed\r\n" + "word " * 6_000
    version = make_version(project, text)
    span = span_of(version, "sealed")
    shown = page(lead, address("version", version.pk) + "?window=1")
    assert "U+200B" in shown
    assert "U+00A0" not in shown
    assert "?window=1&amp;hidden=all" in shown
    every = page(lead, address("version", version.pk) + f"?span={span.pk}&hidden=all")
    assert 'title="NO-BREAK SPACE"' in every
    assert 'title="LINE FEED"' in every
    assert f'id="span-{span.pk}"' in every
    assert "?window=2&amp;hidden=all" in every
    assert f'href="?span={span.pk}"' in every


def test_text_that_is_not_composed_says_so(project: Project, lead: Client) -> None:
    """The same name in another source may be other characters."""
    for text, said in (("T\nZoe\u0308", True), ("T\nZoë", False)):
        shown = page(lead, address("version", make_version(project, text).pk))
        assert ("Unicode’s form NFC" in shown) == said


def test_many_spans_are_listed_in_pages(project: Project, lead: Client) -> None:
    """All are marked in the text, fifty are listed, and the chosen one is among them."""
    version = make_version(project, "T\n" + "word " * 130)
    spans = [make_span(version, n * 5 + 2, n * 5 + 6, actor=None) for n in range(120)]
    shown = page(lead, address("version", version.pk))
    assert shown.count("<mark") == 120
    assert (str(spans[0].pk) in shown, str(spans[60].pk) in shown) == (True, False)
    assert f'<li aria-current="true"><a href="?span={spans[60].pk}' in page(
        lead, address("version", version.pk) + f"?span={spans[60].pk}"
    )
    assert str(spans[110].pk) in page(lead, address("version", version.pk) + "?spans=3")


def test_sentences_of_the_window_are_given_to_the_script(project: Project, lead: Client) -> None:
    """Selecting by sentence follows the one splitter of the project, in code points."""
    version = make_version(project, "Title 🧪\nVat 8 is sealed. Vat 9 is not.")
    shown = page(lead, address("version", version.pk))
    assert 'data-sentences="[[0, 7], [8, 24], [25, 38]]"' in shown
