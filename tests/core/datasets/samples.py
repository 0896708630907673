"""Small invented records, the optional folder of real data, and ways to change a record."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from certify_core.datasets import parse
from certify_core.datasets.records import Batch, Excerpt, QuestionRecord
from certify_core.errors import InvalidRecord

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"

MUSIQUE: dict[str, Any] = {
    "id": "2hop__11_22",
    "question": "In which valley does the mill that Ada Quist built stand?",
    "answer": "Orra",
    "answer_aliases": ["Orra Valley"],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Mill", "paragraph_text": "A mill grinds.", "is_supporting": False},
        {"idx": 1, "title": "Quist", "paragraph_text": "Quist built Fenmill.",
         "is_supporting": True},
        {"idx": 2, "title": "Fenmill", "paragraph_text": "It burnt in 1801.",
         "is_supporting": False},
        {"idx": 3, "title": "Fenmill", "paragraph_text": "It stands in Orra.",
         "is_supporting": True},
    ],
    "question_decomposition": [
        {"id": 11, "question": "Ada Quist >> built", "answer": "Fenmill",
         "paragraph_support_idx": 1},
        {"id": 22, "question": "In which valley does #1 stand?", "answer": "Orra",
         "paragraph_support_idx": 3},
    ],
}  # fmt: skip

HOTPOT: dict[str, Any] = {
    "_id": "h1",
    "question": "Which of the two ferries is older, Brill or Tarn?",
    "answer": "Brill",
    "type": "comparison",
    "level": "easy",
    "supporting_facts": [["Tarn", 1], ["Brill", 0]],
    "context": [
        ["Brill", ["Brill was built in 1904.", " She is green."]],
        ["Tarn", ["Tarn is a ferry.", ' It was built in 1911. "', 'Tarn" is slow.']],
    ],
}

TWOWIKI: dict[str, Any] = {
    **HOTPOT,
    "_id": "w1",
    "context": [
        ["Brill", ["Brill was built in 1904.", "She is green."]],
        ["Tarn", ["Tarn is a ferry.", "It was built in 1911."]],
    ],
    "evidences": [["Brill", "date", "1904"], ["Tarn", "date", "1911"]],
}


def hugging_face(record: dict[str, Any]) -> dict[str, Any]:
    """The same HotpotQA record as parallel lists."""
    facts, context = record["supporting_facts"], record["context"]
    rest = {k: v for k, v in record.items() if k != "_id"}
    return {
        **rest,
        "id": record["_id"],
        "supporting_facts": {"title": [f[0] for f in facts], "sent_id": [f[1] for f in facts]},
        "context": {"title": [c[0] for c in context], "sentences": [c[1] for c in context]},
    }


def changed(record: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """A deep copy after ``change`` was done to it."""
    result = copy.deepcopy(record)
    change(result)
    return result


def as_array(*records: object) -> bytes:
    return json.dumps(records, ensure_ascii=False).encode()


def as_lines(*records: object) -> bytes:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()


def only(dialect: str, record: object) -> QuestionRecord:
    (question,) = parse(dialect, as_array(record)).questions
    return question


def exact(question: QuestionRecord, excerpt: Excerpt) -> str:
    return question.passages[excerpt.passage].text[excerpt.start : excerpt.end]


def exact_sets(question: QuestionRecord) -> list[list[str]]:
    return [[exact(question, excerpt) for excerpt in found] for found in question.sets]


def codes(holder: QuestionRecord | Batch) -> list[str]:
    return [problem.code for problem in holder.problems]


def refusal(dialect: str, data: bytes) -> InvalidRecord:
    with pytest.raises(InvalidRecord) as caught:
        parse(dialect, data)
    return caught.value


def real(path: str) -> Path:
    """A file of the optional data folder; the test is skipped where it is absent."""
    found = DATA / path
    if not found.is_file():
        pytest.skip(f"the optional data file {path} is absent")
    return found


def plain(path: Path) -> Any:
    """The file's records by plain ``json``, independent of the parsers under test."""
    text = path.read_text(encoding="utf-8")
    if text.lstrip().startswith("[") or path.name.endswith("corpus.json"):
        return json.loads(text)
    return [json.loads(line) for line in text.split("\n") if line.strip()]
