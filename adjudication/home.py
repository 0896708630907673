"""The first page after signing in, and the first page of a project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_safe

from adjudication.accounts.models import User
from adjudication.claims import queries as claims
from adjudication.corpus.queries import versions_in
from adjudication.imports import queries as imports
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.queries import memberships_of
from adjudication.projects.waiting import Waiting
from adjudication.releases import queries as releases
from adjudication.review import queries as review
from adjudication.review.models import Item
from adjudication.runs import queries as runs
from adjudication.runs.models import Run
from adjudication.specifications import queries as specifications
from adjudication.specifications.rules import REVIEWERS


@require_safe
def projects(request: HttpRequest) -> HttpResponse:
    """The projects this person takes part in."""
    cards = [
        {
            "title": membership.project.title,
            "url": reverse("project-home", args=[membership.project.slug]),
            "text": membership.project.description,
            "facts": [{"term": "My roles", "value": ", ".join(membership.roles)}],
        }
        for membership in memberships_of(cast(User, request.user))
    ]
    return render(request, "projects/list.html", {"cards": cards})


@require_safe
@member_page()
def project_home(request: MemberRequest, membership: Membership) -> HttpResponse:
    """What waits for this person here; for leads of a new project, the way to a release."""
    steps = steps_of(membership.project) if membership.has(Role.LEAD) else []
    context = {
        "waiting": waiting_for(membership),
        "steps": steps if not all(step.done for step in steps) else [],
        "next_step": next((step for step in steps if not step.done), None),
        "current": specifications.current(membership.project),
        "cleared": membership.reader_classes.order_by("title"),
    }
    return render(request, "projects/home.html", context)


def waiting_for(membership: Membership) -> list[Waiting]:
    """The inbox of one member, in the order of the work."""
    return [
        *imports.home_counts(membership),
        *specifications.home_counts(membership),
        *runs.home_counts(membership),
        *claims.home_counts(membership),
        *review.home_counts(membership),
        *releases.home_counts(membership),
    ]


@dataclass(frozen=True, slots=True)
class Step:
    """One step from an empty project to its first release."""

    title: str
    text: str
    done: bool
    url: str
    action: str


def steps_of(project: Project) -> list[Step]:
    """The way from import to release. None of it depends on what anybody answered."""
    return [
        Step(
            "Import sources and questions",
            "Passages become versioned sources, and questions bring claims and reference sets.",
            versions_in(project).exists() and project.questions.exists(),
            reverse("sources", args=[project.slug]),
            "Go to the corpus",
        ),
        _people_step(project),
        Step(
            "Freeze a specification",
            "It fixes which versions count, and by which rules sets are judged.",
            specifications.current(project) is not None,
            reverse("specifications", args=[project.slug]),
            "Go to the specification",
        ),
        Step(
            "Certify the questions",
            "A run proposes evidence sets, or abstains and names what is missing.",
            Run.objects.filter(project=project).exists(),
            reverse("runs", args=[project.slug]),
            "Go to runs",
        ),
        Step(
            "Open the sets for review",
            "Reviewers judge each one alone; where they disagree, an adjudicator decides.",
            Item.objects.filter(project=project).exists(),
            reverse("review", args=[project.slug]),
            "Go to review",
        ),
        Step(
            "Release annotation version 1",
            "A second person approves it; then its bytes never change.",
            releases.versions_of(project).exists(),
            reverse("releases", args=[project.slug]),
            "Go to releases",
        ),
    ]


def _people_step(project: Project) -> Step:
    people = project.memberships.filter(active=True)
    reviewers = people.filter(roles__contains=[Role.REVIEWER]).count()
    adjudicators = people.filter(roles__contains=[Role.ADJUDICATOR]).count()
    test = specifications.current(project)
    needed = test.reviewers_per_item if test else REVIEWERS
    return Step(
        "Add people",
        f"Each set needs {needed} reviewer{pluralize(needed)}, and disagreements need an "
        f"adjudicator. Taking part: {reviewers} who review, {adjudicators} who adjudicate.",
        reviewers >= needed and adjudicators >= 1,
        reverse("people", args=[project.slug]),
        "Go to people",
    )
