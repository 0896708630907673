"""Which imports a person may see: their own whole, of others' that there are."""

from __future__ import annotations

from uuid import UUID

from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.shortcuts import get_object_or_404
from django.urls import reverse

from adjudication.imports.models import Import, ImportProblem
from adjudication.imports.uploads import is_kept
from adjudication.projects.models import Membership, Role
from adjudication.projects.waiting import Waiting


def imports_of(membership: Membership) -> QuerySet[Import]:
    """The project's imports, newest first."""
    return Import.objects.filter(project=membership.project_id).select_related("by")


def own_import(membership: Membership, import_id: UUID) -> Import:
    """One of the person's own, with ``now`` by the database's clock; anybody else's is 404.

    Its problems quote the file, which others may not be cleared to read.
    """
    own = imports_of(membership).filter(by=membership.user_id).annotate(now=Now())
    return get_object_or_404(own.select_related("project"), pk=import_id)


def problems_of(one: Import, code: str = "") -> QuerySet[ImportProblem]:
    """In the order of the file; of one kind where named."""
    problems = one.problems.all()
    return problems.filter(code=code) if code else problems


def waits_for_another(one: Import) -> bool:
    """Whether another import into the project has to end first."""
    others = Import.objects.filter(
        project=one.project_id, state=Import.State.IMPORTING, token__isnull=False
    )
    return one.state == Import.State.IMPORTING and others.exclude(pk=one.pk).exists()


def may_try_again(one: Import) -> bool:
    return one.state == Import.State.FAILED and one.received == one.size and is_kept(one)


def half_sent(membership: Membership) -> QuerySet[Import]:
    """Files this person began to send."""
    mine = imports_of(membership).filter(by=membership.user_id, state=Import.State.RECEIVING)
    return mine.filter(received__lt=F("size"))


def home_counts(membership: Membership) -> tuple[Waiting, ...]:
    """For leads: files of theirs that were looked at and wait to be confirmed."""
    if not membership.has(Role.LEAD):
        return ()
    ready = imports_of(membership).filter(by=membership.user_id, state=Import.State.READY)
    keys = list(ready.values_list("pk", flat=True))
    slug = membership.project.slug
    if len(keys) == 1:
        url = reverse("import", args=[slug, keys[0]])
        return (Waiting("import to confirm or discard", 1, None, url, "Look at it"),)
    url = reverse("imports", args=[slug])
    label = "imports to confirm or discard"
    return (Waiting(label, len(keys), None, url, "Look at them"),) if keys else ()
