"""Questions that closure decides, as questions with passages: every unit becomes a passage.

The minimal sets of units are the reference sets, since closure proves that they are complete.
Atoms and edges are not kept: a requirement graph asks for values, and these ask for none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from certify_core.closure import Compiled
from certify_core.datasets.records import (
    ClosureRecord,
    Excerpt,
    Passage,
    Problem,
    QuestionRecord,
)
from certify_core.evidence import MinimalSets, all_minimal_sets
from certify_core.model import Unit

LIMIT = 20
"""Minimal sets kept of a question."""

Answer = Callable[[ClosureRecord, MinimalSets], str]


def questions(
    records: Iterator[ClosureRecord], answer: Answer = lambda record, _: record.label
) -> Iterator[QuestionRecord]:
    """Each record as a question; ``answer`` says what its reference answer is."""
    return (_question(record, answer) for record in records)


def _question(record: ClosureRecord, answer: Answer) -> QuestionRecord:
    found = _minimal_sets(record)
    numbers = {unit.uid: number for number, unit in enumerate(record.units)}
    passages = tuple(map(_passage, record.units))
    return QuestionRecord(
        dataset=record.dataset,
        key=record.key,
        text=record.text,
        answer=answer(record, found),
        passages=tuple(dict.fromkeys(passages)),
        sets=tuple(_members(passages, [numbers[uid] for uid in one]) for one in found.sets if one),
        problems=(*record.problems, *_problems(record, found)),
    )


def _minimal_sets(record: ClosureRecord) -> MinimalSets:
    """Those of what the label says: of the targets, of their denial, or none."""
    instance = {"true": record.instance, "false": record.denial}.get(record.label)
    if instance is None:
        return MinimalSets((), True)
    # Without a time limit, so that a file read twice gives the same sets.
    return all_minimal_sets(Compiled.of(instance), limit=LIMIT, seconds=math.inf)


def _passage(unit: Unit) -> Passage:
    title, _, body = unit.text.partition("\n")
    return Passage(title, body)


def _members(passages: tuple[Passage, ...], numbers: list[int]) -> tuple[Excerpt, ...]:
    """The bodies of the units with these numbers. Two units of one text are one passage."""
    once = list(dict.fromkeys(passages))
    indices = dict.fromkeys(once.index(passages[number]) for number in numbers)
    return tuple(
        Excerpt(index, len(once[index].title) + 1, len(once[index].text)) for index in indices
    )


def _problems(record: ClosureRecord, found: MinimalSets) -> list[Problem]:
    problems = []
    if record.label != "unknown" and not found.sets:
        message = f"labelled {record.label}, which does not follow from its sentences"
        problems.append(Problem(record.key, "label-disagrees", message))
    if any(not one for one in found.sets):
        problems.append(Problem(record.key, "empty-set", "it holds without any evidence"))
    if not found.complete:
        message = f"has more than {len(found.sets)} minimal sets; these are kept"
        problems.append(Problem(record.key, "more-sets", message))
    return problems
