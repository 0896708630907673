"""Which test is in force."""

from __future__ import annotations

from django.db.models import QuerySet

from adjudication.corpus.models import SourceVersion
from adjudication.errors import Refused
from adjudication.projects.models import Project
from adjudication.specifications.models import Specification


def current(project: Project) -> Specification | None:
    """The newest frozen specification."""
    return (
        Specification.objects.filter(project=project, state=Specification.State.FROZEN)
        .order_by("-number")
        .first()
    )


def current_or_refuse(project: Project) -> Specification:
    """The newest frozen specification; Refused with what to do where there is none."""
    found = current(project)
    if found is None:
        raise Refused("Freeze a specification first: it says under which rules sets are judged.")
    return found


def eligible_versions(specification: Specification) -> QuerySet[SourceVersion]:
    """The versions inside the specification's evidence universe."""
    return SourceVersion.objects.filter(
        pk__in=specification.eligible.values("version")
    ).select_related("source")
