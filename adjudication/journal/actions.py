"""The one door into the journal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import models

from adjudication.journal.models import Entry, Exposure
from adjudication.statements import insert

if TYPE_CHECKING:
    from adjudication.accounts.models import User


def record(
    verb: str,
    subject: models.Model,
    *,
    actor: User | None,
    project_id: UUID | None,
    **detail: Any,
) -> None:
    """Write that ``actor`` did ``verb`` to ``subject``. Call it inside the action's transaction.

    ``detail`` must be JSON and must not hold evidence text or another person's answer:
    the journal is read by people who may not see either.
    """
    insert(
        Entry(
            verb=verb,
            object_kind=subject._meta.model_name or "",
            object_id=subject.pk,
            actor=actor,
            project_id=project_id,
            detail=detail,
        )
    )


def expose(
    person: User,
    subjects: Iterable[models.Model],
    side: Exposure.Side,
    *,
    project_id: UUID,
    place: str,
) -> None:
    """Record that ``person`` was shown ``side`` of ``subjects`` at ``place`` (once each)."""
    Exposure.objects.bulk_create(
        (
            Exposure(
                person=person,
                object_kind=subject._meta.model_name or "",
                object_id=subject.pk,
                side=side,
                project_id=project_id,
                place=place,
            )
            for subject in subjects
        ),
        ignore_conflicts=True,
    )
