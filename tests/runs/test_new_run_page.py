"""Starting a run: which questions, how, and what is refused."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from adjudication.claims.models import Question
from adjudication.errors import Refused
from adjudication.projects.models import Project
from adjudication.runs.actions import start_run
from adjudication.runs.models import Attempt, Outcome, Run
from adjudication.runs.rules import Configuration
from adjudication.specifications.models import Specification
from tests.conftest import Cast
from tests.factories import make_project, make_question
from tests.runs.asking import MODEL, READER, asks
from tests.runs.browsing import address
from tests.runs.specified import BIRTHS, freeze
from tests.runs.test_calls_on_page import close


def start(lead: Client, project: Project, **fields: object) -> Any:
    """Send the form as it comes, but for these fields; with the button that starts."""
    page = address("run-new", project)
    as_shown = {field.html_name: field.value() for field in lead.get(page).context["form"]}
    usual = {
        name: value for name, value in as_shown.items() if not (value is None or value is False)
    }
    return lead.post(page, usual | {"key": uuid.uuid4()} | fields)


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


def test_second_click_finds_fewer_questions_left(specification: Specification, lead: Client):
    """What the first click started may have ended some of them by the time of the second."""
    key = uuid.uuid4()
    other = make_question(specification.project, "Another?")
    one = start(lead, specification.project, key=key, which="remaining")
    again = Run.objects.get()
    assert start_run(specification, [other], Configuration(), None, key) == again
    assert one.url == address("run", specification.project, again.number)


@pytest.mark.parametrize("fields", [{"check": "off"}, {"which": "all"}])
def test_form_that_started_a_run_starts_no_other(
    specification: Specification, question: Question, lead: Client, fields: dict[str, object]
):
    """Whoever goes back, chooses otherwise and starts is not led to a run that has not got it."""
    make_question(specification.project, "Another?")
    key, one = uuid.uuid4(), {"which": "chosen", "chosen": [question.pk]}
    start(lead, specification.project, key=key, **one)
    unticked: dict[str, object] = {"chosen": []} if fields.get("which") == "all" else {}
    response = start(lead, specification.project, key=key, **(one | fields | unticked))
    assert response.status_code == 422
    assert "with other choices" in response.content.decode()
    assert Run.objects.count() == 1


def test_key_of_another_project_is_refused(specification: Specification, lead: Client):
    """It is an error of the form, not of the program, and says nothing about that run."""
    key = uuid.uuid4()
    start(lead, specification.project, key=key)
    elsewhere = freeze(make_project())
    asked = make_question(elsewhere.project)
    with pytest.raises(Refused, match="used already"):
        start_run(elsewhere, [asked], Configuration(), None, key)


def test_new_run_asks_the_ticked_questions(specification: Specification, lead: Client):
    """A search lists questions to tick, without script too; those ticked stay when it goes on."""
    project = specification.project
    two, three = make_question(project, "Two rivers?"), make_question(project, "Three rivers?")
    found = start(lead, project, find="yes", words="two RIV")
    assert found.status_code == 200
    assert not Run.objects.exists()
    page = found.content.decode()
    assert f'value="{two.pk}" id="tick-{two.pk}">' in page
    assert str(three.pk) not in page
    assert found.context["form"]["which"].value() == "chosen"
    assert "Please correct" not in page, "nothing was sent off yet"
    again = start(lead, project, find="yes", words="three", chosen=[two.pk]).content.decode()
    assert f'value="{two.pk}" id="tick-{two.pk}" checked>' in again
    start(lead, project, which="chosen", chosen=[two.pk, three.pk])
    assert {a.question for a in Attempt.objects.all()} == {two, three}


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"which": "first"}, "first"),
        ({"which": "no"}, "which"),
        ({"first": 0}, "first"),
        ({"which": "first", "first": 2**63}, "first"),
        ({"which": "first", "first": 10**30}, "first"),
        ({"which": "chosen"}, "chosen"),
        ({"which": "chosen", "chosen": ["7"]}, "chosen"),
        ({"which": "chosen", "chosen": [uuid.UUID(int=7)]}, "chosen"),
        ({"check": "no"}, "check"),
        ({"key": "x"}, "key"),
        ({"schedule": "five"}, "schedule"),
        ({"schedule": "5, -5"}, "schedule"),
        ({"schedule": "5, 0"}, "__all__"),
        ({"schedule": "201"}, "__all__"),
        ({"verifications": -1}, "verifications"),
        ({"retriever": "dense"}, "retriever"),
        ({"reader": "endpoint:small"}, "reader"),
        ({"reader": "recorded"}, "reader"),
        ({"partial": "maybe"}, "partial"),
    ],
)
def test_new_run_with_a_bad_choice_is_refused_at_the_field(
    specification: Specification, lead: Client, fields: dict[str, object], wrong: str
):
    """Nothing starts, and the form says what is wrong, where it is."""
    response = start(lead, specification.project, **fields)
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [wrong]
    assert not Run.objects.exists()


def test_ticks_that_would_be_ignored_are_refused(
    specification: Specification, question: Question, lead: Client
):
    """Who ticked two questions does not mean all of them."""
    response = start(lead, specification.project, chosen=[question.pk])
    assert "1 are ticked" in str(response.context["form"].errors["which"])
    assert not Run.objects.exists()


def test_folded_choices_are_shown_where_one_is_wrong(specification: Specification, lead: Client):
    """An error is never hidden in a fold."""
    assert (
        '<details class="card" open>'
        in start(lead, specification.project, schedule="five").content.decode()
    )
    assert (
        '<details class="card">'
        in lead.get(address("run-new", specification.project)).content.decode()
    )


def test_every_choice_is_frozen_with_the_run(
    specification: Specification, lead: Client, settings: Settings
):
    """What is on the form is what runs."""
    settings.READER = READER
    fields = {
        "reader": "endpoint:small",
        "check": "verify",
        "schedule": "3 / 7",
        "stop_on": "any",
        "verifications": 5,
        "conflict": "lenient",
        "partial": "anchor",
        "suffix": "drop",
        "aliases": "",
        "per_call": 3,
        "sample": 4,
        "budget_calls": 100,
        "budget_tokens": 9000,
    }
    assert start(lead, specification.project, **fields).status_code == 302
    assert Configuration.from_json(Run.objects.get().configuration) == Configuration(
        reader="endpoint",
        model="small",
        check="verify",
        schedule=(3, 7),
        stop_on="any",
        verifications=5,
        conflict="lenient",
        partial="anchor",
        suffix="drop",
        aliases=False,
        per_call=3,
        sample=4,
        budget_calls=100,
        budget_tokens=9000,
    )
    page = lead.get(address("run", specification.project, 1)).content.decode()
    for said in ("3 / 7", "parentheses are left aside", "Every passage needs", "keep the best"):
        assert said in page, said


def test_replaying_takes_what_the_other_run_asked_with(
    specification: Specification, question: Question, lead: Client, settings: Settings
):
    """Model, sample and size of calls decide which answers are stored, so they go along."""
    settings.READER = READER
    asked = start_run(specification, [question], asks(sample=3, per_call=2), None)
    response = start(lead, specification.project, reader="recorded")
    assert "Choose the run" in str(response.context["form"].errors["replays"])
    start(lead, specification.project, reader="recorded", replays=asked.pk)
    replay = Configuration.from_json(Run.objects.get(number=2).configuration)
    assert (replay.reader, replay.model, replay.sample, replay.per_call) == (
        "recorded",
        "small",
        3,
        2,
    )
    assert replay.replays == str(asked.pk)
    assert "run 1" in lead.get(address("run", specification.project, 2)).content.decode()


def test_budget_without_a_model_is_refused_at_its_field(
    specification: Specification, lead: Client, settings: Settings
):
    """A budget that would bind nothing is a misunderstanding."""
    settings.READER = READER
    response = start(lead, specification.project, budget_calls=5)
    assert list(response.context["form"].errors) == ["budget_calls"]


def test_estimate_is_shown_before_anything_starts(
    specification: Specification, lead: Client, settings: Settings
):
    """By a button without script, by itself with it; never for a form that says nothing yet."""
    settings.READER = READER
    project = specification.project
    free = start(lead, project, estimate="yes").content.decode()
    assert "nothing is paid" in free
    paid = start(lead, project, estimate="yes", reader="endpoint:small", budget_calls=1)
    page = paid.content.decode()
    assert paid.status_code == 200
    assert re.search(r'<dt>Calls</dt><dd class="figure">1 to \d+</dd>', page)
    assert "no prices are set up here" in page
    assert "The budget may be spent" in page
    assert paid.context["form"]["reader"].value() == "endpoint:small"
    lacking = start(lead, project, estimate="yes", which="first").content.decode()
    assert "It can be said once the form is complete" in lacking
    assert not Run.objects.exists()


def test_estimate_withholds_tokens_from_who_may_not_read_every_passage(
    specification: Specification, cast: Cast, lead: Client, settings: Settings
):
    """How long passages are is in them."""
    settings.READER = READER
    chosen = {"reader": f"endpoint:{MODEL}", "estimate": "yes", "budget_tokens": 1}
    assert "Tokens in" in start(lead, specification.project, **chosen).content.decode()
    close(BIRTHS[0], cast)
    response = start(lead, specification.project, **chosen)
    page = response.content.decode()
    assert "withheld: they depend on passages" in page
    assert "Tokens in" not in page
    assert "may be spent" not in page
    assert response.context["estimate"]["tokens_in"] == response.context["estimate"]["cost"] == ""


def test_estimate_for_a_script_is_the_part_alone(specification: Specification, lead: Client):
    """What is typed stays where it is: only the estimate is replaced."""
    page = address("run-new", specification.project)
    part = lead.post(page, {"estimate": "yes"}, headers={"HX-Request": "true"})
    assert part.status_code == 200
    assert part.content.decode().startswith('<section class="card" id="estimate"')


def test_new_run_without_a_specification_is_refused(project: Project, lead: Client):
    """A run needs a frozen corpus."""
    assert lead.get(address("run-new", project)).status_code == 403
