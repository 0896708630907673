"""MultiHop-RAG: questions with quoted facts, in one file or two."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from certify_core.datasets import multihoprag
from certify_core.errors import InvalidRecord
from tests.core.datasets.samples import as_array, plain, real

FACTS = [
    {"fact": "The mill burnt.", "title": "Fire", "url": "u1"},
    {"fact": "It was rebuilt.", "title": "Again", "url": "u2"},
]
RECORD: dict[str, Any] = {
    "query": "Did it burn?",
    "answer": "yes",
    "question_type": "inference_query",
    "evidence_list": FACTS,
}
QUERY = {"id": "0", "question": "Did it burn?", "question_type": "inference_query"}


def pair(queries: list[Any], truth: dict[str, Any]) -> tuple[Any, ...]:
    return multihoprag.parse_pair(
        json.dumps({"queries": queries}).encode(), json.dumps(truth).encode()
    )


def codes(record: object) -> list[str]:
    (found,) = multihoprag.parse(as_array(record))
    return [problem.code for problem in found.problems]


def test_facts_and_retrieved_texts_are_read():
    """Both names of the evidence list; retrieved texts keep their order."""
    texts = [{"text": "b", "score": 1}, {"text": "a", "score": 0.5}]
    record = {k: v for k, v in RECORD.items() if k != "evidence_list"}
    record |= {"gold_list": FACTS, "retrieval_list": texts}
    plain_record, with_retrieval = multihoprag.parse(as_array(RECORD, record))
    assert plain_record.facts == with_retrieval.facts
    assert (plain_record.retrieved, with_retrieval.retrieved) == (None, ("b", "a"))
    assert (plain_record.key, with_retrieval.key) == ("record 1", "record 2")


def test_two_files_are_joined_by_id():
    """Not by position."""
    first, second = pair(
        [QUERY, {**QUERY, "id": "1"}],
        {
            "1": {"answer": "no", "evidence_list": []},
            "0": {"answer": "yes", "evidence_list": FACTS},
        },
    )
    assert (first.answer, second.answer) == ("yes", "no")


@pytest.mark.parametrize(
    ("queries", "truth", "fault"),
    [
        ([QUERY], {}, "queries.0.: the other file has no evidence for '0'"),
        ([], {"0": {}}, "file: no question has the id '0'"),
    ],
)
def test_files_that_do_not_pair_are_refused(queries, truth, fault):
    """A question without evidence, or evidence without a question."""
    with pytest.raises(InvalidRecord, match=fault):
        pair(queries, truth)


def test_doubtful_evidence_is_named():
    """Empty, repeated, from one article, or for a question that has no answer."""
    same = {**FACTS[1], "url": "u1"}
    assert codes({**RECORD, "evidence_list": []}) == ["empty-set"]
    assert codes({**RECORD, "evidence_list": [FACTS[0], same]}) == ["shared-article"]
    assert codes({**RECORD, "evidence_list": [FACTS[0]] * 2}) == ["repeated-fact", "shared-article"]
    assert codes({**RECORD, "question_type": "null_query"}) == ["unexpected-evidence"]
    null = {**RECORD, "question_type": "null_query", "evidence_list": []}
    assert codes(null) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"evidence_list": [{"fact": ""}]}, r"record 1: evidence_list\[0\].fact: is empty"),
        ({"query": None}, "record 1: query: expected text, got null"),
        ({"retrieval_list": ["a"]}, r"record 1: retrieval_list\[0\]: expected an object"),
    ],
)
def test_other_shapes_are_refused_at_their_place(change, fault):
    """The record and the path of the fault."""
    with pytest.raises(InvalidRecord, match=fault):
        multihoprag.parse(as_array({**RECORD, **change}))


def test_real_sample_is_read_whole():
    """500 questions, 71 of them null; in 35 there are fewer articles than facts."""
    queries = real("multihop-rag/sample500_queries.json")
    truth = real("multihop-rag/sample500_ground_truth.json")
    records = multihoprag.parse_pair(queries.read_bytes(), truth.read_bytes())
    assert len(records) == 500
    assert sum(record.kind == multihoprag.NULL for record in records) == 71
    problems = Counter(problem.code for record in records for problem in record.problems)
    assert problems == {"shared-article": 35}
    given = json.loads(truth.read_text("utf-8"))
    assert all(len(given[r.key]["evidence_list"]) == len(r.facts) for r in records)


def test_real_retrieval_file_is_read_whole():
    """8 questions with ten texts each."""
    file = real("multihop-rag/llm-embedder_retrieval_test.json")
    records = multihoprag.parse(file.read_bytes())
    assert [len(record.retrieved or ()) for record in records] == [10] * 8
    assert [r.text for r in records] == [given["query"] for given in plain(file)]
