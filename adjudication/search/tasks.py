"""What a worker does when somebody waits for a large index."""

from __future__ import annotations

from uuid import UUID

from adjudication import celery_app
from adjudication.projects.models import Membership
from adjudication.search.actions import TASK, build
from adjudication.search.queries import Shelf
from adjudication.specifications.models import Specification


@celery_app.task(name=TASK)
def build_index(membership_id: str, specification_id: str | None) -> None:
    """Build what this member searches, as they may read it now."""
    membership = Membership.objects.select_related("project", "user").get(pk=UUID(membership_id))
    under = UUID(specification_id) if specification_id else None
    specification = Specification.objects.get(pk=under) if under else None
    build(Shelf(membership, specification))
