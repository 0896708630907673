"""The model endpoint over a real socket: every way in which a server lets its callers down.

``docs/readers.md`` has the table that these tests hold to.
"""

from __future__ import annotations

import email.utils
import json
import logging
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudication.readers.connecting import endpoint_of
from adjudication.readers.endpoint import REPLY_LIMIT, Dialect, ModelEndpoint, reply_in
from adjudication.readers.prompts import verify
from adjudication.readers.reader import EndpointReader
from adjudication.readers.requests import EndpointDown, Reply
from adjudication.readers.settings import Format, ReaderSettings
from adjudication.readers.transport import PATIENCE, Body
from bench import misbehaving
from bench.endpoint import Behaviour, Endpoint, Exchange, completion
from certify_core.model import Requirement
from certify_core.protocols import Reading
from tests.readers.clocks import Waiting
from tests.readers.saying import passage

KEY = "sk-hush-hush"
FILM = passage("Red Kiln", "Red Kiln is a 1931 film directed by Ada Lund.")
MAKER = Requirement(1, "lookup", "Who is the director of the film Red Kiln?", expect="person")
REQUEST = verify.ask("small", 3, MAKER.template, FILM, "Ada Lund")


@pytest.fixture(scope="module")
def running() -> Iterator[Endpoint]:
    with Endpoint() as server:
        yield server


@pytest.fixture
def server(running: Endpoint) -> Endpoint:
    running.forget()
    return running


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


Connect = Callable[..., ModelEndpoint]


@pytest.fixture
def connect(waiting: Waiting) -> Iterator[Connect]:
    """Makes endpoints at an address, and closes their connections."""
    with ExitStack() as made:

        def connect(url: str, timeout: float = 20.0, form: Format = "json_schema") -> ModelEndpoint:
            chosen = ReaderSettings(url, KEY, ("small",), timeout, format=form)
            return made.enter_context(closing(ModelEndpoint(chosen, waiting.clock)))

        yield connect


@pytest.fixture
def model(server: Endpoint, connect: Connect) -> ModelEndpoint:
    return connect(server.url)


@pytest.fixture
def hasty(server: Endpoint, connect: Connect) -> ModelEndpoint:
    """One that gives up a try soon."""
    return connect(server.url, timeout=0.3)


def fails(model: ModelEndpoint) -> str:
    """What the error says, which is never more than people may see."""
    with pytest.raises(EndpointDown) as down:
        model(REQUEST)
    said = str(down.value)
    assert KEY not in said
    assert "Ada" not in said
    return said


# --- What is sent, and what comes back -------------------------------------------------------


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


# --- Answers that are none, and are kept -----------------------------------------------------


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


# --- No answer: not tried again --------------------------------------------------------------


def says_status(status: int, code: object = None, message: str = f"{KEY}, Ada Lund") -> Behaviour:
    error = {"error": {"message": message, "code": code}}
    return lambda exchange: exchange.send_json(error, status)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (misbehaving.html, "it answered with a web page"),
        (misbehaving.half_json, "it answered with broken JSON"),
        (misbehaving.has_no_choices, "JSON that is no chat completion"),
        (lambda exchange: exchange.send(b"[" * 5000), "broken JSON"),
        (lambda exchange: exchange.send(b"\xff\xfe"), "broken JSON"),
        (lambda exchange: exchange.send(b""), "broken JSON"),
        (lambda exchange: exchange.send(b" " * (REPLY_LIMIT + 1)), "broken JSON"),
        (lambda e: e.send_json({"error": {"code": "overloaded"}}), "“overloaded”"),
        (misbehaving.fails(400), "the request was refused: it answers with status 400"),
        (says_status(400, "context_length_exceeded"), "“context_length_exceeded”"),
        (says_status(400, f"{KEY} Ada"), "status 400"),
        (says_status(400, 400), "status 400"),
        (says_status(401, "invalid_api_key"), "it refuses the key, “invalid_api_key”"),
        (says_status(403), "it refuses the key"),
        (says_status(404), "it does not know the address or the model"),
        (says_status(409), "status 409"),
    ],
)
def test_what_another_try_cannot_help_is_an_error_at_once(
    server, model, waiting, behaviour, said
) -> None:
    """Protects people from waiting for what only they can mend; nothing is stored as answered."""
    server.always(behaviour)
    assert said in fails(model)
    assert (len(server.asked), waiting.waits) == (1, [])


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(server, model, status) -> None:
    """Protects the key and the passages from being sent where nobody configured."""
    server.always(misbehaving.redirects(server.url + "/elsewhere", status))
    assert f"redirects elsewhere ({status})" in fails(model)
    assert len(server.asked) == 1


# --- No answer: tried again ------------------------------------------------------------------


@pytest.mark.parametrize(
    "behaviour",
    [
        misbehaving.drops,
        misbehaving.cuts,
        misbehaving.fails(500),
        misbehaving.fails(503),
        misbehaving.too_many(),
    ],
)
def test_passing_trouble_is_waited_out(server, model, waiting, behaviour) -> None:
    """Protects a question from one lost connection; waits double."""
    server.always(behaviour, times=3)
    assert model(REQUEST).finish == "stop"
    assert len(server.asked) == 4
    assert len(server.digests()) == 1
    assert waiting.waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("behaviour", [misbehaving.hangs, misbehaving.stalls])
def test_hanging_is_given_up_and_tried_again(server, hasty, waiting, behaviour) -> None:
    """Protects workers from a server that takes a request and never finishes."""
    server.always(behaviour, times=1)
    assert hasty(REQUEST).finish == "stop"
    assert len(server.asked) > 1


def trickles(exchange: Exchange) -> None:
    """Sends a byte now and then, so that no wait is ever long."""
    exchange.send(b"{", length=REPLY_LIMIT)
    while not exchange.endpoint.closing.wait(0.01):
        exchange.wfile.write(b" ")
        exchange.wfile.flush()


def test_trickle_is_no_answer_in_time(server, hasty) -> None:
    """Protects workers from a reply that keeps coming and never ends."""
    server.always(trickles, times=1)
    began = time.monotonic()
    assert hasty(REQUEST).finish == "stop"
    assert time.monotonic() - began < 5
    assert len(server.asked) > 1


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (misbehaving.drops, "no connection, or it was lost (RemoteProtocolError)"),
        (misbehaving.fails(500), "it answers with status 500, “server_error”"),
        (misbehaving.too_many(), "too many requests (429), “rate_limit_error”"),
    ],
)
def test_lasting_trouble_ends_after_the_patience(server, model, waiting, behaviour, said) -> None:
    """Protects a run from a server that is down: each call ends, named, in bounded time."""
    server.always(behaviour)
    assert said in fails(model)
    assert PATIENCE - 21 < waiting.waited < PATIENCE
    assert max(waiting.waits) == 20
    assert len(server.asked) == len(waiting.waits) + 1


def test_lasting_silence_ends_after_the_patience(server, connect, waiting) -> None:
    """Protects a run from a server that takes every request and answers none."""
    server.always(misbehaving.hangs)
    assert "no answer within 0.05 s; tried 1" in fails(connect(server.url, timeout=0.05))
    assert PATIENCE - 21 < waiting.waited < PATIENCE


def test_nobody_there_is_named(connect) -> None:
    """Protects operators from guessing: a wrong address says that there was no connection."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        said = fails(connect(url))
    assert said.startswith("no connection, or it was lost (ConnectError); tried 14 times in 17")


def test_too_many_requests_for_a_minute_are_waited_out(server, model, waiting) -> None:
    """Protects a run from a rate limit, which is usual and ends."""
    busy = misbehaving.too_many()
    server.when(lambda asked: waiting.waited < 60, busy)
    assert model(REQUEST).finish == "stop"
    assert 60 <= waiting.waited < 90


@pytest.mark.parametrize("as_date", [False, True])
def test_server_says_when_to_come_back(server, model, waiting, as_date) -> None:
    """Protects servers from being asked earlier than they want, and callers from all coming
    back in the same moment."""
    asked = email.utils.formatdate(time.time() + 31, usegmt=True) if as_date else "30"
    server.always(misbehaving.too_many(asked), times=1)
    assert model(REQUEST).finish == "stop"
    assert len(waiting.waits) == 1
    assert 29 < waiting.waits[0] < 32


@pytest.mark.parametrize("asked", ["3600", "1e300", "Fri, 01 Jan 2100 00:00:00 GMT"])
def test_server_that_asks_for_too_much_ends_the_call(server, model, waiting, asked) -> None:
    """Protects workers from sleeping for an hour because a header says so."""
    server.always(misbehaving.too_many(asked))
    assert "too many requests (429)" in fails(model)
    assert (len(server.asked), waiting.waits) == (1, [])


@pytest.mark.parametrize("asked", ["0", "-5", "nan", "inf", "soon", "", "9" * 5000])
def test_odd_wishes_are_ignored(server, model, waiting, asked) -> None:
    """Protects the usual wait from a header that says nothing."""
    server.always(misbehaving.too_many(asked), times=1)
    assert model(REQUEST).finish == "stop"
    assert waiting.waits == [0.5]


# --- Sizes -----------------------------------------------------------------------------------


def endless(status: int) -> Behaviour:
    """A body that goes on until the client leaves."""

    def behave(exchange: Exchange) -> None:
        exchange.send(b'{"a": "', status, length=10**12)
        while not exchange.endpoint.closing.is_set():
            exchange.wfile.write(b"x" * 65536)

    return behave


def test_endless_reply_is_cut_off_while_it_is_read(server, model) -> None:
    """Protects memory: nobody waits for the end of a body to see how long it is."""
    server.always(endless(200))
    reply = model(REQUEST)
    assert (reply.text, reply.finish, reply.tokens_out) == ("", "too long", None)


def test_endless_error_is_cut_off_too(server, model) -> None:
    """Protects memory where the client itself would read the body of an error whole."""
    server.always(endless(400))
    assert "status 400" in fails(model)


# --- Servers that know less of the protocol --------------------------------------------------


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


# --- Whatever comes --------------------------------------------------------------------------

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
