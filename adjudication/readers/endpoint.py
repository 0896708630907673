"""The model endpoint: one request to any OpenAI-compatible server, one reply.

Servers differ in what they know of the protocol. What one refuses by name is left out from
then on, for as long as the process runs: the schema of the answer first, since prompts say
in words what it says, then the sampling, then the older name of the token limit.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import openai

from adjudication.readers.requests import EndpointDown, Reply, Request, token_count
from adjudication.readers.settings import Format, ReaderSettings
from adjudication.readers.transport import SYSTEM_CLOCK, Body, Clock, Line, Refused, Send, code_in

REPLY_LIMIT = 1_000_000
"""Bytes of a reply; no answer that is asked for comes near it."""

_SIMPLER: Mapping[Format, Format] = {"json_schema": "json_object", "json_object": "text"}
_FORMAT_WORDS = re.compile(r"response.?format|json.?schema|json.?object|grammar|guided")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server understands, as far as known."""

    format: Format
    sampling: bool = True
    limit: str = "max_tokens"

    def without(self, words: str) -> Dialect | None:
        """The dialect that leaves out what a refusal names; ``None`` if it names nothing here."""
        if self.format in _SIMPLER and _FORMAT_WORDS.search(words):
            return replace(self, format=_SIMPLER[self.format])
        if self.sampling and re.search(r"temperature|seed", words):
            return replace(self, sampling=False)
        if self.limit == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, limit="max_completion_tokens")
        return None


class ModelEndpoint:
    """An ``Ask`` that buys each answer. Any number of threads may share it.

    So many calls as the settings allow are made at once; further threads wait for their turn.
    """

    def __init__(self, settings: ReaderSettings, clock: Clock = SYSTEM_CLOCK) -> None:
        self._settings = settings
        self._line = Line(settings.url, settings.key, settings.timeout, clock)
        self._slots = threading.BoundedSemaphore(settings.calls_at_once)
        self._dialects: dict[str, Dialect] = {}

    def __call__(self, request: Request) -> Reply:
        """The reply, whatever it says.

        Raises:
            EndpointDown: there is none, or what came is not of the protocol.
        """
        model = request.model
        if model not in self._settings.models:
            raise EndpointDown(f"the model “{model}” is not among those offered here any more")
        dialect = self._dialects.get(model, Dialect(self._settings.format))
        while True:
            try:
                with self._slots:
                    body = self._line.call(_chat(request, dialect), REPLY_LIMIT)
            except Refused as refused:
                if (simpler := dialect.without(refused.words)) is None:
                    return _refusal(refused)
                dialect = simpler
            else:
                self._dialects[model] = dialect
                return reply_in(body)

    def close(self) -> None:
        """Close the connections; the endpoint cannot be asked any more."""
        self._line.close()


def reply_in(body: Body) -> Reply:
    """The reply that a success holds.

    Raises:
        EndpointDown: it is not of the protocol, so that nothing was answered.
    """
    if not body.whole and body.content.lstrip().startswith(b"{"):
        return Reply("", "too long", None, None, body.seconds)
    answer = _read(body.content)
    choice = _first(answer.get("choices"))
    message = choice.get("message")
    if not isinstance(message, dict):
        code = code_in(answer)
        named = f", “{code}”" if code else ""
        raise EndpointDown(f"it answered with JSON that is no chat completion{named}")
    text, finish = message.get("content"), choice.get("finish_reason")
    if isinstance(refusal := message.get("refusal"), str) and refusal.strip():
        text, finish = refusal, "refusal"
    usage = answer.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Reply(
        text=text if isinstance(text, str) else "",
        finish=finish if isinstance(finish, str) else "",
        tokens_in=token_count(counts.get("prompt_tokens")),
        tokens_out=token_count(counts.get("completion_tokens")),
        seconds=body.seconds,
    )


def _refusal(refused: Refused) -> Reply:
    """A filter's refusal, which some servers send as an error, is an answer; others are none."""
    if refused.code == "content_filter":
        return Reply("", "content_filter", None, None, refused.seconds)
    raise EndpointDown(f"the request was refused: {refused}")


def _chat(request: Request, dialect: Dialect) -> Send:
    body: dict[str, Any] = {
        "messages": [one._asdict() for one in request.messages],
        dialect.limit: request.max_tokens,
    }
    if dialect.sampling:
        body |= {"temperature": 0, "seed": request.sample}
    if dialect.format != "text":
        body["response_format"] = _response_format(request, dialect.format)
    # Servers that know it answer a repeated request once.
    headers = {"Idempotency-Key": f"{request.digest}-{request.sample}"}

    def send(
        client: openai.OpenAI, options: Mapping[str, Any]
    ) -> AbstractContextManager[openai.APIResponse[Any]]:
        both = {**options, "extra_headers": {**options["extra_headers"], **headers}}
        # What goes beside, the client searches member by member for values to convert, which
        # takes it longer than to send it. Here every value is JSON already.
        return client.chat.completions.with_streaming_response.create(
            model=request.model, messages=[], extra_body=body, **both
        )

    return send


def _response_format(request: Request, form: Format) -> dict[str, Any]:
    if form == "json_object":
        return {"type": form}
    schema = {"name": request.kind, "strict": True, "schema": request.schema}
    return {"type": form, "json_schema": schema}


def _read(content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict):
        return answer
    if content.lstrip().startswith(b"<"):
        raise EndpointDown("it answered with a web page; a proxy may stand before the endpoint")
    raise EndpointDown("it answered with broken JSON")


def _first(choices: object) -> dict[str, Any]:
    found = choices[0] if isinstance(choices, list) and choices else None
    return found if isinstance(found, dict) else {}
