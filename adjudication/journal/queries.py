"""Reading the journal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Generic, TypeVar
from uuid import UUID

from django.apps import apps
from django.db.models import OuterRef, Q, QuerySet
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive

from adjudication.journal.models import Entry, Exposure
from adjudication.journal.rules import OPEN_KINDS

if TYPE_CHECKING:
    from adjudication.accounts.models import User

PAGE = 50
Row = TypeVar("Row", Entry, Exposure)  # both have a time and an id


def history(*, project_id: UUID, object_id: UUID | None = None) -> QuerySet[Entry]:
    """Entries of a project, newest first; of one object where named."""
    entries = Entry.objects.filter(project_id=project_id).select_related("actor")
    if object_id is not None:
        entries = entries.filter(object_id=object_id)
    return entries.order_by("-at", "-id")


def entries_for(reader: User, project_id: UUID, *, judges: bool) -> QuerySet[Entry]:
    """The entries of a project that ``reader`` may see.

    Who ``judges`` there must not learn from the journal what a machine or another person
    answered: of the closed kinds they see what they did themselves.
    """
    entries = history(project_id=project_id)
    return entries.filter(Q(object_kind__in=OPEN_KINDS) | Q(actor=reader)) if judges else entries


def exposures_for(reader: User, project_id: UUID, *, judges: bool) -> QuerySet[Exposure]:
    """Who was shown which hidden side; of whoever ``judges``, their own exposures only."""
    exposures = Exposure.objects.filter(project_id=project_id).select_related("person")
    return exposures.filter(person=reader) if judges else exposures


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of the journal ends: the next one begins just before this row."""

    at: datetime
    id: UUID

    @classmethod
    def parse(cls, text: str) -> Place:
        """Raises ValueError if ``text`` is not what ``str`` of a place gives."""
        moment, _, row = text.rpartition("_")
        at = parse_datetime(moment)
        if at is None or is_naive(at):
            raise ValueError("no moment with its zone")
        return cls(at, UUID(row))

    def __str__(self) -> str:
        return f"{self.at.isoformat()}_{self.id}"


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, newest first, and where the older ones begin."""

    rows: Sequence[Row]
    older: Place | None


def page_before(rows: QuerySet[Row], place: Place | None, size: int = PAGE) -> Page[Row]:
    """The ``size`` newest rows, or those just older than ``place``.

    By key and not by offset: page 1,000 costs what page 1 costs, and entries that arrive
    meanwhile shift nothing.
    """
    if place is not None:
        rows = rows.filter(Q(at__lt=place.at) | Q(id__lt=place.id), at__lte=place.at)
    found = list(rows.order_by("-at", "-id")[: size + 1])
    shown = found[:size]
    return Page(shown, Place(shown[-1].at, shown[-1].pk) if len(found) > size else None)


def kind_in_words(kind: str) -> str:
    """ "source version" for "sourceversion": the name that the model gives itself."""
    for model in apps.get_models():
        if model._meta.model_name == kind:
            return str(model._meta.verbose_name)
    return kind


def exposed_objects(person: User | UUID | OuterRef) -> QuerySet[Exposure, UUID]:
    """Ids of the objects whose hidden side ``person`` has been shown."""
    return Exposure.objects.filter(person=person).values_list("object_id", flat=True)


def exposed_to_any(people: Collection[UUID]) -> QuerySet[Exposure, UUID]:
    """Ids of the objects whose hidden side one of ``people`` has been shown."""
    return Exposure.objects.filter(person__in=people).values_list("object_id", flat=True)


def is_exposed(person: User, object_id: UUID) -> bool:
    return Exposure.objects.filter(person=person, object_id=object_id).exists()
