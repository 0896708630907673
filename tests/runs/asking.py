"""Requests, answers, and attempts that may ask for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudication.claims.models import Question
from adjudication.readers.requests import Message, Reply, Request
from adjudication.readers.settings import ReaderSettings
from adjudication.runs.actions import claim_attempt, start_run
from adjudication.runs.models import Attempt, Run
from adjudication.runs.rules import Configuration
from adjudication.specifications.models import Specification

MODEL = "small"
READER = ReaderSettings(url="http://127.0.0.1:9/v1", key="", models=(MODEL,))
REPLY = Reply("null", "stop", 100, 7, 0.25)


def asks(**choices: Any) -> Configuration:
    """A configuration whose reader is the endpoint of ``READER``."""
    return Configuration(**{"reader": "endpoint", "model": MODEL} | choices)


def request(words: str = "Where was Anna Berg born?", sample: int = 0) -> Request:
    return Request(
        kind="link",
        version="link/1",
        model=MODEL,
        messages=(Message("user", words),),
        schema={"type": "null"},
        max_tokens=64,
        sample=sample,
    )


@dataclass
class Endpoint:
    """Answers every request alike, keeps count, and does something first if told to."""

    reply: Reply = REPLY
    meanwhile: Callable[[], object] = lambda: None
    asked: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        self.asked.append(request)
        self.meanwhile()
        return self.reply


def claimed_in(
    specification: Specification, questions: Sequence[Question], **choices: Any
) -> list[Attempt]:
    """The attempts of a new run that asks an endpoint, each in the hands of a worker."""
    return claimed(start_run(specification, questions, asks(**choices), None))


def claimed(run: Run) -> list[Attempt]:
    ids = Attempt.objects.filter(run=run).order_by("queued_at", "id").values_list("pk", flat=True)
    found = [claim_attempt(attempt_id) for attempt_id in ids]
    return [attempt for attempt in found if attempt is not None]
