"""No answer from the endpoint, over a real socket: how each kind ends, and when.

``docs/readers.md`` has the table that these tests hold to.
"""

from __future__ import annotations

import email.utils
import socket
import time

import pytest

from adjudication.readers.endpoint import REPLY_LIMIT
from adjudication.readers.transport import PATIENCE
from bench import misbehaving
from bench.endpoint import Behaviour, Exchange
from tests.readers.asking import KEY, REQUEST, fails, says_status

# --- Not tried again ------------------------------------------------------------------------


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


# --- Tried again ----------------------------------------------------------------------------


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


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n{", b" "),
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"),
        (b"HTTP/1.1 500 No\r\nX-Slow: ", b"a"),
        (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
        (CHUNKED + b"1;slow=", b"a"),
        (CHUNKED + b"1\r\n{\r\n0\r\nX-Slow: ", b"a"),
    ],
    ids=["body", "headers", "error", "processing", "chunk", "trailer"],
)
def test_trickle_is_no_answer_in_time(server, hasty, begin, more) -> None:
    """Protects workers from a reply that keeps coming and never ends, whatever part of it does:
    no wait for a byte of it is ever long."""

    def trickles(exchange: Exchange) -> None:
        exchange.close_connection = True
        exchange.wfile.write(begin)
        while not exchange.endpoint.closing.wait(0.02):
            exchange.wfile.write(more)
            exchange.wfile.flush()

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


# --- Sizes ----------------------------------------------------------------------------------


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
