"""What rests on a version that is no longer the last word: it is to be checked again.

Nothing moves by itself. People look for the same words in the later version and propose anew
what they want to keep.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from adjudication.corpus.models import SourceVersion
from adjudication.statements import Statement


@dataclass(frozen=True, slots=True)
class Recheck:
    """Why what rests on a version is to be checked again.

    ``newest`` is the number of the newest version of its source, or 0 where the version itself
    is the newest; ``withdrawn_at`` and ``reason`` are those of its invalidation, if any. That
    a later version exists is told to whoever may read this one, whether or not they may read
    the later.
    """

    newest: int
    withdrawn_at: datetime | None
    reason: str


def rechecks(version_ids: Iterable[UUID]) -> dict[UUID, Recheck]:
    """Those of these versions on which nothing should rest unchecked, in one query."""
    return {
        pk: Recheck(newest if newest > number else 0, at, reason or "")
        for pk, number, newest, at, reason in _STALE(tuple(set(version_ids)))
    }


def _stale(versions: Collection[UUID]) -> QuerySet[Any, Any]:
    siblings = SourceVersion.objects.filter(source=OuterRef("source")).order_by("-number")
    return (
        SourceVersion.objects.filter(pk__in=versions)
        .annotate(newest=Subquery(siblings.values("number")[:1]))
        .filter(Q(newest__gt=F("number")) | Q(invalidation__isnull=False))
        .values_list("pk", "number", "newest", "invalidation__at", "invalidation__reason")
    )


_STALE = Statement(_stale)
