"""The pages about people, and opening a project."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from adjudication.accounts.models import User
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Membership, Project, ReaderClass, Role
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_project, make_user

PEOPLE = "/p/film-study/people/"
ADD = PEOPLE + "add/"
NEW = {"username": "nina", "display_name": "Nina", "roles": "reviewer", "reader_classes": "public"}


def page_of(project: Project, username: str) -> str:
    member = Membership.objects.get(project=project, user__username=username)
    return f"{PEOPLE}{member.pk}/"


def test_new_person_is_invited_by_a_link_that_opens_without_signing_in(
    project: Project, cast: Cast
) -> None:
    """The lead sees the link once and hands it over; the invited chooses a password."""
    answer = client_for(cast.lead).post(ADD, NEW)
    link = answer.context["link"]
    assert link in answer.text
    invited = Client()
    form = invited.get(urlsplit(link).path).headers["Location"]
    words = {"new_password1": "a new long password 7", "new_password2": "a new long password 7"}
    assert invited.post(form, words).status_code == 302
    assert invited.login(username="nina", password="a new long password 7")
    assert invited.get("/p/film-study/").status_code == 200


def test_person_with_an_account_is_added_by_name(project: Project, cast: Cast) -> None:
    """No new account, no link: they sign in as they always do."""
    answer = client_for(cast.lead).post(ADD, NEW | {"username": "sam", "display_name": ""})
    assert answer.headers["Location"] == PEOPLE
    assert client_for(cast.stranger).get("/p/film-study/").status_code == 200
    assert not User.objects.filter(username="nina").exists()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"username": "sam", "display_name": "Sam Other"}, "username"),
        ({"username": "rosa", "display_name": ""}, "username"),
        ({"username": "closed", "display_name": ""}, "username"),
        ({"display_name": ""}, "display_name"),
        ({"display_name": "Ni\u202ena"}, "display_name"),
        ({"username": "not a name"}, "username"),
        ({"roles": []}, "roles"),
        ({"roles": "owner"}, "roles"),
        ({"reader_classes": "secret"}, "reader_classes"),
    ],
)
def test_wrong_addition_is_named_at_its_field(
    project: Project, cast: Cast, changes: dict[str, object], field: str
) -> None:
    """Nobody is added, and above all not somebody else with the same name."""
    make_user("closed", is_active=False)
    before = Membership.objects.count()
    answer = client_for(cast.lead).post(ADD, NEW | changes)
    assert answer.status_code == 422
    assert field in answer.context["form"].errors
    assert Membership.objects.count() == before


def test_roles_and_clearances_are_changed(project: Project, cast: Cast) -> None:
    """The form starts with what is, and sets exactly what is ticked."""
    add_reader_class(project, key="staff", title="Staff", actor=None)
    browser, page = client_for(cast.lead), page_of(project, "rosa")
    assert browser.get(page).context["form"].initial["roles"] == ["reviewer"]
    words = {"roles": ["reviewer", "adjudicator"], "reader_classes": ["staff"]}
    assert browser.post(page, words).headers["Location"] == PEOPLE
    member = Membership.objects.get(user=cast.rosa)
    assert member.roles == ["adjudicator", "reviewer"]
    assert [one.key for one in member.reader_classes.all()] == ["staff"]


def test_last_lead_is_told_at_the_form(project: Project, cast: Cast) -> None:
    """Neither giving up the role nor leaving works, and both say why."""
    browser, page = client_for(cast.lead), page_of(project, "lena")
    answer = browser.post(page, {"roles": "reviewer"})
    assert answer.status_code == 422
    assert "last active lead" in answer.text
    answer = browser.post(page + "deactivate/", follow=True)
    assert "last active lead" in answer.text
    assert Membership.objects.get(user=cast.lead).active


def test_deactivated_person_meets_a_missing_project(project: Project, cast: Cast) -> None:
    """At once, with the session they have; and takes part again when a lead says so."""
    lead, rosa, page = client_for(cast.lead), client_for(cast.rosa), page_of(project, "rosa")
    assert rosa.get("/p/film-study/").status_code == 200
    assert lead.post(page + "deactivate/").headers["Location"] == PEOPLE
    assert rosa.get("/p/film-study/").status_code == 404
    assert "does not take part any more" in lead.get(PEOPLE).text
    lead.post(page, {"roles": "reviewer", "reader_classes": "public"})
    assert rosa.get("/p/film-study/").status_code == 200


def test_refused_link_is_explained_and_not_shown(project: Project, cast: Cast) -> None:
    """A member of another project: ask an operator."""
    add_member(make_project("elsewhere"), cast.rosa, Role.READER)
    answer = client_for(cast.lead).post(page_of(project, "rosa") + "link/", follow=True)
    assert "Ask an operator" in answer.text
    assert "/password/" not in answer.text


def test_reader_class_is_added(project: Project, cast: Cast) -> None:
    """A key that is taken is refused at its field."""
    browser, page = client_for(cast.lead), PEOPLE + "reader-class/"
    browser.post(page, {"key": "staff", "title": "Staff"})
    assert ReaderClass.objects.filter(project=project, key="staff").exists()
    answer = browser.post(page, {"key": "staff", "title": "Other"})
    assert answer.status_code == 422
    assert "key" in answer.context["form"].errors


@pytest.mark.parametrize("person", ["rosa", "adjudicator", "reader", "auditor"])
def test_only_leads_change_people(project: Project, cast: Cast, person: str) -> None:
    """Refused on every page that writes, and nothing changed; auditors read the list."""
    browser, page = client_for(getattr(cast, person)), page_of(project, "rui")
    expected = 200 if person == "auditor" else 403
    assert browser.get(PEOPLE).status_code == expected
    for address in (ADD, page, PEOPLE + "reader-class/"):
        assert browser.get(address).status_code == 403
        assert browser.post(address, NEW).status_code == 403
    for address in (page + "deactivate/", page + "link/"):
        assert browser.post(address).status_code == 403
    assert Membership.objects.get(user=cast.rui).active
    assert not User.objects.filter(username="nina").exists()


def test_stranger_finds_no_page(project: Project, cast: Cast) -> None:
    """The same as for a project that does not exist."""
    browser, page = client_for(cast.stranger), page_of(project, "rosa")
    for address in (PEOPLE, ADD, page, PEOPLE + "reader-class/"):
        assert browser.get(address).status_code == 404
    for address in (page + "deactivate/", page + "link/"):
        assert browser.post(address).status_code == 404


def test_member_of_another_project_is_not_found(project: Project, cast: Cast) -> None:
    """A lead here cannot reach somebody elsewhere by their id."""
    other = make_project("elsewhere")
    add_member(other, make_user("olaf"), Role.LEAD)
    member = Membership.objects.get(project=other)
    browser = client_for(cast.lead)
    assert browser.get(f"{PEOPLE}{member.pk}/").status_code == 404
    assert browser.post(f"{PEOPLE}{member.pk}/link/").status_code == 404
    assert browser.post(f"{PEOPLE}{member.pk}/deactivate/").status_code == 404
    assert browser.get(f"{PEOPLE}not-an-id/").status_code == 404


def test_wrong_methods_are_refused(project: Project, cast: Cast) -> None:
    """A link or a removal is never one click on an address."""
    browser, page = client_for(cast.lead), page_of(project, "rosa")
    assert browser.get(page + "link/").status_code == 405
    assert browser.get(page + "deactivate/").status_code == 405
    assert browser.post(PEOPLE).status_code == 405


def test_list_needs_the_same_queries_at_any_length(project: Project, cast: Cast) -> None:
    """No query per person."""
    browser, counts = client_for(cast.lead), []
    for name in ("one", "two", "three"):
        add_member(project, make_user(name), Role.READER)
        with CaptureQueriesContext(connection) as queries:
            browser.get(PEOPLE)
        counts.append(len(queries))
    assert counts[0] == counts[2]


def test_operator_opens_a_project_and_leads_it(db: None) -> None:
    """Everybody else is refused; a short name that is taken is named at its field."""
    operator, words = make_user("olga", is_operator=True), {"title": "Films", "slug": "films"}
    browser = client_for(operator)
    assert browser.get("/projects/new/").status_code == 200
    assert browser.post("/projects/new/", words).headers["Location"] == "/p/films/"
    assert Membership.objects.get(user=operator).roles == ["lead"]
    answer = browser.post("/projects/new/", words)
    assert answer.status_code == 422
    assert "slug" in answer.context["form"].errors
    other = client_for(make_user("rosa"))
    assert other.post("/projects/new/", words | {"slug": "more"}).status_code == 403
    assert Project.objects.count() == 1


def test_crumbs_lead_back_to_the_part_of_the_project(project: Project, cast: Cast) -> None:
    """Its name is that of the navigation; the page itself is named and is no link."""
    page = client_for(cast.lead).get(ADD).text
    crumbs = page[page.index('class="crumbs"') : page.index("</ol>")]
    assert f'<a href="{PEOPLE}">People</a>' in crumbs
    assert '<span aria-current="page">Add a person</span>' in crumbs
