"""Pages of the corpus: what each role sees and may do, and how exact a made span is."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from adjudication.claims.actions import note_premise
from adjudication.corpus.actions import invalidate
from adjudication.corpus.models import Invalidation, SourceVersion, Span
from adjudication.corpus.pages import in_context
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from tests.conftest import Cast, client_for
from tests.factories import make_version, span_of

HOSTILE = "<script>alert(1)</script> <i hx-get='/x'>\u202e evil\u200b 🧪 \u2028end"


@pytest.fixture
def lead(cast: Cast) -> Client:
    return client_for(cast.lead)


def address(name: str, *args: object) -> str:
    return reverse(name, args=["film-study", *args])


def page(client: Client, url: str, status: int = 200) -> str:
    response = client.get(url)
    assert response.status_code == status
    return response.content.decode()


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


@pytest.mark.parametrize("span", ["x", str(uuid4()), "\0"])
def test_span_of_something_else_is_missing(project: Project, lead: Client, span: str) -> None:
    """A link to a span that is not here must not open some other place."""
    version = make_version(project)
    assert lead.get(address("version", version.pk), {"span": span}).status_code == 404


@pytest.mark.parametrize("number", ["0", "-1", "x", "9" * 5000, "²"])
def test_window_of_any_name_shows_a_part(project: Project, lead: Client, number: str) -> None:
    """A mistyped number is no fault."""
    url = address("version", make_version(project).pk)
    assert lead.get(url, {"window": number}).status_code == 200


# --- Making spans ------------------------------------------------------------------------------

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


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"quoted": "Vat 8 end"}, "U+00A0"),
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


@pytest.mark.parametrize("who", ["auditor", "reader"])
def test_readers_make_no_spans(project: Project, cast: Cast, who: str) -> None:
    """They are shown no form, and a post is refused."""
    version, client = make_version(project), client_for(getattr(cast, who))
    assert "Make a span" not in page(client, address("version", version.pk))
    assert cut(client, version, quoted="R17").status_code == 403


# --- Capture and invalidation ------------------------------------------------------------------


def capture(client: Client, url: str, **data: object) -> Any:
    given = {"title": "Cedar ledger", "media_type": "text/plain"}
    return client.post(url, given | data)


@pytest.fixture
def public(project: Project) -> str:
    return str(project.reader_classes.get(key="public").pk)


def test_uploaded_file_is_kept_byte_for_byte(project: Project, lead: Client, public: str) -> None:
    """A byte order mark, CR LF and U+2028 come through a form; twice is one version."""
    data = "\ufeffVat 8\r\nVat 9\u2028 Zoe\u0308".encode()
    for _ in range(2):
        file = SimpleUploadedFile("a.txt", data)
        response = capture(
            lead, address("capture-source"), file=file, reader_classes=[public], published="2013-05"
        )
        assert response.status_code == 302
    version = SourceVersion.objects.get()
    assert bytes(version.snapshot) == data
    assert (version.published, version.effective_to) == ("2013-05", "cannot-be-established")


def test_pasted_text_has_plain_line_breaks(project: Project, lead: Client, public: str) -> None:
    """A browser sends CR LF for every line break; the rest is untouched."""
    capture(lead, address("capture-source"), pasted=" a\r\nb \u200b\r\n", reader_classes=[public])
    assert SourceVersion.objects.get().text == " a\nb \u200b\n"


def test_new_version_stands_beside_the_old(project: Project, lead: Client, public: str) -> None:
    """Spans of the old one stay there, and none appears in the new one."""
    old = make_version(project, "T\nVat 8 is sealed")
    span_of(old, "Vat 8")
    url = address("capture-version", old.source_id)
    response = capture(lead, url, pasted="T\nVat 8 is open", reader_classes=[public])
    new = old.source.versions.get(number=2)
    assert response.headers["Location"] == address("version", new.pk)
    assert (old.spans.count(), new.spans.count()) == (1, 0)
    assert lead.get(url).content.count(b'name="title"') == 0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "one of the two"),
        ({"pasted": "a\0b"}, "Null characters are not allowed"),
        ({"file": SimpleUploadedFile("a", b"\xff\xfe")}, "not UTF-8 text: byte 0"),
        ({"file": SimpleUploadedFile("a", b"a\0")}, "position 1 is NUL"),
        ({"file": SimpleUploadedFile("a", b"")}, "empty"),
        ({"pasted": "a", "published": "2013-02-30"}, "not in the calendar"),
        ({"pasted": "a", "published": "May 2013"}, "Write 2013"),
        ({"pasted": "a", "effective_from": "2014", "effective_to": "2013-12"}, "before the begin"),
        ({"pasted": "a", "observed_at": "2999-01-01"}, "in the future"),
        ({"pasted": "a", "reader_classes": []}, "This field is required"),
    ],
)
def test_capture_that_cannot_stand_is_refused(
    project: Project, lead: Client, public: str, data: dict[str, object], said: str
) -> None:
    """The form says what is wrong, and nothing is stored."""
    response = capture(lead, address("capture-source"), **{"reader_classes": [public]} | data)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert not SourceVersion.objects.exists()


def test_file_over_the_limit_is_refused(
    project: Project, lead: Client, public: str, settings: Any
) -> None:
    """The size and the limit are said."""
    settings.UPLOAD_LIMIT = 2**20
    file = SimpleUploadedFile("a.txt", b"x" * (2**20 + 1))
    response = capture(lead, address("capture-source"), file=file, reader_classes=[public])
    assert "the limit is 1 MB" in response.content.decode()


def test_capture_for_others_says_that_it_is_closed_to_oneself(
    project: Project, lead: Client
) -> None:
    """A lead without clearance stores it all the same, and is not shown it."""
    legal = add_reader_class(project, key="legal", title="Legal", actor=None)
    response = capture(lead, address("capture-source"), pasted="x", reader_classes=[str(legal.pk)])
    assert response.headers["Location"] == address("sources")
    assert SourceVersion.objects.count() == 1


@pytest.mark.parametrize("who", ["rosa", "adjudicator", "auditor", "reader"])
def test_only_a_lead_captures_and_invalidates(project: Project, cast: Cast, who: str) -> None:
    """Others are refused with the role it takes."""
    version, client = make_version(project), client_for(getattr(cast, who))
    for url in (address("capture-source"), address("invalidate-version", version.pk)):
        response = client.post(url, {"reason": "x"})
        assert response.status_code == 403
        assert "role lead" in response.content.decode()


def test_invalidation_is_recorded_once_with_its_reason(project: Project, lead: Client) -> None:
    """The version stays readable and says since when and why; a second click changes nothing."""
    version = make_version(project)
    url = address("invalidate-version", version.pk)
    for _ in range(2):
        assert lead.post(url, {"reason": "Withdrawn by its author."}).status_code == 302
    assert Invalidation.objects.count() == 1
    for shown in (address("version", version.pk), address("source", version.source_id)):
        assert "Withdrawn by its author." in page(lead, shown)
    assert lead.post(url, {"reason": "Another."}).status_code == 422
    assert lead.post(url, {"reason": " "}).status_code == 422


def test_version_page_names_a_damaged_version(
    project: Project, cast: Cast, lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is measured on what the database returns, not assumed."""
    version = make_version(project)
    assert "intact" in page(lead, address("version", version.pk))
    assert "intact" in page(lead, address("source", version.source_id))
    original: Any = SourceVersion.from_db
    loaded = original.__func__

    def altered(cls: type, db: str, names: list[str], values: list[object]) -> object:
        found = loaded(cls, db, names, values)
        if "text" in names:
            found.text = found.text.replace("R17", "R18")
        return found

    monkeypatch.setattr(SourceVersion, "from_db", classmethod(altered))
    assert "Do not rely on this text" in page(lead, address("version", version.pk))
    assert "damaged" in page(lead, address("source", version.source_id))


def test_invalidated_version_offers_no_second_invalidation(
    project: Project, cast: Cast, lead: Client
) -> None:
    """What cannot be done is not offered."""
    version = make_version(project)
    invalidate(version, reason="Withdrawn", actor=cast.lead)
    assert "Invalidate this version" not in page(lead, address("version", version.pk))
