"""How one question ended: everything a run did for it, as far as one may read it."""

from __future__ import annotations

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from adjudication.claims.models import Question
from adjudication.corpus.models import Source
from adjudication.projects.models import Project, ReaderClass
from adjudication.runs.actions import claim_attempt, fail, start_run
from adjudication.runs.models import Attempt, Outcome, RecordedSearch, Run
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from tests.conftest import CommittedDatabase, client_for, make_cast
from tests.factories import make_project, make_question, make_version
from tests.integrity.scenes import changed
from tests.runs.browsing import address
from tests.runs.specified import BIRTHPLACE, BIRTHS, EARLIER, FILMS, freeze, make_film_study


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
        "whichever is earlier",
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


def test_link_is_quoted_with_its_sentence_and_value_marked(project: Project, lead: Client):
    """One reads a link where it stands: in its sentence, with what is around it."""
    far = "It was told and told again. " * 9
    make_version(project, f"Anna Berg\n{far}Anna Berg was born on 12 May 1901. She painted.")
    page = question_page(lead, project, "When was Anna Berg born?")
    marked = (
        "<mark>Anna Berg was born on </mark>"
        '<mark class="chosen">12 May 1901</mark><mark>.</mark> She painted.'
    )
    assert marked in page
    assert '<span class="cut">…</span>' in page
    assert page.count("It was told and told again.") == 4, "some context, not all of the passage"


def test_link_in_a_long_passage_leads_to_its_window(project: Project, lead: Client):
    """The source opens where the sentence stands, not at its begin."""
    text = f"Anna Berg\n{'It rained. ' * 3000}Anna Berg was born on 12 May 1901."
    version = make_version(project, text)
    page = question_page(lead, project, "When was Anna Berg born?")
    assert f'href="{address("version", project, version.pk)}?window=2"' in page


def test_damaged_passage_is_not_quoted(committed: CommittedDatabase):
    """Words that are not those that were captured never stand as evidence."""
    project = make_project("film-study")
    cast = make_cast(project)
    version = make_version(project, "Anna Berg\nAnna Berg was born on 12 May 1901.")
    asked = make_question(project, "When was Anna Berg born?")
    run = start_run(freeze(project), [asked], Configuration(), None)
    work_on(Attempt.objects.get(run=run).pk)
    page = address("run-question", project, 1, asked.pk)
    with changed(committed, "corpus_sourceversion", "text", "text || ' '", version.pk):
        damaged = client_for(cast.lead).get(page).content.decode()
    assert damaged.count("badge-damaged") == 2, "as a member and as a passage"
    assert "was born on" not in damaged


def test_lookups_are_paged(ended: Outcome, question: Question, lead: Client):
    """However often a run searched, a page stays short."""
    RecordedSearch.objects.bulk_create(
        RecordedSearch(
            attempt=ended.attempt,
            ordinal=n,
            requirement=2,
            query=f"lookup {n}?",
            binding=[n],
            round=1,
        )
        for n in range(100, 130)
    )
    url = address("run-question", question.project, 1, question.pk)
    first, second = (lead.get(f"{url}?searches={n}").content.decode() for n in (1, 2))
    assert "lookup 100?" in first
    assert "lookup 129?" not in first
    assert "lookup 129?" in second


def test_question_page_takes_a_fixed_number_of_queries(project: Project, lead: Client):
    """Passages are not asked for one by one."""

    def measure(question: Question) -> int:
        run = start_run(freeze(project), [question], Configuration(), None)
        work_on(Attempt.objects.get(run=run).pk)
        url = address("run-question", project, run.number, question.pk)
        lead.get(url)
        with CaptureQueriesContext(connection) as captured:
            assert lead.get(url).status_code == 200
        return len(captured)

    short = measure(make_film_study(project))
    make_film_study(project)
    for n in range(9):
        make_version(project, f"Film {n}\nFilm {n} is a 1931 film directed by Anna Berg.")
    assert measure(make_question(project, EARLIER)) == short


def question_page(lead: Client, project: Project, text: str) -> str:
    """The page of a question asked over what is in the project."""
    asked = make_question(project, text)
    run = start_run(freeze(project), [asked], Configuration(), None)
    work_on(Attempt.objects.get(run=run).pk)
    return lead.get(address("run-question", project, run.number, asked.pk)).content.decode()
