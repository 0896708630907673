"""A local server that speaks the OpenAI-compatible protocol, and misbehaves where it is told to.

It answers ``POST /v1/chat/completions`` by ``answering`` (by default `bench.answers`, which
reads with patterns, so that whole runs certify) and ``POST /v1/embeddings`` with hashed bags
of words. It records everything it was asked. Only for tests, measurements and trials:

    with Endpoint(latency=0.05) as endpoint:
        endpoint.when(3, misbehaving.fails(500))
        ...
        assert endpoint.times_asked(digest) == 1

``python -m bench.endpoint`` lets it run until it is stopped, and says how to read with it.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import math
import signal
import socket
import threading
import time
from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from bench.answers import answer_to
from certify_core.folding import fold

DIMENSIONS = 64
NO_HEADERS: Mapping[str, str] = {}
CHAT, EMBEDDINGS = "/v1/chat/completions", "/v1/embeddings"

Body = Mapping[str, Any]
Answering = Callable[[Body], str]
"""What a reader says to a chat request."""


@dataclass(frozen=True)
class Asked:
    """One request; ``number`` counts from 1 in the order of arrival over all routes."""

    number: int
    path: str
    raw: bytes
    headers: Message = field(repr=False)

    @cached_property
    def body(self) -> Body:
        body: Body = json.loads(self.raw)
        return body

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the body as it was sent."""
        return hashlib.sha256(self.raw).hexdigest()


Behaviour = Callable[["Exchange"], None]
"""Answers one request in its own way, or does not."""

Matcher = int | Callable[[Asked], bool]
"""The number of a request, or what is true of those that are meant."""


@dataclass
class _Rule:
    matches: Callable[[Asked], bool]
    behaviour: Behaviour
    left: int | None


class Endpoint:
    """The server, at a free ``port`` of this machine, for as long as the context lasts."""

    def __init__(
        self, latency: float = 0.0, answering: Answering = answer_to, port: int = 0
    ) -> None:
        self.latency = latency
        self.answering = answering
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self._rules: list[_Rule] = []
        self._changed = threading.Condition()
        self._now = self._most = 0
        self._server = _Server(self, port)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The address that goes before ``/chat/completions``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    # --- What it is told to do ---

    def when(self, matcher: Matcher, behaviour: Behaviour, times: int | None = None) -> None:
        """Behave so for the requests that match, at most ``times`` of them; first rule first."""
        matches = matcher if callable(matcher) else _numbered(matcher)
        with self._changed:
            self._rules.append(_Rule(matches, behaviour, times))

    def always(self, behaviour: Behaviour, times: int | None = None) -> None:
        self.when(lambda asked: True, behaviour, times)

    def forget(self) -> None:
        """Behave well again, with nothing recorded."""
        with self._changed:
            self._rules.clear()
            self.asked.clear()
            self._most = self._now

    # --- What it was asked ---

    def times_asked(self, digest: str) -> int:
        return self.digests()[digest]

    def digests(self) -> Counter[str]:
        """How often each body was sent."""
        with self._changed:
            return Counter(asked.digest for asked in self.asked)

    @property
    def most_at_once(self) -> int:
        """How many requests were being answered at the same time, at most."""
        return self._most

    def wait_for(self, requests: int, seconds: float = 30) -> None:
        """Return once so many requests have arrived."""
        with self._changed:
            arrived = self._changed.wait_for(lambda: len(self.asked) >= requests, seconds)
        assert arrived, f"{len(self.asked)} of {requests} requests arrived"

    # --- For the server ---

    def arrived(self, path: str, raw: bytes, headers: Message) -> tuple[Asked, Behaviour]:
        """Record a request and choose how to behave."""
        with self._changed:
            asked = Asked(len(self.asked) + 1, path, raw, headers)
            self.asked.append(asked)
            self._now += 1
            self._most = max(self._most, self._now)
            self._changed.notify_all()
            return asked, self._behaviour(asked)

    def left(self) -> None:
        with self._changed:
            self._now -= 1

    def _behaviour(self, asked: Asked) -> Behaviour:
        for rule in self._rules:
            if rule.left != 0 and rule.matches(asked):
                rule.left = None if rule.left is None else rule.left - 1
                return rule.behaviour
        return well


def _numbered(number: int) -> Callable[[Asked], bool]:
    return lambda asked: asked.number == number


class Exchange(BaseHTTPRequestHandler):
    """One connection, which stays open for further requests."""

    protocol_version = "HTTP/1.1"
    # Head and body in one packet: two small ones would wait for each other.
    wbufsize = -1
    server: _Server
    asked: Asked

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @property
    def endpoint(self) -> Endpoint:
        return self.server.endpoint

    def do_POST(self) -> None:
        begin = time.monotonic()
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.asked, behaviour = self.endpoint.arrived(self.path, raw, self.headers)
        self._due = begin + self.endpoint.latency
        try:
            behaviour(self)
        except ConnectionError:
            self.close_connection = True  # the client left first
        finally:
            self.endpoint.left()

    def good(self) -> dict[str, Any]:
        """The reply of a server that behaves, as JSON.

        Raises:
            ValueError, KeyError, TypeError: what was asked is not of the protocol.
        """
        if self.path == EMBEDDINGS:
            return embeddings(self.asked.body)
        if self.path != CHAT:
            raise ValueError(f"no such route: {self.path}")
        return completion(self.asked.body, self.endpoint.answering(self.asked.body))

    def send(
        self,
        body: bytes,
        status: int = 200,
        kind: str = "application/json",
        length: int | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        """Send a whole reply at once, when it is due; ``length`` may claim more than there is."""
        self.pause(self._due - time.monotonic())
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def send_json(
        self, reply: object, status: int = 200, headers: Mapping[str, str] = NO_HEADERS
    ) -> None:
        self.send(json.dumps(reply).encode(), status, headers=headers)

    def pause(self, seconds: float | None) -> None:
        """Wait; shorter where the server closes."""
        if seconds is None or seconds > 0:
            self.endpoint.closing.wait(seconds)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: a benchmark prints figures only."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A client's idle connection would keep its thread, and the closing, waiting.
    block_on_close = False
    request_queue_size = 128

    def __init__(self, endpoint: Endpoint, port: int) -> None:
        self.endpoint = endpoint
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), Exchange)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        for connection in list(self._connections):
            self.shutdown_request(connection)


# --- Good replies ----------------------------------------------------------------------------


def well(exchange: Exchange) -> None:
    """Answer as asked; what is not of the protocol is a 400 that says so."""
    try:
        reply = exchange.good()
    except (ValueError, KeyError, TypeError) as error:
        exchange.send_json({"error": {"message": f"Not understood: {error!r}"}}, 400)
    else:
        exchange.send_json(reply)


def completion(body: Body, text: str) -> dict[str, Any]:
    """The reply of a chat; a token is a word here."""
    asked = sum(len(str(message["content"]).split()) for message in body["messages"])
    said = len(text.split())
    return {
        "id": "chatcmpl-bench",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": said,
            "total_tokens": asked + said,
        },
    }


def embeddings(body: Body) -> dict[str, Any]:
    texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("input is not text")
    as_text = body.get("encoding_format") == "base64"
    words = sum(len(text.split()) for text in texts)
    return {
        "object": "list",
        "model": body["model"],
        "data": [
            {"object": "embedding", "index": at, "embedding": _packed(v) if as_text else v}
            for at, v in enumerate(map(vector, texts))
        ],
        "usage": {"prompt_tokens": words, "total_tokens": words},
    }


def vector(text: str) -> list[float]:
    """The words counted in hashed places, as a vector of length 1, the same everywhere."""
    counts = [0.0] * DIMENSIONS
    for word in fold(text).split() or [""]:
        counts[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % DIMENSIONS] += 1
    length = math.hypot(*counts)
    return [count / length for count in counts]


def _packed(values: list[float]) -> str:
    """Little-endian 32-bit floats, as this machine stores them."""
    return base64.b64encode(array("f", values).tobytes()).decode()


# --- As a program ----------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.endpoint", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="where it listens (any that is free)")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before each reply")
    arguments = parser.parse_args()
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)  # in every thread, so that one waits for them
    with Endpoint(arguments.latency, port=arguments.port) as endpoint:
        for name, model in (("READER", "READER_MODELS"), ("EMBEDDINGS", "EMBEDDINGS_MODEL")):
            print(f"export {name}_URL={endpoint.url} {model}=stand-in", flush=True)
        signal.sigwait(ends)


if __name__ == "__main__":
    main()
