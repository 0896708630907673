"""What an honest reader says to the prompts of `adjudication.readers`, read by patterns.

The last message of a request holds what is asked as one JSON object, after a line with its mark:

    {"kind": "decompose", "question": "..."}
    {"kind": "link", "requirement": "...", "passages": [{"number": 1, "title", "text"}, ...]}
    {"kind": "verify", "requirement": "...", "passage": {...}, "value": "..."}
    {"kind": "answer", "question": "...", "passages": [...]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from certify_core.model import Requirement, Unit
from certify_core.pattern_reader import PatternReader
from certify_core.protocols import Reading

Said = dict[str, Any]

READER = PatternReader()


def answer_to(body: Mapping[str, Any]) -> str:
    """The text of a good reply to a chat request.

    Raises:
        KeyError, ValueError: it asks nothing that is known here.
    """
    asked = asked_in(body)
    return json.dumps(ANSWERS[asked["kind"]](asked), ensure_ascii=False)


def asked_in(body: Mapping[str, Any]) -> Said:
    content: str = body["messages"][-1]["content"]
    found, _ = json.JSONDecoder().raw_decode(content, content.index("{"))
    return dict(found)


def decompose(asked: Said) -> Said:
    graph = READER.decompose(asked["question"])
    steps = [asdict(requirement) for requirement in graph.requirements] if graph else None
    return {"requirements": steps}


def link(asked: Said) -> Said:
    return {"verdicts": [_verdict(asked["requirement"], p) for p in asked["passages"]]}


def _verdict(text: str, passage: Said) -> Said:
    unit = unit_of(passage)
    found = reading(text, unit)
    if found is None:
        return {"passage": passage["number"], "value": None, "sentence": None}
    sentence = unit.text[slice(*found.sentence)]
    return {"passage": passage["number"], "value": found.value, "sentence": sentence}


def verify(asked: Said) -> Said:
    text, unit = asked["requirement"], unit_of(asked["passage"])
    found = reading(text, unit)
    if found is None or found.value != asked["value"]:
        return {"verdict": "no"}
    holds = READER.verify(lookup(text), text, unit, found)
    return {"verdict": "yes" if holds else "no"}


def answer(asked: Said) -> Said:
    return {"answer": READER.answer(asked["question"], [unit_of(p) for p in asked["passages"]])}


def reading(text: str, unit: Unit) -> Reading | None:
    return READER.link(lookup(text), text, [unit])[0]


def lookup(text: str) -> Requirement:
    return Requirement(1, "lookup", text)


def unit_of(passage: Said) -> Unit:
    text = f"{passage['title']}\n{passage['text']}"
    # Named by its text, so that whoever remembers units knows it in the next call.
    return Unit(text, passage["title"], text)


ANSWERS: dict[str, Callable[[Said], Said]] = {
    "decompose": decompose,
    "link": link,
    "verify": verify,
    "answer": answer,
}
