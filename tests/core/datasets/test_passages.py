"""Pools of passages without questions."""

from __future__ import annotations

import json

import pytest

from certify_core.datasets import parse
from certify_core.datasets.records import Passage

from .samples import as_array, as_lines, codes, plain, real, refusal

A = {"title": "Fenmill", "text": "It burnt."}
B = {"title": "Fenmill", "text": ["It stands.", " In Orra."], "id": 7}
EXPECTED = (Passage("Fenmill", "It burnt."), Passage("Fenmill", "It stands. In Orra."))


@pytest.mark.parametrize("data", [as_array(A, B), as_lines(A, B)])
def test_records_give_passages_in_order(data: bytes) -> None:
    """One title may have several passages; a text may be a list of sentences."""
    batch = parse("passages", data)
    assert (batch.passages, batch.questions, batch.problems) == (EXPECTED, (), ())


@pytest.mark.parametrize("indent", [None, 2])
def test_object_maps_titles_to_text_or_sentences(indent: int | None) -> None:
    """A dictionary corpus is the same on one line and over many."""
    data = json.dumps({"Brill": "Old.", "Tarn": ["New.", "Slow."]}, indent=indent).encode()
    batch = parse("passages", data)
    assert batch.passages == (Passage("Brill", "Old."), Passage("Tarn", "New. Slow."))


def test_single_object_with_a_title_is_a_record() -> None:
    """One line of JSON Lines is not a corpus of pages called "title" and "text"."""
    assert parse("passages", as_lines(A)).passages == EXPECTED[:1]
    assert "'text' is missing" in refusal("passages", as_lines({"title": "Fenmill"})).problem


def test_empty_and_repeated_passages_are_left_out_and_listed() -> None:
    """Nothing disappears without a line that says so."""
    batch = parse("passages", as_lines(A, {"title": "Blank", "text": " "}, A, B))
    assert batch.passages == EXPECTED
    assert codes(batch) == ["empty-passage", "repeated-passage"]
    assert [p.where for p in batch.problems] == ["line 2 (Blank)", "line 3 (Fenmill)"]


@pytest.mark.parametrize(
    "record",
    [
        {"title": "", "text": "a"},
        {"title": "a\nb", "text": "a"},
        {"title": "a\0", "text": "a"},
        {"title": "a", "text": "a\0"},
        {"title": "a", "text": None},
        {"title": "a", "text": ["a", 1]},
        {"title": 1, "text": "a"},
        {"text": "a"},
    ],
)
def test_record_of_another_shape_is_refused(record: dict[str, object]) -> None:
    """The record is named and nothing of the file is used."""
    assert refusal("passages", as_lines(A, record)).where.startswith("line 2")


@pytest.mark.parametrize(
    ("corpus", "path"),
    [({"": "a"}, "title ''"), ({"a\nb": "a"}, "title 'a\\nb'"), ({"Tarn": 3}, "Tarn")],
)
def test_object_of_another_shape_is_refused(corpus: dict[str, object], path: str) -> None:
    """The title is named, since lines say little in a dictionary."""
    error = refusal("passages", json.dumps(corpus).encode())
    assert error.problem.startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("2wikimultihopqa/hipporag_2wikimultihopqa_corpus.json", 6119),
        ("musique/hipporag_musique_train_corpus.json", 1890),
    ],
)
def test_real_pool_gives_every_passage(path: str, count: int) -> None:
    """Title and text of every upstream record, unchanged and in order."""
    upstream = plain(real(path))
    batch = parse("passages", real(path).read_bytes())
    assert len(upstream) == len(batch.passages) == count
    assert [(p.title, p.body) for p in batch.passages] == [
        (r["title"], r["text"]) for r in upstream
    ]
    assert batch.problems == ()


def test_real_dictionary_pool_agrees_with_the_questions_on_it() -> None:
    """A page is the same passage, to the character, in the pool and in a question."""
    pool = real("hotpotqa/hipporag_hotpotqa_train_corpus.json")
    batch = parse("passages", pool.read_bytes())
    assert len(batch.passages) == len(plain(pool)) == 994
    questions = real("hotpotqa/hipporag_hotpotqa_train_100.json").read_bytes()
    used = {p for q in parse("hotpotqa", questions).questions for p in q.passages}
    assert used <= set(batch.passages)
