"""Who takes part, and that nobody is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.actions import (
    add_reader_class,
    deactivate,
    hand_password_link,
    invite,
    set_membership,
)
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.queries import memberships_of
from tests.conftest import Cast, CommittedDatabase
from tests.factories import add_member, make_project, make_user


def of(project: Project, username: str) -> Membership:
    return Membership.objects.get(project=project, user__username=username)


def test_invited_person_has_no_password_and_exact_rights(project: Project, cast: Cast) -> None:
    """Nobody can sign in as them before they chose one."""
    made = invite(
        project,
        username="nina",
        display_name="Nina",
        roles=["reviewer"],
        reader_classes=["public"],
        actor=cast.lead,
    )
    assert not made.user.has_usable_password()
    assert (made.roles, [one.key for one in made.reader_classes.all()]) == (
        ["reviewer"],
        ["public"],
    )


def demote(member: Membership, *, actor: User | None = None) -> None:
    set_membership(member.project, member.user, roles=["reviewer"], actor=actor)


@pytest.mark.parametrize("remove", [partial(deactivate, actor=None), demote])
def test_last_active_lead_cannot_be_removed(
    project: Project, cast: Cast, remove: Callable[[Membership], None]
) -> None:
    """A project always has somebody who can act; a former lead does not count."""
    former = make_user("former")
    add_member(project, former, Role.LEAD)
    deactivate(of(project, "former"), actor=cast.lead)
    with pytest.raises(Refused, match="last active lead"):
        remove(of(project, "lena"))
    kept = of(project, "lena")
    assert (kept.active, kept.roles) == (True, ["lead"])


def test_lead_can_be_removed_while_another_leads(project: Project, cast: Cast) -> None:
    """The rule keeps one lead, not every lead."""
    add_member(project, cast.rosa, Role.LEAD, Role.REVIEWER)
    deactivate(of(project, "lena"), actor=cast.rosa)
    assert not of(project, "lena").active


def test_deactivated_member_is_out_but_kept(project: Project, cast: Cast) -> None:
    """Their row stays for everything that names them; a second press changes nothing."""
    rosa = of(project, "rosa")
    deactivate(rosa, actor=cast.lead)
    deactivate(rosa, actor=cast.lead)
    assert not memberships_of(cast.rosa).exists()
    entry = Entry.objects.get(verb="deactivated membership")
    assert (entry.actor, entry.detail["person"]) == (cast.lead, "rosa")
    set_membership(project, cast.rosa, roles=["reviewer"], actor=cast.lead)
    assert memberships_of(cast.rosa).get() == rosa


def test_two_leads_who_remove_each_other_leave_one(committed: CommittedDatabase) -> None:
    """At the same time, in two transactions: the second is refused."""
    project = make_project("film-study")
    for name in ("lena", "leo"):
        add_member(project, make_user(name), Role.LEAD)
    barrier, refusals = threading.Barrier(2), []

    def remove(name: str) -> None:
        try:
            member = of(project, name)
            barrier.wait()
            deactivate(member, actor=None)
        except Refused as refusal:
            refusals.append(str(refusal))
        finally:
            connection.close()

    threads = [threading.Thread(target=remove, args=[name]) for name in ("lena", "leo")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refusals) == 1
    assert Membership.objects.filter(active=True).count() == 1


def test_link_is_made_only_for_people_whom_one_leads_alone(project: Project, cast: Cast) -> None:
    """A lead must not reach another project, or an operator's rights, through somebody."""
    elsewhere = make_project("elsewhere")
    add_member(elsewhere, cast.rosa, Role.LEAD)
    with pytest.raises(Refused, match="projects that you do not lead"):
        hand_password_link(of(project, "rosa"), by=cast.lead)
    operator = make_user("olga", is_operator=True)
    add_member(project, operator, Role.READER)
    with pytest.raises(Refused, match="another operator"):
        hand_password_link(of(project, "olga"), by=cast.lead)
    deactivate(of(project, "rui"), actor=cast.lead)
    with pytest.raises(Refused, match="take part"):
        hand_password_link(of(project, "rui"), by=cast.lead)
    assert not Entry.objects.filter(verb="made password link").exists()

    assert "/password/" in hand_password_link(of(project, "rosa"), by=operator)
    assert "/password/" in hand_password_link(of(project, "ada"), by=cast.lead)
    made = Entry.objects.filter(verb="made password link").order_by("at")
    assert {entry.detail["person"] for entry in made} == {"rosa", "ada"}


def test_link_for_somebody_whom_one_leads_everywhere(project: Project, cast: Cast) -> None:
    """Two projects of the same lead are no obstacle; one that the person left is none either."""
    second, left = make_project("second"), make_project("left")
    add_member(second, cast.lead, Role.LEAD)
    add_member(second, cast.rosa, Role.REVIEWER)
    add_member(left, cast.rosa, Role.REVIEWER)
    deactivate(of(left, "rosa"), actor=None)
    assert hand_password_link(of(project, "rosa"), by=cast.lead)


def test_reader_class_keeps_its_name(project: Project, cast: Cast) -> None:
    """The same again is no event; another name under its key is refused."""
    made = add_reader_class(project, key="staff", title="Staff", actor=cast.lead)
    assert add_reader_class(project, key="staff", title="Staff", actor=cast.lead) == made
    with pytest.raises(Refused, match="reader class Staff"):
        add_reader_class(project, key="staff", title="Everybody", actor=cast.lead)
    assert Entry.objects.filter(verb="added reader class", object_id=made.pk).count() == 1
