"""Open a project; say who takes part, in which roles, cleared for what."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Membership, Project, ReaderClass, Role

PUBLIC = "public"


@transaction.atomic
def add_person(
    *,
    username: str,
    display_name: str,
    password: str,
    is_operator: bool = False,
    actor: User | None,
) -> User:
    """Somebody who can sign in. Memberships give the rights."""
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
    keys = sorted(set(reader_classes))
    classes = list(ReaderClass.objects.filter(project=project, key__in=keys).order_by("key"))
    if unknown := set(keys) - {found.key for found in classes}:
        raise Refused(f"No reader class {', '.join(sorted(unknown))} in {project.slug!r}.")
    membership, _ = Membership.objects.update_or_create(
        project=project,
        user=user,
        defaults={"roles": sorted({str(Role(role)) for role in roles}), "active": True},
    )
    membership.reader_classes.set(classes)
    record(
        "set membership",
        membership,
        actor=actor,
        project_id=project.pk,
        person=user.username,
        roles=membership.roles,
        reader_classes=keys,
    )
    return membership
