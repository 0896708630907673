"""The ledger: every call is on record before it is sent, and no answer is bought twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from adjudication.claims.models import Question
from adjudication.readers.requests import BudgetSpent, EndpointDown, Reply, Request
from adjudication.runs.actions import claim_attempt
from adjudication.runs.calls import Ledger, NoStoredAnswer
from adjudication.runs.leases import LostAttempt
from adjudication.runs.models import Attempt, ReaderAnswer, ReaderCall, ReaderFailure, RunControl
from adjudication.specifications.models import Specification
from tests.conftest import CommittedDatabase
from tests.factories import make_project, make_question
from tests.runs.asking import READER, REPLY, Endpoint, claimed_in, request
from tests.runs.specified import freeze


@pytest.fixture(autouse=True)
def _endpoint_is_set(settings) -> None:
    settings.READER = READER


@pytest.fixture
def attempt(specification: Specification, question: Question) -> Attempt:
    return claimed_in(specification, [question])[0]


def lose(attempt: Attempt) -> Attempt:
    """Somebody else takes the attempt after its lease ran out."""
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now() - timedelta(seconds=1))
    found = claim_attempt(attempt.pk)
    assert found is not None
    return found


# --- Buying and reusing


def test_call_is_committed_before_it_is_sent(attempt: Attempt):
    """Whatever happens to the worker while it waits, it is known that the call was made."""
    seen = []

    def look() -> None:
        call = ReaderCall.objects.get(attempt=attempt)
        seen.append((call.request, call.token, hasattr(call, "answer")))
        # Only the transaction of the test itself is open.
        assert len(connection.savepoint_ids) == 0

    endpoint = Endpoint(meanwhile=look)
    assert Ledger(attempt, endpoint)(request()) == REPLY
    assert seen == [(request().body, attempt.token, False)]
    answer = ReaderAnswer.objects.get(call__attempt=attempt)
    assert (answer.text, answer.tokens_in, answer.tokens_out) == ("null", 100, 7)


def test_stored_answer_is_reused_in_every_run_of_the_project(
    specification: Specification, question: Question, attempt: Attempt
):
    """The same configuration asks nobody the second time, and the second run shows its calls."""
    Ledger(attempt, Endpoint())(request())
    (later,) = claimed_in(specification, [question])
    endpoint = Endpoint(Reply("other", "stop", 1, 1, 1.0))
    assert Ledger(later, endpoint)(request()) == REPLY
    assert endpoint.asked == []
    call = ReaderCall.objects.get(attempt=later)
    assert call.reuses == ReaderAnswer.objects.get(call__attempt=attempt)
    assert call.request is None


def test_another_sample_buys_a_fresh_answer(attempt: Attempt):
    """Equal requests are told apart by their sample where somebody wants them to be."""
    endpoint = Endpoint()
    ledger = Ledger(attempt, endpoint)
    for sample in (0, 1, 1):
        ledger(request(sample=sample))
    assert [one.sample for one in endpoint.asked] == [0, 1]


def test_answer_of_another_project_is_not_reused(attempt: Attempt):
    """What one project asked and paid for is nobody else's to see."""
    Ledger(attempt, Endpoint())(request())
    other = make_question(make_project())
    (elsewhere,) = claimed_in(freeze(other.project), [other])
    endpoint = Endpoint()
    Ledger(elsewhere, endpoint)(request())
    assert len(endpoint.asked) == 1


def test_recorded_reader_refuses_what_nobody_asked(attempt: Attempt):
    """A replay never reaches the endpoint, and says what is missing."""
    with pytest.raises(NoStoredAnswer, match=request().digest[:12]):
        Ledger(attempt, None)(request())
    Ledger(attempt, Endpoint())(request())
    assert Ledger(attempt, None)(request()) == REPLY


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (EndpointDown("no answer after 4 tries: 503"), "no answer after 4 tries: 503"),
        (ValueError("Bearer sk-secret"), "ValueError"),
    ],
)
def test_failed_call_keeps_its_named_error(attempt: Attempt, error: Exception, kept: str):
    """It is not in doubt: it is known that no answer came. Unforeseen words are not kept."""

    def fails(_request: Request) -> Reply:
        raise error

    with pytest.raises(type(error)):
        Ledger(attempt, fails)(request())
    assert ReaderFailure.objects.get(call__attempt=attempt).error == kept
    assert Ledger(attempt, Endpoint())(request()) == REPLY


def test_answer_that_no_database_text_can_hold_reads_the_same_when_replayed(attempt: Attempt):
    """A model may say anything: what the reader got is what a replay gives."""
    said = Reply("a\0b\ud800c", "x" * 90, 2**40, -1, 0.1)
    bought = Ledger(attempt, Endpoint(said))(request())
    assert bought.text.startswith("a\ufffdb\ufffd")
    assert (bought.finish, bought.tokens_in, bought.tokens_out) == ("x" * 40, None, None)
    assert Ledger(attempt, None)(request()) == bought


# --- Losing the attempt


def test_who_lost_the_attempt_buys_nothing(attempt: Attempt):
    """A worker that slept past its lease must not spend money beside the one that took over."""
    ledger, endpoint = Ledger(attempt, Endpoint()), Endpoint()
    ledger(request())
    lose(attempt)
    late = Ledger(attempt, endpoint)
    for words in ("something new", request().messages[0].content):
        with pytest.raises(LostAttempt):
            late(request(words))
    assert endpoint.asked == []
    assert ReaderCall.objects.filter(attempt=attempt).count() == 1


def test_answer_that_comes_after_the_attempt_was_lost_is_kept(attempt: Attempt):
    """It is paid for: the worker that took over uses it instead of asking again."""
    takers = []
    endpoint = Endpoint(meanwhile=lambda: takers.append(lose(attempt)))
    Ledger(attempt, endpoint)(request())
    after = Endpoint()
    assert Ledger(takers[0], after)(request()) == REPLY
    assert after.asked == []


def test_later_of_two_racing_answers_is_surplus(
    specification: Specification, question: Question, attempt: Attempt
):
    """Both were paid for and are kept; the first one counts for both who asked."""
    (other,) = claimed_in(specification, [question])
    first = Reply("first", "stop", 1, 1, 0.1)
    inner = Ledger(other, Endpoint(first))
    outer = Ledger(attempt, Endpoint(REPLY, meanwhile=lambda: inner(request())))
    assert outer(request()) == first
    surplus = ReaderAnswer.objects.get(surplus=True)
    assert (surplus.text, surplus.call.attempt) == (REPLY.text, attempt)
    assert Ledger(attempt, None)(request()) == first


# --- What the database refuses


def sent(attempt: Attempt, **fields: object) -> ReaderCall:
    one = request()
    values = {
        "project": attempt.run.project,
        "run": attempt.run,
        "attempt": attempt,
        "token": attempt.token,
        "ordinal": ReaderCall.objects.count() + 1,
        "kind": "link",
        "model": one.model,
        "request_sha256": one.digest,
        "sample": 0,
        "request": one.body,
    }
    return ReaderCall(**values | fields)


def answered(call: ReaderCall, **fields: object) -> ReaderAnswer:
    values = {"call": call, "project": call.project, "request_sha256": call.request_sha256}
    values |= {"sample": call.sample, "text": "", "finish": "stop", "seconds": 1.0}
    return ReaderAnswer(**values | fields)


def refused(row: ReaderCall | ReaderAnswer | ReaderFailure) -> bool:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        return True
    return False


def test_request_with_a_stored_answer_cannot_be_sent(attempt: Attempt):
    """The last wall: the database itself refuses to have an answer bought again."""
    Ledger(attempt, Endpoint())(request())
    stored = ReaderAnswer.objects.get()
    assert refused(sent(attempt))
    assert refused(sent(attempt, request=None))
    assert refused(sent(attempt, reuses=stored))
    assert refused(sent(attempt, request=None, reuses=stored, request_sha256="0" * 64))
    assert not refused(sent(attempt, request=None, reuses=stored))


def test_call_belongs_to_its_attempts_run_and_project(attempt: Attempt):
    """What a run cost is counted by these."""
    other = make_question(make_project())
    (elsewhere,) = claimed_in(freeze(other.project), [other])
    assert refused(sent(attempt, project=other.project))
    assert refused(sent(attempt, run=elsewhere.run))


def test_call_ends_in_one_answer_or_one_failure(attempt: Attempt):
    """And an answer is to the request that was sent."""
    call = sent(attempt)
    call.save()
    for wrong in ({"request_sha256": "0" * 64}, {"sample": 1}, {"project": make_project()}):
        assert refused(answered(call, **wrong))
    answered(call).save()
    assert refused(ReaderFailure(call=call, error="late", seconds=1))
    other = sent(attempt, sample=1)
    other.save()
    ReaderFailure(call=other, error="down", seconds=1).save()
    assert refused(answered(other))
    assert refused(ReaderFailure(call=other, error="down", seconds=1))


def test_which_answer_counts_is_not_the_callers_to_say(attempt: Attempt):
    """Marking the only answer as surplus would have it bought again."""
    call = sent(attempt)
    call.save()
    answer = answered(call, surplus=True)
    answer.save()
    assert not ReaderAnswer.objects.get().surplus


# --- Budgets


def test_budget_of_calls_is_never_exceeded(committed: CommittedDatabase, settings):
    """Twelve workers at once, a budget of five: five calls are sent, the others say why not."""
    project = make_project()
    questions = [make_question(project, str(number)) for number in range(12)]
    attempts = claimed_in(freeze(project), questions, budget_calls=5)
    together = Barrier(12)
    endpoint = Endpoint()

    def ask(attempt: Attempt) -> str:
        try:
            together.wait(20)
            Ledger(attempt, endpoint)(request(str(attempt.pk)))
        except BudgetSpent as spent:
            return str(spent)
        finally:
            connection.close()
        return "bought"

    with ThreadPoolExecutor(12) as pool:
        ends = list(pool.map(ask, attempts))
    assert len(endpoint.asked) == ends.count("bought") == 5
    assert set(ends) == {"bought", "5 of 5 calls are bought. Raise the budget, then try again."}
    assert ReaderCall.objects.count() == 5


@pytest.mark.parametrize(
    ("reply", "counted"),
    [
        (REPLY, 107),
        (Reply("null", "stop", None, 7, 0.1), len(request().messages[0].content) + 7),
        (Reply("é", "stop", 100, None, 0.1), 102),
    ],
)
def test_budget_of_tokens_ends_buying_once_it_is_spent(
    specification: Specification, question: Question, reply: Reply, counted: int
):
    """What is bought shows only afterwards; unreported tokens are counted as bytes."""
    (attempt,) = claimed_in(specification, [question], budget_tokens=counted)
    ledger = Ledger(attempt, Endpoint(reply))
    ledger(request())
    assert RunControl.objects.get(run=attempt.run).tokens == counted
    with pytest.raises(BudgetSpent, match=f"{counted} of {counted} tokens"):
        ledger(request("more"))
    assert ledger(request()).text == reply.text, "what is stored costs nothing"


def test_two_workers_with_the_same_request_and_a_budget_do_not_block_each_other(
    committed: CommittedDatabase,
):
    """Budget and request are locked in one order, so nobody waits in a circle."""
    project = make_project()
    questions = [make_question(project, str(number)) for number in range(8)]
    attempts = claimed_in(freeze(project), questions, budget_calls=1000, budget_tokens=10**6)
    together = Barrier(8)

    def ask(attempt: Attempt) -> int:
        ledger = Ledger(attempt, Endpoint())
        try:
            together.wait(20)
            return len([ledger(request(str(number))) for number in range(10)])
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, attempts)) == [10] * 8
    assert ReaderAnswer.objects.filter(surplus=False).count() == 10
    bought = ReaderCall.objects.filter(reuses=None).count()
    control = RunControl.objects.get()
    assert (control.calls, control.tokens) == (bought, bought * 107)
    assert ReaderCall.objects.count() == 80
