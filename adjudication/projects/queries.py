"""Load and authorise in one call: a stranger cannot tell a project from a missing one."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Project, ReaderClass, Role
from adjudication.statements import Statement


def memberships_of(user: User) -> QuerySet[Membership]:
    """Active memberships of a person, by project title."""
    return (
        Membership.objects.filter(user=user, active=True)
        .select_related("project")
        .order_by("project__title", "project__slug")
    )


def membership_for(user: User, slug: str) -> Membership:
    """The person's membership of the project ``slug``, with project and user loaded.

    Raises:
        Http404: no such project, or the person is not in it: the same answer for both.
    """
    found = _MEMBERSHIP.first(user.pk, (slug,))
    if found is None:
        raise Http404("no such project")
    return found


_MEMBERSHIP = Statement(
    lambda user, slugs: Membership.objects.filter(
        user=user, active=True, project__slug__in=slugs
    ).select_related("project", "user")
)


def check_role(membership: Membership, *roles: Role) -> None:
    """Raises Refused with the roles that would do, if the person has none of them."""
    if not membership.has(*roles):
        names = " or ".join(role.label.lower() for role in roles)
        raise Refused(f"This needs the role {names} in {membership.project.title}.")


def check_in_project(membership: Membership, project_id: UUID) -> None:
    """Raises Refused if what somebody is about to change is of another project than theirs."""
    if membership.project_id != project_id:
        raise Refused("This belongs to another project.")


def project_named(slug: str) -> Project:
    """For commands: the project, or Refused with the known names."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)) or "none"
        raise Refused(f"There is no project {slug!r}. Known projects: {known}.")
    return project


def person_named(username: str) -> User:
    """For commands: who signs in as ``username``, or Refused with how to add them."""
    found = User.objects.filter(username=username).first()
    if found is None:
        raise Refused(
            f"Nobody signs in as {username!r}. "
            f'Add them first: manage.py add_person {username} --name "Display Name".'
        )
    return found


def member_named(project: Project, username: str) -> Membership:
    """For commands: the active membership of ``username`` in ``project``, or Refused."""
    found = (
        Membership.objects.filter(project=project, user__username=username, active=True)
        .select_related("project", "user")
        .first()
    )
    if found is None:
        raise Refused(f"{username!r} is not an active member of {project.slug!r}.")
    return found


def reader_classes_named(project: Project, keys: Iterable[str]) -> list[ReaderClass]:
    """The reader classes with these keys, or Refused with the known ones."""
    wanted = set(keys)
    known = {one.key: one for one in ReaderClass.objects.filter(project=project).order_by("key")}
    if unknown := sorted(wanted - set(known)):
        raise Refused(
            f"No reader class {', '.join(unknown)} in {project.slug!r}. Known: {', '.join(known)}."
        )
    return [known[key] for key in sorted(wanted)]


def other_reviewers(membership: Membership) -> QuerySet[Membership]:
    """For a reviewer, the other reviewers of the project; for anybody else, nobody.

    What these add to the record would tell a reviewer how they answer.
    """
    if not membership.has(Role.REVIEWER):
        return Membership.objects.none()
    reviewers = Membership.objects.filter(
        project=membership.project_id, roles__contains=[Role.REVIEWER]
    )
    return reviewers.exclude(user=membership.user_id)


def people_of(membership: Membership) -> QuerySet[Membership]:
    """Everybody who takes or took part in the member's project, those who do first."""
    return (
        Membership.objects.filter(project=membership.project)
        .select_related("user")
        .prefetch_related("reader_classes")
        .order_by("-active", "user__display_name", "user__username")
    )


def member_for(membership: Membership, member_id: UUID) -> Membership:
    """One membership of the member's own project (Http404)."""
    found = people_of(membership).select_related("project").filter(pk=member_id).first()
    if found is None:
        raise Http404("no such member")
    return found
