"""The model endpoint over a real socket: what is sent, kept, left out, and never let through.

``docs/readers.md`` has the table that these tests hold to.
"""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudication.readers.connecting import endpoint_of
from adjudication.readers.endpoint import Dialect, ModelEndpoint, reply_in
from adjudication.readers.prompts import verify
from adjudication.readers.reader import EndpointReader
from adjudication.readers.requests import EndpointDown, Reply
from adjudication.readers.settings import ReaderSettings
from adjudication.readers.transport import Body
from bench import misbehaving
from bench.endpoint import Exchange, completion
from certify_core.protocols import Reading
from tests.readers.asking import FILM, KEY, MAKER, REQUEST, fails, says_status


def test_reply_comes_with_its_tokens_and_time(server, model) -> None:
    """Protects the account of what was bought."""
    reply = model(REQUEST)
    assert json.loads(reply.text) == {"verdict": "yes"}
    assert reply.finish == "stop"
    assert (reply.tokens_in > 50, reply.tokens_out) == (True, 2)
    assert 0 < reply.seconds < 5


def test_request_asks_for_exactly_what_its_digest_covers(server, model) -> None:
    """Protects stored answers: what is sent is what they are found by."""
    model(REQUEST)
    (asked,) = server.asked
    assert asked.body == {
        "model": "small",
        "messages": REQUEST.body["messages"],
        "max_tokens": REQUEST.max_tokens,
        "temperature": 0,
        "seed": 3,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verify", "strict": True, "schema": REQUEST.schema},
        },
    }
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.headers["Idempotency-Key"] == f"{REQUEST.digest}-3"


def test_tokens_that_are_not_reported_are_unknown(server, model) -> None:
    """Protects budgets from an endpoint that seems to be free."""
    server.always(misbehaving.reports_no_tokens)
    reply = model(REQUEST)
    assert (reply.tokens_in, reply.tokens_out, reply.finish) == (None, None, "stop")


def test_threads_share_one_endpoint(server, model) -> None:
    """Protects calls at once: replies do not get mixed up between threads."""
    server.latency = 0.02
    requests = [
        verify.ask("small", sample, MAKER.template, FILM, value)
        for sample in range(16)
        for value in ("Ada Lund", "1931")
    ]
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(model, requests))
    server.latency = 0.0
    assert [json.loads(reply.text)["verdict"] for reply in replies] == ["yes", "no"] * 16
    assert server.most_at_once > 1


def test_calls_at_once_are_bounded_however_many_ask(server, waiting) -> None:
    """Protects an endpoint from more calls than its operator allows, and all get their turn."""
    server.latency = 0.02
    settings = ReaderSettings(server.url, KEY, ("small",), calls_at_once=2)
    requests = [replace(REQUEST, sample=sample) for sample in range(12)]
    with closing(ModelEndpoint(settings, waiting.clock)) as model, ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(model, requests))
    server.latency = 0.0
    assert len(replies) == len(server.asked) == 12
    assert server.most_at_once == 2


def test_process_has_one_endpoint(server) -> None:
    """Protects connections from being opened anew for every question."""
    one, other = (endpoint_of(ReaderSettings(server.url, KEY, ("small",))) for _ in range(2))
    assert isinstance(one, ModelEndpoint)
    assert one is other
    with closing(one):
        assert one(REQUEST).finish == "stop"
    endpoint_of.cache_clear()


def test_model_that_is_not_offered_is_not_asked(server, model) -> None:
    """Protects the operator's choice of models, also from runs begun before it changed."""
    with pytest.raises(EndpointDown, match="not among those offered"):
        model(replace(REQUEST, model="large"))
    assert server.asked == []


def test_nothing_of_a_call_is_logged(server, model, caplog) -> None:
    """Protects passages and the key from logs."""
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # as in the settings
    with caplog.at_level(logging.INFO):
        model(REQUEST)
        server.always(misbehaving.fails(401))
        fails(model)
    assert caplog.text == ""


# --- Answers that are none, and are kept ----------------------------------------------------


@pytest.mark.parametrize(
    ("behaviour", "finish"),
    [
        (misbehaving.another_language, "stop"),
        (misbehaving.wrong_schema, "stop"),
        (misbehaving.truncates, "length"),
        (misbehaving.refuses, "refusal"),
        (misbehaving.is_huge(), "too long"),
        (misbehaving.says("", "content_filter"), "content_filter"),
    ],
)
def test_answers_that_do_not_serve_are_replies(server, model, waiting, behaviour, finish) -> None:
    """Protects the bill: what was answered is kept, read as "no", and not asked again."""
    server.always(behaviour)
    reply = model(REQUEST)
    assert reply.finish == finish
    assert (len(server.asked), waiting.waits) == (1, [])
    reading = EndpointReader(model, "small")
    assert reading.link(MAKER, MAKER.template, [FILM]) == [None]
    assert len(reading.notes) == 1


def test_refusal_is_kept_in_the_models_words(server, model) -> None:
    """Protects the page of a question from an unexplained "refused"."""
    server.always(misbehaving.refuses)
    assert model(REQUEST).text == "I can't help with that."


def test_filter_that_answers_with_an_error_refuses(server, model) -> None:
    """Protects a question from failing over one passage that a hosted filter dislikes."""
    error = {"error": {"code": "content_filter", "message": "Ada Lund was filtered."}}
    server.always(lambda exchange: exchange.send_json(error, 400))
    assert model(REQUEST).finish == "content_filter"


@pytest.mark.parametrize(
    ("choice", "text", "finish"),
    [
        ({"message": {"content": None}}, "", ""),
        ({"message": {"content": ["a"]}, "finish_reason": 7}, "", ""),
        ({"message": {"content": "a", "refusal": ""}, "finish_reason": "stop"}, "a", "stop"),
    ],
)
def test_odd_choices_are_replies_without_text(choice, text, finish) -> None:
    """Protects the reader from guessing what an odd server meant."""
    body = {"choices": [choice], "usage": {"prompt_tokens": True, "completion_tokens": -1}}
    reply = reply_in(Body(json.dumps(body).encode(), True, 0.5))
    assert reply == Reply(text, finish, None, None, 0.5)


# --- Servers that know less of the protocol -------------------------------------------------


def test_schema_that_a_server_does_not_know_is_left_out(server, model) -> None:
    """Protects older servers from being unusable; what was learnt is remembered."""
    server.always(misbehaving.without_schemas)
    assert [model(REQUEST).finish for _ in range(2)] == ["stop", "stop"]
    forms = [asked.body["response_format"]["type"] for asked in server.asked]
    assert forms == ["json_schema", "json_object", "json_object"]


def test_format_may_be_chosen(server, connect) -> None:
    """Protects servers that fail over a schema without naming it."""
    assert connect(server.url, form="text")(REQUEST).finish == "stop"
    assert "response_format" not in server.asked[0].body


KNOWN = {"model", "messages", "max_completion_tokens"}


def knows_little(exchange: Exchange) -> None:
    """Refuses whatever is beyond ``KNOWN``, one at a time, by name."""
    unknown = [name for name in exchange.asked.body if name not in KNOWN]
    if not unknown:
        exchange.send_json(exchange.good())
        return
    name = unknown[-1]
    hint = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
    message = f"Unsupported parameter: '{name}' is not supported with this model.{hint}"
    exchange.send_json({"error": {"message": message, "param": name}}, 400)


def test_parameters_that_a_server_does_not_know_are_left_out(server, model) -> None:
    """Protects hosted models that take neither temperature nor the older token limit."""
    server.always(knows_little)
    assert model(REQUEST).finish == "stop"
    assert set(server.asked[-1].body) == KNOWN
    assert server.asked[-1].body["max_completion_tokens"] == REQUEST.max_tokens
    before = len(server.asked)
    assert model(REQUEST).finish == "stop"
    assert len(server.asked) == before + 1


def test_dialect_is_not_learnt_from_other_refusals(server, model) -> None:
    """Protects good servers from being asked for less because of one bad request."""
    server.when(1, says_status(400, message="too long; temperature is high"))
    server.when(2, says_status(400, message="too long"))
    fails(model)
    model(REQUEST)
    assert server.asked[-1].body["temperature"] == 0
    assert Dialect("json_schema").without("the context is too long") is None


# --- Whatever comes -------------------------------------------------------------------------

BODIES = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(str.encode),
    st.builds(
        lambda text, finish, cut: json.dumps(
            completion({"messages": [], "model": "m"}, text)
            | {"choices": [{"message": {"content": text}, "finish_reason": finish}]}
        ).encode()[:cut],
        st.one_of(
            st.text(max_size=40),
            st.builds(
                lambda value, sentence, number: json.dumps(
                    {"verdicts": [{"passage": number, "value": value, "sentence": sentence}]}
                ),
                st.sampled_from([None, "Ada Lund", "Ada", "1931", "da L", "", "\0", "\ud800"]),
                st.sampled_from([None, FILM.text.split("\n")[1], "Ada Lund", ""]),
                st.integers(0, 2),
            ),
        ),
        st.sampled_from(["stop", "length", None, "\0"]),
        st.none() | st.integers(0, 300),
    ),
)


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(content=BODIES, status=st.sampled_from([200, 200, 200, 204, 400, 418, 429, 500]))
def test_whatever_bytes_come_open_nothing(server, model, content, status) -> None:
    """Protects the two promises of a reader: words at a reading's place are its value, and only
    the two named errors end a question."""
    server.forget()
    server.always(lambda exchange: exchange.send(b"" if status == 204 else content, status))
    reading = EndpointReader(model, "small")
    try:
        (found,) = reading.link(MAKER, MAKER.template, [FILM])
    except EndpointDown:
        return
    if isinstance(found, Reading):
        assert FILM.text[found.start : found.end] == found.value != ""
    else:
        assert found is None
