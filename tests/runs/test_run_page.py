"""The list of runs and the page of one: how far it is, and what it lists."""

from __future__ import annotations

import re

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from adjudication.claims.actions import open_claim
from adjudication.claims.models import Claim, Question
from adjudication.journal.models import Exposure
from adjudication.projects.models import Project
from adjudication.projects.queries import membership_for
from adjudication.runs.actions import claim_attempt, expose_outcomes, fail, finish, start_run
from adjudication.runs.gateway import Found, FromPassages
from adjudication.runs.models import Attempt, ReadAnswer, Run
from adjudication.runs.queries import failures, home_counts
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from adjudication.search.queries import corpus_of
from adjudication.specifications.models import Specification
from certify_core.pattern_reader import PatternReader
from certify_core.search import certify
from tests.conftest import Cast
from tests.factories import make_question
from tests.runs.asking import READER, asks
from tests.runs.browsing import address
from tests.runs.called import answered, failed, sent
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


def test_progress_ends_quietly(run: Run, lead: Client):
    """At the end polling stops and a link offers the rest: nothing takes the focus away."""
    fragment = address("run-progress", run.project, run.number)
    assert "hx-trigger" in lead.get(fragment).content.decode()
    work_on(Attempt.objects.get(run=run).pk)
    response = lead.get(fragment)
    assert "HX-Refresh" not in response.headers
    ended = response.content.decode()
    assert "hx-trigger" not in ended
    assert f'href="{address("run", run.project, run.number)}"' in ended
    assert "ended</span>" in ended, "the badge in the head of the page changes along"


def test_controls_follow_the_end_of_a_run(run: Run, lead: Client):
    """What cannot be done any more is not offered, and a retry is, without loading anew."""
    fragment = address("run-progress", run.project, run.number)
    assert "run-controls" not in lead.get(fragment).content.decode(), "no press is lost on the way"
    attempt = claim_attempt(Attempt.objects.get(run=run).pk)
    fail(attempt, "Endpoint down: it went away")
    ended = lead.get(fragment).content.decode()
    assert 'id="run-controls" hx-swap-oob="true"' in ended
    assert "Try 1 failed again" in ended
    assert "Pause" not in ended


def test_progress_is_read_aloud_once_a_quarter(
    specification: Specification, question: Question, lead: Client
):
    """A screen reader hears of progress, and not every two seconds."""
    questions = [question, *(make_question(specification.project, f"{n}?") for n in range(3))]
    run = start_run(specification, questions, Configuration(), None)
    fragment = address("run-progress", run.project, run.number)
    assert "run-said" not in lead.get(f"{fragment}?said=0").content.decode()
    work_on(Attempt.objects.filter(run=run).first().pk)
    later = lead.get(f"{fragment}?said=0").content.decode()
    assert '<p id="run-said" hx-swap-oob="innerHTML">1 of 4 questions ended.</p>' in later
    assert "?said=1" in later, "the next poll says what was said"
    assert "run-said" not in lead.get(f"{fragment}?said=1").content.decode()


def test_failures_are_counted_by_name(
    specification: Specification, question: Question, lead: Client
):
    """One sees that it is the endpoint, and not a hundred questions that went wrong."""
    questions = [question, *(make_question(specification.project, f"{n}?") for n in range(2))]
    run = start_run(specification, questions, Configuration(), None)
    errors = ["Endpoint down: 429", "Endpoint down: it hangs", "ValueError: no"]
    for attempt, error in zip(Attempt.objects.filter(run=run), errors, strict=True):
        fail(claim_attempt(attempt.pk), error)
    assert failures(run) == [("Endpoint down", 2), ("ValueError", 1)]
    page = lead.get(address("run", run.project, run.number)).content.decode()
    assert "questions: <bdi>Endpoint down</bdi>" in page


# --- Pause, resume, cancel, budget


def press(lead: Client, run: Run, name: str, **fields: object) -> str:
    """The page that a button leads to."""
    url = address(name, run.project, run.number)
    return lead.post(url, fields, follow=True).content.decode()


def test_run_is_paused_resumed_and_cancelled_by_buttons(run: Run, lead: Client):
    """Each says what it did; what cannot be taken back is asked first, without script."""
    page = lead.get(address("run", run.project, run.number)).content.decode()
    assert 'popovertarget="cancel"' in page
    assert "This cannot be taken back." in page
    paused = press(lead, run, "run-pause")
    assert "no other is begun" in paused
    assert "Resume" in paused
    assert "Pause</button>" in press(lead, run, "run-resume")
    cancelled = press(lead, run, "run-cancel")
    assert "1 waiting question ended with it" in cancelled
    assert 'popovertarget="cancel"' not in cancelled
    assert "Cancelled" in cancelled
    assert Attempt.objects.get(run=run).state == "cancelled"


def test_too_late_a_button_says_so(run: Run, lead: Client):
    """A page that is a minute old breaks nothing: the reason stands on the page anew."""
    work_on(Attempt.objects.get(run=run).pk)
    for name in ("run-pause", "run-cancel"):
        assert "has ended" in press(lead, run, name)


def test_cancelled_question_says_so(run: Run, question: Question, lead: Client):
    """Nobody waits for a question that will not end."""
    press(lead, run, "run-cancel")
    page = lead.get(address("run-question", run.project, 1, question.pk)).content.decode()
    assert "The run was cancelled before this question ended" in page


def test_budget_is_raised_and_never_lowered(
    specification: Specification, question: Question, lead: Client, settings: Settings
):
    """The error stands at the form, and nothing changes."""
    settings.READER = READER
    run = start_run(specification, [question], asks(budget_calls=10), None)
    assert "raise</a>" in lead.get(address("run", run.project, 1)).content.decode()
    page = press(lead, run, "run-budget", calls="9")
    assert "may buy 10 calls already" in page
    assert "Enter a whole number" in press(lead, run, "run-budget", calls="many")
    assert "Enter how much" in press(lead, run, "run-budget", calls="")
    assert "The budget is raised" in press(lead, run, "run-budget", calls="20")
    run.control.refresh_from_db()
    assert run.control.budget_calls == 20


# --- What was bought


def test_run_shows_what_was_bought_and_what_nobody_reported(
    specification: Specification, question: Question, lead: Client, settings: Settings
):
    """Calls bought, reused, failed and in doubt are four figures; no cost is not none."""
    settings.READER = READER
    run = start_run(specification, [question], asks(), None)
    attempt = claim_attempt(Attempt.objects.get(run=run).pk)
    answer = answered(sent(attempt, "one"), tokens=(None, None))
    sent(attempt, "one", reuses=answer)
    failed(sent(attempt, "two"), "no reply")
    sent(attempt, "three")
    fail(attempt, "Endpoint down: no reply")
    page = lead.get(address("run", run.project, 1)).content.decode()
    tally = dict(re.findall(r'<dt>([^<]+)</dt><dd><span class="figure">(\d+)</span>', page))
    assert {key: tally[key] for key in ("Calls bought", "Reused", "Calls failed", "In doubt")} == {
        "Calls bought": "1",
        "Reused": "1",
        "Calls failed": "1",
        "In doubt": "1",
    }
    unknown = dict(re.findall(r'<dt>([^<]+)</dt><dd><span class="unknown">([^<]+)<', page))
    assert unknown == {"Tokens": "not reported", "Cost": "not known"}


def test_offline_run_speaks_of_no_calls(run: Run, lead: Client):
    """Nothing is bought where no model is asked."""
    page = lead.get(address("run", run.project, run.number)).content.decode()
    assert "Calls of the model" not in page
    assert "no model is asked" in page


def test_answers_from_certificate_and_pool_stand_side_by_side(
    specification: Specification, question: Question, lead: Client, settings: Settings
):
    """What reading less buys: each context with its counts, undefined where nothing compares."""
    settings.READER = READER
    run = start_run(specification, [question], asks(), None)
    attempt = claim_attempt(Attempt.objects.get(run=run).pk)
    page = lead.get(address("run", run.project, 1)).content.decode()
    assert page.count("undefined: none could be compared") == 2
    offline = Configuration().policy
    found = certify(question.text, None, PatternReader(), corpus_of(specification), offline)
    answers = (
        FromPassages(ReadAnswer.Context.CERTIFICATE, 4, "Silent Fjord"),
        FromPassages(ReadAnswer.Context.POOL, 9, None),
    )
    open_claim(question, value="Silent Fjord", origin=Claim.Origin.REFERENCE, author=None)
    finish(attempt, Found(found, answers=answers))
    page = lead.get(address("run", run.project, 1)).content.decode()
    rows = re.findall(r"<tr><th scope=.row.>(The certificate|Everything).*?</tr>", page, re.S)
    assert rows == ["The certificate", "Everything"]
    assert "100.0 %" in page
    assert ">0.0 %<" in page
    assert "undefined: no twin has ended" in page


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
