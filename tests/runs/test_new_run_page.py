"""Starting a run: which questions, how, and what is refused."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from adjudication.projects.models import Project
from adjudication.runs.models import Attempt, Outcome, Run
from adjudication.specifications.models import Specification
from tests.factories import make_question
from tests.runs.browsing import address


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
