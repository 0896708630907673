"""Answer: what a question's answer is, read straight from passages."""

from __future__ import annotations

from collections.abc import Sequence

from adjudication.readers.prompts.common import (
    CALL_LIMIT,
    content,
    numbered,
    request,
    shown,
    strict,
    words,
)
from adjudication.readers.requests import Reply, Request
from certify_core.model import Unit

VERSION = "answer/1"

_INSTRUCTIONS = """\
You answer a question from numbered passages and from nothing else. Give the shortest answer that \
the passages state or that follows from what they state: a name, a date, a number, "yes" or \
"no". If they do not settle the question, the answer is null. What you know from elsewhere does \
not count.

Answer with JSON only: {"answer": text or null}."""

_SCHEMA = strict(answer={"type": ["string", "null"]})
_TOKENS = 128


def ask(model: str, sample: int, question: str, units: Sequence[Unit]) -> Request:
    """The request for the answer that ``units`` give."""
    asked = {"question": question, "passages": numbered(units)}
    return request("answer", VERSION, _INSTRUCTIONS, asked, _SCHEMA, _TOKENS, model, sample)


def fitting(units: Sequence[Unit]) -> Sequence[Unit]:
    """The first units that fit into one call."""
    room = CALL_LIMIT
    for number, unit in enumerate(units):
        room -= len(shown(unit))
        if room < 0:
            return units[:number]
    return units


def read(reply: Reply) -> str | None:
    """The answer; ``None`` for "not stated".

    Raises:
        Closed: the reply is not as asked.
    """
    answer = content(reply, "answer")["answer"]
    return None if answer is None else words(answer)
