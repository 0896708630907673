"""Who gets to the pages of runs."""

from __future__ import annotations

import uuid

from django.test import Client

from adjudication.claims.models import Question
from adjudication.runs.models import Outcome, Run
from tests.conftest import Cast, client_for
from tests.factories import make_project, make_question
from tests.runs.browsing import address, pages


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


def test_starting_and_changing_a_run_need_a_lead(run: Run, cast: Cast):
    """An auditor changes nothing."""
    auditor = client_for(cast.auditor)
    assert auditor.get(address("run-new", run.project)).status_code == 403
    assert auditor.post(address("run-new", run.project)).status_code == 403
    for name in ("run-retry", "run-pause", "run-resume", "run-cancel", "run-budget"):
        assert auditor.post(address(name, run.project, run.number)).status_code == 403, name


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
    for name in ("run-retry", "run-pause", "run-resume", "run-cancel"):
        assert lead.get(address(name, run.project, 1)).status_code == 405, name
