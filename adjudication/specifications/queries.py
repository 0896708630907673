"""Which test is in force, what a draft would freeze, and how two tests differ."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils import timezone

from adjudication.corpus.clearance import may_open, may_read_every
from adjudication.corpus.inventory import inventory_of
from adjudication.corpus.models import Source, SourceVersion
from adjudication.corpus.queries import versions_in
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.waiting import Waiting
from adjudication.specifications.models import Specification
from adjudication.specifications.rules import DiffRow, blank_settings, differences, in_words
from adjudication.statements import Statement


def current(project: Project) -> Specification | None:
    """The newest frozen specification."""
    return _CURRENT.first(project.pk)


_CURRENT = Statement(
    lambda project: Specification.objects.filter(
        project=project, state=Specification.State.FROZEN
    ).order_by("-number")[:1]
)


def current_or_refuse(project: Project) -> Specification:
    """The newest frozen specification; Refused with what to do where there is none."""
    found = current(project)
    if found is None:
        raise Refused("Freeze a specification first: it says under which rules sets are judged.")
    return found


def draft_of(project: Project) -> Specification | None:
    """The draft of the next specification, if one was started."""
    return Specification.objects.filter(project=project, state=Specification.State.DRAFT).first()


def draft_or_refuse(project: Project) -> Specification:
    found = draft_of(project)
    if found is None:
        raise Refused("There is no draft of a specification. Start one first.")
    return found


def specifications_of(membership: Membership) -> QuerySet[Specification]:
    """Every specification of the member's project, newest first."""
    return (
        Specification.objects.filter(project=membership.project)
        .select_related("frozen_by")
        .order_by("-number")
    )


def frozen_for(membership: Membership, number: int) -> Specification:
    """The frozen specification ``number`` of the member's project (Http404)."""
    frozen = specifications_of(membership).filter(state=Specification.State.FROZEN)
    found = frozen.filter(number=number).first()
    if found is None:
        raise Http404("no such specification")
    return found


def previous(specification: Specification) -> Specification | None:
    """The specification that this one began as a copy of."""
    return Specification.objects.filter(
        project=specification.project_id, number=specification.number - 1
    ).first()


# --- The evidence universe -------------------------------------------------------------------


def eligible_versions(specification: Specification) -> QuerySet[SourceVersion]:
    """The versions inside the specification's evidence universe."""
    return SourceVersion.objects.filter(
        pk__in=specification.eligible.values("version")
    ).select_related("source")


def sees_digests(membership: Membership, specification: Specification) -> bool:
    """Whether this member may see digests that cover the corpus of ``specification``.

    Who lacks a few words of it, and has the rest, could guess them from such a digest.
    """
    held = membership.reader_classes.all()
    return may_read_every(held, eligible_versions(specification))


def eligible_now(draft: Specification) -> QuerySet[SourceVersion]:
    """The versions that freezing ``draft`` now would take in, by its origins and its cutoff."""
    gone = Q(invalidation__at__lte=draft.observation_cutoff)
    observed = versions_in(draft.project).filter(observed_at__lte=draft.observation_cutoff)
    if draft.origins:
        observed = observed.filter(source__origin__in=draft.origins)
    return observed.exclude(gone)


def origins_in(project: Project) -> dict[str, int]:
    """Where the sources of a project come from, by name, each with how many there are."""
    counted = Source.objects.filter(project=project).values_list("origin").annotate(Count("pk"))
    return dict(counted.order_by("origin"))


def corpus_digest(specification: Specification) -> str:
    """The digest of the specification's evidence universe (see ``inventory_of``)."""
    return inventory_of(eligible_versions(specification)).sha256


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the project a specification takes in."""

    versions: int
    sources: int
    outside: int
    questions: int


def coverage(draft: Specification) -> Coverage:
    """Counts of what ``draft`` would freeze now; ``outside`` are versions it leaves out."""
    inside = eligible_now(draft)
    versions = inside.count()
    return Coverage(
        versions=versions,
        sources=inside.values("source").distinct().count(),
        outside=versions_in(draft.project).count() - versions,
        questions=draft.project.questions.count(),
    )


# --- Before freezing -------------------------------------------------------------------------


def what_is_missing(specification: Specification) -> list[str]:
    """Plain sentences on what keeps the draft from being frozen; empty when nothing does."""
    missing = [
        f"“{label}” is empty: say it in a sentence." for label in blank_settings(specification)
    ]
    if not specification.reader_classes.exists():
        missing.append("No reader class is chosen: a test is read by somebody.")
    if specification.observation_cutoff > timezone.now():
        missing.append(
            "The observation cutoff lies in the future: nobody knows yet what it takes in."
        )
    elif not eligible_now(specification).exists():
        missing.append(_why_nothing(specification))
    missing += _unknown_origins(specification)
    return missing


def _why_nothing(specification: Specification) -> str:
    whose = " from the chosen origins" if specification.origins else ""
    return (
        f"No source version{whose} was observed by the cutoff: import sources, or move the cutoff."
    )


def _unknown_origins(specification: Specification) -> list[str]:
    if not specification.origins:
        return []
    unknown = sorted(set(specification.origins) - origins_in(specification.project).keys())
    return [f"No source comes from “{origin}”: import some, or leave it out." for origin in unknown]


def what_to_know(specification: Specification) -> list[str]:
    """Plain sentences on what is worth a second look; none of them keeps from freezing."""
    counts = coverage(specification)
    able = specification.project.memberships.filter(
        active=True, roles__contains=[Role.REVIEWER]
    ).count()
    notes = []
    if counts.outside:
        notes.append(
            f"{counts.outside} source version{pluralize(counts.outside, ' stays,s stay')} outside: "
            "of other origins, observed after the cutoff, or invalidated by then."
        )
    notes += [
        f"{closed} of the {counts.versions} eligible version{pluralize(counts.versions)} cannot "
        f"be read by {title}: what rests on them will count as blocked there."
        for title, closed in _closed_to(specification)
    ]
    if not counts.questions:
        notes.append("The project has no question yet, so a run would have nothing to do.")
    if not specification.rules.exists():
        notes.append(
            "No inference rule is permitted: every claim must stand in a single statement."
        )
    needed = specification.reviewers_per_item
    if able < needed:
        notes.append(
            f"Each item needs {needed} reviewer{pluralize(needed)}, and the project has {able}."
        )
    if specification.shows_proposer or specification.shows_machine:
        notes.append(
            "Reviewers are shown more than the evidence before their seal, so their judgements "
            "are not independent of it."
        )
    return notes


def _closed_to(specification: Specification) -> list[tuple[str, int]]:
    """Each reader class of the draft that cannot open some eligible versions, and how many."""
    inside = eligible_now(specification)
    counted = [
        (one.title, inside.filter(~may_open([one])).count())
        for one in specification.reader_classes.order_by("title")
    ]
    return [(title, closed) for title, closed in counted if closed]


def diff(before: Specification, after: Specification) -> tuple[DiffRow, ...]:
    """What changed from one specification to the next, in words, unchanged settings left out."""
    return tuple(differences(_with_corpus(before), _with_corpus(after)))


def _with_corpus(specification: Specification) -> dict[str, str]:
    if specification.state == Specification.State.FROZEN:
        counted = specification.eligible.count()
    else:
        counted = eligible_now(specification).count()
    return {**in_words(specification), "Eligible versions": str(counted)}


def home_counts(membership: Membership) -> tuple[Waiting, ...]:
    """For leads: a draft that is not frozen yet."""
    draft = draft_of(membership.project) if membership.has(Role.LEAD) else None
    if draft is None:
        return ()
    url = reverse("specification-draft", args=[membership.project.slug])
    label = f"draft of specification {draft.number}, not frozen"
    return (Waiting(label, 1, None, url, "Go on with it"),)
