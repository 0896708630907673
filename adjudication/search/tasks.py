"""What a worker does when somebody waits for a large index, or for vectors."""

from __future__ import annotations

from uuid import UUID

from adjudication import celery_app
from adjudication.projects.models import Membership
from adjudication.search import building, embedding
from adjudication.search.actions import TASK, build
from adjudication.search.queries import Shelf
from adjudication.specifications.models import Specification

_DAY = 24 * 3600


@celery_app.task(name=TASK)
def build_index(membership_id: str, specification_id: str | None) -> None:
    """Build what this member searches, as they may read it now."""
    membership = Membership.objects.select_related("project", "user").get(pk=UUID(membership_id))
    under = UUID(specification_id) if specification_id else None
    specification = Specification.objects.get(pk=under) if under else None
    build(Shelf(membership, specification))


# A message that comes again meanwhile finds the builder's lock taken, and does nothing.
@celery_app.task(name=embedding.TASK, time_limit=_DAY, soft_time_limit=_DAY)
def embed_corpus(specification_id: str, model: str) -> None:
    """Embed the texts of a specification that have no vector yet."""
    building.build(Specification.objects.get(pk=UUID(specification_id)), model)
