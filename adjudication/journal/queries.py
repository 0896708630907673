"""Reading the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import QuerySet

from adjudication.journal.models import Entry, Exposure

if TYPE_CHECKING:
    from adjudication.accounts.models import User


def history(*, project_id: UUID, object_id: UUID | None = None) -> QuerySet[Entry]:
    """Entries of a project, newest first; of one object where named."""
    entries = Entry.objects.filter(project_id=project_id).select_related("actor")
    if object_id is not None:
        entries = entries.filter(object_id=object_id)
    return entries.order_by("-at", "id")


def exposed_objects(person: User) -> QuerySet[Exposure, UUID]:
    """Ids of the objects whose hidden side ``person`` has been shown."""
    return Exposure.objects.filter(person=person).values_list("object_id", flat=True)


def is_exposed(person: User, object_id: UUID) -> bool:
    return Exposure.objects.filter(person=person, object_id=object_id).exists()
