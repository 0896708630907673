"""Capturing a text and invalidating it, in the browser."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from adjudication.corpus.actions import invalidate
from adjudication.corpus.models import Invalidation, SourceVersion
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from tests.conftest import Cast, client_for
from tests.corpus.browsing import address, page
from tests.factories import make_version, span_of
from tests.review.scenes import member


def capture(client: Client, url: str, **data: object) -> Any:
    given = {"title": "Cedar ledger", "media_type": "text/plain"}
    return client.post(url, given | data)


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
        ({"file": SimpleUploadedFile("a", b"\xff\xfe")}, "not UTF-8 text: byte 0, 0xFF,"),
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
    invalidate(version, reason="Withdrawn", by=member(project, cast.lead))
    assert "Invalidate this version" not in page(lead, address("version", version.pk))


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (
            {"observed_at": "2024-03-14 09:30"},
            ("2024-03-14 09:30:00", "moment", "2024-03-14 09:30"),
        ),
        ({"observed_at": "2024-02-29"}, ("2024-02-29 23:59:59", "day", "2024-02-29")),
        ({"observed_at": "2024-12"}, ("2024-12-31 23:59:59", "month", "2024-12")),
        ({"observed_at": "2024"}, ("2024-12-31 23:59:59", "year", "2024")),
    ],
)
def test_capture_time_is_as_exact_as_it_is_known(
    project: Project,
    lead: Client,
    public: str,
    given: dict[str, str],
    stored: tuple[str, str, str],
) -> None:
    """A year counts against a cutoff as its last second, and is shown as a year."""
    response = capture(
        lead, address("capture-source"), pasted="x", reader_classes=[public], **given
    )
    version = SourceVersion.objects.get()
    at, precision, words = stored
    assert (f"{version.observed_at:%Y-%m-%d %H:%M:%S}", version.observed_precision) == (
        at,
        precision,
    )
    shown = page(lead, response.headers["Location"])
    assert words in shown
    assert (f"{at} UTC</span>, counts against a cutoff" in shown) == (precision != "moment")


def test_capture_time_that_cannot_be_established_says_so(
    project: Project, lead: Client, public: str
) -> None:
    """It counts as the time of storing, and is never shown as a time of capture."""
    data = {"pasted": "x", "reader_classes": [public], "unestablished": "on"}
    response = capture(lead, address("capture-source"), **data)
    version = SourceVersion.objects.get()
    assert version.observed_precision == "cannot-be-established"
    assert abs(version.observed_at - version.created_at) < timedelta(minutes=1)
    assert "cannot be established</span>" in page(lead, response.headers["Location"])
    both = capture(lead, address("capture-source"), observed_at="2024", **data)
    assert "one of the two" in both.content.decode()


def test_other_encoding_is_chosen_and_never_guessed(
    project: Project, lead: Client, public: str
) -> None:
    """The form names the byte and offers the choice; then bytes and code points are both true."""
    data = "Цена: 5 рублей".encode("koi8-r")
    send = {"reader_classes": [public], "file": SimpleUploadedFile("a.txt", data)}
    refused = capture(lead, address("capture-source"), **send)
    assert refused.status_code == 422
    assert "not UTF-8 text: byte 0, 0xE3" in refused.content.decode()
    send["file"] = SimpleUploadedFile("a.txt", data)
    response = capture(lead, address("capture-source"), encoding="koi8-r", **send)
    version = SourceVersion.objects.get()
    assert (version.text, bytes(version.snapshot)) == ("Цена: 5 рублей", data)
    span = span_of(version, "рублей")
    assert data[span.byte_start : span.byte_end].decode("koi8-r") == span.exact
    assert "KOI8-R, Russian" in page(lead, response.headers["Location"])


def test_same_bytes_read_otherwise_are_another_version(
    project: Project, lead: Client, public: str
) -> None:
    """Whoever named the wrong encoding corrects it beside the first reading."""
    data, source = "Żółw".encode("windows-1250"), None
    for encoding in ("windows-1252", "windows-1250", "windows-1250"):
        url = address("capture-version", source) if source else address("capture-source")
        file = SimpleUploadedFile("a.txt", data)
        capture(lead, url, file=file, encoding=encoding, reader_classes=[public])
        source = SourceVersion.objects.first().source_id
    texts = SourceVersion.objects.order_by("number").values_list("number", "text")
    assert list(texts) == [(1, data.decode("windows-1252")), (2, "Żółw")]


def test_refused_capture_by_script_leads_on_by_header(
    project: Project, lead: Client, public: str
) -> None:
    """A script that follows a redirect would put the next page into the form."""
    data = {"title": "T", "media_type": "text/plain", "pasted": "x", "reader_classes": [public]}
    response = lead.post(address("capture-source"), data, headers={"HX-Request": "true"})
    made = SourceVersion.objects.get()
    assert response.headers["HX-Redirect"] == address("version", made.pk)
