"""How one question ended: everything a run did for it, as far as one may read it."""

from __future__ import annotations

from django.test import Client

from adjudication.claims.models import Question
from adjudication.corpus.models import Source
from adjudication.projects.models import Project, ReaderClass
from adjudication.runs.actions import claim_attempt, fail, start_run
from adjudication.runs.models import Attempt, Outcome, Run
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from tests.factories import make_question, make_version
from tests.runs.browsing import address
from tests.runs.specified import BIRTHPLACE, BIRTHS, FILMS, freeze, make_film_study


def test_failed_question_shows_its_error(run: Run, question: Question, lead: Client):
    """A failure is readable where one looks for the outcome."""
    attempt = claim_attempt(Attempt.objects.get(run=run).pk)
    assert attempt
    fail(attempt, "ValueError: <b>no</b>")
    page = lead.get(address("run-question", run.project, 1, question.pk)).content.decode()
    assert "ValueError: &lt;b&gt;no&lt;/b&gt;" in page


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
