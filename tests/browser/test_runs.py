"""Runs by keyboard, without script, and while they move."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect

from adjudication.projects.models import Project
from adjudication.runs.actions import start_run
from adjudication.runs.models import Attempt, Outcome, ReadAnswer, Run
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from tests.browser.conftest import SignIn
from tests.conftest import CommittedDatabase, make_cast
from tests.factories import PASSWORD, make_project, make_question
from tests.runs.asking import READER
from tests.runs.specified import freeze, make_film_study


@pytest.fixture
def film_study(committed: CommittedDatabase) -> Project:
    project = make_project("film-study")
    make_cast(project)
    make_film_study(project)
    make_question(project, "Who painted it?")
    freeze(project)
    return project


@pytest.fixture
def plain(browser: Browser, site: str) -> Iterator[Page]:
    """A browser without script, in which the lead has signed in."""
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/sign-in/")
    page.locator("[name=username]").fill("lena")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    yield page
    context.close()


def test_run_is_chosen_estimated_started_and_cancelled_without_script(
    film_study: Project, plain: Page, monkeypatch: pytest.MonkeyPatch
):
    """Every step is a form post, also looking for questions and asking what they cost."""
    monkeypatch.setattr(settings, "READER", READER)
    plain.goto("/p/film-study/runs/new/")
    plain.get_by_label("Find questions to tick").fill("painted")
    plain.get_by_role("button", name="Find").click()
    plain.get_by_label("Who painted it?").check()
    plain.get_by_label("Model small").check()
    plain.get_by_role("button", name="Show the estimate").click()
    expect(plain.locator("#estimate dd").first).to_have_text("1")
    expect(plain.get_by_label("Who painted it?")).to_be_checked()
    plain.get_by_role("button", name="Start the run").click()
    expect(plain.locator("h1")).to_have_text("Run 1")
    expect(plain.get_by_role("link", name="Load this page again")).to_be_visible()
    plain.get_by_role("button", name="Pause").click()
    expect(plain.locator("#run-state")).to_contain_text("paused")
    plain.get_by_role("button", name="Resume").click()
    plain.get_by_role("button", name="Cancel …").press("Enter")
    plain.get_by_role("button", name="Cancel the run for good").press("Enter")
    expect(plain.locator("#run-state")).to_contain_text("cancelled")


@pytest.mark.slow
def test_run_moves_without_taking_the_focus(film_study: Project, sign_in: SignIn):
    """Who reads or types while a run moves stays where they are, to its end and beyond."""
    specification = film_study.specifications.get()
    questions = list(film_study.questions.all())
    run = start_run(specification, questions, Configuration(), None)
    lena = sign_in("lena")
    lena.goto(f"/p/film-study/runs/{run.number}/")
    link = lena.get_by_role("link", name="Who painted it?")
    link.focus()
    lena.evaluate("document.querySelector('h1').dataset.here = 'yes'")
    for count, attempt in enumerate(Attempt.objects.filter(run=run), start=1):
        work_on(attempt.pk)
        expect(lena.locator("#progress")).to_contain_text(f"{count} of 2", timeout=20_000)
    expect(lena.locator("#run-state")).to_contain_text("ended")
    expect(lena.locator("#run-said")).to_contain_text("The run has ended.")
    expect(link).to_be_focused()
    assert lena.evaluate("document.querySelector('h1').dataset.here") == "yes", "not loaded anew"
    lena.get_by_role("link", name="Show its questions as they ended").click()
    expect(lena.locator("main")).to_contain_text("certified")
    assert Run.objects.count() == 1


def test_facts_of_a_certificate_can_be_read_on_a_narrow_screen(
    film_study: Project, sign_in: SignIn
):
    """A long term leaves its value more than the width of a letter."""
    question = film_study.questions.exclude(text="Who painted it?").get()
    run = start_run(film_study.specifications.get(), [question], Configuration(), None)
    work_on(Attempt.objects.get(run=run).pk)
    outcome = Outcome.objects.get()
    for context in ReadAnswer.Context:
        ReadAnswer.objects.create(outcome=outcome, context=context, passages=4, text="The fjord")
    lena = sign_in("lena")
    lena.set_viewport_size({"width": 360, "height": 800})
    lena.goto(f"/p/film-study/runs/{run.number}/questions/{question.pk}/")
    width = lena.locator(".answer dd").last.evaluate("dd => dd.getBoundingClientRect().width")
    assert width > 120


def test_estimate_follows_what_is_chosen(
    film_study: Project, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
):
    """It is there before anything starts, and leaves alone what is being typed."""
    monkeypatch.setattr(settings, "READER", READER)
    lena = sign_in("lena")
    lena.goto("/p/film-study/runs/new/")
    lena.get_by_label("Model small").check()
    expect(lena.locator("#estimate")).to_contain_text("Calls", timeout=20_000)
    lena.get_by_label("The first …").check()
    first = lena.get_by_label("How many")
    first.press_sequentially("1")
    expect(lena.locator("#estimate dd").first).to_have_text("1", timeout=20_000)
    expect(first).to_be_focused()
