"""An attempt ends once: its states follow the table, in the database as well."""

from __future__ import annotations

import itertools

import pytest

from adjudication.projects.models import Project
from adjudication.runs.actions import start_run
from adjudication.runs.models import Attempt
from adjudication.runs.rules import Configuration
from adjudication.runs.transitions import ATTEMPT, move
from tests.runs.specified import freeze, make_film_study

State = Attempt.State
ALLOWED = {
    ("queued", "running"),
    ("queued", "failed"),
    ("queued", "cancelled"),
    ("running", "running"),
    ("running", "queued"),
    ("running", "certified"),
    ("running", "abstained"),
    ("running", "failed"),
    ("running", "cancelled"),
    ("running", "dropped"),
}


@pytest.fixture
def attempt(project: Project) -> Attempt:
    """At a twin, since no other is ever dropped."""
    question = make_film_study(project)
    run = start_run(freeze(project), [question], Configuration(), None)
    lease = {"token": "0" * 32, "lease_until": "2030-01-01T00:00Z"}
    return Attempt.objects.create(run=run, question=question, twin=True, **lease)


def test_attempt_moves_only_as_the_table_says(attempt: Attempt) -> None:
    """Every pair of states: what has ended is left alone, and nobody is told it moved."""
    row = Attempt.objects.filter(pk=attempt.pk)
    for before, after in itertools.product(State, State):
        row.update(state=before)
        allowed = (before, after) in ALLOWED
        assert move(row, after) == int(allowed), (before, after)
        assert row.get().state == (after if allowed else before)


def test_table_names_every_state() -> None:
    """A state without a row would be a dead end by accident."""
    assert set(ATTEMPT) == set(State)
