"""Pages of runs: who may see them, what they show, and what seeing costs."""

from __future__ import annotations

import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from adjudication.claims.models import Question
from adjudication.corpus.models import Source
from adjudication.journal.models import Exposure
from adjudication.journal.queries import is_exposed
from adjudication.projects.models import Project, Role
from adjudication.projects.queries import membership_for
from adjudication.runs.actions import claim_attempt, expose_outcomes, fail, start_run
from adjudication.runs.models import Attempt, Outcome, Run
from adjudication.runs.queries import home_counts
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from adjudication.specifications.models import Specification
from tests.conftest import Cast, client_for
from tests.factories import (
    add_member,
    make_evidence_set,
    make_project,
    make_question,
    make_version,
)
from tests.runs.specified import BIRTHPLACE, BIRTHS, FILMS, freeze, make_film_study


@pytest.fixture
def question(project: Project) -> Question:
    return make_film_study(project)


@pytest.fixture
def specification(question: Question) -> Specification:
    return freeze(question.project)


@pytest.fixture
def run(specification: Specification, question: Question) -> Run:
    return start_run(specification, [question], Configuration(), None)


@pytest.fixture
def ended(run: Run) -> Outcome:
    work_on(Attempt.objects.get(run=run).pk)
    return Outcome.objects.get(run=run)


@pytest.fixture
def lead(cast: Cast) -> Client:
    return client_for(cast.lead)


def address(name: str, project: Project, *args: object) -> str:
    return reverse(name, args=[project.slug, *args])


def pages(run: Run, question: Question) -> list[str]:
    return [
        address("runs", run.project),
        address("run", run.project, run.number),
        address("run-progress", run.project, run.number),
        address("run-question", run.project, run.number, question.pk),
    ]


# --- Who may see what


def test_runs_are_open_to_leads_and_auditors_alone(
    run: Run, ended: Outcome, question: Question, cast: Cast
):
    """Machine verdicts are a hidden side: reviewers never get here, strangers see no project."""
    expected = {
        cast.lead: 200,
        cast.auditor: 200,
        cast.rosa: 403,
        cast.adjudicator: 403,
        cast.reader: 403,
        cast.stranger: 404,
    }
    of_all, *of_one = pages(run, question)
    for person, status in expected.items():
        assert client_for(person).get(of_all).status_code == status, person
    # What one run found is open to auditors after the release: tests/releases/test_access.py.
    for page in of_one:
        for person, status in (expected | {cast.auditor: 403}).items():
            assert client_for(person).get(page).status_code == status, (page, person)


def test_starting_and_retrying_need_a_lead(run: Run, cast: Cast):
    """An auditor changes nothing."""
    auditor = client_for(cast.auditor)
    assert auditor.get(address("run-new", run.project)).status_code == 403
    assert auditor.post(address("run-new", run.project)).status_code == 403
    assert auditor.post(address("run-retry", run.project, run.number)).status_code == 403


def test_unknown_run_or_question_is_missing(run: Run, question: Question, lead: Client):
    """A bad address is a 404, also a question or run of another project."""
    project = run.project
    foreign = make_question(make_project())
    for page in (
        address("run", project, 99),
        address("run-progress", project, 99),
        address("run-question", project, 1, uuid.uuid4()),
        address("run-question", project, 1, foreign.pk),
        address("run-question", project, 99, question.pk),
    ):
        assert lead.get(page).status_code == 404


def test_wrong_method_is_refused(run: Run, lead: Client):
    """Reading pages take no post; retrying is a post."""
    assert lead.post(address("runs", run.project)).status_code == 405
    assert lead.post(address("run", run.project, 1)).status_code == 405
    assert lead.get(address("run-retry", run.project, 1)).status_code == 405


# --- Starting


def start(lead: Client, project: Project, **fields: object) -> object:
    data = {"key": uuid.uuid4(), "which": "all", "check": "anchor"} | fields
    return lead.post(address("run-new", project), data)


def test_new_run_counts_questions_honestly(
    specification: Specification, ended: Outcome, lead: Client
):
    """The choice says how many questions each option means."""
    make_question(specification.project, "Another?")
    page = lead.get(address("run-new", specification.project)).content.decode()
    assert "All 2" in page
    assert "The 1 without an outcome" in page


@pytest.mark.parametrize(("which", "first", "count"), [("all", "", 3), ("first", 2, 2)])
def test_new_run_asks_the_chosen_questions(
    specification: Specification, lead: Client, which: str, first: object, count: int
):
    """All of them, or the first ones."""
    make_question(specification.project, "Two?")
    make_question(specification.project, "Three?")
    response = start(lead, specification.project, which=which, first=first)
    assert response.url == address("run", specification.project, 1)
    assert Attempt.objects.count() == count


def test_new_run_over_the_remaining_questions_leaves_ended_ones(
    specification: Specification, ended: Outcome, lead: Client
):
    """A second run can go on where the first one stopped."""
    other = make_question(specification.project, "Another?")
    start(lead, specification.project, which="remaining")
    assert [a.question for a in Attempt.objects.filter(run__number=2)] == [other]


def test_starting_twice_with_one_form_starts_one_run(specification: Specification, lead: Client):
    """A double click is harmless."""
    key = uuid.uuid4()
    one = start(lead, specification.project, key=key)
    two = start(lead, specification.project, key=key)
    assert one.url == two.url
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    "fields", [{"which": "first"}, {"which": "no"}, {"check": "no"}, {"key": "x"}, {"first": 0}]
)
def test_new_run_with_a_bad_choice_is_refused_at_the_form(
    specification: Specification, lead: Client, fields: dict[str, object]
):
    """Nothing starts, and the form says what is wrong."""
    response = start(lead, specification.project, **fields)
    assert response.status_code == 422
    assert not Run.objects.exists()


def test_new_run_without_a_specification_is_refused(project: Project, lead: Client):
    """A run needs a frozen corpus."""
    assert lead.get(address("run-new", project)).status_code == 403


# --- A run


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


def test_lists_take_a_fixed_number_of_queries(
    project: Project, lead: Client, django_assert_num_queries
):
    """Neither list slows down with what it holds."""
    questions = [make_film_study(project)] + [make_question(project, f"{n}?") for n in range(2)]
    specification = freeze(project)

    def measure(page: str) -> int:
        lead.get(page)
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

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


def test_failed_question_shows_its_error(run: Run, question: Question, lead: Client):
    """A failure is readable where one looks for the outcome."""
    attempt = claim_attempt(Attempt.objects.get(run=run).pk)
    assert attempt
    fail(attempt, "ValueError: <b>no</b>")
    page = lead.get(address("run-question", run.project, 1, question.pk)).content.decode()
    assert "ValueError: &lt;b&gt;no&lt;/b&gt;" in page


# --- A question


def test_certificate_page_shows_answer_steps_links_and_searches(
    ended: Outcome, question: Question, lead: Client
):
    """The whole way from the question to its answer can be audited on one page."""
    page = lead.get(address("run-question", question.project, 1, question.pk)).content.decode()
    for expected in (
        "Silent Fjord",
        "When was Anna Berg born?",
        "select-earlier",
        "from step",
        "anchored",
        "the requirement names",
        "in 1 round",
    ):
        assert expected in page, expected
    for text in (*FILMS, *BIRTHS):
        assert text.split("\n")[1] in page
    assert "of this source exists" not in page
    source = Source.objects.get(title=FILMS[0].split("\n")[0])
    make_version(question.project, f"{FILMS[0]} Again.", key=source.key)
    page = lead.get(address("run-question", question.project, 1, question.pk)).content.decode()
    assert "Version 2 of this source exists" in page


def test_picture_joins_what_is_needed_together(ended: Outcome, question: Question, lead: Client):
    """The comparison's two operands and every second hop are joined; nothing is open."""
    page = lead.get(address("run-question", question.project, 1, question.pk)).content.decode()
    assert page.count('class="joint"') == 3
    assert page.count('class="box step answered"') == 5
    assert "box step open" not in page
    assert "Step 2, When was Anna Berg born? 12 May 1901, from step 1 and “Anna Berg”." in page
    assert "style=" not in page


def test_abstention_page_names_open_and_blocked_steps(project: Project, lead: Client):
    """What is missing is said in words and drawn hollow."""
    asked = make_film_study(project, [FILMS[0], FILMS[1], BIRTHS[0]])
    run = start_run(freeze(project), [asked], Configuration(), None)
    work_on(Attempt.objects.get(run=run).pk)
    page = lead.get(address("run-question", project, 1, asked.pk)).content.decode()
    assert "When was Carl Holm born?" in page
    assert "1 further step waits for this" in page
    assert "box step open" in page
    assert "box step blocked" in page


def test_question_without_a_plan_says_so(project: Project, lead: Client):
    """No picture, no empty lists: a sentence."""
    make_film_study(project)
    asked = make_question(project, "What does it all mean?")
    run = start_run(freeze(project), [asked], Configuration(), None)
    work_on(Attempt.objects.get(run=run).pk)
    page = lead.get(address("run-question", project, 1, asked.pk)).content.decode()
    assert "no plan" in page
    assert '<svg class="derivation-picture"' not in page


def test_passages_without_clearance_are_not_shown(project: Project, lead: Client):
    """A lead who may not read a passage learns neither its words nor what follows from it."""
    from tests.factories import ReaderClass

    ReaderClass.objects.create(project=project, key="legal", title="Legal")
    for text in FILMS:
        make_version(project, text)
    for text in BIRTHS:
        make_version(project, text, reader_classes=["legal"])
    asked = make_question(project, BIRTHPLACE)
    run = start_run(freeze(project), [asked], Configuration(), None)
    work_on(Attempt.objects.get(run=run).pk)
    assert Outcome.objects.get().kind == Outcome.Kind.CERTIFICATE
    page = lead.get(address("run-question", project, 1, asked.pk)).content.decode()
    assert "not cleared to read" in page
    assert "Ghent" not in page
    assert "Anna Berg" not in page


# --- What seeing costs


def test_lead_who_looks_is_recorded_as_exposed(
    ended: Outcome, question: Question, cast: Cast, lead: Client
):
    """A lead may look at once; the journal keeps that they did."""
    lead.get(address("run-question", question.project, 1, question.pk))
    assert is_exposed(cast.lead, ended.evidence_set_id)
    exposure = Exposure.objects.get(object_id=ended.evidence_set_id)
    assert (exposure.side, exposure.place) == ("machine-verdict", "run 1")
    assert is_exposed(cast.lead, ended.claim_id), "its later sets are concerned as well"


def test_list_of_outcomes_is_an_exposure_too(
    ended: Outcome, question: Question, cast: Cast, lead: Client
):
    """The word "certified" beside a question is the machine's verdict."""
    lead.get(address("run", question.project, 1))
    assert is_exposed(cast.lead, ended.evidence_set_id)


@pytest.fixture
def judging_lead(project: Project, cast: Cast) -> Client:
    """A lead who reviews as well."""
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    return client_for(cast.lead)


def test_judging_lead_is_asked_before_seeing_an_outcome(
    ended: Outcome, question: Question, cast: Cast, judging_lead: Client
):
    """Looking costs the item; nobody pays by accident."""
    page = address("run-question", question.project, 1, question.pk)
    asked = judging_lead.get(page).content.decode()
    assert "Before you look" in asked
    for hidden in ("Silent Fjord is a 1933", "Ghent", "certified", "anchored"):
        assert hidden not in asked
    assert not is_exposed(cast.lead, ended.evidence_set_id)
    assert judging_lead.post(page).url == page
    assert is_exposed(cast.lead, ended.evidence_set_id)
    assert "Certified answer" in judging_lead.get(page).content.decode()


def test_judging_lead_sees_no_outcome_in_the_list(
    ended: Outcome, question: Question, cast: Cast, judging_lead: Client
):
    """Neither state, cause nor filter tells how a question ended."""
    page = judging_lead.get(address("run", question.project, 1))
    assert "hidden from you" in page.content.decode()
    assert "badge-certified" not in page.content.decode()
    filtered = judging_lead.get(address("run", question.project, 1) + "?state=abstained")
    assert question.text in filtered.content.decode()
    assert not is_exposed(cast.lead, ended.evidence_set_id)


def test_judging_lead_sees_no_count_of_outcomes(
    ended: Outcome, question: Question, judging_lead: Client
):
    """Of a run over one question, a count is its outcome: only how many ended is shown."""
    for page in pages(ended.run, question)[:3]:
        shown = judging_lead.get(page).content.decode()
        for telling in ("Certificates", "Abstentions", "reference answer", "abstained"):
            assert telling not in shown, page
    assert (
        "questions ended" in judging_lead.get(address("run", question.project, 1)).content.decode()
    )


def test_sets_proposed_after_looking_are_exposed_on_the_next_look(
    ended: Outcome, question: Question, cast: Cast, lead: Client
):
    """What is known of a question reaches its later sets as well."""
    page = address("run-question", question.project, 1, question.pk)
    lead.get(page)
    later = make_evidence_set(ended.claim)
    lead.get(page)
    assert is_exposed(cast.lead, later.pk)


# --- Other apps' questions


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
