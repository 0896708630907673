"""Real multi-hop questions over pooled passages, with what each rests on.

A folder holds the published files under `2wikimultihopqa/`, `musique/` and `hotpotqa/`;
what is not there is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from bench.bm25 import Bm25
from certify_core.datasets import parse
from certify_core.datasets.records import Passage, QuestionRecord
from certify_core.folding import fold
from certify_core.model import RequirementGraph, Unit


@dataclass(frozen=True, slots=True)
class Step:
    """A requirement with its values filled in, the value it has, and the unit that says so."""

    rid: int
    text: str
    value: str
    uid: str


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its reference answers and the units it rests on.

    ``gold`` is empty where the data name none. ``graph`` and ``steps`` are the reference
    decomposition, where there is one.
    """

    key: str
    text: str
    answers: tuple[str, ...]
    form: str
    gold: tuple[str, ...] = ()
    graph: RequirementGraph | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions over one corpus."""

    name: str
    corpus: Bm25
    cases: tuple[Case, ...]


class Passages:
    """Texts pooled once each, numbered as they come.

    Copies differ in spaces and quotation marks from file to file; a passage left in as a
    copy would make every twin of its question answerable.
    """

    def __init__(self, texts: Iterable[Passage] = ()) -> None:
        self.units: dict[tuple[str, str], Unit] = {}
        self.titled: dict[str, str] = {}
        for text in texts:
            self.add(text)

    def add(self, passage: Passage) -> str:
        """The id of the passage, which is put into the pool if it is new."""
        unit = Unit(f"{len(self.units):05d}", passage.title, passage.text)
        uid = self.units.setdefault(_same_text(passage), unit).uid
        self.titled.setdefault(passage.title, uid)
        return uid

    def corpus(self) -> Bm25:
        return Bm25(self.units.values())


def _same_text(passage: Passage) -> tuple[str, str]:
    return passage.title, fold(passage.body).replace(" ", "")


def question_sets(root: Path) -> Iterator[QuestionSet]:
    """The sets whose files are under ``root``, each read when it is asked for."""
    readers: dict[str, Callable[[], QuestionSet]] = {
        "2wikimultihopqa/fastgraphrag_vdb_101.json": partial(wiki, root),
        "2wikimultihopqa/hoprag_wiki_example.jsonl": partial(wiki_others, root),
        "2wikimultihopqa/trustmargin_dev_1000.json": partial(wiki_open, root),
        "musique/musique_train_50.json": partial(musique, root),
        "musique/hoprag_musique_example.jsonl": partial(musique_others, root),
        "hotpotqa/hipporag_hotpotqa_train_100.json": partial(hotpot, root),
        "hotpotqa/hoprag_hotpot_example.jsonl": partial(hotpot_others, root),
    }
    return (read() for file, read in readers.items() if (root / file).exists())


def wiki(root: Path) -> QuestionSet:
    """2WikiMultiHopQA 0-100: supporting titles, and answers in a file of their own."""
    folder, passages = root / "2wikimultihopqa", wiki_passages(root)
    answers = (folder / "answers_000_100.txt").read_text("utf-8").splitlines()
    records = _json(folder / "fastgraphrag_vdb_101.json")
    cases = tuple(
        _wiki_case(str(n), record["question"], (answer,), record["ground_truth"], passages)
        for n, (record, answer) in enumerate(zip(records, answers, strict=True))
    )
    return QuestionSet("2wiki 0-100", passages.corpus(), cases)


def wiki_others(root: Path) -> QuestionSet:
    """Full records of 2WikiMultiHopQA, their passages put into the same pool."""
    file = root / "2wikimultihopqa" / "hoprag_wiki_example.jsonl"
    return _recorded("2wiki others", "2wiki", [file], wiki_passages(root))


def wiki_open(root: Path) -> QuestionSet:
    """Questions with an answer and no passages, whose every named page is in the pool.

    What they rest on is not known, so that an abstention may well be right.
    """
    folder, passages = root / "2wikimultihopqa", wiki_passages(root)
    known = {record["question"] for record in _json(folder / "fastgraphrag_vdb_101.json")}
    titles = {fold(title) for title in passages.titled}
    cases = tuple(
        Case(str(r["test_id"]), r["question"], _listed(r["answer"]), "open")
        for r in _json(folder / "trustmargin_dev_1000.json")
        if r["question"] not in known and _names_pages(r["question"], titles)
    )
    return QuestionSet("2wiki open", passages.corpus(), cases)


def musique(root: Path) -> QuestionSet:
    """MuSiQue 0-49 with the reference decomposition."""
    file = root / "musique" / "musique_train_50.json"
    return _decomposed("musique 0-49", file, musique_passages(root))


def musique_others(root: Path) -> QuestionSet:
    file = root / "musique" / "hoprag_musique_example.jsonl"
    return _decomposed("musique others", file, musique_passages(root))


def hotpot(root: Path) -> QuestionSet:
    """HotpotQA 0-99 of the training questions."""
    file = root / "hotpotqa" / "hipporag_hotpotqa_train_100.json"
    return _recorded("hotpotqa 0-99", "hotpotqa", [file], hotpot_passages(root))


def hotpot_others(root: Path) -> QuestionSet:
    """Other files; of full-wiki records only those whose supporting pages were retrieved."""
    files = [
        root / "hotpotqa" / "hoprag_hotpot_example.jsonl",
        root / "hotpotqa-support" / "hotpotqa_sample_fullwiki_style.json",
        root / "hotpotqa-support" / "hotpotqa_sample_hf_style.json",
    ]
    present = [file for file in files if file.exists()]
    return _recorded("hotpotqa others", "hotpotqa", present, hotpot_passages(root))


def wiki_passages(root: Path) -> Passages:
    return _pool(root / "2wikimultihopqa" / "hipporag_2wikimultihopqa_corpus.json")


def musique_passages(root: Path) -> Passages:
    return _pool(root / "musique" / "hipporag_musique_train_corpus.json")


def hotpot_passages(root: Path) -> Passages:
    return _pool(root / "hotpotqa" / "hipporag_hotpotqa_train_corpus.json")


def _pool(file: Path) -> Passages:
    return Passages(parse("passages", file.read_bytes()).passages if file.exists() else ())


def _json(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def _listed(answer: str | list[str]) -> tuple[str, ...]:
    return (answer,) if isinstance(answer, str) else tuple(answer)


def _wiki_case(
    key: str, question: str, answers: tuple[str, ...], titles: Sequence[str], passages: Passages
) -> Case:
    gold = tuple(passages.titled[title] for title in titles)
    return Case(key, question, answers, _form(question, len(gold)), gold)


def _form(question: str, pages: int) -> str:
    """The data set's own three kinds, told by the pages and the wording."""
    if pages > 2:
        return "bridge comparison"
    compares = question.startswith(("Are ", "Were ", "Is ", "Was ", "Do ", "Did "))
    return "comparison" if compares or " or " in question else "composition"


def _names_pages(question: str, titles: set[str]) -> bool:
    """Whether some title of several words, or two titles, stand in the question."""
    words = fold(question).split()
    runs = {" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 2, len(words) + 1)}
    wanted = 2 if " or " in question or " both " in f" {question.lower()} " else 1
    return len(runs & titles) >= wanted


def _recorded(name: str, dialect: str, files: Sequence[Path], passages: Passages) -> QuestionSet:
    records = chain.from_iterable(parse(dialect, file.read_bytes()).questions for file in files)
    cases = tuple(_case(record, passages) for record in records if record.sets)
    return QuestionSet(name, passages.corpus(), cases)


def _case(record: QuestionRecord, passages: Passages) -> Case:
    uids = [passages.add(passage) for passage in record.passages]
    gold = tuple(dict.fromkeys(uids[excerpt.passage] for excerpt in record.sets[0]))
    answers = (record.answer, *record.aliases)
    return Case(record.key, record.text, answers, record.kind, gold, record.graph)


def _decomposed(name: str, file: Path, passages: Passages) -> QuestionSet:
    """Questions whose file gives each step's answer, which the parser does not read."""
    found = _recorded(name, "musique", [file], passages)
    text = file.read_text("utf-8")
    raw = json.loads(text) if text.lstrip().startswith("[") else map(json.loads, text.splitlines())
    given = {record["id"]: record for record in raw}
    cases = tuple(replace(c, steps=_steps(c, given[c.key], passages)) for c in found.cases)
    return replace(found, cases=cases)


def _steps(case: Case, record: dict[str, Any], passages: Passages) -> tuple[Step, ...]:
    assert case.graph is not None, f"{case.key} has no decomposition"
    parts = record["question_decomposition"]
    texts = {p["idx"]: Passage(p["title"], p["paragraph_text"]) for p in record["paragraphs"]}
    known = {rid: part["answer"] for rid, part in enumerate(parts, start=1)}
    return tuple(
        Step(
            requirement.rid,
            requirement.filled(known),
            part["answer"],
            passages.add(texts[part["paragraph_support_idx"]]),
        )
        for requirement, part in zip(case.graph.requirements, parts, strict=True)
    )
