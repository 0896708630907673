"""Stored calls of a model, as a worker leaves them."""

from __future__ import annotations

from typing import Any

from adjudication.readers.requests import Message, Request
from adjudication.runs.models import Attempt, ReaderAnswer, ReaderCall, ReaderFailure

MODEL = "small"


def request_for(words: str, kind: Any = "link") -> Request:
    return Request(
        kind=kind,
        version=f"{kind}/1",
        model=MODEL,
        messages=(Message("system", "Copy the value."), Message("user", words)),
        schema={"type": "object"},
        max_tokens=100,
    )


def sent(
    attempt: Attempt, words: str, kind: str = "link", reuses: ReaderAnswer | None = None
) -> ReaderCall:
    """A call of the attempt's holder that nothing came of yet; or one that was not sent."""
    request = request_for(words, kind)
    return ReaderCall.objects.create(
        project_id=attempt.run.project_id,
        run_id=attempt.run_id,
        attempt=attempt,
        token=attempt.token,
        ordinal=attempt.calls.count() + 1,
        kind=kind,
        model=MODEL,
        request_sha256=request.digest,
        sample=0,
        request=None if reuses else request.body,
        reuses=reuses,
    )


def answered(
    call: ReaderCall,
    text: str = '{"verdicts": []}',
    *,
    tokens: tuple[int | None, int | None] = (100, 20),
    finish: str = "stop",
) -> ReaderAnswer:
    made = ReaderAnswer.objects.create(
        call=call,
        project_id=call.project_id,
        request_sha256=call.request_sha256,
        sample=call.sample,
        text=text,
        finish=finish,
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        seconds=0.25,
    )
    made.refresh_from_db()  # the database says whether it is surplus
    return made


def failed(call: ReaderCall, error: str) -> ReaderFailure:
    return ReaderFailure.objects.create(call=call, error=error, seconds=60.0)
