"""Reading the corpus. ``visible_to`` is the one answer to "may this person read that"."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404

from adjudication.corpus.models import Clearance, Source, SourceVersion
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Project, ReaderClass


def cleared_for(classes: QuerySet[ReaderClass]) -> QuerySet[SourceVersion]:
    """Versions that a reader holding ``classes`` may inspect."""
    clearance = Clearance.objects.filter(version=OuterRef("pk"), reader_class__in=classes)
    return SourceVersion.objects.filter(Exists(clearance))


def visible_to(membership: Membership) -> QuerySet[SourceVersion]:
    """Versions of the project that this member's clearance lets them read."""
    versions = cleared_for(membership.reader_classes.all())
    return versions.filter(source__project=membership.project)


def version_for(membership: Membership, version_id: UUID) -> SourceVersion:
    """One visible version with its source; a hidden one is as missing (Http404)."""
    found = visible_to(membership).filter(pk=version_id).select_related("source").first()
    if found is None:
        raise Http404("no such source version")
    return found


def sources_of(membership: Membership) -> QuerySet[Source]:
    """Sources with at least one visible version, by title."""
    readable = visible_to(membership).filter(source=OuterRef("pk"))
    return (
        Source.objects.filter(project=membership.project)
        .filter(Exists(readable))
        .order_by("title", "id")
    )


def versions_in(project: Project) -> QuerySet[SourceVersion]:
    """Every version of a project, whoever may read it. For actions, never for pages."""
    return SourceVersion.objects.filter(source__project=project)


def reader_classes_named(project: Project, keys: Iterable[str]) -> list[ReaderClass]:
    """The reader classes with these keys, or Refused with the known ones."""
    wanted = set(keys)
    known = {one.key: one for one in ReaderClass.objects.filter(project=project).order_by("key")}
    if unknown := sorted(wanted - set(known)):
        raise Refused(
            f"No reader class {', '.join(unknown)} in {project.slug!r}. Known: {', '.join(known)}."
        )
    return [known[key] for key in sorted(wanted)]
