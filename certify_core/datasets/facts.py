"""Questions whose evidence is named as (title, sentence number): HotpotQA and 2Wiki.

Two layouts, native ``[[title, x], …]`` and parallel lists ``{"title": […], …: […]}``.
A set holds every supporting fact or is left out; sentence numbers count from 0.
"""

from __future__ import annotations

from certify_core.datasets.gathering import Gathering, Range, joined
from certify_core.datasets.reading import Node
from certify_core.datasets.records import Excerpt, Problem, QuestionRecord

_Place = tuple[int, tuple[Range, ...]]
"""A passage's index and the ranges of its sentences in its body."""


def read_question(dataset: str, record: Node) -> QuestionRecord:
    gathering = Gathering()
    places = _places(record.field("context"), gathering)
    sets, problems = _reference_sets(record.field("supporting_facts"), gathering, places)
    return QuestionRecord(
        dataset=dataset,
        key=record.field("_id" if record.has("_id") else "id").filled(),
        text=record.field("question").filled(),
        answer=record.field("answer").filled(),
        passages=gathering.passages,
        sets=sets,
        kind=record.field("type").text() if record.has("type") else "",
        problems=(*gathering.problems, *problems),
    )


def _pairs(node: Node, second: str) -> list[tuple[Node, Node]]:
    if not node.is_object():
        return [item.pair() for item in node.items()]
    left, right = node.field("title").items(), node.field(second).items()
    if len(left) != len(right):
        raise node.fail(f"{len(left)} entries of 'title' but {len(right)} of {second!r}")
    return list(zip(left, right, strict=True))


def _places(context: Node, gathering: Gathering) -> dict[str, list[_Place]]:
    """Where each title stands: more than one place if the title is ambiguous."""
    places: dict[str, list[_Place]] = {}
    for name, sentences in _pairs(context, "sentences"):
        title = name.title()
        body, ranges = joined([sentence.text() for sentence in sentences.items()])
        index = gathering.add(name, title, body)
        known = places.setdefault(title, [])
        if index is not None and (index, ranges) not in known:
            known.append((index, ranges))
            if len(known) == 2:
                message = f"{title!r} is the title of several passages"
                gathering.problems.append(name.problem("ambiguous-title", message))
    return places


def _reference_sets(
    node: Node, gathering: Gathering, places: dict[str, list[_Place]]
) -> tuple[tuple[tuple[Excerpt, ...], ...], list[Problem]]:
    facts = [] if node.value == [[]] else _pairs(node, "sent_id")
    if not facts:
        return (), [node.problem("empty-set", "no supporting fact is named")]
    passages = gathering.passages
    found: dict[Excerpt, None] = {}
    problems = []
    missing = False
    for title, number in facts:
        result = _resolved(title, number, places)
        if isinstance(result, Problem):
            missing = True
            problems.append(result)
            continue
        index, (start, end) = result
        offset = len(passages[index].title) + 1
        excerpt = Excerpt(index, offset + start, offset + end)
        if excerpt in found:
            problems.append(title.problem("repeated-fact", "named before; counted once"))
        found[excerpt] = None
    return (() if missing else (tuple(found),)), problems


def _resolved(
    title: Node, number: Node, places: dict[str, list[_Place]]
) -> tuple[int, Range] | Problem:
    if title.value is None:
        return title.problem("null-page", "the fact names no title")
    name, sentence = title.text(), number.number()
    candidates = places.get(name, [])
    if not candidates:
        return title.problem("retrieval-miss", f"no passage of the context is titled {name!r}")
    if len(candidates) > 1:
        return title.problem("ambiguous-fact", f"several passages are titled {name!r}")
    index, ranges = candidates[0]
    if not 0 <= sentence < len(ranges):
        message = f"{name!r} has {len(ranges)} sentences, none numbered {sentence}"
        return number.problem("sentence-out-of-range", message)
    start, end = ranges[sentence]
    if start == end:
        return number.problem("blank-sentence", f"sentence {sentence} of {name!r} is blank")
    return index, (start, end)
