"""The server that stands for a model endpoint speaks the protocol, keeps count and misbehaves."""

from __future__ import annotations

import base64
import http.client
import json
import math
import subprocess
import sys
import threading
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import openai
import pytest
from openai.types.chat import ChatCompletion

from bench import misbehaving
from bench.endpoint import DIMENSIONS, Endpoint, vector
from tests.conftest import ROOT

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello there"}]}).encode()


def parrot(body):
    """Says again what it was told last."""
    return body["messages"][-1]["content"]


@pytest.fixture
def endpoint():
    with Endpoint(answering=parrot) as running:
        yield running


@pytest.fixture
def client(endpoint):
    with openai.OpenAI(
        base_url=endpoint.url, api_key="secret", max_retries=0, timeout=20
    ) as speaking:
        yield speaking


def chat(client: openai.OpenAI, text: str = "Hello there") -> ChatCompletion:
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])


def post(endpoint: Endpoint, timeout: float = 20) -> tuple[http.client.HTTPResponse, bytes]:
    """What comes back for one request, byte by byte."""
    connection = http.client.HTTPConnection(urlsplit(endpoint.url).netloc, timeout=timeout)
    try:
        connection.request("POST", "/v1/chat/completions", BODY)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


# --- The protocol ----------------------------------------------------------------------------


def test_the_usual_client_understands_a_chat(client):
    reply = chat(client)
    assert reply.choices[0].message.content == "Hello there"
    assert reply.choices[0].finish_reason == "stop"
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (2, 2)


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_embeddings_are_the_same_in_both_encodings(client, encoding):
    """Words count whatever their case; even a text without words has a length to divide by."""
    texts = ["red red fish", "", "Fish!"]
    reply = client.embeddings.create(model="e", input=texts, encoding_format=encoding)
    assert [one.index for one in reply.data] == [0, 1, 2]
    for one, text in zip(reply.data, ["red red fish", "", "fish"], strict=True):
        packed = encoding == "base64"
        found = array("f", base64.b64decode(one.embedding)) if packed else one.embedding
        assert len(found) == DIMENSIONS
        assert list(found) == pytest.approx(vector(text), abs=1e-6)
        assert math.hypot(*found) == pytest.approx(1)


def test_a_request_outside_the_protocol_is_refused(endpoint, client):
    with pytest.raises(openai.BadRequestError, match="Not understood"):
        client.embeddings.create(model="e", input=[[1, 2]])
    with pytest.raises(openai.BadRequestError, match="no such route"):
        client.completions.create(model="m", prompt="Hello")


def test_records_what_it_was_asked(endpoint, client):
    for text in ("one", "two", "one"):
        chat(client, text)
    first, second, third = endpoint.asked
    assert [asked.number for asked in endpoint.asked] == [1, 2, 3]
    assert first.digest == third.digest != second.digest
    assert endpoint.times_asked(first.digest) == 2
    assert first.body["messages"][0]["content"] == "one"
    assert first.headers["Authorization"] == "Bearer secret"


def test_keeps_the_connection_open(endpoint):
    connection = http.client.HTTPConnection(urlsplit(endpoint.url).netloc)
    connection.connect()
    mine = connection.sock
    for _ in range(3):
        connection.request("POST", "/v1/chat/completions", BODY)
        assert connection.getresponse().read()
        assert connection.sock is mine
    connection.close()


def test_latency_is_waited_at_the_same_time():
    """Eight at once take little longer than one, and none is answered before it is due."""
    with Endpoint(latency=0.2, answering=parrot) as endpoint:

        def timed(_: int) -> float:
            begin = time.monotonic()
            post(endpoint)
            return time.monotonic() - begin

        begin = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            each = list(pool.map(timed, range(8)))
        assert min(each) >= 0.2
        assert time.monotonic() - begin < 0.2 * 8
        assert endpoint.most_at_once > 1


# --- Misbehaviour ----------------------------------------------------------------------------


def test_rules_by_number_by_matcher_and_for_a_while(endpoint, client):
    endpoint.when(2, misbehaving.fails(503))
    endpoint.when(lambda asked: b"late" in asked.raw, misbehaving.says("later"), times=2)
    assert chat(client).choices[0].message.content == "Hello there"
    with pytest.raises(openai.InternalServerError):
        chat(client)
    said = [chat(client, "late").choices[0].message.content for _ in range(3)]
    assert said == ["later", "later", "late"]
    endpoint.always(misbehaving.fails())
    endpoint.forget()
    assert chat(client).choices[0].message.content == "Hello there"
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (misbehaving.fails(500), openai.InternalServerError),
        (misbehaving.too_many(), openai.RateLimitError),
        (misbehaving.drops, openai.APIConnectionError),
    ],
)
def test_errors_reach_the_client_as_what_they_are(endpoint, client, behaviour, error):
    endpoint.always(behaviour)
    with pytest.raises(error):
        chat(client)


@pytest.mark.parametrize(
    ("behaviour", "status", "headers"),
    [
        (misbehaving.too_many(), 429, {"Retry-After": None}),
        (misbehaving.too_many("7"), 429, {"Retry-After": "7"}),
        (
            misbehaving.redirects("http://elsewhere.test/"),
            307,
            {"Location": "http://elsewhere.test/"},
        ),
        (misbehaving.html, 200, {"Content-Type": "text/html"}),
    ],
)
def test_statuses_and_headers(endpoint, behaviour, status, headers):
    endpoint.always(behaviour)
    response, _ = post(endpoint)
    assert response.status == status
    assert {name: response.headers[name] for name in headers} == headers


def test_bodies_that_end_too_early(endpoint):
    """Half a JSON of the length it names; half a body before the connection closes."""
    endpoint.when(1, misbehaving.half_json)
    endpoint.when(2, misbehaving.cuts)
    _, half = post(endpoint)
    with pytest.raises(json.JSONDecodeError):
        json.loads(half)
    with pytest.raises(http.client.IncompleteRead):
        post(endpoint)


@pytest.mark.parametrize("behaviour", [misbehaving.hangs, misbehaving.stalls])
def test_a_client_that_gives_up_and_a_server_that_closes(behaviour):
    """Who hangs keeps neither the next request waiting nor the end of the context."""
    with Endpoint(answering=parrot) as endpoint:
        endpoint.when(1, behaviour)
        with pytest.raises(TimeoutError):
            post(endpoint, timeout=0.1)
        assert post(endpoint)[0].status == 200
        left_hanging = http.client.HTTPConnection(urlsplit(endpoint.url).netloc)
        endpoint.always(behaviour)
        left_hanging.request("POST", "/v1/chat/completions", BODY)
        endpoint.wait_for(3)
        begin = time.monotonic()
    assert time.monotonic() - begin < 5
    left_hanging.close()


def test_an_answer_that_waits_for_a_sign(endpoint):
    sign = threading.Event()
    endpoint.always(misbehaving.waits_for(sign))
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(post, endpoint)
        endpoint.wait_for(1)
        assert not reply.done()
        sign.set()
        assert reply.result(10)[0].status == 200


@pytest.mark.parametrize(
    ("behaviour", "finish", "content", "refusal"),
    [
        (misbehaving.refuses, "stop", None, "I can't help with that."),
        (misbehaving.truncates, "length", "Hello the", None),
        (misbehaving.says("Привет", finish="content_filter"), "content_filter", "Привет", None),
    ],
)
def test_replies_that_are_well_formed_and_no_answer(
    endpoint, client, behaviour, finish, content, refusal
):
    endpoint.always(behaviour)
    choice = chat(client).choices[0]
    assert (choice.finish_reason, choice.message.content) == (finish, content)
    assert choice.message.refusal == refusal


def test_ten_megabytes(endpoint):
    endpoint.always(misbehaving.is_huge())
    _, body = post(endpoint)
    assert len(body) == pytest.approx(10_000_000, rel=0.01)
    assert json.loads(body)["choices"]


def test_missing_usage_and_missing_choices(endpoint, client):
    endpoint.when(1, misbehaving.reports_no_tokens)
    endpoint.when(2, misbehaving.has_no_choices)
    assert chat(client).usage is None
    assert chat(client).choices == []


def test_a_server_that_knows_no_schemas(endpoint, client):
    endpoint.always(misbehaving.without_schemas)
    schema = {"type": "json_schema", "json_schema": {"name": "s", "schema": {"type": "object"}}}
    messages = [{"role": "user", "content": "Hello there"}]
    with pytest.raises(openai.BadRequestError, match="not supported"):
        client.chat.completions.create(model="m", messages=messages, response_format=schema)
    plain = client.chat.completions.create(
        model="m", messages=messages, response_format={"type": "json_object"}
    )
    assert plain.choices[0].message.content == "Hello there"


def test_it_runs_by_itself_and_says_how_to_read_with_it():
    """Somebody without a model starts it, takes the address it prints, and stops it in order."""
    command = [sys.executable, "-m", "bench.endpoint", "--latency", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        url = running.stdout.readline().split("READER_URL=")[1].split()[0]
        assert f"EMBEDDINGS_URL={url} " in running.stdout.readline()
        with openai.OpenAI(base_url=url, api_key="-", max_retries=0, timeout=20) as speaking:
            found = speaking.embeddings.create(model="stand-in", input=["one", "two"])
        running.terminate()
        assert running.wait(20) == 0
    assert [len(one.embedding) for one in found.data] == [DIMENSIONS] * 2
