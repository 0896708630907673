"""Importing in the browser: look first, then confirm; the client is not trusted in between."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from adjudication.claims.models import Question
from adjudication.corpus.models import Clearance, Source
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from tests.claims.samples import json_lines, musique_record
from tests.conftest import Cast, client_for

UPLOAD = "/p/film-study/corpus/import/"


def upload(client: Client, data: bytes, *classes: str, dialect: str = "musique") -> Any:
    file = SimpleUploadedFile("data.jsonl", data)
    choices = {"dialect": dialect, "licence": "CC BY 4.0", "reader_classes": classes}
    return client.post(UPLOAD, {"file": file} | choices)


def confirm(client: Client, address: str, *classes: str, dialect: str = "musique") -> Any:
    url = address.partition("?")[0]
    return client.post(url, {"dialect": dialect, "licence": "", "reader_classes": classes})


def test_file_is_shown_before_anything_is_stored(lead: Client, public: str) -> None:
    """The preview counts; only the confirmation writes, and the same file again changes nothing."""
    address = upload(lead, json_lines(musique_record()), public).headers["Location"]
    shown = lead.get(address).content.decode()
    assert "Nothing has been imported yet" in shown
    assert '<th scope="row">passages</th><td class="num" data-label="New">3</td>' in shown
    assert not Source.objects.exists()
    for _ in range(2):
        assert confirm(lead, address, public).headers["Location"] == reverse(
            "sources", args=["film-study"]
        )
    assert (Source.objects.count(), Question.objects.count()) == (3, 1)
    assert "would change nothing" in lead.get(address).content.decode()


def test_done_message_counts_what_is_new(lead: Client, public: str) -> None:
    """The person is told what happened, both times."""
    address = upload(lead, json_lines(musique_record()), public).headers["Location"]
    url = address.partition("?")[0]
    data = {"dialect": "musique", "reader_classes": [public]}
    first = lead.post(url, data, follow=True).content.decode()
    assert "Imported: 3 passages, 1 questions, 1 reference sets, 1 requirement graphs." in first
    second = lead.post(url, data, follow=True).content.decode()
    assert "Nothing changed" in second


def test_problems_are_listed_before_confirming(lead: Client, public: str) -> None:
    """What will be left out is known while one can still turn back."""
    steps = musique_record()["question_decomposition"]
    steps[0]["paragraph_support_idx"] = 17
    data = json_lines(musique_record(question_decomposition=steps))
    shown = lead.get(upload(lead, data, public).headers["Location"]).content.decode()
    assert "retrieval-miss" in shown
    assert "line" in shown or "record" in shown


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (json_lines(musique_record()) + b"\n{", "line 2"),
        (b"[]x", "line 1"),
        (b"", "empty"),
        (json.dumps({"a": "b"}).encode(), "missing"),
    ],
)
def test_broken_file_is_refused_at_the_form(
    lead: Client, public: str, data: bytes, said: str
) -> None:
    """The line is named and no preview exists."""
    response = upload(lead, data, public)
    assert response.status_code == 422
    assert said in response.content.decode()


def test_reused_id_is_refused_at_the_form(lead: Client, public: str) -> None:
    """Before the preview, by name."""
    confirm(lead, upload(lead, json_lines(musique_record()), public).headers["Location"], public)
    response = upload(lead, json_lines(musique_record(answer="1970")), public)
    assert response.status_code == 422
    assert "2hop__1_2" in response.content.decode()


def test_upload_that_is_gone_is_refused(lead: Client, public: str) -> None:
    """A digest of nothing kept imports nothing and says what to do."""
    address = f"{UPLOAD}{'0' * 64}/"
    for response in (
        confirm(lead, address, public),
        lead.get(address, {"dialect": "musique", "reader_classes": [public]}),
    ):
        assert response.status_code == 403
        assert "upload the file again" in response.content.decode()


def test_preview_with_mistaken_choices_leads_back(lead: Client, project: Project) -> None:
    """An unknown format, or a reader class of another project, is not taken from the address."""
    for query in ({}, {"dialect": "x"}, {"dialect": "musique", "reader_classes": ["x"]}):
        response = lead.get(f"{UPLOAD}{'0' * 64}/", query)
        assert response.headers["Location"] == UPLOAD


def test_sources_are_cleared_as_chosen(lead: Client, project: Project) -> None:
    """The class chosen at the form is the one that is stored after the preview."""
    staff = add_reader_class(project, key="staff", title="Staff", actor=None)
    address = upload(lead, json_lines(musique_record()), str(staff.pk)).headers["Location"]
    assert "Staff" in lead.get(address).content.decode()
    confirm(lead, address, str(staff.pk))
    assert set(Clearance.objects.values_list("reader_class", flat=True)) == {staff.pk}


@pytest.mark.parametrize("who", ["rosa", "adjudicator", "auditor", "reader"])
def test_only_a_lead_imports(cast: Cast, public: str, who: str) -> None:
    """Neither upload, nor preview, nor confirmation."""
    client = client_for(getattr(cast, who))
    assert client.get(UPLOAD).status_code == 403
    assert upload(client, json_lines(musique_record()), public).status_code == 403
    assert confirm(client, f"{UPLOAD}{'0' * 64}/", public).status_code == 403


def test_stranger_finds_no_import(cast: Cast) -> None:
    """Not even that the project exists."""
    assert client_for(cast.stranger).get(UPLOAD).status_code == 404


def test_other_methods_are_refused(lead: Client) -> None:
    """Only reading and posting."""
    assert lead.delete(UPLOAD).status_code == 405
    assert lead.put(f"{UPLOAD}{'0' * 64}/").status_code == 405


def test_record_that_fits_no_field_is_refused_before_the_preview(lead: Client, public: str) -> None:
    """What the preview shows can be imported: an id that is too long is told with the file."""
    refused = upload(lead, json_lines(musique_record("q" * 201)), public)
    assert refused.status_code == 422
    assert "at most 200 characters" in refused.content.decode()
