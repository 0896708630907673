"""Ways in which a model endpoint misbehaves, for `bench.endpoint`."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from bench.endpoint import Behaviour, Exchange, completion, well

MEGABYTE = 1_000_000


def hangs(exchange: Exchange) -> None:
    """Takes the request and never answers."""
    exchange.pause(None)
    exchange.close_connection = True


def waits_for(event: threading.Event, then: Behaviour = well) -> Behaviour:
    """Answers once somebody else says so."""

    def behave(exchange: Exchange) -> None:
        while not event.is_set() and not exchange.endpoint.closing.is_set():
            event.wait(0.02)
        then(exchange)

    return behave


def stalls(exchange: Exchange) -> None:
    """Sends half of a good reply and no more, with the connection open."""
    good = json.dumps(exchange.good()).encode()
    exchange.send(good[: len(good) // 2], length=len(good))
    hangs(exchange)


def cuts(exchange: Exchange) -> None:
    """Closes the connection in the middle of the body."""
    good = json.dumps(exchange.good()).encode()
    exchange.send(good[: len(good) // 2], length=len(good))
    exchange.close_connection = True


def drops(exchange: Exchange) -> None:
    """Closes the connection without a word."""
    exchange.close_connection = True


def html(exchange: Exchange) -> None:
    """A proxy's page, as a success."""
    exchange.send(b"<!doctype html><title>Sign in</title><h1>Sign in</h1>", kind="text/html")


def half_json(exchange: Exchange) -> None:
    """A whole reply by its length, that ends in the middle of its JSON."""
    good = json.dumps(exchange.good()).encode()
    exchange.send(good[: len(good) // 2])


def fails(status: int = 500) -> Behaviour:
    message = {"error": {"message": "The model is not loaded.", "type": "server_error"}}
    return lambda exchange: exchange.send_json(message, status)


def too_many(retry_after: str | None = None) -> Behaviour:
    """429, with or without a Retry-After of seconds or a date."""
    message = {"error": {"message": "Too many requests.", "type": "rate_limit_error"}}
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return lambda exchange: exchange.send_json(message, 429, headers)


def redirects(to: str, status: int = 307) -> Behaviour:
    return lambda exchange: exchange.send(b"", status, headers={"Location": to})


def without_schemas(exchange: Exchange) -> None:
    """Behaves, but knows no JSON schemas, as older servers do."""
    if exchange.asked.body.get("response_format", {}).get("type") == "json_schema":
        message = "response_format of type json_schema is not supported"
        exchange.send_json({"error": {"message": message, "param": "response_format"}}, 400)
    else:
        well(exchange)


def says(text: str, finish: str = "stop") -> Behaviour:
    """A well-formed reply with this text, whatever was asked: another language, another
    schema, no JSON at all."""

    def behave(exchange: Exchange) -> None:
        reply = completion(exchange.asked.body, text)
        reply["choices"][0]["finish_reason"] = finish
        exchange.send_json(reply)

    return behave


another_language = says("К сожалению, я не нашёл ответа в этих отрывках.")
wrong_schema = says('{"verdict": "maybe", "score": 0.7}')


def is_huge(size: int = 10 * MEGABYTE) -> Behaviour:
    """A well-formed reply of this many bytes."""
    return lambda exchange: says("ха" * (size // 12))(exchange)


def _changed(change: Callable[[dict[str, Any]], object]) -> Behaviour:
    """A good reply, but for one thing."""

    def behave(exchange: Exchange) -> None:
        reply = exchange.good()
        change(reply)
        exchange.send_json(reply)

    return behave


def _refuse(reply: dict[str, Any]) -> None:
    reply["choices"][0]["message"] |= {"content": None, "refusal": "I can't help with that."}


def _truncate(reply: dict[str, Any]) -> None:
    choice = reply["choices"][0]
    choice["finish_reason"] = "length"
    choice["message"]["content"] = choice["message"]["content"][:-2]


refuses = _changed(_refuse)
truncates = _changed(_truncate)
reports_no_tokens = _changed(lambda reply: reply.pop("usage"))
has_no_choices = _changed(lambda reply: reply["choices"].clear())
