"""Reading annotation versions."""

from __future__ import annotations

from django.db.models import QuerySet

from adjudication.projects.models import Project
from adjudication.releases.models import AnnotationVersion


def versions_of(project: Project) -> QuerySet[AnnotationVersion]:
    """Released versions, newest first."""
    return (
        AnnotationVersion.objects.filter(project=project)
        .select_related("specification", "released_by", "approved_by")
        .order_by("-number")
    )
