from __future__ import annotations

import pytest
from django.test import Client

from adjudication.claims.models import Question
from adjudication.projects.models import Project, Role
from adjudication.runs.actions import start_run
from adjudication.runs.models import Attempt, Outcome, Run
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from adjudication.specifications.models import Specification
from tests.conftest import Cast, client_for
from tests.factories import add_member
from tests.kept import kept
from tests.runs.specified import freeze, make_film_study


@kept
def question(project: Project) -> Question:
    return make_film_study(project)


@kept
def specification(question: Question) -> Specification:
    return freeze(question.project)


@kept
def run(specification: Specification, question: Question) -> Run:
    return start_run(specification, [question], Configuration(), None)


@kept
def ended(run: Run) -> Outcome:
    work_on(Attempt.objects.get(run=run).pk)
    return Outcome.objects.get(run=run)


@pytest.fixture
def lead(cast: Cast) -> Client:
    return client_for(cast.lead)


@pytest.fixture
def judging_lead(project: Project, cast: Cast) -> Client:
    """A lead who reviews as well."""
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    return client_for(cast.lead)
