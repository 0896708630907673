"""Open a project; say who takes part, in which roles, cleared for what."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from adjudication.accounts.links import password_link
from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Membership, Project, ReaderClass, Role
from adjudication.projects.queries import reader_classes_named
from adjudication.projects.rules import check_keeps_a_lead, check_may_hand_link

PUBLIC = "public"


@transaction.atomic
def add_person(
    *,
    username: str,
    display_name: str,
    password: str | None,
    is_operator: bool = False,
    actor: User | None,
) -> User:
    """Somebody who can sign in; without ``password``, once they chose one by a link.

    Memberships give the rights.
    """
    if User.objects.filter(username=username).exists():
        raise Refused(f"Somebody signs in as {username!r} already. Choose another name.")
    person = User.objects.create_user(
        username, password, display_name=display_name, is_operator=is_operator
    )
    record("added person", person, actor=actor, project_id=None, username=username)
    return person


@transaction.atomic
def create_project(
    *, slug: str, title: str, description: str = "", lead: User | None, actor: User | None
) -> Project:
    """A new project with the reader class "public" and, where given, its first lead."""
    if Project.objects.filter(slug=slug).exists():
        raise Refused(f"There is already a project {slug!r}. Choose another short name.")
    project = Project(slug=slug, title=title, description=description)
    project.full_clean()
    project.save()
    record("created project", project, actor=actor, project_id=project.pk)
    add_reader_class(project, key=PUBLIC, title="Public", actor=actor)
    if lead is not None:
        set_membership(project, lead, roles=[Role.LEAD], reader_classes=[PUBLIC], actor=actor)
    return project


@transaction.atomic
def add_reader_class(project: Project, *, key: str, title: str, actor: User | None) -> ReaderClass:
    """A further reader class; the same one again changes nothing.

    Raises:
        Refused: the key names another class.
    """
    known = ReaderClass.objects.filter(project=project, key=key).first()
    if known is not None:
        if known.title != title:
            raise Refused(f"{key!r} is the reader class {known.title}. Choose another short name.")
        return known
    reader_class = ReaderClass(project=project, key=key, title=title)
    reader_class.full_clean()
    reader_class.save()
    record("added reader class", reader_class, actor=actor, project_id=project.pk, key=key)
    return reader_class


@transaction.atomic
def set_membership(
    project: Project,
    user: User,
    *,
    roles: Iterable[Role | str],
    reader_classes: Iterable[str] = (PUBLIC,),
    actor: User | None,
) -> Membership:
    """Give ``user`` exactly these roles and clearances in ``project``."""
    _lock_people(project)
    classes = reader_classes_named(project, reader_classes)
    wanted = sorted({str(Role(role)) for role in roles})
    known = Membership.objects.filter(project=project, user=user).first()
    if known is not None and Role.LEAD not in wanted:
        check_keeps_a_lead(known)
    membership, _ = Membership.objects.update_or_create(
        project=project, user=user, defaults={"roles": wanted, "active": True}
    )
    membership.reader_classes.set(classes)
    record(
        "set membership",
        membership,
        actor=actor,
        project_id=project.pk,
        person=user.username,
        roles=wanted,
        reader_classes=[one.key for one in classes],
    )
    return membership


def _lock_people(project: Project) -> None:
    """Two leads who remove each other at once must not leave the project without any."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


@transaction.atomic
def invite(
    project: Project,
    *,
    username: str,
    display_name: str,
    roles: Iterable[Role | str],
    reader_classes: Iterable[str],
    actor: User | None,
) -> Membership:
    """A new person in ``project``, who chooses a password by the link they are handed."""
    person = add_person(username=username, display_name=display_name, password=None, actor=actor)
    return set_membership(project, person, roles=roles, reader_classes=reader_classes, actor=actor)


@transaction.atomic
def deactivate(membership: Membership, *, actor: User | None) -> None:
    """End somebody's part in a project. What they judged and wrote stays, under their name.

    Raises:
        Refused: this is the last active lead.
    """
    _lock_people(membership.project)
    membership.refresh_from_db(fields=["active", "roles"])
    if not membership.active:
        return
    check_keeps_a_lead(membership)
    membership.active = False
    membership.save(update_fields=["active"])
    record(
        "deactivated membership",
        membership,
        actor=actor,
        project_id=membership.project_id,
        person=membership.user.username,
    )


@transaction.atomic
def hand_password_link(membership: Membership, *, by: User) -> str:
    """The address at which this member chooses a password, for a lead to hand over.

    Raises:
        Refused: the link would open more than ``by`` leads.
    """
    check_may_hand_link(membership, by)
    link = password_link(membership.user)
    record(
        "made password link",
        membership,
        actor=by,
        project_id=membership.project_id,
        person=membership.user.username,
    )
    return link
