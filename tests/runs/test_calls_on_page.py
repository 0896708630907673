"""The calls of a model on a question's page: what became of each, and who may read its words."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from adjudication.claims.models import Question
from adjudication.corpus.models import Source, Tightening
from adjudication.journal.queries import is_exposed
from adjudication.readers.settings import ReaderSettings
from adjudication.runs.actions import claim_attempt, fail
from adjudication.runs.models import (
    Attempt,
    Outcome,
    ReadAnswer,
    ReaderCall,
    ReaderNote,
    RecordedSearch,
    Run,
)
from adjudication.runs.pages.calls import CALLS, SHOWN, state_of
from adjudication.runs.spending import spending
from tests.conftest import Cast
from tests.factories import make_version
from tests.runs.browsing import address
from tests.runs.called import answered, failed, sent
from tests.runs.specified import BIRTHS, FILMS

FROM = ReadAnswer.Context
PRICED = ReaderSettings(
    url="http://127.0.0.1:9/v1",
    key="",
    models=("small",),
    price_in=Decimal(2),
    price_out=Decimal(10),
    currency="EUR",
)


@pytest.fixture
def attempt(run: Run) -> Attempt:
    """In the hands of a worker."""
    return claim_attempt(Attempt.objects.get(run=run).pk)


def page_of(client: Client, attempt: Attempt, query: str = "") -> str:
    run = attempt.run
    url = address("run-question", run.project, run.number, attempt.question_id)
    return client.get(url + query).content.decode()


def test_every_state_of_a_call_is_told(attempt: Attempt):
    """Bought, reused, surplus, failed, under way, in doubt: never one for another."""
    bought = sent(attempt, "one")
    twice = sent(attempt, "one")
    answer = answered(bought)
    assert answered(twice).surplus
    reused = sent(attempt, "one", reuses=answer)
    refused, waiting = sent(attempt, "two"), sent(attempt, "three")
    failed(refused, "no reply within 60 s")
    told = {call.pk: state_of(call) for call in ReaderCall.objects.all()}
    assert told == {
        bought.pk: "bought",
        twice.pk: "surplus",
        reused.pk: "reused",
        refused.pk: "failed",
        waiting.pk: "on its way",
    }
    spent = spending(ReaderCall.objects.all())
    assert (spent.bought, spent.reused, spent.failed) == (2, 1, 1)
    assert (spent.on_the_way, spent.in_doubt, spent.calls) == (1, 0, 5)
    fail(attempt, "Endpoint down: it went away")
    assert state_of(ReaderCall.objects.get(pk=waiting.pk)) == "in doubt"
    spent = spending(ReaderCall.objects.all())
    assert (spent.on_the_way, spent.in_doubt) == (0, 1)


def test_tokens_and_cost_that_nobody_reported_are_not_nothing(attempt: Attempt, settings: Settings):
    """An unknown cost is said to be unknown; a known one is exact."""
    settings.READER = PRICED
    calls = ReaderCall.objects.all()
    assert (spending(calls).tokens, spending(calls).cost) == (0, "0.00 EUR")
    answered(sent(attempt, "one"), tokens=(None, None))
    assert (spending(calls).tokens, spending(calls).cost) == (None, "")
    answered(sent(attempt, "two"), tokens=(1_000_000, 50_000))
    spent = spending(calls)
    assert (spent.tokens, spent.unreported, spent.cost) == (1_050_000, 1, "")
    known = spending(calls.exclude(answer__tokens_in=None))
    assert known.cost == "2.50 EUR"
    settings.READER = None
    assert spending(calls).cost == ""


def test_small_costs_are_not_rounded_to_nothing(attempt: Attempt, settings: Settings):
    """A cent is not zero, nor is a hundredth of one."""
    settings.READER = PRICED
    answered(sent(attempt, "one"), tokens=(20, 1))
    assert spending(ReaderCall.objects.all()).cost == "0.000050 EUR"


def test_call_is_shown_with_what_was_asked_said_and_closed(
    attempt: Attempt, question: Question, lead: Client
):
    """Each misbehaviour of an endpoint can be read where it mattered, also after a failure."""
    call = sent(attempt, "Where was <b>Anna\u202e Berg</b> born?")
    answered(call, "<html>Bad gateway", finish="length")
    ReaderNote.objects.create(
        attempt=attempt, ordinal=1, request_sha256=call.request_sha256, reason="truncated"
    )
    failed(sent(attempt, "again"), "429 for 60 s")
    fail(attempt, "Endpoint down: 429 for 60 s")
    page = page_of(lead, attempt)
    for expected in (
        "Where was &lt;b&gt;Anna",
        '<span class="unseen">U+202E</span>',
        "&lt;html&gt;Bad gateway",
        "ended with “length”",
        "truncated",
        "100 tokens in, 20 out",
        "429 for 60 s",
        "whose answers are not bought again",
    ):
        assert expected in page, expected


def test_reply_that_does_not_end_is_shown_from_its_beginning(attempt: Attempt, lead: Client):
    """A page of twenty replies of a megabyte each would be readable to nobody."""
    answered(sent(attempt, "read it"), "It begins. " + "x" * SHOWN + " It ends.")
    page = page_of(lead, attempt)
    assert "It begins." in page
    assert "It ends." not in page
    assert "20 more characters are stored and not shown" in page


def test_calls_are_paged(attempt: Attempt, lead: Client):
    """However many calls a question took, a page stays short."""
    for number in range(CALLS + 1):
        answered(sent(attempt, f"call {number} of many"))
    assert f"call {CALLS} of many" not in page_of(lead, attempt)
    assert f"call {CALLS} of many" in page_of(lead, attempt, "?calls=2")


def test_judging_lead_is_asked_before_seeing_calls(
    attempt: Attempt, cast: Cast, judging_lead: Client
):
    """What a model read tells the machine's side, also while the question has no outcome."""
    answered(sent(attempt, "Anna Berg"), "She was born in Ghent.")
    assert "Ghent" not in page_of(judging_lead, attempt)
    assert not is_exposed(cast.lead, attempt.question_id)
    url = address("run-question", attempt.run.project, 1, attempt.question_id)
    judging_lead.post(url)
    assert is_exposed(cast.lead, attempt.question_id)
    assert "Ghent" in page_of(judging_lead, attempt)


def test_calls_of_an_open_question_are_an_exposure(attempt: Attempt, cast: Cast, lead: Client):
    """Whoever looks at what was read has seen it."""
    page_of(lead, attempt)
    assert not is_exposed(cast.lead, attempt.question_id)
    answered(sent(attempt, "Anna Berg"))
    page_of(lead, attempt)
    assert is_exposed(cast.lead, attempt.question_id)


def test_words_of_calls_are_for_those_who_may_read_what_was_found(
    ended: Outcome, question: Question, cast: Cast, lead: Client
):
    """A passage that is closed to somebody closes the calls that may hold it, and no others."""
    attempt = ended.attempt
    answered(sent(attempt, "decompose it", "decompose"), "first the director")
    answered(sent(attempt, "read it"), "the passage says so")
    assert "the passage says so" in page_of(lead, attempt)
    close(BIRTHS[0], cast)
    page = page_of(lead, attempt)
    assert "the passage says so" not in page
    assert "read it" not in page


def test_answer_from_everything_is_for_those_who_may_read_everything(
    ended: Outcome, cast: Cast, lead: Client
):
    """Any passage that was found can have given it; the certificate's own are all readable."""
    make_version(ended.run.project, "Unread\nIt is of no use here.")
    unread = Source.objects.get(title="Unread").versions.get()
    RecordedSearch.objects.create(
        attempt=ended.attempt, ordinal=99, requirement=1, query="?", round=2, versions=[unread.pk]
    )
    for context, text in ((FROM.CERTIFICATE, "The fjord"), (FROM.POOL, "A secret")):
        ReadAnswer.objects.create(outcome=ended, context=context, passages=4, text=text)
    page = page_of(lead, ended.attempt)
    assert "The fjord" in page
    assert "A secret" in page
    assert "by the reference answers" not in page, "the question has none"
    close("Unread", cast)
    page = page_of(lead, ended.attempt)
    assert "The fjord" in page
    assert "A secret" not in page


@pytest.mark.parametrize(("correct", "said"), [(True, "right"), (False, "wrong")])
def test_read_answer_says_whether_it_is_right(
    ended: Outcome, lead: Client, correct: bool, said: str
):
    """A wrong answer does not read as if the question had nothing to compare it with."""
    ReadAnswer.objects.create(
        outcome=ended, context=FROM.POOL, passages=4, text="The fjord", correct=correct
    )
    assert f"{said} by the reference answers" in page_of(lead, ended.attempt)


def close(text: str, cast: Cast) -> None:
    """Close the version of ``text`` to everybody who holds the class "public" alone."""
    version = Source.objects.get(title=text.split("\n")[0]).versions.get()
    public = version.source.project.reader_classes.get(key="public")
    Tightening.objects.create(
        version=version, reader_class=public, reason="They asked.", by=cast.lead
    )


def test_unsearched_passage_closes_the_calls_of_a_failed_attempt_too(
    attempt: Attempt, cast: Cast, lead: Client
):
    """Where searches were not kept, nobody knows which passages were sent."""
    answered(sent(attempt, "decompose it", "decompose"), "first the director")
    answered(sent(attempt, "read it"), "the passage says so")
    fail(attempt, "Endpoint down: it went away")
    assert "the passage says so" in page_of(lead, attempt)
    close(FILMS[1], cast)
    page = page_of(lead, attempt)
    assert "the passage says so" not in page
    assert "Its words are withheld" in page
    assert "first the director" in page
    assert "100 tokens in" in page, "of the call that holds no passage"
    assert page.count("100 tokens in") == 1
