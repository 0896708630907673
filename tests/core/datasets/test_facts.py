"""HotpotQA and 2Wiki: sentences as evidence, in both layouts."""

from __future__ import annotations

from typing import Any

import pytest

from certify_core.datasets import parse
from certify_core.datasets.gathering import joined

from .samples import (
    HOTPOT,
    TWOWIKI,
    as_array,
    changed,
    codes,
    exact_sets,
    hugging_face,
    only,
    plain,
    real,
    refusal,
)


def with_facts(*facts: object) -> dict[str, Any]:
    return {**HOTPOT, "supporting_facts": list(facts)}


def test_native_record_gives_one_set_of_exact_sentences() -> None:
    """Facts keep their order; the sentence's own leading space is not part of it."""
    question = only("hotpotqa", HOTPOT)
    assert (question.key, question.kind, question.answer) == ("h1", "comparison", "Brill")
    assert exact_sets(question) == [['It was built in 1911. "', "Brill was built in 1904."]]
    assert question.graph is None
    assert question.problems == ()


def test_hugging_face_layout_gives_the_same_record() -> None:
    """Parallel lists and pairs are two spellings of one thing."""
    assert only("hotpotqa", hugging_face(HOTPOT)) == only("hotpotqa", HOTPOT)


def test_sentences_with_their_own_spaces_are_joined_as_they_are() -> None:
    """Upstream splits inside quotations; a space there would change the text."""
    tarn = only("hotpotqa", HOTPOT).passages[1]
    assert tarn.text == 'Tarn\nTarn is a ferry. It was built in 1911. "Tarn" is slow.'


def test_sentences_without_spaces_are_joined_by_one() -> None:
    """2Wiki strips its sentences; the joining space belongs to none of them."""
    question = only("2wiki", TWOWIKI)
    assert question.dataset == "2wiki"
    assert question.passages[0].body == "Brill was built in 1904. She is green."
    assert exact_sets(question) == [["It was built in 1911.", "Brill was built in 1904."]]


@pytest.mark.parametrize(
    ("sentences", "body", "parts"),
    [
        ([], "", []),
        (["  A."], "  A.", ["A."]),
        (["A.", "B.", ""], "A. B. ", ["A.", "B.", ""]),
        (["A.", "B.", " "], "A. B.  ", ["A.", "B.", ""]),
        (["A.", "\tB.", "C."], "A.\tB.C.", ["A.", "B.", "C."]),
    ],
)
def test_joined_ranges_fit_the_body(sentences: list[str], body: str, parts: list[str]) -> None:
    """Offsets come from the same construction as the body."""
    text, ranges = joined(sentences)
    assert text == body
    assert [text[start:end] for start, end in ranges] == parts


@pytest.mark.parametrize("layout", [lambda r: r, hugging_face])
@pytest.mark.parametrize(
    ("fact", "code"),
    [
        (["Elsewhere", 0], "retrieval-miss"),
        (["tarn", 0], "retrieval-miss"),
        (["Brill", 2], "sentence-out-of-range"),
        (["Brill", -1], "sentence-out-of-range"),
        ([None, None], "null-page"),
    ],
)
def test_unresolved_fact_leaves_the_set_out(layout: Any, fact: list[object], code: str) -> None:
    """Half a set is no set; titles match exactly and -1 is not the last sentence."""
    question = only("hotpotqa", layout(with_facts(["Tarn", 1], fact)))
    assert question.sets == ()
    assert codes(question) == [code]
    assert question.problems[0].where.startswith("record 1 (h1): supporting_facts")


@pytest.mark.parametrize("facts", [[], [[]], {"title": [], "sent_id": []}])
def test_empty_set_is_never_a_reference_set(facts: object) -> None:
    """An empty set would be satisfied by anything."""
    question = only("hotpotqa", {**HOTPOT, "supporting_facts": facts})
    assert question.sets == ()
    assert codes(question) == ["empty-set"]


def test_repeated_fact_counts_once() -> None:
    """A duplicate raises no count and is told."""
    question = only("hotpotqa", with_facts(["Tarn", 1], ["Brill", 0], ["Tarn", 1]))
    assert exact_sets(question) == exact_sets(only("hotpotqa", HOTPOT))
    assert codes(question) == ["repeated-fact"]


def test_title_of_two_passages_is_ambiguous() -> None:
    """Facts that name it stay unresolved; other facts do not suffer."""
    record = changed(HOTPOT, lambda r: r["context"].append(["Tarn", ["Tarn is a lake."]]))
    question = only("hotpotqa", record)
    assert (len(question.passages), question.sets) == (3, ())
    assert codes(question) == ["ambiguous-title", "ambiguous-fact"]
    other = only("hotpotqa", {**record, "supporting_facts": [["Brill", 0]]})
    assert codes(other) == ["ambiguous-title"]
    assert exact_sets(other) == [["Brill was built in 1904."]]


def test_passage_given_twice_is_kept_once_and_not_ambiguous() -> None:
    """Both copies say the same, so the fact has one meaning."""
    record = changed(HOTPOT, lambda r: r["context"].append(r["context"][1]))
    question = only("hotpotqa", record)
    assert len(question.passages) == 2
    assert codes(question) == ["repeated-passage"]
    assert exact_sets(question) == exact_sets(only("hotpotqa", HOTPOT))


def test_copy_split_otherwise_makes_the_title_ambiguous() -> None:
    """The same text with other sentence numbers gives a fact two meanings."""
    whole = ["Brill", ["Brill was built in 1904. She is green."]]
    question = only("hotpotqa", changed(HOTPOT, lambda r: r["context"].append(whole)))
    assert len(question.passages) == 2
    assert codes(question) == ["repeated-passage", "ambiguous-title", "ambiguous-fact"]


def test_blank_sentence_is_no_evidence() -> None:
    """An empty excerpt would lie in any citation."""
    record = changed(HOTPOT, lambda r: r["context"][1][1].__setitem__(1, " "))
    question = only("hotpotqa", record)
    assert question.sets == ()
    assert codes(question) == ["blank-sentence"]


@pytest.mark.parametrize("sentences", [[], [""], [" ", ""]])
def test_passage_without_text_is_skipped_and_listed(sentences: list[str]) -> None:
    """The fact that names it is a miss; other excerpts keep their passages."""
    record = changed(HOTPOT, lambda r: r["context"].insert(0, ["Empty", sentences]))
    question = only("hotpotqa", record)
    assert codes(question) == ["empty-passage"]
    assert exact_sets(question) == exact_sets(only("hotpotqa", HOTPOT))
    missed = only("hotpotqa", {**record, "supporting_facts": [["Empty", 0]]})
    assert codes(missed) == ["empty-passage", "retrieval-miss"]


@pytest.mark.parametrize(
    ("name", "value", "path"),
    [
        ("supporting_facts", [["Tarn", "1"]], "supporting_facts[0][1]"),
        ("supporting_facts", [["Tarn", True]], "supporting_facts[0][1]"),
        ("supporting_facts", [["Tarn", 1.0]], "supporting_facts[0][1]"),
        ("supporting_facts", [["Tarn", None]], "supporting_facts[0][1]"),
        ("supporting_facts", [["Tarn", 1, 2]], "supporting_facts[0]"),
        ("supporting_facts", [["Tarn", 1], []], "supporting_facts[1]"),
        ("supporting_facts", {"title": ["Tarn"], "sent_id": []}, "supporting_facts"),
        ("context", {"title": ["Tarn"], "sentences": []}, "context"),
        ("context", [["Tarn", "one text"]], "context[0][1]"),
        ("context", [["Tarn", ["a", None]]], "context[0][1][1]"),
        ("context", [["Ta\rrn", ["a"]]], "context[0][0]"),
        ("context", [["", ["a"]]], "context[0][0]"),
        ("context", [[None, ["a"]]], "context[0][0]"),
        ("type", 3, "type"),
    ],
)
@pytest.mark.parametrize("dialect", ["hotpotqa", "2wiki"])
def test_value_of_another_shape_is_refused(
    dialect: str, name: str, value: object, path: str
) -> None:
    """Lists of unequal length are refused whole: pairing by position would shift."""
    error = refusal(dialect, as_array({**HOTPOT, name: value}))
    assert error.where == "record 1 (h1)"
    assert error.problem.startswith(f"{path}: ")


def pairs(value: Any, second: str) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return list(zip(value["title"], value[second], strict=True))
    return [(first, other) for first, other in value]


REAL = [
    ("hotpotqa", "hotpotqa/hipporag_hotpotqa_train_100.json", 100),
    ("hotpotqa", "hotpotqa/hoprag_hotpot_example.jsonl", 10),
    ("hotpotqa", "hotpotqa-support/hotpotqa_sample_hf_style.json", 10),
    ("2wiki", "2wikimultihopqa/hoprag_wiki_example.jsonl", 10),
    ("2wiki", "2wikimultihopqa/kag_2wiki_qa_sub.json", 2),
]


@pytest.mark.parametrize(("dialect", "path", "count"), REAL)
def test_real_file_gives_every_question_and_exact_sentence(
    dialect: str, path: str, count: int
) -> None:
    """Counts, passages and excerpts equal what plain json finds in the same file."""
    upstream = plain(real(path))
    parsed = parse(dialect, real(path).read_bytes()).questions
    assert len(parsed) == len(upstream) == count
    for record, question in zip(upstream, parsed, strict=True):
        context = dict(pairs(record["context"], "sentences"))
        facts = pairs(record["supporting_facts"], "sent_id")
        assert exact_sets(question) == [[context[t][n].lstrip() for t, n in facts]]
        gap = " " if dialect == "2wiki" else ""
        assert [p.title for p in question.passages] == list(context)
        for passage in question.passages:
            squeezed = "".join(context[passage.title]).replace(" ", "")
            assert passage.body.replace(" ", "") == squeezed
            if gap or any(s.startswith(" ") for s in context[passage.title][1:]):
                assert passage.body == gap.join(context[passage.title])
        assert question.problems == ()


def test_full_wiki_sample_lists_what_retrieval_missed() -> None:
    """30 questions: 6 have all their facts in the context, 8 some, 16 none."""
    path = real("hotpotqa-support/hotpotqa_sample_fullwiki_style.json")
    tally = {"complete": 0, "partial": 0, "none": 0}
    for record, question in zip(
        plain(path), parse("hotpotqa", path.read_bytes()).questions, strict=True
    ):
        facts = record["supporting_facts"]
        titles = {title for title, _ in record["context"]}
        absent = sum(title not in titles for title, _ in facts)
        assert codes(question) == ["retrieval-miss"] * absent
        assert len(question.sets) == (absent == 0)
        state = "complete" if not absent else "none" if absent == len(facts) else "partial"
        tally[state] += 1
    assert tally == {"complete": 6, "partial": 8, "none": 16}
