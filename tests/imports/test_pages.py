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
from adjudication.imports import jobs
from adjudication.imports.models import Import
from adjudication.imports.queries import home_counts
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, Role
from adjudication.projects.queries import member_named
from tests.claims.samples import json_lines, musique_record
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_project
from tests.imports.conftest import checked, imported, sent, worked_on

NEW = "/p/film-study/corpus/import/"
ANNOUNCE = f"{NEW}pieces/"
DATA = json_lines(musique_record())
State = Import.State


def upload(client: Client, data: bytes, *classes: str, layout: str = "musique") -> Any:
    file = SimpleUploadedFile("data.jsonl", data)
    choices = {"format": layout, "licence": "CC BY 4.0", "reader_classes": classes}
    return client.post(NEW, {"file": file} | choices)


def uploaded(client: Client, data: bytes, *classes: str) -> Import:
    """A file sent with the form, after a worker looked at it."""
    response = upload(client, data, *classes)
    assert response.status_code == 302
    return worked_on(Import.objects.get(pk=response.headers["Location"].split("/")[-2]))


def address(one: Import, step: str = "") -> str:
    return f"/p/film-study/corpus/imports/{one.pk}/{step}"


def shown(client: Client, one: Import, query: str = "") -> str:
    response = client.get(address(one) + query)
    assert response.status_code == 200
    return str(response.content.decode())


def announce(client: Client, size: int, *classes: str, **more: str) -> Any:
    said = {"name": "data.jsonl", "size": size, "mark": "m", "format": "musique"}
    return client.post(ANNOUNCE, said | {"reader_classes": classes} | more)


def put(client: Client, one: str, offset: object, data: bytes) -> Any:
    url = f"{one}?offset={offset}"
    return client.put(url, data, content_type="application/octet-stream")


def test_file_is_shown_before_anything_is_stored(lead: Client, public: str) -> None:
    """The preview counts; only the confirmation writes, and a second click changes nothing."""
    one = uploaded(lead, DATA, public)
    page = shown(lead, one)
    assert "Nothing has been imported yet" in page
    assert '<th scope="row">passages</th><td class="num" data-label="New">3</td>' in page
    assert not Source.objects.exists()
    for _ in range(2):
        response = lead.post(address(one, "confirm/"))
        assert response.headers["Location"] == address(one)
    worked_on(one)
    assert (Source.objects.count(), Question.objects.count()) == (3, 1)
    page = shown(lead, one)
    assert "Imported</h2>" in page
    assert reverse("claims", args=["film-study"]) in page


def test_home_tells_who_sent_a_file_that_it_waits(
    lead: Client, cast: Cast, project: Project
) -> None:
    """Whoever left while a file was read finds it again; it concerns nobody else."""
    one = checked(project, cast, DATA)
    (line,) = home_counts(member_named(project, cast.lead.username))
    assert (line.label, line.count, line.url) == ("import to confirm or discard", 1, address(one))
    assert address(one) in lead.get("/p/film-study/").content.decode()
    add_member(project, cast.rosa, Role.LEAD)
    assert home_counts(member_named(project, cast.rosa.username)) == ()
    checked(project, cast, json_lines(musique_record("2hop__3_4")))
    (line,) = home_counts(member_named(project, cast.lead.username))
    assert (line.count, line.url) == (2, "/p/film-study/corpus/imports/")
    jobs.confirm(one)
    (line,) = home_counts(member_named(project, cast.lead.username))
    assert line.count == 1


def test_file_that_is_here_already_says_so(lead: Client, cast: Cast, project: Project) -> None:
    """There is nothing to confirm."""
    imported(project, cast, DATA)
    page = shown(lead, checked(project, cast, DATA))
    assert "would change nothing" in page
    assert "confirm/" not in page


def test_problems_are_listed_by_kind(lead: Client, cast: Cast, project: Project) -> None:
    """What will be left out is known while one can still turn back; pages and kinds are links."""
    records = [{"title": f"T{n}", "text": ""} for n in range(60)]
    one = checked(project, cast, json_lines(*records, {"title": "A", "text": "b"}))
    assert one.state == State.REFUSED
    one = checked(project, cast, json_lines(*records, {"title": "A", "text": "b"}), "passages")
    page = shown(lead, one)
    assert "line 1 (T0)" in page
    assert "line 60 (T59)" not in page
    assert "line 60 (T59)" in shown(lead, one, "?page=2")
    assert "?code=empty-passage" in page
    assert "line 1 (T0)" in shown(lead, one, "?code=empty-passage")
    assert "line 1 (T0)" in shown(lead, one, "?code=no-such-kind%00")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (DATA + b"\n{", "line 2"),
        (b"[]x", "line 1"),
        (json.dumps({"a": "b"}).encode(), "missing"),
        (json_lines(musique_record("q" * 201)), "at most 200 characters"),
        (b'[{"id": "<script>alert(1)</script>"}]', "&lt;script&gt;"),
    ],
)
def test_broken_file_is_refused_on_its_page(
    lead: Client, public: str, data: bytes, said: str
) -> None:
    """The line is named, nothing can be confirmed."""
    one = uploaded(lead, data, public)
    page = shown(lead, one)
    assert said in page
    assert "Nothing was imported" in page
    lead.post(address(one, "confirm/"))
    assert worked_on(one).state == State.REFUSED


def test_reused_id_is_refused_by_name(
    lead: Client, public: str, cast: Cast, project: Project
) -> None:
    """Before the preview."""
    imported(project, cast, DATA)
    one = uploaded(lead, json_lines(musique_record(answer="1970")), public)
    assert "2hop__1_2" in shown(lead, one)


def test_mistakes_at_the_form_are_told_there(lead: Client, public: str, settings: Any) -> None:
    """An empty or long file, an unknown format, nobody to read it: no import begins."""
    settings.UPLOAD_LIMIT = 1000
    for response, said in (
        (upload(lead, b"", public), "empty"),
        (upload(lead, b"x" * 1001, public), "limit"),
        (upload(lead, DATA[:900], public, layout="x"), "valid choice"),
        (upload(lead, DATA[:900]), "required"),
    ):
        assert response.status_code == 422
        assert said in response.content.decode()
    assert not Import.objects.exists()


def test_sources_are_cleared_as_chosen(lead: Client, project: Project) -> None:
    """The class chosen at the form is the one that is stored after the preview."""
    staff = add_reader_class(project, key="staff", title="Staff", actor=None)
    one = uploaded(lead, DATA, str(staff.pk))
    assert "Staff" in shown(lead, one)
    lead.post(address(one, "confirm/"))
    worked_on(one)
    assert set(Clearance.objects.values_list("reader_class", flat=True)) == {staff.pk}


def test_file_comes_in_pieces(lead: Client, public: str) -> None:
    """Every answer says how much is here; the last piece hands the file to the workers."""
    where = announce(lead, len(DATA), public).json()
    assert (where["received"], where["size"]) == (0, len(DATA))
    assert put(lead, where["pieces"], 0, DATA[:100]).json()["received"] == 100
    wrong = put(lead, where["pieces"], 0, DATA[:100])
    assert (wrong.status_code, wrong.json()["received"]) == (409, 100)
    assert announce(lead, len(DATA), public).json() == where | {"received": 100}
    assert put(lead, where["pieces"], 100, DATA[100:]).status_code == 200
    one = Import.objects.get()
    assert one.state == State.CHECKING
    assert worked_on(one).state == State.READY
    assert put(lead, where["pieces"], len(DATA), b"x").status_code == 422


@pytest.mark.parametrize("offset", ["", "-1", "x", "1e3", "٣", "9" * 30])
def test_offset_that_is_none_is_told_the_right_one(lead: Client, public: str, offset: str) -> None:
    """Not a fault of the server."""
    where = announce(lead, len(DATA), public).json()
    response = put(lead, where["pieces"], offset, b"x")
    assert (response.status_code, response.json()["received"]) == (409, 0)


def test_limits_of_pieces(lead: Client, public: str, settings: Any) -> None:
    """A piece, a file, and what was announced each have an end."""
    settings.PIECE_LIMIT, settings.IMPORT_LIMIT = 10, 100
    assert announce(lead, 101, public).status_code == 422
    assert "limit" in announce(lead, 101, public).json()["problem"]
    where = announce(lead, 15, public).json()
    assert where["piece"] == 10
    assert put(lead, where["pieces"], 0, b"x" * 11).status_code == 413
    assert put(lead, where["pieces"], 0, b"x" * 10).status_code == 200
    assert put(lead, where["pieces"], 10, b"x" * 6).status_code == 422
    assert Import.objects.get().received == 10


def test_half_sent_file_is_offered_and_can_be_discarded(lead: Client, public: str) -> None:
    """At the form and on its page; nobody needs the script to be rid of it."""
    where = announce(lead, len(DATA), public).json()
    put(lead, where["pieces"], 0, DATA[:100])
    one = Import.objects.get()
    assert "half sent" in lead.get(NEW).content.decode()
    assert "100 of" in shown(lead, one)
    lead.post(address(one, "discard/"))
    one.refresh_from_db()
    assert one.state == State.DISCARDED
    assert "half sent" not in lead.get(NEW).content.decode()


def test_progress_moves_until_the_step_ends(lead: Client, cast: Cast, project: Project) -> None:
    """The part asks for itself again; once a worker is done, the whole page is loaded anew."""
    one = sent(project, cast, DATA)
    moving = lead.get(address(one, "progress/"))
    assert "hx-get" in moving.content.decode()
    assert "waits for a worker" in moving.content.decode()
    assert "HX-Refresh" not in moving.headers
    worked_on(one)
    assert lead.get(address(one, "progress/")).headers["HX-Refresh"] == "true"


def test_waiting_for_another_import_is_said(lead: Client, cast: Cast, project: Project) -> None:
    """Not a bar that does not move for no reason."""
    first, second = checked(project, cast, DATA), checked(project, cast, DATA)
    for one in (first, second):
        jobs.confirm(one)
    assert jobs.claim(first.pk)
    assert "another import" in shown(lead, second)
    assert "another import" not in shown(lead, first)


def test_failed_import_can_be_tried_again(lead: Client, cast: Cast, project: Project) -> None:
    """As long as its file is kept."""
    one = sent(project, cast, DATA)
    Import.objects.filter(pk=one.pk).update(state=State.FAILED, error="OSError: oh")
    assert "OSError: oh" in shown(lead, one)
    assert "retry/" in shown(lead, one)
    lead.post(address(one, "retry/"))
    assert worked_on(one).state == State.READY


def test_imports_are_listed_and_open_to_who_sent_them(
    lead: Client, cast: Cast, project: Project
) -> None:
    """Another lead learns that there are some; their problems quote what not all may read."""
    one = checked(project, cast, DATA)
    add_member(project, cast.stranger, Role.LEAD)
    other = client_for(cast.stranger)
    assert "data.jsonl" in lead.get("/p/film-study/corpus/imports/").content.decode()
    listed = other.get("/p/film-study/corpus/imports/").content.decode()
    assert "a file of Lena" in listed
    assert "data.jsonl" not in listed
    for found in (other.get(address(one)), other.get(address(one, "progress/"))):
        assert found.status_code == 404
        assert "data.jsonl" not in found.content.decode()
    for step in ("confirm/", "discard/", "retry/"):
        assert other.post(address(one, step)).status_code == 404
    assert put(other, address(one, "pieces/"), 0, b"x").status_code == 404
    one.refresh_from_db()
    assert one.state == State.READY


def test_import_of_another_project_is_not_found(lead: Client, cast: Cast) -> None:
    """Not even by the person who sent it."""
    one = checked(make_project("other"), cast, DATA)
    assert lead.get(address(one)).status_code == 404


@pytest.mark.parametrize("who", ["rosa", "adjudicator", "auditor", "reader"])
def test_only_a_lead_imports(cast: Cast, public: str, project: Project, who: str) -> None:
    """Neither form, nor pieces, nor list, nor confirmation."""
    one = checked(project, cast, DATA)
    client = client_for(getattr(cast, who))
    for response in (
        client.get(NEW),
        upload(client, DATA, public),
        announce(client, 10, public),
        client.get("/p/film-study/corpus/imports/"),
        client.get(address(one)),
        client.post(address(one, "confirm/")),
        put(client, address(one, "pieces/"), 0, b"x"),
    ):
        assert response.status_code == 403


def test_stranger_finds_no_import(cast: Cast) -> None:
    """Not even that the project exists."""
    assert client_for(cast.stranger).get(NEW).status_code == 404


def test_other_methods_are_refused(lead: Client, cast: Cast, project: Project) -> None:
    """Only reading, posting, and putting pieces."""
    one = checked(project, cast, DATA)
    assert lead.delete(NEW).status_code == 405
    assert lead.post(address(one, "pieces/")).status_code == 405
    assert lead.get(address(one, "confirm/")).status_code == 405
