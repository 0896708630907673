"""Importing through the API: pieces that go on where they stopped, a check, a confirmation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import settings

from adjudication.corpus.models import Source
from adjudication.imports import tasks, uploads
from adjudication.imports.models import Import
from adjudication.imports.tasks import work_on
from adjudication.projects.models import Project, Role
from tests.api.calls import OCTETS, Program, error_of
from tests.api.test_capture import form_of
from tests.conftest import Cast
from tests.factories import add_member

pytestmark = pytest.mark.django_db

PASSAGES = json.dumps(
    [{"title": "Cedar", "text": "Cedar is mapped to R17."}, {"title": "Empty", "text": ""}]
).encode()
CHOICES = {"format": "passages", "licence": "CC0", "reader_classes": ["public"]}


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs of life go over a connection of their own, which sees only committed rows."""
    monkeypatch.setattr(tasks, "BEAT", 3600)


def announcement(data: bytes = PASSAGES, **more: Any) -> dict[str, Any]:
    return {"name": "pool.json", "size": len(data), "mark": "pool-1", **CHOICES, **more}


def send(lead: Program, place: str, data: bytes, offset: int) -> Any:
    return lead.call("PUT", f"{place}/bytes?offset={offset}", data, content_type=OCTETS)


def test_file_in_pieces_is_checked_confirmed_and_imported_once(
    project: Project, cast: Cast
) -> None:
    """Announced again it goes on where it stopped; nothing is stored before it is confirmed."""
    lead = Program(cast.lead)
    begun = lead.post("imports", announcement())
    assert begun.status_code == 201
    place = f"imports/{begun.json()['id']}"
    assert send(lead, place, PASSAGES[:50], 0).json()["received"] == 50
    again = lead.post("imports", announcement())
    assert (again.json()["id"], again.headers["Upload-Offset"]) == (begun.json()["id"], "50")
    whole = send(lead, place, PASSAGES[50:], 50).json()
    assert (whole["received"], whole["state"]) == (len(PASSAGES), "checking")
    work_on(Import.objects.get().pk)
    looked = lead.read(place)
    assert looked["state"] == "ready"
    assert {one["what"]: one["new"] for one in looked["counts"]}["passages"] == 1
    (problem,) = lead.read(f"{place}/problems")["items"]
    assert looked["problems"] == {problem["code"]: 1}
    assert not Source.objects.exists()
    first, second = (lead.post(f"{place}/confirmation") for _ in range(2))
    assert first.status_code == second.status_code == 200
    work_on(Import.objects.get().pk)
    done = lead.post(f"{place}/confirmation").json()
    assert (done["state"], done["finished_at"] is not None) == ("done", True)
    assert [one["title"] for one in lead.read("sources")["items"]] == ["Cedar"]
    assert lead.read("imports")["items"] == [done]


def test_small_file_comes_whole(project: Project, cast: Cast) -> None:
    lead = Program(cast.lead)
    fields = {"format": "passages", "reader_classes": "public"}
    body, kind = form_of(fields, PASSAGES)
    one = lead.post("imports", body, content_type=kind)
    assert (one.status_code, one.json()["state"]) == (201, "checking")
    body, kind = form_of(fields | {"colour": "red"}, PASSAGES)
    assert "colour" in error_of(lead.post("imports", body, content_type=kind), 400)["fields"]
    body, kind = form_of(fields, PASSAGES, "picture")
    assert "file" in error_of(lead.post("imports", body, content_type=kind), 400)["fields"]


def test_wrong_offset_is_told_the_right_one(project: Project, cast: Cast) -> None:
    """In the words and in a header; what is here stays."""
    lead = Program(cast.lead)
    place = f"imports/{lead.post('imports', announcement()).json()['id']}"
    send(lead, place, PASSAGES[:50], 0)
    for place_of in (0, 49, 51):
        answer = send(lead, place, PASSAGES[:10], place_of)
        assert "byte 50" in error_of(answer, 409)["fields"]["offset"][0]
        assert answer.headers["Upload-Offset"] == "50"
    for offset in ("", "x", "-1"):
        answer = lead.call("PUT", f"{place}/bytes?offset={offset}", b"x", content_type=OCTETS)
        assert answer.status_code in {400, 409}
    assert error_of(lead.call("PUT", f"{place}/bytes", b"x", content_type=OCTETS), 400)["fields"]
    assert lead.read(place)["received"] == 50


def test_piece_limits(project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too long is 413, more than announced 409, no room 507, JSON 415: nothing is kept of it."""
    lead = Program(cast.lead)
    place = f"imports/{lead.post('imports', announcement()).json()['id']}"
    error_of(send(lead, place, PASSAGES + b"x", 0), 409)
    error_of(lead.call("PUT", f"{place}/bytes?offset=0", {"a": 1}), 415)
    monkeypatch.setattr(settings, "PIECE_LIMIT", 10)
    assert error_of(send(lead, place, PASSAGES[:11], 0), 413)["code"] == "too-large"

    def full(*_: object) -> int:
        raise uploads.DiskFull("The server's disk is full.")

    monkeypatch.setattr(uploads, "_write", full)
    assert error_of(send(lead, place, PASSAGES[:10], 0), 507)["code"] == "no-room"
    assert lead.read(place)["received"] == 0


def test_refused_file_says_where(project: Project, cast: Cast) -> None:
    """And is neither confirmed nor tried again."""
    lead = Program(cast.lead)
    data = b'[{"title": "a", "title": "b"}]'
    place = f"imports/{lead.post('imports', announcement(data)).json()['id']}"
    send(lead, place, data, 0)
    work_on(Import.objects.get().pk)
    refused = lead.read(place)
    assert (refused["state"], "occurs twice" in refused["error"]) == ("refused", True)
    error_of(lead.post(f"{place}/confirmation"), 409)
    error_of(lead.call("DELETE", place), 409)


def test_discarded_file_is_gone(project: Project, cast: Cast) -> None:
    lead = Program(cast.lead)
    place = f"imports/{lead.post('imports', announcement()).json()['id']}"
    send(lead, place, PASSAGES[:50], 0)
    first, second = (lead.call("DELETE", place) for _ in range(2))
    assert first.json()["state"] == second.json()["state"] == "discarded"
    error_of(send(lead, place, PASSAGES[50:], 50), 409)
    assert Import.objects.get().pk not in uploads.kept_ids()


def test_import_of_another_lead_is_listed_without_its_contents(
    project: Project, cast: Cast
) -> None:
    """Their files quote what others may not be cleared for: their addresses are missing."""
    add_member(project, cast.stranger, Role.LEAD)
    theirs = Program(cast.stranger).post("imports", announcement()).json()["id"]
    lead = Program(cast.lead)
    (shown,) = lead.read("imports")["items"]
    assert (shown["id"], shown["by"]) == (theirs, "Sam")
    assert not {"problems", "error", "counts", "sha256"} & shown.keys()
    missing = "00000000-0000-0000-0000-000000000007"
    for rest in ("", "/problems", "/confirmation", "/retry", "/bytes?offset=0"):
        verb = {"/bytes?offset=0": "PUT", "/confirmation": "POST", "/retry": "POST"}.get(
            rest, "GET"
        )
        kind = OCTETS if verb == "PUT" else "application/json"
        found = lead.call(verb, f"imports/{theirs}{rest}", b"", content_type=kind)
        nothing = lead.call(verb, f"imports/{missing}{rest}", b"", content_type=kind)
        assert error_of(found, 404)
        assert found.content == nothing.content


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"size": 0}, "size"),
        ({"size": "10"}, "size"),
        ({"size": 10**15}, "size"),
        ({"format": "csv"}, "format"),
        ({"name": None}, "name"),
        ({"mark": None}, "mark"),
        ({"reader_classes": ["secret"]}, "reader_classes"),
        ({"sha256": "0"}, "sha256"),
    ],
)
def test_wrong_announcement_is_named_at_its_field(
    project: Project, cast: Cast, changes: dict[str, Any], field: str
) -> None:
    answer = Program(cast.lead).post("imports", announcement(**changes))
    assert field in error_of(answer, 400)["fields"]
    assert not Import.objects.exists()


def test_problems_come_in_parts(project: Project, cast: Cast) -> None:
    """In the order of the file, by their own keys."""
    lead = Program(cast.lead)
    data = json.dumps([{"title": f"T{n}", "text": ""} for n in range(5)]).encode()
    place = f"imports/{lead.post('imports', announcement(data)).json()['id']}"
    send(lead, place, data, 0)
    work_on(Import.objects.get().pk)
    first = lead.read(f"{place}/problems?size=3")
    rest = lead.read(f"{place}/problems?size=3&after={first['next']}")
    whole = lead.read(f"{place}/problems")
    assert (first["items"] + rest["items"], rest["next"]) == (whole["items"], None)
    code = whole["items"][0]["code"]
    assert lead.read(f"{place}/problems?code={code}") == whole
    assert lead.read(f"{place}/problems?code=other")["items"] == []
    error_of(lead.get(f"{place}/problems?after=x"), 400)
