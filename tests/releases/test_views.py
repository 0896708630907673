"""The pages of annotation versions, by person."""

from __future__ import annotations

import io
import re
from http import HTTPStatus
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import FileResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.asserts import assertContains

from adjudication.journal.actions import expose
from adjudication.journal.models import Entry, Exposure
from adjudication.projects.actions import set_membership
from adjudication.projects.models import Project
from adjudication.releases.exports import export_lines
from adjudication.releases.models import AnnotationVersion, ReleaseRequest
from adjudication.releases.queries import still_to_judge
from adjudication.releases.verification import verify
from adjudication.review.models import Item
from adjudication.specifications.actions import freeze, start_draft
from tests.conftest import Cast, client_for
from tests.factories import make_version
from tests.releases.decided import decided_set, judge, member, open_item, released, specified

pytestmark = pytest.mark.django_db


def page(name: str, *arguments: object) -> str:
    return reverse(name, args=["film-study", *arguments])


def body(response: Any) -> bytes:
    """All of a download; the client closes it at its end."""
    assert isinstance(response, FileResponse)
    return response.getvalue()


def without_token(content: bytes) -> bytes:
    return re.sub(rb'name="csrfmiddlewaretoken" value="\w+"', b"", content)


PAGES = [("releases",), ("release", 1), ("release-item", 1, 1), ("release-export", 1, "public")]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("person", ["lead", "rosa", "adjudicator", "auditor", "reader"])
def test_members_read_what_is_released(
    version: AnnotationVersion, cast: Cast, name: tuple[Any, ...], person: str
) -> None:
    """Released versions are open to every member."""
    response = client_for(getattr(cast, person)).get(page(*name))
    assert response.status_code == HTTPStatus.OK
    if response.streaming:
        body(response)


@pytest.mark.parametrize("name", [*PAGES, ("release", 9), ("release-item", 1, 9)])
def test_stranger_finds_nothing(
    version: AnnotationVersion, cast: Cast, name: tuple[Any, ...]
) -> None:
    """To a stranger, what exists and what does not are the same."""
    client = client_for(cast.stranger)
    there, nowhere = client.get(page(*name)), client.get("/p/nowhere/")
    assert there.status_code == nowhere.status_code == HTTPStatus.NOT_FOUND
    assert without_token(there.content) == without_token(nowhere.content)


@pytest.mark.parametrize(
    "name",
    [
        ("release", 9),
        ("release", 10**30),
        ("release-item", 1, 9),
        ("release-export", 9, "public"),
        ("release-export", 1, "staff"),
    ],
)
def test_what_is_not_there_is_not_found(
    version: AnnotationVersion, cast: Cast, name: tuple[Any, ...]
) -> None:
    """An unknown version, item or class, and a class that one does not hold, look the same."""
    response = client_for(cast.lead).get(page(*name))
    assert response.status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("name", ["release-ask", "release-withdraw", "release-approve"])
def test_forms_take_only_posts(version: AnnotationVersion, cast: Cast, name: str) -> None:
    """A link alone never asks for, withdraws or approves a release."""
    assert client_for(cast.lead).get(page(name)).status_code == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.parametrize("name", PAGES)
def test_pages_take_no_posts(version: AnnotationVersion, cast: Cast, name: tuple[Any, ...]) -> None:
    """Reading never writes."""
    response = client_for(cast.lead).post(page(*name))
    assert response.status_code == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.parametrize(
    ("name", "people"),
    [
        ("release-ask", ["rosa", "adjudicator", "auditor", "reader"]),
        ("release-withdraw", ["rosa", "adjudicator", "auditor", "reader"]),
        ("release-approve", ["rosa", "auditor", "reader"]),
    ],
)
def test_others_do_not_release(project: Project, cast: Cast, name: str, people: list[str]) -> None:
    """Only a lead asks; only a lead or an adjudicator approves."""
    for person in people:
        response = client_for(getattr(cast, person)).post(page(name))
        assert response.status_code == HTTPStatus.FORBIDDEN


def test_release_in_the_browser(project: Project, cast: Cast) -> None:
    """A lead asks, an adjudicator approves what the page showed, both presses are harmless."""
    decided_set(project, [cast.rosa, cast.rui])
    lead, ada = client_for(cast.lead), client_for(cast.adjudicator)
    for _ in range(2):
        assert lead.post(page("release-ask")).status_code == HTTPStatus.FOUND
    shown = ada.get(page("releases"))
    assert b"Approve and release version 1 for good" in shown.content
    assert b"Approve and release" not in lead.get(page("releases")).content
    contents = shown.context["draft"].contents
    for _ in range(2):
        response = ada.post(page("release-approve"), {"contents": contents})
        assert response.status_code == HTTPStatus.FOUND
    version = AnnotationVersion.objects.get()
    assert (version.released_by, version.approved_by) == (cast.lead, cast.adjudicator)
    assert version.sha256 in lead.get(page("release", 1)).content.decode()


def test_refusals_are_shown_on_the_page(project: Project, cast: Cast) -> None:
    """What cannot be done is said where it was tried, and nothing is changed."""
    lead = client_for(cast.lead)
    make_version(project)
    specified(project)
    response = lead.post(page("release-ask"))
    assert response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert b"nothing to release" in response.content
    decided_set(project, [cast.rosa, cast.rui])
    lead.post(page("release-ask"))
    response = client_for(cast.adjudicator).post(page("release-approve"), {"contents": "old"})
    assert response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert b"Look at the contents again" in response.content
    assert ReleaseRequest.objects.get().state == ReleaseRequest.State.WAITING


def test_withdrawn_in_the_browser(project: Project, cast: Cast) -> None:
    """A second click on the same button is harmless."""
    decided_set(project, [cast.rosa, cast.rui])
    lead = client_for(cast.lead)
    lead.post(page("release-ask"))
    for _ in range(2):
        assert lead.post(page("release-withdraw")).status_code == HTTPStatus.FOUND
    assert ReleaseRequest.objects.get().state == ReleaseRequest.State.WITHDRAWN


@pytest.mark.parametrize("person", ["rosa", "auditor", "reader"])
def test_draft_is_not_shown_to_others(project: Project, cast: Cast, person: str) -> None:
    """Counts of decided sets rest on others' judgements: the page is as if there were none."""
    client = client_for(getattr(cast, person))
    make_version(project)
    specified(project)
    before = without_token(client.get(page("releases")).content)
    decided_set(project, [cast.rosa, cast.rui])
    client_for(cast.lead).post(page("release-ask"))
    assert without_token(client.get(page("releases")).content) == before


def test_released_item_says_beside_the_record_what_is_out_of_date(
    version: AnnotationVersion, cast: Cast, project: Project
) -> None:
    """A later version of a source asks for a re-check; what was released keeps its digest."""
    client, first = client_for(cast.reader), version.items.get(ordinal=1)
    assert b"of this source exists" not in client.get(page("release-item", 1, 1)).content
    source = first.evidence_set.members.first().span.version.source
    make_version(project, "Title\nSomething else.", key=source.key)
    shown = client.get(page("release-item", 1, 1)).content
    assert b"Version 2 of this source exists" in shown
    assert first.sha256.encode() in shown


# --- What may still be judged -----------------------------------------------------------------


def judged_anew(project: Project, version: AnnotationVersion) -> Item:
    """A new specification, under which a released set is judged afresh."""
    make_version(project)
    freeze(start_draft(project, by=None), by=None)
    return open_item(version.items.get(ordinal=1).evidence_set, Item.State.PROPOSED)


def test_reviewer_is_asked_before_reading_what_they_may_judge(
    project: Project, cast: Cast, version: AnnotationVersion
) -> None:
    """A first judgement under a new test is not made by someone who read the old verdict."""
    judged_anew(project, version)
    client = client_for(cast.rosa)
    response = client.get(page("release", 1))
    assert b"Not before you have judged" in response.content
    assert b"rejected" not in response.content
    for name in (("release-item", 1, 1), ("release-export", 1, "public")):
        assert client.get(page(*name)).status_code == HTTPStatus.FORBIDDEN
    assert client_for(cast.reader).get(page("release-item", 1, 1)).status_code == HTTPStatus.OK


def test_stepping_aside_is_recorded_and_opens_the_version(
    project: Project, cast: Cast, version: AnnotationVersion
) -> None:
    """Whoever reads it gives the sets up: an exposure is on record, once."""
    item = judged_anew(project, version)
    client = client_for(cast.rosa)
    for _ in range(2):
        response = client.post(page("release-step-aside", 1))
        assert response.status_code == HTTPStatus.FOUND
    exposure = Exposure.objects.get()
    assert (exposure.person, exposure.object_id) == (cast.rosa, item.evidence_set_id)
    assert b"Decided evidence sets" in client.get(page("release", 1)).content


def test_version_opens_once_the_set_is_judged(
    project: Project, cast: Cast, version: AnnotationVersion
) -> None:
    """After one's own seal there is nothing left to protect."""
    item = judged_anew(project, version)
    rosa = member(project, cast.rosa)
    assert list(still_to_judge(rosa, version)) == [item]
    judge(item, cast.rosa)
    assert not still_to_judge(rosa, version).exists()


def test_version_opens_to_whoever_knows_the_question(
    project: Project, cast: Cast, version: AnnotationVersion
) -> None:
    """A set that can no longer come to a reviewer keeps no version from them."""
    item = judged_anew(project, version)
    question = item.evidence_set.claim.question
    verdict = Exposure.Side.MACHINE_VERDICT
    expose(cast.rosa, [question], verdict, project_id=project.pk, place="run 1")
    assert not still_to_judge(member(project, cast.rosa), version).exists()


# --- Reading and downloading ------------------------------------------------------------------


def test_member_reads_hidden_parts_only_with_clearance(
    project: Project, cast: Cast, staff: str
) -> None:
    """Pages of a version withhold the same parts as exports do."""
    decided_set(project, [cast.rosa, cast.rui], "Entity Q sold R17.", reader_classes=[staff])
    released(project, cast.lead, cast.adjudicator)
    for name in (("release", 1), ("release-item", 1, 1)):
        content = client_for(cast.reader).get(page(*name)).content
        assert b"Entity" not in content
        assert b"withheld" in content
    set_membership(project, cast.reader, roles=["reader"], reader_classes=[staff], actor=None)
    content = client_for(cast.reader).get(page("release-item", 1, 1)).content
    assert b"Entity Q sold R17." in content


def test_refusal_is_shown_in_words(version: AnnotationVersion, cast: Cast) -> None:
    """A reviewer's reason reads as it did on the desk: the choice, then their own words."""
    refused = version.items.get(body__contains="does-not")
    response = client_for(cast.lead).get(page("release-item", 1, refused.ordinal))
    assertContains(response, "<strong>Entailment:</strong> a step is missing “It lacks.”")


def test_download_is_a_whole_checked_file(version: AnnotationVersion, cast: Cast) -> None:
    """An attachment with the very bytes of the export; the journal names who took it."""
    response = client_for(cast.reader).get(page("release-export", 1, "public"))
    assert response["Content-Disposition"] == 'attachment; filename="film-study-v1-public.jsonl"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "private, no-store"
    data = body(response)
    assert data == b"".join(export_lines(version, "public"))
    assert int(response["Content-Length"]) == len(data)
    assert verify(io.BytesIO(data), expected=version.sha256).intact
    entry = Entry.objects.get(verb="exported annotation version")
    assert (entry.actor, entry.detail["reader_class"]) == (cast.reader, "public")


@pytest.mark.parametrize(
    "headers",
    [
        {"Range": "bytes=0-10"},
        {"If-None-Match": "*"},
        {"If-Modified-Since": "Wed, 21 Oct 2065 07:28:00 GMT"},
    ],
)
def test_partial_and_conditional_requests_are_checked_alike(
    version: AnnotationVersion, cast: Cast, staff: str, headers: dict[str, str]
) -> None:
    """No header makes a hidden export answer, and none shortens an allowed one."""
    client = client_for(cast.reader)
    hidden = client.get(page("release-export", 1, staff), headers=headers)
    assert hidden.status_code == HTTPStatus.NOT_FOUND
    shown = client.get(page("release-export", 1, "public"), headers=headers)
    assert shown.status_code == HTTPStatus.OK
    assert body(shown) == b"".join(export_lines(version, "public"))


def test_clearance_taken_away_closes_the_download(version: AnnotationVersion, cast: Cast) -> None:
    """A link kept from before does not outlive the clearance."""
    client, url = client_for(cast.reader), page("release-export", 1, "public")
    assert body(client.get(url))
    set_membership(version.project, cast.reader, roles=["reader"], reader_classes=[], actor=None)
    assert client.get(url).status_code == HTTPStatus.NOT_FOUND


def test_lists_ask_the_same_number_of_queries(
    project: Project, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """One row or three: the pages cost the database the same."""
    lead, asked = client_for(cast.lead), []
    for sets in (1, 2):
        for _ in range(sets):
            decided_set(project, [cast.rosa, cast.rui])
            released(project, cast.lead, cast.adjudicator)
        number = AnnotationVersion.objects.count()
        counts = []
        for name in (("releases",), ("release", number)):
            with django_assert_max_num_queries(40) as queries:
                lead.get(page(*name))
            counts.append(len(queries.captured_queries))
        asked.append(counts)
    # The first version alone has no parent to compare with, which saves two.
    assert asked[0][0] <= asked[1][0] <= asked[0][0] + 1
    assert asked[1][1] - asked[0][1] <= 2


# --- Checking a file --------------------------------------------------------------------------


def upload(client: Client, data: bytes, digest: str = "") -> Any:
    file = SimpleUploadedFile("export.jsonl", data)
    return client.post(reverse("verify"), {"file": file, "digest": digest})


def test_uploaded_export_is_checked(version: AnnotationVersion, export: bytes, cast: Cast) -> None:
    """Anyone who signs in can check a file, whichever project it is from."""
    client = client_for(cast.stranger)
    assert client.get(reverse("verify")).status_code == HTTPStatus.OK
    good = upload(client, export, version.sha256)
    assert b"Every byte is as it was exported" in good.content
    bad = upload(client, export.replace(b"R17", b"R18", 1))
    assert b"Line 2" in bad.content
    assert b"the digest of the record is" in bad.content


@pytest.mark.parametrize(
    ("data", "digest", "says"),
    [(b"", "", "empty"), (b"x", "12", "64 hexadecimal digits")],
)
def test_unusable_upload_is_refused_at_its_field(
    cast: Cast, data: bytes, digest: str, says: str
) -> None:
    """An empty file and half a digest are told where they were entered."""
    response = upload(client_for(cast.reader), data, digest)
    assert response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert says in response.content.decode()


def test_check_page_needs_a_person() -> None:
    """Reading uploads is work that strangers to the site cannot ask for."""
    assert Client().get(reverse("verify")).status_code == HTTPStatus.FOUND
