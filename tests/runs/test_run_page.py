"""The list of runs and the page of one: how far it is, and what it lists."""

from __future__ import annotations

import re

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from adjudication.claims.models import Question
from adjudication.journal.models import Exposure
from adjudication.projects.models import Project
from adjudication.projects.queries import membership_for
from adjudication.runs.actions import claim_attempt, expose_outcomes, fail, start_run
from adjudication.runs.models import Attempt, Run
from adjudication.runs.queries import home_counts
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from tests.conftest import Cast
from tests.factories import make_question
from tests.runs.browsing import address
from tests.runs.specified import freeze, make_film_study


def test_run_page_polls_only_while_unfinished(run: Run, question: Question, lead: Client):
    """Live while it moves, still afterwards; without script a reload shows the same."""
    page = address("run", run.project, run.number)
    assert 'hx-trigger="every 2s"' in lead.get(page).content.decode()
    work_on(Attempt.objects.get(run=run).pk)
    done = lead.get(page).content.decode()
    assert "hx-trigger" not in done
    assert re.search(
        r'class="figure">1</span> of <span class="figure">1</span> questions ended', done
    )


def test_progress_asks_for_the_whole_page_once_the_run_has_ended(run: Run, lead: Client):
    """The table of outcomes is there when the last question ends."""
    fragment = address("run-progress", run.project, run.number)
    assert "HX-Refresh" not in lead.get(fragment).headers
    work_on(Attempt.objects.get(run=run).pk)
    assert lead.get(fragment).headers["HX-Refresh"] == "true"


def test_lists_take_a_fixed_number_of_queries(project: Project, lead: Client):
    """Neither list slows down with what it holds."""
    questions = [make_film_study(project)] + [make_question(project, f"{n}?") for n in range(2)]
    specification = freeze(project)

    def measure(page: str) -> int:
        lead.get(page)
        with CaptureQueriesContext(connection) as captured:
            assert lead.get(page).status_code == 200
        return len(captured)

    small = start_run(specification, questions[:1], Configuration(), None)
    for attempt in Attempt.objects.filter(run=small):
        work_on(attempt.pk)
    listed, shown = measure(address("runs", project)), measure(address("run", project, 1))
    for _ in range(2):
        run = start_run(specification, questions, Configuration(), None)
        for attempt in Attempt.objects.filter(run=run):
            work_on(attempt.pk)
    assert measure(address("runs", project)) == listed
    assert measure(address("run", project, 3)) == shown


def test_home_and_exposure_take_a_fixed_number_of_queries(
    project: Project, cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
):
    """Neither an inbox with many runs nor a page with many outcomes asks one by one."""
    questions = [make_question(project, f"{n}?") for n in range(3)]
    specification = freeze(project)
    for _ in range(3):
        start_run(specification, questions, Configuration(), None)
    lead = membership_for(cast.lead, project.slug)
    with django_assert_num_queries(1):
        assert [line.count for line in home_counts(lead)] == [3, 3, 3]
    with django_assert_num_queries(5):
        expose_outcomes(lead, [question.pk for question in questions], "run 1")
    assert Exposure.objects.filter(person=cast.lead).count() == 3


def test_retry_queues_failed_questions_once(run: Run, lead: Client):
    """A double click tries again once."""
    attempt = claim_attempt(Attempt.objects.get(run=run).pk)
    assert attempt
    fail(attempt, "ValueError: no")
    page = address("run", run.project, run.number)
    assert "Try 1 failed again" in lead.get(page).content.decode()
    for _ in range(2):
        assert lead.post(address("run-retry", run.project, run.number)).url == page
    assert Attempt.objects.filter(run=run).count() == 2


def test_home_tells_leads_of_runs_on_their_way_and_failures(run: Run, cast: Cast):
    """An inbox line with a fixed whole; nothing once all is well, nothing for others."""
    slug = run.project.slug
    (line,) = home_counts(membership_for(cast.lead, slug))
    assert (line.count, line.of, line.action) == (1, 1, "Watch")
    attempt = claim_attempt(Attempt.objects.get(run=run).pk)
    assert attempt
    fail(attempt, "ValueError: no")
    (line,) = home_counts(membership_for(cast.lead, slug))
    assert (line.count, line.of, line.action) == (1, 1, "Try again")
    assert home_counts(membership_for(cast.rosa, slug)) == ()
