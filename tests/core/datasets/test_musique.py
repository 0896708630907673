"""MuSiQue: support by paragraph number, decomposition as a requirement graph."""

from __future__ import annotations

from typing import Any

import pytest

from certify_core.datasets import parse
from certify_core.datasets.records import Passage
from certify_core.model import Requirement

from .samples import (
    MUSIQUE,
    as_array,
    as_lines,
    changed,
    codes,
    exact_sets,
    only,
    plain,
    real,
    refusal,
)


def with_support(*indices: object) -> dict[str, Any]:
    def change(record: dict[str, Any]) -> None:
        for step, idx in zip(record["question_decomposition"], indices, strict=True):
            step["paragraph_support_idx"] = idx

    return changed(MUSIQUE, change)


def with_questions(*questions: str) -> dict[str, Any]:
    def change(record: dict[str, Any]) -> None:
        for step, text in zip(record["question_decomposition"], questions, strict=True):
            step["question"] = text

    return changed(MUSIQUE, change)


def test_record_gives_question_passages_and_one_set_of_whole_paragraphs() -> None:
    """Of two paragraphs with one title the numbered one is taken."""
    question = only("musique", MUSIQUE)
    assert (question.dataset, question.key, question.kind) == ("musique", "2hop__11_22", "2hop")
    assert (question.answer, question.aliases) == ("Orra", ("Orra Valley",))
    assert question.passages[2:] == (
        Passage("Fenmill", "It burnt in 1801."),
        Passage("Fenmill", "It stands in Orra."),
    )
    assert exact_sets(question) == [["Quist built Fenmill.", "It stands in Orra."]]
    assert question.problems == ()


def test_decomposition_becomes_lookups_with_the_text_as_given() -> None:
    """Upstream ids are dropped, steps are numbered 1..n, "#1" stays in the template."""
    graph = only("musique", MUSIQUE).graph
    assert graph is not None
    assert graph.requirements == (
        Requirement(1, "lookup", "Ada Quist >> built"),
        Requirement(2, "lookup", "In which valley does #1 stand?"),
    )
    assert graph.final.deps == (1,)


def test_paragraphs_are_matched_by_idx_and_not_by_position() -> None:
    """A shuffled list of paragraphs names the same evidence."""
    shuffled = changed(MUSIQUE, lambda r: r["paragraphs"].reverse())
    assert exact_sets(only("musique", shuffled)) == exact_sets(only("musique", MUSIQUE))


def test_set_follows_the_order_of_the_steps_and_names_a_paragraph_once() -> None:
    """Two steps may share a paragraph; it is one member."""
    assert exact_sets(only("musique", with_support(3, 1)))[0][0] == "It stands in Orra."
    shared = only("musique", with_support(3, 3))
    assert exact_sets(shared) == [["It stands in Orra."]]
    assert codes(shared) == ["support-disagrees"]


@pytest.mark.parametrize(
    ("idx", "code"), [(None, "null-page"), (9, "retrieval-miss"), (-1, "retrieval-miss")]
)
def test_unresolved_support_leaves_the_set_out(idx: object, code: str) -> None:
    """Half a set is no set; -1 does not mean the last paragraph."""
    question = only("musique", with_support(1, idx))
    assert question.sets == ()
    assert code in codes(question)


def test_support_flag_that_disagrees_is_a_problem() -> None:
    """Both numbers are told; the steps decide."""
    record = changed(MUSIQUE, lambda r: r["paragraphs"][0].update(is_supporting=True))
    question = only("musique", record)
    assert exact_sets(question) == exact_sets(only("musique", MUSIQUE))
    (problem,) = question.problems
    assert problem.code == "support-disagrees"
    assert problem.message == "is_supporting marks [0, 1, 3], the steps name [1, 3]"


def test_empty_decomposition_is_neither_a_set_nor_a_graph() -> None:
    """An empty set would be satisfied by anything."""
    question = only("musique", {**MUSIQUE, "question_decomposition": []})
    assert (question.sets, question.graph) == ((), None)
    assert {"empty-set", "invalid-plan"} <= set(codes(question))


@pytest.mark.parametrize("text", ["who owns #1?", "who owns #2?", "#0", "#" + "9" * 5000])
def test_plan_with_an_impossible_reference_is_left_out(text: str) -> None:
    """The question stays usable without its plan."""
    question = only("musique", with_questions(text, "where is #1"))
    assert question.graph is None
    assert codes(question) == ["invalid-plan"]
    assert len(question.sets) == 1


def test_empty_paragraph_is_skipped_and_listed() -> None:
    """Its support is unresolved, and the other excerpts still point to their passages."""
    record = changed(MUSIQUE, lambda r: r["paragraphs"][0].update(paragraph_text=" "))
    question = only("musique", record)
    assert codes(question) == ["empty-passage"]
    assert exact_sets(question) == exact_sets(only("musique", MUSIQUE))
    record = changed(MUSIQUE, lambda r: r["paragraphs"][3].update(paragraph_text=""))
    assert codes(only("musique", record)) == ["empty-passage", "retrieval-miss"]


def test_paragraph_given_twice_is_kept_once() -> None:
    """Title and text alike: one passage, listed as repeated, resolved from both numbers."""
    copy = {"title": "Fenmill", "paragraph_text": "It stands in Orra."}
    record = changed(with_support(1, 2), lambda r: r["paragraphs"][2].update(copy))
    question = only("musique", record)
    assert len(question.passages) == 3
    assert codes(question)[0] == "repeated-passage"
    assert exact_sets(question) == exact_sets(only("musique", MUSIQUE))


def test_paragraph_number_used_twice_is_refused() -> None:
    """Support could mean either."""
    record = changed(MUSIQUE, lambda r: r["paragraphs"][2].update(idx=1))
    assert refusal("musique", as_array(record)).problem.startswith("paragraphs[2].idx:")


@pytest.mark.parametrize("title", ["", " ", "Fen\nmill", "Fenmill\n", "Fen\u2028mill"])
def test_title_that_is_empty_or_has_a_line_break_is_refused(title: str) -> None:
    """Title and body could not be told apart in the passage's text."""
    record = changed(MUSIQUE, lambda r: r["paragraphs"][2].update(title=title))
    assert refusal("musique", as_array(record)).problem.startswith("paragraphs[2].title:")


@pytest.mark.parametrize(
    ("name", "value"), [("idx", "1"), ("idx", True), ("idx", 1.0), ("is_supporting", 1)]
)
def test_paragraph_field_of_a_similar_type_is_refused(name: str, value: object) -> None:
    """The text "1", true and 1.0 are not the number 1; 1 is not true."""
    record = changed(MUSIQUE, lambda r: r["paragraphs"][1].update({name: value}))
    assert refusal("musique", as_array(record)).problem.startswith(f"paragraphs[1].{name}:")


def test_unanswerable_twin_has_its_own_key_and_no_set() -> None:
    """The twins of the full release share an id and must both be kept."""
    twin = {**with_support(1, None), "answerable": False}
    answerable, unanswerable = parse("musique", as_lines(MUSIQUE, twin)).questions
    assert unanswerable.key == answerable.key + "/unanswerable"
    assert unanswerable.sets == ()
    assert codes(unanswerable) == ["unanswerable"]


@pytest.mark.parametrize(
    ("path", "questions", "lookups"),
    [("musique/musique_train_50.json", 50, 118), ("musique/hoprag_musique_example.jsonl", 10, 20)],
)
def test_real_file_gives_every_question_step_and_paragraph(
    path: str, questions: int, lookups: int
) -> None:
    """Counts and excerpts equal what plain json finds in the same file."""
    upstream = plain(real(path))
    parsed = parse("musique", real(path).read_bytes()).questions
    assert len(parsed) == len(upstream) == questions
    steps = [q.graph.requirements for q in parsed if q.graph]
    assert sum(map(len, steps)) == lookups
    for record, question in zip(upstream, parsed, strict=True):
        texts = {p["idx"]: p["paragraph_text"] for p in record["paragraphs"]}
        decomposition = record["question_decomposition"]
        assert exact_sets(question) == [[texts[s["paragraph_support_idx"]] for s in decomposition]]
        assert [p.body for p in question.passages] == list(texts.values())
        assert question.graph is not None
        assert [r.template for r in question.graph.requirements] == [
            s["question"] for s in decomposition
        ]
        assert question.problems == ()
