"""MuSiQue (StonyBrookNLP/musique, CC BY 4.0).

Support is named by paragraph number (``idx``), since several paragraphs share a title.
The twins of MuSiQue-Full share one id, so the unanswerable one's key ends in
``/unanswerable``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from certify_core.datasets.gathering import Gathering
from certify_core.datasets.reading import Node, read_records
from certify_core.datasets.records import Excerpt, Problem, QuestionRecord
from certify_core.model import Requirement, RequirementGraph

DATASET = "musique"

_Sets = tuple[tuple[Excerpt, ...], ...]


def items(file: BinaryIO) -> Iterator[QuestionRecord]:
    return read_records(file, _question)


def _question(record: Node) -> QuestionRecord:
    gathering = Gathering()
    steps = record.field("question_decomposition")
    places = _places(record.field("paragraphs"), gathering)
    answerable = record.field("answerable")
    key = record.field("id").filled()
    graph, unplanned = _graph(steps)
    if answerable.flag():
        sets, unresolved = _reference_sets(steps, places, gathering)
        disagreeing = _disagreement(record, steps)
    else:
        key += "/unanswerable"
        message = "marked as not answerable from its paragraphs; it has no reference set"
        sets, unresolved, disagreeing = (), [answerable.problem("unanswerable", message)], []
    return QuestionRecord(
        dataset=DATASET,
        key=key,
        text=record.field("question").filled(),
        answer=record.field("answer").filled(),
        passages=gathering.passages,
        sets=sets,
        aliases=tuple(alias.text() for alias in record.field("answer_aliases").items()),
        kind=key.partition("__")[0] if "__" in key else "",
        graph=graph,
        problems=(*gathering.problems, *unresolved, *disagreeing, *unplanned),
    )


def _places(paragraphs: Node, gathering: Gathering) -> dict[int, int | None]:
    """Paragraph number → passage index, ``None`` if the paragraph is empty."""
    places: dict[int, int | None] = {}
    for paragraph in paragraphs.items():
        idx = paragraph.field("idx")
        if idx.number() in places:
            raise idx.fail(f"{idx.value} is the number of an earlier paragraph")
        title, body = paragraph.field("title").title(), paragraph.field("paragraph_text").text()
        places[idx.number()] = gathering.add(paragraph, title, body)
    return places


def _support(step: Node) -> Node:
    return step.field("paragraph_support_idx")


def _reference_sets(
    steps: Node, places: dict[int, int | None], gathering: Gathering
) -> tuple[_Sets, list[Problem]]:
    """One set: the whole bodies of the paragraphs the steps name, in their order."""
    if not steps.items():
        return (), [steps.problem("empty-set", "no step names a paragraph")]
    passages = gathering.passages
    found: dict[Excerpt, None] = {}
    problems = []
    for step in steps.items():
        result = _resolved(_support(step), places)
        if isinstance(result, Problem):
            problems.append(result)
        else:
            passage = passages[result]
            found[Excerpt(result, len(passage.title) + 1, len(passage.text))] = None
    return (() if problems else (tuple(found),)), problems


def _resolved(support: Node, places: dict[int, int | None]) -> int | Problem:
    if support.value is None:
        return support.problem("null-page", "the step names no paragraph")
    index = places.get(support.number())
    if index is None:
        message = f"there is no paragraph {support.value} with text"
        return support.problem("retrieval-miss", message)
    return index


def _disagreement(record: Node, steps: Node) -> list[Problem]:
    paragraphs = record.field("paragraphs").items()
    marked = {p.field("idx").number() for p in paragraphs if p.field("is_supporting").flag()}
    named = {_support(s).number() for s in steps.items() if _support(s).value is not None}
    if marked == named:
        return []
    message = f"is_supporting marks {sorted(marked)}, the steps name {sorted(named)}"
    return [record.problem("support-disagrees", message)]


def _graph(steps: Node) -> tuple[RequirementGraph | None, list[Problem]]:
    """The steps as lookups 1..n. What kind of value each expects the data do not say."""
    questions = [step.field("question").filled() for step in steps.items()]
    lookups = (Requirement(rid, "lookup", text) for rid, text in enumerate(questions, start=1))
    try:
        return RequirementGraph(tuple(lookups)), []
    except ValueError as error:  # InvalidGraph, or a "#…" with more digits than int() takes
        return None, [steps.problem("invalid-plan", str(error))]
