"""WiCE (ryokamoi/wice, annotations ODC-BY 1.0): claims of Wikipedia against one cited page.

``supporting_sentences`` lists alternative routes as sentence numbers from 0. A claim that
is not supported carries ``[[]]``, and the routes of a partly supported one justify only
part of it: neither has a sufficient set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from certify_core.datasets.claims import GivenSet, assertion, read_label, usable
from certify_core.datasets.gathering import Gathering
from certify_core.datasets.reading import Node, parse_records, read_records
from certify_core.datasets.records import (
    ClaimLabel,
    ClaimRecord,
    Excerpt,
    Passage,
    Problem,
    QuestionRecord,
)

DATASET = "wice"
META = "(meta data) TITLE: "

LABELS: Mapping[str, ClaimLabel] = {
    "supported": "supported",
    "partially_supported": "partially-supported",
    "not_supported": "not-enough-info",
}
ALIASES = {
    "SUPPORTED": "supported",
    "PARTIALLY_SUPPORTED": "partially_supported",
    "NOT_SUPPORTED": "not_supported",
}


def parse(data: bytes) -> tuple[ClaimRecord, ...]:
    """The claims of a file of ``entailment_retrieval``; the page is named by the claim's id.

    Raises:
        InvalidRecord: another shape, an unknown label, an id used twice.
    """
    return parse_records(data, _claim)


def items(file: BinaryIO) -> Iterator[QuestionRecord]:
    """Each claim as the question whether it holds, with the page that it cites."""
    return read_records(file, _question)


def _question(record: Node) -> QuestionRecord:
    claim = _claim(record)
    sentences = [sentence.text() for sentence in record.field("evidence").items()]
    gathering = Gathering()
    index = gathering.add(record, _title(sentences, claim.key), "\n".join(sentences))
    places = {} if index is None else _places(gathering.passages[index], sentences)
    sets, unresolved = [], []
    for members in claim.sets:
        if all(number in places for _, number in members):
            sets.append(tuple(Excerpt(0, *places[number]) for _, number in members))
        else:
            unresolved.append(record.problem("blank-sentence", "a set names a blank sentence"))
    return QuestionRecord(
        dataset=DATASET,
        key=claim.key,
        text=claim.text,
        answer=claim.label,
        passages=gathering.passages,
        sets=tuple(sets),
        problems=(*claim.problems, *gathering.problems, *unresolved),
        claim=assertion(claim.text, claim.label),
    )


def _title(sentences: Sequence[str], key: str) -> str:
    """The page's title as its meta data give it, else its first words."""
    first = next((one for one in sentences if one.strip()), key)
    return first.removeprefix(META).strip().split("\n", 1)[0]


def _places(page: Passage, sentences: Sequence[str]) -> dict[int, tuple[int, int]]:
    """The range of every sentence that is not blank."""
    places = {}
    start = len(page.title) + 1
    for number, sentence in enumerate(sentences):
        end = start + len(sentence)
        if sentence.strip():
            places[number] = (end - len(sentence.lstrip()), end)
        start = end + 1
    return places


def _claim(record: Node) -> ClaimRecord:
    key = record.field("meta").field("id").filled()
    label, aliased = read_label(record.field("label"), LABELS, ALIASES)
    routes = record.field("supporting_sentences").items()
    given: list[GivenSet] = [
        (route, tuple((key, sentence.number()) for sentence in route.items())) for route in routes
    ]
    inside, outside = _within(given, len(record.field("evidence").items()))
    sets, unused = usable(inside)
    if label != "supported":
        sets, unused = (), [*unused, *_insufficient(record, label, inside)]
    return ClaimRecord(
        dataset=DATASET,
        key=key,
        text=record.field("claim").filled(),
        label=label,
        given_label=record.field("label").text(),
        given=tuple(members for _, members in given),
        sets=sets,
        problems=(*aliased, *outside, *unused),
    )


def _within(given: list[GivenSet], sentences: int) -> tuple[list[GivenSet], list[Problem]]:
    inside: list[GivenSet] = []
    problems = []
    for node, members in given:
        if all(line is not None and 0 <= line < sentences for _, line in members):
            inside.append((node, members))
        else:
            message = f"names a sentence beyond the {sentences} of the page"
            problems.append(node.problem("sentence-out-of-range", message))
    return inside, problems


def _insufficient(record: Node, label: ClaimLabel, given: list[GivenSet]) -> list[Problem]:
    if not any(members for _, members in given):
        return []
    message = f"the routes of a claim that is {label} are not sufficient; not used"
    return [record.field("supporting_sentences").problem("insufficient-sets", message)]
