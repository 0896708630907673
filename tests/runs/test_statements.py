"""The statements written by hand do what the ORM's do, which are their slow twins."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from adjudication.append_only import AppendOnlyError
from adjudication.claims.models import Question
from adjudication.runs.calls import Ledger
from adjudication.runs.leases import held
from adjudication.runs.models import Attempt, ReaderAnswer, ReaderCall, RunControl
from adjudication.runs.statements import hold, stored_answer
from adjudication.specifications.models import Specification
from adjudication.statements import insert
from tests.runs.asking import READER, REPLY, Endpoint, claimed_in, request


@pytest.fixture(autouse=True)
def _endpoint_is_set(settings) -> None:
    settings.READER = READER


@pytest.fixture
def attempt(specification: Specification, question: Question) -> Attempt:
    return claimed_in(specification, [question])[0]


def call_of(attempt: Attempt, ordinal: int = 1) -> ReaderCall:
    return ReaderCall(
        project_id=attempt.run.project_id,
        run=attempt.run,
        attempt=attempt,
        token=attempt.token,
        ordinal=ordinal,
        kind="link",
        model="small",
        request_sha256=f"{ordinal:064}",
        sample=0,
        request={"words": 'Żółć "100 %" \\ \u2028', "none": None},
    )


def values_of(row: ReaderCall | ReaderAnswer) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_inserted_row_is_the_row_that_is_stored(attempt: Attempt):
    """Whatever the database fills in is known afterwards, and nothing is stored otherwise."""
    call = call_of(attempt)
    insert(call)
    assert call.sent_at
    assert values_of(call) == values_of(ReaderCall.objects.get(pk=call.pk))
    with pytest.raises(AppendOnlyError):
        call.save()
    saved = call_of(attempt, ordinal=2)
    saved.save()
    same = {"id", "ordinal", "request_sha256", "sent_at"}
    one, other = values_of(call), values_of(saved)
    assert {k: one[k] for k in one.keys() - same} == {k: other[k] for k in other.keys() - same}


def test_what_the_database_refuses_is_refused(attempt: Attempt):
    insert(call_of(attempt))
    with pytest.raises(IntegrityError, match="call_ordinal_once"), transaction.atomic():
        insert(call_of(attempt))
    assert ReaderCall.objects.count() == 1


def test_answer_that_counts_is_found_by_request_sample_and_project(attempt: Attempt):
    ask = request()
    Ledger(attempt, Endpoint(replace(REPLY, text="found")))(ask)
    project = attempt.run.project_id
    found = stored_answer(project, ask.digest, ask.sample)
    assert found == ReaderAnswer.objects.get()
    assert values_of(found) == values_of(ReaderAnswer.objects.get())
    assert stored_answer(project, ask.digest, ask.sample + 1) is None
    assert stored_answer(project, request("else").digest, ask.sample) is None
    assert stored_answer(attempt.pk, ask.digest, ask.sample) is None


def test_attempt_is_held_by_its_token_while_it_runs(attempt: Attempt):
    """Another token, or another state, holds nothing."""

    def is_held() -> bool:
        with transaction.atomic():
            state = hold(attempt)
        assert (state is not None) == held(attempt).exists()
        return state is not None

    assert is_held()
    RunControl.objects.filter(run=attempt.run).update(state="paused")
    with transaction.atomic():
        assert hold(attempt) == "paused"
    Attempt.objects.filter(pk=attempt.pk).update(state="queued")
    assert not is_held()
    Attempt.objects.filter(pk=attempt.pk).update(state="running", token=attempt.run.pk)
    assert not is_held()
