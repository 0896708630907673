"""Link: which value each of several passages states for one requirement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from adjudication.readers.prompts.common import (
    Closed,
    content,
    expected,
    fields,
    numbered,
    request,
    shown,
    strict,
    words,
)
from adjudication.readers.requests import Reply, Request
from certify_core.dates import read_date
from certify_core.errors import legible
from certify_core.model import Requirement, Unit, ValueKind
from certify_core.protocols import Reading
from certify_core.quantities import read_number
from certify_core.sentences import sentence_at
from certify_core.values import canonical

VERSION = "link/1"

_INSTRUCTIONS = """\
You read passages and report what they state. You get a requirement, which asks for one fact \
about one entity, and numbered passages. Say for each passage which value it states for the \
requirement, about exactly the entity that the requirement names.

- Copy the value from the passage character by character: the shortest words that answer.
- Copy the whole sentence of the passage that states it, character by character.
- Use null for both if the passage does not state it; if it states it of another entity, such \
as a namesake, a remake, a relative or a place of like name; or if you would have to guess, \
calculate, or know it from elsewhere.
- Give one verdict for each passage, under its number. A verdict rests on its own passage alone.

Answer with JSON only: {"verdicts": [{"passage": number, "value": text or null, "sentence": text \
or null}, …]}."""

_OR_NULL = {"type": ["string", "null"]}
_SCHEMA = strict(
    verdicts={
        "type": "array",
        "items": strict(passage={"type": "integer"}, value=_OR_NULL, sentence=_OR_NULL),
    }
)
_PER_PASSAGE, _BESIDE = 256, 128  # tokens: a value with its sentence, and what is around them

Found = Reading | Closed | None
"""What came of one passage; ``None`` where it states nothing."""


def ask(
    model: str, sample: int, requirement: Requirement, text: str, units: Sequence[Unit]
) -> Request:
    """The request for the values that ``units`` state for ``text``."""
    asked = {
        "requirement": text,
        "expected": expected(requirement.expect),
        "passages": numbered(units),
    }
    tokens = _PER_PASSAGE * len(units) + _BESIDE
    return request("link", VERSION, _INSTRUCTIONS, asked, _SCHEMA, tokens, model, sample)


def read(
    reply: Reply, model: str, requirement: Requirement, units: Sequence[Unit]
) -> tuple[list[Found], list[str]]:
    """What each unit states, in their order, and what was said of no unit at all.

    Raises:
        Closed: the reply as a whole is not as asked.
    """
    said: dict[int, list[Any]] = {number: [] for number in range(1, len(units) + 1)}
    astray: list[str] = []
    for verdict in _verdicts(reply):
        number = verdict.get("passage") if isinstance(verdict, dict) else None
        if type(number) is int and number in said:
            said[number].append(verdict)
        else:
            astray.append(f"a verdict about no passage that was asked about: {_about(number)}")
    cue = f"{model}, {VERSION}"
    return [
        _found(said[number], unit, requirement.expect, cue)
        for number, unit in enumerate(units, start=1)
    ], astray


def _verdicts(reply: Reply) -> list[Any]:
    verdicts = content(reply, "verdicts")["verdicts"]
    if not isinstance(verdicts, list):
        raise Closed("wrong schema")
    return verdicts


def _about(number: object) -> str:
    return legible(str(number))[:40] if isinstance(number, int | str) else "none named"


def _found(verdicts: Sequence[Any], unit: Unit, kind: ValueKind, cue: str) -> Found:
    try:
        return _reading(_only(verdicts), unit, kind, cue)
    except Closed as reason:
        return reason


def _only(verdicts: Sequence[Any]) -> dict[str, Any]:
    if len(verdicts) != 1:
        raise Closed("two verdicts about it" if verdicts else "no verdict about it")
    return fields(verdicts[0], "passage", "value", "sentence")


def _reading(verdict: dict[str, Any], unit: Unit, kind: ValueKind, cue: str) -> Reading | None:
    if verdict["value"] is None and verdict["sentence"] is None:
        return None
    value = words(verdict["value"])
    if not _is_a(kind, value):
        raise Closed(f"not {expected(kind)}")
    text = shown(unit)
    start = _place(text, value, verdict["sentence"])
    end = start + len(value)
    return Reading(
        value=value,
        canonical=canonical(value, kind),
        kind=kind,
        start=start,
        end=end,
        sentence=sentence_at(text, start, end),
        cue=cue,
    )


def _is_a(kind: ValueKind, value: str) -> bool:
    """Whether the value can be read as its kind; of names anything may be one."""
    if kind == "date":
        return read_date(value) is not None
    return kind != "number" or read_number(value) is not None


# --- Where a value stands --------------------------------------------------------------------


def _place(text: str, value: str, quoted: object) -> int:
    """Where the value begins: its only place, or the first in the sentence that was quoted.

    Raises:
        Closed: it is not in the text, or nobody can say which of its places is meant.
    """
    places = list(_places(text, value))
    if not places:
        raise Closed("the value is not in the passage")
    sentence = _quoted(text, words(quoted, limit=len(text)))
    if sentence is None and len(places) == 1:
        return places[0]
    if sentence is None:
        raise Closed("the value is in several places and the quoted sentence in none")
    inside = [at for at in places if sentence[0] <= at and at + len(value) <= sentence[1]]
    if not inside:
        raise Closed("the value is not in the quoted sentence")
    return inside[0]


def _places(text: str, value: str) -> Iterator[int]:
    """Every place of the value that is not part of a longer word or number."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not _cuts(text[at - 1 : at], value[0]) and not _cuts(value[-1], text[end : end + 1]):
            yield at
        at = text.find(value, at + 1)


def _cuts(left: str, right: str) -> bool:
    """Whether a word or number goes on from one character to the next.

    Only scripts with upper and lower case put spaces between all their words.
    """
    return all(sign.isdecimal() or sign.upper() != sign.lower() for sign in (left, right))


def _quoted(text: str, sentence: str) -> tuple[int, int] | None:
    """Where a sentence stands in the text, spaces and line breaks being alike."""
    found = re.search(r"\s+".join(map(re.escape, sentence.split())), text)
    return found.span() if found else None
